//! Whether a file of an accepted bundle still has the digest that its `SHA256SUMS` lists.
//!
//! This finds damage and careless edits at little cost. Only `gatepost verify` compares the list with the gate's decision.

use std::io;
use std::path::Path;

use gatepost_documents::digest::Hasher;

use crate::regular_file;

/// Larger than any list that a gate accepts.
const SUMS_MAX_BYTES: u64 = 16 * 1024 * 1024;

/// Compares the file at this path below a bundle; false also if the list lacks it. A bundle without a list is a bare document, of which
/// nothing is known.
pub fn is_sealed(bundle: &Path, path: &Path) -> io::Result<bool> {
    let sums = match regular_file::read(&bundle.join("SHA256SUMS"), SUMS_MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        sums => sums?,
    };
    let (digest, _) = Hasher::read(regular_file::open_beneath(bundle, path)?)?;
    let line = format!("{digest}  {}", path.display());
    Ok(sums.split(|byte| *byte == b'\n').any(|listed| listed == line.as_bytes()))
}
