//! A user of the same machine, taken over: what it puts into the folders that it owns, while somebody else runs ordinary commands there.
//!
//! Tests of more than one user need root; run by somebody else there is nothing of them to see.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::keep::users::{EXEC, GATE, GROUP, Shared};
use crate::office::Office;
use crate::site::{Request, Site, is_root, text};

/// Swaps whatever somebody else puts into one of its folders, or into a folder there, for a link to the first argument.
const SWAPPER: &str = r#"
import os, sys, time
evil, folders = sys.argv[1], sys.argv[2:]
known = {folder: set(os.listdir(folder)) for folder in folders}
print("ready", flush=True)
while True:
    for folder in folders:
        for name in os.listdir(folder):
            path = f"{folder}/{name}"
            try:
                if name in known[folder] or os.lstat(path).st_uid == os.getuid(): continue
                os.rename(path, f"{folder}/.moved-{time.time_ns()}")
                os.symlink(evil, path)
            except OSError: pass
"#;

struct Swapper(Child);

impl Drop for Swapper {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// What is root's alone, and a folder of the hostile user's that leads there by every name that a command might use.
struct Trap {
    victim: PathBuf,
    evil: PathBuf,
}

impl Trap {
    fn new(shared: &Shared, user: u32) -> Self {
        let place = shared.program.parent().unwrap();
        let (victim, evil) = (place.join(format!("victim-{user}")), place.join(format!("evil-{user}")));
        fs::create_dir(&victim).unwrap();
        fs::write(victim.join("notes"), "root's").unwrap();
        fs::set_permissions(&victim, fs::Permissions::from_mode(0o700)).unwrap();
        fs::create_dir(&evil).unwrap();
        for name in ["in", "approvals", "data", "requests", "results", "artifacts", "out"] {
            symlink(&victim, evil.join(name)).unwrap();
        }
        chown(&evil, Some(user), Some(GROUP)).unwrap();
        fs::set_permissions(&evil, fs::Permissions::from_mode(0o2777)).unwrap();
        Self { victim, evil }
    }

    /// Each path of root's, with its owner, its mode and its bytes.
    fn state(&self) -> BTreeMap<PathBuf, (u32, u32, Vec<u8>)> {
        let entry = |entry: walkdir::DirEntry| {
            let (path, found) = (entry.path().to_owned(), entry.metadata().unwrap());
            let bytes = if found.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            (path, (found.uid(), found.mode(), bytes))
        };
        walkdir::WalkDir::new(&self.victim).into_iter().map(|found| entry(found.unwrap())).collect()
    }

    fn swapper(&self, user: u32, folders: &[PathBuf]) -> Swapper {
        let ids = [format!("--reuid={user}"), format!("--regid={GROUP}")];
        let mut command = Command::new("setpriv");
        command.args(ids).args(["--clear-groups", "/usr/bin/python3", "-c", SWAPPER]).arg(&self.evil).args(folders);
        let mut child = command.current_dir("/").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Swapper(child)
    }
}

/// Makes a key in a folder, lists its owner as an approver, and returns its path.
fn lists_an_approver(site: &Site, folder: &Path) -> String {
    let key = folder.join("id");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status().unwrap();
    assert!(made.success());
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    fs::write(site.path("keys/approvers"), format!("alice {public}")).unwrap();
    key.to_str().unwrap().to_owned()
}

/// A request that waits for an approval, and the key of an approver.
fn waiting(shared: &Shared) -> (String, String) {
    let site = &shared.site;
    let key = lists_an_approver(site, shared.program.parent().unwrap());
    let manifest = site.path("tools/sleep_for.clad.toml");
    let (from, to) = ("risk_tier = \"info\"", "risk_tier = \"medium\"");
    fs::write(&manifest, fs::read_to_string(&manifest).unwrap().replace(from, to)).unwrap();
    let submitted = site.gatepost(&["submit", "--tool", "sleep_for", "--arg", "duration=1ms"]).succeeds();
    shared.run(EXEC, &["exec", "--once"]).succeeds();
    let id = text(&submitted["data"]["request_id"]);
    assert_eq!(site.names("var/exec/pending"), [id.as_str()], "{:?}", site.names("inbox"));
    (id, key)
}

/// The bags of another site: of requests, and of results.
fn bags(folder: &Path) -> (String, String) {
    let other = Site::steady();
    other.rename_in(&Request::folder("asked"));
    other.up();
    let bag = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let results = bag("results");
    other.gatepost(&["export", "--since", "1d", "--out", &results]).succeeds();
    let request = Request::folder("carried");
    other.rename_in(&request);
    let requests = bag("requests");
    other.gatepost(&["export", "--requests", &request.id, "--out", &requests]).succeeds();
    (requests, results)
}

#[test]
fn what_root_writes_into_folders_of_others_never_lands_elsewhere() {
    if !is_root() {
        return;
    }
    let shared = Shared::given();
    let (site, place) = (&shared.site, shared.program.parent().unwrap().to_owned());
    let (pending, key) = waiting(&shared);
    let (requests, results) = bags(&place);
    let input = place.join("input.txt");
    fs::write(&input, "one\n").unwrap();
    let folder = Request::folder("folder");
    folder.write(&place);
    let (input, folder) = (input.to_str().unwrap(), place.join(&folder.id).to_str().unwrap().to_owned());
    let exec = Trap::new(&shared, EXEC);
    let gate = Trap::new(&shared, GATE);
    let before = (exec.state(), gate.state());
    let of_exec = ["inbox/.tmp", "var/exec/orders", "var/exec/pending", "quarantine/.tmp"].map(|name| site.path(name));
    let _exec = exec.swapper(EXEC, &of_exec);
    let _gate = gate.swapper(GATE, &[site.path("var/gate/orders"), site.path("core/inbound")]);
    let page = place.join("page.html");
    for round in 0..4 {
        let out = place.join(format!("out-{round}"));
        for command in [
            &["submit", "--tool", "line_count", "--arg", "file=input.txt", "--input", input][..],
            &["submit", &folder],
            &["submit", "--tool", "sleep_for", "--arg", "duration=2ms"],
            &["import", &requests],
            &["--timeout", "500ms", "import", &results],
            &["approve", "--key", &key, &pending],
            &["cancel", &pending],
            &["deny", &pending, "--reason", "no"],
            &["--timeout", "500ms", "quarantine", "purge", "--yes"],
            &["export", "--requests", &pending, "--out", out.to_str().unwrap()],
            &["report", "--html", page.to_str().unwrap()],
            &["init"],
        ] {
            // Some fail, when they are robbed of what they have made; none waits for ever.
            let ran = site.gatepost_under(&["timeout", "60"], command);
            assert_ne!(ran.exit(), Some(124), "{command:?}");
            assert_eq!((exec.state(), gate.state()), before, "{command:?}: {}", ran.stderr());
        }
    }
}

#[test]
fn a_site_is_completed_through_no_link_of_a_watcher() {
    if !is_root() {
        return;
    }
    for (user, folder) in [(EXEC, "var/exec/claimed"), (EXEC, "inbox/.tmp"), (GATE, "core/inbound")] {
        let shared = Shared::given();
        let trap = Trap::new(&shared, user);
        let before = trap.state();
        let path = shared.site.path(folder);
        fs::remove_dir_all(&path).unwrap();
        symlink(&trap.victim, &path).unwrap();
        for command in [&["init"][..], &["init", "--users=exec=61001,gate=61002,group=61003"]] {
            let refused = shared.site.gatepost(command).ends(1);
            assert!(text(&refused["error"]["message"]).contains(folder), "{refused}");
            assert_eq!(trap.state(), before, "{folder}");
        }
    }
}

#[test]
fn a_name_that_another_requester_took_in_staging_hinders_nobody() {
    if !is_root() {
        return;
    }
    let shared = Shared::given();
    let (site, place) = (&shared.site, shared.program.parent().unwrap());
    let (id, key) = waiting(&shared);
    let (requests, _) = bags(place);
    let manifest = fs::read(Path::new(&requests).join("manifest-sha256.txt")).unwrap();
    let digest = gatepost_documents::digest::Digest::of(&manifest).to_string();
    for name in [format!("{id}.md.alice.sig"), format!(".import-{}", &digest[..16])] {
        shared.drops(&format!("mkdir -p .tmp/{name}/x"));
    }
    site.gatepost(&["approve", "--key", &key, &id]).succeeds();
    let imported = site.gatepost(&["import", &requests]).succeeds();
    assert_eq!(imported["data"]["effect"], "created");
}

/// What a file is replaced with: something that never ends, or never begins.
type Spoil = fn(&Path);

#[test]
fn no_command_waits_for_a_pipe_or_reads_without_end_below_var() {
    const SPOILS: [Spoil; 3] = [
        |path| rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RUSR).unwrap(),
        |path| symlink("/dev/zero", path).unwrap(),
        |path| fs::File::create(path).unwrap().set_len(1 << 40).unwrap(),
    ];
    let office = Office::new("");
    let (site, request) = (&office.site, Office::risky("waits"));
    site.rename_in(&request);
    site.gatepost(&["up", "--once"]).succeeds();
    let id = request.id;
    assert_eq!(site.names("var/exec/pending"), [id.as_str()]);
    let folder = format!("var/exec/pending/{id}");
    fs::create_dir(site.path(&folder).join("approvals")).unwrap();
    let mut files: Vec<String> = ["request.md", "claim.json", "pending.json", "approvals/0123456789abcdef.sig"]
        .map(|name| format!("{folder}/{name}"))
        .into();
    files.extend(
        ["exec/events.jsonl", "exec/log/checkpoint", "exec/log/journal", "exec/lock"].map(|n| format!("var/{n}")),
    );
    files.extend(["gate/log/checkpoint", "gate/log/journal", "gate/lock"].map(|name| format!("var/{name}")));
    files.push(format!("var/exec/orders/{id}.json"));
    for file in files {
        let (path, saved) = (site.path(&file), site.path("saved"));
        let is_there = path.exists();
        for spoil in SPOILS {
            if is_there {
                fs::rename(&path, &saved).unwrap();
            }
            spoil(&path);
            for command in [
                &["show", &id][..],
                &["list"],
                &["status"],
                &["approve", "--dry-run", &id],
                &["policy", "explain", &id],
                &["doctor"],
                &["audit", "verify"],
                &["audit", "timeline", &id],
            ] {
                // A process of 1 GiB is ended where it reads all of an endless file.
                let ran = site.gatepost_under(&["timeout", "20", "prlimit", "--as=2000000000"], command);
                let end = ran.exit();
                assert!(
                    end.is_some_and(|end| !matches!(end, 124 | 101 | 134)),
                    "{file}, {command:?}: {}",
                    ran.stderr()
                );
            }
            fs::remove_file(&path).unwrap();
            if is_there {
                fs::rename(&saved, &path).unwrap();
            }
        }
    }
}
