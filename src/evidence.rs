//! Begins the evidence of an answer: what is known before anything ran.
//!
//! The rest is filled in where it comes to be known: by the lane that executes, and by [`crate::bundle`], which stores the
//! streams. Pure: time and randomness are passed in.

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::evidence::{Evidence, Failure, Limits, Network, Sandbox, Status, StopReason, Usage};
use gatepost_documents::reason::Reason;
use serde_json::Value;

use crate::mailbox::claim::Claimed;
use crate::request::{Lane, Request};

/// The most characters of a failure's text.
const SENTENCE_CHARS_MAX: usize = 1_000;

/// What distinguishes one execution: when it began, and what nobody can guess.
#[derive(Debug, Clone, Copy)]
pub struct Occasion {
    /// When.
    pub now: DateTime<Utc>,
    /// 64 random bits.
    pub random: u64,
}

impl Occasion {
    /// The execution's id, `<unix seconds>-<16 hexadecimal digits>`.
    pub fn scan_id(&self) -> String {
        format!("{}-{:016x}", self.now.timestamp(), self.random)
    }
}

/// The evidence of an answer to a request of which nothing ran yet. `kernel` is the running kernel's release.
pub fn begin(claimed: &Claimed, request: Option<&Request>, occasion: Occasion, kernel: &str) -> Evidence {
    let (backend, tool) = match request.map(|request| &request.lane) {
        Some(Lane::Clad(call)) => ("clad", call.tool.as_str()),
        Some(Lane::Era(command)) => ("ERA", command.name()),
        Some(Lane::Monty(_)) => ("monty", "monty"),
        None => ("none", ""),
    };
    Evidence {
        status: Status::Error,
        scan_id: occasion.scan_id(),
        tool: tool.to_owned(),
        command: String::new(),
        duration_ms: 0,
        timestamp: occasion.now.to_rfc3339_opts(SecondsFormat::Secs, true),
        exit_code: -1,
        stderr: String::new(),
        output_file: String::new(),
        output_hash: String::new(),
        results: Value::Null,
        http_status: None,
        http_method: None,
        mcp_server: None,
        mcp_tool: None,
        mcp_args: None,
        stderr_hash: String::new(),
        error: None,
        request_id: claimed.claim.request_id.clone(),
        request_sha256: claimed.claim.request_sha256,
        manifest_sha256: None,
        tool_version: String::new(),
        backend: backend.to_owned(),
        executor: format!("gatepost {}", env!("CARGO_PKG_VERSION")),
        argv: Vec::new(),
        arguments: serde_json::Map::new(),
        purpose: request.map(|request| request.purpose.clone()).unwrap_or_default(),
        approvals: Vec::new(),
        sandbox: Sandbox { level: "none".to_owned(), layers: Vec::new(), kernel: kernel.to_owned(), launcher: None },
        limits: Limits {
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
        },
        usage: Usage::default(),
        network: Network { used: "none".to_owned(), destinations: Vec::new(), refused: Vec::new() },
        completeness: claimed.claim.completeness,
        stop_reason: StopReason::Completed,
        anomalies: Vec::new(),
        parent_session_id: None,
    }
}

/// The failure of a refused request.
pub fn refusal(reasons: Vec<Reason>, target: &str) -> Failure {
    let message = match reasons.as_slice() {
        [one] => one.message.clone(),
        [first, rest @ ..] => format!("{} (Reason 1 of {}.)", first.message, rest.len() + 1),
        [] => "The request was refused.".to_owned(),
    };
    let hint = reasons.first().map_or_else(String::new, |reason| reason.hint.clone());
    Failure {
        code: "REQUEST_REFUSED".to_owned(),
        kind: "policy".to_owned(),
        operation: "authorize".to_owned(),
        target: target.to_owned(),
        retryable: false,
        message,
        hint,
        reasons,
    }
}

/// Cuts the texts of a failure to the length that a result may have; of a reason, too.
pub fn shorten(failure: &mut Failure) {
    let Failure { target, message, hint, reasons, .. } = failure;
    let of_reasons = reasons.iter_mut().flat_map(|reason| [&mut reason.message, &mut reason.hint]);
    for text in [target, message, hint].into_iter().chain(of_reasons) {
        if let Some((end, _)) = text.char_indices().nth(SENTENCE_CHARS_MAX) {
            text.truncate(end);
        }
    }
}

/// The failure of a run of which nothing more was heard.
pub fn interrupted(target: &str) -> Failure {
    Failure {
        code: "INTERRUPTED".to_owned(),
        kind: "runtime".to_owned(),
        operation: "wait".to_owned(),
        target: target.to_owned(),
        retryable: false,
        message: "The run was interrupted before its result could be sealed; it may have had effects, and it is not run again."
            .to_owned(),
        hint: "Check what it did, then drop the request again under a new id if it is still wanted.".to_owned(),
        reasons: Vec::new(),
    }
}
