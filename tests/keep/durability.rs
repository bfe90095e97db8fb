//! The order of flushes, as the kernel sees it: what is on the disk before what follows from it can happen.

use std::fs;

use crate::site::{Request, Site};

/// The system calls of one watcher, in the order in which they ended.
struct Trace(Vec<String>);

impl Trace {
    fn of(site: &Site, watcher: &str) -> Self {
        Self::of_command(site, &[watcher, "--once"])
    }

    fn of_command(site: &Site, arguments: &[&str]) -> Self {
        let log = site.path("trace");
        let calls = "trace=fsync,fdatasync,rename,renameat,renameat2,clone,clone3,execve,unlink,unlinkat,write";
        let before = ["strace", "-f", "-y", "-qq", "-s", "0", "-o", log.to_str().unwrap(), "-e", calls];
        site.gatepost_under(&before, arguments).succeeds();
        let text = fs::read_to_string(log).unwrap();
        // A call of another thread may cut one in two: its end names no path, so the beginning is put in its place.
        let mut open: Vec<(String, String)> = Vec::new();
        let mut calls = Vec::new();
        for line in text.lines() {
            let (thread, call) = line.split_once(' ').unwrap();
            let call = call.trim_start();
            if let Some(begun) = call.strip_suffix("<unfinished ...>") {
                open.push((thread.to_owned(), begun.to_owned()));
            } else if call.starts_with("<... ") {
                let at = open.iter().position(|(other, _)| other == thread).unwrap();
                let rest = call.split_once("resumed>").unwrap().1;
                calls.push(open.swap_remove(at).1 + rest);
            } else {
                calls.push(call.to_owned());
            }
        }
        Self(calls.into_iter().filter(|call| !call.contains(") = -1") && !call.contains(" = ?")).collect())
    }

    /// Where, from a place on, the first call of this kind is whose line holds all parts.
    #[track_caller]
    fn find(&self, from: usize, call: &str, parts: &[&str]) -> usize {
        let is_it = |line: &String| line.starts_with(call) && parts.iter().all(|part| line.contains(part));
        let found = self.0.iter().skip(from).position(is_it);
        found.map_or_else(|| panic!("no {call} of {parts:?} from {from} on in\n{}", self.0.join("\n")), |at| from + at)
    }

    #[track_caller]
    fn rename(&self, from: &str, to: &str) -> usize {
        self.find(0, "rename", &[&format!("{from}\""), &format!("{to}\"")])
    }

    /// Asserts that a file or folder was flushed between two places.
    #[track_caller]
    fn is_flushed(&self, path: &str, after: usize, before: usize) {
        let at = self.0.iter().skip(after).position(|line| {
            (line.starts_with("fsync") || line.starts_with("fdatasync")) && line.contains(&format!("{path}>"))
        });
        let at = at.map(|at| after + at);
        assert!(
            at.is_some_and(|at| at < before),
            "{path} is flushed at {at:?}, not between {after} and {before}:\n{}",
            self.0.join("\n")
        );
    }

    fn end(&self) -> usize {
        self.0.len()
    }
}

/// A site and one request that came as a folder.
fn dropped() -> (Site, Request) {
    let site = Site::steady();
    let request = Request::folder("traced");
    site.copy_in(&request);
    (site, request)
}

#[test]
fn a_claim_is_on_the_disk_before_the_drop_loses_its_name() {
    let (site, request) = dropped();
    let trace = Trace::of(&site, "exec");
    let id = &request.id;
    let claimed = trace.rename(&format!("claimed/.tmp/{id}"), &format!("claimed/{id}"));
    for path in ["in/lines.txt", "in", "request.md", "claim.json"] {
        trace.is_flushed(&format!("claimed/.tmp/{id}/{path}"), 0, claimed);
    }
    trace.is_flushed(&format!("claimed/.tmp/{id}"), 0, claimed);
    // The gate can know of the claim before anything comes of it.
    trace.is_flushed(&format!("exchange/claimed/{id}"), 0, claimed);
    trace.is_flushed("var/exchange/claimed", 0, claimed);
    let taken = trace.find(0, "rename", &[&format!("inbox/{id}\""), "inbox/.claimed-"]);
    trace.is_flushed("var/exec/claimed", claimed, taken);
    trace.is_flushed("var/exec/claimed/.tmp", claimed, taken);
    trace.is_flushed("site/inbox", taken, trace.end());
}

#[test]
fn a_start_is_on_the_disk_before_the_tool_begins() {
    let (site, request) = dropped();
    let trace = Trace::of(&site, "exec");
    let id = &request.id;
    let running = trace.rename(&format!("claimed/{id}"), &format!("running/{id}"));
    trace.is_flushed(&format!("claimed/{id}/start.json"), 0, running);
    trace.is_flushed(&format!("claimed/{id}"), 0, running);
    let tool = trace.find(0, "execve", &["wc\""]);
    // The tool's process is made after both folders of the move were flushed, not only the tool itself.
    let spawned = (running..tool).find(|at| trace.0[*at].starts_with("clone")).unwrap();
    trace.is_flushed("var/exec/running", running, spawned);
    trace.is_flushed("var/exec/claimed", running, spawned);
}

#[test]
fn a_result_is_on_the_disk_before_it_is_published_and_published_before_the_request_is_done() {
    let (site, request) = dropped();
    let trace = Trace::of(&site, "exec");
    let id = &request.id;
    let staged = format!("outbox/.tmp/{id}");
    let tool = trace.find(0, "execve", &["wc\""]);
    let published = trace.find(tool, "rename", &[&format!("{staged}\""), "outbox/TS-"]);
    let [name] = site.names("outbox").try_into().unwrap();
    let document = format!("{name}.md");
    let files = ["artifacts/stdout.txt", "artifacts/stderr.txt", "evidence.json", "request.md", "manifest.clad.toml"];
    for path in files.into_iter().chain([document.as_str(), "SHA256SUMS", "artifacts"]) {
        trace.is_flushed(&format!("{staged}/{path}"), tool, published);
    }
    trace.is_flushed(&staged, tool, published);
    let done = trace.rename(&format!("running/{id}"), &format!("done/{id}"));
    trace.is_flushed("site/outbox", published, done);
    trace.is_flushed("site/outbox/.tmp", published, done);
    trace.is_flushed("var/exec/done", done, trace.end());
    trace.is_flushed("var/exec/running", done, trace.end());
}

#[test]
fn a_verdict_is_in_the_ledger_on_the_disk_before_core_sees_the_bundle() {
    let (site, _) = dropped();
    site.gatepost(&["exec", "--once"]).succeeds();
    let [name] = site.names("outbox").try_into().unwrap();
    let trace = Trace::of(&site, "gate");
    let accepted = trace.rename(&format!("judging/{name}/bundle"), &format!("core/inbound/{name}"));
    let written = trace.find(0, "write", &["gate/log/journal>"]);
    trace.is_flushed("gate/log/journal", written, accepted);
    let desk = format!("var/gate/judging/{name}");
    let signature = "bundle/SHA256SUMS.sig";
    for path in
        ["verdict.json", "bundle/verdict.json", &format!("bundle/{name}.md"), "bundle/SHA256SUMS", signature, "bundle"]
    {
        trace.is_flushed(&format!("{desk}/{path}"), 0, written);
    }
    let attested = trace.find(written, "write", &["bundle/attestation.intoto.jsonl>"]);
    trace.is_flushed(&format!("{desk}/bundle/attestation.intoto.jsonl"), attested, accepted);
    let retired = trace.find(0, "rename", &[&format!("outbox/{name}\""), "outbox/.judged-"]);
    trace.is_flushed("core/inbound", accepted, retired);
    trace.is_flushed(&desk, accepted, retired);
}

#[test]
fn a_release_is_in_the_ledger_before_core_sees_it_and_answered_once_the_item_says_so() {
    let site = Site::steady();
    let item = site.reject_a_secret();
    let release = ["quarantine", "release", &item, "--reason", "a sample", "--override", "secret"];
    let trace = Trace::of_command(&site, &release);
    let ordered = trace.find(0, "rename", &["gate/orders>", ".order\""]);
    trace.is_flushed("gate/orders", ordered, trace.end());
    let desk = format!("var/gate/judging/{item}");
    let written = trace.find(ordered, "write", &["gate/log/journal>"]);
    for path in ["verdict.json", "bundle/verdict.json", &format!("bundle/{item}.md"), "bundle/SHA256SUMS", "bundle"] {
        trace.is_flushed(&format!("{desk}/{path}"), ordered, written);
    }
    let accepted = trace.rename(&format!("judging/{item}/bundle"), &format!("core/inbound/{item}"));
    trace.is_flushed("gate/log/journal", written, accepted);
    let attested = trace.find(written, "write", &["bundle/attestation.intoto.jsonl>"]);
    trace.is_flushed(&format!("{desk}/bundle/attestation.intoto.jsonl"), attested, accepted);
    let noted = trace.rename("judging/.release", &format!("quarantine/{item}/release"));
    trace.is_flushed("core/inbound", accepted, noted);
    trace.is_flushed("judging/.release/override.json", accepted, noted);
    trace.is_flushed("judging/.release", accepted, noted);
    let answered = trace.find(noted, "rename", &["gate/orders>", ".answer\""]);
    trace.is_flushed(&format!("quarantine/{item}"), noted, answered);
}

#[test]
fn reasons_are_on_the_disk_before_an_item_appears_in_quarantine() {
    let site = Site::steady();
    fs::write(site.path("inbox/nonsense"), "x").unwrap();
    let trace = Trace::of(&site, "exec");
    let moved = trace.rename("inbox/nonsense", "untouched/nonsense");
    let committed = trace.rename("quarantine/.tmp/nonsense~1", "quarantine/nonsense");
    for path in ["reasons.json", "REASONS.md"] {
        trace.is_flushed(&format!("nonsense~1/{path}"), 0, moved);
    }
    trace.is_flushed("nonsense~1/untouched", moved, committed);
    trace.is_flushed("site/inbox", moved, committed);
    trace.is_flushed("nonsense~1", moved, committed);
    trace.is_flushed("site/quarantine", committed, trace.end());
}

#[test]
fn a_log_whose_flush_failed_goes_on_in_another_file_and_the_failed_one_is_not_flushed_again() {
    for (watcher, folder) in [("exec", "var/exec/log"), ("gate", "var/gate/log")] {
        let (site, request) = dropped();
        if watcher == "gate" {
            site.gatepost(&["exec", "--once"]).succeeds();
        }
        let log = site.path("trace");
        let calls = "trace=fdatasync,rename";
        let inject = "inject=fdatasync:error=EIO:when=1";
        let before = ["strace", "-f", "-y", "-qq", "-o", log.to_str().unwrap(), "-e", calls, "-e", inject];
        site.gatepost_under(&before, &[watcher, "--once"]).ends(1);
        let text = fs::read_to_string(log).unwrap();
        let journal = site.path(folder).join("journal");
        let mut calls =
            text.lines().filter(|line| line.contains(&*journal.to_string_lossy()) || line.contains(".journal\""));
        let failed = calls.find(|line| line.contains("INJECTED")).unwrap();
        assert!(failed.contains(&format!("{}>", journal.display())), "{failed}");
        let next = calls.next().unwrap_or_default();
        assert!(next.contains("rename(") && next.contains(".journal\""), "{text}");
        // What failed was told, and what is logged instead is logged once.
        site.up();
        site.is_at_rest();
        assert_eq!((site.results(&request.id).len(), site.ledger().len()), (1, 1));
        let steps = fs::read_to_string(site.path("var/exec/events.jsonl")).unwrap();
        assert_eq!(steps.lines().filter(|line| line.contains("\"claimed\"")).count(), 1, "{steps}");
        site.gatepost(&["audit", "verify"]).succeeds();
    }
}
