//! All cuts on one kind of file system, and what was found wrong after them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::chance::Chance;
use crate::disk::{Disk, Kind};
use crate::machine::{Machine, Moment};
use crate::oracle::{self, Oracle, Trouble};

/// The calls by which a site changes on the disk.
const CALLS: [&str; 4] = ["fsync,fdatasync", "rename,renameat,renameat2", "unlink,unlinkat,rmdir", "mkdir,mkdirat"];

/// Trials on one site before the next is made: what was answered is looked at again after each.
const TRIALS_A_SITE: usize = 24;
/// Drops of one trial at a random moment.
const DROPS: usize = 10;

/// How much is cut.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scale {
    /// The first call at which a watcher dies, and how many further the next one is.
    pub first: usize,
    pub step: usize,
    /// How often all of it is done.
    pub rounds: usize,
    /// When to stop, however far it came.
    pub until: Option<Instant>,
}

/// What was done and found.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub at_calls: usize,
    pub at_random: usize,
    pub in_recovery: usize,
    pub requests: usize,
    pub is_complete: bool,
    pub complaints: Vec<String>,
}

impl Figures {
    pub(crate) fn cuts(&self) -> usize {
        self.at_calls + self.at_random + self.in_recovery
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at_calls, at_random, in_recovery, requests, .. } = self;
        write!(to, "{at_calls} cuts at calls, {at_random} at random moments, {in_recovery} during recovery; ")?;
        write!(to, "{requests} drops, {} complaints", self.complaints.len())?;
        if self.is_complete { Ok(()) } else { write!(to, " (stopped by the clock)") }
    }
}

/// A sweep under way.
pub(crate) struct Sweep {
    kind: &'static Kind,
    folder: PathBuf,
    scale: Scale,
    chance: Chance,
    figures: Figures,
    trials: usize,
}

/// One site with its disk and its machine.
struct Stand {
    oracle: Oracle,
    disk: Disk,
    machine: Machine,
}

impl Stand {
    fn new(kind: &'static Kind, folder: &Path) -> Self {
        let disk = Disk::new(kind, folder);
        let oracle = Oracle::new(disk.mount_point().join("site"), folder.join("log"), false);
        oracle::flush_tree(disk.mount_point()).unwrap();
        let machine = Machine::new(&oracle.site.root, folder);
        Self { oracle, disk, machine }
    }

    fn cut(&mut self) {
        self.oracle.look();
        self.disk.cut();
    }

    fn recover(&mut self) {
        self.disk.recover();
        self.machine.boot();
    }

    /// Everything is answered, and what is wrong with that.
    fn settle(&mut self) -> Vec<String> {
        for watcher in ["exec", "gate"] {
            if let Err(why) = self.machine.run(&[watcher, "--once"]) {
                return vec![why];
            }
        }
        self.oracle.complaints(Trouble::Death)
    }
}

impl Sweep {
    pub(crate) fn new(kind: &'static Kind, folder: &Path, scale: Scale, seed: u64) -> Self {
        let (figures, chance) = (Figures::default(), Chance(seed));
        Self { kind, folder: folder.to_owned(), scale, chance, figures, trials: 0 }
    }

    /// Cuts until all is done, the time is up or something is wrong.
    pub(crate) fn run(mut self) -> Figures {
        self.sees_what_is_lost();
        let mut stand = Stand::new(self.kind, &self.folder.join("0"));
        let (mut watchers, mut next) = (Vec::new(), self.scale.first as u64);
        for _ in 0..self.scale.rounds {
            watchers.extend(["exec", "gate"].into_iter().flat_map(|watcher| CALLS.map(|calls| (watcher, calls))));
        }
        // Round by round through all kinds of calls, so that the clock cuts off the deepest calls of each and not the last kinds.
        while !watchers.is_empty() {
            let mut left = Vec::new();
            for (watcher, calls) in watchers {
                let moment = Moment { calls, nth: next, is_made: self.chance.below(2) == 0 };
                match self.trial(&mut stand, Some((watcher, &moment))) {
                    Ok(was_cut) => left.extend(was_cut.then_some((watcher, calls))),
                    Err(()) => return self.ended(&stand),
                }
                if self.chance.below(2) == 0 && self.trial(&mut stand, None).is_err() {
                    return self.ended(&stand);
                }
            }
            (watchers, next) = (left, next + self.scale.step as u64);
        }
        self.figures.is_complete = true;
        self.ended(&stand)
    }

    /// Were nothing flushed, this would find it: without that, finding nothing wrong says nothing.
    fn sees_what_is_lost(&mut self) {
        let mut stand = Stand::new(self.kind, &self.folder.join("unflushed"));
        stand.oracle.drop_each();
        stand.machine.run_without_flushes("exec");
        stand.cut();
        stand.recover();
        if stand.settle().is_empty() {
            self.figures.complaints.push("nothing was flushed before a cut, and nothing seems lost".to_owned());
        }
    }

    fn ended(mut self, stand: &Stand) -> Figures {
        self.figures.requests += stand.oracle.drops();
        self.figures.complaints.extend(stand.oracle.verify());
        for complaint in &self.figures.complaints {
            println!("power_cut: {}: {complaint}", self.kind.name);
        }
        self.figures
    }

    /// One cut and its recovery, which may be cut again; at a moment, or at random under load. Whether there was a cut.
    fn trial(&mut self, stand: &mut Stand, at: Option<(&str, &Moment)>) -> Result<bool, ()> {
        if self.scale.until.is_some_and(|until| Instant::now() >= until) {
            return Err(());
        }
        self.trials += 1;
        if self.trials.is_multiple_of(TRIALS_A_SITE) {
            self.figures.requests += stand.oracle.drops();
            self.figures.complaints.extend(stand.oracle.verify());
            *stand = Stand::new(self.kind, &self.folder.join(self.trials.to_string()));
        }
        let mut story = Vec::new();
        let was_cut = if let Some((watcher, moment)) = at {
            story.push(format!("{watcher} cut at {moment:?}"));
            self.cut_at(stand, watcher, moment)
        } else {
            story.push("cut at random".to_owned());
            self.cut_at_random(stand);
            true
        };
        while self.chance.below(2) == 0 && was_cut {
            let watcher = *self.chance.one_of(&["exec", "exec", "gate"]);
            let calls = *self.chance.one_of(&CALLS);
            let moment = Moment { calls, nth: 1 + self.chance.below(12), is_made: self.chance.below(2) == 0 };
            if !stand.machine.run_until(watcher, &moment) {
                break;
            }
            story.push(format!("{watcher} cut again at {moment:?}"));
            stand.cut();
            stand.recover();
            self.figures.in_recovery += 1;
        }
        let complaints = stand.settle();
        if !complaints.is_empty() {
            let said = stand.machine.said();
            self.figures.complaints.push(format!("{}: {complaints:#?}\n{said}", story.join(", ")));
            return Err(());
        }
        Ok(was_cut)
    }

    fn cut_at(&mut self, stand: &mut Stand, watcher: &str, moment: &Moment) -> bool {
        stand.oracle.drop_each();
        if watcher == "gate"
            && let Err(why) = stand.machine.run(&["exec", "--once"])
        {
            self.figures.complaints.push(why);
        }
        let was_cut = stand.machine.run_until(watcher, moment);
        if was_cut {
            stand.cut();
            stand.recover();
            self.figures.at_calls += 1;
        }
        was_cut
    }

    /// Both watchers run, and drops come in, until the power fails.
    fn cut_at_random(&mut self, stand: &mut Stand) {
        let at = Instant::now() + Duration::from_millis(self.chance.below(1_500));
        let up = stand.machine.start(&["up"]);
        for number in 0..DROPS {
            if Instant::now() >= at {
                break;
            }
            let kinds = [oracle::Kind::Effect, oracle::Kind::Repeatable, oracle::Kind::Refused, oracle::Kind::Stray];
            stand.oracle.drop_in(kinds[number % kinds.len()]);
        }
        thread::sleep(at.saturating_duration_since(Instant::now()));
        stand.cut();
        up.kill();
        stand.recover();
        self.figures.at_random += 1;
    }
}
