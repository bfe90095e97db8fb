//! Several claims together, step by step, so that they share the fsyncs of their common folders.
//!
//! ```text
//! each: copy it, fsync the copy; write the notice to the gate, fsync it    on a thread of its own
//! all:  fsync var/exchange/claimed
//! each: rename claimed/.tmp/<id> → claimed/<id>;  all: fsync claimed, .tmp     commit point
//! all:  log the claims, flush the log
//! each: remove the drop;                          all: fsync inbox
//! ```
//!
//! If one claim fails or is refused, its neighbours continue; if a flush fails, every claim that waited for it fails.

use std::collections::{HashSet, VecDeque};
use std::thread;

use chrono::{DateTime, Utc};
use gatepost_contract::config;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::site::{STAGING, Site};

use super::claim::{Begun, Staged, Taken, begin, request_id_of_file};
use super::exec_log::ExecLog;
use super::inbox::InboxItem;

/// The most drops that are claimed together.
const TOGETHER: usize = 8;

/// Takes the next drops to claim together, at most `room`. A drop that is no request file is claimed alone, and
/// so is the second drop of a request, which depends on the outcome of the first. None if there is little room, and
/// more will be free soon.
pub fn next(ready: &mut VecDeque<InboxItem>, room: usize) -> Vec<InboxItem> {
    if room < ready.len().min(TOGETHER) {
        return Vec::new();
    }
    let mut requests = HashSet::new();
    let is_other = |drop: &&InboxItem| request_id_of_file(&drop.name).is_some_and(|id| requests.insert(id));
    let count = ready.iter().take(TOGETHER).take_while(is_other).count();
    ready.drain(..count.max(1).min(ready.len())).collect()
}

/// One drop of a joint claim.
enum Step {
    Staged(Staged),
    Over(Result<Taken, Fault>),
}

/// Claims drops, or puts them into quarantine. A fault leaves a drop where it is; if it comes after the commit point, its claim
/// remains valid.
pub fn claim_all(
    site: &Site,
    config: &config::Inbox,
    drops: Vec<InboxItem>,
    log: Option<&ExecLog>,
    now: DateTime<Utc>,
) -> Vec<(InboxItem, Result<Taken, Fault>)> {
    let mut steps = begin_all((site, log), config, &drops, now);
    flush(&mut steps, || durable::sync_folder(&site.exchange_claimed()));
    for step in &mut steps {
        step.carry_on(Staged::commit);
    }
    flush(&mut steps, || {
        durable::sync_folder(&site.claimed())?;
        durable::sync_folder(&site.claimed().join(STAGING))
    });
    note(&mut steps, log, now);
    for (step, drop) in steps.iter_mut().zip(&drops) {
        step.carry_on(|staged| staged.take_away((site, log), &drop.name, now));
    }
    flush(&mut steps, || durable::sync_folder(&site.inbox()));
    let end = |step| match step {
        Step::Staged(staged) => Ok(Taken::Claimed(staged.into_claimed())),
        Step::Over(taken) => taken,
    };
    drops.into_iter().zip(steps.into_iter().map(end)).collect()
}

/// Copies drops, the first on this thread.
fn begin_all(
    at: (&Site, Option<&ExecLog>),
    config: &config::Inbox,
    drops: &[InboxItem],
    now: DateTime<Utc>,
) -> Vec<Step> {
    let begin = |drop: &InboxItem| match begin(at, config, drop, now) {
        Ok(Begun::Staged(staged)) => Step::Staged(staged),
        Ok(Begun::Taken(taken)) => Step::Over(Ok(taken)),
        Err(fault) => Step::Over(Err(fault)),
    };
    let Some((first, others)) = drops.split_first() else { return Vec::new() };
    thread::scope(|scope| {
        let spawn = |drop| thread::Builder::new().spawn_scoped(scope, move || begin(drop)).map_err(|_| drop);
        let others: Vec<_> = others.iter().map(spawn).collect();
        let first = begin(first);
        let join = |other: Result<thread::ScopedJoinHandle<'_, Step>, &InboxItem>| match other {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            // No thread could be started.
            Err(drop) => begin(drop),
        };
        std::iter::once(first).chain(others.into_iter().map(join)).collect()
    })
}

impl Step {
    /// Runs the next step for this drop; a failure ends its claim.
    fn carry_on(&mut self, next: impl FnOnce(&Staged) -> Result<(), Fault>) {
        if let Self::Staged(staged) = self
            && let Err(fault) = next(staged)
        {
            *self = Self::end(staged, fault);
        }
    }

    fn end(staged: &Staged, fault: Fault) -> Self {
        // Exists only before the commit point; if it cannot be removed now, the next attempt removes it.
        let _ = staged.withdraw();
        Self::Over(Err(fault))
    }
}

/// Logs all claims that have not ended.
fn note(steps: &mut [Step], log: Option<&ExecLog>, now: DateTime<Utc>) {
    let Some(log) = log else { return };
    let claim = |step: &Step| if let Step::Staged(staged) = step { Some(staged.claim().clone()) } else { None };
    let claims: Vec<_> = steps.iter().filter_map(claim).collect();
    flush(steps, || log.note_claims(&claims, now));
}

/// Runs an fsync for all claims that have not ended, if there are any.
fn flush(steps: &mut [Step], flush: impl FnOnce() -> Result<(), Fault>) {
    if !steps.iter().any(|step| matches!(step, Step::Staged(_))) {
        return;
    }
    if let Err(fault) = flush() {
        for step in steps {
            step.carry_on(|_| Err(fault.of_another()));
        }
    }
}

#[cfg(test)]
mod tests {
    use gatepost_documents::evidence::Completeness;

    use super::*;

    fn ready(names: &[&str]) -> VecDeque<InboxItem> {
        names
            .iter()
            .map(|name| InboxItem { name: name.into(), completeness: Completeness::Renamed, may_wait: false, owner: 0 })
            .collect()
    }

    fn names(drops: &[InboxItem]) -> Vec<&str> {
        drops.iter().map(|drop| drop.name.to_str().unwrap()).collect()
    }

    #[test]
    fn two_drops_of_one_request_are_not_claimed_together_and_folders_are_claimed_alone() {
        let [a, b, c] = ["TR-20260209-160501Z-a.md", "TR-20260209-160501Z-b.md", "TR-20260209-160501Z-c"];
        let again = "TR-20260209-160501Z-a.json";
        let mut ready = ready(&[a, b, again, c, "x.md", b]);
        for expected in [&[a, b][..], &[again], &[c], &["x.md"], &[b], &[]] {
            assert_eq!(names(&next(&mut ready, 9)), expected);
        }
    }

    #[test]
    fn as_many_are_claimed_together_as_there_are_once_there_is_room_for_them() {
        let names: Vec<_> = (0..=2 * TOGETHER).map(|number| format!("TR-20260209-160501Z-{number}.md")).collect();
        let mut ready = ready(&names.iter().map(String::as_str).collect::<Vec<_>>());
        for (room, count) in [(TOGETHER - 1, 0), (TOGETHER, TOGETHER), (99, TOGETHER), (0, 0), (1, 1), (1, 0)] {
            assert_eq!(next(&mut ready, room).len(), count, "room for {room}");
        }
    }
}
