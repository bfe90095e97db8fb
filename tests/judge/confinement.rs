//! The gate at work under its own confinement: what it calls, what becomes of a machine that cannot hold it, and of a gate
//! that dies over a bundle.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gatepost_mailbox::lock::Lock;
use rustix::process::{Pid, Signal, kill_process};

use crate::judge::bare_document;
use crate::site::{Request, Site, WITHOUT_CALL, is_root, passes_as_nobody, program, text, until};

/// A site with one published result.
fn published() -> (Site, Request) {
    let site = Site::steady();
    let request = Request::folder("confined");
    site.copy_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    (site, request)
}

/// The calls of a gate that judges once, from the moment on at which it is confined.
fn calls(site: &Site) -> Vec<String> {
    let log = site.path("outside-trace");
    // Made here, so that nobody may write it too.
    fs::write(&log, "").unwrap();
    let _ = std::process::Command::new("chmod").arg("a+w").arg(&log).status().unwrap();
    let before = ["strace", "-f", "-qq", "-y", "-s", "4096", "-o", log.to_str().unwrap()];
    site.gatepost_under(&before, &["gate", "--once"]).succeeds();
    let text = fs::read_to_string(&log).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let marker = lines.iter().rposition(|line| line.contains("seccomp(SECCOMP_SET_MODE_FILTER")).unwrap();
    // As an argument: what a call reads, say of the gate's own program, may hold the words.
    let is_opened = |line: &&String| line.contains("openat(") && line.contains(", \"evidence.json\",");
    let judged = lines.iter().position(|line| is_opened(&line)).unwrap();
    assert!(marker < judged, "a stranger's bytes come before the confinement");
    assert!(!lines[..marker].iter().any(|line| line.contains("outbox/TS-")), "a bundle is looked at before");
    lines[marker + 1..].to_vec()
}

/// What the kernel says of each thread of a process under a name.
fn of_threads(process: u32, field: &str) -> Vec<String> {
    let threads = Path::new(&format!("/proc/{process}/task")).read_dir().unwrap();
    let status = threads.map(|thread| fs::read_to_string(thread.unwrap().path().join("status")).unwrap_or_default());
    let said =
        status.filter_map(|status| status.lines().find_map(|line| Some(line.strip_prefix(field)?.trim().to_owned())));
    said.collect()
}

#[test]
fn every_thread_of_a_gate_that_judged_is_filtered_those_that_flush_too() {
    let (site, _) = published();
    let gate = site.watch("gate");
    until("the verdict", || site.names("core/inbound").len() == 1);
    let names = of_threads(gate.pid(), "Name:");
    assert!(names.iter().any(|name| name == "flush"), "{names:?}");
    let filters = of_threads(gate.pid(), "Seccomp:");
    assert!(filters.len() >= names.len() && filters.iter().all(|mode| mode == "2"), "{filters:?} of {names:?}");
}

#[test]
fn a_confined_gate_makes_no_socket_starts_no_program_and_opens_nothing_but_its_own() {
    let of_nobody = |site: Site| if is_root() { site.of_nobody() } else { site };
    for site in [published().0, of_nobody(published().0)] {
        let own = ["outbox", "core/inbound", "quarantine", "var/gate", "var/exchange", "tools"];
        let own = own.map(|folder| site.path(folder).to_str().unwrap().to_owned());
        let calls = calls(&site);
        for call in &calls {
            let name = call.split(' ').nth(1).unwrap().split('(').next().unwrap();
            let forbidden = ["socket", "socketpair", "connect", "bind", "execve", "fork", "vfork", "ptrace"];
            assert!(!forbidden.contains(&name), "{call}");
            if name.starts_with("open") && !call.contains(" = -1 ") && !call.contains("<unfinished") {
                // The path that was opened, as the kernel names it.
                let opened = call.rsplit_once('<').unwrap().1.trim_end_matches('>');
                assert!(own.iter().any(|own| Path::new(opened).starts_with(own)), "{call}");
            }
        }
        assert!(calls.iter().any(|call| call.contains("renameat2")), "it judged");
        assert_eq!(site.names("core/inbound").len(), 1);
    }
}

#[test]
fn every_verdict_says_what_held() {
    let (site, request) = published();
    site.gatepost(&["gate", "--once"]).succeeds();
    let bundle = site.result(&request.id);
    let verdict: serde_json::Value = serde_json::from_str(&bundle.read("verdict.json")).unwrap();
    let held = &verdict["confinement"];
    assert!(held["landlock_abi"].as_u64().unwrap() >= 3 && held["limits"]["core_bytes"] == 0, "{held}");
    assert_eq!((&held["seccomp"], &held["no_new_privs"]), (&true.into(), &true.into()));
    let verified = site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
    assert_eq!(&verified["data"]["verdicts"][0]["confinement"], held);
}

#[test]
fn a_machine_that_cannot_hold_the_gate_judges_nothing_unless_gate_toml_allows_it() {
    for (call, missing) in [(libc::SYS_landlock_create_ruleset, "Landlock"), (libc::SYS_seccomp, "seccomp")] {
        let (site, request) = published();
        let machine = ["python3", "-c", WITHOUT_CALL, &call.to_string()];
        let site = site.behind(&machine);
        let refused = site.gatepost(&["gate", "--once"]).ends(4);
        assert_eq!(refused["error"]["code"], "CONFINEMENT_UNAVAILABLE");
        let (message, hint) = (text(&refused["error"]["message"]), text(&refused["error"]["hint"]));
        assert!(message.contains(missing) && hint.contains("best_effort"), "{message} {hint}");
        assert_eq!((site.names("outbox").len(), site.names("var/gate/judging").len()), (1, 0));
        let gate = fs::read_to_string(site.path("gate.toml")).unwrap();
        fs::write(site.path("gate.toml"), gate + "[gate]\nconfinement = \"best_effort\"\n").unwrap();
        site.gatepost(&["gate", "--once"]).succeeds();
        let verdict = site.result(&request.id).read("verdict.json");
        let held = serde_json::from_str::<serde_json::Value>(&verdict).unwrap()["confinement"].clone();
        let landlock = held["landlock_abi"].is_u64();
        assert_eq!((landlock, &held["seccomp"]), (missing != "Landlock", &(missing != "seccomp").into()), "{held}");
        assert_eq!(held["no_new_privs"], true);
    }
}

/// Kills the gate while it makes its copy of a bundle.
fn killed_while_it_reads(site: &Site) {
    let before = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fchmod", "-e"];
    let before = [&before[..], &["inject=fchmod:signal=SIGKILL:when=2"]].concat();
    assert!(site.gatepost_under(&before, &["gate", "--once"]).was_killed());
}

#[test]
fn a_bundle_over_which_the_gate_died_twice_is_rejected_by_the_third_and_one_death_is_forgiven() {
    for (deaths, accepted) in [(1, 1), (2, 0)] {
        let (site, _) = published();
        let [bundle] = site.names("outbox").try_into().unwrap();
        (0..deaths).for_each(|_| killed_while_it_reads(&site));
        site.gatepost(&["gate", "--once"]).succeeds();
        assert_eq!(site.names("core/inbound").len(), accepted);
        if accepted == 0 {
            assert_eq!(site.reasons(&bundle), ["judge_failed"]);
            assert!(
                site.path("quarantine").join(&bundle).join("untouched").join(&bundle).join("evidence.json").exists()
            );
            assert_eq!(site.names(&format!("quarantine/{bundle}")), ["REASONS.md", "reasons.json", "untouched"]);
        }
        site.is_at_rest();
    }
}

#[test]
fn a_bare_document_over_which_the_gate_died_twice_is_rejected_under_its_results_name() {
    let site = bare_document::site();
    bare_document::publish_document(&site);
    (0..2).for_each(|_| killed_while_it_reads(&site));
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(
        (site.names("core/inbound"), site.reasons(bare_document::RESULT)),
        (vec![], vec!["judge_failed".to_owned()])
    );
    let kept =
        site.path("quarantine").join(bare_document::RESULT).join(format!("untouched/{}.md", bare_document::RESULT));
    assert!(kept.is_file());
    site.is_at_rest();
}

/// Process id of the gate that serves a site.
fn gate_of(site: &Site) -> Option<i32> {
    let holder = Lock::holder(&site.path("var/gate/lock"))?;
    holder.strip_prefix("process ")?.split(',').next()?.parse().ok()
}

#[test]
fn a_gate_that_was_killed_is_started_again_and_one_whose_outbox_was_replaced_too() {
    let site = Site::new();
    let watcher = site.watch("up");
    for (number, replace) in [("first", false), ("second", true), ("third", false)] {
        until("a gate", || gate_of(&site).is_some());
        let request = Request::file(number);
        site.rename_in(&request);
        site.gatepost(&["wait", &request.id, "--timeout", "30"]).succeeds();
        let gate = gate_of(&site).unwrap();
        if replace {
            fs::rename(site.path("outbox"), site.path("outbox-of-before")).unwrap();
            fs::create_dir_all(site.path("outbox/.tmp")).unwrap();
        } else {
            kill_process(Pid::from_raw(gate).unwrap(), Signal::KILL).unwrap();
        }
        until("another gate", || gate_of(&site).is_some_and(|other| other != gate));
    }
    watcher.signal(Signal::TERM);
    watcher.ended().ends(0);
}

#[test]
fn nobody_is_confined_like_root() {
    passes_as_nobody(module_path!(), "every_verdict");
    passes_as_nobody(module_path!(), "a_bundle_over");
}

#[test]
fn the_program_makes_no_socket_and_no_process_and_opens_nothing_but_its_own_once_it_is_confined() {
    let site = Site::steady();
    site.copy_in(&Request::folder("traced"));
    site.gatepost(&["exec", "--once"]).succeeds();
    let log = site.path("trace");
    let status = Command::new("strace")
        .args(["-f", "-qq", "-y", "-s", "4096", "-o", log.to_str().unwrap()])
        .arg(program("gatepost-gate"))
        .args(["watch", "--once", "--site"])
        .arg(&site.root)
        .stdout(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success());
    let text = fs::read_to_string(&log).unwrap();
    let calls: Vec<&str> = text.lines().collect();
    let name = |call: &str| call.split_once(' ').unwrap().1.trim_start().split('(').next().unwrap().to_owned();
    for call in &calls {
        let forbidden = ["socket", "socketpair", "connect", "bind", "fork", "vfork", "ptrace"];
        assert!(!forbidden.contains(&name(call).as_str()), "{call}");
        assert!(
            !name(call).starts_with("clone") || call.contains("CLONE_THREAD") || call.contains("resumed"),
            "{call}"
        );
    }
    assert_eq!(calls.iter().filter(|call| name(call) == "execve").count(), 1);
    let confined = calls.iter().rposition(|call| call.contains("seccomp(SECCOMP_SET_MODE_FILTER")).unwrap();
    let own = ["outbox", "core/inbound", "quarantine", "var/gate", "var/exchange", "tools", "gate.toml"];
    let own = own.map(|place| site.path(place));
    let opened =
        |call: &&str| name(call).starts_with("open") && !call.contains(" = -1 ") && !call.contains("<unfinished");
    for call in calls[confined + 1..].iter().copied().filter(opened) {
        let path = PathBuf::from(call.rsplit_once('<').unwrap().1.trim_end_matches('>'));
        assert!(own.iter().any(|own| path.starts_with(own)), "{call}");
    }
    assert_eq!(site.names("core/inbound").len(), 1);
}
