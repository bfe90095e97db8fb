//! Tiles and checkpoint as auditors read them.
//!
//! Full tiles are flushed and stay; a tile that is not full, and the checkpoint, are not: after a power cut they are made again. The
//! checkpoint is last, so that whoever reads it finds what it covers, and what it no longer covers goes after it.

use std::fs::{self, File};
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
    /// The tiles that are not full, as they lie there now.
    partials: Vec<Tile>,
}

impl Tiles {
    pub(super) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), partials: Vec::new() }
    }

    /// Takes away what an earlier gate left of the tiles at the edge: a power cut may have emptied it.
    pub(super) fn clear(&mut self, edge: &Edge) -> Result<(), Fault> {
        let tiles = edge.filled.iter().map(|(tile, _)| *tile).chain(edge.partials().into_iter().map(|(tile, _)| tile));
        tiles.map(|tile| self.folder.join(tile.partials())).try_for_each(|folder| durable::remove_tree(&folder))
    }

    /// Writes the tiles that were filled, those at the edge, and the checkpoint over them.
    pub(super) fn publish(&mut self, edge: &mut Edge, note: &str) -> Result<(), Fault> {
        let partials = edge.partials();
        for (tile, bytes) in &partials {
            if !self.partials.contains(tile) {
                self.stage(tile, bytes)?;
                self.partials.push(*tile);
            }
        }
        for (tile, bytes) in &edge.filled {
            let (path, file) = self.stage(tile, bytes)?;
            durable::flush(&file, &path)?;
            self.flush_folders(&path)?;
        }
        let (path, staged) = (self.folder.join(CHECKPOINT_FILE), self.folder.join(".checkpoint"));
        durable::remove_tree(&staged)?;
        durable::create_new(&staged)?.write_all(note.as_bytes()).on("write", &staged)?;
        fs::rename(&staged, &path).on("move to", &path)?;
        for (tile, _) in std::mem::take(&mut edge.filled) {
            durable::remove_tree(&self.folder.join(tile.partials()))?;
        }
        let is_of_edge = |tile: &Tile| partials.iter().any(|(partial, _)| partial == tile);
        for tile in std::mem::take(&mut self.partials) {
            if is_of_edge(&tile) {
                self.partials.push(tile);
            } else {
                durable::remove_tree(&self.folder.join(tile.path()))?;
            }
        }
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
