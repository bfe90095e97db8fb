//! The events of one request in order, as far as the folders of the site show them.

use chrono::{DateTime, Utc};
use gatepost_documents::evidence::{Evidence, FailureCode};
use gatepost_documents::id::ResultId;

use super::progress::{Progress, refused_for};
use super::state::RequestState;

/// Something that happened to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When.
    pub time: DateTime<Utc>,
    /// What, in a word or two.
    pub what: &'static str,
    /// Who did it; may be a stranger's word.
    pub who: String,
    /// More of it, or nothing; may be a stranger's word.
    pub detail: String,
}

/// Everything that is known to have happened, the earliest first. A time that cannot be read is no event.
pub(super) fn timeline(progress: &Progress) -> Vec<Event> {
    let mut events = Vec::new();
    let mut add = |utc: &str, what, who: &str, detail: &str| {
        let time = DateTime::parse_from_rfc3339(utc).map(|time| time.to_utc());
        events.extend(time.map(|time| Event { time, what, who: who.to_owned(), detail: detail.to_owned() }));
    };
    let evidence = progress.evidence.as_ref();
    let owner = evidence.map(|Evidence { dropped, .. }| dropped.user.clone().unwrap_or(dropped.uid.to_string()));
    if let Some(utc) = &progress.dropped_utc {
        add(utc, "dropped", owner.as_deref().unwrap_or_default(), "");
    }
    for approval in evidence.into_iter().flat_map(|evidence| &evidence.approvals) {
        let proof = if approval.proof.is_some() { "by signature" } else { "declared in the request (unverified)" };
        add(&approval.approved_utc, "approved", &approval.approved_by, proof);
    }
    if let Some(evidence) = evidence {
        let error = evidence.error.as_ref().map(|error| error.code);
        if error == Some(FailureCode::RequestRefused) {
            add(&evidence.timestamp, "refused", "TOOL-EXEC", "");
        } else {
            let ended = ended_utc(evidence);
            add(&evidence.timestamp, "started", "TOOL-EXEC", &evidence.tool);
            add(&ended.unwrap_or_default(), "ended", "TOOL-EXEC", &progress.ended());
        }
    }
    let sealed = progress.result_id.as_ref().and_then(|id| ResultId::parse(id).ok());
    if let Some(sealed) = sealed.filter(|_| !progress.foreign) {
        add(&sealed.created().to_rfc3339(), "sealed", "TOOL-EXEC", "");
    }
    if let Some(release) = &progress.released {
        let user = release.user.clone().unwrap_or(release.uid.to_string());
        add(&release.released_utc, "released", &user, &release.reason);
    }
    if let Some(utc) = &progress.decided_utc {
        let (what, who) = match progress.state {
            RequestState::Quarantined => ("refused", "TOOL-EXEC"),
            RequestState::Rejected => ("rejected", "the gate"),
            _ => ("accepted", "the gate"),
        };
        add(utc, what, who, &refused_for(&progress.reasons));
    }
    // Some times are whole seconds: within one, the order is that of the steps.
    events.sort_by_key(|event| event.time.timestamp());
    events
}

fn ended_utc(evidence: &Evidence) -> Option<String> {
    let started = DateTime::parse_from_rfc3339(&evidence.timestamp).ok()?;
    let duration = chrono::TimeDelta::try_milliseconds(i64::try_from(evidence.duration_ms).ok()?)?;
    Some(started.checked_add_signed(duration)?.to_rfc3339())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use gatepost_documents::reason::{Code, Reason};
    use gatepost_documents::release::Override;

    use super::*;

    fn progress(state: RequestState) -> Progress {
        Progress {
            request_id: "TR-20260209-160501Z-a".to_owned(),
            state,
            dropped_utc: Some("2026-02-09T16:05:02Z".to_owned()),
            result_id: Some("TS-20260209-160503Z-TR-20260209-160501Z-a".to_owned()),
            path: PathBuf::new(),
            evidence: None,
            decided_utc: Some("2026-02-09T16:05:03Z".to_owned()),
            reasons: vec![Reason::new(Code::Secret, "It is.", "")],
            foreign: false,
            released: None,
            imported_from: None,
        }
    }

    fn labels(progress: &Progress) -> Vec<String> {
        timeline(progress).iter().map(|event| format!("{} {}", event.what, event.who).trim_end().to_owned()).collect()
    }

    #[test]
    fn events_are_in_order_and_the_gate_and_people_are_distinguished() {
        let rejected = progress(RequestState::Rejected);
        assert_eq!(labels(&rejected), ["dropped", "sealed TOOL-EXEC", "rejected the gate"]);
        assert_eq!(timeline(&rejected)[2].detail, "secret");
        let released = Override {
            uid: 1000,
            user: Some("alice".to_owned()),
            released_utc: "2026-02-09T17:00:00Z".to_owned(),
            reason: "a sample".to_owned(),
            codes: vec![Code::Secret],
        };
        let released = Progress { released: Some(released), ..progress(RequestState::Released) };
        assert_eq!(labels(&released), ["dropped", "sealed TOOL-EXEC", "accepted the gate", "released alice"]);
    }

    #[test]
    fn a_time_that_cannot_be_read_is_no_event() {
        let unreadable = Progress { decided_utc: Some("soon".to_owned()), ..progress(RequestState::Rejected) };
        assert_eq!(labels(&unreadable), ["dropped", "sealed TOOL-EXEC"]);
    }
}
