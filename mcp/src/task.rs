//! A request as a task: its status and finally its result, read from the folders each time.
//!
//! | request | task |
//! |---|---|
//! | dropped, claimed, pending, running, with the gate | working, with a sentence on what it waits for |
//! | cancelled, before it ran or while it ran | cancelled |
//! | accepted, rejected or refused | completed, with the result of the call |
//! | never dropped, or its answer is gone | failed |
//!
//! Nothing is kept in memory: a restarted server knows every task. A principal sees only the tasks that it has notes of.

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::life::{Progress, RequestState};
use gatepost_mailbox::record::Waiting;
use serde_json::{Value, json};

use crate::answer;
use crate::call::{DROP_TIME, is_undropped};
use crate::context::Context;
use crate::note::Note;
use crate::principal::Principal;

/// The recommended poll interval of a client.
pub const POLL_INTERVAL_MS: u64 = 1_000;

/// The status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The request is unanswered.
    Working,
    /// There is a result, possibly a failure.
    Completed,
    /// There is no result, and there will be none.
    Failed,
    /// The request was cancelled.
    Cancelled,
}

impl Status {
    /// The name in both revisions.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A task.
#[derive(Debug)]
pub struct Task {
    /// The request.
    pub id: RequestId,
    /// Its status.
    pub status: Status,
    /// The state of the request, or why there is no result.
    pub message: String,
    /// When the call came, RFC 3339.
    pub created_utc: String,
    /// When the status changed last, RFC 3339.
    pub updated_utc: String,
    /// The result of the call, if the task is completed or cancelled.
    pub result: Option<Value>,
    /// The progress of the request, if it exists.
    pub progress: Option<Progress>,
}

impl Task {
    /// Whether it is final.
    pub fn is_over(&self) -> bool {
        self.status != Status::Working
    }

    /// Whether the result reports a failure.
    pub fn is_error(&self) -> bool {
        self.result.as_ref().is_some_and(|result| result["isError"] == true)
    }

    /// The result, or one with the progress, or why there is none.
    pub fn result_or_handle(&self) -> Value {
        match (&self.result, self.status) {
            (Some(result), _) => result.clone(),
            (None, Status::Working) => answer::handle(&self.id, self.progress.as_ref(), &self.message),
            (None, _) => answer::failed("RESULT_NOT_FOUND", &self.message, "Call the tool again."),
        }
    }

    /// The members that both revisions share.
    pub fn shown(&self, is_extension: bool) -> Value {
        let (ttl, poll) = if is_extension { ("ttlMs", "pollIntervalMs") } else { ("ttl", "pollInterval") };
        // The revision 2025-11-25 counts a result with isError as failed; the extension counts it as completed.
        let status = match self.status {
            Status::Completed if !is_extension && self.is_error() => Status::Failed,
            status => status,
        };
        json!({
            "taskId": self.id.as_str(),
            "status": status.as_str(),
            "statusMessage": self.message,
            "createdAt": self.created_utc,
            "lastUpdatedAt": self.updated_utc,
            ttl: null,
            poll: POLL_INTERVAL_MS,
        })
    }
}

/// Whether a request that is in no folder will never be dropped.
pub fn is_given_up(note: &Note, now: DateTime<Utc>) -> bool {
    now - note.created() > DROP_TIME
}

/// The task of a request; none if the principal never made it.
pub fn of(
    context: &Context,
    principal: &Principal,
    id: &RequestId,
    hint: Option<&ResultId>,
) -> Result<Option<Task>, Fault> {
    let notes = context.notes(&principal.name)?;
    let Some(note) = notes.find(id)? else { return Ok(None) };
    let progress = context.progress(id, hint)?;
    let (status, message, result) = match &progress {
        None => unknown(context, id, &note)?,
        Some(progress) if !progress.is_final() => (Status::Working, waiting(context, id, progress), None),
        Some(progress) => {
            notes.close(id)?;
            let result = answer::of(&context.site, id, progress)?;
            let status = if answer::is_cancelled(progress) { Status::Cancelled } else { Status::Completed };
            (status, format!("{}: {}", progress.state, progress.outcome()), Some(result))
        }
    };
    let decided = progress.as_ref().and_then(|progress| progress.decided_utc.clone().or(progress.dropped_utc.clone()));
    let updated_utc = decided.unwrap_or_else(|| note.created_utc.clone());
    Ok(Some(Task { id: id.clone(), status, message, created_utc: note.created_utc, updated_utc, result, progress }))
}

fn unknown(context: &Context, id: &RequestId, note: &Note) -> Result<(Status, String, Option<Value>), Fault> {
    if !is_undropped(context, id)? {
        return Ok((Status::Failed, format!("{id} was claimed, and nothing of it is left."), None));
    }
    if is_given_up(note, (context.clock)()) {
        return Ok((Status::Failed, format!("{id} was never dropped: the server stopped before. Nothing ran."), None));
    }
    Ok((Status::Working, "It is being dropped.".to_owned(), None))
}

/// The event that a request waits for, as a sentence.
pub fn waiting(context: &Context, id: &RequestId, progress: &Progress) -> String {
    let plain = match progress.state {
        RequestState::Pending => match Waiting::read(&context.site, id) {
            Ok(waiting) => {
                let until = waiting.until.to_rfc3339_opts(SecondsFormat::Secs, true);
                let missing: Vec<String> =
                    waiting.missing.iter().map(|reason| answer::plain(&reason.message)).collect();
                return format!("It waits for people until {until}: {}", missing.join(" "));
            }
            Err(_) => "It waits for people.",
        },
        RequestState::Dropped => "TOOL-EXEC has not claimed it yet.",
        RequestState::Claimed => "TOOL-EXEC has claimed it.",
        RequestState::Running => "The tool runs.",
        _ => "The gate judges the result.",
    };
    plain.to_owned()
}
