//! Checks a log against its checkpoint, its journal, its lines, and checkpoints of it that were kept elsewhere.
//!
//! The tree is computed twice: from the entries, and from the hashes in the tiles. The tree with the signed root is
//! right, and reveals what was changed in the other.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::Path;

use gatepost_exec::mailbox::exec_log::{Leaf as ExecLeaf, Logged, SetAside};
use gatepost_gate::ledger::{Entry, Leaf};
use gatepost_ledger::{Checkpoint, ENTRY_BYTES_MAX, Hash, Row, TILE_WIDTH, Tile, Tree, VerifierKey, leaf_hash};
use gatepost_mailbox::quarantine::Removal;
use gatepost_mailbox::regular_file;
use gatepost_mailbox::tile_log::{CHECKPOINT_FILE, JOURNAL_FILE, Journal, LogFolder, VERIFIER_FILE};

use super::flaw::{Flaw, Kind};
use super::keeper::Keeper;
use crate::cli::prelude::*;

/// The result of the check.
#[derive(Debug, Default)]
pub(super) struct Record {
    /// The signed checkpoint, if there is one.
    pub checkpoint: Option<Checkpoint>,
    /// Every readable decision, in order.
    pub decisions: Decisions,
    /// Every readable step, in order.
    pub steps: Vec<Logged>,
    pub set_aside: Vec<SetAside>,
    pub flaws: Vec<Flaw>,
}

/// The decisions of the gate.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    pub verdicts: Vec<Entry>,
    /// The index of each decision in the log.
    pub indexes: Vec<u64>,
    /// The origin of the log.
    pub origin: String,
    pub removals: Vec<Removal>,
}

impl Decisions {
    /// An empty list, of the log with this key.
    fn of(key: &VerifierKey) -> Self {
        Self { origin: key.name().to_owned(), ..Self::default() }
    }

    /// The number of leaves read.
    pub(super) fn count(&self) -> u64 {
        (self.verdicts.len() + self.removals.len()) as u64
    }
}

/// Checks a log of a site; `kept` are earlier checkpoints of it, as notes.
pub(super) fn check(site: &Site, keeper: Keeper, kept: &[String]) -> Record {
    let place = keeper.log(site);
    let mut check = Check { keeper, log: LogFolder::at(&place.folder), flaws: Vec::new() };
    let (key, checkpoint) = match check.signed() {
        Ok(signed) => signed,
        Err(flaw) => return Record { flaws: vec![flaw], ..Record::default() },
    };
    // Read after the checkpoint, so it is never older.
    let journal = check.log.journal();
    let kept: Vec<_> = kept.iter().filter_map(|note| check.opened(note, &key)).collect();
    let journal = check.journal(journal.as_deref(), &key);
    let sizes = journal.iter().flat_map(|journal| &journal.checkpoints).chain(&kept).map(|known| known.size);
    let mut trees = [Tally::new(sizes.clone()), Tally::new(sizes)];
    let mut walk = Walk {
        lines: Lines::open(keeper, &place.lines, &mut check.flaws),
        decisions: Decisions::of(&key),
        steps: Vec::new(),
        set_aside: Vec::new(),
        leaves: Vec::new(),
        differing: Vec::new(),
    };
    for index in 0..checkpoint.size.div_ceil(TILE_WIDTH as u64) {
        check.tile(index, checkpoint.size, &mut trees, &mut walk);
    }
    // A running watcher may have logged lines after the checkpoint.
    let more = journal.as_ref().map_or(&[][..], |journal| journal.beyond(checkpoint.size));
    check.flaws.extend(walk.lines.end(more));
    let Some(right) = trees.iter().position(|tree| Checkpoint::from(&tree.tree) == checkpoint) else {
        check.flaws.push(Flaw::new(
            Kind::Altered,
            keeper.place(CHECKPOINT_FILE),
            format!("The leaves and tiles of the log differ from the {} that were signed.", checkpoint.size),
            keeper.restore(),
        ));
        return Record {
            checkpoint: Some(checkpoint),
            decisions: walk.decisions,
            steps: walk.steps,
            set_aside: walk.set_aside,
            flaws: check.flaws,
        };
    };
    check.differing(&walk.differing, right);
    let right = &trees[right];
    check.upper(right);
    for kept in kept {
        check.consistent(&kept, &checkpoint, right);
    }
    if let Some(journal) = journal {
        check.journal_agrees(&journal, &checkpoint, right, &walk.leaves);
    }
    Record {
        checkpoint: Some(checkpoint),
        decisions: walk.decisions,
        steps: walk.steps,
        set_aside: walk.set_aside,
        flaws: check.flaws,
    }
}

/// A growing tree: the tiles above the lowest, and the roots at the sizes of known checkpoints.
struct Tally {
    tree: Tree,
    upper: Vec<Row>,
    roots: BTreeMap<u64, Option<Hash>>,
}

impl Tally {
    fn new(sizes: impl Iterator<Item = u64>) -> Self {
        let (tree, roots) = (Tree::default(), sizes.map(|size| (size, None)).collect());
        let mut tally = Self { tree, upper: Vec::new(), roots };
        tally.note();
        tally
    }

    fn add(&mut self, leaf: Hash) {
        let Self { tree, upper, .. } = self;
        tree.add(leaf, |row| upper.extend(Some(row).filter(|row| row.tile.level > Some(0))));
        self.note();
    }

    fn note(&mut self) {
        if let Some(root) = self.roots.get_mut(&self.tree.size()) {
            *root = Some(self.tree.root());
        }
    }

    fn agrees(&self, checkpoint: &Checkpoint) -> bool {
        self.roots.get(&checkpoint.size) == Some(&Some(checkpoint.root))
    }
}

/// State collected while walking the leaves.
struct Walk {
    lines: Lines,
    decisions: Decisions,
    steps: Vec<Logged>,
    set_aside: Vec<SetAside>,
    /// The hashes of the last leaves, which the journal may repeat.
    leaves: Vec<Hash>,
    /// The indexes of leaves that differ from their tile.
    differing: Vec<u64>,
}

impl Walk {
    /// Reads a leaf; returns whether it is valid.
    fn read(&mut self, keeper: Keeper, leaf: &[u8], index: u64) -> bool {
        match keeper {
            Keeper::Gate => match serde_json::from_slice(leaf) {
                Ok(Leaf::Verdict(entry)) => {
                    self.decisions.verdicts.push(entry);
                    self.decisions.indexes.push(index);
                }
                Ok(Leaf::Removal(removal)) => self.decisions.removals.push(removal),
                Err(_) => return false,
            },
            Keeper::Exec => match ExecLeaf::read(leaf) {
                Ok(ExecLeaf::Step(step)) => self.steps.push(step),
                Ok(ExecLeaf::SetAside(item)) if item.is_withdrawn() => {
                    self.set_aside.retain(|earlier| earlier.record_sha256 != item.record_sha256);
                }
                Ok(ExecLeaf::SetAside(item)) => self.set_aside.push(item),
                Err(_) => return false,
            },
        }
        true
    }
}

/// The readable part of the journal: its start, the hashes of its leaves, its checkpoints.
struct ReadJournal {
    start: u64,
    leaves: Vec<Hash>,
    checkpoints: Vec<Checkpoint>,
}

impl ReadJournal {
    /// The hashes of the leaves after the first `size` of the log.
    fn beyond(&self, size: u64) -> &[Hash] {
        let covered = usize::try_from(size.saturating_sub(self.start)).unwrap_or(usize::MAX);
        self.leaves.get(covered..).unwrap_or_default()
    }
}

struct Check {
    keeper: Keeper,
    log: LogFolder,
    flaws: Vec<Flaw>,
}

impl Check {
    fn signed(&self) -> Result<(VerifierKey, Checkpoint), Flaw> {
        let key = self.log.verifier().map_err(|fault| self.of_fault(&fault, VERIFIER_FILE))?;
        let note = self.log.checkpoint().map_err(|fault| self.of_fault(&fault, CHECKPOINT_FILE))?;
        let checkpoint = Checkpoint::open(&note, &key).map_err(|error| {
            let message = format!("The checkpoint of the log does not verify with {VERIFIER_FILE} beside it: {error}.");
            Flaw::new(Kind::Altered, self.keeper.place(CHECKPOINT_FILE), message, self.keeper.restore())
        })?;
        Ok((key, checkpoint))
    }

    fn opened(&mut self, note: &str, key: &VerifierKey) -> Option<Checkpoint> {
        let opened = Checkpoint::open(note, key);
        if let Err(error) = opened {
            let message = format!("The kept checkpoint does not verify with the key of this log: {error}.");
            let hint = "If it is a checkpoint of this site, the log was started again with another key.";
            self.flaws.push(Flaw::new(Kind::Altered, self.keeper.place(VERIFIER_FILE), message, hint));
        }
        opened.ok()
    }

    /// Adds the leaves of one tile to both trees, and checks each.
    fn tile(&mut self, index: u64, size: u64, trees: &mut [Tally; 2], walk: &mut Walk) {
        let Some(tile) = Tile::of(Some(0), index, size) else { return };
        let mut hashes = Vec::new();
        let read = self.log.entries(tile, |leaf| {
            hashes.push(leaf_hash(leaf));
            self.flaws.extend(walk.lines.is_next(leaf));
            let index = index * TILE_WIDTH as u64 + hashes.len() as u64 - 1;
            if !walk.read(self.keeper, leaf, index) {
                let message = format!("Leaf {index} is no {}.", self.keeper.leaf());
                let place = self.keeper.place(&tile.entries().path());
                self.flaws.push(Flaw::new(Kind::Altered, place, message, self.keeper.restore()));
            }
            Ok(())
        });
        let row = self.log.row(tile);
        self.flaws.extend(read.err().map(|fault| self.of_fault(&fault, &tile.entries().path())));
        let row = row.map_err(|fault| self.flaws.push(self.of_fault(&fault, &tile.path()))).unwrap_or_default();
        let from_entries = if hashes.is_empty() { &row } else { &hashes };
        let from_row = if row.is_empty() { &hashes } else { &row };
        let first = index * TILE_WIDTH as u64;
        for (number, (by_entry, by_row)) in (first..).zip(from_entries.iter().zip(from_row)) {
            trees[0].add(*by_entry);
            trees[1].add(*by_row);
            walk.differing.extend((by_entry != by_row).then_some(number));
        }
        // A journal covers at most the leaves that are in no full tile.
        walk.leaves.extend_from_slice(from_entries);
    }

    /// Leaves that differ from their tiles: the side with the signed root is right.
    fn differing(&mut self, numbers: &[u64], right: usize) {
        for number in numbers {
            let (tile, at) = (number / TILE_WIDTH as u64, number % TILE_WIDTH as u64);
            let row = Tile::full(0, tile);
            let (tile, message) = if right == 0 {
                (row, format!("Hash {at}, of leaf {number}, differs from the signed one."))
            } else {
                (row.entries(), format!("Leaf {number} differs from the signed one."))
            };
            let name = tile.path();
            self.flaws.push(Flaw::new(Kind::Altered, self.keeper.place(&name), message, self.keeper.restore()));
        }
    }

    /// The tiles above the lowest.
    fn upper(&mut self, right: &Tally) {
        let edge = right.tree.edge().filter(|row| row.tile.level > Some(0));
        for row in right.upper.iter().cloned().chain(edge) {
            let path = row.tile.path();
            match self.log.row(row.tile) {
                Err(fault) => self.flaws.push(self.of_fault(&fault, &path)),
                Ok(found) if found != row.hashes => {
                    let message = "Its hashes differ from those of the tiles below it.";
                    self.flaws.push(Flaw::new(Kind::Altered, self.keeper.place(&path), message, self.keeper.restore()));
                }
                Ok(_) => {}
            }
        }
    }

    fn consistent(&mut self, kept: &Checkpoint, now: &Checkpoint, right: &Tally) {
        let (was, is) = (kept.size, now.size);
        let (kind, message) = if was > is {
            let message = format!(
                "The log has {is} leaves, but the kept checkpoint covers {was}: the log was truncated, or replaced by an old one."
            );
            (Kind::Missing, message)
        } else if right.agrees(kept) {
            return;
        } else if was == is {
            let message = format!(
                "Two checkpoints of {is} leaves were signed with this key, over different leaves: the log was forked."
            );
            (Kind::Altered, message)
        } else {
            (
                Kind::Altered,
                format!(
                    "The first {was} leaves differ from those that the kept checkpoint covers: the log was rewritten."
                ),
            )
        };
        self.flaws.push(Flaw::new(kind, self.keeper.place(CHECKPOINT_FILE), message, self.keeper.rewritten()));
    }

    fn journal(&mut self, bytes: Result<&[u8], &Fault>, key: &VerifierKey) -> Option<ReadJournal> {
        let bytes = match bytes {
            Ok(bytes) => bytes,
            Err(fault) => {
                self.flaws.push(self.of_fault(fault, JOURNAL_FILE));
                return None;
            }
        };
        let read = Journal::parse(bytes).map_err(|error| format!("It cannot be read: {error}."));
        let read = read.and_then(|journal| {
            if journal.whole < bytes.len() {
                return Err(format!("The bytes from byte {} on do not belong to it.", journal.whole));
            }
            let checkpoints = journal.groups.iter().map(|(_, note)| Checkpoint::open(note, key));
            let checkpoints: Result<Vec<_>, _> = checkpoints.collect();
            let checkpoints = checkpoints.map_err(|error| format!("A checkpoint in it does not verify: {error}."))?;
            let leaves = journal.groups.iter().flat_map(|(leaves, _)| leaves).map(|leaf| leaf_hash(leaf)).collect();
            Ok(ReadJournal { start: journal.start, leaves, checkpoints })
        });
        read.map_err(|message| {
            self.flaws.push(Flaw::new(Kind::Altered, self.keeper.place(JOURNAL_FILE), message, self.keeper.restore()));
        })
        .ok()
    }

    /// The journal holds the last leaves, and may hold more that were signed but not published.
    fn journal_agrees(&mut self, journal: &ReadJournal, now: &Checkpoint, right: &Tally, leaves: &[Hash]) {
        let covered = usize::try_from(now.size.saturating_sub(journal.start)).unwrap_or(usize::MAX);
        let start = usize::try_from(journal.start).unwrap_or(usize::MAX);
        let (known, more) = journal.leaves.split_at_checked(covered).unwrap_or((&journal.leaves, &[]));
        let mut sizes = journal.checkpoints.iter().filter(|checkpoint| checkpoint.size > now.size);
        let mut grown = right.tree.clone();
        let mut agree = leaves.get(start..) == Some(known)
            && journal.checkpoints.iter().all(|checkpoint| checkpoint.size > now.size || right.agrees(checkpoint));
        let mut next = sizes.next();
        for leaf in more {
            grown.add(*leaf, |_| {});
            if next.is_some_and(|next| next.size == grown.size()) {
                agree &= next == Some(&Checkpoint::from(&grown));
                next = sizes.next();
            }
        }
        if !agree || next.is_some() || journal.checkpoints.last().map(|last| last.size) != Some(grown.size()) {
            let message = "It lacks the last leaves of the log.";
            self.flaws.push(Flaw::new(Kind::Altered, self.keeper.place(JOURNAL_FILE), message, self.keeper.restore()));
        }
    }

    fn of_fault(&self, fault: &Fault, name: &str) -> Flaw {
        let (place, restore) = (self.keeper.place(name), self.keeper.restore());
        if fault.source.kind() == io::ErrorKind::NotFound {
            return Flaw::new(Kind::Missing, place, "It is missing.", restore);
        }
        Flaw::new(Kind::Altered, place, format!("It cannot be read: {}.", fault.source), restore)
    }
}

/// The lines for people.
struct Lines {
    keeper: Keeper,
    reader: Option<BufReader<File>>,
    number: u64,
    is_good: bool,
}

impl Lines {
    /// Missing lines are reported at the first leaf; unreadable lines are reported once.
    fn open(keeper: Keeper, path: &Path, flaws: &mut Vec<Flaw>) -> Self {
        let opened = regular_file::open(path);
        let unreadable = opened.as_ref().err().filter(|error| error.kind() != io::ErrorKind::NotFound);
        let flaw = unreadable.map(|error| {
            Flaw::new(Kind::Altered, keeper.lines(), format!("It cannot be read: {error}."), keeper.remove_lines())
        });
        let is_good = flaw.is_none();
        flaws.extend(flaw);
        Self { keeper, reader: opened.ok().map(BufReader::new), number: 0, is_good }
    }

    /// The fault of the next line, which should be this leaf; after the first fault it reports nothing.
    fn is_next(&mut self, leaf: &[u8]) -> Option<Flaw> {
        self.number += 1;
        if !self.is_good {
            return None;
        }
        let line = self.line(leaf.len());
        self.is_good = line.strip_suffix(b"\n") == Some(leaf);
        let number = self.number;
        let (kind, message) = if line.is_empty() {
            (Kind::Missing, format!("The lines end before line {number}, but the log has more leaves."))
        } else {
            (Kind::Altered, format!("Line {number} differs from the leaf in the log."))
        };
        (!self.is_good).then(|| Flaw::new(kind, self.keeper.lines(), message, self.keeper.remake()))
    }

    /// The next line with its end, cut after this many bytes; empty if missing or unreadable.
    fn line(&mut self, bytes: usize) -> Vec<u8> {
        let mut line = Vec::new();
        if let Some(reader) = &mut self.reader {
            let _ = reader.take(bytes as u64 + 1).read_until(b'\n', &mut line);
        }
        line
    }

    /// The fault of the lines after the last leaf: those of `more` leaves may follow, in order.
    fn end(mut self, more: &[Hash]) -> Option<Flaw> {
        let mut line = self.line(ENTRY_BYTES_MAX);
        for leaf in more {
            if !self.is_good || line.strip_suffix(b"\n").is_none_or(|line| leaf_hash(line) != *leaf) {
                break;
            }
            self.number += 1;
            line = self.line(ENTRY_BYTES_MAX);
        }
        let is_more = self.is_good && !line.is_empty();
        let message = format!("From line {} on, its lines are not in the log.", self.number + 1);
        is_more.then(|| Flaw::new(Kind::Added, self.keeper.lines(), message, self.keeper.remake()))
    }
}
