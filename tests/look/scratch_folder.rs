//! What an invocation keeps in the folder for temporary files: nothing of it stays, whoever ends it, and nothing that lies there holds it up.

use std::fs;
use std::path::Path;
use std::process::Child;

use rustix::process::{Pid, Signal, kill_process};

use crate::site::{Request, Site, until};

fn count(folder: &Path) -> usize {
    folder.read_dir().unwrap().count()
}

/// A tool that has begun, called from the command line.
fn begun(site: &Site, temporary: &Path) -> Child {
    site.tool("endless", "", "#!/bin/sh\necho begun\nsleep 60\n");
    let child = site.command(&[], &["tools", "run", "endless"]).env("TMPDIR", temporary).spawn().unwrap();
    let has_begun = |folder: fs::DirEntry| {
        let printed = folder.path().join("bundle/artifacts/stdout.txt");
        fs::read_to_string(printed).is_ok_and(|text| text == "begun\n")
    };
    until("the tool's start", || temporary.read_dir().unwrap().any(|folder| has_begun(folder.unwrap())));
    child
}

#[test]
fn a_call_that_a_signal_ends_leaves_nothing_and_one_that_is_killed_stands_in_no_others_way() {
    let (site, folder) = (Site::new(), tempfile::tempdir().unwrap());
    for (signal, left) in [(Signal::TERM, 0), (Signal::INT, 0), (Signal::KILL, 1)] {
        let mut child = begun(&site, folder.path());
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert!(!child.wait().unwrap().success());
        assert_eq!(count(folder.path()), left, "{signal:?}");
    }
}

#[test]
fn whoever_takes_the_names_of_processes_to_come_holds_nobody_up() {
    let (site, folder) = (Site::new(), tempfile::tempdir().unwrap());
    let request = Request::folder("taken").write(&site.root);
    let request = site.path(&request);
    let now = std::process::id();
    for name in ["gatepost", "gatepost-request"] {
        for process in now..now + 3_000 {
            fs::write(folder.path().join(format!("{name}-{process}")), "").unwrap();
        }
    }
    let before = count(folder.path());
    for words in [&["tools", "run", "fail_with", "--arg", "status=0"][..], &["check", request.to_str().unwrap()]] {
        let ran = site.command(&[], words).env("TMPDIR", folder.path()).output().unwrap();
        assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stdout));
        assert_eq!(count(folder.path()), before, "{words:?}");
    }
}
