//! Control groups around real runs, where this machine lets its user make some.

use std::path::PathBuf;

use gatepost_sandbox::cgroup_state;

use crate::site::{Request, Site, is_root, until};

/// The folder below which runs get their groups.
fn folder() -> Option<PathBuf> {
    let state = cgroup_state();
    state.folder.filter(|_| state.is_used)
}

/// The groups of runs of one process.
fn groups_of(process: u32) -> Vec<String> {
    let entries = folder().unwrap().read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    entries.filter(|name| name.starts_with("gatepost-run-") && name.contains(&format!("-{process}-"))).collect()
}

#[test]
fn a_run_has_a_group_of_its_own_which_is_gone_afterwards() {
    if folder().is_none() {
        return;
    }
    let site = Site::new();
    site.tool("whereabouts", "", "#!/bin/sh\ngrep ^0:: /proc/self/cgroup\n");
    let request = Request::call("whereabouts", "whereabouts");
    site.copy_in(&request);
    let watcher = site.watch("exec");
    let pid = watcher.pid();
    until("the answer", || !site.names("outbox").is_empty());
    assert_eq!(groups_of(pid), [""; 0]);
    watcher.signal(rustix::process::Signal::TERM);
    watcher.ended().ends(0);
    site.up();
    let bundle = site.result(&request.id);
    let group = bundle.read("artifacts/stdout.txt");
    assert!(group.contains("/gatepost-run-") && group.contains(&format!("-{pid}-")), "{group}");
    let evidence: serde_json::Value = serde_json::from_str(&bundle.read("evidence.json")).unwrap();
    assert!(evidence["sandbox"]["layers"].as_array().unwrap().contains(&"cgroup".into()), "{evidence}");
}

#[test]
fn the_group_of_a_gatepost_that_was_killed_is_removed_by_the_next_one() {
    if folder().is_none() {
        return;
    }
    let site = Site::new();
    site.tool("sleeper", "", "#!/bin/sh\nsleep 600\n");
    site.copy_in(&Request::call("sleeper", "sleeper"));
    let watcher = site.watch("exec");
    let pid = watcher.pid();
    until("the run", || !groups_of(pid).is_empty());
    watcher.signal(rustix::process::Signal::KILL);
    watcher.ended();
    site.gatepost(&["status"]).succeeds();
    assert_eq!(groups_of(pid), [""; 0]);
}

#[test]
fn who_may_make_no_group_runs_tools_all_the_same() {
    if !is_root() {
        return;
    }
    let site = Site::new();
    let request = Request::file("good");
    site.copy_in(&request);
    let site = site.of_nobody();
    site.up();
    let bundle = site.result(&request.id);
    assert_eq!(bundle.code(), "");
    assert!(!bundle.read("evidence.json").contains("\"cgroup"), "nobody owns no group here");
}
