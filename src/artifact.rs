//! The files that a tool left in its out/ folder, made into artifacts of the bundle.
//!
//! Runs after the tool's whole tree is dead, so nothing moves under it. Only regular files with one name and without
//! special bits are carried; everything else is left out and reported. *Security*: names, kinds and depth were chosen by
//! the tool; nothing is followed, names are percent-encoded (`schemas/result.schema.md`, "Artifact names").

use std::fmt::Write as _;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use gatepost_gate::digest::{Digest, Hasher};
use gatepost_gate::durable;
use gatepost_gate::fault::{Fault, OnPath};
use gatepost_gate::text::quoted_name;
use rustix::io::Errno;

/// The most folders between `artifacts/` and a file, and the longest path below it.
const DEPTH_MAX: usize = 14;
const PATH_BYTES_MAX: usize = 1_024;

/// A file below `artifacts/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its path below `artifacts/`, plain.
    pub path: String,
    /// Its digest.
    pub sha256: Digest,
    /// Its size.
    pub bytes: u64,
    /// What the request expected it to be.
    pub description: Option<String>,
}

impl Artifact {
    /// Hashes the file at `path` below `artifacts`.
    fn read(artifacts: &Path, path: String) -> Result<Self, Fault> {
        let full = artifacts.join(&path);
        let (sha256, bytes) = File::open(&full).and_then(Hasher::read).on("read", &full)?;
        Ok(Self { path, sha256, bytes, description: None })
    }
}

/// The folder in which a tool leaves its files, as it was made: a tool may have put something else in its place.
#[derive(Debug)]
pub struct OutFolder {
    path: PathBuf,
    identity: (u64, u64),
}

impl OutFolder {
    /// The folder at `path`, before the tool runs.
    pub fn made(path: PathBuf) -> Result<Self, Fault> {
        let metadata = path.symlink_metadata().on("look at", &path)?;
        Ok(Self { path, identity: (metadata.dev(), metadata.ino()) })
    }

    fn is_intact(&self) -> bool {
        let metadata = self.path.symlink_metadata();
        metadata.is_ok_and(|metadata| metadata.is_dir() && (metadata.dev(), metadata.ino()) == self.identity)
    }
}

/// Moves what lies in `out` to `artifacts/out/`, and adds to `anomalies` a sentence for each thing that was left out. Only a
/// fault of the disk is a fault: whatever state the tool left its folder in is reported, and the rest is carried.
pub fn collect(out: &OutFolder, artifacts: &Path, count_max: u32, anomalies: &mut Vec<String>) -> Result<(), Fault> {
    let mut collector = Collector { artifacts, count_max, carried: 0, left_over: 0, anomalies };
    if !out.is_intact() {
        collector.note(
            "The tool removed its folder out/ or put something else in its place; nothing is carried.".to_owned(),
        );
        return Ok(());
    }
    collector.folder(&out.path, "out", "out", 1)?;
    let left_over = collector.left_over;
    if left_over > 0 {
        anomalies.push(format!(
            "The tool left {left_over} files more than the {count_max} that are carried; they were left out."
        ));
    }
    Ok(())
}

/// The paths of all files below `artifacts`, relative to it, sorted by their bytes. The names there are plain already.
pub fn paths(artifacts: &Path) -> Result<Vec<String>, Fault> {
    let mut paths = Vec::new();
    for entry in walkdir::WalkDir::new(artifacts) {
        let entry = entry.on("list", artifacts)?;
        if entry.file_type().is_dir() {
            // A folder above may have handed down its setgid bit.
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(0o755)).on("set the mode of", entry.path())?;
        } else {
            let path = entry.path().strip_prefix(artifacts).unwrap_or(entry.path());
            paths.push(path.to_string_lossy().into_owned());
        }
    }
    paths.sort();
    Ok(paths)
}

/// Every file below `artifacts`, hashed, sorted by the bytes of its path.
pub fn list(artifacts: &Path) -> Result<Vec<Artifact>, Fault> {
    paths(artifacts)?.into_iter().map(|path| Artifact::read(artifacts, path)).collect()
}

struct Collector<'a> {
    artifacts: &'a Path,
    count_max: u32,
    carried: u32,
    left_over: u64,
    anomalies: &'a mut Vec<String>,
}

impl Collector<'_> {
    /// Depth is bounded by `DEPTH_MAX`, so the recursion is.
    fn folder(&mut self, source: &Path, plain: &str, shown: &str, depth: usize) -> Result<(), Fault> {
        // The tool may have locked its own folder.
        let opened = fs::set_permissions(source, fs::Permissions::from_mode(0o700)).and_then(|()| source.read_dir());
        let listed =
            opened.and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>());
        let Some(mut names) = self.unless_denied(listed, shown).transpose().on("list", source)? else { return Ok(()) };
        names.sort();
        for name in names {
            let path = source.join(&name);
            let metadata = self.unless_denied(path.symlink_metadata(), shown).transpose().on("look at", &path)?;
            let Some(metadata) = metadata else { continue };
            let plain = format!("{plain}/{}", artifact_name(name.as_bytes()));
            let shown = format!("{shown}/{}", quoted_name(&name));
            if metadata.is_dir() && depth < DEPTH_MAX {
                self.folder(&path, &plain, &shown, depth + 1)?;
            } else if let Some(why) = refusal(&metadata, &plain) {
                self.note(format!("The tool left {shown}, {why}; it was left out."));
            } else if self.carried == self.count_max {
                self.left_over += 1;
            } else {
                self.carry(&path, &plain)?;
            }
        }
        Ok(())
    }

    /// What is denied is the tool's doing and is noted; anything else is a fault.
    fn unless_denied<T>(&mut self, result: io::Result<T>, shown: &str) -> Option<io::Result<T>> {
        match result {
            Err(error) if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound) => {
                self.note(format!("Something in the folder {shown} cannot be read and was left out."));
                None
            }
            result => Some(result),
        }
    }

    fn carry(&mut self, source: &Path, plain: &str) -> Result<(), Fault> {
        let target = self.artifacts.join(plain);
        let parent = target.parent().unwrap_or(self.artifacts);
        fs::create_dir_all(parent).on("create", parent)?;
        // The tool may have left its own file unreadable.
        fs::set_permissions(source, fs::Permissions::from_mode(0o644)).on("set the mode of", source)?;
        match durable::rename_new(source, &target) {
            Err(fault) if Errno::from_io_error(&fault.source) == Some(Errno::XDEV) => {
                let mut from = File::open(source).on("open", source)?;
                io::copy(&mut from, &mut durable::create_new(&target)?).on("copy to", &target)?;
            }
            moved => moved?,
        }
        self.carried += 1;
        Ok(())
    }

    fn note(&mut self, sentence: String) {
        const SENTENCES_MAX: usize = 50;
        if self.anomalies.len() < SENTENCES_MAX {
            self.anomalies.push(sentence);
        } else if self.anomalies.len() == SENTENCES_MAX {
            self.anomalies.push("More was left out than is listed here.".to_owned());
        }
    }
}

/// The plain name for one component that a tool chose: every byte outside `A–Z a–z 0–9 . _ - + = @ ,` and a leading dot
/// become `%XX`.
pub fn artifact_name(name: &[u8]) -> String {
    let mut plain = String::with_capacity(name.len());
    for (index, byte) in name.iter().enumerate() {
        if byte.is_ascii_alphanumeric() || b"_-+=@,".contains(byte) || (*byte == b'.' && index > 0) {
            plain.push(char::from(*byte));
        } else {
            let _ = write!(plain, "%{byte:02X}");
        }
    }
    plain
}

fn refusal(metadata: &Metadata, plain: &str) -> Option<&'static str> {
    let kind = metadata.file_type();
    if kind.is_symlink() {
        Some("a symbolic link")
    } else if kind.is_dir() {
        Some("a folder that is too deep")
    } else if !kind.is_file() {
        Some("no regular file")
    } else if metadata.nlink() != 1 {
        Some("a file with other names")
    } else if metadata.mode() & 0o7000 != 0 {
        Some("a file with setuid, setgid or sticky bit")
    } else if plain.len() > PATH_BYTES_MAX || plain.split('/').any(|part| part.len() > 255) {
        Some("a path that is too long")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn collected(make: impl Fn(&Path)) -> (tempfile::TempDir, Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let (out, artifacts) = (folder.path().join("work/out"), folder.path().join("artifacts"));
        fs::create_dir_all(&out).unwrap();
        fs::create_dir(&artifacts).unwrap();
        let folder_made = OutFolder::made(out.clone()).unwrap();
        make(&out);
        let mut anomalies = Vec::new();
        collect(&folder_made, &artifacts, 5, &mut anomalies).unwrap();
        let paths = list(&artifacts).unwrap().into_iter().map(|artifact| artifact.path).collect();
        (folder, paths, anomalies)
    }

    #[test]
    fn files_are_carried_under_plain_names() {
        let (_folder, paths, anomalies) = collected(|out| {
            fs::create_dir(out.join("sub")).unwrap();
            fs::write(out.join("sub/data.csv"), "x").unwrap();
            fs::write(out.join(OsStr::from_bytes(b"a\n\xff")), "x").unwrap();
            fs::write(out.join(".hidden"), "x").unwrap();
        });
        assert_eq!(paths, ["out/%2Ehidden", "out/a%0A%FF", "out/sub/data.csv"]);
        assert!(anomalies.is_empty());
    }

    #[test]
    fn what_is_no_plain_file_is_left_out_and_reported() {
        let (_folder, paths, anomalies) = collected(|out| {
            std::os::unix::fs::symlink("/etc/passwd", out.join("link")).unwrap();
            fs::write(out.join("twice"), "x").unwrap();
            fs::hard_link(out.join("twice"), out.join("again")).unwrap();
            fs::write(out.join("setuid"), "x").unwrap();
            fs::set_permissions(out.join("setuid"), fs::Permissions::from_mode(0o4755)).unwrap();
            fs::create_dir_all(out.join("d/".repeat(30))).unwrap();
        });
        assert!(paths.is_empty());
        for part in ["symbolic link", "other names", "setuid", "too deep"] {
            assert!(anomalies.iter().any(|sentence| sentence.contains(part)), "{part}: {anomalies:?}");
        }
    }

    #[test]
    fn what_stands_in_the_place_of_out_is_not_touched() {
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("precious"), "x").unwrap();
        for replace in [
            &|out: &Path| std::os::unix::fs::symlink(elsewhere.path(), out).unwrap(),
            &|out: &Path| fs::write(out, "x").unwrap(),
            &|out: &Path| fs::create_dir(out).unwrap(),
            &|_: &Path| (),
        ] as [&dyn Fn(&Path); 4]
        {
            let (_folder, paths, anomalies) = collected(|out| {
                // The name stays taken, so that a folder made anew cannot get the same inode.
                fs::rename(out, out.with_file_name("moved")).unwrap();
                replace(out);
            });
            assert_eq!((paths.len(), anomalies.len()), (0, 1), "{anomalies:?}");
        }
        assert_eq!(fs::metadata(elsewhere.path().join("precious")).unwrap().len(), 1);
    }

    #[test]
    fn a_locked_folder_is_opened_and_its_files_are_carried() {
        let (_folder, paths, _) = collected(|out| {
            fs::create_dir(out.join("locked")).unwrap();
            fs::write(out.join("locked/file"), "x").unwrap();
            fs::set_permissions(out.join("locked/file"), fs::Permissions::from_mode(0o000)).unwrap();
            fs::set_permissions(out.join("locked"), fs::Permissions::from_mode(0o000)).unwrap();
            fs::set_permissions(out, fs::Permissions::from_mode(0o500)).unwrap();
        });
        assert_eq!(paths, ["out/locked/file"]);
    }

    #[test]
    fn too_many_files_are_counted_not_carried() {
        let (_folder, paths, anomalies) = collected(|out| {
            for number in 0..9 {
                fs::write(out.join(number.to_string()), "x").unwrap();
            }
        });
        assert_eq!(paths.len(), 5);
        assert_eq!(anomalies, ["The tool left 4 files more than the 5 that are carried; they were left out."]);
    }
}
