//! Sessions that stay open: one request opens a session, others continue it, each with a result of its own.

use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::calculator::{CALCULATOR, closing, continuing, manifest, opener};
use crate::office::Office;
use crate::site::{Bundle, Request, Site, Watcher, passes_as_nobody, text, until};

fn site_with(config: &str, session: &str) -> Site {
    let site = Site::with_config(&format!("[inbox]\nsettle_ms = 50\nscan_interval_ms = 50\n{config}"));
    site.manifest("sum", &manifest("sum", session));
    site
}

fn saying(slug: &str, session: &Request, word: &str) -> Request {
    let interactions = [("say", json!({ "command": word }))];
    Request::call(slug, "sum").interactions(&interactions).line(&format!("session_id: {}", session.id))
}

fn is_out(site: &Site, request: &Request) -> bool {
    let of_it = |name: &String| name.ends_with(&request.id);
    site.names("outbox").iter().any(of_it) || site.names("core/inbound").iter().any(of_it)
}

/// Has a gate judge what is out, and returns the result of a request that a watcher carries out.
fn answer(site: &Site, request: &Request) -> Bundle {
    until(&format!("the answer to {}", request.id), || is_out(site, request));
    site.gatepost(&["gate", "--once"]).succeeds();
    site.result(&request.id)
}

fn asked(site: &Site, request: &Request) -> Bundle {
    site.rename_in(request);
    answer(site, request)
}

fn outputs(bundle: &Bundle) -> Vec<String> {
    let told = bundle.evidence()["interactions"].as_array().cloned().unwrap_or_default();
    told.iter().map(|one| text(&one["results"]["output"])).collect()
}

/// A session that is open.
fn opened(site: &Site, slug: &str) -> (Request, Watcher) {
    let session = opener(slug);
    site.rename_in(&session);
    (session, site.watch("exec"))
}

#[test]
fn a_session_is_continued_by_later_requests_and_closed_by_one() {
    let site = site_with("", "");
    let (session, watcher) = opened(&site, "open");
    let first = asked(&site, &continuing("first", &session, &[2, 40]));
    assert_eq!(first.evidence()["status"], "success", "{:#}", first.evidence());
    assert_eq!(outputs(&first), ["2\n", "42\n"]);
    assert_eq!(text(&first.evidence()["parent_session_id"]), session.id);
    assert_eq!(first.read("artifacts/stdout.txt"), "2\n> 42\n> ");
    let second = asked(&site, &continuing("second", &session, &[58]));
    assert_eq!(outputs(&second), ["100\n"]);
    let close = asked(&site, &closing("close", &session));
    assert_eq!((close.code().as_str(), close.evidence()["interactions"].is_null()), ("", true));
    let whole = answer(&site, &session);
    let evidence = whole.evidence();
    assert_eq!(
        (evidence["status"].clone(), text(&evidence["parent_session_id"])),
        (json!("success"), session.id.clone())
    );
    assert_eq!(whole.read("artifacts/stdout.txt"), "> 2\n> 42\n> 100\n> ");
    let told = evidence["interactions"].as_array().unwrap();
    let by: Vec<String> = told.iter().map(|one| text(&one["request_id"])).collect();
    let [first, second] = [&first, &second].map(|bundle| text(&bundle.evidence()["request_id"]));
    assert_eq!(by, [first.clone(), first, second.clone()]);
    assert!(told.iter().all(|one| one["results"].is_null()));
    let transcript = whole.read("artifacts/transcript.txt");
    assert!(transcript.contains(&format!("\n3. add for {second}, ")) && transcript.ends_with("> 58\n"));
    drop(watcher);
}

#[test]
fn all_of_it_may_be_dropped_at_once() {
    let site = site_with("[exec]\nworkers = 1\n", "");
    let session = opener("z-is-claimed-last");
    let parts: Vec<Request> = (10..30).map(|part| continuing(&format!("part-{part}"), &session, &[1])).collect();
    site.copy_in(&session);
    for part in &parts {
        site.copy_in(part);
    }
    site.up();
    let counted: Vec<String> = parts.iter().flat_map(|part| outputs(&site.result(&part.id))).collect();
    assert_eq!(counted, (1..=20).map(|sum| format!("{sum}\n")).collect::<Vec<_>>());
    assert_eq!(site.result(&session.id).evidence()["interactions"].as_array().unwrap().len(), 20);
}

#[test]
fn nobody_else_continues_a_session_and_none_is_continued_that_is_not_open() {
    let site = site_with("", "");
    site.manifest("other", &manifest("other", ""));
    let (session, watcher) = opened(&site, "mine");
    let bundle = asked(&site, &continuing("mine-first", &session, &[1]));
    assert_eq!(outputs(&bundle), ["1\n"]);
    let other_tool = continuing("tool", &session, &[1]);
    let other_tool_text = other_tool.markdown().replace("\"sum\"", "\"other\"").replace("tool: sum", "tool: other");
    fs::write(site.path("inbox").join(other_tool.name()), other_tool_text).unwrap();
    assert_eq!(answer(&site, &other_tool).reasons(), ["session_unknown"]);
    let stranger = continuing("stranger", &session, &[1]);
    let stranger_text = stranger.markdown().replace("requested_by: human", "requested_by: mallory");
    assert!(stranger_text.contains("mallory"), "{stranger_text}");
    fs::write(site.path("inbox").join(stranger.name()), stranger_text).unwrap();
    assert_eq!(answer(&site, &stranger).reasons(), ["session_unknown"]);
    let unknown = Request::call("unknown", "sum").line("session_id: TR-20260101-000000Z-none\nkeep_open: false");
    assert_eq!(asked(&site, &unknown).reasons(), ["session_unknown"]);
    let with_limits = continuing("limits", &session, &[1]).line("time_limit_sec: 5");
    assert_eq!(asked(&site, &with_limits).reasons(), ["key_unknown"]);
    assert_eq!(outputs(&asked(&site, &continuing("mine-last", &session, &[1]))), ["2\n"]);
    drop(watcher);
}

#[test]
fn a_session_whose_program_ends_or_hangs_is_over_for_all() {
    let site = site_with("", "");
    for (slug, word, code) in [("dies", "die", "TOOL_FAILED"), ("hangs", "hang", "TIMEOUT")] {
        let (session, watcher) = opened(&site, slug);
        assert_eq!(outputs(&asked(&site, &continuing(&format!("{slug}-first"), &session, &[1]))), ["1\n"]);
        let bundle = asked(&site, &saying(&format!("{slug}-last"), &session, word));
        assert_eq!(bundle.code(), code, "{:#}", bundle.evidence());
        assert_eq!(bundle.evidence()["exit_code"], -1);
        assert_eq!(answer(&site, &session).code(), code);
        let after = asked(&site, &continuing(&format!("{slug}-after"), &session, &[1]));
        assert_eq!(after.reasons(), ["session_unknown"]);
        drop(watcher);
    }
}

#[test]
fn a_request_that_waits_for_its_answer_in_a_session_is_cancelled_with_the_session() {
    let site = site_with("", "");
    let (session, watcher) = opened(&site, "open");
    assert_eq!(outputs(&asked(&site, &continuing("first", &session, &[1]))), ["1\n"]);
    let hangs = saying("hangs", &session, "hang");
    site.rename_in(&hangs);
    until("the run", || site.names("var/exec/running").contains(&hangs.id));
    let began = Instant::now();
    site.gatepost(&["cancel", &hangs.id, "--reason", "Too slow"]).succeeds();
    let bundle = answer(&site, &hangs);
    assert_eq!(bundle.code(), "CANCELLED", "{:#}", bundle.evidence());
    let message = text(&bundle.evidence()["error"]["message"]);
    assert!(message.contains("cancelled the request: \"Too slow\""), "{message}");
    assert_eq!(answer(&site, &session).code(), "CANCELLED");
    assert!(began.elapsed() < Duration::from_secs(30));
    site.gatepost(&["audit", "verify"]).succeeds();
    drop(watcher);
}

#[test]
fn a_session_that_is_left_open_is_closed_after_its_idle_time() {
    let site = site_with("", "idle_timeout_seconds = 1");
    let (session, watcher) = opened(&site, "idle");
    let began = Instant::now();
    let bundle = answer(&site, &session);
    assert!(began.elapsed() < Duration::from_secs(10));
    assert_eq!(bundle.evidence()["status"], "success");
    drop(watcher);
}

#[test]
fn no_more_sessions_are_open_than_the_site_allows_and_tools_run_beside_them() {
    let site = site_with("[exec]\nworkers = 1\nsessions_max = 2\n", "");
    site.tool("hello", "", "#!/bin/sh\necho hello\n");
    let (first, watcher) = opened(&site, "left-0");
    asked(&site, &continuing("use-0", &first, &[1]));
    for number in 1..20 {
        site.rename_in(&opener(&format!("left-{number}")));
    }
    until("all but two to be refused", || {
        site.names("outbox").iter().filter(|name| name.contains("left-")).count() == 18
    });
    let hello = asked(&site, &Request::call("beside", "hello"));
    assert_eq!(hello.read("artifacts/stdout.txt"), "hello\n");
    let refused: Vec<_> = site.names("core/inbound").into_iter().filter(|name| name.contains("left-")).collect();
    assert_eq!(refused.len(), 18);
    assert_eq!(outputs(&asked(&site, &continuing("use-1", &first, &[1]))), ["2\n"]);
    watcher.signal(Signal::TERM);
    watcher.ended();
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(site.result(&first.id).evidence()["status"], "success");
}

#[test]
fn a_session_that_outlives_its_gatepost_is_interrupted_and_never_resumed() {
    let site = site_with("", "");
    let (session, watcher) = opened(&site, "cut");
    assert_eq!(outputs(&asked(&site, &continuing("before", &session, &[1]))), ["1\n"]);
    let hanging = saying("hanging", &session, "hang");
    site.rename_in(&hanging);
    until("the request to run", || site.names("var/exec/running").contains(&hanging.id));
    watcher.signal(Signal::KILL);
    drop(watcher);
    let after = continuing("after", &session, &[1]);
    site.copy_in(&after);
    site.up();
    for request in [&session, &hanging] {
        assert_eq!(site.result(&request.id).code(), "INTERRUPTED");
    }
    assert_eq!(site.result(&after.id).reasons(), ["session_unknown"]);
    site.is_at_rest();
}

#[test]
fn each_part_of_a_session_is_approved_by_itself() {
    let office = Office::new("");
    let site = &office.site;
    let risky =
        manifest("sum", "").replace("[session.commands.say]\n", "[session.commands.say]\nhuman_approval = true\n");
    site.manifest("sum", &risky);
    let (session, watcher) = opened(site, "approved");
    assert_eq!(outputs(&asked(site, &continuing("free", &session, &[1]))), ["1\n"]);
    let waits = saying("waits", &session, "die");
    site.rename_in(&waits);
    until("the request to wait", || site.names("var/exec/pending") == [waits.id.clone()]);
    assert_eq!(outputs(&asked(site, &continuing("meanwhile", &session, &[1]))), ["2\n"]);
    let signature = office.signature("alice", "gatepost-approval", waits.markdown().as_bytes());
    office.drop_signature(&format!("{}.sig", waits.name()), &signature);
    assert_eq!(answer(site, &waits).code(), "TOOL_FAILED");
    assert_eq!(answer(site, &session).code(), "TOOL_FAILED");
    drop(watcher);
}

#[test]
fn what_opens_a_session_lists_nothing_and_only_a_session_is_kept_open() {
    let site = site_with("", "");
    site.tool("hello", "", "#!/bin/sh\necho hello\n");
    for (slug, request) in [
        ("lists", opener("lists").interactions(&[("add", json!({ "number": 1 }))])),
        ("oneshot", Request::call("oneshot", "hello").line("keep_open: true")),
    ] {
        site.copy_in(&request);
        site.up();
        assert_eq!(site.result(&request.id).reasons(), ["key_unknown"], "{slug}");
    }
    let bad = Request::call("text", "sum").line("keep_open: \"yes\"");
    site.copy_in(&bad);
    site.up();
    assert_eq!(site.result(&bad.id).reasons(), ["value_invalid"]);
}

#[test]
fn open_sessions_are_held_for_an_unprivileged_user_too() {
    passes_as_nobody(module_path!(), "a_session_is_continued");
}

#[test]
fn a_session_has_no_more_interactions_than_its_manifest_allows() {
    let site = site_with("", "max_interactions = 3");
    let (session, watcher) = opened(&site, "few");
    assert_eq!(outputs(&asked(&site, &continuing("two", &session, &[1, 1]))), ["1\n", "2\n"]);
    let over = asked(&site, &continuing("two-more", &session, &[1, 1]));
    assert_eq!(
        (over.reasons(), over.evidence()["interactions"].clone()),
        (vec!["limit_exceeded".to_owned()], Value::Null)
    );
    assert_eq!(outputs(&asked(&site, &continuing("one-more", &session, &[1]))), ["3\n"]);
    drop(watcher);
}

#[test]
fn the_command_line_opens_continues_lists_and_closes_sessions() {
    let site = site_with("", "");
    let submitted = site.gatepost(&["submit", "--tool", "sum", "--keep-open"]).succeeds();
    let id = text(&submitted["data"]["request_id"]);
    let none = site.gatepost(&["sessions", "list"]).succeeds();
    assert_eq!(none["data"]["sessions_count"], 0);
    let watcher = site.watch("exec");
    let add = r#"{"command": "add", "args": {"number": 7}}"#;
    let part = site.gatepost(&["submit", "--tool", "sum", "--session", &id, "--interaction", add]).succeeds();
    let part = text(&part["data"]["request_id"]);
    until("the answer", || site.names("outbox").iter().any(|name| name.ends_with(&part)));
    let listed = site.gatepost(&["sessions", "list"]).succeeds();
    assert_eq!(
        (&listed["data"]["sessions"][0]["session_id"], &listed["data"]["sessions_count"]),
        (&json!(id), &json!(1))
    );
    let shown = site.gatepost(&["sessions", "show", &id, "--output", "plain"]).stdout();
    let me = Command::new("id").arg("-un").output().unwrap();
    let asked = format!("Tool:     sum\nAsked:    by {}: ", String::from_utf8_lossy(&me.stdout).trim_end());
    assert!(shown.contains(&asked) && shown.contains("Printed:  6 bytes, in "), "{shown}");
    site.gatepost(&["sessions", "show", &part]).ends(5);
    assert_eq!(site.gatepost(&["sessions", "close", &id, "--dry-run"]).succeeds()["data"]["effect"], "would_delete");
    assert_eq!(site.gatepost(&["sessions", "close", &id]).succeeds()["data"]["effect"], "deleted");
    until("the session to end", || site.names("outbox").iter().any(|name| name.ends_with(&id)));
    // Its result is there before it is done.
    until("the list to be empty", || site.gatepost(&["sessions", "list"]).succeeds()["data"]["sessions_count"] == 0);
    site.gatepost(&["sessions", "close", &id]).ends(5);
    site.gatepost(&["submit", "--tool", "sum", "--session", &id, "--interaction", "add 7"]).ends(2);
    drop(watcher);
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(outputs(&site.result(&part)), ["7\n"]);
    assert_eq!(text(&site.result(&id).evidence()["interactions"][0]["request_id"]), part);
}

#[test]
fn the_texts_of_each_part_have_a_bound_of_their_own() {
    let site = site_with("", "");
    let script =
        "printf \"> \"; while read line; do head -c 700000 /dev/zero | tr \"\\\\0\" x; echo; printf \"> \"; done";
    let long = manifest("sum", "").replace(CALCULATOR, script);
    site.manifest("sum", &long);
    let (session, watcher) = opened(&site, "long");
    for slug in ["first", "second", "third"] {
        let bundle = asked(&site, &continuing(slug, &session, &[1]));
        assert_eq!(bundle.code(), "", "{}", bundle.document());
        assert_eq!(bundle.evidence()["interactions"][0]["results"]["output"].as_str().unwrap().len(), 700_001);
        assert_eq!(bundle.evidence()["anomalies"], json!([]));
    }
    drop(watcher);
}

#[test]
fn others_keep_nobody_waiting_for_his_session() {
    let site = site_with("[exec]\nworkers = 1\n", "");
    let (session, watcher) = opened(&site, "own");
    assert_eq!(outputs(&asked(&site, &continuing("own-first", &session, &[1]))), ["1\n"]);
    let strangers: Vec<Request> =
        (0..40).map(|number| continuing(&format!("other-{number}"), &session, &[1])).collect();
    for stranger in &strangers {
        let text = stranger.markdown().replace("requested_by: human", "requested_by: mallory");
        fs::write(site.path("inbox").join(stranger.name()), text).unwrap();
    }
    assert_eq!(outputs(&asked(&site, &continuing("own-last", &session, &[1]))), ["2\n"]);
    let answered = || strangers.iter().all(|stranger| is_out(&site, stranger));
    until("the strangers to be answered", answered);
    site.gatepost(&["gate", "--once"]).succeeds();
    assert!(strangers.iter().all(|stranger| site.result(&stranger.id).reasons() == ["session_unknown"]));
    drop(watcher);
}

#[test]
fn an_open_session_reaches_no_address_at_which_its_commands_may_not_aim() {
    let destinations = "[\"localhost:9\", \"127.0.0.1:9\"]";
    let site = site_with(&format!("[network]\ndestinations = {destinations}\n"), "");
    let scope = "[scope]\ntargets = []\ndomains = [\"localhost\"]\nexclude = [\"127.0.0.1\"]\n";
    fs::write(site.path("scope/scope.toml"), scope).unwrap();
    let asks = "printf \"> \"; while read host; do exec 3<>/dev/tcp/127.0.0.1/3128; printf \"CONNECT $host:9 HTTP/1.1\\\\r\\\\nHost: $host\\\\r\\\\n\\\\r\\\\n\" >&3; \
                IFS= read -r answer <&3; echo \"$answer\"; exec 3>&-; printf \"> \"; done";
    let tool = format!(
        "[tool]\nname = \"sum\"\nversion = \"1.0.0\"\ndescription = \"Connects\"\nmode = \"session\"\n[sandbox]\nnetwork = true\n[session]\n\
         startup_command = '''bash -c '{asks}' '''\nready_pattern = '^> $'\n[session.commands.add]\ntemplate = \"{{number}}\"\n\
         [session.commands.add.args.number]\ntype = \"scope_target\"\nrequired = true\n"
    );
    site.manifest("sum", &tool);
    let network = format!("network: allowlist\nnetwork_allowlist: {destinations}");
    let session = opener("aims").line(&network);
    site.rename_in(&session);
    let watcher = site.watch("exec");
    let aims = [("add", json!({ "number": "localhost" }))];
    let part = Request::call("part", "sum").interactions(&aims).line(&format!("session_id: {}", session.id));
    let part = asked(&site, &part.line(&network));
    assert!(outputs(&part)[0].contains(" 403 "), "{:#}", part.evidence());
    asked(&site, &closing("close", &session));
    assert_eq!(answer(&site, &session).evidence()["network"]["refused"], json!(["localhost:9"]));
    drop(watcher);
}

#[test]
fn what_continues_a_session_waits_until_the_drop_that_opens_it_is_whole() {
    let site = site_with("", "");
    site.configure("[inbox]\nsettle_ms = 1500\nscan_interval_ms = 50\n");
    let watcher = site.watch("exec");
    until("the watcher", || site.path("var/exec/lock").exists());
    let session = opener("settles");
    site.copy_in(&session);
    assert_eq!(outputs(&asked(&site, &continuing("renamed", &session, &[1]))), ["1\n"]);
    drop(watcher);
}
