//! Tests for real whether each user can make its watcher's moves in the state table, and that no user can make forbidden writes.
//!
//! A thread takes the ids of a watcher's user, makes each move with the doctor's own folder, and removes it. Only root
//! can do this; other users test their own part. *Security*: the names are dotfiles, which count as no item; existing
//! files are never written. *Standards*: Linux `credentials(7)`: ids belong to a thread.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use gatepost_exec::mailbox::claim::taken_name;
use gatepost_exec::shell;
use gatepost_mailbox::durable;
use gatepost_mailbox::site::STAGING;
use gatepost_mailbox::user;
use rustix::fs::{Access, Gid, Uid};
use rustix::process::geteuid;
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use super::Finding;
use crate::cli::prelude::*;

/// A user with its groups; the first group is the effective one.
struct Party {
    uid: u32,
    groups: Vec<u32>,
}

/// An action of a watcher, fitting the sentence "cannot {what}".
type Move = (&'static str, fn(&Site) -> Result<(), Fault>);

const EXEC: &[Move] = &[
    ("read the configuration and the tools", |site| {
        File::open(site.config_file()).on("open", &site.config_file())?;
        list(&[site.tools(), site.policies(), site.scope(), site.keys(), site.exchange_judged()])
    }),
    ("hold its lock", |site| hold(&site.exec_lock())),
    ("take drops out of the inbox", |site| {
        list(&[site.inbox()])?;
        carry(&[site.inbox().join(STAGING), site.inbox()])
    }),
    ("carry requests through their states", |site| {
        let claimed = site.claimed();
        carry(&[claimed.join(STAGING), claimed.clone(), site.pending(), claimed, site.running(), site.done()])
    }),
    ("read the decisions of people", |site| list(&[site.exec_orders()])),
    ("write its log", |site| {
        open_if_there(&site.exec_log_key())?;
        carry(&[site.exec_log()])
    }),
    ("publish the digests of claimed requests", |site| carry(&[site.exchange_claimed()])),
    ("write the catalog", |site| carry(&[site.root().join("core")])),
    ("publish results", |site| carry(&[site.outbox().join(STAGING), site.outbox()])),
    ("move refused items into quarantine", |site| carry(&[site.quarantine().join(STAGING), site.quarantine()])),
];

const GATE: &[Move] = &[
    ("read its rules and configuration", |site| {
        let demands = site.gate_config_file();
        open_if_there(&demands)?;
        list(&[site.tools(), site.keys(), site.exchange_claimed()])
    }),
    ("hold its lock", |site| hold(&site.gate_lock())),
    ("write its log", |site| {
        open_if_there(&site.gate_log_key())?;
        open_if_there(&site.gate_attestation_key())?;
        carry(&[site.gate_log()])?;
        carry(&[site.gate_audit()])
    }),
    ("take results out of the outbox", |site| {
        list(&[site.outbox()])?;
        carry(&[site.outbox()])
    }),
    ("accept results", |site| carry(&[site.gate_judging(), site.core_inbound()])),
    ("move rejected results into quarantine", |site| carry(&[site.gate_judging(), site.quarantine()])),
    ("execute orders", |site| carry(&[site.gate_orders()])),
    ("publish which results it judged", |site| carry(&[site.exchange_judged()])),
];

/// Paths that only the operator may write.
const OPERATORS: [fn(&Site) -> PathBuf; 8] = [
    |site| site.root().to_owned(),
    Site::config_file,
    Site::gate_config_file,
    Site::tools,
    Site::policies,
    Site::scope,
    Site::keys,
    Site::rules,
];

/// Paths that TOOL-EXEC may not write if the gate is another user.
const GATES: [fn(&Site) -> PathBuf; 7] = [
    Site::core_inbound,
    Site::gate_judging,
    Site::gate_orders,
    Site::gate_audit,
    Site::gate_log,
    Site::exchange_judged,
    Site::gate_log_key,
];

/// Paths that the gate may not write if TOOL-EXEC is another user.
const EXECS: [fn(&Site) -> PathBuf; 5] =
    [Site::claimed, Site::done, Site::exchange_claimed, Site::exec_log, Site::exec_log_key];

/// The permissions of every user of the machine.
const OTHERS_READ: u32 = 0o004;
const OTHERS_WRITE: u32 = 0o002;

/// Tests both watchers' users, by the owners of their folders.
pub(super) fn examine(site: &Site) -> Vec<Finding> {
    let [Some(exec), Some(gate)] = ["var/exec", "var/gate"].map(|name| Party::owner_of(&site.root().join(name))) else {
        return Vec::new();
    };
    let fix = shell::line([
        "gatepost",
        "--site",
        &site.root().to_string_lossy(),
        "init",
        &format!("--users=exec={},gate={},group={}", exec.uid, gate.uid, exec.groups[0]),
    ]);
    let are_two = exec.uid != gate.uid;
    let mut findings = Vec::new();
    for (check, party, moves, others) in
        [("rights.exec_moves", &exec, EXEC, &GATES[..]), ("rights.gate_moves", &gate, GATE, &EXECS)]
    {
        let forbidden = OPERATORS.iter().chain(others).filter(|_| are_two && party.uid != 0);
        let tried = party.act(|| tried(site, moves, &forbidden.map(|path| path(site)).collect::<Vec<_>>()));
        let finding = finding(check, party, tried);
        findings.push(if are_two && finding.fix.is_some() { finding.run(&fix) } else { finding });
    }
    findings.extend(drops(site, &exec));
    findings.extend(unjudged(site).filter(|_| are_two).map(|finding| finding.run(&fix)));
    findings
}

/// The failed moves and the forbidden writes of a user.
type Tried = (Vec<(&'static str, Fault)>, Vec<PathBuf>);

fn tried(site: &Site, moves: &[Move], forbidden: &[PathBuf]) -> Tried {
    // Other checks report missing paths.
    let is_fault = |fault: &Fault| fault.source.kind() != io::ErrorKind::NotFound;
    let failed = moves.iter().filter_map(|(what, make)| Some((*what, make(site).err().filter(is_fault)?)));
    let may_write = |path: &&PathBuf| rustix::fs::access(path.as_path(), Access::WRITE_OK).is_ok();
    (failed.collect(), forbidden.iter().filter(may_write).cloned().collect())
}

fn finding(check: &str, party: &Party, tried: io::Result<Tried>) -> Finding {
    let who = user::name(party.uid).unwrap_or_else(|| format!("user {}", party.uid));
    let (failed, excess) = match tried {
        Ok(tried) => tried,
        Err(error) => return Finding::unavailable(check, format!("this user cannot test it for {who}: {error}")),
    };
    if let Some((_, fault)) = failed.first() {
        let what: Vec<&str> = failed.iter().map(|(what, _)| *what).collect();
        let why = format!("gatepost failed to {fault}. Requests and results stay where they are.");
        let fix = "Correct the owner, group or mode of the folder.";
        return Finding::failure(check, format!("{who} cannot {}", what.join(", ")), why, fix);
    }
    if !excess.is_empty() {
        let shown: Vec<String> = excess.iter().map(|path| path.display().to_string()).collect();
        let why = "A compromised watcher could change files of the other watcher or of the operator.";
        let fix = "Correct the owner, group or mode of these.";
        return Finding::failure(check, format!("{who} can write to {}", shown.join(", ")), why, fix);
    }
    Finding::ok(check, format!("{who} can make every move of its watcher"))
}

/// Whether TOOL-EXEC can take a drop of any user, if any user may drop.
fn drops(site: &Site, exec: &Party) -> Option<Finding> {
    const CHECK: &str = "rights.requester_moves";
    const NOBODY: u32 = 65_534;
    let (inbox, nobody) = (site.inbox(), Party { uid: NOBODY, groups: vec![NOBODY] });
    if inbox.metadata().ok()?.mode() & OTHERS_WRITE == 0 || !geteuid().is_root() {
        return None;
    }
    let dropped = inbox.join(format!(".doctor-drop-{}", std::process::id()));
    let failed = nobody.act(|| durable::write_new(&dropped, b"")).ok()?.err();
    let taken = exec.act(|| durable::remove_tree(&dropped)).ok()?.err();
    // A drop that could not be taken is removed.
    let _ = durable::remove_tree(&dropped);
    if let Some(fault) = failed.or(taken) {
        let why = format!("gatepost failed to {fault}.");
        let fix = "Let the user of `gatepost exec` own inbox/.";
        return Some(Finding::failure(CHECK, "TOOL-EXEC cannot take drops of other users", why, fix));
    }
    let staging = inbox.join(STAGING);
    if nobody.act(|| rustix::fs::access(&staging, Access::WRITE_OK)).ok()?.is_err() {
        let why = "Other users can drop files, but their `gatepost submit` and `gatepost approve` fail: both write to inbox/.tmp/ first.";
        let fix = "Give it the mode of inbox/.";
        let command = shell::line(["chmod", "1733", &staging.to_string_lossy()]);
        return Some(Finding::warning(CHECK, "inbox/.tmp is closed to other users", why, fix).run(command));
    }
    Some(Finding::ok(CHECK, "every user of this machine can drop, and TOOL-EXEC can take the drop"))
}

/// Whether drops of other users were claimed but could not be removed.
pub(super) fn leftovers(site: &Site) -> Option<Finding> {
    const CHECK: &str = "rights.leftovers";
    let inbox = site.inbox();
    let names = match inbox.read_dir() {
        Ok(names) => names.filter_map(Result::ok).map(|entry| entry.file_name()),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Some(Finding::unavailable(CHECK, "this user may not list inbox/"));
        }
        Err(_) => return None,
    };
    let count = names.filter(|name| name.to_str().is_some_and(|name| taken_name(name).is_some())).count();
    (count > 0).then(|| {
        let why = "TOOL-EXEC claimed these requests, but may not write to the folders, which other users own. Their files stay.";
        let fix = "Remove them. A folder that is made in inbox/.tmp/ with umask 002 leaves nothing behind.";
        let inbox = inbox.to_string_lossy();
        let words = ["find", &*inbox, "-mindepth", "1", "-maxdepth", "1", "-name", ".claimed-*", "-exec", "rm", "-r"];
        let command = format!("{} {{}} +", shell::line(words));
        Finding::warning(CHECK, format!("{} left in inbox/", counted(count, "claimed drop")), why, fix).run(command)
    })
}

/// Whether other users can read unjudged or refused items.
fn unjudged(site: &Site) -> Option<Finding> {
    let folders = [("outbox", site.outbox()), ("quarantine", site.quarantine())];
    let is_open = |path: &Path| path.metadata().is_ok_and(|found| found.mode() & OTHERS_READ != 0);
    let open: Vec<&str> = folders.iter().filter(|(_, path)| is_open(path)).map(|(name, _)| *name).collect();
    (!open.is_empty()).then(|| {
        let why = "Every user of this machine can read results that the gate has not accepted.";
        Finding::warning("rights.unjudged", open.join(", "), why, "Let only the watchers and the operator read them.")
    })
}

impl Party {
    /// The user who owns a folder, with the folder's group and the groups of the user database.
    fn owner_of(folder: &Path) -> Option<Self> {
        let found = folder.metadata().ok()?;
        Some(Self { uid: found.uid(), groups: [vec![found.gid()], user::groups(found.uid())].concat() })
    }

    /// Runs something as this user, in its own thread; the error says that this process may not.
    fn act<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        if geteuid().as_raw() == self.uid {
            return Ok(work());
        }
        let become_it = || {
            let groups: Vec<Gid> = self.groups.iter().copied().map(Gid::from_raw).collect();
            let (uid, gid) = (Uid::from_raw(self.uid), groups[0]);
            set_thread_groups(&groups)?;
            set_thread_res_gid(gid, gid, gid)?;
            set_thread_res_uid(uid, uid, uid)
        };
        let act = || become_it().map(|()| work()).map_err(io::Error::from);
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, act)?;
            thread.join().unwrap_or_else(|_| Err(io::Error::other("its thread panicked")))
        })
    }
}

/// Creates a folder with a file, moves it from place to place, and removes it.
fn carry(places: &[PathBuf]) -> Result<(), Fault> {
    let name = format!(".doctor-{}", std::process::id());
    let at = |place: &PathBuf| place.join(&name);
    let [first, ..] = places else { return Ok(()) };
    let make = || {
        fs::create_dir(at(first)).on("create", &at(first))?;
        durable::create_new(&at(first).join("file")).map(drop)?;
        places.windows(2).try_for_each(|pair| durable::rename_new(&at(&pair[0]), &at(&pair[1])))
    };
    let moved = make();
    let removed = places.iter().try_for_each(|place| durable::remove_tree(&at(place)));
    moved.and(removed)
}

fn list(folders: &[PathBuf]) -> Result<(), Fault> {
    folders.iter().try_for_each(|folder| folder.read_dir().on("list", folder).map(drop))
}

/// A watcher has to be able to open an existing lock file.
fn hold(path: &Path) -> Result<(), Fault> {
    File::options().read(true).write(true).open(path).on("open", path).map(drop)
}

fn open_if_there(path: &Path) -> Result<(), Fault> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        opened => opened.on("open", path).map(drop),
    }
}
