//! A site that two users serve, and whose requester is a third: each can do what it must, and nothing of the others'.
//!
//! Only root can make users; run by somebody else, what is left to see is that root is needed.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::site::{BESIDE, Ran, Request, Site, install, is_root, text, until};

pub(crate) const EXEC: u32 = 61_001;
pub(crate) const GATE: u32 = 61_002;
pub(crate) const GROUP: u32 = 61_003;
const REQUESTER: u32 = 61_004;
const USERS: &str = "--users=exec=61001,gate=61002,group=61003";

/// A site of two users, and the program where every user can start it.
pub(crate) struct Shared {
    pub site: Site,
    pub program: PathBuf,
    _folder: TempDir,
}

impl Shared {
    fn new() -> Self {
        let folder = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
        let program = install(folder.path(), &BESIDE);
        let site = Site::at(folder.path().join("site"));
        site.configure("[inbox]\nsettle_ms = 50\nscan_interval_ms = 50\n[gate]\nscan_interval_ms = 50\n");
        Self { site, program, _folder: folder }
    }

    pub(crate) fn given() -> Self {
        let shared = Self::new();
        shared.init(&[]).succeeds();
        shared
    }

    pub(crate) fn init(&self, more: &[&str]) -> Ran {
        self.site.gatepost(&[&["init", self.site.root.to_str().unwrap(), USERS], more].concat())
    }

    /// The program as another user, in the group of the watchers if it is one of these.
    pub(crate) fn command(&self, user: u32, arguments: &[&str]) -> Command {
        let group = if [EXEC, GATE].contains(&user) { GROUP } else { user };
        let mut command = Command::new("setpriv");
        command.arg(format!("--reuid={user}")).arg(format!("--regid={group}")).arg("--clear-groups");
        command.arg(&self.program).arg("--site").arg(&self.site.root).args(arguments).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for name in ["CI", "GATEPOST_SITE", "GATEPOST_OUTPUT"] {
            command.env_remove(name);
        }
        command
    }

    pub(crate) fn run(&self, user: u32, arguments: &[&str]) -> Ran {
        Ran(self.command(user, arguments).output().unwrap())
    }

    /// A shell script of the requester's in the inbox.
    pub(crate) fn drops(&self, script: &str) {
        let ids = [format!("--reuid={REQUESTER}"), format!("--regid={REQUESTER}")];
        let mut shell = Command::new("setpriv");
        shell.args(ids).args(["--clear-groups", "sh", "-euc", script]).current_dir(self.site.path("inbox"));
        assert!(shell.status().unwrap().success(), "{script}");
    }

    /// Makes a key of an approver, alice.
    pub(crate) fn approver(&self) {
        let key = self.program.with_file_name("key");
        let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status().unwrap();
        assert!(made.success());
        let public = fs::read_to_string(key.with_extension("pub")).unwrap();
        fs::write(self.site.path("keys/approvers"), format!("alice {public}")).unwrap();
    }

    fn doctor(&self) -> Value {
        serde_json::from_slice(&self.site.gatepost(&["doctor"]).0.stdout).unwrap()
    }
}

fn finding(outcome: &Value, check: &str) -> (String, String) {
    let findings = outcome["data"]["findings"].as_array().unwrap();
    let found =
        findings.iter().find(|found| found["check"] == check).unwrap_or_else(|| panic!("no {check}: {outcome}"));
    (text(&found["status"]), text(&found["found"]))
}

fn mode(path: &Path) -> (u32, u32, u32) {
    let found = path.symlink_metadata().unwrap();
    (found.uid(), found.gid(), found.mode() & 0o7777)
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn chown(path: &Path, user: u32) {
    std::os::unix::fs::chown(path, Some(user), None).unwrap();
}

#[test]
fn a_site_is_given_to_its_users_once_and_a_dry_run_gives_nothing() {
    let shared = Shared::new();
    if !is_root() {
        assert_eq!(shared.init(&[]).ends(1)["error"]["code"], "IO_ERROR");
        return;
    }
    let site = &shared.site;
    // What an earlier single user left is given away, too.
    site.copy_in(&Request::call("before", "line_count"));
    site.gatepost(&["exec", "--once"]).succeeds();
    let foreseen = shared.init(&["--dry-run"]).succeeds();
    assert_eq!(mode(&site.path("var/exec")).0, 0, "a dry run");
    let given = shared.init(&[]).succeeds();
    assert_eq!(foreseen["data"]["given"], given["data"]["given"]);
    assert_eq!(given["data"]["effect"], "updated");
    for (path, expected) in [
        ("core", (0, GROUP, 0o1775)),
        ("core/inbound", (GATE, GROUP, 0o755)),
        ("inbox", (EXEC, GROUP, 0o3733)),
        ("outbox", (EXEC, GROUP, 0o2770)),
        ("quarantine", (0, GROUP, 0o3770)),
        ("var/gate/log.key", (GATE, GROUP, 0o600)),
    ] {
        assert_eq!(mode(&site.path(path)), expected, "{path}");
    }
    let done = site.path("var/exec/done").join(&site.names("var/exec/done")[0]);
    assert_eq!(mode(&done.join("claim.json")).0, EXEC);
    assert_eq!(mode(&site.path("tools")).0, 0, "the operator's stays the operator's");
    let again = shared.init(&[]).succeeds();
    assert_eq!((&again["data"]["effect"], &again["data"]["given"]), (&"noop".into(), &Value::Array(vec![])));
}

#[test]
fn a_site_that_belongs_to_a_watcher_is_not_given_away() {
    let shared = Shared::new();
    if is_root() {
        chown(&shared.site.root, EXEC);
        assert_eq!(shared.init(&[]).ends(4)["error"]["code"], "SITE_UNSOUND");
        chown(&shared.site.root, 0);
        chown(&shared.site.path("var/gate"), REQUESTER);
        assert!(text(&shared.init(&[]).ends(4)["error"]["message"]).contains("61004"));
    }
}

#[test]
fn what_a_third_user_drops_is_answered_by_two_others() {
    if !is_root() {
        return;
    }
    let shared = Shared::given();
    let site = &shared.site;
    let lines = shared.program.with_file_name("lines.txt");
    fs::write(&lines, "one\ntwo\n").unwrap();
    let watchers = [(EXEC, "exec"), (GATE, "gate")].map(|(user, name)| shared.command(user, &[name]).spawn().unwrap());
    let _watchers = watchers.map(Watching);
    site.is_watched();
    let submit = |tool: &[&str]| shared.run(REQUESTER, &[&["submit", "--wait", "--tool"], tool].concat());
    let input = lines.to_str().unwrap();
    let counted = submit(&["line_count", "--arg", "file=lines.txt", "--input", input]).succeeds();
    let accepted = site.path("core/inbound").join(text(&counted["data"]["result_id"]));
    assert_eq!(mode(&accepted), (GATE, GROUP, 0o755));
    assert_eq!(counted["data"]["evidence"]["dropped"]["uid"], REQUESTER);
    let failed = submit(&["fail_with", "--arg", "status=3"]).ends(81);
    assert_eq!(failed["error"]["code"], "TOOL_FAILED");
    let hostile = submit(&["hostile_output"]).ends(79);
    assert_eq!(hostile["error"]["code"], "RESULT_REJECTED");
    assert!(
        hostile["data"]["reasons"].as_array().is_none_or(Vec::is_empty),
        "what was rejected is not shown: {hostile}"
    );
    // What is no request, as a file and as a folder that only its owner can change.
    shared.drops("echo x > junk.md; mkdir -p TR-junk/inner; echo y > TR-junk/inner/file");
    until("the junk in quarantine", || {
        ["junk", "TR-junk"].iter().all(|item| site.path("quarantine").join(item).exists())
    });
    assert_eq!(fs::read(site.path("quarantine/TR-junk/untouched/TR-junk/inner/file")).unwrap(), b"y\n");
    until("an empty inbox", || site.names("inbox").is_empty());
    until("an empty outbox", || site.path("outbox").read_dir().unwrap().count() <= 2);
    // Of the folder that was submitted nothing is left: its group may remove it.
    let left = site.path("inbox").read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = left.filter(|name| name.starts_with(".claimed")).collect();
    assert!(left.is_empty(), "{left:?}");
    let listed = shared.run(REQUESTER, &["list"]).succeeds();
    let states: Vec<_> = listed["data"]["requests"].as_array().unwrap().iter().map(|row| text(&row["state"])).collect();
    assert_eq!(states.iter().filter(|state| *state == "accepted").count(), 2, "{states:?}");
    shared.run(REQUESTER, &["verify", accepted.to_str().unwrap()]).succeeds();
    let outcome = shared.doctor();
    for check in ["rights.all", "rights.exec_moves", "rights.gate_moves", "rights.requester_moves", "rights.users"] {
        assert_eq!(finding(&outcome, check).0, "ok", "{check}: {outcome}");
    }
    assert!(finding(&outcome, "rights.all").1.contains("outbox by group 61003"), "{outcome}");
}

#[test]
fn no_user_can_do_what_is_anothers() {
    if !is_root() {
        return;
    }
    let shared = Shared::given();
    shared.run(EXEC, &["exec", "--once"]).succeeds();
    shared.run(GATE, &["gate", "--once"]).succeeds();
    let may = |user: u32, group: u32, verb: &str, path: &str| {
        let ids = [format!("--reuid={user}"), format!("--regid={group}")];
        let path = shared.site.path(path);
        let tried = Command::new("setpriv").args(ids).args(["--clear-groups", "test", verb]).arg(path).status();
        tried.unwrap().success()
    };
    for path in
        ["", "gate.toml", "tools", "keys", "policies", "core/inbound", "var/gate", "var/gate/log", "var/gate/orders"]
    {
        assert!(!may(EXEC, GROUP, "-w", path), "TOOL-EXEC: {path}");
    }
    assert!(!may(EXEC, GROUP, "-r", "var/gate/log.key") && !may(EXEC, GROUP, "-r", "var/gate/attestation.key"));
    for path in ["", "gate.toml", "tools", "keys", "var/exec", "var/exec/done", "var/exchange/claimed"] {
        assert!(!may(GATE, GROUP, "-w", path), "the gate: {path}");
    }
    for path in ["", "core", "core/inbound", "var/exec/orders", "var/gate/orders", "outbox", "quarantine"] {
        assert!(!may(REQUESTER, REQUESTER, "-w", path), "the requester: {path}");
    }
    for path in ["inbox", "outbox", "quarantine", "var/gate/log.key"] {
        assert!(!may(REQUESTER, REQUESTER, "-r", path), "the requester reads {path}");
    }
}

#[test]
fn a_requester_cancels_its_own_request_and_nobody_elses() {
    const OTHER: u32 = 61_006;
    if !is_root() {
        return;
    }
    let shared = Shared::given();
    let site = &shared.site;
    site.tool("risky", "human_approval = true", "#!/bin/sh\necho done\n");
    shared.approver();
    let submit = || text(&shared.run(REQUESTER, &["submit", "--tool", "risky"]).succeeds()["data"]["request_id"]);
    let exec = || shared.run(EXEC, &["exec", "--once"]).succeeds();
    let [own, foreign, denied] = [submit(), submit(), submit()];
    exec();
    let pending = || site.names("var/exec/pending");
    assert_eq!(pending().len(), 3);
    shared.run(REQUESTER, &["cancel", &own]).succeeds();
    // Nobody else's command even tries, and what another user writes by hand does not count.
    let forge = |id: &str| {
        let path = site.path(&format!("var/exec/cancels/{id}.json"));
        fs::write(&path, format!(r#"{{"decision": "cancel", "reason": "", "request_id": "{id}"}}"#)).unwrap();
        chown(&path, OTHER);
    };
    assert_eq!(shared.run(OTHER, &["cancel", &foreign]).ends(1)["error"]["code"], "IO_ERROR");
    forge(&foreign);
    // Its own user may cancel it, and neither deny nor close it.
    assert_eq!(shared.run(REQUESTER, &["deny", &denied, "--reason", "x"]).ends(1)["error"]["code"], "IO_ERROR");
    let order = r#"{"decision": "deny", "reason": "x"}"#;
    shared.drops(&format!("echo '{order}' > ../var/exec/cancels/{denied}.json"));
    assert!(!shared.run(REQUESTER, &["list"]).0.stdout.is_empty());
    exec();
    let mut left = [foreign.clone(), denied.clone()];
    left.sort();
    assert_eq!(pending(), left);
    assert_eq!(site.names("var/exec/cancels"), Vec::<String>::new(), "what does not count is removed");
    shared.run(GATE, &["gate", "--once"]).succeeds();
    let shown = shared.run(REQUESTER, &["show", &own]);
    let reasons = shown.0.stdout;
    assert!(String::from_utf8_lossy(&reasons).contains("request_cancelled"));
    // So with one that runs.
    site.tool("slow", "", "#!/bin/sh\nexec sleep 1000\n");
    let running = text(&shared.run(REQUESTER, &["submit", "--tool", "slow"]).succeeds()["data"]["request_id"]);
    let _exec = Watching(shared.command(EXEC, &["exec"]).spawn().unwrap());
    until("the run", || site.names("var/exec/running") == [running.clone()]);
    forge(&running);
    until("the removal", || site.names("var/exec/cancels").is_empty());
    assert_eq!(
        site.names("var/exec/running"),
        std::slice::from_ref(&running),
        "another user's cancellation has no effect"
    );
    shared.run(REQUESTER, &["cancel", &running]).succeeds();
    until("the end", || site.names("var/exec/done").contains(&running));
}

/// What a guide shows between these words, of which its first block is run as it stands but for names.
fn block(page: &str, heading: &str, language: &str) -> String {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page)).unwrap();
    let (_, below) = page.split_once(heading).unwrap();
    let (_, block) = below.split_once(&format!("```{language}\n")).unwrap();
    block.split_once("```").unwrap().0.to_owned()
}

#[test]
fn approvers_with_the_rights_of_the_guide_decide_and_nothing_that_is_dropped_stays() {
    const APPROVERS: u32 = 61_005;
    if !is_root() {
        return;
    }
    let shared = Shared::given();
    let site = &shared.site;
    let as_approver = |user: u32, script: &str| {
        let ids = [format!("--reuid={user}"), format!("--regid={user}"), format!("--groups={APPROVERS}")];
        let program = format!("{} --site {}", shared.program.display(), site.root.display());
        let mut shell = Command::new("setpriv");
        shell.args(ids).args(["sh", "-euc", &script.replace("gatepost", &program)]).current_dir(&site.root);
        shell.output().unwrap()
    };
    let rights = block("docs/keys-and-logs.md", "**Rights.**", "sh");
    let rights = rights.lines().last().unwrap().replace("sudo ", "").replace("approvers", &APPROVERS.to_string());
    assert!(Command::new("sh").args(["-euc", &rights]).current_dir(&site.root).status().unwrap().success());
    shared.approver();
    site.tool("risky", "human_approval = true", "#!/bin/sh\necho done\n");
    // The folder that the guide for requesters makes by hand, of a tool that needs an approval.
    let request = Request::call("by-hand", "risky");
    let steps = block("docs/requester.md", "## By hand", "console");
    let typed: Vec<&str> = steps.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    let step = |begins: &str| *typed.iter().find(|line| line.starts_with(begins)).unwrap();
    let at = step("umask").replace("/srv/mailbox", site.root.to_str().unwrap());
    let text = request.markdown();
    let id = &request.id;
    shared.drops(&format!("{at}\nID={id}\nmkdir -p $ID/in\ncat > $ID/$ID.md <<'END'\n{text}\nEND\n{}", step("mv $ID")));
    let watching = Watching(shared.command(EXEC, &["exec"]).spawn().unwrap());
    until("a pending request", || site.path("var/exec/pending").join(id).exists());
    let left = || site.path("inbox").read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    until("an empty inbox", || left().all(|name| [".about.md", ".tmp"].contains(&name.as_str())));
    assert!(
        shared.doctor()["data"]["findings"].as_array().unwrap().iter().all(|one| one["check"] != "rights.leftovers")
    );
    drop(watching);
    let denied = as_approver(61_006, &format!("gatepost deny {id} --reason 'Not today'"));
    assert!(denied.status.success(), "{}", String::from_utf8_lossy(&denied.stdout));
    let order = format!("var/exec/orders/{id}.json");
    assert!(!as_approver(61_007, &format!("rm -f {order}")).status.success() && site.path(&order).exists());
    shared.run(EXEC, &["exec", "--once"]).succeeds();
    assert!(site.path("var/exec/done").join(id).exists());
    // What somebody made elsewhere TOOL-EXEC can only hide, and the doctor names it with the command that removes it.
    let request = Request::call("elsewhere", "line_count");
    let (id, text) = (&request.id, request.markdown());
    let elsewhere = shared.program.with_file_name("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    chmod(&elsewhere, 0o777);
    shared.drops(&format!(
        "umask 022; cd {}; ID={id}; mkdir -p $ID/in\ncat > $ID/$ID.md <<'END'\n{text}\nEND\nmv $ID {}/inbox/",
        elsewhere.display(),
        site.root.display()
    ));
    shared.run(EXEC, &["exec", "--once"]).succeeds();
    let outcome = shared.doctor();
    assert_eq!(
        finding(&outcome, "rights.leftovers"),
        ("warning".to_owned(), "1 claimed drop left in inbox/".to_owned())
    );
    let findings = outcome["data"]["findings"].as_array().unwrap();
    let command = &findings.iter().find(|one| one["check"] == "rights.leftovers").unwrap()["fix_command"];
    assert!(Command::new("sh").args(["-c", command.as_str().unwrap()]).status().unwrap().success());
    assert!(
        shared.doctor()["data"]["findings"].as_array().unwrap().iter().all(|one| one["check"] != "rights.leftovers")
    );
    let of_requester = shared.run(REQUESTER, &["doctor"]).succeeds();
    assert_eq!(finding(&of_requester, "rights.leftovers").0, "unavailable");
}

/// The check, what is done to the site, and what is found.
type Spoil<'a> = (&'a str, &'a dyn Fn(), &'a str);

#[test]
fn each_user_is_told_which_commands_it_may_carry_out() {
    if !is_root() {
        return;
    }
    let shared = Shared::given();
    let asked = |user, command: &str| shared.run(user, &["check-permissions", command]);
    for (user, command, exit) in [
        (REQUESTER, "submit", 0),
        (REQUESTER, "list", 0),
        (REQUESTER, "status", 7),
        (REQUESTER, "doctor", 0),
        (REQUESTER, "exec-command", 0),
        (REQUESTER, "quarantine list", 7),
        (REQUESTER, "exec", 7),
        (REQUESTER, "tools pin", 7),
        (REQUESTER, "quarantine purge", 7),
        (EXEC, "exec", 0),
        (EXEC, "gate", 7),
        (GATE, "gate", 0),
        (GATE, "exec", 7),
    ] {
        let told = asked(user, command).ends(exit);
        assert_eq!(told["data"]["commands"][0]["allowed"], exit == 0, "{user} {command}: {told}");
    }
    // Who may not is told whose it is and which right is missing, and never to become somebody else.
    let quarantine = shared.site.path("quarantine");
    let hint = |arguments: &[&str]| text(&shared.run(REQUESTER, arguments).ends(1)["error"]["hint"]);
    let told = hint(&["quarantine", "list"]);
    let expected =
        format!("{} belongs to root, group 61003, mode 3770; user 61004 may not read it.", quarantine.display());
    assert!(told.starts_with(&expected) && told.contains("docs/operator.md"), "{told}");
    let told = hint(&["submit", "--tool", "line_count", "--arg", "file=shadow", "--input", "/etc/shadow"]);
    assert!(told.starts_with("/etc/shadow belongs to root, group ") && told.contains("Use another path"), "{told}");
    let denied = asked(REQUESTER, "tools pin").ends(7);
    assert_eq!(denied["error"]["target"], shared.site.path("keys").to_str().unwrap());
    let all = shared.run(REQUESTER, &["check-permissions", "--limit", "0"]).succeeds();
    let commands = all["data"]["commands"].as_array().unwrap();
    assert!(commands.iter().any(|one| one["allowed"] == true) && commands.iter().any(|one| one["allowed"] == false));
    // What it says is what happens, whichever commands there are.
    let report = shared.program.with_file_name("report.html");
    for arguments in [
        &["status"][..],
        &["list"],
        &["config"],
        &["doctor"],
        &["exec-command", "tools.list"],
        &["tools", "list"],
        &["tools", "check"],
        &["tool-pool"],
        &["policy", "check"],
        &["sessions", "list"],
        &["list-sessions"],
        &["quarantine", "list"],
        &["audit", "verify"],
        &["audit", "checkpoint"],
        &["bootstrap-graph"],
        &["report", "--html", report.to_str().unwrap(), "--dry-run"],
    ] {
        let words = if ["tools", "policy", "sessions", "quarantine", "audit"].contains(&arguments[0]) { 2 } else { 1 };
        let command = arguments[..words].join(" ");
        for user in [REQUESTER, EXEC, GATE] {
            let is_allowed = asked(user, &command).exit() == Some(0);
            let ran = shared.run(user, arguments);
            let is_denied = ran.exit() == Some(1) && ran.stdout().contains("denied");
            assert_eq!(is_allowed, !is_denied, "{user} {arguments:?}: {}", ran.stdout());
        }
    }
    chmod(&shared.site.root, 0o700);
    let closed = shared.run(REQUESTER, &["list"]).ends(1);
    assert!(closed["error"]["code"] == "IO_ERROR" && text(&closed["error"]["message"]).contains("denied"), "{closed}");
}

#[test]
fn the_doctor_finds_each_move_that_a_user_cannot_make_and_each_that_it_should_not() {
    if !is_root() {
        return;
    }
    let shared = Shared::given();
    let (site, folders) = (&shared.site, |name: &str| shared.site.path(name));
    shared.run(EXEC, &["exec", "--once"]).succeeds();
    let cases: &[Spoil<'_>] = &[
        ("rights.gate_moves", &|| chmod(&folders("core/inbound"), 0o555), "accept results"),
        ("rights.gate_moves", &|| chmod(&folders("outbox"), 0o2750), "take results out of the outbox"),
        ("rights.gate_moves", &|| chown(&folders("var/gate/judging"), EXEC), "accept results"),
        ("rights.gate_moves", &|| chown(&folders("var/gate/log.key"), EXEC), "write its log"),
        ("rights.gate_moves", &|| chmod(&folders("quarantine"), 0o3750), "quarantine"),
        ("rights.gate_moves", &|| chmod(&folders("gate.toml"), 0o600), "read its rules and configuration"),
        ("rights.exec_moves", &|| chown(&folders("outbox/.tmp"), GATE), "publish results"),
        ("rights.exec_moves", &|| chown(&folders("var/exec/done"), GATE), "carry requests"),
        ("rights.exec_moves", &|| chown(&folders("var/exec/lock"), GATE), "hold its lock"),
        ("rights.exec_moves", &|| chmod(&folders("core/inbound"), 0o775), "can write to"),
        ("rights.exec_moves", &|| chmod(&folders("tools"), 0o777), "can write to"),
        ("rights.requester_moves", &|| chown(&folders("inbox"), 0), "drops of other users"),
    ];
    for (check, spoil, expected) in cases {
        let before = fs::canonicalize(&site.root).unwrap();
        let saved = shared.program.with_file_name("saved");
        let copy =
            |from: &Path, to: &Path| assert!(Command::new("cp").arg("-a").args([from, to]).status().unwrap().success());
        copy(&before, &saved);
        spoil();
        let outcome = shared.doctor();
        let (status, found) = finding(&outcome, check);
        assert!(status == "failure" && found.contains(expected), "{check}, {expected}: {status}, {found}");
        assert_eq!(outcome["error"]["code"], "SITE_UNSOUND");
        fs::remove_dir_all(&site.root).unwrap();
        assert!(Command::new("mv").args([&saved, &site.root]).status().unwrap().success());
    }
    site.gatepost(&["doctor"]).succeeds();
    // What is to be read by nobody else is told, and the command that is proposed mends it.
    chmod(&folders("outbox"), 0o2775);
    chmod(&folders("inbox/.tmp"), 0o755);
    let outcome = shared.doctor();
    assert_eq!(finding(&outcome, "rights.unjudged").0, "warning");
    assert_eq!(finding(&outcome, "rights.requester_moves").0, "warning");
    shared.init(&[]).succeeds();
    assert_eq!(mode(&folders("outbox")), (EXEC, GROUP, 0o2770));
}

/// A watcher of another user; it is ended when the test is over.
pub(crate) struct Watching(pub(crate) std::process::Child);

impl Drop for Watching {
    fn drop(&mut self) {
        let pid = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        let _ = self.0.wait();
    }
}
