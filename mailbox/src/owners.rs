//! The owners and modes of a site that two users serve, and how to assign them: `gatepost init --users`.
//!
//! ```text
//! --users exec=gatepost-exec,gate=gatepost-gate,group=gatepost     names, or numbers
//! ```
//!
//! Everything outside the table below stays the operator's. *Security*: root changes owners here, and a watcher's user
//! may rename its files meanwhile: every step uses a descriptor, and no link is followed.

use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::str::FromStr;

use crate::fault::Fault;
use crate::folder::Folder;
use crate::site::{MCP_CALLS, Site};
use crate::user;

/// The users of a site.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Users {
    /// The user of `gatepost exec`.
    pub exec: u32,
    /// The user of `gatepost-gate watch`.
    pub gate: u32,
    /// The group of both users, with no other members.
    pub group: u32,
}

impl FromStr for Users {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (mut exec, mut gate, mut group) = (None, None, None);
        for part in text.split(',') {
            let Some((role, word)) = part.split_once('=') else { return Err(format!("{part:?} is not ROLE=NAME")) };
            let (place, number, kind) = match role {
                "exec" => (&mut exec, user::id(word), "user"),
                "gate" => (&mut gate, user::id(word), "user"),
                "group" => (&mut group, user::group_id(word), "group"),
                _ => return Err(format!("{role:?} is not exec, gate or group")),
            };
            let number = number.ok_or_else(|| format!("this machine has no {kind} {word:?}"))?;
            if place.replace(number).is_some() {
                return Err(format!("{role} is given twice"));
            }
        }
        match (exec, gate, group) {
            (Some(0), ..) | (_, Some(0), _) => Err("neither user may be root".to_owned()),
            (Some(exec), Some(gate), _) if exec == gate => Err("exec and gate must be two users".to_owned()),
            (Some(exec), Some(gate), Some(group)) => Ok(Self { exec, gate, group }),
            _ => Err("exec, gate and group are all needed".to_owned()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The owner of the site's own folder.
    Operator,
    Exec,
    Gate,
}

/// A folder: its owner, its mode, and whether its whole content has the same owner.
struct Row(&'static str, Owner, u32, bool);

/// The folders that the watchers share or have for themselves; the group of each is theirs.
const TABLE: &[Row] = &[
    // The sticky bit protects each user's files from the other; TOOL-EXEC writes the catalog.
    Row("core", Owner::Operator, 0o1775, false),
    Row("core/inbound", Owner::Gate, 0o755, true),
    // Everybody may drop and nobody may list. A dropped file keeps its owner and gets a group that can remove it.
    Row("inbox", Owner::Exec, 0o3733, false),
    Row("inbox/.tmp", Owner::Exec, 0o3733, false),
    // Nobody else may read a result that the gate has not accepted; the gate renames the judged ones.
    Row("outbox", Owner::Exec, 0o2770, true),
    Row("outbox/.tmp", Owner::Exec, 0o700, true),
    Row("quarantine", Owner::Operator, 0o3770, false),
    Row("quarantine/.tmp", Owner::Exec, 0o700, true),
    Row("var/exec", Owner::Exec, 0o755, true),
    // Everybody may ask to cancel and nobody may list; TOOL-EXEC accepts it only from the user who dropped the request.
    Row("var/exec/cancels", Owner::Exec, 0o3733, false),
    Row("var/exchange/claimed", Owner::Exec, 0o755, true),
    Row("var/exchange/judged", Owner::Gate, 0o755, true),
    Row("var/gate", Owner::Gate, 0o755, true),
    // Each user that runs the MCP server creates a folder of its own here, and nobody may list.
    Row(MCP_CALLS, Owner::Operator, 0o1733, false),
];

/// Why a site cannot be assigned to its users.
#[derive(Debug, thiserror::Error)]
pub enum OwnersError {
    /// One of the two users owns the site itself.
    #[error("the site {} belongs to user {owner}, who could change the demands of the gate and the rights of requests", path.display())]
    SiteOfWatcher {
        /// The site.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// A folder is a third user's.
    #[error("{} belongs to user {owner}, neither root nor the owner of the site", path.display())]
    FolderOfStranger {
        /// The folder.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// The system refused.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Assigns a site to its users and returns the changes, one line each. With `dry_run` it changes nothing. No watcher may run.
pub fn set(site: &Site, users: &Users, dry_run: bool) -> Result<Vec<String>, OwnersError> {
    let operator = operator(site, users)?;
    let mut changes = Vec::new();
    for Row(name, owner, mode, is_whole) in TABLE {
        let owner = match owner {
            Owner::Operator => operator,
            Owner::Exec => users.exec,
            Owner::Gate => users.gate,
        };
        let wanted = (owner, users.group, *mode);
        // A dry run may look at a site that is not there yet.
        let folder = Folder::of_site(site, name);
        let found = folder.as_ref().ok().map(Folder::stat).transpose()?;
        if found.is_some_and(|found| (found.st_uid, found.st_gid, found.st_mode & 0o7777) == wanted) {
            continue;
        }
        let (group, who) = (users.group, user::name(owner).unwrap_or_else(|| owner.to_string()));
        changes.push(format!(
            "{name}: {who}, group {}, mode {mode:04o}",
            user::group_name(group).unwrap_or_else(|| group.to_string())
        ));
        if dry_run {
            continue;
        }
        let folder = folder?;
        let before = folder.stat()?.st_uid;
        if *is_whole && before != owner {
            if before != 0 && before != operator {
                return Err(OwnersError::FolderOfStranger { path: folder.path().to_owned(), owner: before });
            }
            give_contents(&folder, owner, group)?;
        }
        folder.give_itself(owner, group)?;
        folder.set_mode(*mode)?;
    }
    Ok(changes)
}

/// The owner of the site, and so of everything that a watcher must not change.
fn operator(site: &Site, users: &Users) -> Result<u32, OwnersError> {
    // The first folder that is there: a dry run may come before the site.
    let owner = site.root().ancestors().find_map(|folder| folder.metadata().ok()).map_or(0, |found| found.uid());
    if owner != users.exec && owner != users.gate {
        return Ok(owner);
    }
    Err(OwnersError::SiteOfWatcher { path: site.root().to_owned(), owner })
}

/// Changes the owner of everything in a folder; modes stay. The content changes before the folder itself.
fn give_contents(folder: &Folder, owner: u32, group: u32) -> Result<(), Fault> {
    for name in folder.names()? {
        if folder.is_folder(&name)? {
            give_contents(&folder.folder(&name)?, owner, group)?;
        }
        folder.give(&name, owner, group)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_users_of_a_site_are_two_and_neither_is_root() {
        let read = |text: &str| text.parse::<Users>();
        assert_eq!(read("group=7,gate=2,exec=1"), Ok(Users { exec: 1, gate: 2, group: 7 }));
        for (text, why) in [
            ("exec=1,gate=1,group=7", "two users"),
            ("exec=0,gate=2,group=7", "root"),
            ("exec=1,gate=root,group=7", "root"),
            ("exec=1,gate=2", "all needed"),
            ("exec=1,exec=3,gate=2,group=7", "twice"),
            ("exec=1,gate=nobody such,group=7", "no user"),
            ("exec", "ROLE=NAME"),
            ("core=1", "is not exec"),
        ] {
            assert!(read(text).unwrap_err().contains(why), "{text}");
        }
    }

    #[test]
    fn what_the_table_names_is_part_of_a_site() {
        for Row(name, ..) in TABLE {
            let is_part = Site::FOLDERS.iter().any(|folder| *folder == *name || Path::new(folder).starts_with(name));
            assert!(is_part || name.ends_with(".tmp") || *name == MCP_CALLS, "{name}");
        }
    }
}
