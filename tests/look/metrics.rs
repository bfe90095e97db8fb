//! What a site tells whoever keeps it: metrics that `node_exporter` takes, faults in `status`, and events by their level.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::Value;

use crate::site::{Request, Site, text, until};

/// The samples of a text that keeps the rules of the Prometheus text format 0.0.4: name with labels, and value. Panics where it does not.
fn samples(text: &str) -> HashMap<String, f64> {
    let mut lines = text.lines().peekable();
    let (mut samples, mut families) = (HashMap::new(), Vec::new());
    while let Some(line) = lines.next() {
        let (name, help) = line.strip_prefix("# HELP ").and_then(|rest| rest.split_once(' ')).expect(line);
        assert!(!help.is_empty() && !families.contains(&name), "{name} stands twice");
        families.push(name);
        let kind = lines.next().and_then(|line| line.strip_prefix(&format!("# TYPE {name} "))).expect(name);
        let suffixes: &[&str] = match kind {
            "counter" if name.ends_with("_total") => &[""],
            "gauge" => &[""],
            "histogram" => &["_bucket", "_count", "_sum"],
            _ => panic!("{name} is a {kind}"),
        };
        let (mut count, mut buckets) = (0, Vec::new());
        while let Some(line) = lines.next_if(|line| !line.starts_with('#')) {
            let (key, value) = line.rsplit_once(' ').expect(line);
            let bare = key.split('{').next().unwrap();
            assert!(suffixes.iter().any(|suffix| bare == format!("{name}{suffix}")), "{line} in {name}");
            let value: f64 = value.parse().expect(line);
            assert!(value >= 0.0, "{line}");
            buckets.extend(key.contains("le=\"").then_some(value));
            assert!(samples.insert(key.to_owned(), value).is_none(), "{key} stands twice");
            count += 1;
        }
        assert!(count > 0 && buckets.is_sorted(), "{name}");
        if kind == "histogram" {
            assert_eq!(buckets.last(), samples.get(&format!("{name}_count")), "{name}");
        }
    }
    samples
}

#[test]
fn the_metrics_count_what_was_answered_judged_and_what_waits() {
    let site = Site::with_config("[inbox]\nsettle_ms = 0\n");
    let config = fs::read_to_string(site.path("gatepost.toml")).unwrap();
    site.configure(&format!("{config}[metrics]\nfile = {:?}\n", site.path("var/exec/metrics.prom")));
    site.copy_in(&Request::call("one", "sleep_for").arg("duration", "1s"));
    site.copy_in(&Request::call("two", "fail_with").arg("status", "3"));
    site.print_a_secret("quarantine");
    // Both flag a script, and one is rejected for a secret.
    let body = "MC4CAQAwBQYDK2VwBCIEINsample0".repeat(2);
    let key = format!("for word in BEGIN END; do echo \"-----$word PRIVATE KEY-----\"; echo {body}; done");
    for (name, more) in [("script", ""), ("both", &key)] {
        site.tool(name, "", &format!("#!/bin/sh\nprintf '#!/bin/sh\\n'\n{more}\n"));
        site.copy_in(&Request::call(name, name));
    }
    site.up();
    // The gate said what it judged after TOOL-EXEC had ended: the next one counts it.
    site.gatepost(&["exec", "--once"]).succeeds();
    let text = fs::read_to_string(site.path("var/exec/metrics.prom")).unwrap();
    let found = samples(&text);
    for (name, expected) in [
        ("gatepost_verdicts_total{verdict=\"accept\"}", 3.0),
        ("gatepost_verdicts_total{verdict=\"reject\"}", 2.0),
        ("gatepost_rejections_total{code=\"secret\"}", 2.0),
        ("gatepost_flags_total{code=\"executable_payload\"}", 2.0),
        ("gatepost_requests{state=\"dropped\"}", 0.0),
        ("gatepost_requests{state=\"judging\"}", 0.0),
        ("gatepost_watcher_running{watcher=\"gate\"}", 0.0),
        ("gatepost_run_seconds_count", 0.0),
        ("gatepost_faults_total", 0.0),
    ] {
        assert_eq!(found.get(name), Some(&expected), "{name}: {text}");
    }
    assert!(!text.contains("gatepost_rejections_total{code=\"executable_payload\"}"), "{text}");
    // Of its own answers a process counts those since it began.
    site.copy_in(&Request::call("three", "sleep_for").arg("duration", "1s"));
    site.gatepost(&["exec", "--once"]).succeeds();
    let found = samples(&fs::read_to_string(site.path("var/exec/metrics.prom")).unwrap());
    assert_eq!(found.get("gatepost_run_seconds_count"), Some(&1.0));
    assert_eq!(found.get("gatepost_answers_total{outcome=\"success\"}"), Some(&1.0));
    assert_eq!(found.get("gatepost_requests{state=\"judging\"}"), Some(&1.0));
    assert!(found["gatepost_disk_free_bytes"] > 0.0);
}

#[test]
fn metrics_that_cannot_be_written_are_a_fault_that_status_shows_and_work_goes_on() {
    let site = Site::with_config("[inbox]\nsettle_ms = 0\nscan_interval_ms = 50\n");
    let config = fs::read_to_string(site.path("gatepost.toml")).unwrap();
    site.configure(&format!("{config}[metrics]\nfile = {:?}\ninterval_seconds = 1\n", site.path("nowhere/x")));
    let _watcher = site.watch("exec");
    let faults = || site.gatepost(&["status"]).succeeds()["data"]["faults"].clone();
    until("the fault", || !faults().as_array().unwrap().is_empty());
    let fault = &faults()[0];
    assert_eq!((&fault["watcher"], &fault["item"]), (&"exec".into(), &"\"the metrics\"".into()), "{fault}");
    let shown = site.gatepost(&["--output", "text", "status"]).stdout();
    assert!(shown.contains("FAULT of exec since ") && shown.contains("nowhere"), "{shown}");
    site.copy_in(&Request::call("one", "sleep_for").arg("duration", "1s"));
    until("an answer", || !site.names("outbox").is_empty());
    fs::create_dir(site.path("nowhere")).unwrap();
    until("the metrics", || site.path("nowhere/x").exists());
    until("no fault", || faults().as_array().unwrap().is_empty());
}

#[test]
fn the_log_tells_each_change_of_state_down_to_the_level_that_is_asked_for() {
    let site = Site::steady();
    let events = |stderr: String| -> Vec<(String, String)> {
        let lines = stderr.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .map(|event| (event["level"].as_str().unwrap().to_owned(), event["event"].as_str().unwrap().to_owned()))
            .collect()
    };
    let of = |events: &[(String, String)], level: &str| -> Vec<String> {
        events.iter().filter(|(found, _)| found == level).map(|(_, event)| event.clone()).collect()
    };
    site.copy_in(&Request::call("one", "sleep_for").arg("duration", "1s"));
    let told = events(site.gatepost(&["exec", "--once", "--log-level", "debug"]).stderr());
    let (debug, info) = (of(&told, "debug"), of(&told, "info"));
    let of_requests: Vec<&String> = debug.iter().filter(|event| *event != "stage").collect();
    assert_eq!(of_requests, ["claimed", "begun"], "{debug:?}");
    assert_eq!(info, ["watching", "catalog", "answered"]);
    let site = site.with_variable("GATEPOST_LOG", "error");
    site.copy_in(&Request::call("two", "sleep_for").arg("duration", "1s"));
    assert_eq!(events(site.gatepost(&["exec", "--once"]).stderr()), []);
    assert_eq!(events(site.gatepost(&["up", "--once"]).stderr()), []);
    let told = events(site.gatepost(&["gate", "--once", "--log-level=info"]).stderr());
    assert_eq!(of(&told, "info"), ["watching"]);
    assert_eq!(site.gatepost(&["gate", "--once", "--log-level=loud"]).ends(2)["error"]["code"], "ARG_ERROR");
}

#[test]
fn metrics_go_into_no_folder_that_another_user_can_write_to_and_have_a_mode_of_their_own() {
    let site = Site::with_config("[inbox]\nsettle_ms = 0\n");
    let (folder, config) = (site.path("metrics"), fs::read_to_string(site.path("gatepost.toml")).unwrap());
    let file = folder.join("gatepost.prom");
    site.configure(&format!("{config}[metrics]\nfile = {file:?}\n"));
    fs::create_dir(&folder).unwrap();
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    let state = || {
        site.gatepost(&["exec", "--once"]);
        let outcome: Value = serde_json::from_slice(&site.gatepost(&["doctor"]).0.stdout).unwrap();
        let findings = outcome["data"]["findings"].as_array().unwrap();
        let found = findings.iter().find(|found| found["check"] == "site.metrics").unwrap();
        (text(&found["status"]), fs::metadata(&file).ok().map(|found| found.permissions().mode() & 0o7777))
    };
    for mode in [0o777, 0o775, 0o1777] {
        set(&folder, mode);
        assert_eq!(state(), ("warning".to_owned(), None), "{mode:o}");
    }
    set(&folder, 0o755);
    assert_eq!(state(), ("ok".to_owned(), Some(0o644)));
    set(&file, 0o4777);
    assert_eq!(state(), ("ok".to_owned(), Some(0o644)), "not the mode of what was there");
}
