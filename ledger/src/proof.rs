//! Inclusion proofs: the hashes beside the path from a leaf to the root.
//!
//! *Standards*: RFC 9162, sections 2.1.3.1 (making) and 2.1.3.2 (checking).

use std::collections::BTreeMap;

use crate::tile::{TILE_WIDTH, Tile};
use crate::tree::{Hash, node_hash, root_of_row};

/// The proof that leaf `index` is in the tree of `size` leaves, the lowest hash first; none if the tree is smaller. `read` is
/// called once for each tile, and must return as many hashes as the tile is wide.
pub fn prove<E>(index: u64, size: u64, read: impl FnMut(Tile) -> Result<Vec<Hash>, E>) -> Result<Option<Vec<Hash>>, E> {
    if index >= size {
        return Ok(None);
    }
    let (mut tiles, mut proof) = (Tiles { size, read, found: BTreeMap::new() }, Vec::new());
    let (mut low, mut high) = (0, size);
    while high - low > 1 {
        let middle = low + (high - low).next_power_of_two() / 2;
        let beside = if index < middle { (middle, high) } else { (low, middle) };
        proof.push(tiles.root(beside.0, beside.1)?);
        (low, high) = if index < middle { (low, middle) } else { (middle, high) };
    }
    proof.reverse();
    Ok(Some(proof))
}

struct Tiles<R> {
    size: u64,
    read: R,
    found: BTreeMap<Tile, Vec<Hash>>,
}

impl<E, R: FnMut(Tile) -> Result<Vec<Hash>, E>> Tiles<R> {
    /// The root over the leaves from `low` up to `high`, a subtree of the tree or the rest on its right.
    fn root(&mut self, low: u64, high: u64) -> Result<Hash, E> {
        let count = high - low;
        if !count.is_power_of_two() {
            let middle = low + count.next_power_of_two() / 2;
            return Ok(node_hash(&self.root(low, middle)?, &self.root(middle, high)?));
        }
        let height = count.trailing_zeros();
        let level = height / 8;
        let (first, wanted) = (low >> (8 * level), 1_usize << (height % 8));
        let index = first / TILE_WIDTH as u64;
        let tile = Tile::of(u8::try_from(level).ok(), index, self.size);
        let Some(tile) = tile else { unreachable!("a tree has the tiles of its own leaves") };
        let row = match self.found.entry(tile) {
            std::collections::btree_map::Entry::Occupied(found) => found.into_mut(),
            std::collections::btree_map::Entry::Vacant(place) => place.insert((self.read)(tile)?),
        };
        let start = usize::try_from(first % TILE_WIDTH as u64).unwrap_or_default();
        Ok(root_of_row(&row[start..start + wanted]))
    }
}

/// Whether a proof shows that the leaf with this hash is number `index` of the tree of `size` leaves with this root.
pub fn is_included(leaf: &Hash, index: u64, size: u64, proof: &[Hash], root: &Hash) -> bool {
    if index >= size {
        return false;
    }
    let (mut node, mut last, mut hash) = (index, size - 1, *leaf);
    for beside in proof {
        if last == 0 {
            return false;
        }
        if node % 2 == 1 || node == last {
            hash = node_hash(beside, &hash);
            while node % 2 == 0 && node != 0 {
                (node, last) = (node / 2, last / 2);
            }
        } else {
            hash = node_hash(&hash, beside);
        }
        (node, last) = (node / 2, last / 2);
    }
    last == 0 && hash == *root
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::tree::{Row, Tree, leaf_hash};

    /// The tiles of a tree of `size` leaves, and its root.
    fn tree(size: u64) -> (BTreeMap<Tile, Vec<Hash>>, Hash) {
        let (mut tree, mut tiles) = (Tree::default(), BTreeMap::new());
        for number in 0..size {
            tree.add(leaf_hash(&number.to_be_bytes()), |Row { tile, hashes }| drop(tiles.insert(tile, hashes)));
        }
        tiles.extend(tree.edge().map(|row| (row.tile, row.hashes)));
        (tiles, tree.root())
    }

    #[test]
    fn every_leaf_is_proved_and_no_proof_serves_another_leaf_place_size_or_root() {
        for size in [1, 2, 3, 7, 8, 255, 256, 257, 300, 66_000] {
            let (tiles, root) = tree(size);
            for index in (0..size).filter(|index| size < 1_000 || index % 9_973 == 0 || size - index < 3) {
                let proof = prove(index, size, |tile| Ok::<_, Infallible>(tiles[&tile].clone())).unwrap().unwrap();
                let leaf = leaf_hash(&index.to_be_bytes());
                assert!(is_included(&leaf, index, size, &proof, &root), "{index} of {size}");
                assert!(!is_included(&leaf_hash(b"x"), index, size, &proof, &root));
                assert!(!is_included(&leaf, index, size, &proof, &leaf_hash(b"x")));
                assert!(size == 1 || !is_included(&leaf, index ^ 1, size, &proof, &root), "{index} of {size}");
                assert!(!is_included(&leaf, index, size * 2, &proof, &root), "{index} of {size}");
                assert!(!is_included(&leaf, index, size, &[&proof[..], &[root]].concat(), &root));
            }
            assert_eq!(prove(size, size, |tile| Ok::<_, Infallible>(tiles[&tile].clone())).unwrap(), None);
        }
    }
}
