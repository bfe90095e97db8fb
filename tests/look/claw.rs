//! The surfaces of the claw contract, as a program sees them that knows that contract and nothing else of gatepost.
//!
//! Each command and each kind of failure has a golden file in `tests/look/claw/`, named `COMMAND.json` or `COMMAND.KIND.json`: the whole answer,
//! with what differs from run to run masked by [`masked`]. `GATEPOST_TESTS_WRITE=1` has them written anew, to be read before they are kept.
//! *Standards*: claw JSON envelope contract 1.0.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::calculator::{closing, continuing, manifest, opener};
use crate::golden;
use crate::site::{Site, Watcher, text, until};

/// The commands of the contract.
const COMMANDS: [&str; 13] = [
    "bootstrap",
    "bootstrap-graph",
    "command-graph",
    "delete-session",
    "exec-command",
    "exec-tool",
    "flush-transcript",
    "list-sessions",
    "load-session",
    "route",
    "show-command",
    "show-tool",
    "tool-pool",
];

/// The members that every answer has.
const COMMON: [&str; 5] = ["timestamp", "command", "exit_code", "output_format", "schema_version"];

/// Asks in the contract's way, and checks what it says of every answer.
fn claw(site: &Site, arguments: &[&str]) -> Value {
    let ran = site.gatepost(&[arguments, &["--output-format", "json"]].concat());
    let (stdout, exit) = (ran.stdout(), ran.exit());
    assert_eq!(
        (stdout.lines().count(), stdout.ends_with('\n'), ran.stderr()),
        (1, true, String::new()),
        "{arguments:?}: {stdout}"
    );
    let answer: Value = serde_json::from_str(&stdout).unwrap();
    let members = answer.as_object().unwrap();
    assert!(COMMON.iter().all(|name| members.contains_key(*name)), "{arguments:?}: {answer}");
    assert_eq!((&answer["command"], &answer["output_format"]), (&json!(arguments[0]), &json!("json")), "{answer}");
    assert_eq!((&answer["exit_code"], &answer["schema_version"]), (&json!(exit), &json!("1.0")), "{answer}");
    let failed = members.contains_key("error");
    assert_eq!(exit != Some(0), failed, "{answer}");
    for done in ["handled", "loaded", "flushed", "found"] {
        assert!(members.get(done).is_none_or(|done| *done == !failed), "{done} in {answer}");
    }
    if failed {
        let timed_out = answer["error"]["code"] == "TIMEOUT";
        assert_eq!(exit, Some(if timed_out { 2 } else { 1 }), "{answer}");
        for name in ["kind", "operation", "target", "message"] {
            assert!(answer["error"][name].is_string(), "{name} in {answer}");
        }
        assert!(answer["error"]["retryable"].is_boolean(), "{answer}");
        let is_missing = text(&answer["error"]["kind"]).ends_with("_not_found");
        assert_eq!(members.get("found") == Some(&json!(false)), is_missing, "{answer}");
        assert!(!is_missing || answer["name"].is_string(), "{answer}");
    }
    answer
}

/// An answer without what differs from run to run: times, the site's path, the ids that are made of times and random numbers, what this machine
/// is, what the release is, what the gate's rules say, and how far a request is whose time has run out. Of our own commands one is kept, for all others come and go with releases.
fn masked(site: &Site, mut answer: Value) -> Value {
    if answer["command"] == "command-graph" {
        answer["builtins"].as_array_mut().unwrap().retain(|own| own["name"] == "list");
        for count in ["builtins_count", "total_count"] {
            answer[count] = "<count>".into();
        }
    }
    if answer["command"] == "route" {
        answer["pagination"] = "<pagination>".into();
    }
    if answer["error"]["code"] == "TIMEOUT" {
        for name in ["state", "path", "message"] {
            answer[name] = "<state>".into();
        }
    }
    if answer["error"]["code"] == "RESULT_REJECTED" {
        for name in ["message", "hint", "suggestion", "errors"] {
            answer["error"][name] = "<reasons>".into();
        }
    }
    if let Some(setup) = answer.get_mut("setup").and_then(Value::as_object_mut) {
        for name in ["python_version", "implementation", "platform_name"] {
            setup.insert(name.to_owned(), "<machine>".into());
        }
    }
    golden::masked(&[(&site.root, "<site>")], answer)
}

/// Holds an answer against its golden file; what is wrong, if anything is.
fn differs(site: &Site, name: &str, answer: Value) -> Option<String> {
    golden::differs(&golden::folder("claw").join(format!("{name}.json")), &masked(site, answer))
}

/// A site that is watched, with a tool for sessions, and a session that has ended.
fn office() -> (Site, Watcher, String) {
    let site = Site::new();
    site.manifest("sum", &manifest("sum", ""));
    let watcher = watched(&site);
    let session = opener("console");
    for request in [&session, &continuing("first", &session, &[2, 40]), &closing("last", &session)] {
        site.rename_in(request);
    }
    until("the end of the session", || !site.results(&session.id).is_empty());
    (site, watcher, session.id)
}

fn watched(site: &Site) -> Watcher {
    let watcher = site.watch("up");
    let is_held = |lock: &str| fs::read_to_string(site.path(lock)).is_ok_and(|holder| holder.contains("process"));
    until("the watchers", || is_held("var/exec/lock") && is_held("var/gate/lock"));
    watcher
}

#[test]
fn every_command_answers_as_its_golden_file_says() {
    let (site, watcher, session) = office();
    let cases: &[(&str, &[&str])] = &[
        ("tool-pool", &["tool-pool"]),
        ("show-tool", &["show-tool", "fail_with"]),
        ("show-tool.tool_not_found", &["show-tool", "fail_wth"]),
        ("exec-tool", &["exec-tool", "fail_with", "status=0"]),
        ("exec-tool.tool_not_found", &["exec-tool", "fail_wth", "status=0"]),
        ("exec-tool.parse", &["exec-tool", "fail_with", "{\"status\": 0"]),
        ("exec-tool.usage", &["exec-tool", "fail_with", "status zero"]),
        ("exec-tool.runtime", &["exec-tool", "fail_with", "{\"status\": 3}"]),
        ("exec-tool.policy", &["exec-tool", "hostile_output"]),
        ("exec-tool.timeout", &["exec-tool", "sleep_for", "duration=1900ms", "--timeout", "1"]),
        ("route", &["route", "count the lines of a file", "--limit", "3"]),
        ("list-sessions", &["list-sessions"]),
        ("load-session", &["load-session", &session]),
        ("load-session.session_not_found", &["load-session", "does-not-exist"]),
        ("load-session.usage", &["load-session", "../somewhere"]),
        ("flush-transcript", &["flush-transcript", &session]),
        ("flush-transcript.session_not_found", &["flush-transcript", "does-not-exist"]),
        ("delete-session.session_not_found", &["delete-session", "does-not-exist"]),
        ("delete-session.policy", &["delete-session", &session]),
        ("show-command", &["show-command", "sessions.list"]),
        ("show-command.command_not_found", &["show-command", "sessions lost"]),
        ("exec-command", &["exec-command", "sessions list"]),
        ("exec-command.command_not_found", &["exec-command", "lst"]),
        ("exec-command.policy", &["exec-command", "quarantine purge", "--yes"]),
        ("exec-command.parse", &["exec-command", "show", "--nonsense"]),
        ("command-graph", &["command-graph"]),
        ("bootstrap", &["bootstrap", "fail_with status=0"]),
        ("bootstrap.runtime", &["bootstrap", "fail_with status=3"]),
        ("bootstrap-graph", &["bootstrap-graph"]),
    ];
    let wrong: Vec<String> =
        cases.iter().filter_map(|(name, arguments)| differs(&site, name, claw(&site, arguments))).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    drop(watcher);
    let unwatched = differs(&site, "exec-tool.delivery", claw(&site, &["exec-tool", "fail_with", "status=0"]));
    assert_eq!(unwatched, None);
    fs::remove_file(site.path("gatepost.toml")).unwrap();
    assert_eq!(differs(&site, "tool-pool.no_site", claw(&site, &["tool-pool"])), None);
}

#[test]
fn every_command_of_the_contract_is_there_and_has_a_golden_file() {
    let site = Site::new();
    let graph = site.gatepost(&["command-graph"]).succeeds();
    let builtins = graph["data"]["builtins"].as_array().unwrap();
    let names: BTreeSet<String> = builtins.iter().map(|own| text(&own["name"])).collect();
    for command in COMMANDS {
        assert!(names.contains(command), "{command} is no command");
        assert!(golden::folder("claw").join(format!("{command}.json")).is_file(), "{command} has no golden file");
    }
}

#[test]
fn what_changes_something_is_carried_out_by_no_exec_command() {
    let site = Site::new();
    let graph = site.gatepost(&["command-graph"]).succeeds();
    let before = listing(&site);
    let mut refused = 0;
    for own in graph["data"]["builtins"].as_array().unwrap().iter().filter(|own| own["danger_level"] != "safe") {
        let answer = claw(&site, &["exec-command", &text(&own["name"]), "--yes"]);
        assert_eq!(
            (&answer["error"]["code"], &answer["handled"]),
            (&json!("POLICY_DENIED"), &json!(false)),
            "{answer}"
        );
        refused += 1;
    }
    assert!(refused > 20, "{refused}");
    for sneaky in ["'' submit --tool fail_with", "--site / demo"] {
        let answer = claw(&site, &["exec-command", "list", sneaky]);
        assert_eq!(answer["handled"], false, "{answer}");
    }
    assert_eq!(listing(&site), before);
}

/// Every path of a site.
fn listing(site: &Site) -> Vec<PathBuf> {
    walkdir::WalkDir::new(&site.root).sort_by_file_name().into_iter().map(|entry| entry.unwrap().into_path()).collect()
}

#[test]
fn an_open_session_is_read_flushed_and_closed() {
    let site = Site::new();
    site.manifest("sum", &manifest("sum", ""));
    let watcher = watched(&site);
    let session = opener("console");
    site.rename_in(&session);
    let first = continuing("first", &session, &[2, 40]);
    site.rename_in(&first);
    until("the first answer", || !site.results(&first.id).is_empty());
    let loaded = claw(&site, &["load-session", &session.id]);
    assert_eq!((&loaded["stopped"], &loaded["messages_count"]), (&json!(false), &json!(4)), "{loaded}");
    assert_eq!((&loaded["input_tokens"], &loaded["output_tokens"]), (&json!(2), &json!(2)), "{loaded}");
    assert_eq!((&loaded["messages"][1]["output"], &loaded["_trusted"]), (&json!("42\n"), &json!(false)));
    assert_eq!(claw(&site, &["flush-transcript", &session.id])["path"], loaded["path"]);
    let dry = claw(&site, &["delete-session", &session.id, "--dry-run"]);
    assert_eq!((&dry["deleted"], &dry["effect"]), (&json!(false), &json!("would_delete")));
    let deleted = claw(&site, &["delete-session", &session.id]);
    assert_eq!(differs(&site, "delete-session", deleted.clone()), None);
    assert_eq!(
        (&deleted["deleted"], &deleted["effect"], &deleted["status"]),
        (&json!(true), &json!("deleted"), &json!("closed"))
    );
    until("the end of the session", || !site.results(&session.id).is_empty());
    let listed = claw(&site, &["list-sessions"]);
    let one = &listed["sessions"][0];
    assert_eq!(
        (&one["stopped"], &one["prompt_count"], &listed["sessions_count"]),
        (&json!(true), &json!(2), &json!(1)),
        "{listed}"
    );
    drop(watcher);
}

#[test]
fn a_turn_says_why_it_ran_nothing() {
    let site = Site::new();
    site.manifest("console", &manifest("console", ""));
    site.tool("reboot", "human_approval = true", "#!/bin/sh\n");
    for (prompt, stop_reason) in [
        ("xyzzy", "no_match"),
        ("sessions list", "not_a_tool"),
        ("reboot", "approval_needed"),
        ("fail_with", "arguments_needed"),
        ("console", "interactions_needed"),
        ("fail_with status=0", "not_watched"),
    ] {
        let answer = claw(&site, &["bootstrap", prompt]);
        assert_eq!(answer["turn"]["stop_reason"], stop_reason, "{answer}");
        assert_eq!((&answer["turn"]["output"], answer.get("persisted_session_path")), (&json!(""), None));
    }
    assert_eq!(site.names("inbox"), [""; 0]);
}

#[test]
fn the_words_of_a_tool_stand_in_results_alone() {
    let site = Site::new();
    site.tool("preacher", "", "#!/bin/sh\necho heed-me\necho heed-me >&2\nexit ${1:-0}\n");
    let _watcher = watched(&site);
    let mut answer = claw(&site, &["exec-tool", "preacher"]);
    assert_eq!((&answer["_trusted"], &answer["message"]), (&json!(false), &json!("exit code 0")));
    assert!(answer["results"].to_string().contains("heed-me"), "{answer}");
    answer["results"].take();
    assert!(!answer.to_string().contains("heed-me"), "{answer}");
}

#[test]
fn the_stages_of_the_graph_are_those_that_a_start_goes_through() {
    let site = Site::new();
    let ran = site.gatepost(&["up", "--once", "--log-level", "debug"]);
    let log = ran.stderr();
    let events = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let stages: Vec<String> =
        events.filter(|event| event["event"] == "stage").map(|event| text(&event["message"])).collect();
    assert_eq!(claw(&site, &["bootstrap-graph"])["stages"], json!(stages), "{log}");
}

#[test]
fn watchers_have_no_single_answer() {
    let site = Site::new();
    // Else one that watched would never end.
    fs::remove_file(site.path("gatepost.toml")).unwrap();
    for watcher in ["up", "exec", "gate", "serve"] {
        let answer = claw(&site, &[watcher]);
        assert_eq!(answer["error"]["code"], "STREAMING_NOT_SUPPORTED", "{answer}");
    }
}

#[test]
fn people_are_told_the_same_in_words() {
    let (site, _watcher, session) = office();
    for (arguments, words) in [
        (&["tool-pool"][..], "fail_with"),
        (&["show-tool", "fail_with"], "Manifest:"),
        (&["exec-tool", "fail_with", "status=0"], "exit code 0"),
        (&["route", "count lines"], "line_count"),
        (&["list-sessions"], "ended"),
        (&["load-session", &session], "| 42"),
        (&["flush-transcript", &session], "4 messages"),
        (&["show-command", "list"], "src/cli/list.rs"),
        (&["exec-command", "sessions list"], "No session is open"),
        (&["command-graph"], "tool-pool"),
        (&["bootstrap", "fail_with status=0"], "completed"),
        (&["bootstrap-graph"], " 1. up:"),
    ] {
        let ran = site.gatepost(&[arguments, &["--output=table"]].concat());
        assert!(ran.exit() == Some(0) && ran.stdout().contains(words), "{arguments:?}: {}", ran.stdout());
    }
}

#[test]
fn the_best_match_comes_first_and_equal_ones_by_name() {
    let site = Site::new();
    let answer = claw(&site, &["route", "sha256 sum of one file", "--limit", "0"]);
    let matches = answer["matches"].as_array().unwrap();
    assert_eq!((&matches[0]["name"], &matches[0]["kind"]), (&json!("sha256_sum"), &json!("tool")), "{answer}");
    let order: Vec<(f64, String)> =
        matches.iter().map(|one| (-one["score"].as_f64().unwrap(), text(&one["name"]))).collect();
    assert!(order.is_sorted(), "{answer}");
    assert_eq!(answer["match_count"], matches.len());
}
