//! A record that cannot be rewritten unnoticed, with its key beside it: `var/gate/log/` of the gate's decisions, `var/exec/log/` of
//! TOOL-EXEC's steps.
//!
//! ```text
//! log.key                   the key that signs; its watcher alone may read it
//! log/key.pub               the key that verifies
//! log/journal               what is not in full tiles yet: leaves, and the checkpoints that covered them
//! log/tile/… checkpoint     what auditors read, as C2SP's tlog-tiles lays it out
//! verdicts.jsonl            every leaf as a line, for people; `events.jsonl` of TOOL-EXEC
//!
//! add    leaves and their signed checkpoint ▶ journal, fdatasync         commit point, for all that wait for it
//!        tiles, checkpoint, lines                                        not flushed: made again from the journal
//! renew  full tiles synced ▶ a journal of the leaves after them, synced, replaces the old one
//! ```
//!
//! The journal is renewed when tiles are full, when a log is opened, and after a write or fsync of it failed. After a
//! failure the bytes of the old file on disk are unknown, and a read shows only the page cache: so the valid leaves go
//! to another file. The failed leaves are not in it, and their callers got the error.
//!
//! A watcher that starts continues only from leaves that it signed: each group in the journal has its own signature, and nothing
//! acted on a group that was cut off in the middle. *Security*: a process that can write here and read the key can make another
//! log, and only a checkpoint that is kept elsewhere reveals that. *Standards*: C2SP tlog-tiles, tlog-checkpoint, signed-note.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gatepost_ledger::{Checkpoint, SigningKey, TILE_WIDTH, VerifierKey, append};

use crate::durable;
use crate::fault::{Fault, OnPath};
use crate::group_commit::Group;
use crate::regular_file::{self, DOCUMENT_MAX_BYTES};
use crate::site::Site;

mod edge;
mod journal;
mod reading;
mod tiles;
mod view;

use edge::Edge;
pub use journal::{Journal, JournalError};
pub use reading::{LogFolder, while_published};
use tiles::Tiles;
use view::View;

/// The name of the verifier key's file in the folder of a log.
pub const VERIFIER_FILE: &str = "key.pub";
/// The name of the newest checkpoint's.
pub const CHECKPOINT_FILE: &str = "checkpoint";
/// The name of the journal's.
pub const JOURNAL_FILE: &str = "journal";

/// The path of a log.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its folder.
    pub folder: PathBuf,
    /// The key that signs it.
    pub key: PathBuf,
    /// A line of each leaf.
    pub lines: PathBuf,
}

impl Place {
    /// The log of the gate.
    pub fn of_gate(site: &Site) -> Self {
        Self { folder: site.gate_log(), key: site.gate_log_key(), lines: site.gate_decisions() }
    }

    /// The log of TOOL-EXEC.
    pub fn of_exec(site: &Site) -> Self {
        Self { folder: site.exec_log(), key: site.exec_log_key(), lines: site.exec_events() }
    }

    /// Whether there is a log.
    pub fn is_begun(&self) -> bool {
        self.folder.symlink_metadata().is_ok()
    }

    /// Whether a log is being created and has no leaf yet: its key may exist, and nothing else.
    pub fn is_being_begun(&self) -> bool {
        !self.is_begun() && self.staged().symlink_metadata().is_ok()
    }

    fn staged(&self) -> PathBuf {
        self.folder.with_file_name(".log")
    }

    fn signing_key(&self) -> Result<SigningKey, Fault> {
        let bytes = regular_file::read(&self.key, DOCUMENT_MAX_BYTES).on("read", &self.key)?;
        SigningKey::parse(&String::from_utf8_lossy(&bytes)).map_err(io::Error::other).on("read", &self.key)
    }

    fn make_key(&self) -> Result<SigningKey, Fault> {
        let mut seed = [0; 32];
        rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty())
            .map_err(io::Error::from)
            .on("draw random bytes for", &self.key)?;
        let key = SigningKey::from_seed(&seed);
        let staged = self.key.with_file_name(".log.key");
        durable::remove_tree(&staged)?;
        durable::write_secret(&staged, format!("{}\n", key.to_text()).as_bytes())?;
        durable::move_new(&staged, &self.key)?;
        Ok(key)
    }
}

/// Creates a log with these leaves, none of which may be empty, and creates its key if it has none. Only the user who
/// will add to the log may call this. The staging folder exists before the key does, so a reader can distinguish a new
/// log from a lost one. *Commit point*: the rename of the whole folder.
pub fn begin(place: &Place, leaves: &[Vec<u8>]) -> Result<(), Fault> {
    let (folder, staged) = (place.folder.clone(), place.staged());
    durable::remove_tree(&staged)?;
    fs::create_dir(&staged).on("create", &staged)?;
    let key = match place.signing_key() {
        Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => place.make_key()?,
        key => key?,
    };
    let (mut edge, mut group) = (Edge::default(), Vec::new());
    for leaf in leaves {
        edge.add(leaf).map_err(io::Error::other).on("begin", &folder)?;
        append(&mut group, leaf).map_err(io::Error::other).on("begin", &folder)?;
    }
    let note = Checkpoint::from(&edge.tree).sign(&key);
    Tiles::at(&staged).publish(&mut edge, &note)?;
    durable::write_new(&staged.join(VERIFIER_FILE), format!("{}\n", key.verifier()).as_bytes())?;
    durable::write_new(&staged.join(JOURNAL_FILE), &journal::begin(0, &group, &note))?;
    // These files get no fsync anyway: they are made again from the journal.
    durable::sync_folder(&staged)?;
    match durable::move_new(&staged, &folder) {
        Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => durable::remove_tree(&staged),
        moved => moved,
    }
}

/// The log, in the hands of the one watcher that adds to it.
#[derive(Debug)]
pub struct TileLog {
    folder: PathBuf,
    key: SigningKey,
    state: Mutex<State>,
    group: Group,
}

#[derive(Debug)]
struct State {
    edge: Edge,
    tiles: Tiles,
    view: View,
    /// None where it has to be renewed before anything is added.
    journal: Option<fs::File>,
}

impl TileLog {
    /// Opens a log, and finishes an interrupted step. `each` gets every leaf, in order.
    pub fn open(place: &Place, mut each: impl FnMut(&[u8]) -> Result<(), Fault>) -> Result<Self, Fault> {
        let (folder, key) = (place.folder.clone(), place.signing_key()?);
        let reading = LogFolder::at(&folder);
        same_key(&reading, &key, &place.key)?;
        let path = folder.join(JOURNAL_FILE);
        let bytes = journal::read(&path)?;
        let journal = Journal::parse(&bytes).map_err(io::Error::other).on("read", &path)?;
        let mut view = View::open(&place.lines)?;
        let mut edge = Edge::default();
        reading.full_tiles(journal.start, |leaf| {
            edge.add(leaf).map_err(io::Error::other).on("read", &folder)?;
            view.expect(leaf)?;
            each(leaf)
        })?;
        // These lie on the disk already.
        edge.filled.clear();
        let note = replay(&journal, &mut edge, key.verifier(), &path, |leaf| {
            view.expect(leaf)?;
            each(leaf)
        })?;
        is_not_behind(&reading, &edge, key.verifier())?;
        let mut skipped = view.cut()?;
        // Whole as a rule, and then not read a second time.
        if skipped < edge.tree.size() {
            for_each_leaf(&reading, &journal, |leaf| {
                if skipped == 0 {
                    return view.add(leaf);
                }
                skipped -= 1;
                Ok(())
            })?;
        }
        let mut tiles = Tiles::at(&folder);
        tiles.clear(&edge)?;
        let mut state = State { edge, tiles, view, journal: None };
        state.renew(&folder, &note)?;
        Ok(Self { folder, key, state: Mutex::new(state), group: Group::default() })
    }

    /// The log's origin, which is the name of its key.
    pub fn origin(&self) -> &str {
        self.key.verifier().name()
    }

    /// Adds a leaf; when this returns it is on disk and signed. Returns its index. A leaf must not be empty or contain a newline.
    pub fn add(&self, leaf: &[u8]) -> Result<u64, Fault> {
        self.add_all(&[leaf])
    }

    /// Adds several as [`Self::add`], with one flush; the index of the first.
    pub fn add_all(&self, leaves: &[impl AsRef<[u8]>]) -> Result<u64, Fault> {
        let mut entries = Vec::new();
        for leaf in leaves {
            append(&mut entries, leaf.as_ref()).map_err(io::Error::other).on("add to", &self.folder)?;
        }
        let commit = |entries: &[u8]| self.commit(entries);
        self.group.commit(&entries, leaves.len() as u64, commit).on("write", &self.folder.join(JOURNAL_FILE))
    }

    fn commit(&self, entries: &[u8]) -> io::Result<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut edge = state.edge.clone();
        let first = edge.tree.size();
        let leaves = gatepost_ledger::parse(entries).unwrap_or_default();
        for leaf in &leaves {
            edge.add(leaf).map_err(io::Error::other)?;
        }
        let note = Checkpoint::from(&edge.tree).sign(&self.key);
        self.write(&mut state, &journal::group(entries, &note))?;
        state.edge = edge;
        for leaf in leaves {
            // The files for people are made again from the log at the next start.
            let _ = state.view.add(leaf);
        }
        // The leaves are final: anything unpublished is published with the next, or at the next start.
        let _ = state.publish(&self.folder, &note);
        Ok(first)
    }

    /// Adds a group to the journal, which is on the disk when this returns.
    fn write(&self, state: &mut State, group: &[u8]) -> io::Result<()> {
        if state.journal.is_none() {
            self.renew(state)?;
        }
        let Some(mut file) = state.journal.take() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let length = file.metadata()?.len();
        if let Err(error) = file.write_all(group).and_then(|()| file.sync_data()) {
            // The next start should not find leaves that nobody acted upon. If it does, it accepts them and writes them again.
            let _ = file.set_len(length);
            let _ = self.renew(state);
            return Err(error);
        }
        state.journal = Some(file);
        Ok(())
    }

    fn renew(&self, state: &mut State) -> io::Result<()> {
        let standing = Checkpoint::from(&state.edge.tree).sign(&self.key);
        state.renew(&self.folder, &standing).map_err(|fault| fault.source)
    }
}

impl State {
    /// Publishes the files for auditors, and begins a new journal once there are full tiles.
    fn publish(&mut self, folder: &Path, note: &str) -> Result<(), Fault> {
        if self.edge.filled.is_empty() { self.tiles.publish(&mut self.edge, note) } else { self.renew(folder, note) }
    }

    /// Replaces the journal by one with the leaves after the full tiles, once these are flushed.
    fn renew(&mut self, folder: &Path, note: &str) -> Result<(), Fault> {
        self.tiles.publish(&mut self.edge, note)?;
        let start = self.edge.tree.size() / TILE_WIDTH as u64 * TILE_WIDTH as u64;
        let (path, staged) = (folder.join(JOURNAL_FILE), folder.join(".journal"));
        durable::remove_tree(&staged)?;
        durable::write_new(&staged, &journal::begin(start, &self.edge.entries, note))?;
        let file = journal::open(&staged)?;
        fs::rename(&staged, &path).on("move to", &path)?;
        // Until the fsync of the folder, a power cut may bring the old journal back, and leaves added to the new one would be lost.
        self.journal = None;
        durable::sync_folder(folder)?;
        self.journal = Some(file);
        Ok(())
    }
}

/// Checks that the verifier key beside a log belongs to the key that signs.
fn same_key(reading: &LogFolder, key: &SigningKey, path: &Path) -> Result<(), Fault> {
    if reading.verifier()? == *key.verifier() {
        return Ok(());
    }
    let error = format!("it does not belong to the key in {}; put the right key back", path.display());
    Err(io::Error::other(error)).on("use", &reading.path(VERIFIER_FILE))
}

/// Adds the leaves of a journal to the full tiles before them, and checks each of its checkpoints against the tree; returns the last.
fn replay(
    journal: &Journal<'_>,
    edge: &mut Edge,
    key: &VerifierKey,
    path: &Path,
    mut each: impl FnMut(&[u8]) -> Result<(), Fault>,
) -> Result<String, Fault> {
    let mut last = String::new();
    for (leaves, note) in &journal.groups {
        for leaf in leaves {
            edge.add(leaf).map_err(io::Error::other).on("read", path)?;
            each(leaf)?;
        }
        let checkpoint = Checkpoint::open(note, key).map_err(io::Error::other).on("read a checkpoint in", path)?;
        if checkpoint != Checkpoint::from(&edge.tree) {
            let error = io::Error::other(
                "its leaves, or the tiles before them, differ from those that were signed; run `gatepost audit verify`",
            );
            return Err(error).on("use", path);
        }
        (*note).clone_into(&mut last);
    }
    Ok(last)
}

/// The published files are never newer than the journal: otherwise the journal was cut.
fn is_not_behind(reading: &LogFolder, edge: &Edge, key: &VerifierKey) -> Result<(), Fault> {
    // A power cut may leave anything under a name that was not flushed.
    let Some(published) = reading.checkpoint().ok().and_then(|note| Checkpoint::open(&note, key).ok()) else {
        return Ok(());
    };
    let own = Checkpoint::from(&edge.tree);
    if published.size < own.size || published == own {
        return Ok(());
    }
    let error = io::Error::other(
        "the checkpoint beside it covers leaves that are not in it; restore the journal from a backup, or run `gatepost audit verify`",
    );
    Err(error).on("use", &reading.path(JOURNAL_FILE))
}

fn for_each_leaf(
    reading: &LogFolder,
    journal: &Journal<'_>,
    mut each: impl FnMut(&[u8]) -> Result<(), Fault>,
) -> Result<(), Fault> {
    reading.full_tiles(journal.start, &mut each)?;
    journal.groups.iter().flat_map(|(leaves, _)| leaves).try_for_each(|leaf| each(leaf))
}

#[cfg(test)]
mod tests;
