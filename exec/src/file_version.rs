//! Detects changed files, and caches the digests of unchanged ones.
//!
//! *Weakness*: a file that is written twice within one tick of the kernel's clock, some milliseconds, and keeps its size looks
//! unchanged. Only root can set the time of a change of state.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gatepost_documents::digest::{Digest, Hasher};

/// Device, inode, size, and the times of content and of state, each in seconds and nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileVersion([u64; 3], [i64; 4]);

impl FileVersion {
    /// The version of the target of a path.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|found| Self::read(&found))
    }

    fn read(found: &fs::Metadata) -> Self {
        Self(
            [found.dev(), found.ino(), found.len()],
            [found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()],
        )
    }
}

/// The cache of digests, each valid while its file keeps its version.
#[derive(Debug, Default)]
pub(crate) struct Digests(Mutex<HashMap<PathBuf, (FileVersion, Digest)>>);

impl Digests {
    /// The digest of the target of a path, and its version; reads the file only if it changed since the last call.
    pub(crate) fn of(&self, path: &Path) -> io::Result<(Digest, FileVersion)> {
        let file_version = FileVersion::of(path)?;
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, digest)) = lock().get(path)
            && *known == file_version
        {
            return Ok((*digest, file_version));
        }
        let file = File::open(path)?;
        // Before the read: a change during it causes another read.
        let file_version = FileVersion::read(&file.metadata()?);
        let (digest, _) = Hasher::read(file)?;
        lock().insert(path.to_owned(), (file_version, digest));
        Ok((digest, file_version))
    }
}

#[cfg(test)]
mod tests {
    use gatepost_mailbox::durable;

    use super::*;

    #[test]
    fn a_file_that_is_written_or_replaced_has_another_digest_and_one_that_is_not_is_not_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("a"), folder.path().join("b"));
        let digests = Digests::default();
        assert!(digests.of(&path).is_err());
        fs::write(&path, "one").unwrap();
        assert_eq!(digests.of(&path).unwrap().0, Digest::of(b"one"));
        // The cache is trusted: a wrong entry shows that the file was not read.
        let file_version = FileVersion::of(&path).unwrap();
        digests.0.lock().unwrap().insert(path.clone(), (file_version, Digest::of(b"remembered")));
        assert_eq!(digests.of(&path).unwrap().0, Digest::of(b"remembered"));
        fs::write(&other, "two").unwrap();
        durable::move_new(&path, &folder.path().join("c")).unwrap();
        durable::move_new(&other, &path).unwrap();
        assert_eq!(digests.of(&path).unwrap().0, Digest::of(b"two"));
        fs::write(&path, "longer").unwrap();
        assert_eq!(digests.of(&path).unwrap().0, Digest::of(b"longer"));
    }
}
