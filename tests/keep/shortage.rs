//! What the machine is short of for a moment, watchers whose parent is gone, folders that are replaced: nothing that did not start is
//! answered, nothing runs twice, and what runs may finish.

use std::fs;

use gatepost_mailbox::lock::Lock;
use rustix::process::Signal;

use crate::keep::crash::with_fault;
use crate::site::{Request, Site, until};

/// Says that it ran, and ends when `go` appears.
const COUNTED: &str =
    "#!/bin/sh\necho ran >> ../../../../../ran\nuntil [ -e ../../../../../go ]; do sleep 0.01; done\necho whole\n";

fn runs(site: &Site) -> usize {
    fs::read_to_string(site.path("ran")).unwrap_or_default().lines().count()
}

/// A site that has claimed nothing yet, with a request for a tool that counts its runs.
fn counted(idempotent: bool) -> (Site, Request) {
    let site = Site::steady();
    site.tool("counted", &format!("idempotent = {idempotent}"), COUNTED);
    let request = Request::call("counted", "counted");
    site.copy_in(&request);
    (site, request)
}

#[test]
fn a_thread_or_process_that_cannot_be_had_for_now_is_asked_for_again() {
    let (base, request) = counted(false);
    fs::write(base.path("go"), "").unwrap();
    for (calls, error, most) in [("clone3", "EAGAIN", 8), ("pipe2,socketpair,eventfd2", "EMFILE", 12)] {
        for nth in 1..=most {
            let site = base.fork();
            let ran = with_fault(&site, "exec", calls, nth, &format!("error={error}"));
            let what = format!("{error} at {calls} {nth}: {} {}", ran.stdout(), ran.stderr());
            site.up();
            assert_eq!((site.result(&request.id).code(), runs(&site)), (String::new(), 1), "{what}");
            site.is_at_rest();
        }
    }
}

#[test]
fn a_parser_that_cannot_be_started_for_now_is_started_again() {
    let base = Site::steady();
    base.script("parse", "#!/bin/sh\necho '{\"parsed\":true}'\n");
    let output = "format = \"text\"\nparser = \"scripts/parse\"\n[output.schema]\ntype = \"object\"\n";
    base.tool_with_output("parsed", "", "#!/bin/sh\necho ran >> ../../../../../ran\n", output);
    let request = Request::call("parsed", "parsed");
    base.copy_in(&request);
    for nth in 1..=10 {
        let site = base.fork();
        let ran = with_fault(&site, "exec", "clone3", nth, "error=EAGAIN");
        let what = format!("EAGAIN at clone3 {nth}: {} {}", ran.stdout(), ran.stderr());
        site.up();
        let bundle = site.result(&request.id);
        assert_eq!((bundle.code(), runs(&site)), (String::new(), 1), "{what}");
        assert_eq!(bundle.evidence()["results"]["parsed"], true, "{what}");
    }
}

#[test]
fn a_log_that_cannot_be_opened_for_want_of_space_answers_nothing_and_loses_nothing() {
    for idempotent in [false, true] {
        let (site, request) = counted(idempotent);
        fs::write(site.path("go"), "").unwrap();
        for watcher in ["exec", "gate"] {
            let journal = site.path(&format!("var/{watcher}/log/.journal"));
            let (before, items) = (site.names("inbox"), site.names("outbox"));
            let calls = ["-e", "trace=openat", "-e", "inject=openat:error=ENOSPC"];
            let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", journal.to_str().unwrap()];
            let ended = site.gatepost_under(&[&strace[..], &calls].concat(), &[watcher, "--once"]);
            let said = ended.stdout() + &ended.stderr();
            assert!(said.contains("failed to create") && said.contains("No space left on device"), "{said}");
            assert!([Some(1), Some(82)].contains(&ended.exit()), "{said}");
            assert_eq!((site.names("inbox"), site.names("outbox")), (before, items), "{said}");
            site.gatepost(&[watcher, "--once"]).succeeds();
        }
        assert_eq!((site.result(&request.id).code(), runs(&site)), (String::new(), 1));
        site.is_at_rest();
        site.gatepost(&["audit", "verify"]).succeeds();
    }
}

#[test]
fn a_killed_up_lets_what_runs_finish_and_its_answer_stands() {
    for idempotent in [false, true] {
        let (site, request) = counted(idempotent);
        let up = site.watch("up");
        until("the tool's start", || runs(&site) == 1);
        up.signal(Signal::KILL);
        until("the gate's end", || Lock::holder(&site.path("var/gate/lock")).is_none());
        // What serves the site still says so.
        assert_eq!(site.gatepost(&["up"]).ends(12)["error"]["code"], "LOCK_HELD");
        fs::write(site.path("go"), "").unwrap();
        until("the end of exec", || Lock::holder(&site.path("var/exec/lock")).is_none());
        site.up();
        let bundle = site.result(&request.id);
        assert_eq!((bundle.code(), bundle.read("artifacts/stdout.txt")), (String::new(), "whole\n".to_owned()));
        assert_eq!(runs(&site), 1);
        site.is_at_rest();
    }
}

#[test]
fn signals_that_come_together_are_one_wish_to_stop() {
    let (site, request) = counted(false);
    let exec = site.watch("exec");
    until("the tool's start", || runs(&site) == 1);
    exec.signal(Signal::TERM);
    exec.signal(Signal::INT);
    fs::write(site.path("go"), "").unwrap();
    exec.ended();
    site.up();
    assert_eq!(site.result(&request.id).code(), "");
}

#[test]
fn a_link_in_the_place_of_a_folder_of_results_is_said_and_nothing_goes_through_it() {
    for folder in ["outbox", "core/inbound", "quarantine"] {
        let (site, request) = counted(false);
        fs::write(site.path("go"), "").unwrap();
        fs::rename(site.path(folder), site.path("away")).unwrap();
        fs::create_dir(site.path("other")).unwrap();
        std::os::unix::fs::symlink(site.path("other"), site.path(folder)).unwrap();
        for command in ["exec", "gate"] {
            let ended = site.gatepost(&[command, "--once"]);
            let said = ended.stdout() + &ended.stderr();
            assert!(said.contains(&format!("{folder}: it is a symbolic link")), "{folder}: {said}");
            assert_eq!(ended.0.status.code(), Some(1), "{said}");
        }
        assert_eq!((runs(&site), site.names("other")), (0, Vec::<String>::new()), "{folder}");
        fs::remove_file(site.path(folder)).unwrap();
        fs::rename(site.path("away"), site.path(folder)).unwrap();
        site.up();
        assert_eq!((site.result(&request.id).code(), runs(&site)), (String::new(), 1));
    }
}
