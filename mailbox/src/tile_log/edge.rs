//! The end of a log: the right edge of its tree with the entries there, and the tiles that were filled since the last write.

use gatepost_ledger::{Tile, TooLong, Tree, append, leaf_hash, row_bytes};

#[derive(Debug, Clone, Default)]
pub(super) struct Edge {
    pub(super) tree: Tree,
    /// The entries that do not yet fill a tile.
    pub(super) entries: Vec<u8>,
    /// Tiles that are full, and not written yet.
    pub(super) filled: Vec<(Tile, Vec<u8>)>,
}

impl Edge {
    pub(super) fn add(&mut self, leaf: &[u8]) -> Result<(), TooLong> {
        let Self { tree, entries, filled } = self;
        append(entries, leaf)?;
        tree.add(leaf_hash(leaf), |row| {
            if row.tile.level == Some(0) {
                filled.push((row.tile.entries(), std::mem::take(entries)));
            }
            filled.push((row.tile, row_bytes(&row.hashes)));
        });
        Ok(())
    }

    /// The partial tiles, with their content.
    pub(super) fn partials(&self) -> Vec<(Tile, Vec<u8>)> {
        let mut tiles = Vec::new();
        for row in self.tree.edge() {
            if row.tile.level == Some(0) {
                tiles.push((row.tile.entries(), self.entries.clone()));
            }
            tiles.push((row.tile, row_bytes(&row.hashes)));
        }
        tiles
    }
}
