//! Checks owners and modes of a site's folders and files against the table of trust.
//!
//! Only the inbox may be writable by others, best with mode 1733: everybody can drop, and nobody can list, rename or
//! remove another's drops. *Standards*: POSIX file modes.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use gatepost_documents::text::quoted_name;
use gatepost_exec::shell;
use gatepost_mailbox::site::{CONFIG_FILE, GATE_CONFIG_FILE, MCP_CALLS, Site};
use walkdir::WalkDir;

use super::Finding;

const OTHERS_WRITE: u32 = 0o002;
const GROUP_WRITE: u32 = 0o020;
const STICKY: u32 = 0o1000;

/// Folders that are no state but contain states, or belong to the operator.
const MORE_FOLDERS: &[&str] = &["", "core", "var", "var/exec", "var/gate", "var/exchange", MCP_CALLS, "policies"];
/// Folders besides the inbox that everybody may write if they have the sticky bit.
const OPEN: [&str; 2] = ["var/exec/cancels", MCP_CALLS];
/// Files and folders that define how requests run.
const RULES: &[&str] =
    &["tools", "scope", "policies", "keys", CONFIG_FILE, GATE_CONFIG_FILE, "scope/scope.toml", "toolclad.toml"];
/// The most entries of tools/ that are checked.
const ENTRIES_MAX: usize = 10_000;

/// A file or folder with its metadata.
#[derive(Debug, Clone, Copy)]
struct Entry {
    mode: u32,
    owner: u32,
    group: u32,
    is_link: bool,
}

/// Checks every folder of a site, the folders above it, and all entries of tools/.
pub(super) fn examine(site: &Site) -> Vec<Finding> {
    let root = site.root();
    let owner = entry(root).map_or(0, |entry| entry.owner);
    let mut findings = Vec::new();
    let mut seen = Vec::new();
    let folders = MORE_FOLDERS.iter().chain(Site::FOLDERS).chain(RULES.iter().skip(4));
    for name in folders {
        match entry(&root.join(name)) {
            Ok(entry) => {
                seen.push((name.to_string(), entry));
                findings.extend(judge(root, name, entry, owner));
            }
            Err(_) if !Site::FOLDERS.contains(name) => {}
            Err(error) => findings.push(missing(root, name, &error)),
        }
    }
    for found in WalkDir::new(site.tools()).min_depth(1).into_iter().filter_map(Result::ok).take(ENTRIES_MAX) {
        let Ok(entry) = entry(found.path()) else { continue };
        let name = found.path().strip_prefix(root).unwrap_or(found.path()).to_string_lossy();
        // A link in tools/ is checked as a link; its target is outside this site.
        findings.extend(judge(root, &name, Entry { is_link: false, ..entry }, owner).filter(|_| !entry.is_link));
        seen.push((name.into_owned(), entry));
    }
    for above in root.ancestors().skip(1) {
        findings.extend(entry(above).ok().and_then(|entry| judge_above(above, entry, owner)));
    }
    if findings.is_empty() {
        findings.push(Finding::ok("rights.all", changeable(&seen)));
    }
    findings.push(inbox(root, entry(&site.inbox()).ok()));
    findings.push(users(entry(&root.join("var/exec")).ok(), entry(&root.join("var/gate")).ok()));
    findings
}

fn entry(path: &Path) -> io::Result<Entry> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_symlink() {
        let target = fs::metadata(path)?;
        return Ok(Entry { mode: target.mode(), owner: target.uid(), group: target.gid(), is_link: true });
    }
    Ok(Entry { mode: metadata.mode(), owner: metadata.uid(), group: metadata.gid(), is_link: false })
}

fn user(id: u32) -> String {
    if id == 0 { "root".to_owned() } else { format!("user {id}") }
}

/// Who can change what: all owners, and the groups with write access. Another finding covers the inbox.
fn changeable(seen: &[(String, Entry)]) -> String {
    let others: BTreeSet<u32> = seen.iter().map(|(_, entry)| entry.owner).filter(|owner| *owner != 0).collect();
    let owners: Vec<String> = others.into_iter().map(user).chain(["root".to_owned()]).collect();
    let mut found =
        format!("{} folders and files, which only their owners ({}) can change", seen.len(), owners.join(", "));
    let shared = |(name, entry): &&(String, Entry)| {
        entry.mode & GROUP_WRITE != 0 && name != "inbox" && !OPEN.contains(&name.as_str())
    };
    let shared: Vec<String> =
        seen.iter().filter(shared).map(|(name, entry)| format!("{name} by group {}", entry.group)).collect();
    if !shared.is_empty() {
        found += &format!(", and {}", shared.join(", "));
    }
    found
}

fn check(name: &str) -> String {
    format!("rights.{}", if name.is_empty() { "site" } else { name })
}

fn chmod(mode: &str, path: &Path) -> String {
    shell::line(["chmod", mode, &path.to_string_lossy()])
}

fn missing(root: &Path, name: &str, error: &io::Error) -> Finding {
    let command = shell::line(["gatepost", "--site", &root.to_string_lossy(), "init", "--no-samples"]);
    Finding::warning(check(name), "missing", format!("The folder cannot be read: {error}."), "Run init to create it.")
        .run(command)
}

/// The fault of an entry of the site, if any.
fn judge(root: &Path, name: &str, entry: Entry, site_owner: u32) -> Option<Finding> {
    let path = root.join(name);
    let found = format!("{}, mode {:04o}", user(entry.owner), entry.mode & 0o7777);
    let is_rule = RULES.iter().any(|rule| Path::new(name).starts_with(rule));
    // Each name in it belongs to its user, and TOOL-EXEC checks the owner.
    let is_open = OPEN.contains(&name) && entry.mode & STICKY != 0;
    if entry.mode & OTHERS_WRITE != 0 && name != "inbox" && !is_open {
        let why = "Every user of this machine can change it, and thus what gatepost runs, trusts or has answered.";
        let bits = if is_rule && entry.mode & GROUP_WRITE != 0 { "go-w" } else { "o-w" };
        return Some(Finding::failure(check(name), found, why, "Remove that permission.").run(chmod(bits, &path)));
    }
    if is_rule && entry.mode & GROUP_WRITE != 0 {
        let why = "Members of its group can change what requests may do.";
        let fix = "Remove that permission, unless all of them are operators.";
        return Some(Finding::warning(check(name), found, why, fix).run(chmod("g-w", &path)));
    }
    if is_rule && entry.owner != 0 && entry.owner != site_owner {
        let why = format!(
            "Neither root nor the owner of the site (user {site_owner}) owns it, so somebody else decides what requests may do."
        );
        return Some(Finding::warning(check(name), found, why, "Change its owner to the owner of the site."));
    }
    entry.is_link.then(|| {
        let why =
            "It is a symbolic link: anyone who can change its target folder, or a parent of that, can change the site.";
        Finding::warning(check(name), format!("a link; {found}"), why, "Move the folder itself here, or mount it here.")
    })
}

/// The fault of a folder above the site.
fn judge_above(path: &Path, entry: Entry, site_owner: u32) -> Option<Finding> {
    let found = format!("{}: {}, mode {:04o}", quoted_name(path.as_os_str()), user(entry.owner), entry.mode & 0o7777);
    let replaceable = "could replace this site with another";
    if entry.mode & OTHERS_WRITE != 0 && entry.mode & STICKY == 0 {
        let why = format!("Every user of this machine can rename the entries of this folder, and {replaceable}.");
        let fix = "Remove that permission, or set the sticky bit.";
        return Some(Finding::failure("rights.above", found, why, fix).run(chmod("+t", path)));
    }
    (entry.owner != 0 && entry.owner != site_owner).then(|| {
        let why = format!("User {} owns a folder above the site, and {replaceable}.", entry.owner);
        Finding::warning("rights.above", found, why, "Move the site under folders owned by root or by its own user.")
    })
}

fn inbox(root: &Path, entry: Option<Entry>) -> Finding {
    let Some(entry) = entry else { return Finding::ok("rights.inbox", "missing") };
    let found = |who: &str| format!("{who} ({}, mode {:04o})", user(entry.owner), entry.mode & 0o7777);
    match (entry.mode & OTHERS_WRITE != 0, entry.mode & STICKY != 0) {
        (true, true) => Finding::ok("rights.inbox", found("every user of this machine may drop requests")),
        (true, false) => {
            let why = "Every user of this machine may drop requests, but also rename and remove the drops of others.";
            let path = root.join("inbox");
            let fix = "Make it a folder that everybody can write to and nobody can list.";
            Finding::warning("rights.inbox", found("open"), why, fix).run(chmod("1733", &path))
        }
        (false, _) if entry.mode & GROUP_WRITE != 0 => Finding::ok("rights.inbox", found("owner and group may drop")),
        (false, _) => Finding::ok("rights.inbox", found("its owner may drop")),
    }
}

fn users(exec: Option<Entry>, gate: Option<Entry>) -> Finding {
    let (Some(exec), Some(gate)) = (exec, gate) else { return Finding::unavailable("rights.users", "unknown") };
    if exec.owner != gate.owner {
        return Finding::ok("rights.users", format!("{} for exec, {} for gate", user(exec.owner), user(gate.owner)));
    }
    let mut why =
        "With one user for both, the gate protects against bugs in TOOL-EXEC, not against a compromised TOOL-EXEC."
            .to_owned();
    if exec.owner == 0 {
        why += " Here it is root, to whom the kernel's process limit does not apply: gatepost counts processes, but a fork bomb can outrun that.";
    }
    let fix = "Where that matters, run `gatepost exec` and `gatepost gate` as two separate users, which `gatepost init --users` sets up.";
    Finding::warning("rights.users", format!("{} for exec and gate", user(exec.owner)), why, fix)
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    fn judged(name: &str, mode: u32, owner: u32, is_link: bool) -> Option<(Status, String)> {
        let finding = judge(Path::new("/s"), name, Entry { mode, owner, group: 7, is_link }, 7)?;
        Some((finding.status, finding.fix_command.unwrap_or_default()))
    }

    #[test]
    fn what_others_can_change_is_a_failure_and_the_rules_have_one_owner() {
        for name in ["", "var/exec", "outbox", "core/inbound", "tools", "tools/a.clad.toml", CONFIG_FILE] {
            let command = format!("chmod o-w {}", Path::new("/s").join(name).display());
            assert_eq!(judged(name, 0o40757, 7, false), Some((Status::Failure, command)), "{name}");
            assert_eq!(judged(name, 0o41777, 7, false).map(|judged| judged.0), Some(Status::Failure), "{name}");
            assert_eq!(judged(name, 0o40755, 7, false), None, "{name}");
        }
        let both = judged("keys", 0o777, 7, false).map(|(_, command)| command);
        assert_eq!(both.as_deref(), Some("chmod go-w /s/keys"));
        for name in ["tools", "keys", "tools/scripts/x", CONFIG_FILE] {
            assert_eq!(judged(name, 0o775, 7, false).map(|judged| judged.0), Some(Status::Warning), "{name}");
            assert_eq!(judged(name, 0o755, 8, false).map(|judged| judged.0), Some(Status::Warning), "{name}");
            assert_eq!(judged(name, 0o755, 0, false), None, "{name} of root");
        }
        assert_eq!(judged("outbox", 0o775, 8, false), None, "two watchers may share by a group");
        assert_eq!(judged("outbox", 0o755, 7, true).map(|judged| judged.0), Some(Status::Warning));
    }

    #[test]
    fn an_open_inbox_is_as_it_should_be_only_with_the_sticky_bit() {
        let status = |mode| inbox(Path::new("/s"), Some(Entry { mode, owner: 7, group: 7, is_link: false })).status;
        assert_eq!(
            (status(0o41733), status(0o41777), status(0o40755), status(0o40775)),
            (Status::Ok, Status::Ok, Status::Ok, Status::Ok)
        );
        assert_eq!(status(0o40777), Status::Warning);
    }

    #[test]
    fn a_folder_above_that_others_can_rename_in_is_a_failure() {
        let status = |mode, owner| {
            let entry = Entry { mode, owner, group: 7, is_link: false };
            judge_above(Path::new("/srv"), entry, 7).map(|finding| finding.status)
        };
        assert_eq!(status(0o40777, 0), Some(Status::Failure));
        assert_eq!(status(0o41777, 0), None);
        assert_eq!(status(0o40755, 8), Some(Status::Warning));
        assert_eq!((status(0o40755, 7), status(0o40755, 0)), (None, None));
    }

    #[test]
    fn one_user_for_both_watchers_is_told() {
        let of = |owner| Some(Entry { mode: 0o40755, owner, group: 7, is_link: false });
        assert_eq!(users(of(1), of(2)).status, Status::Ok);
        assert_eq!(users(of(1), of(1)).status, Status::Warning);
        assert!(users(of(0), of(0)).why.unwrap().contains("root"));
    }
}
