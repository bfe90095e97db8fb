//! The backend `http`: one HTTP request, sent by a worker of our own in the sandbox, whose only way out is the run's proxy.
//!
//! ```text
//! assignment ▶ gatepost-worker-http ▶ artifacts/out/response-head.txt, artifacts/stdout.txt: the body
//! ```
//!
//! The status that the server answered with decides whether the call succeeded. *Security*: the secrets go to the worker
//! in memory alone. *Standards*: ToolClad, HTTP backend.

use gatepost_contract::manifest::{Backend, Http, HttpCall, Places, SecretValues};
use gatepost_documents::evidence::{Failure, FailureCode, RESPONSE_HEAD};
use gatepost_documents::reason::Reason;
use gatepost_mailbox::fault::Fault;
use gatepost_sandbox::PROXY_PORT;
use gatepost_workers::http::{self, Assignment, NO_RESPONSE, STATUS_LINE_BYTES_MAX, WORKER};
use serde_json::Value;

use super::{Execution, Plan};
use crate::bundle::Staging;
use crate::lane::auxiliary;
use crate::lane::ending::failure;
use crate::lane::run_outcome::{Invocation, RunOutcome, Upstream};
use crate::lane::workplace::Workplace;

/// Statuses after which the same request may succeed another time. *Standards*: RFC 9110 §15, RFC 6585 §4.
const PASSING: [u16; 6] = [408, 429, 500, 502, 503, 504];

/// The request of a plan.
pub(super) fn call(plan: &Plan, scan_id: &str, secrets: &SecretValues) -> Result<HttpCall, Vec<Reason>> {
    let places = Places { scan_id, output_dir: "", evidence_dir: "", output_file: "" };
    plan.tool.manifest.http_call(&plan.arguments, &places, secrets)
}

/// Sends it.
pub(super) fn run(execution: &Execution<'_>, call: &HttpCall, invocation: Invocation) -> Result<RunOutcome, Fault> {
    let Execution { context, plan, place, .. } = *execution;
    let manifest = &plan.tool.manifest;
    let Backend::Http(http) = manifest.backend() else { unreachable!("the call is that of an [http]") };
    let mut workplace = Workplace::make(place.work, context.sandbox_level)?;
    let assignment = Assignment {
        method: call.method.into(),
        url: call.url.as_str().into(),
        headers: call.headers.iter().map(|(name, value)| (name.into(), value.as_str().into())).collect(),
        body: call.body.as_ref().map(|body| body.as_str().into()),
        answers: [http.success_status.as_slice(), &http.error_status].concat().into(),
        ca_file: execution.show_ca_file(&mut workplace),
        proxy: Some(format!("http://127.0.0.1:{PROXY_PORT}")),
    };
    let (mut outcome, status) = execution.run_worker(workplace, (WORKER, &assignment.to_json()), invocation, status)?;
    let status = status.flatten();
    outcome.invocation.upstream = Upstream::Http { method: http.method, status };
    let ended_itself = outcome.ending.as_ref().is_some_and(|ending| ending.exit_code == i32::from(NO_RESPONSE));
    if ended_itself || (outcome.results.is_ok() && status.is_none()) {
        let message = "The server sent no usable response.".to_owned();
        let hint = "See the section Stderr for the cause; the server may have received the request.";
        outcome.results = Err(failure(FailureCode::HttpFailed, "send", manifest.name(), message, hint));
    } else if let (Ok(_), Some(status)) = (&outcome.results, status) {
        outcome.results = judged(http, status, manifest.name());
    }
    Ok(outcome)
}

/// The status of the response, as the worker reports it.
fn status(staging: &Staging) -> Result<Option<u16>, Fault> {
    let Some(head) = staging.file(RESPONSE_HEAD) else { return Ok(None) };
    Ok(http::status(&auxiliary::read_beginning(&head, STATUS_LINE_BYTES_MAX)?.0))
}

/// The meaning of a status by the manifest; null if results may be read from the body.
fn judged(http: &Http, status: u16, name: &str) -> Result<Value, Failure> {
    if http.is_success(status) {
        return Ok(Value::Null);
    }
    let (code, what) = if http.error_status.contains(&status) {
        (FailureCode::HttpErrorStatus, "which the manifest lists as an error")
    } else {
        (FailureCode::HttpUnexpectedStatus, "which the manifest does not list (an unexpected status code)")
    };
    let message = format!("The server answered with status {status}, {what}.");
    let hint = "The section Stdout has the body of the response, and artifacts/out/response-head.txt its head.";
    Err(Failure { retryable: PASSING.contains(&status), ..failure(code, "send", name, message, hint) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_contract::manifest::{CustomTypes, Manifest};

    #[test]
    fn a_status_means_what_the_manifest_says_of_it() {
        let text = "[tool]\nname='t'\nversion='1'\ndescription='d'\n[http]\nmethod='GET'\nurl='https://a.org/'\n\
                    success_status=[200]\nerror_status=[404, 429]\n[output]\nformat='json'\nparser='builtin:json'\n[output.schema]\ntype='object'";
        let manifest = Manifest::parse(text, "t", &CustomTypes::default()).unwrap();
        let Backend::Http(http) = manifest.backend() else { panic!() };
        for (status, expected) in [
            (200, None),
            (404, Some((FailureCode::HttpErrorStatus, false))),
            (429, Some((FailureCode::HttpErrorStatus, true))),
            (204, Some((FailureCode::HttpUnexpectedStatus, false))),
            (302, Some((FailureCode::HttpUnexpectedStatus, false))),
            (503, Some((FailureCode::HttpUnexpectedStatus, true))),
        ] {
            let judged = judged(http, status, "t").err().map(|failure| (failure.code, failure.retryable));
            assert_eq!(judged, expected, "{status}");
        }
    }
}
