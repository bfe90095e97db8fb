//! Opens a path below a folder, one name at a time, none of them a link.
//!
//! openat2 takes the whole path, but systemd's `RestrictSUIDSGID=`, which the watchers' units set, refuses it. Standards: POSIX.1-2024
//! openat.

use std::os::fd::OwnedFd;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Opens it with these flags and, where they create it, this mode; the path `.` is the folder. Errors of its own: `XDEV` for a path that
/// leads out, `LOOP` or `NOTDIR` for a link.
pub(super) fn open(folder: &OwnedFd, below: &Path, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    let mut parents = below.components().filter(|component| *component != Component::CurDir);
    let (last, mut parent) = (parents.next_back().unwrap_or(Component::CurDir), None);
    for component in parents {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        parent = Some(open_name(parent.as_ref().unwrap_or(folder), component, flags, Mode::empty())?);
    }
    open_name(parent.as_ref().unwrap_or(folder), last, flags, mode)
}

fn open_name(folder: &OwnedFd, name: Component<'_>, flags: OFlags, mode: Mode) -> rustix::io::Result<OwnedFd> {
    if !matches!(name, Component::Normal(_) | Component::CurDir) {
        return Err(Errno::XDEV);
    }
    rustix::fs::openat(folder, name.as_os_str(), flags | OFlags::NOFOLLOW, mode)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_path_is_opened_through_folders_alone_and_leads_nowhere_else() {
        let scratch = tempfile::tempdir().unwrap();
        fs::create_dir_all(scratch.path().join("a/b")).unwrap();
        fs::write(scratch.path().join("a/b/file"), "").unwrap();
        symlink("a", scratch.path().join("link")).unwrap();
        symlink("file", scratch.path().join("a/b/link")).unwrap();
        let folder = OwnedFd::from(fs::File::open(scratch.path()).unwrap());
        let opened = |path: &str, flags| open(&folder, Path::new(path), flags, Mode::empty()).map(drop);
        for path in ["a/b/file", "./a/./b/file", "a//b/file", "a/b", ".", ""] {
            assert_eq!(opened(path, OFlags::RDONLY), Ok(()), "{path}");
        }
        for (path, errno) in [
            ("link/b/file", Errno::NOTDIR),
            ("a/b/link", Errno::LOOP),
            ("..", Errno::XDEV),
            ("a/../a/b/file", Errno::XDEV),
            ("/etc/hostname", Errno::XDEV),
            ("a/missing/file", Errno::NOENT),
        ] {
            assert_eq!(opened(path, OFlags::RDONLY), Err(errno), "{path}");
        }
        assert_eq!(opened("link", OFlags::PATH | OFlags::DIRECTORY), Err(Errno::NOTDIR));
    }
}
