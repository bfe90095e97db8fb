//! The program that runs this gate, as each verdict names it.
//!
//! *Security*: it reads its own file before the confinement, which leaves that out of reach; what was started is what is
//! hashed, also where another file has its name by now.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use gatepost_documents::digest::Hasher;
use gatepost_documents::program::Program;

/// This very program; none where there is no `/proc`.
pub fn this() -> Option<Program> {
    let name = std::fs::read_link("/proc/self/exe").ok()?.file_name()?.to_string_lossy().into_owned();
    // The kernel says so of a file that was replaced since.
    let name = name.strip_suffix(" (deleted)").unwrap_or(&name).to_owned();
    Some(Program { name, sha256: hash(Path::new("/proc/self/exe")).ok()? })
}

fn hash(path: &Path) -> io::Result<gatepost_documents::digest::Digest> {
    let (mut file, mut hasher, mut buffer) = (File::open(path)?, Hasher::default(), vec![0; 256 * 1024]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finish()),
            count => hasher.update(buffer.get(..count).unwrap_or_default()),
        }
    }
}
