//! The stdin of a program: an unnamed, sealed file.
//!
//! *Security*: it may hold secrets. It is in memory only, until the program and every process that inherited its stdin have ended.
//! *Standards*: Linux `memfd_create(2)`, "File-sealing".

use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::OwnedFd;

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// A sealed file with these bytes, positioned at its beginning.
pub(super) fn sealed(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create(c"input", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
    file.write_all(bytes)?;
    file.rewind()?;
    fcntl_add_seals(&file, SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE)?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn it_is_read_as_it_was_given_and_nobody_changes_it() {
        let mut file = File::from(sealed(b"for the worker").unwrap());
        let mut text = String::new();
        file.read_to_string(&mut text).unwrap();
        assert_eq!(text, "for the worker");
        file.rewind().unwrap();
        assert!(file.write_all(b"x").is_err() && file.set_len(0).is_err() && file.set_len(100).is_err());
    }
}
