//! Access to the keys that sign the logs, and to other private keys of a watcher.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use gatepost_exec::shell;
use gatepost_mailbox::site::Site;
use gatepost_mailbox::tile_log::Place;

use super::Finding;

/// Any permission of group and others.
const OTHERS: u32 = 0o077;

/// Whether the gate's own user alone can read the key of its log.
pub(super) fn examine(site: &Site) -> Finding {
    let place = Place::of_gate(site);
    if place.is_begun() && place.key.symlink_metadata().is_err() {
        let why = "The log has no key: var/gate/log.key is missing.";
        let fix = "Restore it from a backup, or move var/gate/log/ aside.";
        return Finding::failure("site.log_key", "missing", why, fix);
    }
    let why = "Anyone who can read this key can forge the log of the gate's decisions. Only a checkpoint kept elsewhere reveals that.";
    let fix = "Make it readable by its owner alone. If anyone else read it, move var/gate/log and the key aside so that the \
               gate begins a new log.";
    of_gate(site, "site.log_key", &site.gate_log_key(), why, fix)
}

/// Whether TOOL-EXEC's own user alone can read the key of its log.
pub(super) fn of_exec(site: &Site) -> Finding {
    let why = "Anyone who can read this key can forge the log of claims and runs. Only a checkpoint kept elsewhere reveals that.";
    let fix = "Make it readable by its owner alone. If anyone else read it, move var/exec/log and the key aside so that \
               TOOL-EXEC begins a new log.";
    of([EXEC, GATE], site, "site.exec_log_key", &site.exec_log_key(), why, fix)
}

/// Whether only the gate's own user can read the key at a path. `why` names the risk of another reader, `fix` the remedy.
pub(super) fn of_gate(site: &Site, check: &'static str, path: &Path, why: &'static str, fix: &'static str) -> Finding {
    of([GATE, EXEC], site, check, path, why, fix)
}

/// A watcher: its name and its folder.
type Watcher = (&'static str, &'static str);

const EXEC: Watcher = ("TOOL-EXEC", "var/exec");
const GATE: Watcher = ("the gate", "var/gate");

/// Whether only the first of two watchers can read a key.
fn of(
    [(own, folder), (other, others_folder)]: [Watcher; 2],
    site: &Site,
    check: &'static str,
    path: &Path,
    why: &'static str,
    fix: &'static str,
) -> Finding {
    let owner = |path: &Path| fs::metadata(path).map(|found| found.uid());
    let (Ok(key), Ok(user)) = (fs::symlink_metadata(path), owner(&site.root().join(folder))) else {
        return Finding::ok(check, format!("none yet; {own} makes it when it starts"));
    };
    let found = format!("user {}, mode {:04o}", key.uid(), key.mode() & 0o7777);
    if key.mode() & OTHERS != 0 {
        return Finding::failure(check, found, why, fix).run(shell::line(["chmod", "600", &path.to_string_lossy()]));
    }
    if key.uid() != user {
        let command = shell::line(["chown", &user.to_string(), &path.to_string_lossy()]);
        return Finding::failure(check, found, why, format!("Give it to the user who runs {own}.")).run(command);
    }
    if owner(&site.root().join(others_folder)).is_ok_and(|others| others == user) {
        return Finding::ok(check, format!("{found}: readable by {own}, and by {other}, which has the same user"));
    }
    Finding::ok(check, format!("{found}: readable by {own} alone"))
}
