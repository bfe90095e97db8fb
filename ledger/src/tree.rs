//! The hashes of a Merkle tree, and its right edge, to which leaves are added.
//!
//! *Standards*: RFC 6962, section 2.1; tlog-tiles, for the rows of 256 hashes.

use base64ct::{Base64, Encoding as _};
use sha2::{Digest as _, Sha256};

use crate::tile::{TILE_WIDTH, Tile};

/// A SHA-256 of the tree.
pub type Hash = [u8; 32];

/// A hash in base64, the form of proofs and checkpoints.
pub fn hash_text(hash: &Hash) -> String {
    Base64::encode_string(hash)
}

/// Reads what [`hash_text`] wrote.
pub fn parse_hash(text: &str) -> Option<Hash> {
    Base64::decode_vec(text).ok()?.try_into().ok()
}

/// The hash of a leaf: SHA-256 over a zero byte and the leaf.
pub fn leaf_hash(leaf: &[u8]) -> Hash {
    Sha256::new().chain_update([0]).chain_update(leaf).finalize().into()
}

pub(crate) fn node_hash(left: &Hash, right: &Hash) -> Hash {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

/// The root over the hashes of a power of two of complete subtrees of one height.
pub(crate) fn root_of_row(row: &[Hash]) -> Hash {
    match row {
        [] => Sha256::digest([]).into(),
        [hash] => *hash,
        row => {
            let (left, right) = row.split_at(row.len() / 2);
            node_hash(&root_of_row(left), &root_of_row(right))
        }
    }
}

/// The hashes of one tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Which tile.
    pub tile: Tile,
    /// Its hashes, 1 to 256.
    pub hashes: Vec<Hash>,
}

/// The right edge of a tree: on each level the hashes that do not yet fill a tile.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    size: u64,
    edge: Vec<Vec<Hash>>,
}

impl Tree {
    /// How many leaves were added.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Adds the hash of a leaf, and returns the tiles that it filled, the lowest level first.
    pub fn add(&mut self, leaf: Hash, mut filled: impl FnMut(Row)) {
        self.size += 1;
        let mut hash = leaf;
        for level in 0_u8.. {
            if self.edge.len() == usize::from(level) {
                self.edge.push(Vec::new());
            }
            let row = &mut self.edge[usize::from(level)];
            row.push(hash);
            if row.len() < TILE_WIDTH {
                return;
            }
            let hashes = std::mem::take(row);
            hash = root_of_row(&hashes);
            let index = (self.size >> (8 * (u32::from(level) + 1))) - 1;
            filled(Row { tile: Tile::full(level, index), hashes });
        }
    }

    /// The tiles that are not full, the lowest level first.
    pub fn edge(&self) -> impl Iterator<Item = Row> {
        (0_u8..).zip(&self.edge).filter(|(_, row)| !row.is_empty()).map(|(level, row)| {
            let index = self.size >> (8 * (u32::from(level) + 1));
            Row { tile: Tile { level: Some(level), index, width: row.len() }, hashes: row.clone() }
        })
    }

    /// The root of the tree with these leaves.
    pub fn root(&self) -> Hash {
        let mut root = None;
        for row in &self.edge {
            let mut rest = row.as_slice();
            while !rest.is_empty() {
                let (left, subtree) = rest.split_at(rest.len() - (1 << rest.len().trailing_zeros()));
                let hash = root_of_row(subtree);
                root = Some(root.map_or(hash, |right| node_hash(&hash, &right)));
                rest = left;
            }
        }
        root.unwrap_or_else(|| root_of_row(&[]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The root by the definition of RFC 6962.
    fn defined(leaves: &[Hash]) -> Hash {
        match leaves.len() {
            0 | 1 => root_of_row(leaves),
            count => {
                let (left, right) = leaves.split_at(count.next_power_of_two() / 2);
                node_hash(&defined(left), &defined(right))
            }
        }
    }

    #[test]
    fn the_root_is_that_of_the_definition_at_every_size() {
        let leaves: Vec<Hash> = (0..700_u32).map(|number| leaf_hash(&number.to_be_bytes())).collect();
        let mut tree = Tree::default();
        assert_eq!(tree.root(), defined(&[]));
        for (count, leaf) in (1..).zip(&leaves) {
            tree.add(*leaf, |_| {});
            assert_eq!(tree.root(), defined(&leaves[..count]), "{count}");
        }
    }

    #[test]
    fn the_tree_of_65_537_leaves_has_three_levels_and_hands_out_each_full_tile_once() {
        let (mut tree, mut filled) = (Tree::default(), Vec::new());
        for number in 0..65_537_u32 {
            tree.add(leaf_hash(&number.to_be_bytes()), |row| filled.push(row.tile));
        }
        let of = |level| filled.iter().filter(move |tile| tile.level == Some(level)).map(|tile| tile.index);
        assert!(of(0).eq(0..256) && of(1).eq(0..1) && of(2).count() == 0);
        let edge: Vec<_> = tree.edge().map(|row| row.tile.path()).collect();
        assert_eq!(edge, ["tile/0/256.p/1", "tile/2/000.p/1"]);
    }
}
