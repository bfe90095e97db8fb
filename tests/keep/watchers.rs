//! Watchers that are alone on their site, that are asked to stop, and whose folders come and go.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::process::Command;

use rustix::process::Signal;

use crate::site::{GATEPOST, Request, Site, Watcher, is_root, until};

const GATED: &str =
    "#!/bin/sh\ntouch ../../../../../begun\nuntil [ -e ../../../../../go ]; do sleep 0.01; done\necho whole\n";

/// A site whose watcher runs a tool that ends when `go` appears.
fn busy(command: &str) -> (Site, Request, Watcher) {
    let site = Site::new().without_walls();
    site.tool("gated", "", GATED);
    let request = Request::call("gated", "gated");
    site.copy_in(&request);
    let watcher = site.watch(command);
    until("the tool's start", || site.path("begun").exists());
    (site, request, watcher)
}

fn go(site: &Site) {
    fs::write(site.path("go"), "").unwrap();
}

#[test]
fn a_second_watcher_ends_at_once_and_says_who_holds_the_lock() {
    for command in ["exec", "gate"] {
        let site = Site::new();
        let watcher = site.watch(command);
        let lock = site.path("var").join(command).join("lock");
        let holder = format!("process {}, gatepost {command}", watcher.pid());
        until("the lock", || fs::read_to_string(&lock).unwrap_or_default().contains(&holder));
        for arguments in [&[command][..], &[command, "--once"]] {
            let ran = site.gatepost(arguments);
            assert_eq!(ran.stderr(), "", "nothing is said before the lock is held");
            let outcome = ran.ends(12);
            assert_eq!(outcome["error"]["code"], "LOCK_HELD");
            assert!(outcome["error"]["retry_after_ms"].as_u64().unwrap() > 0 && outcome["error"]["retryable"] == true);
            assert!(outcome["error"]["message"].as_str().unwrap().contains(&holder), "{outcome}");
        }
        watcher.signal(Signal::TERM);
        watcher.ended().ends(0);
        // A lock that nobody holds any more is no lock, whatever the file says.
        site.gatepost(&[command, "--once"]).succeeds();
    }
}

#[test]
fn a_signal_lets_the_running_tool_finish() {
    for signal in [Signal::TERM, Signal::INT] {
        let (site, request, watcher) = busy("exec");
        watcher.signal(signal);
        go(&site);
        let outcome = watcher.ended().ends(0);
        assert_eq!(outcome["data"]["signal"], signal.as_raw(), "{outcome}");
        site.up();
        let bundle = site.result(&request.id);
        assert_eq!((bundle.code(), bundle.read("artifacts/stdout.txt")), (String::new(), "whole\n".to_owned()));
        site.is_at_rest();
    }
}

#[test]
fn both_watchers_end_with_the_one_that_started_them() {
    let site = Site::new();
    let watcher = site.watch("up");
    let request = Request::file("before");
    site.rename_in(&request);
    site.gatepost(&["wait", &request.id, "--timeout", "30"]).succeeds();
    watcher.signal(Signal::TERM);
    let outcome = watcher.ended().ends(0);
    assert_eq!((&outcome["data"]["exec_status"], &outcome["data"]["gate_status"]), (&0.into(), &0.into()));
    site.up();
}

#[test]
fn both_watchers_end_even_when_the_one_that_started_them_is_killed() {
    let site = Site::new();
    let watcher = site.watch("up");
    let request = Request::file("before");
    site.rename_in(&request);
    site.gatepost(&["wait", &request.id, "--timeout", "30"]).succeeds();
    watcher.signal(Signal::KILL);
    watcher.ended();
    for lock in ["var/exec/lock", "var/gate/lock"] {
        until("the end of its holder", || gatepost_mailbox::lock::Lock::holder(&site.path(lock)).is_none());
    }
}

#[test]
fn a_second_signal_stops_the_running_tool() {
    let (site, request, watcher) = busy("exec");
    // Two signals that come together may be one: the second is sent until it is heard.
    let running = site.path("var/exec/running").join(&request.id);
    until("the tool's end", || {
        let alive = running.exists();
        if alive {
            watcher.signal(Signal::TERM);
        }
        !alive
    });
    watcher.ended().ends(143);
    site.up();
    assert_eq!(site.result(&request.id).code(), "CANCELLED");
    site.is_at_rest();
}

#[test]
fn a_watcher_that_dies_is_named_by_the_one_that_started_it_and_not_the_other() {
    for (name, lock) in [("exec", "var/exec/lock"), ("gate", "var/gate/lock")] {
        let site = Site::new();
        let watcher = site.watch("up");
        let both = ["var/exec/lock", "var/gate/lock"];
        until("both locks", || both.iter().all(|lock| holder_of(&site, lock).is_some()));
        let pid = holder_of(&site, lock).unwrap();
        if name == "exec" {
            rustix::process::kill_process(pid, Signal::KILL).unwrap();
            let outcome = watcher.ended().ends(1);
            assert_eq!(outcome["error"]["message"], "`gatepost exec` was killed by signal 9.");
            assert_eq!(outcome["data"]["gate_status"], 0, "{outcome}");
        } else {
            // Whoever asks one of them to stop has no fault to look for.
            rustix::process::kill_process(pid, Signal::TERM).unwrap();
            let outcome = watcher.ended().ends(0);
            assert_eq!(outcome["data"]["ended_first"], "gate", "{outcome}");
        }
    }
}

#[test]
fn the_status_of_a_watcher_that_cannot_begin_is_that_of_the_one_that_started_it() {
    let site = Site::new();
    fs::write(site.path("policies/broken.cedar"), "permit (").unwrap();
    let outcome = site.gatepost(&["up"]).ends(4);
    assert!(outcome["error"]["message"].as_str().unwrap().starts_with("`gatepost exec` ended with status 4"));
}

fn holder_of(site: &Site, lock: &str) -> Option<rustix::process::Pid> {
    let holder = gatepost_mailbox::lock::Lock::holder(&site.path(lock))?;
    let pid = holder.strip_prefix("process ")?.split(',').next()?.parse().ok()?;
    rustix::process::Pid::from_raw(pid)
}

#[test]
fn a_hang_up_reads_the_configuration_again_and_kills_neither_the_watchers_nor_a_running_tool() {
    let (site, request, watcher) = busy("exec");
    let config = fs::read_to_string(site.path("gatepost.toml")).unwrap();
    let log = |site: &Site| fs::read_to_string(site.path("var/exec/lock")).unwrap();
    let before = log(&site);
    site.configure(&format!("{config}\n[limits]\nstdout_bytes = 3\n"));
    watcher.signal(Signal::HUP);
    go(&site);
    until("the first answer", || site.names("outbox").len() == 1);
    let after = Request::call("after", "gated");
    site.copy_in(&after);
    until("the second answer", || site.names("outbox").len() == 2);
    site.configure("[limits]\nstdout_bites = 3\n");
    watcher.signal(Signal::HUP);
    let last = Request::call("last", "gated");
    site.copy_in(&last);
    until("the third answer", || site.names("outbox").len() == 3);
    assert_eq!(log(&site), before, "the same process holds the lock");
    watcher.signal(Signal::TERM);
    let ran = watcher.ended();
    assert!(ran.stderr().contains("the old configuration stays in force: gatepost.toml:2:1"), "{}", ran.stderr());
    assert_eq!(ran.ends(0)["data"]["answered"], 3);
    site.configure(&config);
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(site.result(&request.id).code(), "");
    for request in [&after, &last] {
        assert_eq!(site.result(&request.id).code(), "OUTPUT_LIMIT");
    }
}

#[test]
fn what_ran_below_the_gates_minimum_stays_out_of_core() {
    let site = Site::new().without_walls();
    fs::remove_file(site.path("gate.toml")).unwrap();
    let request = Request::file("open");
    site.rename_in(&request);
    site.up();
    assert_eq!(site.names("core/inbound"), [""; 0]);
    let item = site.path("quarantine").join(&site.names("quarantine")[0]);
    let reasons = fs::read_to_string(item.join("reasons.json")).unwrap();
    assert!(reasons.contains("\"sandbox_below_minimum\""), "{reasons}");
}

#[test]
fn what_was_claimed_and_not_begun_is_handed_back_and_answered_by_the_next_watcher() {
    let site =
        Site::with_config("[inbox]\nsettle_ms = 0\nscan_interval_ms = 50\n[exec]\nworkers = 1\n").without_walls();
    site.tool("gated", "", GATED);
    let running = Request::call("first", "gated");
    let waiting: Vec<_> = (0..3).map(|number| Request::file(&format!("waiting-{number}"))).collect();
    site.copy_in(&running);
    let watcher = site.watch("exec");
    until("the tool's start", || site.path("begun").exists());
    for request in &waiting {
        site.rename_in(request);
    }
    until("the claims", || site.names("var/exec/claimed").len() == 3);
    watcher.signal(Signal::TERM);
    go(&site);
    let outcome = watcher.ended().ends(0);
    assert_eq!(outcome["data"]["answered"], 1, "{outcome}");
    site.up();
    for request in waiting.iter().chain([&running]) {
        assert_eq!(site.result(&request.id).code(), "");
    }
    site.is_at_rest();
}

#[test]
fn an_inbox_that_vanishes_and_comes_back_is_watched_again() {
    let site = Site::new();
    let watcher = site.watch("exec");
    let before = Request::file("before");
    site.rename_in(&before);
    until("the first answer", || site.names("outbox").len() == 1);
    fs::rename(site.path("inbox"), site.path("away")).unwrap();
    let (inside, after) = (Request::file("inside"), Request::file("after"));
    inside.write(&site.path("away"));
    until("a look at what is not there", || site.path("var/exec/lock").exists());
    fs::rename(site.path("away"), site.path("inbox")).unwrap();
    until("the second answer", || site.names("outbox").len() == 2);
    site.rename_in(&after);
    until("the third answer", || site.names("outbox").len() == 3);
    watcher.signal(Signal::TERM);
    watcher.ended().ends(0);
    site.up();
    for request in [&before, &inside, &after] {
        assert_eq!(site.result(&request.id).code(), "");
    }
}

#[test]
fn a_new_inbox_in_the_place_of_the_old_one_is_served() {
    let site = Site::new();
    let watcher = site.watch("up");
    let before = Request::file("before");
    site.rename_in(&before);
    site.gatepost(&["wait", &before.id, "--timeout", "30"]).succeeds();
    fs::remove_dir_all(site.path("inbox")).unwrap();
    fs::create_dir_all(site.path("inbox/.tmp")).unwrap();
    let request = Request::file("new");
    site.copy_in(&request);
    site.gatepost(&["wait", &request.id, "--timeout", "30"]).succeeds();
    watcher.signal(Signal::TERM);
    watcher.ended().ends(0);
}

/// Whether a process, which is no user's but nobody's, can be dumped: the files of one that cannot belong to root.
fn can_be_dumped(pid: u32) -> bool {
    fs::metadata(format!("/proc/{pid}/environ")).unwrap().uid() != 0
}

#[test]
fn no_crash_of_a_watcher_is_dumped_or_handed_to_the_machines_handler() {
    for (command, limit) in [("exec", "1"), ("gate", "0"), ("up", "1")] {
        let site = Site::new();
        let site = if is_root() { site.of_nobody() } else { site };
        let watcher = site.watch(command);
        let limits = || fs::read_to_string(format!("/proc/{}/limits", watcher.pid())).unwrap();
        let core = || {
            let limits = limits();
            let line = limits.lines().find_map(|line| line.strip_prefix("Max core file size")).unwrap();
            line.split_ascii_whitespace().take(2).map(str::to_owned).collect::<Vec<_>>()
        };
        until("a process that is not dumped", || core() == [limit; 2] && !can_be_dumped(watcher.pid()));
    }
}

#[test]
fn an_edited_configuration_that_is_not_in_force_is_said_until_a_hang_up() {
    let site = Site::steady();
    let config = fs::read_to_string(site.path("gatepost.toml")).unwrap();
    let watcher = site.watch("exec");
    let edited = || site.gatepost(&["status"]).succeeds()["data"]["config_edited"] == true;
    until("the note of the configuration", || site.path("var/exec/config.sha256").exists());
    site.configure(&format!("# A comment changes nothing.\n{config}"));
    assert!(!edited());
    site.configure(&format!("{config}\n[network]\ndestinations = [\"127.0.0.1:1\"]\n"));
    assert!(edited());
    let shown = site.gatepost(&["status", "-o", "table"]).stdout();
    assert!(shown.contains("has not read gatepost.toml") && shown.contains("SIGHUP"), "{shown}");
    let doctor = site.gatepost(&["doctor", "--problems"]).stdout();
    assert!(doctor.contains("gatepost.toml was edited and is not in force"), "{doctor}");
    let refused =
        Request::call("reach", "line_count").line("network: allowlist").line("network_allowlist: [\"127.0.0.1:1\"]");
    site.rename_in(&refused);
    until("the refusal", || site.names("outbox").len() == 1);
    watcher.signal(Signal::HUP);
    until("the edit in force", || !edited());
    drop(watcher);
    site.gatepost(&["gate", "--once"]).succeeds();
    let document = site.result(&refused.id).document();
    assert!(document.contains("TOOL-EXEC has not read gatepost.toml since it was edited."), "{document}");
}

/// What a shell with job control shows on a terminal of its own that is typed Ctrl-C into once a word is seen.
const ON_TERMINAL: &str = "import os, pty, sys\n\
    pid, terminal = pty.fork()\n\
    if pid == 0: os.execvp('sh', ['sh', '-mc', sys.argv[1]])\n\
    shown = b''\n\
    while True:\n\
    \x20   try: read = os.read(terminal, 4096)\n\
    \x20   except OSError: break\n\
    \x20   if not read: break\n\
    \x20   seen = b'waiting ' in shown\n\
    \x20   shown += read\n\
    \x20   if not seen and b'waiting ' in shown: os.write(terminal, b'\\x03')\n\
    os.waitpid(pid, 0)\n\
    sys.stdout.buffer.write(shown)\n";

#[test]
fn the_line_beneath_the_log_is_drawn_in_the_foreground_alone() {
    let site = Site::steady();
    let gatepost = format!("{GATEPOST} --site {}", site.root.display());
    let shown = |script: &str| {
        let output = Command::new("python3").args(["-c", ON_TERMINAL, script]).env("TERM", "xterm").output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let foreground = shown(&format!("{gatepost} up"));
    assert!(foreground.contains("waiting 0"), "{foreground}");
    let submit = format!("{gatepost} submit --wait --tool fail_with --arg status=0 >/dev/null 2>&1");
    let background = shown(&format!("{gatepost} up & until {submit}; do sleep 0.1; done; kill $!; wait"));
    assert!(background.contains("accepted     TS-"), "{background}");
    assert!(!background.contains("waiting ") && !background.contains("\x1b[K"), "{background}");
}
