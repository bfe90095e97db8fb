//! `gatepost wait`

use std::time::{Duration, Instant};

use gatepost_documents::evidence::FailureCode;
use gatepost_events::Events;
use gatepost_mailbox::life::{Progress, RequestState, Results};
use gatepost_mailbox::record::Waiting;
use gatepost_mailbox::wake::{Changes, Wake};

use super::cat::expect_unaltered;
use super::interruption;
use super::show::{describe, unknown};
use super::streams::Streams;
use super::watched;
use crate::cli::prelude::*;
/// `gatepost wait`
pub(super) const DECLARATION: Declaration =
    Declaration::safe("wait", data::<Waited>).about("request_id").takes_ids().waits(300).fails(&[
        ErrorCode::RequestNotFound,
        ErrorCode::ResultNotFound,
        ErrorCode::RequestRefused,
        ErrorCode::ResultRejected,
        ErrorCode::ToolFailed,
    ]);

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The request: its id, the beginning of it, or `last`.
    #[arg(value_name = "ID", value_parser = identifier::id)]
    id: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Waited {
    _trusted: bool,
    #[serde(flatten)]
    progress: Progress,
    #[serde(flatten)]
    streams: Streams,
}

impl Waited {
    fn of(progress: Progress) -> Self {
        Self { _trusted: false, streams: Streams::read(&progress), progress }
    }
}

impl View for Waited {
    fn text(&self) -> String {
        describe(&self.progress, &self.streams)
    }
}

pub(super) fn run(site: &Site, arguments: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    let id = identifier::request(site, &arguments.id)?;
    if Results::of(site, &id)?.progress(site, &id)?.is_none() {
        return Err(unknown(site, &id));
    }
    until_judged(site, &id, bounds.timeout)
}

/// Waits for the verdict on a request and turns it into an outcome; without a timeout it waits forever.
pub(super) fn until_judged(site: &Site, id: &RequestId, timeout: Option<Duration>) -> Result<Outcome, Failure> {
    /// Poll interval for file systems without events.
    const LOOK_AGAIN: Duration = Duration::from_millis(500);
    interruption::waits_for(id);
    let folders = [site.core_inbound(), site.quarantine()].map(|folder| (folder, Changes::Whole));
    let mut wake = Wake::new([], None).on("watch the folders of", site.root())?;
    let mut events = Events::new(folders, wake.bell());
    let deadline = timeout.map(|timeout| Instant::now() + timeout);
    loop {
        events.renew();
        let progress = Results::of(site, id)?.progress(site, id)?;
        if let Some(progress) = progress.clone()
            && progress.is_final()
        {
            if progress.is_in_core() {
                expect_unaltered(&progress.request_id, &progress.path)?;
            }
            return Ok(judged(progress));
        }
        let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        if left == Some(Duration::ZERO) {
            return Ok(timed_out(site, id, progress, timeout.unwrap_or_default()));
        }
        wake.wait(left.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN));
        events.take();
    }
}

fn judged(progress: Progress) -> Outcome {
    let failure = match (progress.state, &progress.evidence) {
        // The caller may not be able to read quarantine.
        (RequestState::Rejected, _) if progress.reasons.is_empty() => {
            let message = format!("The gate rejected the result of {}.", progress.request_id);
            let hint = "Only users who may read quarantine/ can see why. Ask the operator for a note, which `gatepost \
                        quarantine reject-note` writes.";
            Some(Failure::new(ErrorCode::ResultRejected, FailureKind::Policy, message, hint))
        }
        (RequestState::Rejected, _) => {
            let target = progress.result_id.clone().unwrap_or_default();
            let refused = Failure::refused(ErrorCode::ResultRejected, &target, progress.reasons.clone());
            let message = match refused.errors.len() {
                0 | 1 => refused.message.clone(),
                count => format!("The gate rejected {target}: {count} reasons."),
            };
            Some(Failure { kind: FailureKind::Policy, message, ..refused })
        }
        (RequestState::Quarantined, _) => {
            Some(Failure::refused(ErrorCode::RequestRefused, &progress.request_id, progress.reasons.clone()))
        }
        (RequestState::Removed, _) => {
            let message =
                format!("The result of {} was rejected, and then removed from quarantine.", progress.request_id);
            let hint = "var/gate/audit/ says why and by whom; run it again under a new id.";
            Some(Failure::new(ErrorCode::ResultRejected, FailureKind::Policy, message, hint))
        }
        (RequestState::Missing, _) => {
            let name = progress.result_id.as_deref().unwrap_or_default();
            let message = format!("The gate judged {name}, but it is neither in core/inbound/ nor in quarantine/.");
            let hint =
                "var/gate/audit/ says how it was judged. Restore it from a backup, or request it again under a new id.";
            Some(Failure::not_found(ErrorCode::ResultNotFound, FailureKind::ResultNotFound, name, message, hint))
        }
        (_, Some(evidence)) => evidence.error.as_ref().map(|error| {
            let code = match error.code {
                FailureCode::RequestRefused => ErrorCode::RequestRefused,
                _ => ErrorCode::ToolFailed,
            };
            Failure::new(code, error.kind.into(), error.message.clone(), error.hint.clone())
                .during("run_tool", evidence.tool.clone())
        }),
        _ => None,
    };
    Outcome::ended(&Waited::of(progress), failure)
}

/// A failure after the drop: repeating the call would create another request.
pub(super) fn once(id: &RequestId, failure: Failure) -> Failure {
    let failure = Failure { retryable: false, retry_after_ms: None, ..failure };
    if failure.code != ErrorCode::Timeout {
        return failure;
    }
    let hint = format!("The request continues: `gatepost wait {id}`.");
    Failure { hint, ..failure }.during("wait", id.as_str())
}

fn timed_out(site: &Site, id: &RequestId, progress: Option<Progress>, timeout: Duration) -> Outcome {
    let state = progress.as_ref().map(|progress| progress.state);
    let waiting = (state == Some(RequestState::Pending)).then(|| Waiting::read(site, id).ok()).flatten();
    let missing = waiting.and_then(|mut waiting| waiting.missing.pop());
    let (message, hint) = match missing {
        Some(reason) => {
            (format!("{id} still waits. {}", reason.message), format!("`gatepost show {id}` says what would run."))
        }
        None => (
            format!("{id} was not judged within {} s.", timeout.as_secs_f64()),
            match state {
                Some(RequestState::Running) => "Its tool still runs; --timeout 0 waits without a limit.".to_owned(),
                _ if watched::is_watched(site) => "--timeout 0 waits without a limit.".to_owned(),
                _ => "Start `gatepost up`. `gatepost status` shows which watcher is not running.".to_owned(),
            },
        ),
    };
    let failure = Failure::new(ErrorCode::Timeout, FailureKind::Runtime, message, hint).during("wait", id.as_str());
    let failure = Failure { retryable: true, ..failure };
    match progress {
        Some(progress) => Outcome::failed(&Waited::of(progress), failure),
        None => failure.into(),
    }
}
