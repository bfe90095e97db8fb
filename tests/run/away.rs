//! Requests that nodes of a fleet run, seen from TOOL-EXEC: what it offers, and what it makes of what comes back. The tests are the
//! carrier; `tests/fleet.rs` has real ones.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use gatepost_documents::digest::Digest;
use serde_json::{Value, json};

use crate::site::{Request, Site, is_root, names, program, text, until};

const FLEET: &str = "[inbox]\nsettle_ms = 50\nunfinished_ms = 200\nscan_interval_ms = 50\n[sandbox]\nminimum = \"none\"\nmaximum = \"none\"\n\
                     [gate]\nscan_interval_ms = 50\n[fleet]\nservers = [\"nats://127.0.0.1:9\"]\ntools = [\"far\"]\n";

fn site() -> Site {
    let site = Site::with_config(FLEET);
    fs::write(site.path("gate.toml"), "[sandbox]\nminimum = \"none\"\n").unwrap();
    site.tool("far", "", "#!/bin/sh\necho done\n");
    site
}

fn folder(site: &Site, name: &str) -> PathBuf {
    site.path("var/exec/fleet").join(name)
}

fn is_offered(site: &Site, id: &str) -> bool {
    folder(site, "offers").join(format!("{id}.json")).exists()
}

/// The evidence that a node would write of a run, from a site that ran the same request.
fn evidence_of(request: &Request) -> Value {
    let other = site();
    let config = fs::read_to_string(other.path("gatepost.toml")).unwrap();
    other.configure(&config.replace("tools = [\"far\"]", "tools = []"));
    other.rename_in(request);
    other.up();
    other.result(&request.id).evidence()
}

/// Puts down what came back, as the carrier does.
fn comes_back(site: &Site, id: &str, files: &[(&str, &str)], is_lost: bool) {
    let staged = site.path("staged");
    fs::create_dir(&staged).unwrap();
    for (path, text) in files {
        fs::create_dir_all(staged.join(path).parent().unwrap()).unwrap();
        fs::write(staged.join(path), text).unwrap();
    }
    let sums = (!is_lost).then(|| Digest::of(b"sums").to_string());
    let mut node = json!({"name": "n1", "attempt": 1, "order_sha256": Digest::of(b"order").to_string()});
    if let Some(sums) = sums {
        node["sha256sums_sha256"] = json!(sums);
    }
    fs::write(staged.join("end.json"), json!({"node": node}).to_string()).unwrap();
    fs::rename(staged, folder(site, "ended").join(id)).unwrap();
}

#[test]
fn a_request_for_a_node_is_offered_and_answered_with_what_came_back() {
    let (site, request) = (site(), Request::call("far", "far"));
    let mut evidence = evidence_of(&request);
    let _watcher = site.watch("up");
    site.rename_in(&request);
    until("the offer", || is_offered(&site, &request.id));
    let offer = fs::read_to_string(folder(&site, "offers").join(format!("{}.json", request.id))).unwrap();
    let offer: Value = serde_json::from_str(&offer).unwrap();
    assert_eq!((text(&offer["tool"]).as_str(), &offer["idempotent"]), ("far", &json!(false)));
    assert_eq!(offer["manifest_sha256"], evidence["manifest_sha256"]);
    // What a node claims of people and policies is nothing.
    evidence["requested_by"] = json!("somebody else");
    evidence["approvals"] =
        json!([{"mode": "declared", "approved_by": "nobody", "approved_utc": "2026-01-01T00:00:00Z"}]);
    let files = [
        ("evidence.json", evidence.to_string()),
        ("artifacts/stdout.txt", "far\n".to_owned()),
        ("artifacts/stderr.txt", String::new()),
        ("artifacts/out/report", "made there\n".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    comes_back(&site, &request.id, &files, false);
    until("the verdict", || !site.results(&request.id).is_empty());
    let bundle = site.result(&request.id);
    let sealed = bundle.evidence();
    assert_eq!((text(&sealed["status"]).as_str(), text(&sealed["node"]["name"]).as_str()), ("success", "n1"));
    assert_eq!((&sealed["approvals"], text(&sealed["requested_by"]) == "somebody else"), (&json!([]), false));
    assert_eq!(bundle.read("artifacts/out/report"), "made there\n");
    assert!(bundle.document().contains("- Node: `n1`, attempt 1, order SHA-256 `"));
    until("the end", || names(&folder(&site, "offers")).is_empty() && names(&folder(&site, "ended")).is_empty());
    site.gatepost(&["audit", "verify"]).succeeds();
    let report = site.path("report.json");
    site.gatepost(&["report", "--json", report.to_str().unwrap()]).succeeds();
    let report: Value = serde_json::from_slice(&fs::read(report).unwrap()).unwrap();
    assert_eq!(report["requests"][0]["node"], "n1");
}

#[test]
fn the_clock_of_a_node_may_be_wrong_by_an_hour_in_either_direction() {
    let site = site();
    let _watcher = site.watch("up");
    for (slug, hours) in [("ahead", 1), ("behind", -1)] {
        let request = Request::call(slug, "far");
        let mut evidence = evidence_of(&request);
        let started = DateTime::parse_from_rfc3339(&text(&evidence["timestamp"])).unwrap().to_utc();
        let given = (started + TimeDelta::hours(hours)).to_rfc3339_opts(SecondsFormat::Secs, true);
        evidence["timestamp"] = json!(given);
        site.rename_in(&request);
        until("the offer", || is_offered(&site, &request.id));
        let evidence = evidence.to_string();
        comes_back(&site, &request.id, &[("evidence.json", &evidence), ("artifacts/stdout.txt", "far\n")], false);
        until("the verdict", || !site.results(&request.id).is_empty());
        let sealed = site.result(&request.id).evidence();
        assert_eq!(text(&sealed["status"]), "success");
        assert!(sealed["anomalies"].to_string().contains(&given), "{sealed:#}");
        let recorded = DateTime::parse_from_rfc3339(&text(&sealed["timestamp"])).unwrap().to_utc();
        assert!((recorded - started).abs() < TimeDelta::minutes(5), "{recorded}");
    }
}

#[test]
fn a_node_runs_a_request_that_its_own_clock_places_in_the_future_and_no_other_site_does() {
    let site = site();
    let other = FLEET.replace("\"nats://127.0.0.1:9\"", "");
    let node = FLEET.replace("tools = [\"far\"]", "node = \"n1\"");
    for (config, status) in [(node, "success"), (other, "error")] {
        site.configure(&config);
        let request = Request::created(Utc::now() + TimeDelta::hours(1), status, "far");
        site.rename_in(&request);
        site.gatepost(&["exec", "--once"]).succeeds();
        let outbox = site.names("outbox");
        let bundle = outbox.iter().find(|name| name.ends_with(&request.id)).unwrap();
        let evidence = fs::read(site.path("outbox").join(bundle).join("evidence.json")).unwrap();
        let evidence: Value = serde_json::from_slice(&evidence).unwrap();
        assert_eq!(text(&evidence["status"]), status, "{evidence:#}");
    }
}

#[test]
fn a_node_lists_the_tools_that_it_can_run_and_no_others() {
    let site = site();
    site.configure(&FLEET.replace("tools = [\"far\"]", "node = \"n1\""));
    site.tool("strict", "", "#!/bin/sh\necho done\n");
    let manifest = site.path("tools/strict.clad.toml");
    let strict = fs::read_to_string(&manifest).unwrap() + "[sandbox]\nminimum = \"full\"\n";
    fs::write(&manifest, strict).unwrap();
    fs::write(site.path("tools/broken.clad.toml"), "[tool]\n").unwrap();
    site.tool("gone", "", "#!/bin/sh\necho done\n");
    fs::remove_file(site.path("tools/scripts/gone")).unwrap();
    site.gatepost(&["exec", "--once"]).succeeds();
    let listed: Value = serde_json::from_slice(&fs::read(folder(&site, "tools.json")).unwrap()).unwrap();
    let digest = Digest::of(&fs::read(site.path("tools/far.clad.toml")).unwrap()).to_string();
    assert_eq!(listed["far"], json!(digest));
    assert!(["strict", "broken", "gone"].iter().all(|tool| listed.get(tool).is_none()), "{listed}");
}

#[test]
fn a_lost_node_is_answered_as_an_interrupted_run() {
    let (site, request) = (site(), Request::call("far", "far"));
    let _watcher = site.watch("up");
    site.rename_in(&request);
    until("the offer", || is_offered(&site, &request.id));
    comes_back(&site, &request.id, &[], true);
    until("the verdict", || !site.results(&request.id).is_empty());
    let bundle = site.result(&request.id);
    assert_eq!(bundle.code(), "INTERRUPTED");
    assert!(bundle.evidence()["anomalies"].to_string().contains("The node was lost"));
}

#[test]
fn evidence_of_another_request_or_manifest_or_of_none_is_not_believed() {
    let site = site();
    let _watcher = site.watch("up");
    let requests: Vec<Request> = (0..4).map(|number| Request::call(&format!("far{number}"), "far")).collect();
    for (number, request) in requests.iter().enumerate() {
        let mut evidence = evidence_of(request);
        match number {
            0 => evidence["request_id"] = json!(requests[1].id),
            1 => evidence["manifest_sha256"] = json!(Digest::of(b"another").to_string()),
            2 => evidence["tool"] = json!("near"),
            _ => evidence = json!("no evidence"),
        }
        site.rename_in(request);
        until("the offer", || is_offered(&site, &request.id));
        let (evidence, output) = (evidence.to_string(), "far\n");
        let files = [("evidence.json", evidence.as_str()), ("artifacts/stdout.txt", output)];
        comes_back(&site, &request.id, &files, false);
        until("the verdict", || !site.results(&request.id).is_empty());
        let bundle = site.result(&request.id);
        assert_eq!((number, bundle.code()), (number, "INTERRUPTED".to_owned()));
        // What the tool left is there to be read, and no more than that.
        assert_eq!(bundle.read("artifacts/stdout.txt"), "far\n");
    }
}

#[test]
fn tool_exec_that_ends_meanwhile_waits_again_and_answers_once() {
    let (site, request) = (site(), Request::call("far", "far"));
    let evidence = evidence_of(&request).to_string();
    site.rename_in(&request);
    let watcher = site.watch("exec");
    until("the offer", || is_offered(&site, &request.id));
    watcher.signal(rustix::process::Signal::KILL);
    drop(watcher);
    // Killed between the start record and the offer, the offer is missing.
    fs::remove_file(folder(&site, "offers").join(format!("{}.json", request.id))).unwrap();
    let _watcher = site.watch("up");
    until("the offer again", || is_offered(&site, &request.id));
    assert_eq!(site.names("outbox"), Vec::<String>::new());
    comes_back(&site, &request.id, &[("evidence.json", &evidence), ("artifacts/stdout.txt", "far\n")], false);
    until("the verdict", || !site.results(&request.id).is_empty());
    assert_eq!(text(&site.result(&request.id).evidence()["status"]), "success");
    site.gatepost(&["audit", "verify"]).succeeds();
}

#[test]
fn the_key_is_made_once_for_the_user_of_tool_exec_alone() {
    let site = site();
    let key = || {
        let output = Command::new(program("gatepost-fleet")).args(["key", "--site"]).arg(&site.root).output().unwrap();
        (output.status.code(), [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()))
    };
    let (status, [line, _]) = key();
    assert!(status == Some(0) && line.starts_with("ssh-ed25519 ") && line.lines().count() == 1, "{line}");
    assert_eq!(key().1[0], line);
    let mode = folder(&site, "key").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Only root can give a folder away.
    if is_root() {
        std::os::unix::fs::chown(site.path("var/exec"), Some(65_534), None).unwrap();
        let (status, [_, said]) = key();
        assert!(status == Some(4) && said.contains("belongs to user 65534"), "{said}");
    }
}
