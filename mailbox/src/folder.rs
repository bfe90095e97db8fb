//! A folder by its open descriptor: names mean names in this folder, even if its path is replaced meanwhile.
//!
//! ```text
//! Folder::of_site(site, "inbox/.tmp")        openat(O_NOFOLLOW), one name at a time
//!   .stage("submit", 0755)                   mkdirat(submit-<16 random hex>), openat(O_NOFOLLOW), fstat: ours
//!     .create("TR-….md")                     openat(O_CREAT | O_EXCL | O_NOFOLLOW)
//!   .move_new(name, inbox, "TR-…")           renameat2(RENAME_NOREPLACE), fsync(both folders)
//! ```
//!
//! Every command that writes into a folder of a site which another user owns does it through this. *Security*: that user can rename
//! anything in such a folder at any moment, and put a link or a folder of its own there. So no path is resolved twice, no link is
//! followed, an existing entry that is not ours is refused, and names in staging cannot be guessed. Standards: POSIX.1-2024 openat;
//! renameat2 of Linux.

mod beneath;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, Dir, FileType, Gid, Mode, OFlags, Stat, Uid};
use rustix::io::Errno;

use crate::durable;
use crate::fault::{Fault, OnPath as _};
use crate::quarantine::random_name;
use crate::regular_file;
use crate::site::Site;

/// Mode bits with which others than the owner write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// The mode of a file that others read.
const READABLE: u32 = 0o644;

/// The readers of a published file besides its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readers {
    /// Everybody, unless the umask of the process forbids it.
    Umask,
    /// Everybody: a watcher that is another user has to read it.
    Everybody,
}

/// A folder, held by an `O_PATH` descriptor, which works even for a folder that is writable but not readable.
#[derive(Debug)]
pub struct Folder {
    descriptor: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens a folder whose path only its owner or root can change; it must be a folder and not a link to one.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let descriptor = rustix::fs::openat(CWD, path, flags, Mode::empty()).on("open", path)?;
        Ok(Self { descriptor, path: path.to_owned() })
    }

    /// Opens a folder of a site by its path below the root, `.` for the root itself. Only the path of the root may lead through links.
    pub fn of_site(site: &Site, below: &str) -> Result<Self, Fault> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = rustix::fs::openat(CWD, site.root(), flags, Mode::empty()).on("open", site.root())?;
        Self { descriptor, path: site.root().to_owned() }.folder(below)
    }

    /// Opens a folder below this one, through no link.
    pub fn folder(&self, below: impl AsRef<Path>) -> Result<Self, Fault> {
        let path = self.path.join(below.as_ref());
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let descriptor = beneath::open(&self.descriptor, below.as_ref(), flags, Mode::empty()).on("open", &path)?;
        Ok(Self { descriptor, path })
    }

    /// Its path when it was opened, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a folder under a random name, and opens it.
    pub fn stage(&self, prefix: &str, mode: u32) -> Result<Staged, Fault> {
        let name = OsString::from(format!("{prefix}-{}", random_name()?));
        let folder = self.create_folder(&name, mode)?;
        let descriptor = self.descriptor.try_clone().on("open", &self.path)?;
        Ok(Staged { within: Self { descriptor, path: self.path.clone() }, name, folder })
    }

    /// Creates a folder with mode 0777 less the umask, unless it exists.
    pub fn make_folder(&self, name: impl AsRef<OsStr>) -> Result<(), Fault> {
        match rustix::fs::mkdirat(&self.descriptor, name.as_ref(), Mode::from_raw_mode(0o777)) {
            Err(Errno::EXIST) => Ok(()),
            made => made.on("create", &self.path.join(name.as_ref())),
        }
    }

    /// Creates a folder that must not exist, and opens it. Refuses one that another process substituted meanwhile.
    pub fn create_folder(&self, name: &OsStr, mode: u32) -> Result<Self, Fault> {
        let path = self.path.join(name);
        rustix::fs::mkdirat(&self.descriptor, name, Mode::from_raw_mode(mode)).on("create", &path)?;
        let folder = self.folder(name)?;
        folder.check_own()?;
        Ok(folder)
    }

    /// Opens a folder that an earlier call created, or creates it. Refuses one of another user, or one that others can write to.
    pub fn own_folder(&self, name: impl AsRef<OsStr>, mode: u32) -> Result<Self, Fault> {
        let name = name.as_ref();
        match self.create_folder(name, mode) {
            Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => {
                let folder = self.folder(name)?;
                folder.check_own()?;
                Ok(folder)
            }
            created => created,
        }
    }

    fn check_own(&self) -> Result<(), Fault> {
        self.check_owner(&[rustix::process::geteuid().as_raw()])
    }

    /// Checks that one of these users owns it and that nobody else can create a name in it.
    pub fn check_owner(&self, owners: &[u32]) -> Result<(), Fault> {
        let found = self.stat()?;
        let why = if !owners.contains(&found.st_uid) {
            format!("it belongs to user {}, who could put another file there", found.st_uid)
        } else if found.st_mode & WRITABLE_BY_OTHERS != 0 {
            format!("its mode {:04o} lets other users put another file there", found.st_mode & 0o7777)
        } else {
            return Ok(());
        };
        Err(io::Error::new(io::ErrorKind::PermissionDenied, why)).on("use", &self.path)
    }

    /// A path to this folder, valid while this is held, wherever the folder's own path leads.
    pub fn descriptor_path(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.descriptor.as_raw_fd()))
    }

    /// The kernel's metadata of it.
    pub fn stat(&self) -> Result<Stat, Fault> {
        rustix::fs::fstat(&self.descriptor).on("look at", &self.path)
    }

    /// The kernel's metadata of a name in it; `None` if there is no such name. Does not follow a link.
    pub fn look_at(&self, name: impl AsRef<OsStr>) -> Result<Option<Stat>, Fault> {
        let name = name.as_ref();
        match rustix::fs::statat(&self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(None),
            found => found.map(Some).on("look at", &self.path.join(name)),
        }
    }

    /// Whether a name in it is that of a folder, and no link to one.
    pub fn is_folder(&self, name: impl AsRef<OsStr>) -> Result<bool, Fault> {
        let found = self.look_at(name)?;
        Ok(found.is_some_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory))
    }

    /// The names in it but `.` and `..`, sorted.
    pub fn names(&self) -> Result<Vec<OsString>, Fault> {
        let mut names = Vec::new();
        for entry in Dir::new(self.readable().on("list", &self.path)?).on("list", &self.path)? {
            let entry = entry.on("list", &self.path)?;
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                names.push(OsStr::from_bytes(name).to_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    /// Creates a file that must not exist, of this mode less the umask, and opens it for writing; runs no fsync.
    pub fn create(&self, name: impl AsRef<OsStr>, mode: u32) -> Result<File, Fault> {
        let name = name.as_ref();
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.descriptor, name, flags, Mode::from_raw_mode(mode));
        file.map(File::from).on("create", &self.path.join(name))
    }

    /// Opens a regular file below this folder, through no link; anything else is an error.
    pub fn open_file(&self, below: impl AsRef<Path>) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        regular_file::regular(beneath::open(&self.descriptor, below.as_ref(), flags, Mode::empty())?.into())
    }

    /// The bytes of a regular file of at most `limit_bytes` below this folder; anything else is an error.
    pub fn read(&self, below: impl AsRef<Path>, limit_bytes: u64) -> io::Result<Vec<u8>> {
        regular_file::within(self.open_file(below)?, limit_bytes)
    }

    /// Replaces a file, or creates it: a reader finds the old or the new one, complete. It has this mode, whatever the
    /// old mode was.
    pub fn replace(&self, name: impl AsRef<OsStr>, bytes: &[u8], mode: u32) -> Result<(), Fault> {
        let name = name.as_ref();
        let mut staged = name.to_owned();
        staged.push(format!(".{}.tmp", random_name()?));
        let (mut file, path) = (self.create(&staged, 0o600)?, self.path.join(name));
        let written = file.write_all(bytes).and_then(|()| file.set_permissions(permissions(mode)));
        let renamed = written
            .and_then(|()| file.sync_all())
            .and_then(|()| Ok(rustix::fs::renameat(&self.descriptor, &staged, &self.descriptor, name)?));
        if renamed.is_err() {
            let _ = rustix::fs::unlinkat(&self.descriptor, &staged, AtFlags::empty());
        }
        renamed.on("replace", &path)?;
        self.sync()
    }

    /// Moves a name of this folder to a name of another one that must not exist, and syncs both folders.
    ///
    /// The error is of kind `AlreadyExists` if the name exists; then nothing has moved.
    pub fn move_new(&self, name: impl AsRef<OsStr>, to: &Self, new_name: impl AsRef<OsStr>) -> Result<(), Fault> {
        let (name, new_name) = (name.as_ref(), new_name.as_ref());
        let moved = durable::rename_new_at((self.descriptor.as_fd(), name), (to.descriptor.as_fd(), new_name));
        moved.on("move to", &to.path.join(new_name))?;
        to.sync()?;
        if self.path == to.path { Ok(()) } else { self.sync() }
    }

    /// Writes and syncs a file, and moves it to a name in another folder from a random name in this one. False if the
    /// name exists; then nothing has changed.
    pub fn publish(&self, bytes: &[u8], readers: Readers, to: &Self, name: impl AsRef<OsStr>) -> Result<bool, Fault> {
        let staged = OsString::from(format!(".{}", random_name()?));
        // A random name is no use in a message.
        let path = self.path.join(name.as_ref());
        let mut file = self.create(&staged, READABLE).map_err(|fault| Fault { path: path.clone(), ..fault })?;
        let permitted = match readers {
            Readers::Everybody if !is_readable(&file) => file.set_permissions(permissions(READABLE)),
            Readers::Umask | Readers::Everybody => Ok(()),
        };
        let written = permitted.and_then(|()| file.write_all(bytes));
        let flushed = written.and_then(|()| file.sync_all()).on("write", &path);
        match flushed.and_then(|()| self.move_new(&staged, to, name)) {
            Ok(()) => Ok(true),
            Err(fault) => {
                let _ = self.remove(&staged);
                if fault.source.kind() == io::ErrorKind::AlreadyExists { Ok(false) } else { Err(fault) }
            }
        }
    }

    /// Writes and syncs a file under a random name, which is removed when this is dropped: [`StagedFile::name_in`]
    /// gives it its names.
    pub fn stage_file(&self, bytes: &[u8], mode: u32) -> Result<StagedFile, Fault> {
        let name = OsString::from(format!(".{}", random_name()?));
        let path = self.path.join(&name);
        let mut file = self.create(&name, mode)?;
        let descriptor = self.descriptor.try_clone().on("open", &self.path)?;
        let staged = StagedFile { within: Self { descriptor, path: self.path.clone() }, name };
        file.write_all(bytes).and_then(|()| file.sync_all()).on("write", &path)?;
        Ok(staged)
    }

    /// Gives a file in it a name in another folder, which must not exist; no folder is flushed. False if the name is taken.
    pub fn link_new(&self, name: impl AsRef<OsStr>, to: &Self, new_name: impl AsRef<OsStr>) -> Result<bool, Fault> {
        let (name, new_name) = (name.as_ref(), new_name.as_ref());
        match rustix::fs::linkat(&self.descriptor, name, &to.descriptor, new_name, AtFlags::empty()) {
            Err(Errno::EXIST) => Ok(false),
            linked => linked.map(|()| true).on("link to", &to.path.join(new_name)),
        }
    }

    /// Waits for the exclusive lock, and holds it until the returned file is dropped.
    pub fn hold(&self) -> Result<File, Fault> {
        let readable = self.readable().on("open", &self.path)?;
        loop {
            match rustix::fs::flock(&readable, rustix::fs::FlockOperation::LockExclusive) {
                Err(Errno::INTR) => {}
                held => return held.map(|()| readable.into()).on("lock", &self.path),
            }
        }
    }

    /// Removes a file, a link or a tree, if it is there, as [`durable::remove_tree`] does.
    pub fn remove(&self, name: impl AsRef<OsStr>) -> Result<(), Fault> {
        let name = name.as_ref();
        durable::remove_tree_at(self.descriptor.as_fd(), name).on("remove", &self.path.join(name))
    }

    /// Gives the folder itself a mode.
    pub fn set_mode(&self, mode: u32) -> Result<(), Fault> {
        let set = self.readable().and_then(|folder| rustix::fs::fchmod(folder, Mode::from_raw_mode(mode)));
        set.on("set the mode of", &self.path)
    }

    /// Changes the owner and group of a name in it; of a link itself, not of its target.
    pub fn give(&self, name: impl AsRef<OsStr>, owner: u32, group: u32) -> Result<(), Fault> {
        let (name, owner, group) = (name.as_ref(), Uid::from_raw(owner), Gid::from_raw(group));
        let flags = AtFlags::SYMLINK_NOFOLLOW;
        let given = rustix::fs::chownat(&self.descriptor, name, Some(owner), Some(group), flags);
        given.on("change the owner of", &self.path.join(name))
    }

    /// Gives the folder itself to an owner and a group.
    pub fn give_itself(&self, owner: u32, group: u32) -> Result<(), Fault> {
        let (owner, group) = (Uid::from_raw(owner), Gid::from_raw(group));
        let given = self.readable().and_then(|folder| rustix::fs::fchown(folder, Some(owner), Some(group)));
        given.on("change the owner of", &self.path)
    }

    /// Flushes the names that are in it now.
    pub fn sync(&self) -> Result<(), Fault> {
        durable::sync_folder_at(self.descriptor.as_fd(), &self.path)
    }

    /// Flushes every regular file and folder below it, and itself, as [`durable::sync_tree`] does.
    pub fn sync_tree(&self) -> Result<(), Fault> {
        let path = self.descriptor_path();
        durable::sync_tree(&path.join(".")).map_err(|fault| match fault.path.strip_prefix(&path) {
            Ok(below) => Fault { path: self.path.join(below), ..fault },
            Err(_) => fault,
        })
    }

    /// The same folder, open for reading and for operations that an `O_PATH` descriptor does not support.
    pub(crate) fn readable(&self) -> rustix::io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::openat(&self.descriptor, c".", flags, Mode::empty())
    }
}

/// Whether the umask left the mode as it is to be.
fn is_readable(file: &File) -> bool {
    file.metadata().is_ok_and(|found| found.mode() & 0o777 == READABLE)
}

fn permissions(mode: u32) -> std::fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(mode)
}

/// A folder in staging, removed when this is dropped unless it was moved to its place.
#[derive(Debug)]
pub struct Staged {
    within: Folder,
    name: OsString,
    folder: Folder,
}

impl Staged {
    /// The folder.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Moves it to its place, which must not be taken; see [`Folder::move_new`]. That another user put something else under its name
    /// meanwhile is a fault.
    pub fn move_to(&self, to: &Folder, new_name: impl AsRef<OsStr>) -> Result<(), Fault> {
        let new_name = new_name.as_ref();
        self.within.move_new(&self.name, to, new_name)?;
        let identity = |stat: Stat| (stat.st_dev, stat.st_ino);
        let own = identity(self.folder.stat()?);
        // One that is gone was taken by a watcher.
        if to.look_at(new_name)?.is_none_or(|found| identity(found) == own) {
            return Ok(());
        }
        let why = "another user replaced it in staging; run `gatepost doctor`, which shows who may write there";
        Err(io::Error::other(why)).on("move to", &to.path.join(new_name))
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        // One that was moved is gone; one that cannot be removed does no harm where it is.
        let _ = self.within.remove(&self.name);
    }
}

/// A flushed file that has no name yet but one in staging.
#[derive(Debug)]
pub struct StagedFile {
    within: Folder,
    name: OsString,
}

impl StagedFile {
    /// Gives it a name in a folder, which must not exist; the folder is not flushed. False if the name is taken.
    pub fn name_in(&self, folder: &Folder, name: impl AsRef<OsStr>) -> Result<bool, Fault> {
        self.within.link_new(&self.name, folder, name)
    }
}

impl Drop for StagedFile {
    fn drop(&mut self) {
        // A leftover does no harm: nobody looks for it.
        let _ = self.within.remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(place.path()).unwrap();
        (place, folder)
    }

    #[test]
    fn what_is_done_in_a_folder_is_done_in_it_whatever_its_path_leads_to_meanwhile() {
        let (place, outer) = folder();
        let victim = place.path().join("victim");
        fs::create_dir(&victim).unwrap();
        let staged = outer.stage("import", 0o700).unwrap();
        let name = staged.name.clone();
        fs::rename(place.path().join(&name), place.path().join("moved")).unwrap();
        symlink(&victim, place.path().join(&name)).unwrap();
        let inner = staged.folder().create_folder("in".as_ref(), 0o755).unwrap();
        inner.create("data", 0o644).unwrap().write_all(b"x").unwrap();
        inner.set_mode(0o2775).unwrap();
        staged.folder().replace("catalog", b"y", 0o644).unwrap();
        staged.folder().sync_tree().unwrap();
        assert_eq!(victim.read_dir().unwrap().count(), 0);
        assert_eq!(victim.metadata().unwrap().mode() & 0o7777, 0o755 & !umask());
        assert_eq!(fs::read(place.path().join("moved/in/data")).unwrap(), b"x");
        drop(staged);
        assert!(victim.is_dir(), "only the link is removed");
    }

    fn umask() -> u32 {
        let probe = tempfile::tempdir().unwrap();
        fs::create_dir(probe.path().join("probe")).unwrap();
        0o777 & !probe.path().join("probe").metadata().unwrap().mode()
    }

    #[test]
    fn no_link_is_followed_and_nothing_leads_out() {
        let (place, outer) = folder();
        fs::create_dir_all(place.path().join("a/b")).unwrap();
        fs::write(place.path().join("a/file"), "12345").unwrap();
        symlink("a", place.path().join("link")).unwrap();
        symlink("a/file", place.path().join("linked")).unwrap();
        rustix::fs::mknodat(CWD, place.path().join("fifo"), FileType::Fifo, Mode::RWXU, 0).unwrap();
        assert!(outer.folder("a/b").is_ok());
        for below in ["link/b", "link", "a/../..", "..", "/", "a/file"] {
            assert!(outer.folder(below).is_err(), "{below}");
        }
        assert_eq!(outer.read("a/file", 5).unwrap(), b"12345");
        assert_eq!(outer.read("a/file", 4).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        for below in ["linked", "link/file", "fifo", "a", "nothing"] {
            assert!(outer.read(below, 5).is_err(), "{below}");
        }
        assert!(outer.create("linked", 0o644).is_err());
        outer.replace("linked", b"new", 0o640).unwrap();
        assert_eq!(fs::read(place.path().join("a/file")).unwrap(), b"12345");
        let replaced = place.path().join("linked").symlink_metadata().unwrap();
        assert!(replaced.is_file() && replaced.mode() & 0o7777 == 0o640);
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_not_taken_for_ones_own() {
        let (place, outer) = folder();
        assert!(outer.own_folder("new", 0o700).is_ok() && outer.own_folder("new", 0o700).is_ok());
        fs::set_permissions(place.path().join("new"), fs::Permissions::from_mode(0o770)).unwrap();
        assert_eq!(outer.own_folder("new", 0o700).unwrap_err().source.kind(), io::ErrorKind::PermissionDenied);
        symlink(place.path(), place.path().join("link")).unwrap();
        assert!(outer.own_folder("link", 0o700).is_err());
    }

    #[test]
    fn a_published_file_is_whole_and_never_written_over() {
        let (place, outer) = folder();
        let inner = outer.create_folder("inner".as_ref(), 0o700).unwrap();
        assert!(inner.publish(b"one", Readers::Umask, &outer, "name").unwrap());
        assert!(!inner.publish(b"two", Readers::Everybody, &outer, "name").unwrap());
        assert_eq!(fs::read(place.path().join("name")).unwrap(), b"one");
        assert_eq!(inner.names().unwrap().len(), 0);
    }

    #[test]
    fn a_staged_file_gets_each_name_once_and_its_staging_name_goes() {
        let (place, outer) = folder();
        let inner = outer.create_folder("inner".as_ref(), 0o700).unwrap();
        let [one, two] = [b"one", b"two"].map(|bytes| outer.stage_file(bytes, 0o600).unwrap());
        assert!(one.name_in(&inner, "key").unwrap() && one.name_in(&outer, "name").unwrap());
        assert!(!two.name_in(&inner, "key").unwrap());
        drop((one, two));
        assert_eq!(fs::read(place.path().join("inner/key")).unwrap(), b"one");
        assert_eq!(outer.names().unwrap(), ["inner", "name"]);
        drop(outer.hold().unwrap());
        drop(outer.hold().unwrap());
    }
}
