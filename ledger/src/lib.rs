//! A log that cannot be rewritten quietly: a Merkle tree kept as tiles, with checkpoints as signed notes.
//!
//! ```text
//! leaves ──▶ Tree ──root──▶ Checkpoint ──sign──▶ note            for witnesses elsewhere
//!              └──rows───▶ tile/<level>/<index>                  the hashes for proofs
//! leaves ─────────────────▶ tile/entries/<index>                 the logged entries
//! ```
//!
//! Pure: names of tiles and bytes, and never a file, a clock or a random number. *Security*: all parsed input may be
//! hostile. *Standards*: C2SP tlog-tiles, tlog-checkpoint and signed-note; RFC 6962, section 2.1; RFC 8032.

#![forbid(unsafe_code)]

mod checkpoint;
mod entries;
mod key;
mod note;
mod proof;
mod tile;
mod tree;

pub use checkpoint::Checkpoint;
pub use entries::{ENTRY_BYTES_MAX, TooLong, append, parse};
pub use key::{KeyError, SigningKey, VerifierKey};
pub use note::NoteError;
pub use proof::{is_included, prove};
pub use tile::{TILE_WIDTH, Tile, parse_row, row_bytes};
pub use tree::{Hash, Row, Tree, hash_text, leaf_hash, parse_hash};
