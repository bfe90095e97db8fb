//! The MCP server under hostile clients and kills: bounded memory, named errors, one run and one answer for each call.

use std::fs;
use std::io::Write as _;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::gatepost_mcp::client::{Answer, Client, Http, HttpClient, Revision, Stdio, request_id, said};
use crate::site::{Site, Watcher, text, until};

const FAST: &str = "[inbox]\nsettle_ms = 0\nscan_interval_ms = 50\n[gate]\nscan_interval_ms = 50\n";
const LARGE_BYTES: usize = 100 << 20;
/// What the server may need at its peak, KiB: a hundredth of what it would need for a few copies of the message.
const PEAK_KIB_MAX: u64 = 96 << 10;

/// The highest resident memory of a process so far, KiB.
fn peak_kib(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// A site whose catalog is there, and that nobody serves.
fn unserved(more: &str) -> Site {
    let site = Site::with_config(&format!("{FAST}{more}"));
    site.gatepost(&["exec", "--once"]).succeeds();
    site
}

#[test]
fn a_message_of_a_hundred_megabytes_is_refused_in_bounded_memory_and_the_server_goes_on() {
    let site = unserved("");
    let filling = vec![b'x'; 1 << 20];
    let begin = "{\"jsonrpc\": \"2.0\", \"id\": 5, \"method\": \"tools/call\", \"params\": {\"name\": \"fail_with\", \"arguments\": {\"status\": \"";
    let mut client = Stdio::of(&site, &["--principal", "agent"], Revision::Stateless);
    client.send_bytes(begin.as_bytes());
    for _ in 0..LARGE_BYTES / filling.len() {
        client.send_bytes(&filling);
    }
    client.send_bytes(b"\"}}}\n");
    let refused = client.next();
    let message = text(&refused["error"]["message"]);
    assert!(refused["id"].is_null() && message.contains("more than 16777216 bytes"), "{refused}");
    assert!(client.result("tools/list", json!({}))["tools"].is_array());
    let peak = peak_kib(client.pid());
    assert!(peak < PEAK_KIB_MAX, "stdio: {peak} KiB");
    let http = Http::of(&site, &[("alice", "")]);
    let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer alice-token\r\nContent-Type: application/json\r\n\
                Accept: application/json, text/event-stream\r\nConnection: close\r\n";
    for (length, chunk) in [
        (format!("Content-Length: {LARGE_BYTES}\r\n\r\n"), ""),
        ("Transfer-Encoding: chunked\r\n\r\n".to_owned(), "100000\r\n"),
    ] {
        let mut stream = http.connect();
        stream.write_all(format!("{head}{length}").as_bytes()).unwrap();
        for _ in 0..LARGE_BYTES / filling.len() {
            let end = if chunk.is_empty() { "" } else { "\r\n" };
            // The server stops reading as soon as it knows.
            if stream.write_all(&[chunk.as_bytes(), &filling, end.as_bytes()].concat()).is_err() {
                break;
            }
        }
        let answer = Answer::read(&mut stream);
        // A reset can overtake the answer.
        assert!([413, 0].contains(&answer.status), "{} {}", answer.status, answer.body);
        let other = http.client("alice-token", Revision::Stateless).result("tools/list", json!({}));
        assert!(other["tools"].is_array(), "the server goes on");
    }
    let peak = peak_kib(http.pid());
    assert!(peak < PEAK_KIB_MAX, "HTTP: {peak} KiB");
    assert_eq!(site.names("inbox"), [""; 0]);
}

#[test]
fn a_flood_is_refused_and_other_principals_are_served() {
    let site = unserved("[mcp_server]\ncalls_max = 2\npending_max = 2\n");
    let http = Http::of(&site, &[("alice", ""), ("bob", "")]);
    let alice = http.client("alice-token", Revision::Stateless);
    let call = |status: u32| alice.message("tools/call", json!({"name": "fail_with", "arguments": {"status": status}}));
    let mut waiting: Vec<_> = (0..2).map(|_| http.connect()).collect();
    for (status, stream) in (0..).zip(&mut waiting) {
        stream.write_all(&call(status)).unwrap();
    }
    until("the notes", || site.path("var/mcp/alice/open").read_dir().is_ok_and(|names| names.count() == 2));
    for status in 2..40 {
        let mut flood = http.client("alice-token", Revision::Stateless);
        assert!(said(&flood.call("fail_with", json!({"status": status}))).contains("TOO_MANY_CALLS"));
    }
    let mut bob = http.client("bob-token", Revision::Tasks);
    assert!(bob.result("tools/list", json!({}))["tools"].is_array());
    assert_eq!(said(&bob.call("gatepost_list", json!({}))), "No matching requests.\n");
    assert_eq!(site.names("inbox").len(), 2, "nothing of the flood was dropped");
    site.up();
    for stream in &mut waiting {
        let answer = Answer::read(stream);
        assert_eq!((answer.status, answer.json()["error"].is_null()), (200, true), "{}", answer.body);
    }
}

/// A site that both watchers serve, with a tool that writes a line into `ran` for each run, and waits for `go`.
fn marking() -> (Site, String) {
    let site = Site::with_config(FAST).without_walls();
    let (ran, go) = (site.path("ran").display().to_string(), site.path("go").display().to_string());
    let script = format!("#!/bin/sh\necho run >> {ran}\nwhile [ ! -e {go} ]; do sleep 0.02; done\necho done\n");
    site.tool("mark", "", &script);
    site.gatepost(&["exec", "--once"]).succeeds();
    (site, ran)
}

fn runs(ran: &str) -> usize {
    fs::read_to_string(ran).unwrap_or_default().lines().count()
}

fn watch(site: &Site) -> [Watcher; 2] {
    let watchers = ["exec", "gate"].map(|name| site.watch(name));
    site.is_watched();
    watchers
}

#[test]
fn a_client_that_leaves_at_any_step_and_comes_again_gets_the_one_answer() {
    let (site, ran) = marking();
    let http = Http::of(&site, &[("alice", "")]);
    let client = || http.client("alice-token", Revision::Stateless);
    let arguments = json!({"name": "mark", "arguments": {"_idempotency_key": "k"}});
    let leave = |step: &str, is_reached: &dyn Fn() -> bool| {
        let mut stream = http.connect();
        stream.write_all(&client().message("tools/call", arguments.clone())).unwrap();
        until(step, is_reached);
    };
    leave("the call", &|| true);
    leave("the note", &|| site.path("var/mcp/alice/keys").read_dir().is_ok_and(|mut keys| keys.next().is_some()));
    leave("the drop", &|| site.names("inbox").len() == 1);
    let watchers = watch(&site);
    leave("the run", &|| runs(&ran) == 1);
    fs::write(site.path("go"), "").unwrap();
    leave("the result", &|| site.names("core/inbound").len() == 1);
    let answers = [(); 3].map(|()| client().call("mark", json!({"_idempotency_key": "k"})));
    assert!(answers.iter().all(|answer| said(answer) == "done\n" && request_id(answer) == request_id(&answers[0])));
    assert_eq!((runs(&ran), site.names("var/exec/done").len(), site.names("core/inbound").len()), (1, 1, 1));
    drop(watchers);
}

#[test]
fn a_kill_of_any_program_during_a_call_leaves_one_run_and_one_answer() {
    let (site, ran) = marking();
    let arguments = |key: &str| json!({"_idempotency_key": key});
    let begin = |server: &mut Stdio, key: &str| {
        server.begin("tools/call", json!({"name": "mark", "arguments": arguments(key)}))
    };
    let server = || Stdio::of(&site, &["--principal", "agent"], Revision::Stateless);
    let [exec, gate] = watch(&site);
    // The server and the gate, while the tool runs.
    let mut first = server();
    begin(&mut first, "a");
    until("the run", || runs(&ran) == 1);
    first.kill();
    gate.signal(Signal::KILL);
    gate.ended();
    fs::write(site.path("go"), "").unwrap();
    let mut second = server();
    let id = begin(&mut second, "a");
    until("the result", || site.names("outbox").len() == 1);
    let gate = site.watch("gate");
    let answer = second.answer(id)["result"].clone();
    assert_eq!((said(&answer).as_str(), runs(&ran)), ("done\n", 1), "{answer}");
    // TOOL-EXEC, while the tool runs: its run is over, and it is not run again.
    fs::remove_file(site.path("go")).unwrap();
    let id = begin(&mut second, "b");
    until("the run", || runs(&ran) == 2);
    exec.signal(Signal::KILL);
    exec.ended();
    let exec = site.watch("exec");
    let interrupted = second.answer(id)["result"].clone();
    assert!(interrupted["isError"] == true && said(&interrupted).contains("INTERRUPTED"), "{interrupted}");
    let again = second.call("mark", arguments("b"));
    assert_eq!((said(&again), runs(&ran)), (said(&interrupted), 2));
    // All of them, before the request is claimed.
    for watcher in [exec, gate] {
        watcher.signal(Signal::KILL);
        watcher.ended();
    }
    begin(&mut second, "c");
    until("the drop", || site.names("inbox").len() == 1);
    second.kill();
    fs::write(site.path("go"), "").unwrap();
    let watchers = watch(&site);
    let answer = server().call("mark", arguments("c"));
    assert_eq!((said(&answer).as_str(), runs(&ran)), ("done\n", 3), "{answer}");
    assert_eq!((site.names("var/exec/done").len(), site.names("core/inbound").len()), (3, 3));
    drop(watchers);
}

#[test]
fn an_http_server_that_is_killed_at_any_step_of_a_call_leaves_one_run_and_one_answer() {
    let (site, ran) = marking();
    let arguments = json!({"_idempotency_key": "k"});
    let served = || Http::of(&site, &[("alice", "")]);
    let killed_at = |step: &str, is_reached: &dyn Fn() -> bool| {
        let http = served();
        let client = http.client("alice-token", Revision::Stateless);
        let call = client.message("tools/call", json!({"name": "mark", "arguments": arguments}));
        let mut stream = http.connect();
        stream.write_all(&call).unwrap();
        until(step, is_reached);
    };
    killed_at("the call", &|| true);
    killed_at("the drop", &|| site.names("inbox").len() == 1);
    let watchers = watch(&site);
    killed_at("the run", &|| runs(&ran) == 1);
    fs::write(site.path("go"), "").unwrap();
    killed_at("the result", &|| site.names("core/inbound").len() == 1);
    let answer = served().client("alice-token", Revision::Stateless).call("mark", arguments.clone());
    assert_eq!((said(&answer).as_str(), runs(&ran)), ("done\n", 1), "{answer}");
    assert_eq!((site.names("var/exec/done").len(), site.names("core/inbound").len()), (1, 1));
    drop(watchers);
}

/// An answer without the id that was asked for.
fn without(answer: &Value, id: &str) -> String {
    answer.to_string().replace(id, "ID")
}

#[test]
fn what_is_anothers_is_answered_as_what_is_not_there_and_no_id_leads_out() {
    const NONE: &str = "TR-20260101-000000Z-none";
    let site = unserved("[mcp_server]\ngrace_seconds = 0\n");
    let http = Http::of(&site, &[("alice", ""), ("bob", "")]);
    let mut bob: HttpClient<'_> = http.client("bob-token", Revision::Tasks);
    let mut alice = http.client("alice-token", Revision::Tasks);
    let own = text(&alice.call("fail_with", json!({"status": 0}))["taskId"]);
    site.up();
    let done = alice.result("tasks/get", json!({"taskId": own}));
    let result_id = text(&done["result"]["structuredContent"]["result_id"]);
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = |id: &str| json!({"taskId": id, "inputResponses": {}});
        let [foreign, missing] = [own.as_str(), NONE].map(|id| without(&bob.ask(method, params(id)), id));
        assert!(foreign == missing && foreign.contains("error"), "{method}: {foreign} {missing}");
    }
    for tool in ["gatepost_result", "gatepost_read", "gatepost_cancel"] {
        let [foreign, missing] = [own.as_str(), NONE].map(|id| without(&bob.call(tool, json!({"request_id": id})), id));
        assert!(foreign == missing && foreign.contains("\"isError\":true"), "{tool}: {foreign} {missing}");
    }
    let uris = [
        format!("gatepost://{result_id}/evidence.json"),
        format!("gatepost://TS-20260101-000001Z-{NONE}/evidence.json"),
    ];
    let [foreign, missing] = uris.map(|uri| {
        let request = uri.split_once("TR-").unwrap().1.split('/').next().unwrap().to_owned();
        without(&bob.ask("resources/read", json!({"uri": uri})), &format!("TR-{request}"))
    });
    assert!(foreign == missing && foreign.contains("error"), "{foreign} {missing}");
    // The owner's own ids and files, with ways out of them.
    for id in [format!("{own}/."), format!("{own}/../{own}"), format!("../alice/{own}"), format!("{own}%2f")] {
        assert_eq!(alice.ask("tasks/get", json!({"taskId": id}))["error"]["code"], -32_602, "{id:?}");
        for tool in ["gatepost_result", "gatepost_read", "gatepost_cancel"] {
            let refused = alice.call(tool, json!({"request_id": id}));
            assert!(refused["isError"] == true, "{tool} {id:?}: {refused}");
        }
    }
    for path in [
        "../verdict.json",
        "../../../gatepost.toml",
        "/etc/passwd",
        "artifacts/../../../../gate.toml",
        "artifacts//stdout.txt/..",
    ] {
        let refused = alice.call("gatepost_read", json!({"request_id": own, "path": path}));
        assert!(refused["isError"] == true, "{path}: {refused}");
        let refused = alice.ask("resources/read", json!({"uri": format!("gatepost://{result_id}/{path}")}));
        assert!(refused["error"].is_object(), "{path}: {refused}");
    }
    let whole = alice.call("gatepost_read", json!({"request_id": own, "path": "artifacts/stdout.txt"}));
    assert_eq!(whole["isError"], false, "{whole}");
}
