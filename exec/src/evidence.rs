//! Makes the evidence of an answer: from the facts known before the run, and from the report of a lane after it.
//!
//! ```text
//! begin ─┬─▶ announce ▶ (Executed) ▶ into_evidence      a run
//!        └─▶ refusal                                    a refused request
//! ```
//!
//! [`crate::bundle`], which stores the streams, fills in the rest. Pure: time and randomness are passed in.

use gatepost_contract::request::{Lane, Request};
use gatepost_documents::evidence::{
    Backend, Dropped, EnforcedLevel, Evidence, Failure, FailureCode, FailureKind, Limits, Network, NetworkUse, Sandbox,
    Status, StopReason, Usage,
};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::without_quotations;
use serde_json::Value;

use crate::authorize::proofs::Proofs;
use crate::authorize::{Authorized, Judged};
use crate::lane::run_outcome::{Ending, Invocation, RunOutcome, SessionPart, Upstream};
use crate::mailbox::claim::Claimed;
use crate::policy::FETCH;
use crate::scan_id::ScanId;
use crate::shell;
use gatepost_mailbox::user;

/// The limits of a request that did not run.
const NO_LIMITS: Limits = Limits {
    time_ms: 0,
    cpu_seconds: 0,
    cpus: None,
    memory_bytes: None,
    address_space_bytes: 0,
    files: 0,
    processes: 0,
    file_bytes: 0,
    out_bytes: None,
    out_files: None,
    stdout_bytes: 0,
};

/// The lane of a request, and the name of its tool in evidence.
fn lane_and_tool(request: Option<&Request>) -> (Backend, &str) {
    match request.map(|request| &request.lane) {
        Some(Lane::Clad(call)) => (Backend::Clad, call.tool.as_str()),
        Some(Lane::Era(command)) => (Backend::Era, command.name()),
        Some(Lane::Monty(_)) => (Backend::Monty, "monty"),
        Some(Lane::Fetch(_)) => (Backend::Fetch, FETCH),
        None => (Backend::None, ""),
    }
}

/// The evidence of an answer to a request before any run. `kernel` is the running kernel's release.
pub fn begin(claimed: &Claimed, request: Option<&Request>, scan_id: ScanId, kernel: &str) -> Evidence {
    let (backend, tool) = lane_and_tool(request);
    Evidence {
        status: Status::Error,
        scan_id: scan_id.to_string(),
        tool: tool.to_owned(),
        command: String::new(),
        duration_ms: 0,
        timestamp: scan_id.timestamp(),
        exit_code: -1,
        stderr: String::new(),
        output_file: String::new(),
        output_hash: String::new(),
        results: Value::Null,
        results_file: None,
        http_status: None,
        http_method: None,
        http_body: None,
        mcp_server: None,
        mcp_tool: None,
        mcp_args: None,
        stderr_hash: String::new(),
        error: None,
        request_id: claimed.claim.request_id.clone(),
        request_sha256: claimed.claim.request_sha256,
        requested_by: request.map(|request| request.requested_by.clone()).unwrap_or_default(),
        requester_proof: None,
        dropped: Dropped {
            uid: claimed.claim.uid,
            user: user::name(claimed.claim.uid),
            utc: claimed.claim.claimed_utc.clone(),
        },
        manifest_sha256: None,
        programs: Vec::new(),
        tool_version: String::new(),
        backend,
        executor: format!("gatepost {}", env!("CARGO_PKG_VERSION")),
        worker: None,
        node: None,
        argv: Vec::new(),
        arguments: serde_json::Map::new(),
        purpose: request.map(|request| request.purpose.clone()).unwrap_or_default(),
        approvals: Vec::new(),
        review_sha256: None,
        policy: None,
        learn: None,
        sandbox: Sandbox { level: EnforcedLevel::None, layers: Vec::new(), kernel: kernel.to_owned(), launcher: None },
        limits: NO_LIMITS,
        usage: Usage::default(),
        network: Network { used: NetworkUse::None, destinations: Vec::new(), refused: Vec::new(), refused_unnamed: 0 },
        completeness: claimed.claim.completeness,
        stop_reason: StopReason::Completed,
        anomalies: Vec::new(),
        parent_session_id: None,
        interactions: Vec::new(),
    }
}

/// The evidence of an authorized run that has not begun.
pub fn announce(
    claimed: &Claimed,
    request: &Request,
    authorized: &Authorized,
    invocation: Invocation,
    kernel: &str,
) -> Evidence {
    let mut evidence = begin(claimed, Some(request), authorized.scan_id(), kernel);
    let Proofs { approvals, requester } = authorized.proofs().clone();
    evidence.approvals = approvals;
    evidence.requester_proof = requester.map(|(_, proof)| proof);
    evidence.policy = Some(authorized.policy().clone());
    evidence.learn = authorized.learn().cloned();
    evidence.completeness = authorized.completeness();
    describe(&mut evidence, invocation);
    evidence
}

fn describe(evidence: &mut Evidence, invocation: Invocation) {
    let Invocation {
        tool,
        tool_version,
        argv,
        arguments,
        manifest_sha256,
        programs,
        worker,
        limits,
        launcher,
        upstream,
        session,
    } = invocation;
    evidence.tool = tool;
    evidence.tool_version = tool_version;
    evidence.command = shell::line(argv.iter().map(String::as_str));
    evidence.argv = argv;
    evidence.arguments = arguments;
    evidence.manifest_sha256 = manifest_sha256;
    evidence.programs = programs;
    // If the run did not reach its worker: the announced one.
    evidence.worker = worker.or(evidence.worker.take());
    evidence.limits = limits;
    describe_upstream(evidence, upstream);
    if let Some(SessionPart { id, interactions }) = session {
        evidence.parent_session_id = Some(id);
        evidence.interactions = interactions;
    }
    if launcher.is_some() {
        evidence.sandbox.level = EnforcedLevel::External;
        evidence.sandbox.launcher = launcher;
    }
}

/// The answer must pass the gate; more would make its document too large.
const ARGUMENTS_BYTES_MAX: usize = 64 << 10;

/// Describes a refused, runnable request: the policies' decision, and the checked call of a manifest, unless that
/// is too long. Returns the text of that manifest.
pub fn describe_judged(evidence: &mut Evidence, judged: Judged) -> Option<String> {
    let Judged { policy, learn, invocation, manifest } = judged;
    evidence.policy = Some(policy);
    evidence.learn = learn;
    let Invocation { tool_version, arguments, manifest_sha256, upstream, .. } = invocation;
    let length: usize = arguments.iter().map(|(name, value)| name.len() + value.as_str().map_or(0, str::len)).sum();
    let manifest = manifest.filter(|_| length <= ARGUMENTS_BYTES_MAX);
    if manifest.is_some() {
        evidence.tool_version = tool_version;
        evidence.arguments = arguments;
        evidence.manifest_sha256 = manifest_sha256;
        describe_upstream(evidence, upstream);
    }
    manifest
}

fn describe_upstream(evidence: &mut Evidence, upstream: Upstream) {
    match upstream {
        Upstream::None => {}
        Upstream::Http { method, status } => {
            evidence.http_method = Some(method.to_owned());
            evidence.http_status = status;
        }
        Upstream::Mcp { server, tool, arguments } => {
            evidence.mcp_server = Some(server);
            evidence.mcp_tool = Some(tool);
            evidence.mcp_args = Some(arguments);
        }
    }
}

/// A request whose tool ran, or could not be started.
#[derive(Debug)]
pub struct Executed {
    announced: Evidence,
    outcome: RunOutcome,
}

impl Executed {
    /// The announced evidence, and the lane's report.
    pub fn new(announced: Evidence, outcome: RunOutcome) -> Self {
        Self { announced, outcome }
    }

    /// The evidence, complete except for the artifacts; and the tool's own output file below `artifacts/`, if it wrote one.
    pub fn into_evidence(self) -> (Evidence, Option<&'static str>) {
        let Self { announced: mut evidence, outcome } = self;
        let RunOutcome { invocation, ending, results, report, output_file, anomalies, .. } = outcome;
        describe(&mut evidence, invocation);
        let has_started = ending.is_some();
        if let Some(ending) = ending {
            end(&mut evidence, ending);
        }
        evidence.anomalies = anomalies;
        match results {
            Ok(results) => {
                evidence.status = if has_started { Status::Success } else { Status::Delegated };
                evidence.results = results;
            }
            Err(failure) => {
                let is_timeout = failure.code == FailureCode::Timeout;
                evidence.status = if is_timeout { Status::Timeout } else { Status::Error };
                evidence.results = report;
                deny_success(&mut evidence);
                if is_timeout {
                    evidence.exit_code = -1;
                    evidence.stop_reason = StopReason::Timeout;
                }
                evidence.error = Some(failure);
            }
        }
        (evidence, output_file)
    }
}

/// A tool can exit with 0 although its task failed: an error never has exit code 0 (ToolClad, "Output & Evidence").
fn deny_success(evidence: &mut Evidence) {
    if evidence.exit_code == 0 {
        evidence.exit_code = -1;
    }
}

/// Adds the tool's end to the evidence that is published if its result cannot be sealed.
pub fn end_unsealed(evidence: &mut Evidence, ending: Ending) {
    evidence.anomalies.clear();
    end(evidence, ending);
    deny_success(evidence);
}

/// Records the end of the tool.
fn end(evidence: &mut Evidence, ending: Ending) {
    let Ending { exit_code, stop_reason, duration_ms, usage, limits, sandbox, network } = ending;
    evidence.exit_code = exit_code;
    evidence.stop_reason = stop_reason;
    evidence.duration_ms = duration_ms;
    evidence.usage = usage;
    evidence.limits = limits;
    evidence.sandbox = sandbox;
    evidence.network = network;
}

/// The failure of a refused request. Its answer must pass the gate for any hostile request: it names the place, and quotes nothing.
/// Hints are gatepost's own text. A person's comment on a request reaches its requester.
pub fn refusal(mut reasons: Vec<Reason>, target: &str) -> Failure {
    for reason in &mut reasons {
        if !matches!(reason.code, Code::RequestDenied | Code::RequestCancelled) {
            reason.message = without_quotations(&reason.message);
        }
    }
    let message = match reasons.as_slice() {
        [one] => one.message.clone(),
        [first, rest @ ..] => format!("{} (Reason 1 of {}.)", first.message, rest.len() + 1),
        [] => "The request was refused.".to_owned(),
    };
    let hint = reasons.first().map_or_else(String::new, |reason| reason.hint.clone());
    Failure {
        code: FailureCode::RequestRefused,
        kind: FailureKind::Policy,
        operation: "authorize".to_owned(),
        target: target.to_owned(),
        retryable: false,
        message,
        hint,
        reasons,
    }
}

/// The failure of a run that was interrupted.
pub fn interrupted(target: &str) -> Failure {
    Failure {
        code: FailureCode::Interrupted,
        kind: FailureKind::Runtime,
        operation: "wait".to_owned(),
        target: target.to_owned(),
        retryable: false,
        message: "The run was interrupted before its result could be sealed; it may have had effects, and it is not run again."
            .to_owned(),
        hint: "Check what it did, then drop the request again under a new id if it is still wanted.".to_owned(),
        reasons: Vec::new(),
    }
}
