//! When is a drop complete? The strongest sign wins.
//!
//! Renamed in: at once. Otherwise it must have lain unchanged for the settling time, which is a guess and is reported as
//! [`Completeness::Inferred`]. Unchanged means: the same inode, size and times at every look. Time is measured on the
//! monotonic clock alone, from the first look on, so a wall clock that jumps changes nothing.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Completeness;

/// What is compared between two looks at a drop; for a folder, the newest change and the sums over its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
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
pub enum Readiness {
    /// It may.
    Ready(Completeness),
    /// Not before this much more time has passed without a change.
    Waiting(Duration),
}

/// What was seen of the drops so far.
#[derive(Debug)]
pub struct Settling {
    settle: Duration,
    sightings: HashMap<OsString, Sighting>,
}

#[derive(Debug)]
struct Sighting {
    signature: Option<Signature>,
    since: Instant,
    renamed: bool,
    /// Whether it outlived a scan that did not see it.
    spared: bool,
    round: u64,
}

impl Settling {
    /// Drops settle after `settle` without a change.
    pub fn new(settle: Duration) -> Self {
        Self { settle, sightings: HashMap::new() }
    }

    /// Notes that a name was renamed into the inbox.
    pub fn renamed_in(&mut self, name: OsString, now: Instant) {
        self.sightings.insert(name, Sighting { signature: None, since: now, renamed: true, spared: false, round: 0 });
    }

    /// Looks at a drop. `round` counts the scans, for [`Self::forget_unseen`].
    pub fn look(&mut self, name: &OsStr, seen: Signature, now: Instant, round: u64) -> Readiness {
        let sighting = self.sightings.entry(name.to_owned()).or_insert(Sighting {
            signature: Some(seen),
            since: now,
            renamed: false,
            spared: false,
            round,
        });
        sighting.round = round;
        if sighting.renamed {
            return Readiness::Ready(Completeness::Renamed);
        }
        if sighting.signature != Some(seen) {
            sighting.signature = Some(seen);
            sighting.since = now;
        }
        let quiet = now.saturating_duration_since(sighting.since);
        match self.settle.checked_sub(quiet) {
            None | Some(Duration::ZERO) => Readiness::Ready(Completeness::Inferred),
            Some(rest) => Readiness::Waiting(rest),
        }
    }

    /// Forgets one name, because it was dealt with.
    pub fn forget(&mut self, name: &OsStr) {
        self.sightings.remove(name);
    }

    /// Forgets what was not there in scan `round`. A rename may have been noted while the scan was under way: it is kept for
    /// one scan more, and no longer, or a later drop of the same name would pass for renamed.
    pub fn forget_unseen(&mut self, round: u64) {
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
        (Settling::new(Duration::from_secs(1)), Instant::now())
    }

    #[test]
    fn a_renamed_drop_is_ready_at_once() {
        let (mut settling, now) = settling();
        settling.renamed_in("a".into(), now);
        let readiness = settling.look(OsStr::new("a"), signature(1), now, 1);
        assert_eq!(readiness, Readiness::Ready(Completeness::Renamed));
    }

    #[test]
    fn a_growing_drop_waits_until_it_is_quiet() {
        let (mut settling, now) = settling();
        let mut look =
            |size, after_ms| settling.look(OsStr::new("a"), signature(size), now + Duration::from_millis(after_ms), 1);
        assert_eq!(look(1, 0), Readiness::Waiting(Duration::from_secs(1)));
        assert_eq!(look(2, 900), Readiness::Waiting(Duration::from_secs(1)));
        assert_eq!(look(2, 1_800), Readiness::Waiting(Duration::from_millis(100)));
        assert_eq!(look(2, 1_900), Readiness::Ready(Completeness::Inferred));
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
