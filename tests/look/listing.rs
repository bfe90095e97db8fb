//! What `list`, `show` and `wait` say of requests, wherever they are.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;

use chrono::{TimeDelta, Utc};
use serde_json::Value;

use crate::site::{Request, Site};

fn rows(site: &Site, arguments: &[&str]) -> Vec<Value> {
    let outcome = site.gatepost(&[&["list"], arguments].concat()).succeeds();
    outcome["data"]["requests"].as_array().unwrap().clone()
}

fn members<'a>(rows: &'a [Value], member: &str) -> Vec<&'a str> {
    rows.iter().map(|row| row[member].as_str().unwrap()).collect()
}

#[test]
fn requests_stand_in_the_order_in_which_they_were_dropped_with_who_asked_and_for_what() {
    let site = Site::new();
    // The times in the names are the requesters' own.
    let hours_ago = |hours| Utc::now() - TimeDelta::hours(hours);
    let drops = [
        Request::created(hours_ago(0), "first", "fail_with").arg("status", "0"),
        Request::created(hours_ago(9), "second", "no_such_tool"),
        Request::created(hours_ago(3), "third", "sort_lines"),
    ];
    for request in &drops[..2] {
        site.rename_in(request);
        site.up();
    }
    site.rename_in(&drops[2]);
    let listed = rows(&site, &[]);
    let newest_first: Vec<&str> = drops.iter().rev().map(|request| request.id.as_str()).collect();
    assert_eq!(members(&listed, "request_id"), newest_first);
    assert_eq!(members(&listed, "state"), ["dropped", "accepted", "accepted"]);
    assert_eq!(members(&listed, "tool"), ["", "no_such_tool", "fail_with"]);
    assert_eq!(members(&listed, "requested_by"), ["", "human", "human"]);
    assert!(members(&listed, "dropped_utc").is_sorted_by(|newer, older| newer >= older));
    assert_eq!(members(&rows(&site, &["--limit", "1"]), "request_id"), newest_first[..1]);
    let shown = site.gatepost(&["list", "--output=text"]).stdout();
    assert!(shown.starts_with("REQUEST") && shown.contains("  DROPPED") && shown.contains("  REQUESTER"), "{shown}");
    let evidence = site.result(&drops[0].id).evidence();
    assert_eq!(site.shown(&drops[0].id)["dropped_utc"], evidence["dropped"]["utc"]);
}

#[test]
fn requests_are_listed_by_their_tool_their_requester_and_the_time_of_their_drop() {
    let site = Site::new();
    let (one, other) = (Request::file("one"), Request::call("other", "no_such_tool"));
    site.rename_in(&one);
    site.rename_in(&other);
    site.up();
    let listed = |arguments: &[&str]| rows(&site, arguments).len();
    assert_eq!(members(&rows(&site, &["--tool", "no_such_tool"]), "request_id"), [&other.id]);
    assert_eq!(listed(&["--requester", "human", "--state", "accepted"]), 2);
    assert_eq!(listed(&["--requester", "hum"]), 0);
    assert_eq!(listed(&["--since", "1h"]), 2);
    assert_eq!(listed(&["--since", "2999-01-01T00:00:00Z"]), 0);
    let outcome = site.gatepost(&["list", "--tool", "fail_with", "--limit", "1"]).succeeds();
    assert_eq!(outcome["data"]["requests_count"], 1);
    assert_eq!(site.gatepost(&["list", "--tool", "x", "--output=text"]).stdout(), "No request matches.\n");
    site.gatepost(&["list", "--since", "yesterday"]).ends(2);
}

#[test]
fn an_answer_shows_what_the_tool_printed_first_and_where_all_of_it_is() {
    let site = Site::new();
    site.tool("talk", "", "#!/bin/sh\nprintf 'one\\n\\033[31mtwo\\n'; seq 100; echo careful >&2\n");
    let request = Request::call("talk", "talk");
    site.copy_in(&request);
    site.up();
    for command in ["show", "wait"] {
        let outcome = site.gatepost(&[command, &request.id]).succeeds()["data"].clone();
        let outcome = if command == "show" { outcome["results"][0]["request"].clone() } else { outcome };
        let stdout = &outcome["stdout"];
        assert_eq!((&stdout["artifact"], &stdout["_trusted"]), (&"artifacts/stdout.txt".into(), &false.into()));
        assert!(stdout["excerpt"].as_str().unwrap().starts_with("one\n\u{241b}[31mtwo\n1\n2\n"), "{stdout}");
        assert_eq!(stdout["truncated"], true);
        assert_eq!(outcome["stderr"]["excerpt"], "careful\n");
        let shown = site.gatepost(&[command, &request.id, "--output=text"]).stdout();
        assert!(shown.contains("  | \u{241b}[31mtwo\n") && shown.contains("  | careful\n"), "{shown}");
        assert!(shown.contains(&format!("gatepost cat {} stdout.txt", request.id)), "{shown}");
    }
}

#[test]
fn an_artifact_is_printed_as_it_is_into_a_pipe_and_only_from_an_accepted_result() {
    let site = Site::new();
    site.tool("make", "", "#!/bin/sh\nprintf '\\033[31m\\377\\000'; mkdir -p out; echo made > out/file.txt\n");
    let request = Request::call("make", "make");
    site.copy_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    let early = site.gatepost(&["cat", &request.id, "-o", "json"]).ends(5);
    assert_eq!(early["error"]["code"], "RESULT_NOT_FOUND");
    site.gatepost(&["gate", "--once"]).succeeds();
    let cat = |arguments: &[&str]| site.gatepost(&[&["cat", request.id.as_str()], arguments].concat());
    assert_eq!(cat(&[]).0.stdout, b"\x1b[31m\xff\0");
    assert_eq!(cat(&["out/file.txt"]).stdout(), "made\n");
    assert_eq!(cat(&["artifacts/out/file.txt"]).stdout(), "made\n");
    assert!(cat(&["evidence.json"]).stdout().starts_with('{'));
    let content = |arguments: &[&str]| {
        let data = cat(&[arguments, &["--output", "json"]].concat()).succeeds()["data"].clone();
        ["encoding", "value", "size_bytes", "is_beginning"].map(|name| data[name].clone())
    };
    assert_eq!(content(&[]), ["base64".into(), "G1szMW3/AA==".into(), Value::from(7), false.into()]);
    assert_eq!(content(&["out/file.txt"])[..3], ["utf-8".into(), "made\n".into(), Value::from(5)]);
    let whole = content(&["evidence.json"]);
    let beginning = content(&["evidence.json", "--max-output", "2000"]);
    assert_eq!((&beginning[2], &beginning[3]), (&whole[2], &true.into()));
    let cut = cat(&["evidence.json", "-o", "json", "--max-output", "2000"]).succeeds();
    assert!(cut["meta"]["truncated"] == true && cut["warnings"][0].is_string(), "{cut}");
    let claw = cat(&["out/file.txt", "--output-format", "json"]).succeeds();
    assert_eq!((&claw["value"], &claw["exit_code"]), (&"made\n".into(), &0.into()));
    let json = |name: &str| cat(&[name, "-o", "json"]);
    for name in ["../../../gatepost.toml", "out/../evidence.json", "/etc/passwd"] {
        assert_eq!(json(name).ends(2)["error"]["code"], "INVALID_AGENT_INPUT", "{name}");
    }
    for name in ["out", "none.txt"] {
        let outcome = json(name).ends(5);
        assert_eq!(outcome["error"]["code"], "ARTIFACT_NOT_FOUND");
        assert_eq!(outcome["data"]["artifacts"], serde_json::json!(["out/file.txt", "stderr.txt", "stdout.txt"]));
    }
}

#[test]
fn of_a_result_that_was_changed_since_it_was_accepted_nothing_is_printed() {
    let site = Site::new();
    let request = Request::folder("changed");
    site.copy_in(&request);
    site.up();
    assert_eq!(site.gatepost(&["cat", &request.id]).exit(), Some(0));
    let changes: [&dyn Fn(&Site); 3] = [
        &|site| fs::write(site.result(&request.id).0.join("artifacts/stdout.txt"), "changed\n").unwrap(),
        &|site| fs::write(site.result(&request.id).0.join("evidence.json"), "{}").unwrap(),
        &|site| fs::remove_file(site.result(&request.id).0.join("verdict.json")).unwrap(),
    ];
    for change in changes {
        let fork = site.fork();
        change(&fork);
        let ran = fork.gatepost(&["cat", &request.id]);
        assert_eq!((ran.exit(), ran.stdout().as_str()), (Some(79), ""), "{}", ran.stderr());
        assert!(ran.stderr().contains("was changed after the gate accepted it"), "{}", ran.stderr());
        assert!(ran.stderr().contains(&format!("gatepost verify {}", fork.result(&request.id).0.display())));
    }
}

#[test]
fn a_failure_never_stands_in_the_file_that_a_command_prints() {
    let site = Site::new();
    let request = Request::call("refused", "no_such_tool");
    site.copy_in(&request);
    site.up();
    for (arguments, status, told) in [
        (&["cat", "TR-20260101-000000Z-none"][..], 5, "error: The request TR-20260101-000000Z-none is unknown."),
        (&["cat", &request.id, "plot.png"], 5, "error: The result of"),
        (&["cat", &request.id, "--bogus"], 2, "error: "),
        (&["completions", "tcsh"], 2, "error: "),
        (&["check", "--sarif"], 2, "error: "),
    ] {
        let ran = site.gatepost(arguments);
        assert_eq!((ran.exit(), ran.stdout().as_str()), (Some(status), ""), "{arguments:?}");
        assert!(ran.stderr().starts_with(told), "{arguments:?}: {}", ran.stderr());
    }
    // Whoever asks for JSON by name has the failure in it.
    let outcome = site.gatepost(&["cat", &request.id, "plot.png", "-o", "json"]).ends(5);
    assert_eq!(outcome["error"]["code"], "ARTIFACT_NOT_FOUND");
}

#[test]
fn a_refused_request_and_a_failed_tool_are_no_success_though_the_gate_accepted_the_answers() {
    let site = Site::new();
    let (good, failed) = (Request::call("good", "fail_with"), Request::call("failed", "fail_with"));
    let (good, failed) = (good.arg("status", "0"), failed.arg("status", "3"));
    let refused = Request::call("refused", "no_such_tool");
    for request in [&good, &failed, &refused] {
        site.copy_in(request);
    }
    site.up();
    for (outcome, request, word) in [
        ("succeeded", &good, "success"),
        ("failed", &failed, "failed: TOOL_FAILED"),
        ("refused", &refused, "refused: REQUEST_REFUSED"),
    ] {
        let listed = rows(&site, &["--outcome", outcome]);
        assert_eq!(members(&listed, "request_id"), [&request.id], "{outcome}");
        assert_eq!((&listed[0]["class"], &listed[0]["state"]), (&outcome.into(), &"accepted".into()));
        let text =
            |arguments: &[&str]| site.gatepost(&[arguments, &["-o", "table", "--color", "always"]].concat()).stdout();
        let tone = if outcome == "succeeded" { "32" } else { "31" };
        let list = text(&["list", "--outcome", outcome]);
        assert!(list.contains(word) && list.contains(&format!("\x1b[{tone}maccepted")), "{list}");
        let shown = text(&["show", &request.id]);
        assert!(shown.contains(&format!("Outcome:  {word}")), "{shown}");
        assert_eq!(shown.contains("exit code"), outcome != "refused", "{shown}");
    }
    let csv = site.path("report.csv");
    site.gatepost(&["report", "--csv", csv.to_str().unwrap()]).succeeds();
    let csv = fs::read_to_string(csv).unwrap();
    assert!(csv.contains(",refused,") && csv.contains(",failed,"), "{csv}");
}

#[test]
fn an_artifact_whose_printing_is_stopped_has_nothing_behind_it() {
    let site = Site::new();
    site.tool("long", "", "#!/bin/sh\nyes 'one more line' | head -c 400000\n");
    let request = Request::call("long", "long");
    site.copy_in(&request);
    site.up();
    let mut child = site.command(&[], &["cat", &request.id]).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut printed = vec![0];
    stdout.read_exact(&mut printed).unwrap();
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    stdout.read_to_end(&mut printed).unwrap();
    let whole = "one more line\n".repeat(30_000);
    assert!(printed.len() < 400_000 && whole.as_bytes().starts_with(&printed), "{}", printed.len());
}

#[test]
fn a_refusal_is_shown_with_all_its_reasons_and_what_to_do_about_each() {
    let site = Site::new();
    let request = Request::call("wrong", "fail_with").arg("status", "many").arg("colour", "red");
    site.copy_in(&request);
    site.up();
    let shown = site.gatepost(&["show", &request.id, "--output=text"]).stdout();
    let (_, reasons) = shown.split_once("\nRefused for:\n").unwrap_or_else(|| panic!("{shown}"));
    assert!(reasons.contains("colour") && reasons.contains("status"), "{shown}");
    assert_eq!(reasons.matches("  - Hint: ").count(), 2, "{shown}");
}

/// The rows of a report in CSV, by the names of their columns.
fn columns(path: &std::path::Path) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

#[test]
fn a_report_has_a_row_for_each_request_with_the_same_facts_in_csv_and_json() {
    let site = Site::new();
    let request = Request::created(Utc::now(), "formula", "fail_with").arg("status", "0");
    let document = request.markdown().replace("purpose: \"A test\"", "purpose: \"=HYPERLINK(1), \\\"a\\\"\"");
    fs::write(site.path("inbox").join(format!("{}.md", request.id)), document).unwrap();
    site.up();
    site.reject_a_secret();
    let [csv, json] = ["report.csv", "report.json"].map(|name| site.path(name));
    let arguments = ["report", "--csv", csv.to_str().unwrap(), "--json", json.to_str().unwrap()];
    let written = site.gatepost(&arguments).succeeds();
    assert_eq!((&written["data"]["effect"], &written["data"]["requests_count"]), (&"created".into(), &2.into()));
    let report: Value = serde_json::from_slice(&fs::read(&json).unwrap()).unwrap();
    let (rows, cells) = (report["requests"].as_array().unwrap(), columns(&csv));
    assert_eq!(members(rows, "state"), ["rejected", "accepted"]);
    assert_eq!(rows[0]["findings"], serde_json::json!(["secret"]));
    assert_eq!((&rows[0]["command"], &rows[0]["purpose"]), (&"".into(), &"".into()), "withheld");
    assert_eq!(rows[1]["purpose"], "=HYPERLINK(1), \"a\"");
    assert_eq!(cells[1]["purpose"], "'=HYPERLINK(1), \"a\"");
    assert_eq!((cells[1]["exit_code"].as_str(), &rows[1]["exit_code"]), ("0", &0.into()));
    for (row, cells) in rows.iter().zip(&cells) {
        assert_eq!(row.as_object().unwrap().len(), cells.len());
        for member in ["request_id", "state", "dropped_utc", "requested_by", "tool", "sandbox", "result_id", "outcome"]
        {
            assert_eq!(row[member], cells[member].as_str(), "{member}");
        }
    }
    assert_eq!(site.gatepost(&arguments).ends(6)["error"]["code"], "ALREADY_EXISTS");
    site.gatepost(&["report", "--since", "7d"]).ends(2);
    let later = site.path("later.json");
    let since = ["report", "--since", "2099-01-01T00:00:00Z", "--json", later.to_str().unwrap()];
    assert_eq!(site.gatepost(&since).succeeds()["data"]["requests_count"], 0);
}

#[test]
fn a_judged_result_that_lies_nowhere_any_more_is_missing() {
    let site = Site::new();
    let accepted = Request::file("accepted");
    site.rename_in(&accepted);
    site.up();
    site.reject_a_secret();
    assert_eq!(rows(&site, &["--state", "missing"]), [] as [Value; 0]);
    for folder in ["core/inbound", "quarantine"] {
        for name in site.names(folder) {
            fs::remove_dir_all(site.path(folder).join(name)).unwrap();
        }
    }
    let listed = rows(&site, &["--state", "missing"]);
    assert_eq!(listed.len(), 2, "{listed:?}");
    for row in listed {
        let id = row["request_id"].as_str().unwrap();
        assert_eq!(row["requested_by"], "human");
        let shown = site.gatepost(&["show", id, "--output=text"]).stdout();
        assert!(
            shown.contains("State:    missing\n") && shown.contains("Result:   missing; the gate judged it\n"),
            "{shown}"
        );
        let waited = site.gatepost(&["wait", id]).ends(5);
        assert_eq!(waited["error"]["code"], "RESULT_NOT_FOUND");
        assert_eq!(waited["data"]["result_id"], row["result_id"]);
    }
}

#[test]
fn several_requests_are_shown_at_once_each_with_what_is_known_of_it() {
    let site = Site::new();
    let (one, other) = (Request::call("one", "fail_with").arg("status", "0"), Request::call("other", "no_such_tool"));
    site.rename_in(&one);
    site.rename_in(&other);
    site.up();
    let both = site.gatepost(&["show", &one.id, &other.id]).succeeds();
    let results = both["data"]["results"].as_array().unwrap();
    assert_eq!(results[1]["request"]["request_id"], other.id.as_str());
    let alone = site.gatepost(&["show", &one.id]).succeeds();
    assert_eq!(alone["data"]["results"][0], results[0], "one and many have one form");
    assert_eq!(alone["data"]["summary"]["total"], 1);
    let unknown = site.gatepost(&["show", "TR-20260209-160501Z-none"]).ends(5);
    assert_eq!((&unknown["error"]["found"], &unknown["data"]["summary"]["failed"]), (&false.into(), &1.into()));
    let partly = site.gatepost(&["show", &one.id, "TR-20260209-160501Z-none"]).ends(3);
    assert_eq!(
        (&partly["error"]["code"], &partly["data"]["summary"]["failed"]),
        (&"PARTIAL_FAILURE".into(), &1.into())
    );
    assert_eq!(partly["data"]["results"][1]["error"]["code"], "REQUEST_NOT_FOUND");
    site.gatepost(&["show", "TR-20260209-160501Z-none", "TR-20260209-160501Z-neither"]).ends(5);
    let text = site.gatepost(&["show", &one.id, &other.id, "-o", "plain"]).stdout();
    assert_eq!(text.matches("Request:  ").count(), 2, "{text}");
    let said = |ids: &[&str], form: &[&str]| site.gatepost(&[&["show"], ids, form].concat()).stdout();
    let ids = [one.id.as_str(), &other.id];
    assert_eq!(said(&ids, &["-o", "id"]), format!("{}\n{}\n", one.id, other.id));
    assert_eq!(said(&ids, &["-o", "tsv", "--fields", "id,ok"]).lines().count(), 3);
    assert_eq!(said(&ids, &["-o", "jsonl"]).lines().count(), 3);
    assert_eq!(said(&ids[..1], &["-o", "id"]), format!("{}\n", one.id));
    let many: Vec<&str> = (0..30).map(|_| ids[0]).collect();
    assert_eq!(said(&many, &["-o", "id"]).lines().count(), 30, "what was asked for one by one is no page");
}

#[test]
fn a_request_is_named_by_the_beginning_of_its_id_or_its_name_and_only_if_that_is_one() {
    let site = Site::new();
    let (first, second) = (Request::file("first"), Request::file("first-again"));
    site.rename_in(&first);
    site.up();
    site.rename_in(&second);
    let shown =
        |name: &str| site.gatepost(&["-o", "json", "show", name]).succeeds()["data"]["results"][0]["id"].clone();
    assert_eq!(shown("first"), first.id.as_str(), "its whole name");
    assert_eq!(shown("first-a"), second.id.as_str());
    assert_eq!(shown("last"), second.id.as_str());
    assert_eq!(shown(first.id.strip_prefix("TR-").unwrap()), first.id.as_str());
    let refused = site.gatepost(&["-o", "json", "wait", "fir"]).ends(2);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("fits 2 requests") && message.contains(&first.id) && message.contains(&second.id),
        "{message}"
    );
    site.gatepost(&["show", "nothing"]).ends(5);
    Site::new().gatepost(&["show", "last"]).ends(5);
    // A name that looks like a time is no way to be taken for another request.
    let day = &first.id[3..11];
    site.rename_in(&Request::file(day));
    assert!(
        site.gatepost(&["-o", "json", "show", day]).ends(2)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("fits 3 requests")
    );
}

#[test]
fn a_list_that_is_followed_prints_each_change_until_nobody_reads_on() {
    let site = Site::new();
    let before = Request::file("before");
    site.rename_in(&before);
    site.up();
    let mut following = site
        .command(&[], &["-o", "json", "list", "--follow", "--tool", "fail_with"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(following.stdout.take().unwrap()));
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    let row = next();
    assert_eq!((row["request_id"].as_str(), row["state"].as_str()), (Some(before.id.as_str()), Some("accepted")));
    let after = Request::file("after");
    site.rename_in(&after);
    site.up();
    let mut row = next();
    while row["state"] != "accepted" {
        row = next();
    }
    assert_eq!(row["request_id"], after.id.as_str());
    drop(lines);
    let last = Request::file("last-one");
    site.rename_in(&last);
    site.up();
    assert!(following.wait().unwrap().code().is_some(), "it was killed");
}
