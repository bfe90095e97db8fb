//! The lane `fetch`: pages of the web, got by a worker of our own in the sandbox, whose only way out is the run's proxy.
//!
//! ```text
//! assignment ▶ gatepost-worker-http fetch ▶ artifacts/stdout.txt: the text, artifacts/out/{sources.json,responses.warc} ▶ results
//! ```
//!
//! The list of sources is the results, also of a run that got no page. *Security*: the worker reads hostile pages, so TOOL-EXEC trusts
//! only the form of its list; the proxy alone decides about destinations. *Standards*: `schemas/research_packet.schema.md`.

use std::io;
use std::path::{Path, PathBuf};

use gatepost_contract::config;
use gatepost_contract::network::{Host, TargetScope};
use gatepost_contract::parser::Builtin;
use gatepost_contract::request::{Pages, Request};
use gatepost_contract::scope::{Narrowing, Target};
use gatepost_documents::destination::Destination;
use gatepost_documents::evidence::{Failure, FailureCode, Limits};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_documents::sources::{Outcome, SOURCES_FILE, Source, Sources};
use gatepost_mailbox::fault::Fault;
use gatepost_sandbox::PROXY_PORT;
use gatepost_sandbox::network::Access;
use gatepost_workers::fetch::{ARGUMENT, Assignment, WORKER};
use rustix::io::Errno;
use serde_json::Value;

use crate::authorize::Authorized;
use crate::bundle::Staging;
use crate::context::Context;
use crate::environment;
use crate::lane::auxiliary;
use crate::lane::confidential::Confidential;
use crate::lane::ending::failure;
use crate::lane::output::{self, OUTPUT_BYTES_MAX};
use crate::lane::run::{self, Place, Program};
use crate::lane::run_outcome::{Invocation, RunOutcome};
use crate::lane::workplace::Workplace;
use crate::lane::{CA_FILE, Planned, worker_program};
use crate::policy::{self, FETCH, Subject};
use crate::step_error::StepError;

/// Outcomes after which the same request may succeed another time.
const PASSING: [Outcome; 4] = [Outcome::NoAnswer, Outcome::TimedOut, Outcome::Incomplete, Outcome::RobotsUnavailable];

/// A permitted fetch.
#[derive(Debug)]
pub struct Plan {
    assignment: Assignment,
    ca_file: Option<PathBuf>,
    limits: Limits,
    network: Access,
}

/// Checks a request against the site's configuration; returns all reasons.
pub fn plan(context: &Context, request: &Request, pages: &Pages) -> Result<Plan, StepError> {
    let config = &context.config.fetch;
    let listed = config.allowed();
    if listed.is_empty() {
        let message = "The lane fetch is off at this site.";
        let hint = "Ask the operator to list destinations in [fetch] of gatepost.toml.";
        return Err(Reason::new(Code::BackendUnavailable, message, hint).into());
    }
    let scope = context.scope()?;
    let mut reasons: Vec<Reason> = worker_program::missing(WORKER).into_iter().collect();
    reasons.extend(context.network_fault().map(|fault| no_network(&fault)));
    for destination in request.network.destinations() {
        if !listed.contains(destination) {
            reasons.push(not_allowed(destination, &listed));
        } else if scope.excludes(&target(&destination.host)) {
            reasons.push(out_of_scope(destination));
        }
    }
    let is_plain = |url: &&String| url.starts_with("http://");
    if pages.urls.iter().any(|url| is_plain(&url)) && !config.plain_http {
        let message = "The site permits https alone, and the request has a URL of http.";
        let hint = "Write https://, or ask the operator for `plain_http = true` in [fetch] of gatepost.toml.";
        reasons.push(Reason::new(Code::NetworkUnavailable, message, hint));
    }
    if !reasons.is_empty() {
        return Err(reasons.into());
    }
    let limits = policy::limits(&context.config.limits, None, &request.limits);
    // Redirects also stay within the scope.
    let mut allowed = listed;
    allowed.retain(|destination| !scope.excludes(&target(&destination.host)));
    let assignment = assignment(config, pages, &limits, &allowed);
    let name = |destination: &Destination| match &destination.host {
        Host::Name(name) => Some(name.clone()),
        Host::Address(_) => None,
    };
    let names = allowed.iter().filter_map(name).collect();
    // The operator listed private addresses explicitly; the scope decides about the addresses of names.
    let target_scope = TargetScope { names, scope, narrowing: Narrowing::default() };
    let ca_file = Some(&context.config.http.ca_file).filter(|file| !file.as_os_str().is_empty()).cloned();
    Ok(Plan { assignment, ca_file, limits, network: Access { target_scope, ..Access::to(allowed) } })
}

/// The worker's assignment. Pages share nine tenths of the run's time, so that the worker can still report when one of them hangs.
fn assignment(config: &config::Fetch, pages: &Pages, limits: &Limits, allowed: &[Destination]) -> Assignment {
    let kilobytes = pages.size_limit_kb.map_or(config.page_kb, |asked| asked.min(config.page_kb));
    let share = (limits.time_ms - limits.time_ms / 10) / pages.urls.len().max(1) as u64;
    Assignment {
        urls: pages.urls.clone(),
        destinations: allowed.iter().map(ToString::to_string).collect(),
        plain_http: config.plain_http,
        robots: config.robots,
        body_bytes_max: kilobytes * 1_000,
        page_ms: share.min(config.page_seconds.saturating_mul(1_000)),
        ca_file: None,
        proxy: Some(format!("http://127.0.0.1:{PROXY_PORT}")),
    }
}

fn target(host: &Host) -> Target {
    match host {
        Host::Name(name) => Target::Host(name.clone()),
        Host::Address(address) => Target::Address(*address),
    }
}

fn no_network(fault: &str) -> Reason {
    let message = format!("Pages cannot be got here: {fault}.");
    let hint = "Ask the operator for level full; `gatepost doctor` says what is missing.";
    Reason::new(Code::SandboxUnavailable, message, hint)
}

fn not_allowed(destination: &Destination, listed: &[Destination]) -> Reason {
    let message = format!("The site does not allow pages from {destination}.");
    let listed = listed.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let hint = format!("Listed are: {listed}. Ask the operator to add it to [fetch] destinations of gatepost.toml.");
    Reason::new(Code::NetworkUnavailable, message, hint)
}

fn out_of_scope(destination: &Destination) -> Reason {
    let message = format!("The site's scope excludes {destination}.");
    Reason::new(Code::OutOfScope, message, "Leave it out, or ask the operator to change scope/scope.toml.")
}

impl Planned for Plan {
    fn approvers(&self) -> u32 {
        0
    }

    fn sandbox_minimum(&self) -> Option<SandboxLevel> {
        Some(SandboxLevel::Full)
    }

    fn subjects(&self) -> Vec<Subject<'_>> {
        vec![Subject::Pages]
    }

    fn lines(&self) -> Vec<String> {
        self.assignment.urls.clone()
    }

    fn worker(&self) -> Option<&'static str> {
        Some(WORKER)
    }

    fn is_idempotent(&self) -> bool {
        true
    }

    fn invocation(&self) -> Invocation {
        let argv = vec![WORKER.to_owned(), ARGUMENT.to_owned()];
        Invocation::without_manifest(FETCH.to_owned(), argv, self.limits.clone())
    }

    fn execute(&self, authorized: Authorized, context: &Context, place: &Place<'_>) -> Result<RunOutcome, Fault> {
        let mut workplace = Workplace::make(place.work, context.sandbox_level)?;
        let (program, worker) = worker_program::identify(context, WORKER)?;
        let invocation = Invocation { worker: Some(worker), ..self.invocation() };
        let shown = worker_program::show(&program, &mut workplace);
        let ca_file = self.ca_file.as_ref().map(|file| workplace.show(file, Path::new(CA_FILE)));
        workplace.connect(Some(&self.network), place.cancel)?;
        let assignment = Assignment { ca_file, ..self.assignment.clone() };
        let input = serde_json::to_vec(&assignment).unwrap_or_default();
        let program = Program {
            name: FETCH,
            argv: &[shown.into(), ARGUMENT.into()],
            environment: &environment::for_tool(
                workplace.inside(),
                FETCH,
                &authorized.scan_id().to_string(),
                Vec::new(),
            ),
            input: Some(&input),
            console: None,
            success_exit_codes: &[0],
            limits: &self.limits,
            secrets: &Confidential::default(),
        };
        let read = |staging: &Staging| sources(staging);
        let (mut outcome, sources) = run::run_worker(context, &workplace, &program, invocation, place, read)?;
        if outcome.results.is_ok() {
            let sources = sources.unwrap_or_else(|| Err(unreadable("The worker did not start.".to_owned())));
            let checked = sources.and_then(|(value, sources)| self.is_answered(&sources).map(|()| (value, sources)));
            match checked {
                Err(failure) => outcome.results = Err(failure),
                Ok((value, sources)) => report(&mut outcome, value, &sources),
            }
        }
        if outcome.results.is_err() && outcome.was_short {
            // A GET has no effects, so that it may be sent again.
            place.started.set(false);
            let source = io::Error::from(Errno::MFILE);
            return Err(Fault { operation: "get pages in", path: place.work.to_owned(), source });
        }
        Ok(outcome)
    }
}

impl Plan {
    /// Whether the list has the URLs of the request and no others.
    fn is_answered(&self, Sources { sources }: &Sources) -> Result<(), Failure> {
        let is_same = sources.iter().map(|source| &source.url).eq(&self.assignment.urls);
        if is_same { Ok(()) } else { Err(unreadable("The list of sources is not that of the request.".to_owned())) }
    }
}

/// The meaning of the list of sources: a run without a page failed, with a reason for each.
fn report(outcome: &mut RunOutcome, value: Value, sources: &Sources) {
    outcome.output_file = Some(SOURCES_FILE);
    for (number, Source { detail, outcome: what, .. }) in (1..).zip(&sources.sources) {
        if *what != Outcome::Retrieved {
            outcome.anomalies.push(format!("Source {number} was not retrieved ({}). {detail}", what.as_str()));
        }
    }
    if sources.sources.iter().any(Source::is_retrieved) {
        outcome.results = Ok(value);
        return;
    }
    let first = sources.sources.first();
    let (code, detail) = first.map_or(("", ""), |source| (source.outcome.as_str(), source.detail.as_str()));
    let message = format!("No page was retrieved ({code}). {detail}");
    let hint = "Safety Notes name the reason for each URL; artifacts/out/sources.json has every redirect.";
    let retryable = sources.sources.iter().all(|source| PASSING.contains(&source.outcome));
    outcome.results = Err(Failure { retryable, ..failure(FailureCode::HttpFailed, "send", FETCH, message, hint) });
    outcome.report = value;
}

/// The list of sources that the worker left, as JSON and as the parsed type.
fn sources(staging: &Staging) -> Result<Result<(Value, Sources), Failure>, Fault> {
    let output = match staging.file(SOURCES_FILE) {
        Some(file) => auxiliary::read_bounded(&file, OUTPUT_BYTES_MAX)?,
        None => Err("The worker succeeded but left no list of sources.".to_owned()),
    };
    let value = output::parsed(output, Builtin::Json, &Value::Null, FETCH);
    Ok(value.and_then(|value| {
        let sources = serde_json::from_value(value.clone());
        sources
            .map(|sources| (value, sources))
            .map_err(|error| unreadable(format!("The list of sources is invalid: {error}.")))
    }))
}

fn unreadable(message: String) -> Failure {
    output::broken(FailureCode::OutputParseFailed, FETCH, message)
}
