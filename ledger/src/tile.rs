//! Tiles: their names, and the rows of hashes in them.
//!
//! ```text
//! tile/0/x001/x234/067          the row 1 234 067 of the lowest level: 256 hashes of 32 bytes
//! tile/1/000.p/5                a row that is not full, with 5
//! tile/entries/000              256 entries, the leaves themselves
//! ```
//!
//! *Standards*: C2SP tlog-tiles, Merkle Tree and Log Entries.

use crate::tree::Hash;

/// How many hashes a full tile has, and how many entries.
pub const TILE_WIDTH: usize = 256;

/// The name of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tile {
    /// Its level, 0 for the hashes of leaves; none for entries.
    pub level: Option<u8>,
    /// Its place on that level, from 0.
    pub index: u64,
    /// How many it holds, 1 to 256.
    pub width: usize,
}

impl Tile {
    /// A full tile of hashes.
    pub fn full(level: u8, index: u64) -> Self {
        Self { level: Some(level), index, width: TILE_WIDTH }
    }

    /// The tile with this index in a tree of `size` leaves; none if the tree has no such tile.
    pub fn of(level: Option<u8>, index: u64, size: u64) -> Option<Self> {
        let count = size.checked_shr(8 * u32::from(level.unwrap_or(0)))?;
        let left = count.checked_sub(index.checked_mul(TILE_WIDTH as u64)?)?;
        let width = usize::try_from(left).unwrap_or(TILE_WIDTH).min(TILE_WIDTH);
        (width > 0).then_some(Self { level, index, width })
    }

    /// The same tile of entries.
    #[must_use]
    pub fn entries(self) -> Self {
        Self { level: None, ..self }
    }

    /// Its path below the folder of the log.
    pub fn path(&self) -> String {
        let partial = if self.width < TILE_WIDTH { format!(".p/{}", self.width) } else { String::new() };
        self.path_when_full() + &partial
    }

    /// The folder for the partial versions of this tile.
    pub fn partials(&self) -> String {
        self.path_when_full() + ".p"
    }

    fn path_when_full(&self) -> String {
        let level = self.level.map_or("entries".to_owned(), |level| level.to_string());
        let mut path = format!("{:03}", self.index % 1_000);
        let mut rest = self.index / 1_000;
        while rest > 0 {
            path = format!("x{:03}/{path}", rest % 1_000);
            rest /= 1_000;
        }
        format!("tile/{level}/{path}")
    }
}

/// A row of hashes in the form of a tile.
pub fn row_bytes(hashes: &[Hash]) -> Vec<u8> {
    hashes.concat()
}

/// Reads the row of a tile that must have this width.
pub fn parse_row(bytes: &[u8], width: usize) -> Option<Vec<Hash>> {
    let (hashes, rest) = bytes.as_chunks::<32>();
    (rest.is_empty() && hashes.len() == width).then(|| hashes.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_specification() {
        let path = |level, index, width| Tile { level, index, width }.path();
        assert_eq!(path(Some(0), 1_234_067, 256), "tile/0/x001/x234/067");
        assert_eq!(path(Some(3), 999, 7), "tile/3/999.p/7");
        assert_eq!(path(None, 1_000, 256), "tile/entries/x001/000");
        assert_eq!(Tile::full(1, 5).partials(), "tile/1/005.p");
    }

    #[test]
    fn a_tree_has_the_tiles_that_its_size_says() {
        let width = |level, index, size| Tile::of(level, index, size).map(|tile| tile.width);
        assert_eq!((width(Some(0), 0, 0), width(Some(0), 0, 1), width(Some(0), 0, 256)), (None, Some(1), Some(256)));
        assert_eq!((width(Some(0), 1, 256), width(None, 1, 257), width(Some(1), 0, 255)), (None, Some(1), None));
        assert_eq!((width(Some(1), 0, 70_000), width(Some(1), 1, 70_000)), (Some(256), Some(17)));
        assert_eq!((width(Some(200), 0, u64::MAX), width(None, u64::MAX, u64::MAX)), (None, None));
    }
}
