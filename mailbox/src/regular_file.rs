//! Reads small files of a site that may be of any kind.
//!
//! *Security*: opening a FIFO would wait for a writer forever, and a link may lead to an endless device: neither is followed or waited
//! for, and no more than a limit is read. Standards: POSIX.1-2024 open.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;

use crate::folder::Folder;

/// The maximum size of a document of a site, bytes. 1 MiB.
pub const DOCUMENT_MAX_BYTES: u64 = 1024 * 1024;

/// Opens a regular file to read it, through no link in its last component; anything else is an error.
pub fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
    regular(OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(path)?)
}

/// The bytes of a regular file of at most `limit_bytes`; anything else is an error.
pub fn read(path: &Path, limit_bytes: u64) -> io::Result<Vec<u8>> {
    read_with_owner(path, limit_bytes).map(|(bytes, _)| bytes)
}

/// The same, and the user id of the file's owner.
pub fn read_with_owner(path: &Path, limit_bytes: u64) -> io::Result<(Vec<u8>, u32)> {
    let file = open(path)?;
    let found = file.metadata()?;
    Ok((within(file, limit_bytes)?, found.uid()))
}

/// All bytes of an open file, if they are no more than a limit.
pub(crate) fn within(file: File, limit_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file.take(limit_bytes + 1).read_to_end(&mut bytes)? as u64 > limit_bytes {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than the limit for this file"));
    }
    Ok(bytes)
}

/// The beginning of a file that a person named; it may be a link.
pub fn beginning(path: &Path, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(bytes_max).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file by its path below a folder, through no link on the way and never outside of it.
pub fn open_beneath(folder: &Path, path: &Path) -> io::Result<File> {
    Folder::open(folder).map_err(|fault| fault.source)?.open_file(path)
}

/// The file, if it is a regular one.
pub(crate) fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn only_a_regular_file_within_the_limit_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "12345").unwrap();
        mknodat(CWD, at("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        std::os::unix::fs::symlink("/dev/zero", at("endless")).unwrap();
        assert_eq!(read(&at("file"), 5).unwrap(), b"12345");
        assert_eq!(read(&at("file"), 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        for name in ["fifo", "link", "endless", "nothing", "."] {
            assert!(read(&at(name), 5).is_err(), "{name}");
        }
    }

    #[test]
    fn below_a_folder_no_path_leads_out_and_no_link_is_followed() {
        let outer = tempfile::tempdir().unwrap();
        let folder = outer.path().join("folder");
        fs::create_dir_all(folder.join("a")).unwrap();
        fs::write(outer.path().join("outside"), "x").unwrap();
        fs::write(folder.join("a/inside"), "y").unwrap();
        std::os::unix::fs::symlink("a/inside", folder.join("link")).unwrap();
        std::os::unix::fs::symlink("a", folder.join("linked")).unwrap();
        assert!(open_beneath(&folder, Path::new("a/inside")).is_ok());
        let outside = outer.path().join("outside");
        for path in ["../outside", "a/../../outside", "link", "linked/inside", "a", "", outside.to_str().unwrap()] {
            assert!(open_beneath(&folder, Path::new(path)).is_err(), "{path}");
        }
    }
}
