//! One call of a tool through the mailbox, from the caller's side: a request in the inbox, and the gate's verdict on its result.
//!
//! It never runs a tool itself. *Security*: results are the tool's words; messages about them are ours.

use std::path::PathBuf;
use std::time::Duration;

use gatepost_documents::evidence::{self, Evidence, FailureCode, Status};
use gatepost_mailbox::life::{Progress, RequestState, Results};
use serde_json::Value;

use crate::cli::prelude::*;
use crate::cli::submit::{self, place};
use crate::cli::wait::{once, until_judged};
use crate::cli::watched;

/// The requester, if the surface names none.
const REQUESTED_BY: &str = "agent";

/// A call.
#[derive(Debug)]
pub(super) struct Call<'a> {
    pub tool: &'a str,
    /// `NAME=VALUE` each.
    pub args: Vec<String>,
    pub inputs: Vec<PathBuf>,
    pub purpose: &'static str,
    /// Whether the call is only checked.
    pub is_dry_run: bool,
    /// The timeout; none is never.
    pub timeout: Option<Duration>,
}

/// The outcome of a call through the inbox.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Execution {
    /// The change to the inbox.
    pub effect: Effect,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<RequestState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_id: Option<String>,
    /// The path of the result, or else of the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// How the tool ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_exit_code: Option<i32>,
    /// The error output of a tool that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// The results of the tool, as its manifest's parser read them.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub results: Value,
    /// The file in the result that has them, if they are too large to show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results_file: Option<String>,
    /// Why there are no results although the tool succeeded, in our words.
    #[serde(skip)]
    why: Option<String>,
    /// Whether the caller cancelled the request.
    #[serde(skip)]
    pub was_cancelled: bool,
}

impl Execution {
    /// The outcome, in our words.
    pub(super) fn message(&self) -> String {
        match (self.state, self.status, self.tool_exit_code) {
            (None, ..) if self.effect == Effect::WouldCreate => "the call is valid; nothing was run".to_owned(),
            (None, ..) => "nothing was run".to_owned(),
            (Some(RequestState::Rejected | RequestState::Removed), ..) => "the gate rejected the result".to_owned(),
            (Some(RequestState::Quarantined), ..) => "the request was refused".to_owned(),
            (Some(RequestState::Pending), ..) => "the request waits for an approval".to_owned(),
            (Some(state), Some(Status::Timeout), _) if state.is_in_core() => {
                "TOOL-EXEC stopped the tool at its time limit".to_owned()
            }
            (Some(state), Some(_), Some(code)) if state.is_in_core() => {
                self.why.clone().unwrap_or_else(|| format!("exit code {code}"))
            }
            (Some(state), ..) => format!("the request is {state}"),
        }
    }

    fn of(progress: Progress) -> Self {
        let mut execution = Self {
            request_id: Some(progress.request_id),
            state: Some(progress.state),
            result_id: progress.result_id,
            path: Some(progress.path),
            effect: Effect::Created,
            ..Self::default()
        };
        if let Some(Evidence { status, exit_code, stderr, results, results_file, error, .. }) = progress.evidence {
            execution.was_cancelled = error.as_ref().is_some_and(evidence::Failure::is_cancellation);
            (execution.status, execution.tool_exit_code) = (Some(status), Some(exit_code));
            (execution.results, execution.results_file) = (results, results_file);
            execution.why = error.filter(|error| error.code != FailureCode::ToolFailed).map(|error| error.message);
            execution.stderr = Some(stderr).filter(|stderr| status != Status::Success && !stderr.is_empty());
        }
        execution
    }
}

/// Drops a call into the inbox and waits for the verdict. A failure without an execution means that nothing was dropped.
pub(super) fn execute(open: Open, call: Call<'_>) -> (Execution, Option<Failure>) {
    let site = open.site.clone();
    let submitted = watched::check(&site, "Nothing was submitted.").and_then(|()| {
        let Call { tool, args, inputs, purpose, is_dry_run, .. } = call;
        let arguments = submit::Arguments::of_call(tool, &args, inputs, (REQUESTED_BY, purpose));
        place(open, &arguments.or_dry_run(is_dry_run))
    });
    let id = match submitted {
        Ok(submitted) if call.is_dry_run => {
            return (Execution { effect: submitted.effect, ..Execution::default() }, None);
        }
        Ok(submitted) => submitted.request_id,
        Err(failure) => return (Execution::default(), Some(failure)),
    };
    let failure = match until_judged(&site, &id, call.timeout) {
        Ok(outcome) => outcome.into_parts().1,
        Err(failure) => Some(failure),
    };
    let progress = Results::of(&site, &id).and_then(|results| results.progress(&site, &id));
    let execution = match progress {
        Ok(Some(progress)) => Execution::of(progress),
        Ok(None) | Err(_) => {
            Execution { effect: Effect::Created, request_id: Some(id.to_string()), ..Execution::default() }
        }
    };
    (execution, failure.map(|failure| once(&id, failure)))
}
