//! Moves an item into quarantine: by one rename, or by a copy if it is on another file system or in another user's
//! folder, which only its owner can move.
//!
//! An interrupted copy leaves the original, which is then quarantined once more: nothing is lost. An original that may not be
//! removed gets a name that nobody mistakes for an item. *Security*: the item may have any type; no link is followed, only
//! regular files and folders are opened, and an item of implausible size or depth stays where it is, as a fault.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, symlink};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::io::Errno;

use crate::durable;
use crate::fault::{Fault, OnPath};

const FILE_BYTES_MAX: u64 = 1 << 30;
const DEPTH_MAX: usize = 32;

/// Moves `from` to `to`, which must not exist, and flushes the folder that it left.
pub(super) fn carry(from: &Path, to: &Path) -> Result<(), Fault> {
    match durable::rename_new(from, to) {
        Err(fault) if matches!(Errno::from_io_error(&fault.source), Some(Errno::XDEV | Errno::ACCESS)) => {
            copy(from, to, 0)?;
            durable::sync_folder(to.parent().unwrap_or(to))?;
            match remove(from) {
                Err(fault) if fault.source.kind() == io::ErrorKind::PermissionDenied => set_aside(from)?,
                removed => removed?,
            }
        }
        moved => moved?,
    }
    durable::sync_folder(from.parent().unwrap_or(from))
}

/// Recursion is bounded by `DEPTH_MAX`.
fn copy(from: &Path, to: &Path, depth: usize) -> Result<(), Fault> {
    let found = from.symlink_metadata().on("look at", from)?;
    let kind = found.file_type();
    if kind.is_symlink() {
        let target = fs::read_link(from).on("read", from)?;
        symlink(target, to).on("create", to)
    } else if kind.is_dir() && depth < DEPTH_MAX {
        fs::create_dir(to).on("create", to)?;
        for entry in from.read_dir().on("list", from)? {
            let name = entry.on("list", from)?.file_name();
            copy(&from.join(&name), &to.join(&name), depth + 1)?;
        }
        durable::sync_folder(to)
    } else if kind.is_file() && found.len() <= FILE_BYTES_MAX {
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let source = File::options().read(true).custom_flags(flags).open(from).on("open", from)?;
        let mut copy = durable::create_new(to)?;
        io::copy(&mut io::Read::take(source, FILE_BYTES_MAX), &mut copy).on("copy to", to)?;
        copy.sync_all().on("flush", to)
    } else if kind.is_fifo() || kind.is_socket() || kind.is_block_device() || kind.is_char_device() {
        let kind = FileType::from_raw_mode(found.mode());
        mknodat(CWD, to, kind, Mode::from_raw_mode(0o600), found.rdev()).on("create", to)
    } else {
        Err(io::Error::from(io::ErrorKind::FileTooLarge)).on("copy", from)
    }
}

fn set_aside(path: &Path) -> Result<(), Fault> {
    let mut name = OsString::from(format!(".refused-{:08x}-", super::random()?));
    name.push(path.file_name().unwrap_or_default());
    durable::rename_new(path, &path.with_file_name(name))
}

fn remove(path: &Path) -> Result<(), Fault> {
    if path.symlink_metadata().on("look at", path)?.is_dir() {
        durable::remove_tree(path)
    } else {
        fs::remove_file(path).on("remove", path)
    }
}
