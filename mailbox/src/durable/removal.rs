//! Removes a tree of any depth, with one open folder at a time.
//!
//! ```text
//! top/a/b/c   unlink the files in a, move a/b up to top/<fresh>, rmdir a       every folder is moved at most once
//! ```
//!
//! *Security*: a stranger chose the depth: recursion would run out of stack, a path out of bytes, and a descriptor for every level out
//! of descriptors. No link is followed. A folder of ours that lost its permissions gets them back; a folder of another user is a fault.
//! Standards: POSIX.1-2024 openat, unlinkat, renameat.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::Path;

use rustix::fs::{self, AtFlags, CWD, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use rustix::path::Arg;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::fault::{Fault, OnPath};

/// Removes a file, a link or a tree, if it exists. Its content must be ours, or already be safe elsewhere; anything
/// added meanwhile is a fault.
pub fn remove_tree(path: &Path) -> Result<(), Fault> {
    remove_tree_at(CWD, path.as_os_str()).on("remove", path)
}

/// The same of a name in an open folder.
pub(crate) fn remove_tree_at(within: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    if !unlink(within, name)? {
        return Ok(());
    }
    let top = open_folder(within, name)?;
    let mut open = clear(top.as_fd())?;
    let mut fresh = FreshNames::new()?;
    while let Some(name) = open.pop() {
        let folder = open_folder(top.as_fd(), &name)?;
        for inner in clear(folder.as_fd())? {
            // To move a folder is to write to it, for it names its parent.
            open_folder(folder.as_fd(), &inner)?;
            let aside = fresh.next();
            fs::renameat(&folder, &inner, &top, &aside)?;
            open.push(aside);
        }
        fs::unlinkat(&top, &name, AtFlags::REMOVEDIR)?;
    }
    Ok(fs::unlinkat(within, name, AtFlags::REMOVEDIR)?)
}

/// Unlinks everything in a folder but its folders, and returns their names.
fn clear(folder: BorrowedFd<'_>) -> io::Result<Vec<CString>> {
    let (mut names, mut folders) = (Vec::new(), Vec::new());
    for entry in Dir::read_from(folder)? {
        let name = entry?.file_name().to_owned();
        if !matches!(name.to_bytes(), b"." | b"..") {
            names.push(name);
        }
    }
    for name in names {
        if unlink(folder, &name)? {
            folders.push(name);
        }
    }
    Ok(folders)
}

/// Unlinks an entry that is no folder; returns whether it is a folder.
fn unlink(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<bool> {
    let found = match fs::statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Ok(false),
        found => found?,
    };
    if FileType::from_raw_mode(found.st_mode) == FileType::Directory {
        return Ok(true);
    }
    match fs::unlinkat(parent, name, AtFlags::empty()) {
        Err(Errno::NOENT) => Ok(false),
        result => Ok(result.map(|()| false)?),
    }
}

/// Opens a folder that may be read, written and entered from here on, if it is ours.
fn open_folder(parent: BorrowedFd<'_>, name: impl Arg + Copy) -> io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = fs::openat(parent, name, flags | OFlags::PATH, Mode::empty())?;
    if fs::fstat(&handle)?.st_mode & 0o700 != 0o700 {
        // The mode of a descriptor without read permission can be changed only through this name. For a file of another
        // user this fails, and so do the next steps.
        let _ = fs::chmod(format!("/proc/self/fd/{}", handle.as_raw_fd()), Mode::RWXU);
    }
    Ok(fs::openat(&handle, c".", flags | OFlags::RDONLY, Mode::empty())?)
}

/// Random names, which nobody else uses.
struct FreshNames {
    prefix: u64,
    count: u64,
}

impl FreshNames {
    fn new() -> io::Result<Self> {
        let mut prefix = [0; 8];
        getrandom(&mut prefix, GetRandomFlags::empty())?;
        Ok(Self { prefix: u64::from_ne_bytes(prefix), count: 0 })
    }

    fn next(&mut self) -> CString {
        self.count += 1;
        CString::new(format!("{:016x}-{}", self.prefix, self.count)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use std::fs as std_fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// Creates a tree of this many levels, each with a link in it.
    fn deep(path: &Path, levels: usize) {
        std_fs::create_dir(path).unwrap();
        let mut folder = open_folder(CWD, path).unwrap();
        for _ in 0..levels {
            fs::mkdirat(&folder, "d", Mode::RWXU).unwrap();
            fs::symlinkat("/", &folder, "link").unwrap();
            folder = open_folder(folder.as_fd(), "d").unwrap();
        }
    }

    #[test]
    fn a_tree_deeper_than_any_path_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        deep(&tree, 5_000);
        assert!(crate::durable::sync_tree(&tree).is_err());
        remove_tree(&tree).unwrap();
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn files_links_and_nothing_at_all_are_removed_and_no_link_is_followed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std_fs::create_dir_all(at("kept/sub")).unwrap();
        std_fs::write(at("kept/sub/file"), "x").unwrap();
        std_fs::create_dir_all(at("tree/sub")).unwrap();
        symlink(at("kept"), at("tree/sub/link")).unwrap();
        symlink(at("kept"), at("link")).unwrap();
        std_fs::write(at("file"), "x").unwrap();
        for name in ["tree", "link", "file", "nothing"] {
            remove_tree(&at(name)).unwrap();
            assert!(at(name).symlink_metadata().is_err(), "{name}");
        }
        assert_eq!(std_fs::read(at("kept/sub/file")).unwrap(), b"x");
    }

    #[test]
    fn a_tree_without_permissions_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().join("tree");
        std_fs::create_dir_all(tree.join("a/b/c")).unwrap();
        std_fs::write(tree.join("a/b/file"), "x").unwrap();
        for path in ["a/b/c", "a/b", "a", ""] {
            std_fs::set_permissions(tree.join(path), std_fs::Permissions::from_mode(0o000)).unwrap();
        }
        remove_tree(&tree).unwrap();
        assert!(!tree.exists());
    }
}
