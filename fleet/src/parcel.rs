//! Files that travel together: listed in a signed message, and concatenated in one object of the store.
//!
//! *Security*: a peer's list is hostile input. Each path is checked before any write, and each file is compared with
//! its length and digest.

use std::fs::{self, File};
use std::io::{self, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use gatepost_documents::artifact_name;
use gatepost_documents::digest::{Digest, Hasher};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use serde::{Deserialize, Serialize};

/// The most files of a parcel: its list has to fit into one message.
pub(crate) const FILES_MAX: usize = 2_000;

/// Which names a parcel may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// Names of a request's inputs: any valid file name.
    Inputs,
    /// Names of a bundle.
    Bundle,
}

impl Names {
    fn permit(self, name: &str) -> bool {
        match self {
            Self::Inputs => !matches!(name, "" | "." | "..") && !name.contains('\0'),
            Self::Bundle => artifact_name::fault(name.as_bytes()).is_none(),
        }
    }
}

/// The file of a bundle whose digest names it.
pub(crate) const SUMS: &str = "SHA256SUMS";
/// The evidence of a bundle.
pub(crate) const EVIDENCE: &str = "evidence.json";

/// Whether a file of a bundle is sent to the home.
pub(crate) fn is_sent(path: &str) -> bool {
    path == SUMS || path == EVIDENCE || path.starts_with("artifacts/")
}

const BUFFER_BYTES: usize = 64 << 10;

/// The list of a parcel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parcel {
    pub(crate) files: Vec<Item>,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Item {
    /// Its path below the parcel's folder.
    pub(crate) path: String,
    pub(crate) bytes: u64,
    pub(crate) sha256: Digest,
}

impl Parcel {
    /// Lists these files below a folder and concatenates them into a new file.
    pub(crate) fn pack(folder: &Path, paths: &[String], to: &Path) -> Result<Self, Fault> {
        let mut object = durable::create_new(to)?;
        let mut files = Vec::new();
        for path in paths {
            let from = folder.join(path);
            let mut file = File::open(&from).on("open", &from)?;
            let (sha256, bytes) = copy(&mut file, &mut object).on("copy", &from)?;
            files.push(Item { path: path.clone(), bytes, sha256 });
        }
        Ok(Self { files })
    }

    /// The size of its object in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, item| sum.saturating_add(item.bytes))
    }

    /// The fault of a peer's list, if any. `names` selects the permitted names of files and folders.
    pub(crate) fn fault(&self, bytes_max: u64, names: Names) -> Option<String> {
        if self.files.len() > FILES_MAX {
            return Some(format!("it has {} files, and at most {FILES_MAX} are taken", self.files.len()));
        }
        if self.bytes() > bytes_max {
            return Some(format!("it has {} bytes, and at most {bytes_max} are taken", self.bytes()));
        }
        let bad = self.files.iter().find(|item| item.path.split('/').any(|name| !names.permit(name)));
        let mut paths: Vec<&str> = self.files.iter().map(|item| item.path.as_str()).collect();
        paths.sort_unstable();
        let is_double = paths.windows(2).any(|pair| pair[0] == pair[1]);
        match bad {
            Some(item) => Some(format!("{:?} is not a path that is taken", item.path)),
            None => is_double.then(|| "it names a file twice".to_owned()),
        }
    }

    /// Unpacks an object below a folder that only this process writes to; false if the object differs from the list.
    #[allow(clippy::disallowed_methods, reason = "the caller syncs the folder before its rename")]
    pub(crate) fn unpack(&self, object: &Path, folder: &Path) -> Result<bool, Fault> {
        let mut reader = BufReader::new(File::open(object).on("open", object)?);
        for item in &self.files {
            let path = folder.join(&item.path);
            let parent = path.parent().unwrap_or(folder);
            match fs::create_dir_all(parent).and_then(|()| File::create_new(&path)) {
                // A file where another path needs a folder, or the reverse.
                Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory) => {
                    return Ok(false);
                }
                file => {
                    let mut file = file.on("create", &path)?;
                    let copied = copy(&mut reader.by_ref().take(item.bytes), &mut file).on("write", &path)?;
                    if copied != (item.sha256, item.bytes) {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(reader.read(&mut [0]).on("read", object)? == 0)
    }
}

/// Copies and hashes until the end. Returns the digest and the number of bytes.
fn copy(from: &mut impl io::Read, to: &mut File) -> io::Result<(Digest, u64)> {
    let (mut hasher, mut count, mut buffer) = (Hasher::default(), 0, vec![0; BUFFER_BYTES]);
    loop {
        let length = from.read(&mut buffer)?;
        if length == 0 {
            return Ok((hasher.finish(), count));
        }
        hasher.update(&buffer[..length]);
        to.write_all(&buffer[..length])?;
        count += length as u64;
    }
}

/// The paths of all regular files below a folder, relative to it, sorted.
pub(crate) fn paths(folder: &Path) -> Result<Vec<String>, Fault> {
    let (mut found, mut folders) = (Vec::new(), vec![PathBuf::new()]);
    while let Some(below) = folders.pop() {
        let place = folder.join(&below);
        for entry in place.read_dir().on("list", &place)? {
            let entry = entry.on("list", &place)?;
            let (kind, path) = (entry.file_type().on("look at", &place)?, below.join(entry.file_name()));
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                found.extend(path.to_str().map(str::to_owned));
            }
        }
    }
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(scratch: &Path) -> (Parcel, PathBuf) {
        let folder = scratch.join("from");
        fs::create_dir_all(folder.join("artifacts/out")).unwrap();
        fs::write(folder.join("evidence.json"), "{}").unwrap();
        fs::write(folder.join("artifacts/out/a"), "alpha").unwrap();
        let object = scratch.join("object");
        (Parcel::pack(&folder, &paths(&folder).unwrap(), &object).unwrap(), object)
    }

    fn item(path: &str) -> Item {
        Item { path: path.to_owned(), bytes: 0, sha256: Digest::of(b"") }
    }

    #[test]
    fn a_parcel_is_unpacked_as_it_was_packed_and_no_changed_byte_passes() {
        let scratch = tempfile::tempdir().unwrap();
        let (parcel, object) = packed(scratch.path());
        assert_eq!((parcel.bytes(), parcel.fault(7, Names::Bundle)), (7, None));
        let to = scratch.path().join("to");
        assert!(parcel.unpack(&object, &to).unwrap());
        assert_eq!(fs::read(to.join("artifacts/out/a")).unwrap(), b"alpha");
        let whole = fs::read(&object).unwrap();
        for (number, changed) in
            [whole[..6].to_vec(), [&whole[..], b"x"].concat(), [&b"A"[..], &whole[1..]].concat()].iter().enumerate()
        {
            fs::write(&object, changed).unwrap();
            assert!(!parcel.unpack(&object, &scratch.path().join(number.to_string())).unwrap(), "{number}");
        }
    }

    #[test]
    fn a_hostile_list_is_refused_before_anything_is_written() {
        let scratch = tempfile::tempdir().unwrap();
        for paths in [
            &["../x"][..],
            &["/etc/x"],
            &["a/./b"],
            &["a//b"],
            &[""],
            &[".hidden"],
            &["a\u{202e}b"],
            &["a\nb"],
            &["x", "x"],
        ] {
            let parcel = Parcel { files: paths.iter().map(|path| item(path)).collect() };
            assert!(parcel.fault(10, Names::Bundle).is_some(), "{paths:?}");
        }
        let many = Parcel { files: (0..=FILES_MAX).map(|number| item(&format!("f{number}"))).collect() };
        assert!(many.fault(10, Names::Inputs).is_some());
        let large = Parcel { files: vec![Item { bytes: u64::MAX, ..item("a") }, Item { bytes: 2, ..item("b") }] };
        assert!(large.fault(1 << 40, Names::Inputs).is_some());
        // A file where a folder is needed.
        fs::write(scratch.path().join("object"), "").unwrap();
        let crossed = Parcel { files: vec![item("a"), item("a/b")] };
        assert!(!crossed.unpack(&scratch.path().join("object"), &scratch.path().join("to")).unwrap());
    }
}
