//! What commands write and start, traced, against what they declare of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use regex::Regex;
use serde_json::Value;

use crate::site::{Request, Site, text};

/// The calls that change a file system, and those that start programs.
const CALLS: &str = "trace=open,openat,openat2,creat,mkdir,mkdirat,mknod,mknodat,rename,renameat,renameat2,unlink,unlinkat,rmdir,link,linkat,\
    symlink,symlinkat,truncate,ftruncate,chmod,fchmod,fchmodat,chown,fchown,fchownat,lchown,utimensat,execve,\
    clone,clone3,fork,vfork";

/// What is not traced here: it goes on until it is stopped, or is made of commands that are.
const ELSEWHERE: [&str; 5] = ["batch", "demo", "mcp", "serve", "sessions.close"];

/// A call, and the thread that made it.
type Call = (String, String);

/// What a command did.
struct Traced {
    /// `create`, `change` or `remove`, and a path.
    writes: BTreeSet<(&'static str, PathBuf)>,
    programs: Vec<String>,
}

impl Traced {
    fn of(site: &Site, words: &[&str], exit: i32) -> Self {
        let log = tempfile::NamedTempFile::new().unwrap();
        let log = log.path().to_str().unwrap();
        let ran = site.gatepost_under(&["strace", "-f", "-y", "-qq", "-s", "4096", "-o", log, "-e", CALLS], words);
        assert_eq!(ran.exit(), Some(exit), "{words:?}: {}\n{}", ran.stdout(), ran.stderr());
        let calls = whole_calls(&fs::read_to_string(log).unwrap());
        let writes = calls.iter().flat_map(|(_, call)| acts(call)).filter(|(_, path)| is_file(path)).collect();
        // The first is the program itself.
        Self { writes, programs: started(&calls).split_off(1) }
    }
}

/// The programs that were started, but those that a program of others started in its turn.
fn started(calls: &[Call]) -> Vec<String> {
    let is_birth = |call: &str| ["clone", "fork", "vfork"].iter().any(|name| call.starts_with(name));
    let births = calls.iter().filter(|(_, call)| is_birth(call));
    let child = |call: &str| call.rsplit(") = ").next().unwrap().split(' ').next().unwrap().to_owned();
    let parents: BTreeMap<String, &String> = births.map(|(parent, call)| (child(call), parent)).collect();
    let (mut programs, mut foreign) = (Vec::new(), BTreeSet::new());
    for (thread, call) in calls.iter().filter(|(_, call)| call.starts_with("execve")) {
        let program = call.split('"').nth(1).unwrap();
        let line = std::iter::successors(Some(thread), |one| parents.get(*one).copied());
        if !line.clone().any(|one| foreign.contains(one)) {
            programs.push(program.to_owned());
        }
        if !Path::new(program).file_name().unwrap().to_string_lossy().starts_with("gatepost") {
            foreign.insert(thread);
        }
    }
    programs
}

/// What the kernel shows as files may be none.
fn is_file(path: &Path) -> bool {
    !path.starts_with("/proc") && !path.starts_with("/dev")
}

/// The calls that succeeded and their threads, those whole that another thread cut in two.
fn whole_calls(log: &str) -> Vec<Call> {
    let (mut open, mut calls): (Vec<(&str, &str)>, Vec<Call>) = (Vec::new(), Vec::new());
    for line in log.lines() {
        let (thread, call) = line.split_once(' ').unwrap();
        let call = call.trim_start();
        if let Some(begun) = call.strip_suffix("<unfinished ...>") {
            open.push((thread, begun));
        } else if call.starts_with("<... ") {
            let at = open.iter().position(|(other, _)| *other == thread).unwrap();
            let whole = open.swap_remove(at).1.to_owned() + call.split_once("resumed>").unwrap().1;
            // The results of such calls stand in a column.
            let (words, result) = whole.rsplit_once(" = ").unwrap();
            let whole = format!("{} = {result}", words.trim_end());
            calls.push((thread.to_owned(), whole));
        } else {
            calls.push((thread.to_owned(), call.to_owned()));
        }
    }
    calls.retain(|(_, call)| call.contains(") = ") && !call.contains(") = -1") && !call.contains(") = ?"));
    calls
}

/// What a call did to which paths.
fn acts(call: &str) -> Vec<(&'static str, PathBuf)> {
    let name = call.split('(').next().unwrap();
    let named = Regex::new(r#"(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"([^"]*)""#).unwrap();
    let place =
        |found: regex::Captures<'_>| Path::new(found.get(1).map_or("/", |folder| folder.as_str())).join(&found[2]);
    let paths: Vec<PathBuf> = named.captures_iter(call).map(place).collect();
    let (first, last) = (paths.first().cloned(), paths.last().cloned());
    let opened = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC"].iter().any(|mode| call.contains(mode));
    match name {
        "open" | "openat" | "openat2" if !opened => Vec::new(),
        "open" | "openat" | "openat2" if !call.contains("O_CREAT") => {
            first.map(|path| ("change", path)).into_iter().collect()
        }
        "rename" | "renameat" | "renameat2" => {
            first.map(|path| ("remove", path)).into_iter().chain(last.map(|path| ("create", path))).collect()
        }
        "unlink" | "unlinkat" | "rmdir" => first.map(|path| ("remove", path)).into_iter().collect(),
        "open" | "openat" | "openat2" | "creat" | "mkdir" | "mkdirat" | "mknod" | "mknodat" | "link" | "linkat"
        | "symlink" | "symlinkat" => last.map(|path| ("create", path)).into_iter().collect(),
        "execve" | "clone" | "clone3" | "fork" | "vfork" => Vec::new(),
        _ => {
            let by_number = Regex::new(r"\(\d+<([^>]*)>").unwrap();
            let open = by_number.captures(call).map(|found| PathBuf::from(&found[1]));
            first.or(open).map(|path| ("change", path)).into_iter().collect()
        }
    }
}

/// What one command declares, of one invocation.
struct Declared {
    schema: Value,
    site: PathBuf,
    words: Vec<String>,
}

impl Declared {
    fn of(site: &Site, words: &[&str]) -> Self {
        let path: Vec<&str> = words.iter().copied().take_while(|word| !word.starts_with('-')).collect();
        // The words of a command are those up to the longest that asks for a schema.
        let schema = (1..=path.len().min(2)).rev().find_map(|count| {
            let ran = site.gatepost(&[&path[..count], &["--schema", "--max-output", "0"]].concat());
            let said: Value = serde_json::from_str(&ran.stdout()).ok()?;
            (said["data"]["name"] == path[..count].join(".")).then(|| said["data"].clone())
        });
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { schema: schema.unwrap_or_else(|| panic!("{path:?}")), site: site.root.clone(), words }
    }

    fn name(&self) -> String {
        text(&self.schema["name"])
    }

    fn writes(&self) -> &Vec<Value> {
        self.schema["filesystem_side_effects"].as_array().unwrap()
    }

    /// What all paths begin with that a declaration means; none where the argument was not given.
    fn beginning(&self, write: &Value) -> Option<String> {
        let path = text(&write["path"]);
        let beginning = match write["within"].as_str().unwrap() {
            "site" => format!("{}/{path}", self.site.display()),
            "temporary" => format!("{}/{path}", std::env::temp_dir().display()),
            "argument" => self.argument(&path)?,
            _ => path,
        };
        Some(beginning)
    }

    /// The value of an argument: what follows its flag, or the word of its place.
    fn argument(&self, name: &str) -> Option<String> {
        let flag = format!("--{name}");
        let at = self.words.iter().position(|word| *word == flag);
        let parameter = &self.schema["parameters"][name];
        let place = parameter["position"].as_u64().and_then(|place| usize::try_from(place).ok());
        let of_place = place.map(|place| place + self.name().split('.').count() - 1);
        self.words.get(at.map(|at| at + 1).or(of_place)?).cloned()
    }

    fn allows(&self, act: &str, path: &Path) -> bool {
        let shown = format!("{}/", path.display());
        self.writes().iter().any(|write| {
            let is_there = self.beginning(write).is_some_and(|beginning| shown.starts_with(&beginning));
            is_there && write["acts"].as_array().unwrap().iter().any(|allowed| allowed == act)
        })
    }

    fn starts(&self, program: &str) -> bool {
        let name = Path::new(program).file_name().unwrap().to_string_lossy().into_owned();
        self.schema["subprocesses"].as_array().unwrap().iter().any(|declared| {
            let binary = text(&declared["binary"]);
            let is_tool = binary.contains("manifest") && ["wc", "true", "risky", "leak", "sh", "cat"].contains(&&*name);
            is_tool || binary.split([' ', ',']).any(|word| word == name)
        })
    }
}

/// A site with a tool that needs an approval, a person who may give it, and the folder of keys and files.
fn site() -> (Site, tempfile::TempDir) {
    let (site, folder) = (Site::steady(), tempfile::tempdir().unwrap());
    fs::write(folder.path().join("a.txt"), "one\n").unwrap();
    let key = folder.path().join("alice");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status().unwrap();
    assert!(made.success());
    let public = fs::read_to_string(key.with_extension("pub")).unwrap();
    let approvers = site.path("keys/approvers");
    fs::write(&approvers, format!("alice {public}")).unwrap();
    fs::set_permissions(approvers, fs::Permissions::from_mode(0o644)).unwrap();
    site.tool("risky", "human_approval = true", "#!/bin/sh\necho done\n");
    (site, folder)
}

/// Traces invocations and gathers what they did and do not declare.
struct Trial<'a> {
    site: &'a Site,
    seen: BTreeSet<String>,
    /// Places that are declared and were not written to so far.
    unused: BTreeSet<(String, String)>,
    used: BTreeSet<(String, String)>,
    wrong: Vec<String>,
}

impl Trial<'_> {
    fn run(&mut self, words: &[&str]) {
        self.ends(words, 0);
    }

    fn ends(&mut self, words: &[&str], exit: i32) {
        let declared = Declared::of(self.site, words);
        let traced = Traced::of(self.site, words, exit);
        for (act, path) in &traced.writes {
            if !declared.allows(act, path) {
                self.wrong.push(format!("{words:?} does not declare to {act} {}", path.display()));
            }
        }
        for program in traced.programs.iter().filter(|program| !declared.starts(program)) {
            self.wrong.push(format!("{words:?} does not declare to start {program}"));
        }
        for write in declared.writes() {
            let place = (declared.name(), text(&write["path"]));
            let begins = |path: &Path| {
                declared.beginning(write).is_some_and(|begin| format!("{}/", path.display()).starts_with(&begin))
            };
            if traced.writes.iter().any(|(_, path)| begins(path)) {
                self.used.insert(place);
            } else {
                self.unused.insert(place);
            }
        }
        self.seen.insert(declared.name());
    }

    fn lines(&mut self, lines: &[&str]) {
        for line in lines {
            self.run(&line.split(' ').collect::<Vec<_>>());
        }
    }
}

#[test]
fn what_each_command_writes_and_starts_is_what_it_declares() {
    let (site, folder) = site();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let mut trial =
        Trial { site: &site, seen: BTreeSet::new(), unused: BTreeSet::new(), used: BTreeSet::new(), wrong: Vec::new() };
    trial.lines(&[
        "version",
        "errors",
        "manifest",
        "completions bash",
        "status",
        "check-permissions",
        "config",
        "doctor",
        "list",
        "policy check",
        "tools list",
        "tools show line_count",
        "tools check",
        "tools schema",
        "tools pin",
        "tools init my_tool",
        "quarantine list",
        "sessions list",
        "tool-pool",
        "show-tool line_count",
        "route lines",
        "list-sessions",
        "show-command list",
        "exec-command doctor",
        "command-graph",
        "bootstrap-graph",
    ]);
    fs::remove_file(site.path("tools/my_tool.clad.toml")).unwrap();
    fs::remove_dir_all(site.path("rules")).unwrap();
    trial.run(&["init"]);
    trial.run(&["init", &at("another")]);
    trial.run(&["man", "--out", &at("man")]);
    trial.run(&["policy", "learn", "--out", &at("draft")]);
    mailbox(&mut trial, &at);
    refused(&mut trial, &at);
    decisions(&mut trial, &at);
    let watcher = site.watch("up");
    site.is_watched();
    trial.run(&["exec-tool", "line_count", "file=a.txt", "--input", &at("a.txt")]);
    trial.run(&["bootstrap", "line_count file=a.txt", "--input", &at("a.txt")]);
    drop(watcher);
    assert!(trial.wrong.is_empty(), "{}", trial.wrong.join("\n"));
    let unused: Vec<_> = trial.unused.difference(&trial.used).collect();
    assert_eq!(unused, UNUSED.map(|(command, path)| (command.to_owned(), path.to_owned())).iter().collect::<Vec<_>>());
    let manifest = site.gatepost(&["manifest", "--max-output", "0"]).succeeds();
    let all = manifest["data"]["commands"].as_object().unwrap().iter();
    let leaves = all.filter(|(_, command)| command["subcommands"].is_null()).map(|(path, _)| path.as_str());
    let untried: Vec<&str> = leaves.filter(|path| !trial.seen.contains(*path)).collect();
    assert_eq!(untried, ELSEWHERE);
}

/// Places that are declared and that nothing here has a reason to write to: there is no session that is open, nothing past its
/// retention, no import that is refused, and no file of metrics; nobody reviews requests on a terminal, and root cancels by an order; and where tools may act on the machine, no root is made for them.
const UNUSED: [(&str, &str); 14] = [
    ("approve", "var/exec/orders/"),
    ("cancel", "var/exec/cancels/"),
    ("delete-session", "var/exec/orders/"),
    ("exec", ".machine"),
    ("exec", "[metrics] file of gatepost.toml"),
    ("import", "quarantine/"),
    ("policy.explain", ".machine"),
    ("quarantine.purge", "quarantine/"),
    ("quarantine.purge", "var/exchange/judged/"),
    ("quarantine.purge", "var/gate/"),
    ("status", ".machine"),
    ("tools.run", ".machine"),
    ("up", ".machine"),
    ("up", "[metrics] file of gatepost.toml"),
];

/// A request, its result, and all that can be done with either.
fn mailbox(trial: &mut Trial<'_>, at: &impl Fn(&str) -> String) {
    let site = trial.site;
    let (file, bundle) = (at("a.txt"), at("a-bag"));
    let call = ["line_count", "--arg", "file=a.txt", "--input", &file];
    trial.run(&[&["tools", "plan"][..], &call].concat());
    trial.run(&["exec-command", "tools plan", &call.join(" ")]);
    trial.run(&[&["tools", "run"][..], &call].concat());
    trial.run(&[&["submit", "--tool"][..], &call].concat());
    let id = site.names("inbox").remove(0);
    trial.run(&["check", site.path("inbox").join(&id).to_str().unwrap()]);
    trial.run(&["export", "--requests", &id, "--out", &bundle]);
    trial.lines(&["exec --once", "gate --once"]);
    for words in [&["show"][..], &["wait"], &["cat"], &["policy", "explain"], &["audit", "timeline"]] {
        trial.run(&[words, &[&id]].concat());
    }
    trial.lines(&["audit verify", "audit checkpoint", "up --once"]);
    trial.run(&["export", &id, "--out", &at("results")]);
    trial.run(&["import", &bundle]);
    trial.run(&["verify", site.results(&id)[0].to_str().unwrap()]);
    trial.run(&["report", "--csv", &at("a.csv"), "--json", &at("a.json"), "--html", &at("a.html")]);
    // On another site the same request is new.
    let other = Site::steady();
    let mut there = Trial {
        site: &other,
        seen: BTreeSet::new(),
        unused: BTreeSet::new(),
        used: BTreeSet::new(),
        wrong: Vec::new(),
    };
    there.run(&["import", &bundle]);
    let key = text(&site.gatepost(&["audit", "checkpoint"]).succeeds()["data"]["verifier_key"]);
    fs::write(other.path("keys/gates"), format!("{key}\n")).unwrap();
    there.run(&["import", &at("results")]);
    trial.wrong.append(&mut there.wrong);
    trial.used.append(&mut there.used);
}

/// Requests that wait for a person.
fn decisions(trial: &mut Trial<'_>, at: &impl Fn(&str) -> String) {
    let ids: Vec<String> = ["one", "two", "three"]
        .map(|name| Request::call(name, "risky"))
        .map(|request| {
            trial.site.copy_in(&request);
            request.id
        })
        .into();
    trial.run(&["exec", "--once"]);
    trial.run(&["show", &ids[0]]);
    trial.run(&["approve", "--key", &at("alice"), &ids[0]]);
    trial.run(&["deny", &ids[1], "--reason", "Not here."]);
    trial.run(&["cancel", &ids[2]]);
    trial.run(&["exec", "--once"]);
    trial.ends(&["sessions", "show", &ids[0]], 5);
    trial.ends(&["load-session", &ids[0]], 5);
    trial.ends(&["flush-transcript", &ids[0]], 5);
    trial.ends(&["delete-session", &ids[0]], 5);
}

/// A result that the gate refused.
fn refused(trial: &mut Trial<'_>, at: &impl Fn(&str) -> String) {
    let item = trial.site.reject_a_secret();
    trial.run(&["quarantine", "show", &item]);
    trial.run(&["quarantine", "reject-note", &item, "--to", &at("note.md")]);
    trial.run(&["quarantine", "release", &item, "--override", "secret", "--reason", "A sample key."]);
    trial.run(&["quarantine", "purge", "--dry-run"]);
    trial.site.copy_in(&Request::call("again", "leak"));
    trial.lines(&["exec --once", "gate --once"]);
}
