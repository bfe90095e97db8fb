//! Tiles and checkpoint as auditors read them.
//!
//! Full tiles are flushed and stay. A partial tile and the checkpoint are not flushed: after a power cut they are made again. The
//! checkpoint is written last, so a reader of it finds the tiles that it covers. A partial tile grows by appending, and gets a new name
//! each time: rewriting it would put all of it on the disk with the next flush of the journal.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::CHECKPOINT_FILE;
use super::edge::Edge;
use crate::durable;
use crate::fault::{Fault, OnPath};
use gatepost_ledger::Tile;

#[derive(Debug)]
pub(super) struct Tiles {
    folder: PathBuf,
    /// The tiles that are not full, as they lie there now, each with its bytes.
    partials: Vec<(Tile, usize)>,
}

impl Tiles {
    pub(super) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), partials: Vec::new() }
    }

    /// Removes an earlier gate's partial tiles: a power cut may have emptied them.
    pub(super) fn clear(&mut self, edge: &Edge) -> Result<(), Fault> {
        let tiles = edge.filled.iter().map(|(tile, _)| *tile).chain(edge.partials().into_iter().map(|(tile, _)| tile));
        tiles.map(|tile| self.folder.join(tile.partials())).try_for_each(|folder| durable::remove_tree(&folder))
    }

    /// Writes the tiles that were filled, those at the edge, and the checkpoint over them.
    pub(super) fn publish(&mut self, edge: &mut Edge, note: &str) -> Result<(), Fault> {
        for (tile, bytes) in &edge.filled {
            let (path, file) = self.stage(tile, bytes)?;
            durable::flush(&file, &path)?;
            self.flush_folders(&path)?;
        }
        let (path, staged) = (self.folder.join(CHECKPOINT_FILE), self.folder.join(".checkpoint"));
        durable::remove_tree(&staged)?;
        durable::create_new(&staged)?.write_all(note.as_bytes()).on("write", &staged)?;
        // Between these renames the old checkpoint names a tile that already has its next name. Keep slow work out of here.
        for (tile, bytes) in &edge.partials() {
            self.grow(tile, bytes)?;
        }
        fs::rename(&staged, &path).on("move to", &path)?;
        for (filled, _) in std::mem::take(&mut edge.filled) {
            durable::remove_tree(&self.folder.join(filled.partials()))?;
            self.partials.retain(|(tile, _)| !is_same(tile, &filled));
        }
        Ok(())
    }

    /// Updates a partial tile. It gets its new name first, so that no reader finds more in it than its name states, and
    /// no reader looks for that name yet. A tile that could not be updated is rewritten the next time.
    fn grow(&mut self, tile: &Tile, bytes: &[u8]) -> Result<(), Fault> {
        let known = self.partials.iter().position(|(found, _)| is_same(found, tile));
        match known.map(|at| self.partials.swap_remove(at)) {
            Some((found, _)) if found == *tile => {}
            Some((found, length)) => {
                let (from, path) = (self.folder.join(found.path()), self.folder.join(tile.path()));
                fs::rename(&from, &path).on("rename", &from)?;
                let mut file = OpenOptions::new().append(true).open(&path).on("open", &path)?;
                file.write_all(bytes.get(length..).unwrap_or_default()).on("write", &path)?;
            }
            None => drop(self.stage(tile, bytes)?),
        }
        self.partials.push((*tile, bytes.len()));
        Ok(())
    }

    /// Writes a tile under its name, which nobody reads before a checkpoint covers it.
    fn stage(&self, tile: &Tile, bytes: &[u8]) -> Result<(PathBuf, File), Fault> {
        let path = self.folder.join(tile.path());
        let parent = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(parent).on("create", parent)?;
        durable::remove_tree(&path)?;
        let mut file = durable::create_new(&path)?;
        file.write_all(bytes).on("write", &path)?;
        Ok((path, file))
    }

    /// Flushes the folders of a tile, up to that of the log: any of them may be new.
    fn flush_folders(&self, path: &Path) -> Result<(), Fault> {
        let folders = path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.folder));
        folders.into_iter().try_for_each(durable::sync_folder)
    }
}

/// Whether two are one tile, which may have grown.
fn is_same(one: &Tile, other: &Tile) -> bool {
    (one.level, one.index) == (other.level, other.index)
}
