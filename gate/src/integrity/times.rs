//! The order of times: request, approval, run, result.

use chrono::{DateTime, SubsecRound as _, TimeDelta, Utc};

use super::{HINT, packet};
use crate::consistency;
use gatepost_documents::clock;
use gatepost_documents::evidence::Evidence;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::{Code, Reason};

/// Every two times in the wrong order. Another check reports a time that cannot be parsed.
pub(super) fn faults(id: &ResultId, evidence: &Evidence) -> Vec<Reason> {
    let Some(started) = consistency::started(evidence) else { return Vec::new() };
    let mut reasons = Vec::new();
    let mut order = |earlier: Option<DateTime<Utc>>, later: DateTime<Utc>, message: &str| {
        if earlier.is_some_and(|earlier| earlier > later) {
            reasons.push(Reason::new(Code::TimeOrder, message, HINT).in_file(consistency::FILE));
        }
    };
    // The time in a result's id has whole seconds.
    order(
        Some(started.trunc_subsecs(0)),
        id.created(),
        "The start of the tool is after the creation time of the result.",
    );
    // TOOL-EXEC refuses a request from the future, so that refusal predates the request's own time.
    if consistency::is_refusal(evidence) {
        return reasons;
    }
    let skew = TimeDelta::seconds(clock::SKEW_SECONDS_MAX.into());
    let latest = started.checked_add_signed(skew).unwrap_or(started);
    order(Some(id.request().created()), latest, "The creation time of the request is after the start of the tool.");
    // Servers answered during the run.
    let ended = i64::try_from(evidence.duration_ms).ok().and_then(TimeDelta::try_milliseconds);
    let ended = ended.and_then(|took| latest.checked_add_signed(took));
    for hop in packet::sources(evidence).iter().flatten().flat_map(|source| &source.hops) {
        let Some(answered) = consistency::time(&hop.utc) else { continue };
        order(started.checked_sub_signed(skew), answered, "A server answered before the start of the run.");
        order(Some(answered), ended.unwrap_or(answered), "A server answered after the end of the run.");
    }
    for approval in &evidence.approvals {
        order(
            consistency::time(&approval.approved_utc),
            latest,
            "An approval of the request is later than the start of the tool.",
        );
    }
    reasons
}
