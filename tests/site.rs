//! A site in a folder of its own, driven through the real program: drop, run, look.

mod bundle;
pub(crate) mod page_server;
mod pages;
mod request;
mod rule;
mod threegate;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use gatepost_documents::digest::Digest;
use serde_json::Value;
use tempfile::TempDir;

pub(crate) use bundle::Bundle;
pub(crate) use request::Request;
pub(crate) use rule::{RULE, printed};
pub(crate) use threegate::ThreeGate;

/// The program under test.
pub(crate) const GATEPOST: &str = env!("CARGO_BIN_EXE_gatepost");

/// The other programs, which lie beside it.
pub(crate) const BESIDE: [&str; 9] = [
    "gatepost-exec",
    "gatepost-fleet",
    "gatepost-gate",
    "gatepost-mcp",
    "gatepost-pages",
    "gatepost-worker-browser",
    "gatepost-worker-http",
    "gatepost-worker-mcp",
    "gatepost-worker-monty",
];

/// A program of this build.
pub(crate) fn program(name: &str) -> PathBuf {
    let path = Path::new(GATEPOST).with_file_name(name);
    assert!(path.is_file(), "{} does not exist; build it first: cargo build --workspace", path.display());
    path
}

/// What evidence says of one of gatepost's workers.
pub(crate) fn worker(name: &str) -> Value {
    serde_json::json!({"name": name, "sha256": Digest::of(&fs::read(program(name)).unwrap())})
}

/// Gives this process the usual umask, whatever the one of its parent is.
fn reset_umask() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| _ = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022)));
}

/// Puts programs of this build into a folder; returns the path of `gatepost` there.
pub(crate) fn install(folder: &Path, beside: &[&str]) -> PathBuf {
    reset_umask();
    for name in beside.iter().copied().chain(["gatepost"]) {
        let (from, to) = (program(name), folder.join(name));
        // A link where that is possible: they are large.
        fs::hard_link(&from, &to).or_else(|_| fs::copy(&from, &to).map(drop)).unwrap();
    }
    folder.join("gatepost")
}

/// One worker that takes every drop at once, so that each run makes the same calls.
#[allow(dead_code, reason = "not every program of tests that shares this asks")]
pub(crate) const STEADY: &str =
    "[inbox]\nsettle_ms = 0\nunfinished_ms = 0\nscan_interval_ms = 50\n[exec]\nworkers = 1\n";

/// What no condition of these tests may take longer than.
const DEADLINE: Duration = Duration::from_secs(30);

/// A program for Python that executes what follows its first argument on a machine whose kernel lacks the system call with that
/// number: a filter says so.
pub(crate) const WITHOUT_CALL: &str = "import ctypes, os, struct, sys\n\
     code = [(0x20, 0, 0, 0), (0x15, 0, 1, int(sys.argv[1])), (6, 0, 0, 0x50026), (6, 0, 0, 0x7fff0000)]\n\
     code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *line) for line in code))\n\
     libc = ctypes.CDLL(None)\n\
     program = struct.pack('HxxxxxxP', 4, ctypes.addressof(code))\n\
     assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0\n\
     os.execv(sys.argv[2], sys.argv[2:])";

/// Waits for a condition.
pub(crate) fn until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !condition() {
        assert!(Instant::now() < deadline, "{what} did not come about within {DEADLINE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether this is root, who may mount, make devices and become somebody else.
pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The command prefix that makes nobody of root.
const AS_NOBODY: [&str; 4] = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];

/// The name that the test harness gives to the function `test` of `module`, which is `module_path!()` where it stands.
pub(crate) fn harness_name(module: &str, test: &str) -> String {
    let (_program, module) = module.split_once("::").unwrap();
    format!("{module}::{test}")
}

/// Asserts that a second run of this test program executed tests, and that all of them passed.
pub(crate) fn tests_passed(second: &Output) {
    let printed = String::from_utf8_lossy(&second.stdout);
    assert!(second.status.success() && !printed.contains("result: ok. 0 passed"), "{printed}");
}

/// Run by root, runs the tests of `module` whose names begin so once more, as nobody and one after the other: beside them runs the
/// next test.
pub(crate) fn passes_as_nobody(module: &str, tests: &str) {
    if is_root() {
        let [setpriv, arguments @ ..] = AS_NOBODY;
        let this = std::env::current_exe().unwrap();
        let tests = harness_name(module, tests);
        let second = Command::new(setpriv).args(arguments).arg(this).args([&tests, "--test-threads=1"]).output();
        tests_passed(&second.unwrap());
    }
}

/// A site.
pub(crate) struct Site {
    pub root: PathBuf,
    folder: Option<TempDir>,
    prefix: Vec<String>,
    environment: Vec<(String, String)>,
}

/// What both configurations say where declared approvals are believed.
const DECLARED: &str = "mode = \"declared\"";

/// What a `gate.toml` ends with where content is to be flagged alone.
pub(crate) const BY_FORM: &str = r#"[content]
severity = [
    { code = "secret", severity = "flag", because = "A test of form." },
    { code = "executable_payload", severity = "flag", because = "A test of form." },
    { code = "policy_claim", severity = "flag", because = "A test of form." },
    { code = "instruction", severity = "flag", because = "A test of form." },
    { code = "exfil_link", severity = "flag", because = "A test of form." },
    { code = "hidden_text", severity = "flag", because = "A test of form." },
]
"#;

impl Site {
    /// A fresh site whose drops settle soon.
    pub(crate) fn new() -> Self {
        Self::with_config(
            "[inbox]\nsettle_ms = 50\nunfinished_ms = 200\nscan_interval_ms = 50\n[gate]\nscan_interval_ms = 50\n",
        )
    }

    /// A fresh site that is [`STEADY`], at level none.
    pub(crate) fn steady() -> Self {
        Self::with_config(STEADY).without_walls()
    }

    pub(crate) fn with_config(config: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = Self::at(folder.path().join("site"));
        site.configure(config);
        if config.contains(DECLARED) {
            let demands = fs::read_to_string(site.path("gate.toml")).unwrap();
            fs::write(site.path("gate.toml"), demands.replace("mode = \"signature\"", DECLARED)).unwrap();
        }
        Self { folder: Some(folder), ..site }
    }

    /// A site at a path; nothing removes it.
    pub(crate) fn at(root: PathBuf) -> Self {
        reset_umask();
        let site = Self { root, folder: None, prefix: Vec::new(), environment: Vec::new() };
        if !site.path("gatepost.toml").exists() {
            site.gatepost(&["init"]).succeeds();
        }
        site
    }

    /// A copy of the whole site as it is now.
    pub(crate) fn fork(&self) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("site");
        let copied = Command::new("cp").arg("-a").args([&self.root, &root]).status().unwrap();
        assert!(copied.success());
        Self { root, folder: Some(folder), prefix: Vec::new(), environment: self.environment.clone() }
    }

    /// The same site, whose gate only flags content, so that a test sees what becomes of hostile bytes.
    pub(crate) fn by_form(self) -> Self {
        let demands = fs::read_to_string(self.path("gate.toml")).unwrap();
        let demands = demands.replace("[content]", "").replace("severity = []", "").replace("tool = []", "");
        fs::write(self.path("gate.toml"), format!("{demands}{BY_FORM}")).unwrap();
        self
    }

    /// The same site, whose tools may act on the machine, so that a test sees what they do while they do it.
    pub(crate) fn without_walls(self) -> Self {
        let config = fs::read_to_string(self.path("gatepost.toml")).unwrap();
        let kept = config.lines().filter(|line| !line.starts_with("[sandbox]") && !line.contains("imum = "));
        let kept: Vec<&str> = kept.collect();
        let none = "[sandbox]\nminimum = \"none\"\n";
        self.configure(&format!("{}\n{none}maximum = \"none\"\n", kept.join("\n")));
        let approval = if config.contains(DECLARED) { format!("[approval]\n{DECLARED}\n") } else { String::new() };
        fs::write(self.path("gate.toml"), format!("{none}{approval}")).unwrap();
        self
    }

    /// The same site, served by a program that others start: the last of `prefix` executes what follows it.
    pub(crate) fn behind(mut self, prefix: &[&str]) -> Self {
        self.prefix = prefix.iter().copied().chain([GATEPOST]).map(str::to_owned).collect();
        self
    }

    /// The same site, served by another copy of the program.
    pub(crate) fn served_by(mut self, gatepost: &Path) -> Self {
        self.prefix = vec![gatepost.to_str().unwrap().to_owned()];
        self
    }

    /// The same site, served by nobody, who then owns it.
    pub(crate) fn of_nobody(mut self) -> Self {
        let outer = self.folder.as_ref().unwrap().path();
        let program = install(outer, &BESIDE);
        for (words, folder) in [(&["65534:65534"][..], outer), (&["-R", "65534:65534"], &self.root)] {
            assert!(Command::new("chown").args(words).arg(folder).status().unwrap().success());
        }
        self.prefix = AS_NOBODY.map(str::to_owned).to_vec();
        self.prefix.push(program.to_str().unwrap().to_owned());
        self
    }

    pub(crate) fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn configure(&self, config: &str) {
        fs::write(self.path("gatepost.toml"), config).unwrap();
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.root.join(relative)
    }

    /// Adds a tool that runs a script; `more` are further lines of its `[tool]`, `output` its parser and schema.
    pub(crate) fn tool(&self, name: &str, more: &str, script: &str) {
        let text = "format = \"text\"\nparser = \"builtin:text\"\n[output.schema]\ntype = \"object\"\n";
        self.tool_with_output(name, more, script, text);
    }

    pub(crate) fn tool_with_output(&self, name: &str, more: &str, script: &str, output: &str) {
        let manifest = format!(
            "[tool]\nname = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"A tool of the tests\"\n{more}\n\
             [command]\nexecutor = \"scripts/{name}\"\n[output]\n{output}"
        );
        self.script(name, script);
        self.manifest(name, &manifest);
    }

    pub(crate) fn manifest(&self, name: &str, text: &str) {
        fs::write(self.path(&format!("tools/{name}.clad.toml")), text).unwrap();
    }

    pub(crate) fn script(&self, name: &str, text: &str) {
        let path = self.path(&format!("tools/scripts/{name}"));
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Writes a request under its final name, as `cp` does.
    pub(crate) fn copy_in(&self, request: &Request) {
        request.write(&self.path("inbox"));
    }

    /// Writes a request elsewhere and renames it in.
    pub(crate) fn rename_in(&self, request: &Request) {
        let outside = self.path("outside");
        fs::create_dir_all(&outside).unwrap();
        let name = request.write(&outside);
        fs::rename(outside.join(&name), self.path("inbox").join(&name)).unwrap();
    }

    /// The program in this site, with whatever stands before it.
    pub(crate) fn command(&self, before: &[&str], arguments: &[&str]) -> Command {
        let program = if self.prefix.is_empty() { vec![GATEPOST.to_owned()] } else { self.prefix.clone() };
        let mut words = before.iter().map(|word| (*word).to_owned()).chain(program);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).arg("--site").arg(&self.root).args(arguments).current_dir("/");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for name in ["CI", "GATEPOST_SITE", "GATEPOST_OUTPUT"] {
            command.env_remove(name);
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn gatepost(&self, arguments: &[&str]) -> Ran {
        self.gatepost_under(&[], arguments)
    }

    /// What `gatepost show` says of one request.
    pub(crate) fn shown(&self, id: &str) -> Value {
        self.gatepost(&["show", id, "--output", "json"]).succeeds()["data"]["results"][0]["request"].clone()
    }

    pub(crate) fn gatepost_under(&self, before: &[&str], arguments: &[&str]) -> Ran {
        Ran(self.command(before, arguments).output().unwrap())
    }

    /// Answers and judges everything that is there.
    pub(crate) fn up(&self) {
        self.gatepost(&["exec", "--once"]).succeeds();
        self.gatepost(&["gate", "--once"]).succeeds();
    }

    /// Has a tool's result rejected for a secret that it printed; the item in quarantine.
    pub(crate) fn reject_a_secret(&self) -> String {
        let [item] = self.print_a_secret("quarantine").try_into().unwrap();
        item
    }

    /// Has the result of a tool that printed a secret judged; the names in a folder then.
    pub(crate) fn print_a_secret(&self, folder: &str) -> Vec<String> {
        let body = "MC4CAQAwBQYDK2VwBCIEINsample0".repeat(2);
        let [begin, end] = ["BEGIN", "END"].map(|word| format!("-----{word} PRIVATE {}-----", "KEY"));
        self.tool("leak", "", &format!("#!/bin/sh\necho before\necho '{begin}'\necho '{body}'\necho '{end}'\n"));
        self.copy_in(&Request::call("leak", "leak"));
        self.up();
        self.names(folder)
    }

    /// Starts a watcher.
    pub(crate) fn watch(&self, command: &str) -> Watcher {
        self.watch_under(&[], command)
    }

    pub(crate) fn watch_under(&self, before: &[&str], command: &str) -> Watcher {
        let mut command = self.command(before, &[command]);
        Watcher(Some(command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()))
    }

    /// Waits until both watchers run.
    pub(crate) fn is_watched(&self) {
        until("the watchers", || {
            let status = self.gatepost(&["status"]).succeeds();
            status["data"]["exec"].is_string() && status["data"]["gate"].is_string()
        });
    }

    /// Kills TOOL-EXEC while the tool of a request, which has begun to write `stream` (`stdout` or `stderr`), goes on; the
    /// answer that the request then gets.
    pub(crate) fn interrupted(&self, id: &str, stream: &str) -> Bundle {
        let watcher = self.watch("exec");
        let printed = self.path("outbox/.tmp").join(id).join(format!("artifacts/{stream}.txt"));
        until("the tool's words", || fs::metadata(&printed).is_ok_and(|metadata| metadata.len() > 0));
        watcher.signal(rustix::process::Signal::KILL);
        watcher.ended();
        self.up();
        let bundle = self.result(id);
        assert_eq!(bundle.code(), "INTERRUPTED");
        bundle
    }

    /// The names in a folder that are no dotfiles, sorted.
    pub(crate) fn names(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }

    /// The accepted results of a request.
    pub(crate) fn results(&self, id: &str) -> Vec<PathBuf> {
        let ours = |name: &String| ["TS-", "RP-"].iter().any(|kind| name.starts_with(kind)) && name.ends_with(id);
        self.names("core/inbound").into_iter().filter(ours).map(|name| self.path("core/inbound").join(name)).collect()
    }

    /// The one accepted result of a request.
    pub(crate) fn result(&self, id: &str) -> Bundle {
        let results = self.results(id);
        let quarantined =
            || self.names("quarantine").into_iter().map(|item| (self.reasons(&item), item)).collect::<Vec<_>>();
        assert_eq!(results.len(), 1, "{id} has {results:?}; quarantine: {:?}", quarantined());
        Bundle(results.into_iter().next().unwrap())
    }

    /// The codes of an item of the quarantine.
    pub(crate) fn reasons(&self, item: &str) -> Vec<String> {
        let path = self.path("quarantine").join(item).join("reasons.json");
        let bytes = fs::read(&path).unwrap_or_else(|_| panic!("no {item} in {:?}", self.names("quarantine")));
        let record: Value = serde_json::from_slice(&bytes).unwrap();
        record["reasons"].as_array().unwrap().iter().map(|reason| text(&reason["code"])).collect()
    }

    /// The lines of the gate's ledger.
    pub(crate) fn ledger(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.path("var/gate/audit/verdicts.jsonl")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Asserts that nothing is left half done: every folder of the way is empty, staging places too.
    pub(crate) fn is_at_rest(&self) {
        for folder in ["inbox", "outbox", "var/exec/claimed", "var/exec/running", "var/gate/judging"] {
            assert_eq!(self.names(folder), [""; 0], "in {folder}");
        }
        for folder in ["inbox", "outbox", "quarantine", "var/exec/claimed"] {
            assert_eq!(self.names(&format!("{folder}/.tmp")), [""; 0], "in {folder}/.tmp");
        }
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = entries.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

/// A JSON text without its quotes.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

/// A watcher in the background; it is stopped when the test is over.
pub(crate) struct Watcher(Option<Child>);

impl Watcher {
    pub(crate) fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(self.0.as_ref().unwrap());
        rustix::process::kill_process(pid, signal).unwrap();
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.as_ref().unwrap().id()
    }

    pub(crate) fn ended(mut self) -> Ran {
        Ran(self.0.take().unwrap().wait_with_output().unwrap())
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // Asked to stop, `up` stops its two watchers; killed, it would leave them behind.
        let Some(mut child) = self.0.take() else { return };
        for _ in 0..100 {
            if !matches!(child.try_wait(), Ok(None)) {
                return;
            }
            let _ =
                rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM);
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// How a command ended.
pub(crate) struct Ran(pub Output);

impl Ran {
    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.0.stderr).into_owned()
    }

    pub(crate) fn exit(&self) -> Option<i32> {
        self.0.status.code()
    }

    #[track_caller]
    pub(crate) fn ends(self, exit: i32) -> Value {
        assert_eq!(self.0.status.code(), Some(exit), "{}\n{}", self.stdout(), self.stderr());
        serde_json::from_slice(&self.0.stdout).unwrap()
    }

    #[track_caller]
    pub(crate) fn succeeds(self) -> Value {
        self.ends(0)
    }

    pub(crate) fn was_killed(&self) -> bool {
        use std::os::unix::process::ExitStatusExt;
        self.0.status.signal() == Some(9)
    }
}
