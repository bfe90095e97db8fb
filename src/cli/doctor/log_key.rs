//! Who can read the key that signs the gate's log, and any other that is the gate's alone.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use gatepost_mailbox::site::Site;

use super::Finding;
use crate::shell;

/// Any permission of group and others.
const OTHERS: u32 = 0o077;

/// Whether the gate's own user alone can read the key of its log.
pub fn examine(site: &Site) -> Finding {
    let why = "Whoever can read this key can sign another record of what the gate decided, which only a checkpoint that was kept elsewhere shows.";
    let fix = "Let its owner alone read it; if somebody else did, set var/gate/log and the key aside, so that the gate begins a new log.";
    of_gate(site, "site.log_key", &site.gate_log_key(), why, fix)
}

/// Whether the gate's own user alone can read the key at a path. `why` says what whoever else can could do, `fix` what to do then.
pub fn of_gate(site: &Site, check: &'static str, path: &Path, why: &'static str, fix: &'static str) -> Finding {
    let owner = |path: &Path| fs::metadata(path).map(|found| found.uid());
    let (Ok(key), Ok(gate)) = (fs::symlink_metadata(path), owner(&site.root().join("var/gate"))) else {
        return Finding::ok(check, "none yet; the gate makes it when it starts");
    };
    let found = format!("user {}, mode {:04o}", key.uid(), key.mode() & 0o7777);
    if key.mode() & OTHERS != 0 {
        return Finding::failure(check, found, why, fix).run(shell::line(["chmod", "600", &path.to_string_lossy()]));
    }
    if key.uid() != gate {
        let fix = "Give it to the user who runs the gate.";
        let command = shell::line(["chown", &gate.to_string(), &path.to_string_lossy()]);
        return Finding::failure(check, found, why, fix).run(command);
    }
    if owner(&site.root().join("var/exec")).is_ok_and(|exec| exec == gate) {
        return Finding::ok(check, format!("{found}: read by the gate, and by TOOL-EXEC, which has the same user"));
    }
    Finding::ok(check, format!("{found}: read by the gate alone"))
}
