//! The files that a tool left in its out/ folder, made into artifacts of the bundle.
//!
//! Runs after the tool's whole tree is dead, so nothing moves under it. It carries regular files with one name and without special
//! bits, within the limits on number and size. It leaves out and reports everything else. *Security*: the tool chose names, kinds and
//! depth; no link is followed, and names are percent-encoded (`schemas/result.schema.md`, "Artifact names").

use std::fmt::Write as _;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::text::quoted_name;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use rustix::io::Errno;

mod renaming;

pub(crate) use renaming::rename;

/// The most folders between `artifacts/` and a file, and the longest path below it.
const DEPTH_MAX: usize = 14;
const PATH_BYTES_MAX: usize = 1_024;
/// Errors that a tool can cause; the last one by a path that is too long.
const DENIALS: [io::ErrorKind; 3] =
    [io::ErrorKind::PermissionDenied, io::ErrorKind::NotFound, io::ErrorKind::InvalidFilename];

/// A file below `artifacts/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Its path below `artifacts/`, plain.
    pub path: String,
    /// Its digest.
    pub sha256: Digest,
    /// Its size.
    pub bytes: u64,
    /// Its description in the request's expected outputs.
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

/// The folder of a tool's output files.
#[derive(Debug)]
pub enum OutFolder {
    /// A folder of the site, with its original device and inode: a tool may have replaced it.
    Named(PathBuf, (u64, u64)),
    /// A file system of the tool's own, by an open descriptor; no path leads to it.
    Own(OwnedFd),
}

impl OutFolder {
    /// The folder at `path`, before the tool runs.
    pub fn made(path: PathBuf) -> Result<Self, Fault> {
        let metadata = path.symlink_metadata().on("look at", &path)?;
        Ok(Self::Named(path, (metadata.dev(), metadata.ino())))
    }

    /// Its path; an error if the folder was replaced.
    fn path(&self) -> Option<PathBuf> {
        match self {
            Self::Own(folder) => Some(PathBuf::from(format!("/proc/self/fd/{}", folder.as_raw_fd()))),
            Self::Named(path, identity) => {
                let metadata = path.symlink_metadata().ok()?;
                let is_intact = metadata.is_dir() && (metadata.dev(), metadata.ino()) == *identity;
                is_intact.then(|| path.clone())
            }
        }
    }

    /// What ran out of space for the tool, if anything.
    fn exhausted(&self) -> Option<String> {
        let Self::Own(folder) = self else { return None };
        let room = rustix::fs::fstatvfs(folder).ok()?;
        if room.f_blocks > 0 && room.f_bfree == 0 {
            Some(format!("{} bytes", room.f_blocks.saturating_mul(room.f_frsize)))
        } else if room.f_files > 0 && room.f_ffree == 0 {
            // One entry is the folder itself.
            Some(format!("{} names", room.f_files - 1))
        } else {
            None
        }
    }
}

/// The limits of a tool's output files.
#[derive(Debug, Clone, Copy)]
pub struct Allowance {
    /// The most carried files.
    pub files: u32,
    /// Their total size; holes count.
    pub bytes: u64,
    /// The most names of files and folders that are visited.
    pub names: u64,
}

/// Moves the content of `out` to `artifacts/out/`, and adds to `anomalies` a sentence for each omitted entry. Only a
/// disk error is a fault. A bad state of the tool's folder is reported, and the rest is carried.
pub(crate) fn collect(
    out: &OutFolder,
    artifacts: &Path,
    allowance: Allowance,
    anomalies: &mut Vec<String>,
) -> Result<(), Fault> {
    if let Some(what) = out.exhausted() {
        anomalies
            .push(format!("The tool filled /out: it used all of its {what}, so files may be missing or truncated."));
    }
    let Some(path) = out.path() else {
        anomalies.push(
            "The tool removed its folder out/ or replaced it with something else; nothing was taken from it."
                .to_owned(),
        );
        return Ok(());
    };
    let mut collector = Collector { artifacts, left: allowance, too_many: 0, too_large: 0, unseen: false, anomalies };
    collector.folder(&path, "out", "out", 1)?;
    collector.report_excess(allowance);
    Ok(())
}

/// The relative paths of all files below `artifacts`, sorted by bytes. The names there are plain already.
pub(crate) fn paths(artifacts: &Path) -> Result<Vec<String>, Fault> {
    let mut paths = Vec::new();
    for entry in walkdir::WalkDir::new(artifacts) {
        let entry = entry.on("list", artifacts)?;
        if entry.file_type().is_dir() {
            // The folder may have inherited a setgid bit.
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
pub(crate) fn list(artifacts: &Path) -> Result<Vec<Artifact>, Fault> {
    paths(artifacts)?.into_iter().map(|path| Artifact::read(artifacts, path)).collect()
}

struct Collector<'a> {
    artifacts: &'a Path,
    /// The remaining allowance.
    left: Allowance,
    too_many: u64,
    too_large: u64,
    /// There are more names than may be visited.
    unseen: bool,
    anomalies: &'a mut Vec<String>,
}

impl Collector<'_> {
    /// `DEPTH_MAX` bounds the recursion.
    fn folder(&mut self, source: &Path, plain: &str, shown: &str, depth: usize) -> Result<(), Fault> {
        // The tool may have locked its own folder.
        let opened = fs::set_permissions(source, fs::Permissions::from_mode(0o700)).and_then(|()| source.read_dir());
        let room = usize::try_from(self.left.names).unwrap_or(usize::MAX);
        let listed = opened.and_then(|entries| {
            let names = entries.take(room.saturating_add(1)).map(|entry| Ok(entry?.file_name()));
            names.collect::<io::Result<Vec<_>>>()
        });
        let Some(mut names) = self.unless_denied(listed, shown).transpose().on("list", source)? else { return Ok(()) };
        self.unseen |= names.len() > room;
        names.truncate(room);
        self.left.names -= names.len() as u64;
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
            } else if self.left.files == 0 {
                self.too_many += 1;
            } else if metadata.len() > self.left.bytes {
                self.too_large += 1;
            } else {
                self.carry(&path, &plain)?;
                self.left.files -= 1;
                self.left.bytes -= metadata.len();
            }
        }
        Ok(())
    }

    /// Reports what exceeded the allowance.
    fn report_excess(self, Allowance { files, bytes, names }: Allowance) {
        let Self { too_many, too_large, unseen, anomalies, .. } = self;
        if too_many > 0 {
            let sentence = format!("The tool left {too_many} files more than the {files} that are allowed");
            anomalies.push(format!("{sentence}; they were left out."));
        }
        if too_large > 0 {
            let sentence = format!("The tool left {too_large} files beyond the {bytes} bytes that are allowed in all");
            anomalies.push(format!("{sentence}; they were left out."));
        }
        if unseen {
            anomalies.push(format!("The tool left more than {names} names in out/; the rest was ignored."));
        }
    }

    /// A denied access is the tool's doing and is noted; any other error is a fault.
    fn unless_denied<T>(&mut self, result: io::Result<T>, shown: &str) -> Option<io::Result<T>> {
        match result {
            Err(error) if DENIALS.contains(&error.kind()) => {
                self.note(format!("An entry of the folder {shown} cannot be read and was left out."));
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
        Ok(())
    }

    fn note(&mut self, sentence: String) {
        const SENTENCES_MAX: usize = 50;
        if self.anomalies.len() < SENTENCES_MAX {
            self.anomalies.push(sentence);
        } else if self.anomalies.len() == SENTENCES_MAX {
            self.anomalies.push("Further entries were left out and are not listed.".to_owned());
        }
    }
}

/// The plain name for one component of a tool's path: every byte outside `A–Z a–z 0–9 . _ - + = @ ,` and a leading dot
/// become `%XX`.
pub(crate) fn artifact_name(name: &[u8]) -> String {
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

fn is_too_long(plain: &str) -> bool {
    // Room for a number behind the name.
    const PART_BYTES_MAX: usize = 255 - 8;
    plain.len() > PATH_BYTES_MAX || plain.split('/').any(|part| part.len() > PART_BYTES_MAX)
}

fn refusal(metadata: &Metadata, plain: &str) -> Option<&'static str> {
    let kind = metadata.file_type();
    if kind.is_symlink() {
        Some("a symbolic link")
    } else if kind.is_dir() {
        Some("a folder that is too deep")
    } else if !kind.is_file() {
        Some("not a regular file")
    } else if metadata.nlink() != 1 {
        Some("a file with other hard links")
    } else if metadata.mode() & 0o7000 != 0 {
        Some("a file with setuid, setgid or sticky bit")
    } else if is_too_long(plain) {
        Some("a path that is too long")
    } else {
        None
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    const ALLOWANCE: Allowance = Allowance { files: 5, bytes: 1_000, names: 50 };

    fn collected(make: impl Fn(&Path)) -> (tempfile::TempDir, Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let (out, artifacts) = (folder.path().join("work/out"), folder.path().join("artifacts"));
        fs::create_dir_all(&out).unwrap();
        fs::create_dir(&artifacts).unwrap();
        let folder_made = OutFolder::made(out.clone()).unwrap();
        make(&out);
        let mut anomalies = Vec::new();
        collect(&folder_made, &artifacts, ALLOWANCE, &mut anomalies).unwrap();
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
        for part in ["symbolic link", "other hard links", "setuid", "too deep"] {
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
                // The old folder still exists, so a new one cannot get the same inode.
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
    fn no_more_bytes_are_carried_than_are_allowed_and_a_hole_is_bytes() {
        let (_folder, paths, anomalies) = collected(|out| {
            File::create(out.join("a")).unwrap().set_len(900).unwrap();
            File::create(out.join("b")).unwrap().set_len(1 << 40).unwrap();
            File::create(out.join("c")).unwrap().set_len(101).unwrap();
            File::create(out.join("d")).unwrap().set_len(100).unwrap();
        });
        assert_eq!(paths, ["out/a", "out/d"]);
        assert_eq!(
            anomalies,
            ["The tool left 2 files beyond the 1000 bytes that are allowed in all; they were left out."]
        );
    }

    #[test]
    fn no_more_names_are_looked_at_than_are_allowed() {
        let (_folder, paths, anomalies) = collected(|out| {
            for number in 0..1_000 {
                fs::create_dir_all(out.join(format!("{}/{number}", number % 10))).unwrap();
            }
        });
        assert_eq!(paths, [""; 0]);
        assert_eq!(anomalies, ["The tool left more than 50 names in out/; the rest was ignored."]);
    }

    #[test]
    fn folders_that_are_deeper_together_than_a_path_can_be_long_are_left_out() {
        let (_folder, paths, anomalies) = collected(|out| {
            let long = "x".repeat(255);
            let mut folder = File::open(out).unwrap();
            for _ in 0..30 {
                rustix::fs::mkdirat(&folder, &long, rustix::fs::Mode::RWXU).unwrap();
                let flags = rustix::fs::OFlags::DIRECTORY;
                folder = rustix::fs::openat(&folder, &long, flags, rustix::fs::Mode::empty()).unwrap().into();
            }
            fs::write(out.join("file"), "x").unwrap();
        });
        assert_eq!(paths, ["out/file"]);
        assert_eq!(anomalies.len(), 1, "{anomalies:?}");
    }

    #[test]
    fn too_many_files_are_counted_not_carried() {
        let (_folder, paths, anomalies) = collected(|out| {
            for number in 0..9 {
                fs::write(out.join(number.to_string()), "x").unwrap();
            }
        });
        assert_eq!(paths.len(), 5);
        assert_eq!(anomalies, ["The tool left 4 files more than the 5 that are allowed; they were left out."]);
    }
}
