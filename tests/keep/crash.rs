//! Killed at every step, and with every step failing: nothing is lost, nothing runs twice, nothing is answered twice.
//!
//! strace counts the calls of each thread for itself. A request that was just dropped is dealt with by the main thread up to
//! its claim; one that was claimed before, by the worker from there on.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal};
use serde_json::Value;

use crate::judge::bare_document::{RESULT, publish, publish_document};
use crate::site::{Ran, Request, STEADY, Site, page_server, until};

/// The calls by which the mailbox changes the disk.
const CALLS: [&str; 6] = ["fsync", "fdatasync", "rename,renameat2", "unlink,unlinkat", "mkdir", "openat"];

/// A site with one request for a tool whose every run leaves a line in `ran`.
fn site(idempotent: bool) -> (Site, Request) {
    let site = Site::steady();
    site.tool(
        "effect",
        &format!("idempotent = {idempotent}"),
        "#!/bin/sh\necho ran >> ../../../../../ran\necho done\n",
    );
    let request = Request::call("crash", "effect").input("data", b"x");
    site.copy_in(&request);
    (site, request)
}

fn runs(site: &Site) -> usize {
    fs::read_to_string(site.path("ran")).unwrap_or_default().lines().count()
}

/// The calls of a sweep: every `step`th, and of those every fifth in a sample. `GATEPOST_SWEEPS=whole` takes all of them.
pub(crate) fn sweep(step: usize) -> impl Iterator<Item = usize> {
    let whole = std::env::var_os("GATEPOST_SWEEPS").is_some_and(|sweeps| sweeps == "whole");
    (1..).step_by(if whole { step } else { 5 * step })
}

/// Runs a watcher once with the `nth` call of a kind, in any thread, replaced by a fault.
pub(crate) fn with_fault(site: &Site, watcher: &str, calls: &str, nth: usize, fault: &str) -> Ran {
    command_with_fault(site, &[watcher, "--once"], calls, nth, fault)
}

/// The same of any command and all that it starts.
pub(crate) fn command_with_fault(site: &Site, arguments: &[&str], calls: &str, nth: usize, fault: &str) -> Ran {
    let (trace, inject) = (format!("trace={calls}"), format!("inject={calls}:{fault}:when={nth}"));
    let log = site.path("trace");
    let before = ["strace", "-f", "-qq", "-o", log.to_str().unwrap(), "-e", &trace, "-e", &inject];
    site.gatepost_under(&before, arguments)
}

/// The one request has one claim and one end in TOOL-EXEC's log, and a start before what came of it.
fn is_logged_once(site: &Site, result: &str, what: &str) {
    let lines = fs::read_to_string(site.path("var/exec/events.jsonl")).unwrap();
    let steps: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<_> = steps.iter().map(|step| step["event"].as_str().unwrap()).collect();
    assert_eq!((events.first(), events.last()), (Some(&"claimed"), Some(&"ended")), "{what}: {lines}");
    let again = events.iter().filter(|event| ["claimed", "ended"].contains(event)).count();
    assert_eq!((again, steps.last().unwrap()["result_id"].as_str()), (2, Some(result)), "{what}: {lines}");
    assert!(runs(site) <= events.iter().filter(|event| **event == "started").count(), "{what}: {lines}");
}

/// What must hold once everything was run again, whatever happened before.
fn is_answered_once(site: &Site, request: &Request, idempotent: bool, what: &str) {
    site.up();
    site.is_at_rest();
    let refused: Vec<_> = site.names("quarantine").iter().map(|item| (item.clone(), site.reasons(item))).collect();
    assert_eq!(refused, [], "{what}");
    assert_eq!(site.names("var/exec/done"), [request.id.as_str()], "{what}");
    let bundle = site.result(&request.id);
    site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
    assert_eq!(site.ledger().len(), 1, "{what}: {:?}", site.ledger());
    site.gatepost(&["audit", "verify"]).succeeds();
    is_logged_once(site, bundle.0.file_name().unwrap().to_str().unwrap(), what);
    match (idempotent, bundle.code().as_str()) {
        // A page leaves no line.
        (true, "") if bundle.name().starts_with("RP-") => {}
        (true, "") => assert!(runs(site) >= 1, "{what}"),
        (false, "") => assert_eq!(runs(site), 1, "{what}"),
        (false, "INTERRUPTED") => assert!(runs(site) <= 1, "{what}"),
        (_, code) => panic!("{what}: {code}"),
    }
}

/// Kills a watcher at its first, second, … call of a kind until it comes through, each time on a fork of the same site.
/// Returns how often it was killed.
fn killed_at_every(base: &Site, request: &Request, idempotent: bool, watcher: &str, calls: &str, step: usize) -> usize {
    for (kills, nth) in sweep(step).enumerate() {
        let site = base.fork();
        let ran = with_fault(&site, watcher, calls, nth, "signal=SIGKILL");
        let what = format!("{watcher}, idempotent {idempotent}, killed at {calls} {nth}");
        is_answered_once(&site, request, idempotent, &what);
        if !ran.was_killed() {
            return kills;
        }
    }
    unreachable!("a run has an end")
}

/// The site as it is when TOOL-EXEC died right after its claim.
fn claimed() -> (Site, Request) {
    let (site, request) = site(false);
    let claimed = site.path("var/exec/claimed").join(&request.id);
    for nth in 1.. {
        let fork = site.fork();
        assert!(with_fault(&fork, "exec", "fsync", nth, "signal=SIGKILL").was_killed());
        if fork.path("var/exec/claimed").join(claimed.file_name().unwrap()).exists() && fork.names("inbox").is_empty() {
            return (fork, request);
        }
    }
    unreachable!("a claim has an end")
}

#[test]
fn a_claim_that_is_killed_at_any_call_is_answered_once() {
    let (site, request) = site(false);
    for calls in CALLS {
        let step = if calls == "openat" { 23 } else { 1 };
        let kills = killed_at_every(&site, &request, false, "exec", calls, step);
        assert!(kills >= 1, "{calls} is never called");
    }
}

#[test]
fn a_cancelled_claim_that_is_killed_at_any_call_is_answered_once() {
    let (base, request) = claimed();
    let order = serde_json::json!({"decision": "cancel", "reason": ""}).to_string();
    fs::write(base.path(&format!("var/exec/orders/{}.json", request.id)), order).unwrap();
    for calls in ["fsync", "fdatasync", "rename,renameat2", "unlink,unlinkat"] {
        for nth in sweep(1) {
            let site = base.fork();
            let ran = with_fault(&site, "exec", calls, nth, "signal=SIGKILL");
            site.up();
            site.is_at_rest();
            let (what, code) = (format!("killed at {calls} {nth}"), site.result(&request.id).code());
            let may = match code.as_str() {
                "REQUEST_REFUSED" => runs(&site) == 0,
                "" => runs(&site) == 1,
                "CANCELLED" | "INTERRUPTED" => runs(&site) <= 1,
                _ => false,
            };
            assert!(may, "{what}: {code} after {} runs", runs(&site));
            assert_eq!((site.names("var/exec/done"), site.ledger().len()), (vec![request.id.clone()], 1), "{what}");
            site.gatepost(&["audit", "verify"]).succeeds();
            if !ran.was_killed() {
                break;
            }
        }
    }
}

#[test]
fn a_page_whose_fetch_is_killed_at_any_call_becomes_one_packet() {
    let port = page_server::serve();
    let site = Site::with_config(&format!("{STEADY}{}", page_server::config(port)));
    let request = Request::page("crash", &format!("http://127.0.0.1:{port}/"));
    site.copy_in(&request);
    for calls in ["fsync", "fdatasync", "rename,renameat2", "mkdir", "openat"] {
        let step = if calls == "openat" { 101 } else { 3 };
        let kills = killed_at_every(&site, &request, true, "exec", calls, step);
        assert!(kills >= 1, "{calls} is never called");
    }
}

#[test]
fn a_run_that_is_killed_at_any_call_is_answered_once() {
    let (site, request) = claimed();
    for calls in CALLS {
        let step = if calls == "openat" { 23 } else { 1 };
        let kills = killed_at_every(&site, &request, false, "exec", calls, step);
        assert!(kills >= 1, "{calls} is never called");
    }
}

#[test]
fn a_gate_that_is_killed_at_any_call_gives_its_verdict_once() {
    let (site, request) = site(false);
    site.gatepost(&["exec", "--once"]).succeeds();
    for calls in ["fsync", "fdatasync", "rename,renameat2", "unlink,unlinkat", "mkdir,mkdirat", "write", "openat"] {
        let step = if calls == "openat" { 23 } else { 1 };
        let kills = killed_at_every(&site, &request, false, "gate", calls, step);
        assert!(kills >= 1, "{calls} is never called");
    }
}

#[test]
fn a_gate_that_is_killed_at_any_call_over_a_bare_document_gives_its_verdict_once() {
    let site = Site::steady();
    let demands = read(&site.path("gate.toml"));
    fs::write(site.path("gate.toml"), demands + "[gate]\naccept_foreign = true\n").unwrap();
    let refused = RESULT.replace("python-stats", "refused");
    publish_document(&site);
    publish(&site, &format!("{refused}.md"), "no document\n");
    for calls in ["fsync", "fdatasync", "renameat2", "unlink,unlinkat", "mkdir,mkdirat", "write"] {
        let mut kills = 0;
        for nth in sweep(1) {
            let site = site.fork();
            let was_killed = with_fault(&site, "gate", calls, nth, "signal=SIGKILL").was_killed();
            site.gatepost(&["gate", "--once"]).succeeds();
            let what = format!("killed at {calls} {nth}");
            site.is_at_rest();
            let of = |folder| (site.names(folder), folder);
            assert_eq!(of("core/inbound"), (vec![RESULT.to_owned()], "core/inbound"), "{what}");
            assert_eq!(of("quarantine"), (vec![refused.clone()], "quarantine"), "{what}");
            let untouched = site.path("quarantine").join(&refused).join(format!("untouched/{refused}.md"));
            assert_eq!(read(&untouched), "no document\n", "{what}");
            let mut verdicts: Vec<_> = site.ledger().iter().map(|line| line["verdict"].clone()).collect();
            verdicts.sort_by_key(ToString::to_string);
            assert_eq!(verdicts, ["ACCEPT", "REJECT"], "{what}");
            site.gatepost(&["audit", "verify"]).succeeds();
            site.gatepost(&["verify", site.path("core/inbound").join(RESULT).to_str().unwrap()]).succeeds();
            if !was_killed {
                break;
            }
            kills += 1;
        }
        // The two are judged by a thread each, and calls are counted by the thread.
        assert!(kills >= 1, "{calls} is never called");
    }
}

/// What must hold once an order to release was given again, whatever happened before.
fn is_released_once(site: &Site, item: &str, release: &[&str], what: &str) {
    // The order that a person gave stands: the next gate carries it out.
    site.gatepost(&["gate", "--once"]).succeeds();
    let again = site.gatepost(release).succeeds();
    assert_eq!(again["data"]["results"][0]["override"]["reason"], "a sample", "{what}");
    assert_eq!(site.names("core/inbound"), [item], "{what}");
    site.gatepost(&["verify", site.path("core/inbound").join(item).to_str().unwrap()]).succeeds();
    let decisions: Vec<_> = site.ledger().iter().map(|line| line["verdict"].clone()).collect();
    assert_eq!(decisions, ["REJECT", "ACCEPT"], "{what}");
    site.gatepost(&["audit", "verify"]).succeeds();
    let kept = site.path("quarantine").join(item);
    let word: serde_json::Value = serde_json::from_str(&read(&kept.join("release/override.json"))).unwrap();
    assert_eq!((&word["codes"][0], kept.join("untouched").join(item).is_dir()), (&"secret".into(), true), "{what}");
    site.is_at_rest();
    assert!(!site.path("var/gate/judging/.release").exists(), "{what}");
    let orders = site.names("var/gate/orders");
    assert!(!orders.iter().any(|name| name.ends_with(".order")), "{what}: {orders:?}");
}

#[test]
fn a_release_that_is_killed_at_any_call_is_carried_out_once() {
    let site = Site::steady();
    let item = site.reject_a_secret();
    let release = ["quarantine", "release", &item, "--reason", "a sample", "--override", "secret"];
    for calls in ["fsync", "fdatasync", "renameat2", "unlink,unlinkat", "mkdir,mkdirat"] {
        let mut kills = 0;
        for nth in sweep(1) {
            let site = site.fork();
            command_with_fault(&site, &release, calls, nth, "signal=SIGKILL");
            is_released_once(&site, &item, &release, &format!("killed at {calls} {nth}"));
            if !read(&site.path("trace")).contains("killed by SIGKILL") {
                break;
            }
            kills += 1;
        }
        assert!(kills >= 1, "{calls} is never called");
    }
}

/// Lets every third call of a kind fail, each alone on a fork of the same site: the watcher ends by itself and says what
/// failed, and once the fault is gone a rerun completes. Returns how many calls failed.
fn failing_at_every(base: &Site, request: &Request, watcher: &str, calls: &str, error: &str) -> usize {
    for (failed, nth) in sweep(3).enumerate() {
        let site = base.fork();
        let ran = with_fault(&site, watcher, calls, nth, &format!("error={error}"));
        let what = format!("{watcher}, {error} at {calls} {nth}: {} {}", ran.stdout(), ran.stderr());
        let trace = fs::read_to_string(site.path("trace")).unwrap();
        let injected = trace.lines().find(|line| line.contains("INJECTED"));
        // A control group lies on no disk, and is done without.
        if injected.is_some_and(|line| line.contains("/sys/fs/cgroup")) {
            continue;
        }
        // What auditors read of a log is made again from its journal.
        if injected.is_some_and(|line| line.contains("/log/tile/")) {
            is_answered_once(&site, request, false, &what);
            continue;
        }
        let hit = injected.is_some();
        // A gate that could not begin for want of space is to be started again.
        let ended = ran.0.status.code().unwrap();
        assert!(if hit { [1, 82].contains(&ended) } else { ended == 0 }, "{what}");
        assert_eq!((ran.stdout() + &ran.stderr()).contains("failed to "), hit, "{what}");
        is_answered_once(&site, request, false, &what);
        if !hit {
            return failed;
        }
    }
    unreachable!("a run has an end")
}

#[test]
fn a_watcher_that_meets_a_failing_disk_says_so_and_finishes_later() {
    for (calls, error) in [("fsync", "EIO"), ("fdatasync", "EIO"), ("renameat2", "ENOSPC"), ("mkdir,mkdirat", "ENOSPC")]
    {
        let (fresh, request) = site(false);
        assert!(failing_at_every(&fresh, &request, "exec", calls, error) >= 1, "{calls}");
        let (claimed, other) = claimed();
        assert!(failing_at_every(&claimed, &other, "exec", calls, error) >= 1, "{calls}");
        fresh.gatepost(&["exec", "--once"]).succeeds();
        assert!(failing_at_every(&fresh, &request, "gate", calls, error) >= 1, "{calls}");
    }
}

#[test]
fn a_watcher_that_goes_on_answers_by_itself_what_a_fault_held_up() {
    let (site, request) = site(false);
    // With the first two it opens its log, and ends without it.
    for (call, nth) in (3..=14).map(|nth| ("fsync", nth)).chain((1..=3).map(|nth| ("fdatasync", nth))) {
        let site = site.fork();
        let (trace, inject) = (format!("trace={call}"), format!("inject={call}:error=EIO:when={nth}"));
        let watcher =
            site.watch_under(&["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject], "exec");
        // Each thread has its own count of calls, so what flushes may meet the fault again and again; it goes away with strace.
        let patience = Instant::now() + Duration::from_secs(3);
        until("faults", || Instant::now() > patience || site.names("outbox").len() == 1);
        let holder = fs::read_to_string(site.path("var/exec/lock")).unwrap();
        let pid: i32 = holder.split([' ', ',']).nth(1).unwrap().parse().unwrap();
        watcher.signal(Signal::KILL);
        until(&format!("the answer after a fault at {call} {nth}"), || site.names("outbox").len() == 1);
        until("its being done", || site.names("var/exec/done") == [request.id.as_str()]);
        // A signal that a tracer has taken note of and not passed on is lost with it.
        let status = || fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        until("the end of strace", || status().contains("TracerPid:\t0\n"));
        rustix::process::kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
        let is_running = || fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| !stat.contains(") Z "));
        until("the end of the watcher", || !is_running());
        assert!(watcher.ended().was_killed());
        is_answered_once(&site, &request, false, &format!("EIO at {call} {nth}"));
    }
}

fn killed_while_running(idempotent: bool) -> (Site, Request) {
    let site = Site::steady();
    site.tool(
        "slow",
        &format!("idempotent = {idempotent}"),
        "#!/bin/sh\necho ran >> ../../../../../ran\necho half\nuntil [ -e ../../../../../go ]; do sleep 0.01; done\necho whole\n",
    );
    let request = Request::call("slow", "slow");
    site.copy_in(&request);
    let watcher = site.watch("exec");
    until("the tool's start", || runs(&site) == 1);
    watcher.signal(rustix::process::Signal::KILL);
    watcher.ended();
    fs::write(site.path("go"), "").unwrap();
    site.up();
    site.is_at_rest();
    (site, request)
}

#[test]
fn a_tool_that_was_running_when_its_watcher_was_killed_is_not_run_again() {
    let (site, request) = killed_while_running(false);
    assert_eq!(runs(&site), 1);
    let bundle = site.result(&request.id);
    assert_eq!(bundle.code(), "INTERRUPTED");
    assert_eq!(bundle.evidence()["anomalies"][0], "The end of the run was not seen; it may have had effects.");
    assert_eq!(bundle.evidence()["results"], serde_json::Value::Null);
}

#[test]
fn the_answer_of_an_interrupted_run_says_what_held_it() {
    let site = Site::new();
    site.tool("endless", "", "#!/bin/sh\necho begun\nsleep 60\n");
    let request = Request::call("endless", "endless");
    site.rename_in(&request);
    let bundle = site.interrupted(&request.id, "stdout");
    assert_eq!(
        (bundle.evidence()["sandbox"]["level"].as_str(), bundle.read("artifacts/stdout.txt")),
        (Some("full"), "begun\n".to_owned())
    );
}

#[test]
fn an_idempotent_tool_that_was_running_when_its_watcher_was_killed_is_run_again() {
    let (site, request) = killed_while_running(true);
    assert_eq!(runs(&site), 2);
    let bundle = site.result(&request.id);
    assert_eq!((bundle.code(), bundle.read("artifacts/stdout.txt")), (String::new(), "half\nwhole\n".to_owned()));
}

#[test]
fn a_tool_does_not_outlive_its_killed_watcher() {
    let site = Site::steady();
    site.tool(
        "endless",
        "",
        "#!/bin/sh\necho $$ > ../../../../../begun\nwhile :; do date +%N > ../../../../../alive; sleep 0.01; done\n",
    );
    site.copy_in(&Request::call("endless", "endless"));
    let watcher = site.watch("exec");
    until("a sign of life", || site.path("alive").exists());
    watcher.signal(rustix::process::Signal::KILL);
    watcher.ended();
    until("its end", || {
        let before = read(&site.path("alive"));
        std::thread::sleep(std::time::Duration::from_millis(100));
        before == read(&site.path("alive"))
    });
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}
