//! The caller's access to a path, checked by the kernel, and the hint for missing access.
//!
//! It changes nothing. The answer holds only now: a later operation can still fail.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::cli::prelude::*;
use gatepost_mailbox::site::CONFIG_FILE;
use gatepost_mailbox::user;
use rustix::fs::{Access, AtFlags, CWD, accessat};

/// The section of the documents on rights in a site.
pub(super) const DESCRIBED: &str = "docs/operator.md, section \"Two users\", lists who may do what.";

/// A kind of access to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Right {
    /// Look up names in a folder.
    Enter,
    /// Read a file, or list a folder.
    Read,
    /// Change a file, or make and remove names in a folder.
    Write,
}

impl Right {
    /// Within "may not … PATH".
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Enter => "enter",
            Self::Read => "read",
            Self::Write => "write to",
        }
    }
}

/// Whether the caller has a right.
pub(super) fn may(path: &Path, right: Right) -> bool {
    let needed = match right {
        Right::Enter => Access::EXEC_OK,
        Right::Read => Access::READ_OK,
        Right::Write => Access::WRITE_OK,
    };
    accessat(CWD, path, needed, AtFlags::EACCESS).is_ok()
}

/// The first missing right on the way to a path. For a missing path, the folder above counts.
pub(super) fn lacking(path: &Path, right: Right) -> Option<(PathBuf, Right)> {
    let mut above: Vec<&Path> = path.ancestors().skip(1).filter(|folder| folder.parent().is_some()).collect();
    above.reverse();
    if let Some(closed) = above.into_iter().find(|folder| folder.is_dir() && !may(folder, Right::Enter)) {
        return Some((closed.to_owned(), Right::Enter));
    }
    let there = path.ancestors().find(|path| path.symlink_metadata().is_ok())?;
    (!may(there, right)).then(|| (there.to_owned(), right))
}

/// The hint after EACCES or EPERM: the owner, the missing right, and the page that describes rights.
pub(super) fn hint(fault: &Fault) -> String {
    let path = fault.path.as_path();
    if fault.operation.starts_with("change the owner") {
        return format!("Only root may give a file to another user. {DESCRIBED}");
    }
    let reads = ["read", "list", "open", "find", "look at", "use", "check"]
        .iter()
        .any(|verb| fault.operation.starts_with(verb));
    let folder = path.parent().unwrap_or(path);
    let tried = if reads {
        [(path, Right::Read), (path, Right::Write)]
    } else {
        [(folder, Right::Write), (path, Right::Write)]
    };
    let lacking = tried.into_iter().find_map(|(path, right)| lacking(path, right));
    let (at, missing) = match &lacking {
        Some((at, right)) => (at.as_path(), format!("may not {} it", right.as_str())),
        None => (path, "is not its owner, and only the owner may do this".to_owned()),
    };
    let me = user_name(rustix::process::geteuid().as_raw());
    let belongs = match at.symlink_metadata() {
        Ok(found) => format!(
            "{} belongs to {}, group {}, mode {:04o}; {me} {missing}.",
            at.display(),
            user_name(found.uid()),
            user::group_name(found.gid()).unwrap_or_else(|| found.gid().to_string()),
            found.mode() & 0o7777
        ),
        Err(_) => format!("{me} {missing}: {}.", at.display()),
    };
    let is_in_site = at.ancestors().any(|folder| folder.join(CONFIG_FILE).is_file());
    let advice = if is_in_site { DESCRIBED } else { "Use another path, or ask its owner for the permission." };
    format!("{belongs} {advice}")
}

/// The name of a user, or the number if it has none.
pub(super) fn user_name(uid: u32) -> String {
    user::name(uid).unwrap_or_else(|| format!("user {uid}"))
}
