//! Flushes that several items share, as the kernel sees them: none goes on before a flush that began after its own move.

use std::collections::HashMap;
use std::fs;

use crate::site::{Request, Site};

/// One system call: by which thread, and when it began and ended, counted in lines of the trace.
struct Call {
    thread: String,
    text: String,
    began: usize,
    ended: usize,
}

/// The system calls of one watcher, in the order in which they began.
struct Trace(Vec<Call>);

impl Trace {
    fn of(site: &Site, watcher: &str) -> Self {
        let log = site.path("trace");
        let calls = "trace=fsync,fdatasync,renameat2,clone,clone3,write";
        let before = ["strace", "-f", "-y", "-qq", "-s", "65536", "-o", log.to_str().unwrap(), "-e", calls];
        site.gatepost_under(&before, &[watcher, "--once"]).succeeds();
        let (mut calls, mut open) = (Vec::<Call>::new(), HashMap::new());
        for (number, line) in fs::read_to_string(log).unwrap().lines().enumerate() {
            let (thread, text) = line.split_once(' ').unwrap();
            let text = text.trim_start();
            if let Some(rest) = text.strip_prefix("<... ") {
                let begun: &mut Call = &mut calls[open.remove(thread).unwrap()];
                (begun.ended, begun.text) = (number, format!("{}{rest}", begun.text));
                continue;
            }
            if text.ends_with("<unfinished ...>") {
                open.insert(thread.to_owned(), calls.len());
            }
            calls.push(Call { thread: thread.to_owned(), text: text.to_owned(), began: number, ended: number });
        }
        Self(calls)
    }

    /// The call of this kind whose line holds all parts.
    #[track_caller]
    fn call(&self, kind: &str, parts: &[&str]) -> &Call {
        let is_it = |call: &&Call| call.text.starts_with(kind) && parts.iter().all(|part| call.text.contains(part));
        self.0.iter().find(is_it).unwrap_or_else(|| panic!("no {kind} of {parts:?}"))
    }

    #[track_caller]
    fn rename(&self, from: &str, to: &str) -> &Call {
        self.call("renameat2", &[&format!("{from}\""), to])
    }

    fn flushes(&self, path: &str) -> impl Iterator<Item = &Call> {
        let end = format!("{path}>");
        self.0.iter().filter(move |call| call.text.contains("sync(") && call.text.contains(&end))
    }

    /// Asserts that a folder or file was flushed, from beginning to end, between two calls.
    #[track_caller]
    fn is_flushed(&self, path: &str, after: &Call, before: usize) {
        let is_between = |flush: &Call| flush.began > after.ended && flush.ended < before;
        assert!(self.flushes(path).any(is_between), "{path} is not flushed after {} and before {before}", after.text);
    }
}

/// A site with several workers at which so many small requests wait.
fn waiting(count: usize) -> (Site, Vec<Request>) {
    let config = "[inbox]\nsettle_ms = 0\nscan_interval_ms = 50\n[exec]\nworkers = 4\n";
    let site = Site::with_config(config).without_walls();
    site.tool("small", "", "#!/bin/sh\necho small\n");
    let requests: Vec<_> = (0..count).map(|number| Request::call(&format!("small-{number}"), "small")).collect();
    for request in &requests {
        site.copy_in(request);
    }
    (site, requests)
}

#[test]
fn an_item_goes_on_only_after_a_flush_of_both_folders_that_began_after_its_own_move() {
    let (site, requests) = waiting(24);
    let trace = Trace::of(&site, "exec");
    for id in requests.iter().map(|request| &request.id) {
        let claimed = trace.rename(&format!("claimed/.tmp/{id}"), "var/exec/claimed/TR");
        let taken = trace.rename(&format!("inbox/{id}.md"), "inbox/.claimed-");
        trace.is_flushed("var/exec/claimed", claimed, taken.began);
        trace.is_flushed("var/exec/claimed/.tmp", claimed, taken.began);
        trace.is_flushed("site/inbox", taken, usize::MAX);
        let running = trace.rename(&format!("claimed/{id}"), "var/exec/running/TR");
        let is_spawn = |call: &&Call| call.began > running.ended && call.text.starts_with("clone");
        let spawned = trace.0.iter().filter(|call| call.thread == running.thread).find(is_spawn).unwrap();
        trace.is_flushed("var/exec/running", running, spawned.began);
        trace.is_flushed("var/exec/claimed", running, spawned.began);
        let published = trace.rename(&format!("outbox/.tmp/{id}"), "outbox/TS-");
        let done = trace.rename(&format!("running/{id}"), "var/exec/done/TR");
        trace.is_flushed("site/outbox", published, done.began);
        trace.is_flushed("site/outbox/.tmp", published, done.began);
        trace.is_flushed("var/exec/done", done, usize::MAX);
        trace.is_flushed("var/exec/running", done, usize::MAX);
    }
    let count = trace.flushes("site/inbox").count();
    assert_eq!(count, requests.len() / 8, "a flush of the inbox serves all that were claimed together");
}

#[test]
fn a_bundle_is_accepted_only_after_a_flush_of_the_ledger_that_began_after_its_own_line() {
    let (site, requests) = waiting(24);
    site.gatepost(&["exec", "--once"]).succeeds();
    let names = site.names("outbox");
    assert_eq!(names.len(), requests.len());
    let trace = Trace::of(&site, "gate");
    for name in names {
        let line = trace.call("write", &["gate/log/journal>", &format!("\\\"{name}\\\"")]);
        let accepted = trace.rename(&format!("judging/{name}/bundle"), "core/inbound/TS-");
        trace.is_flushed("gate/log/journal", line, accepted.began);
        let retired = trace.rename(&format!("outbox/{name}"), "outbox/.judged-");
        trace.is_flushed("core/inbound", accepted, retired.began);
        trace.is_flushed(&format!("judging/{name}"), accepted, retired.began);
    }
}

/// Runs a watcher once with every flush of a path failing.
fn with_failing_flush(site: &Site, watcher: &str, path: &str) {
    let path = site.path(path);
    let inject =
        ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "-P", path.to_str().unwrap()];
    let ran = site.gatepost_under(&inject, &[watcher, "--once"]);
    let said = ran.stdout() + &ran.stderr();
    assert!(ran.0.status.code() == Some(1) && said.contains("failed to flush"), "{}: {said}", path.display());
}

#[test]
fn a_file_of_many_that_could_not_be_flushed_keeps_what_it_belongs_to_from_going_on() {
    for file in ["SHA256SUMS", "evidence.json", "artifacts/stdout.txt", "artifacts/stderr.txt"] {
        let (site, requests) = waiting(1);
        let id = &requests[0].id;
        with_failing_flush(&site, "exec", &format!("outbox/.tmp/{id}/{file}"));
        assert_eq!((site.names("outbox").len(), site.names("var/exec/running").len()), (0, 1), "{file}");
        site.gatepost(&["exec", "--once"]).succeeds();
        let [name] = site.names("outbox").try_into().unwrap();
        with_failing_flush(&site, "gate", &format!("var/gate/judging/{name}/bundle/{file}"));
        assert_eq!((site.names("core/inbound").len(), site.ledger().len()), (0, 0), "{file}");
        site.gatepost(&["gate", "--once"]).succeeds();
        assert_eq!((site.names("core/inbound").len(), site.ledger().len()), (1, 1), "{file}");
    }
}
