//! Signals and deadlines that end a command which is not a watcher.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Output};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::site::{Request, Site, until};

/// Ends a command by a signal, once it would notice SIGTERM and SIGINT.
fn ended(child: Child, signal: Signal) -> Output {
    let pid = child.id();
    let catches = || {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim).map(str::to_owned);
        mask.and_then(|mask| u64::from_str_radix(&mask, 16).ok())
            .is_some_and(|mask| mask & (1 << 14) != 0 && mask & 2 != 0)
    };
    until("the handlers", catches);
    kill_process(Pid::from_child(&child), signal).unwrap();
    child.wait_with_output().unwrap()
}

/// Whether `gatepost wait` watches the folders: from then on it says what it waits for.
fn is_watching(child: &Child) -> bool {
    let Ok(open) = fs::read_dir(format!("/proc/{}/fd", child.id())) else { return false };
    let targets = open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    targets.into_iter().any(|target| target.to_string_lossy().contains("inotify"))
}

/// A site with a request that nobody carries out.
fn waiting() -> (Site, Request) {
    let (site, request) = (Site::new(), Request::file("waiting"));
    site.copy_in(&request);
    (site, request)
}

#[test]
fn a_command_that_is_stopped_says_so_once_in_every_form() {
    let (site, request) = waiting();
    for (signal, exit, name) in [(Signal::TERM, 143, "SIGTERM"), (Signal::INT, 130, "SIGINT")] {
        let stopped = |form| {
            let child = site.command(&[], &["wait", &request.id, "-o", form]).spawn().unwrap();
            until("its watch", || is_watching(&child));
            ended(child, signal)
        };
        let told: Value = serde_json::from_slice(&stopped("json").stdout).unwrap();
        let error = &told["error"];
        assert_eq!((&error["code"], &error["target"]), (&"CANCELLED".into(), &request.id.as_str().into()));
        assert_eq!(error["fix_command"], format!("gatepost wait {}", request.id));
        for form in ["plain", "table", "tsv", "id"] {
            let stopped = stopped(form);
            let said = String::from_utf8(stopped.stderr).unwrap();
            assert_eq!((stopped.status.code(), stopped.stdout.len()), (Some(exit), 0), "{form}: {said}");
            assert!(said.starts_with(&format!("error: {name} stopped the command before ")), "{form}: {said}");
        }
    }
}

#[test]
fn a_submission_that_is_stopped_while_it_waits_names_what_it_submitted() {
    let site = Site::new();
    let gate = site.watch("gate");
    let exec = site.watch("exec");
    site.is_watched();
    site.tool("endless", "", "#!/bin/sh\nsleep 60\n");
    let child = site.command(&[], &["submit", "--tool", "endless", "--wait"]).spawn().unwrap();
    until("its start", || !site.names("var/exec/running").is_empty());
    until("its watch", || is_watching(&child));
    let told: Value = serde_json::from_slice(&ended(child, Signal::TERM).stdout).unwrap();
    assert_eq!(told["error"]["target"], site.names("var/exec/running")[0]);
    drop((gate, exec));
}

#[test]
fn a_deadline_ends_a_command_with_its_own_code() {
    let (site, request) = waiting();
    let late = site.gatepost(&["wait", &request.id, "--timeout", "10ms"]).ends(10);
    assert_eq!((&late["error"]["code"], &late["meta"]["timeout_ms"]), (&"TIMEOUT".into(), &10.into()));
    let late = site.gatepost(&["wait", &request.id, "--timeout", "10ms", "--output-format", "json"]).ends(2);
    assert_eq!(late["exit_code"], 2);
}

#[test]
fn a_terminal_that_is_gone_ends_a_command_but_under_nohup() {
    let (site, request) = waiting();
    let wait = ["wait", &request.id, "--timeout", "2s"];
    // Whoever started these tests may have had it ignored.
    let gone = ended(site.command(&["env", "--default-signal=HUP"], &wait).spawn().unwrap(), Signal::HUP);
    assert_eq!(gone.status.signal(), Some(Signal::HUP.as_raw()));
    let gone = ended(site.command(&["nohup"], &wait).spawn().unwrap(), Signal::HUP);
    assert_eq!(gone.status.code(), Some(10));
}
