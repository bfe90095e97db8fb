//! Decides when a drop is complete. The strongest evidence wins.
//!
//! A drop that is renamed in is complete at once. Any other must stay unchanged for the settling time, which is a guess and is reported
//! as [`Completeness::Inferred`]. A drop that looks unfinished then gets more time, until it changes. Unchanged means: the same inode,
//! size and times at every look. Time is measured on the monotonic clock alone, from the first look on, so a jump of the wall clock
//! changes nothing.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::time::{Duration, Instant};

use gatepost_contract::config::Quiet;
use gatepost_documents::evidence::Completeness;

/// The compared attributes of a drop; for a folder, the newest times and the sums over its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Signature {
    /// Device and inode of the drop itself.
    pub identity: (u64, u64),
    /// Bytes.
    pub size: u64,
    /// Entries: 1 for a file.
    pub entries: u64,
    /// Newest modification time, nanoseconds since the epoch.
    pub modified_ns: i128,
    /// Newest change time, nanoseconds since the epoch.
    pub changed_ns: i128,
}

/// Whether a drop may be claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Readiness {
    /// It may be claimed.
    Ready(Ready),
    /// Not before this time has passed without a change.
    Waiting(Duration),
}

/// A drop that counts as complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ready {
    /// The evidence.
    pub completeness: Completeness,
    /// Whether it may get more time, if it looks unfinished.
    pub may_wait: bool,
}

/// The observed drops.
#[derive(Debug)]
pub(super) struct Settling {
    quiet: Quiet,
    sightings: HashMap<OsString, Sighting>,
}

#[derive(Debug)]
struct Sighting {
    signature: Option<Signature>,
    since: Instant,
    renamed: bool,
    /// Whether it looked unfinished in its present state.
    delayed: bool,
    /// Whether one scan has already missed it.
    spared: bool,
    round: u64,
}

impl Settling {
    /// Drops settle after these times without a change.
    pub(super) fn new(quiet: Quiet) -> Self {
        Self { quiet, sightings: HashMap::new() }
    }

    /// Notes that a name was renamed into the inbox.
    pub(super) fn renamed_in(&mut self, name: OsString, now: Instant) {
        let sighting = Sighting { signature: None, since: now, renamed: true, delayed: false, spared: false, round: 0 };
        self.sightings.insert(name, sighting);
    }

    /// Checks a drop. `round` counts the scans, for [`Self::forget_unseen`].
    pub(super) fn look(&mut self, name: &OsStr, seen: Signature, now: Instant, round: u64) -> Readiness {
        let sighting = self.sightings.entry(name.to_owned()).or_insert(Sighting {
            signature: Some(seen),
            since: now,
            renamed: false,
            delayed: false,
            spared: false,
            round,
        });
        sighting.round = round;
        if sighting.renamed {
            return Readiness::Ready(Ready { completeness: Completeness::Renamed, may_wait: false });
        }
        if sighting.signature != Some(seen) {
            sighting.signature = Some(seen);
            sighting.since = now;
            sighting.delayed = false;
        }
        let quiet = now.saturating_duration_since(sighting.since);
        let needed = if sighting.delayed { self.quiet.unfinished } else { self.quiet.settle };
        match needed.saturating_sub(quiet) {
            Duration::ZERO => Readiness::Ready(Ready {
                completeness: Completeness::Inferred,
                may_wait: !sighting.delayed && quiet < self.quiet.unfinished,
            }),
            rest => Readiness::Waiting(rest),
        }
    }

    /// Gives a drop that looks unfinished more time, unless it changes.
    pub(super) fn hold(&mut self, name: &OsStr) {
        if let Some(sighting) = self.sightings.get_mut(name) {
            sighting.delayed = true;
        }
    }

    /// Forgets a processed name.
    pub(super) fn forget(&mut self, name: &OsStr) {
        self.sightings.remove(name);
    }

    /// Forgets names that scan `round` did not see. A rename may have been noted during the scan, so it is kept for
    /// one more scan only: a later drop of the same name must not count as renamed.
    pub(super) fn forget_unseen(&mut self, round: u64) {
        self.sightings.retain(|_, sighting| {
            sighting.round == round || (sighting.renamed && !std::mem::replace(&mut sighting.spared, true))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(size: u64) -> Signature {
        Signature { identity: (1, 1), size, entries: 1, modified_ns: 7, changed_ns: 7 }
    }

    fn settling() -> (Settling, Instant) {
        let quiet = Quiet { settle: Duration::from_secs(1), unfinished: Duration::from_mins(1) };
        (Settling::new(quiet), Instant::now())
    }

    #[test]
    fn a_renamed_drop_is_ready_at_once() {
        let (mut settling, now) = settling();
        settling.renamed_in("a".into(), now);
        let readiness = settling.look(OsStr::new("a"), signature(1), now, 1);
        assert_eq!(readiness, Readiness::Ready(Ready { completeness: Completeness::Renamed, may_wait: false }));
    }

    #[test]
    fn a_growing_drop_waits_until_it_is_quiet() {
        let (mut settling, now) = settling();
        let mut look =
            |size, after_ms| settling.look(OsStr::new("a"), signature(size), now + Duration::from_millis(after_ms), 1);
        assert_eq!(look(1, 0), Readiness::Waiting(Duration::from_secs(1)));
        assert_eq!(look(2, 900), Readiness::Waiting(Duration::from_secs(1)));
        assert_eq!(look(2, 1_800), Readiness::Waiting(Duration::from_millis(100)));
        assert_eq!(look(2, 1_900), inferred(true));
    }

    fn inferred(may_wait: bool) -> Readiness {
        Readiness::Ready(Ready { completeness: Completeness::Inferred, may_wait })
    }

    #[test]
    fn a_drop_that_is_held_gets_a_minute_after_each_change_and_then_no_more() {
        let (mut settling, now) = settling();
        let look = |settling: &mut Settling, size, after_ms| {
            settling.look(OsStr::new("a"), signature(size), now + Duration::from_millis(after_ms), 1)
        };
        look(&mut settling, 1, 0);
        assert_eq!(look(&mut settling, 1, 1_000), inferred(true));
        settling.hold(OsStr::new("a"));
        assert_eq!(look(&mut settling, 1, 2_000), Readiness::Waiting(Duration::from_secs(58)));
        assert_eq!(look(&mut settling, 2, 50_000), Readiness::Waiting(Duration::from_secs(1)));
        assert_eq!(look(&mut settling, 2, 51_000), inferred(true));
        settling.hold(OsStr::new("a"));
        assert_eq!(look(&mut settling, 2, 109_999), Readiness::Waiting(Duration::from_millis(1)));
        assert_eq!(look(&mut settling, 2, 110_000), inferred(false));
    }

    #[test]
    fn a_replaced_drop_of_the_same_size_waits_again() {
        let (mut settling, now) = settling();
        settling.look(OsStr::new("a"), signature(1), now, 1);
        let replaced = Signature { identity: (1, 2), ..signature(1) };
        let later = now + Duration::from_secs(1);
        assert_eq!(settling.look(OsStr::new("a"), replaced, later, 2), Readiness::Waiting(Duration::from_secs(1)));
    }

    #[test]
    fn what_is_gone_is_forgotten_but_not_a_rename_that_was_just_noted() {
        let (mut settling, now) = settling();
        settling.look(OsStr::new("gone"), signature(1), now, 1);
        settling.renamed_in("new".into(), now);
        settling.forget_unseen(2);
        assert_eq!(settling.sightings.len(), 1);
        settling.forget_unseen(3);
        assert!(settling.sightings.is_empty());
    }
}
