//! The program that runs this gate, as each verdict names it.
//!
//! *Security*: it reads its own file before the confinement, which puts the file out of reach. It hashes the program
//! that was started, even if another file has its name by now.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use gatepost_documents::digest::Hasher;
use gatepost_documents::program::Program;

/// This program; `None` without `/proc`.
pub fn this() -> Option<Program> {
    let name = std::fs::read_link("/proc/self/exe").ok()?.file_name()?.to_string_lossy().into_owned();
    // The kernel appends this to the path of a replaced file.
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
