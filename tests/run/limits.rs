//! What a tool can take, through the whole pipeline, and what its result says at each limit.

use std::fs;

use crate::site::{BY_FORM, Bundle, Request, Site, is_root, names, text};

const PRELUDE: &str = include_str!("limits/prelude.py");

/// The answer to a call of one tool that runs this script, on a site with these limits.
fn limited(limits: &str, script: &str) -> (Site, Bundle) {
    let site = Site::with_config(&format!("[inbox]\nsettle_ms = 50\n[limits]\n{limits}"));
    answered(site, script, "")
}

/// The answer to a call of one tool that runs this Python with a line of its own in the request.
fn requested(line: &str, script: &str) -> (Site, Bundle) {
    answered(Site::new().by_form(), &format!("#!/usr/bin/python3\n{PRELUDE}{script}"), line)
}

/// A site at this level alone.
fn at(level: &str, limits: &str) -> Site {
    let sandbox = format!("[sandbox]\nminimum = \"{level}\"\n");
    let config = format!("[inbox]\nsettle_ms = 50\n[limits]\n{limits}{sandbox}maximum = \"{level}\"\n");
    let site = Site::with_config(&config);
    fs::write(site.path("gate.toml"), format!("{sandbox}{BY_FORM}")).unwrap();
    site
}

fn answered(site: Site, script: &str, line: &str) -> (Site, Bundle) {
    site.tool("take", "timeout_seconds = 60", script);
    let request = Request::call("take", "take").line(line);
    site.rename_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    (site, bundle)
}

fn anomalies(bundle: &Bundle) -> Vec<String> {
    bundle.evidence()["anomalies"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn an_out_that_was_filled_is_carried_as_far_as_it_came_and_the_result_says_so() {
    let (_site, bundle) = limited("out_mb = 1\n", "#!/bin/sh\nhead -c 3000000 /dev/zero > out/big\necho done\n");
    assert_eq!((bundle.code(), bundle.read("artifacts/stdout.txt")), (String::new(), "done\n".to_owned()));
    assert_eq!(fs::metadata(bundle.0.join("artifacts/out/big")).unwrap().len(), 1 << 20);
    let sentence = "The tool filled /out: it used all of its 1048576 bytes, so files may be missing or truncated.";
    assert_eq!(anomalies(&bundle), [sentence]);
    assert_eq!(bundle.evidence()["limits"]["out_bytes"], 1 << 20);
}

#[test]
fn a_million_files_end_at_the_limit_of_names() {
    let script = "#!/usr/bin/python3\nimport os\ntry:\n    for n in range(1_000_000):\n        os.close(os.open(f'/out/{n:07}', os.O_CREAT | os.O_WRONLY))\n\
                  except OSError as error:\n    print(error.strerror)\n";
    let (_site, bundle) = limited("artifacts = 3\n", script);
    assert_eq!(bundle.read("artifacts/stdout.txt"), "No space left on device\n");
    assert_eq!(names(&bundle.0.join("artifacts/out")), ["0000000", "0000001", "0000002"]);
    assert_eq!(
        anomalies(&bundle),
        [
            "The tool filled /out: it used all of its 65536 names, so files may be missing or truncated.",
            "The tool left 65533 files more than the 3 that are allowed; they were left out.",
        ]
    );
}

#[test]
fn folders_a_thousand_deep_and_names_of_any_bytes_are_collected_in_bounded_time() {
    let script = "#!/usr/bin/python3\nimport os\nos.chdir('/out')\nopen(b'new\\nline\\xff', 'w').close()\n\
                  for _ in range(1000):\n    os.mkdir('d' * 100)\n    os.chdir('d' * 100)\nopen('deepest', 'w').close()\n";
    let (_site, bundle) = limited("", script);
    assert_eq!(bundle.code(), "");
    assert_eq!(names(&bundle.0.join("artifacts/out")), ["new%0Aline%FF"]);
    let anomalies = anomalies(&bundle);
    assert!(anomalies.len() == 1 && anomalies[0].contains("a folder that is too deep"), "{anomalies:?}");
}

#[test]
fn a_tool_that_was_stopped_leaves_what_it_had_written() {
    let (_site, bundle) = limited("time_seconds = 1\n", "#!/bin/sh\necho half > out/file\nexec sleep 1000\n");
    assert_eq!(bundle.code(), "TIMEOUT");
    assert_eq!(anomalies(&bundle), ["The tool was stopped at its time limit of 1000 ms."]);
    assert!(!bundle.document().contains("None observed"), "{}", bundle.document());
    assert_eq!(bundle.read("artifacts/out/file"), "half\n");
}

/// Asserts that the run was stopped at a limit, and that its sentence says so.
#[track_caller]
fn assert_stopped(bundle: &Bundle, code: &str, parts: &[&str]) {
    let evidence = bundle.evidence();
    assert_eq!((bundle.code().as_str(), text(&evidence["stop_reason"]).as_str()), (code, "max_budget_reached"));
    let message = text(&evidence["error"]["message"]);
    assert!(parts.iter().all(|part| message.contains(part)), "{message}");
    assert!(anomalies(bundle).contains(&message), "{:?}", anomalies(bundle));
}

#[test]
fn a_tool_that_takes_more_memory_than_was_asked_for_is_stopped_however_it_takes_it() {
    for script in [
        "take(2 << 30)",
        "take_slowly(2 << 30)",
        "share(2 << 30)",
        "for _ in range(8): child(lambda: take(50 << 20))\nsignal.pause()",
        "for _ in range(8): orphan(lambda: take(50 << 20))\nsignal.pause()",
        "hide()\ntake(2 << 30)",
        "map_file('/tmp/file', 200 << 20)",
        "write(os.memfd_create('m'), 200 << 20)\nsignal.pause()",
        "threading.Thread(target=lambda: child(lambda: take(1 << 30))).start()\nsignal.pause()",
        "outlive(lambda: take_slowly(2 << 30))",
        "outlive(lambda: write(os.memfd_create('m'), 200 << 20))",
        "share_unmapped(1 << 30)",
    ] {
        let (_site, bundle) = requested("memory_limit_mb: 64", script);
        assert_stopped(&bundle, "MEMORY_LIMIT", &["more than its limit of 67108864 bytes"]);
        let peak = bundle.evidence()["usage"]["memory_bytes_peak"].as_u64().unwrap();
        assert!(peak > 64 << 20, "{script}: {peak}");
    }
}

#[test]
fn somebody_who_is_not_root_measures_memory_as_well() {
    if !is_root() {
        return;
    }
    for script in [
        "hide()\nshare(2 << 30)",
        "share_unmapped(1 << 30)",
        "for _ in range(8): orphan(lambda: take(50 << 20))\nsignal.pause()",
        "write(os.memfd_create('m'), 200 << 20)\nsignal.pause()",
    ] {
        let site = Site::new().of_nobody();
        let (_site, bundle) = answered(site, &format!("#!/usr/bin/python3\n{PRELUDE}{script}"), "memory_limit_mb: 64");
        assert_stopped(&bundle, "MEMORY_LIMIT", &["more than its limit of 67108864 bytes"]);
    }
}

#[test]
fn memory_that_no_process_shows_is_told_of() {
    let sentence = "Memory that no process accounts for grew by";
    let script = format!("#!/usr/bin/python3\n{PRELUDE}held = send_away(640 << 20)\ntime.sleep(0.5)\n");
    for (level, memory_mb, is_told) in
        [("full", 64, true), ("full", 4096, false), ("landlock", 64, true), ("landlock", 4096, false)]
    {
        let site = at(level, &format!("memory_mb = {memory_mb}\nout_mb = 40\n"));
        let (_site, bundle) = answered(site, &script, "");
        let anomalies = anomalies(&bundle);
        assert_eq!(bundle.code(), "", "{anomalies:?}");
        assert_eq!(anomalies.iter().any(|anomaly| anomaly.starts_with(sentence)), is_told, "{level} {anomalies:?}");
    }
}

#[test]
fn memory_that_processes_share_counts_once() {
    let script = "held = take(60 << 20)\nfor _ in range(8): child(lambda: time.sleep(0.3))\nwait(8)";
    let (_site, bundle) = requested("memory_limit_mb: 160", script);
    assert_eq!(bundle.code(), "", "{}", bundle.document());
}

#[test]
fn a_tool_that_takes_more_time_than_was_asked_for_is_stopped() {
    for script in ["time.sleep(60)", "while True: pass", "orphan(lambda: time.sleep(60))\ntime.sleep(60)"] {
        let (_site, bundle) = requested("time_limit_sec: 1", script);
        let evidence = bundle.evidence();
        assert_eq!((bundle.code().as_str(), text(&evidence["stop_reason"]).as_str()), ("TIMEOUT", "timeout"));
        assert_eq!(text(&evidence["error"]["message"]), "The tool was stopped at its time limit of 1000 ms.");
        assert!((1_000..4_000).contains(&evidence["duration_ms"].as_u64().unwrap()));
    }
}

#[test]
fn processor_time_is_that_of_the_cores_that_were_asked_for() {
    let (_site, bundle) = requested("cpu_limit: 0.02\ntime_limit_sec: 30", "while True: pass");
    let evidence = bundle.evidence();
    assert_eq!((&evidence["limits"]["cpu_seconds"], &evidence["limits"]["cpus"]), (&1.into(), &1.into()));
    assert_eq!(bundle.code(), "TOOL_KILLED");
    assert_eq!(anomalies(&bundle), ["The tool reached its CPU time limit of 1 s."]);
}

#[test]
fn a_fork_bomb_ends_at_the_limit_of_processes() {
    for script in ["bomb()", "threads(1_000)\nsignal.pause()"] {
        let script = format!("#!/usr/bin/python3\n{PRELUDE}{script}");
        let (_site, bundle) = limited("processes = 40\ntime_seconds = 5\n", &script);
        // The kernel refuses more to everybody but root.
        if is_root() {
            assert_stopped(&bundle, "PROCESS_LIMIT", &["had more than 40 processes"]);
        } else {
            assert_ne!(bundle.code(), "PROCESS_LIMIT");
        }
    }
}

#[test]
fn a_folder_without_a_file_system_of_its_own_is_measured() {
    for (limits, script, parts) in [
        (
            "out_mb = 4\n",
            "i=0; while :; do head -c 300000 /dev/zero > out/$i; i=$((i+1)); done",
            ["in /out", "4194304 bytes"],
        ),
        (
            "out_mb = 4\n",
            "i=0; while :; do head -c 300000 /dev/zero > tmp/$i; i=$((i+1)); done",
            ["in /tmp", "4194304 bytes"],
        ),
        (
            "out_mb = 4\n",
            "exec 9> out/file; rm out/file; while :; do head -c 300000 /dev/zero >&9; done",
            ["in /out", "0 names"],
        ),
        ("out_files = 100\n", "i=0; while :; do : > out/$i; i=$((i+1)); done", ["in /out", "100 names"]),
        ("out_files = 100\n", "cd out; while :; do mkdir d; cd d; done", ["in /out", "100 names"]),
    ] {
        for level in ["none", "landlock"] {
            let (_site, bundle) = answered(at(level, limits), &format!("#!/bin/sh\n{script}\n"), "");
            assert_stopped(&bundle, "OUTPUT_LIMIT", &parts);
            assert_eq!(text(&bundle.evidence()["sandbox"]["level"]), level);
        }
    }
}

#[test]
fn a_folder_that_was_locked_or_moves_on_and_on_hides_nothing() {
    for script in [
        "os.mkdir('out/locked', 0o300)\nfill('out/locked', 40)\ntime.sleep(2)",
        "os.mkdir('out/a')\nchild(lambda: toss('out/a/x', 'out/y'))\nfill('out', 40)\ntime.sleep(2)",
    ] {
        for level in ["none", "landlock"] {
            let site = at(level, "out_mb = 4\n");
            let site = if is_root() { site.of_nobody() } else { site };
            let (_site, bundle) = answered(site, &format!("#!/usr/bin/python3\n{PRELUDE}{script}"), "");
            assert_stopped(&bundle, "OUTPUT_LIMIT", &["in /out"]);
        }
    }
}

#[test]
fn files_that_are_only_mapped_count_towards_out() {
    for level in ["none", "landlock"] {
        for is_nobody in [false, true] {
            let site = at(level, "out_mb = 4\n");
            let site = if is_nobody && is_root() { site.of_nobody() } else { site };
            let script = format!("#!/usr/bin/python3\n{PRELUDE}map_removed('tmp/file', 1 << 20, 40)\ntime.sleep(1)");
            let (_site, bundle) = answered(site, &script, "");
            assert_stopped(&bundle, "OUTPUT_LIMIT", &["in /out", "0 names"]);
        }
    }
}

#[test]
fn memory_and_processes_are_bounded_without_namespaces() {
    for (limits, script, code) in [
        ("memory_mb = 64\n", "share(2 << 30)", "MEMORY_LIMIT"),
        ("memory_mb = 64\n", "for _ in range(8): orphan(lambda: take(50 << 20))\nsignal.pause()", "MEMORY_LIMIT"),
        // Not a bomb: nothing of the kernel's bounds that for root where there is no PID namespace, and the count may be too late.
        (
            "processes = 40\n",
            "for _ in range(1_000):\n    if os.fork() == 0: signal.pause()\nsignal.pause()",
            "PROCESS_LIMIT",
        ),
    ] {
        if is_root() || code != "PROCESS_LIMIT" {
            let site = at("landlock", limits);
            let (_site, bundle) = answered(site, &format!("#!/usr/bin/python3\n{PRELUDE}{script}"), "");
            assert_stopped(&bundle, code, &[]);
        }
    }
}
