//! The MCP server, end to end: a client of each revision on each transport, a real site, TOOL-EXEC and the gate.

#[path = "gatepost_mcp/client.rs"]
pub(crate) mod client;

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::thread;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::keep::users::{EXEC, GATE, Shared, Watching};
use crate::office::Office;
use crate::site::{Site, Watcher, is_root, text, until};
use client::{Client, Http, Revision, Stdio, request_id, said};

const LINES: &str = "b25lCnR3bwo=";
const FAST: &str = "[inbox]\nsettle_ms = 0\nscan_interval_ms = 50\n[gate]\nscan_interval_ms = 50\n";
/// A tool that leaves a mark for each run.
const MARKING: &str = "#!/bin/sh\necho run\nsleep 0.7\n";

/// A site that both watchers serve, with these lines in its configuration besides.
fn served(more: &str) -> (Site, Watcher) {
    let site = Site::with_config(&format!("{FAST}{more}"));
    site.tool("slow", "", MARKING);
    let watcher = site.watch("up");
    is_ready(&site);
    (site, watcher)
}

fn is_ready(site: &Site) {
    site.is_watched();
    until("the catalog", || site.path("core/catalog.json").exists());
}

/// How many requests TOOL-EXEC has, and results CORE has.
fn counts(site: &Site) -> (usize, usize) {
    (site.names("var/exec/done").len(), site.names("core/inbound").len())
}

fn count_lines() -> Value {
    json!({"file": "a.txt", "_inputs": [{"name": "a.txt", "content_base64": LINES}]})
}

/// What every client sees of success, failure, refusal and quarantine.
fn sees_every_outcome(client: &mut dyn Client) {
    let tools = client.result("tools/list", json!({}));
    let names: Vec<String> = tools["tools"].as_array().unwrap().iter().map(|tool| text(&tool["name"])).collect();
    assert!(["line_count", "fail_with", "gatepost_read"].iter().all(|name| names.contains(&(*name).to_owned())));
    let success = client.call("line_count", count_lines());
    assert_eq!((&success["isError"], said(&success).as_str()), (&json!(false), "2 in/a.txt\n"), "{success}");
    let content = &success["structuredContent"];
    assert_eq!((&content["status"], &content["verdict"]), (&json!("success"), &json!("ACCEPT")));
    let uri = content["artifacts"].as_array().unwrap().iter().find(|it| it["path"] == "artifacts/stdout.txt").unwrap();
    let read = client.result("resources/read", json!({"uri": uri["uri"]}));
    assert_eq!(read["contents"][0]["text"], "2 in/a.txt\n");
    let part = client.call("gatepost_read", json!({"request_id": request_id(&success), "offset": 2, "length": 3}));
    assert_eq!(part["content"][1]["text"], "in/", "{part}");
    let failure = client.call("fail_with", json!({"status": 3}));
    assert_eq!((&failure["isError"], &failure["structuredContent"]), (&json!(true), &Value::Null));
    assert!(said(&failure).contains("TOOL_FAILED") && said(&failure).contains("this is the error stream"));
    let wrong = client.call("fail_with", json!({"status": "x", "colour": 1}));
    assert!(said(&wrong).contains("argument_invalid") && said(&wrong).contains("argument_unknown"), "{wrong}");
    // The catalog does not know how a number is written; TOOL-EXEC does.
    let refused = client.call("fail_with", json!({"status": "007"}));
    assert!(said(&refused).contains("REQUEST_REFUSED") && said(&refused).contains("argument_invalid"), "{refused}");
    let rejected = client.call("hostile_output", json!({}));
    let words = said(&rejected);
    assert!(
        rejected["isError"] == true && words.contains("RESULT_REJECTED") && words.contains("hidden_text"),
        "{words}"
    );
    assert!(!words.to_lowercase().contains("ignore all"), "nothing of what was rejected is shown: {words}");
    assert!(said(&client.call("no_such_tool", json!({}))).contains("tool_unknown"));
    let listed = client.call("gatepost_list", json!({"state": "rejected"}));
    assert_eq!(listed["structuredContent"]["requests"].as_array().unwrap().len(), 1, "{listed}");
}

#[test]
fn every_client_sees_success_failure_refusal_and_quarantine() {
    let (site, _watcher) = served("");
    for revision in [Revision::Handshake, Revision::Stateless, Revision::Tasks] {
        let name = format!("stdio-{}", revision as u8);
        let mut stdio = Stdio::of(&site, &["--principal", &name], revision);
        sees_every_outcome(&mut stdio);
        assert_eq!(stdio.ends(), Some(0));
        let name = format!("http-{}", revision as u8);
        let http = Http::of(&site, &[(&name, "")]);
        sees_every_outcome(&mut http.client(&format!("{name}-token"), revision));
    }
}

/// A request that waits for a person, as a task of the extension.
fn pending(client: &mut dyn Client) -> String {
    let created = client.call("risky", json!({}));
    assert_eq!((&created["resultType"], &created["status"]), (&json!("task"), &json!("working")), "{created}");
    text(&created["taskId"])
}

#[test]
fn a_call_that_needs_a_person_is_a_task_until_it_is_approved_denied_or_cancelled() {
    let office = Office::new("[mcp_server]\ngrace_seconds = 1\n");
    let site = &office.site;
    site.tool("endless", "", "#!/bin/sh\nexec sleep 1000\n");
    let _watcher = site.watch("up");
    is_ready(site);
    let mut client = Stdio::of(site, &["--principal", "agent"], Revision::Tasks);
    let get = |client: &mut Stdio, id: &str| client.result("tasks/get", json!({"taskId": id}));
    let ends = |client: &mut Stdio, id: &str| {
        let mut task = get(client, id);
        until("the end of the task", || {
            site.path("core/inbound")
                .read_dir()
                .unwrap()
                .any(|entry| entry.unwrap().file_name().to_string_lossy().ends_with(id))
        });
        while task["status"] == "working" {
            task = get(client, id);
        }
        task
    };
    let approved = pending(&mut client);
    let waits = get(&mut client, &approved);
    assert!(
        waits["status"] == "working" && text(&waits["statusMessage"]).contains("waits for people until"),
        "{waits}"
    );
    site.gatepost(&["approve", &approved, "--key", office.key("alice").to_str().unwrap()]).succeeds();
    let task = ends(&mut client, &approved);
    assert_eq!((&task["status"], said(&task["result"]).as_str()), (&json!("completed"), "done\n"), "{task}");
    let denied = pending_again(&mut client, "denied");
    site.gatepost(&["deny", &denied, "--reason", "Not today."]).succeeds();
    let task = ends(&mut client, &denied);
    assert_eq!((&task["status"], &task["result"]["isError"]), (&json!("completed"), &json!(true)), "{task}");
    assert!(said(&task["result"]).contains("request_denied"), "{task}");
    let cancelled = pending_again(&mut client, "cancelled");
    let ack = client.result("tasks/cancel", json!({"taskId": cancelled}));
    assert_eq!(ack, json!({"resultType": "complete"}));
    assert_eq!(ends(&mut client, &cancelled)["status"], "cancelled");
    // A tool that runs is stopped.
    let created = client.call("endless", json!({}));
    let running = text(&created["taskId"]);
    until("the tool", || site.names("var/exec/running").contains(&running));
    client.result("tasks/cancel", json!({"taskId": running}));
    assert_eq!(ends(&mut client, &running)["status"], "cancelled");
    // The older revision answers with the cancelled task.
    let mut older = Stdio::of(site, &["--principal", "older"], Revision::Handshake);
    let created = older.result("tools/call", json!({"name": "risky", "arguments": {}, "task": {"ttl": 60_000}}));
    let id = text(&created["task"]["taskId"]);
    assert_eq!(older.result("tasks/cancel", json!({"taskId": id}))["status"], "cancelled");
    assert_eq!(older.ask("tasks/cancel", json!({"taskId": id}))["error"]["code"], -32_602);
    let result = older.result("tasks/result", json!({"taskId": id}));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/related-task"]["taskId"], id.as_str());
    assert!(said(&result).contains("request_cancelled"), "{result}");
    assert_eq!(older.result("tasks/list", json!({}))["tasks"].as_array().unwrap().len(), 1);
    // A client without tasks gets a request to ask for.
    let mut plain = Stdio::of(site, &["--principal", "plain"], Revision::Stateless);
    let handle = plain.call("risky", json!({}));
    assert_eq!((&handle["isError"], &handle["structuredContent"]["status"]), (&json!(false), &json!("pending")));
    let id = request_id(&handle);
    assert!(said(&plain.call("gatepost_cancel", json!({"request_id": id}))).contains("ordered"));
    let result = plain.call("gatepost_result", json!({"request_id": id}));
    assert!(said(&result).contains("request_cancelled"), "{result}");
}

/// The same with a key of its own: another call within a moment would be the same one.
fn pending_again(client: &mut dyn Client, key: &str) -> String {
    let created = client.call("risky", json!({"_idempotency_key": key}));
    assert_eq!(created["resultType"], "task", "{created}");
    text(&created["taskId"])
}

#[test]
fn a_result_that_was_changed_is_shown_to_nobody() {
    let (site, _watcher) = served("");
    let mut client = Stdio::of(&site, &["--principal", "agent"], Revision::Stateless);
    let answer = client.call("line_count", count_lines());
    let id = request_id(&answer);
    let stdout = site.result(&id).0.join("artifacts/stdout.txt");
    fs::remove_file(&stdout).unwrap();
    fs::write(&stdout, "9 in/a.txt\n").unwrap();
    for tool in ["gatepost_result", "gatepost_read"] {
        let answer = client.call(tool, json!({"request_id": id}));
        assert!(answer["isError"] == true && said(&answer).contains("changed after the gate accepted it"), "{answer}");
    }
    for command in ["show", "wait"] {
        assert_eq!(site.gatepost(&[command, &id]).ends(79)["error"]["code"], "RESULT_REJECTED", "{command}");
    }
}

#[test]
fn a_call_that_is_sent_again_runs_once_whoever_stopped_in_between() {
    let (site, _watcher) = served("");
    let begin = |server: &mut Stdio, key: Option<&str>| {
        let meta = key.map_or(json!({}), |key| json!({"claudecode/toolUseId": key}));
        server.begin("tools/call", json!({"name": "slow", "arguments": {}, "_meta": meta}))
    };
    let server = || Stdio::of(&site, &["--principal", "agent"], Revision::Stateless);
    // The client is killed with its server as soon as the request is noted.
    let mut first = server();
    begin(&mut first, Some("use-1"));
    until("the note", || site.path("var/mcp/agent").is_dir() && site.names("var/mcp/agent").len() > 2);
    first.kill();
    let mut second = server();
    let ids: Vec<u64> = (0..5).map(|_| begin(&mut second, Some("use-1"))).collect();
    let answers: Vec<Value> = ids.iter().map(|_| second.next()["result"].clone()).collect();
    assert!(answers.iter().all(|answer| said(answer) == "run\n"), "{answers:#?}");
    assert!(answers.iter().all(|answer| request_id(answer) == request_id(&answers[0])));
    assert_eq!(counts(&site), (1, 1));
    // A call without a key is the same within a moment; one with another key never is.
    let ids = [begin(&mut second, None), begin(&mut second, None), begin(&mut second, Some("use-2"))];
    let answers: Vec<Value> = ids.iter().map(|_| second.next()["result"].clone()).collect();
    assert!(answers.iter().all(|answer| said(answer) == "run\n"), "{answers:#?}");
    assert_eq!(counts(&site), (3, 3));
    let other = second.result(
        "tools/call",
        json!({"name": "fail_with", "arguments": {"status": 0}, "_meta": {"claudecode/toolUseId": "use-2"}}),
    );
    assert!(said(&other).contains("ALREADY_EXISTS"), "{other}");
    // A server that stopped between the note and the drop: the request comes when the call comes again.
    let id = request_id(&answers[0]);
    let note = fs::read_to_string(site.path(&format!("var/mcp/agent/{id}.json"))).unwrap();
    let lost = note.replace(&id, "TR-20260101-000000Z-slow-00000000000000000000000000000000");
    let call = gatepost_documents::digest::Digest::of(b"use\0claudecode/toolUseId\0use-3");
    fs::write(site.path(&format!("var/mcp/agent/keys/{call}")), lost).unwrap();
    let id = begin(&mut second, Some("use-3"));
    let answer = second.answer(id)["result"].clone();
    assert!(request_id(&answer).ends_with("-00000000000000000000000000000000"), "{answer}");
    assert_eq!(counts(&site), (4, 4));
}

#[test]
fn a_restarted_server_knows_every_task_and_another_principal_none() {
    let (site, _watcher) = served("[mcp_server]\ngrace_seconds = 0\n");
    let http = Http::of(&site, &[("alice", ""), ("bob", "line_count")]);
    let created = http.client("alice-token", Revision::Tasks).call("slow", json!({}));
    let id = text(&created["taskId"]);
    drop(http);
    let http = Http::of(&site, &[("alice", ""), ("bob", "line_count")]);
    let (mut alice, mut bob) = (http.client("alice-token", Revision::Tasks), http.client("bob-token", Revision::Tasks));
    let mut task = alice.result("tasks/get", json!({"taskId": id}));
    while task["status"] == "working" {
        task = alice.result("tasks/get", json!({"taskId": id}));
    }
    assert_eq!(said(&task["result"]), "run\n", "{task}");
    assert_eq!(counts(&site), (1, 1));
    for method in ["tasks/get", "tasks/cancel"] {
        let foreign = bob.ask(method, json!({"taskId": id}));
        let unknown = bob.ask(method, json!({"taskId": "TR-20260101-000000Z-none"}));
        assert_eq!(foreign["error"]["code"], -32_602, "{foreign}");
        let message = text(&foreign["error"]["message"]).replace(&id, "TR-20260101-000000Z-none");
        assert_eq!(message, text(&unknown["error"]["message"]), "what is another's looks as what is not there");
    }
    let uri = task["result"]["structuredContent"]["artifacts"][0]["uri"].clone();
    assert!(bob.ask("resources/read", json!({"uri": uri}))["error"].is_object());
    for tool in ["gatepost_result", "gatepost_read", "gatepost_cancel"] {
        let refused = bob.call(tool, json!({"request_id": id}));
        assert!(refused["isError"] == true && !said(&refused).contains("run"), "{refused}");
    }
    assert!(said(&bob.call("gatepost_list", json!({}))).contains("No matching requests"));
    assert_eq!(bob.result("resources/list", json!({}))["resources"], json!([]));
    let tools = bob.result("tools/list", json!({}));
    let names: Vec<String> = tools["tools"].as_array().unwrap().iter().map(|tool| text(&tool["name"])).collect();
    assert!(names.contains(&"line_count".to_owned()) && !names.contains(&"slow".to_owned()), "{names:?}");
    assert!(said(&bob.call("slow", json!({}))).contains("tool_unknown"));
    for id in ["../../alice", "TR-20260101-000000Z-a/b", ""] {
        assert_eq!(bob.ask("tasks/get", json!({"taskId": id}))["error"]["code"], -32_602, "{id:?}");
    }
}

#[test]
fn watchers_that_stop_at_any_moment_lose_no_call() {
    let (site, watcher) = served("[mcp_server]\ngrace_seconds = 0\n");
    let mut client = Stdio::of(&site, &["--principal", "agent"], Revision::Tasks);
    watcher.signal(Signal::TERM);
    assert!(watcher.ended().exit().is_some());
    let id = text(&client.call("fail_with", json!({"status": 0}))["taskId"]);
    assert_eq!(client.result("tasks/get", json!({"taskId": id}))["status"], "working");
    site.gatepost(&["exec", "--once"]).succeeds();
    assert_eq!(client.result("tasks/get", json!({"taskId": id}))["statusMessage"], "The gate judges the result.");
    site.gatepost(&["gate", "--once"]).succeeds();
    let task = client.result("tasks/get", json!({"taskId": id}));
    assert_eq!((&task["status"], &task["result"]["isError"]), (&json!("completed"), &json!(false)), "{task}");
}

#[test]
fn a_principal_has_no_more_calls_and_requests_than_its_limits() {
    let site = Site::with_config(&format!(
        "{FAST}[mcp_server]\npending_max = 3\ncalls_max = 2\ngrace_seconds = 0\nmessage_bytes_max = 65536\n"
    ));
    site.gatepost(&["exec", "--once"]).succeeds();
    let mut client = Stdio::of(&site, &["--principal", "agent"], Revision::Tasks);
    let call = |client: &mut Stdio, status: u32| client.call("fail_with", json!({"status": status}));
    for status in 0..3 {
        assert_eq!(call(&mut client, status)["resultType"], "task");
    }
    assert!(said(&call(&mut client, 3)).contains("TOO_MANY_PENDING"));
    let mut other = Stdio::of(&site, &["--principal", "other"], Revision::Stateless);
    let waiting: Vec<u64> = (0..2)
        .map(|status| other.begin("tools/call", json!({"name": "fail_with", "arguments": {"status": status}})))
        .collect();
    until("the notes", || site.path("var/mcp/other/open").read_dir().is_ok_and(|names| names.count() == 2));
    assert!(said(&other.call("gatepost_list", json!({}))).contains("TOO_MANY_CALLS"));
    site.up();
    let mut answered: Vec<Value> = waiting.iter().map(|_| other.next()["id"].clone()).collect();
    answered.sort_by_key(Value::as_u64);
    assert_eq!(answered, waiting);
    // What was answered meanwhile makes room.
    assert_eq!(call(&mut client, 3)["resultType"], "task");
    let large = "x".repeat(70_000);
    client.send_bytes(format!("{{\"jsonrpc\": \"2.0\", \"id\": 99, \"params\": \"{large}\"}}\n").as_bytes());
    let refused = client.next();
    assert!(refused["id"].is_null() && text(&refused["error"]["message"]).contains("65536"), "{refused}");
    client.send_bytes(b"no JSON\n[1, 2]\n{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": 5}\n\n");
    let codes: Vec<Value> = (0..3).map(|_| client.next()["error"]["code"].clone()).collect();
    assert!(codes.contains(&json!(-32_700)) && codes.iter().filter(|code| **code == json!(-32_600)).count() == 2);
    assert!(client.result("tools/list", json!({}))["tools"].is_array(), "the server goes on");
}

#[test]
fn over_http_only_who_has_a_token_and_a_name_of_the_server_is_answered() {
    let site = Site::with_config(&format!("{FAST}[mcp_server]\nmessage_bytes_max = 65536\n"));
    site.gatepost(&["exec", "--once"]).succeeds();
    let http = Http::of(&site, &[("alice", "")]);
    let good = "Authorization: Bearer alice-token";
    let ping = br#"{"jsonrpc": "2.0", "id": 1, "method": "ping"}"#;
    for (head, status) in [
        (&[good][..], 200),
        (&[good, "Host: mcp.example.org"], 200),
        (&[good, "Host: [::1]:8171"], 200),
        (&[good, "Origin: http://localhost:3000"], 200),
        (&[], 401),
        (&["Authorization: Bearer alice"], 401),
        (&["Authorization: Basic alice-token"], 401),
        (&["Authorization: Bearer "], 401),
        (&[good, good], 401),
        (&[good, "Host: evil.example"], 403),
        (&[good, "Origin: http://evil.example"], 403),
        (&[good, "Origin: null"], 403),
    ] {
        let answer = http.send(head, ping);
        assert_eq!(answer.status, status, "{head:?}: {} {}", answer.head, answer.body);
    }
    assert!(http.send(&[], ping).head.to_lowercase().contains("www-authenticate: bearer"));
    let large = http.send(&[good], "x".repeat(100_000).as_bytes());
    assert_eq!(large.status, 413, "{}", large.body);
    http.revoke_all();
    assert_eq!(http.send(&[good], ping).status, 401, "a line that is removed counts at once");
}

#[test]
fn many_callers_at_once_get_one_answer_each() {
    const CALLERS: usize = 24;
    let (site, _watcher) = served("");
    let http = Http::of(&site, &[("alice", "")]);
    let call = |number: usize| {
        let arguments = json!({"status": number % 2, "_idempotency_key": format!("k{}", number / 2)});
        http.client("alice-token", Revision::Stateless).call("fail_with", arguments)
    };
    let answers: Vec<Value> = thread::scope(|scope| {
        let threads: Vec<_> = (0..CALLERS).map(|number| scope.spawn(move || call(number & !1))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(answers.iter().all(|answer| answer["isError"] == false), "{answers:#?}");
    assert_eq!(counts(&site), (CALLERS / 2, CALLERS / 2), "each pair is one request");
}

#[test]
fn a_changed_catalog_is_told_to_who_listens() {
    let (site, _watcher) = served("");
    let mut older = Stdio::of(&site, &[], Revision::Handshake);
    older.result("ping", json!({}));
    let mut newer = Stdio::of(&site, &[], Revision::Stateless);
    let listening = json!({"notifications": {"toolsListChanged": true}});
    newer.begin("subscriptions/listen", listening);
    assert_eq!(newer.next()["method"], "notifications/subscriptions/acknowledged");
    site.tool("added", "", "#!/bin/sh\n");
    for client in [&mut older, &mut newer] {
        assert_eq!(client.next()["method"], "notifications/tools/list_changed");
    }
    let tools = older.result("tools/list", json!({}));
    assert!(tools["tools"].as_array().unwrap().iter().any(|tool| tool["name"] == "added"));
}

#[test]
fn an_mcp_server_of_a_third_user_asks_waits_and_cancels() {
    const AGENT: u32 = 61_004;
    if !is_root() {
        return;
    }
    let shared = Shared::given();
    let site = &shared.site;
    shared.approver();
    site.tool("risky", "human_approval = true", "#!/bin/sh\necho done\n");
    let watchers = [(EXEC, "exec"), (GATE, "gate")].map(|(user, name)| shared.command(user, &[name]).spawn().unwrap());
    let _watchers = watchers.map(Watching);
    site.is_watched();
    until("the catalog", || site.path("core/catalog.json").exists());
    let serve = |user| {
        let mut command = shared.command(user, &["mcp", "--principal", "agent"]);
        Stdio::started(&mut command, Revision::Handshake)
    };
    let mut client = serve(AGENT);
    let input = json!([{"name": "a.txt", "content_base64": "b25lCnR3bwo="}]);
    let counted = client.call("line_count", json!({"file": "a.txt", "_inputs": input}));
    assert_eq!(said(&counted), "2 in/a.txt\n", "{counted}");
    let rejected = said(&client.call("hostile_output", json!({})));
    assert!(rejected.contains("hidden_text"), "by the gate's word in the exchange: {rejected}");
    let call = json!({"name": "risky", "arguments": {}, "task": {}});
    let id = text(&client.result("tools/call", call)["task"]["taskId"]);
    assert_eq!(client.result("tasks/cancel", json!({"taskId": id}))["status"], "cancelled");
    let found = site.path("var/mcp/agent").metadata().unwrap();
    assert_eq!((found.uid(), found.mode() & 0o7777), (AGENT, 0o700));
    // The name belongs to the user that had it first.
    let other = shared.command(61_006, &["mcp", "--principal", "agent"]).output().unwrap();
    assert!(!other.status.success() && String::from_utf8_lossy(&other.stderr).contains("belongs to user 61004"));
}
