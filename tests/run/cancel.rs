//! Cancellations of requests that run, or that wait for a worker.

use std::fs;
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::json;

use crate::site::{Request, Site, text, until};

const CONFIG: &str = "[inbox]\nsettle_ms = 50\nscan_interval_ms = 50\n[exec]\nworkers = 1\ngrace_ms = 500\n\
                      [sandbox]\nminimum = \"none\"\nmaximum = \"none\"\n[gate]\nscan_interval_ms = 50\n";

/// A site with one worker, and a tool that shows where it is and does not end by itself.
fn site(more: &str) -> (Site, PathBuf) {
    let site = Site::with_config(CONFIG);
    fs::write(site.path("gate.toml"), "[sandbox]\nminimum = \"none\"\n").unwrap();
    let begun = site.path("begun");
    site.tool("slow", more, &format!("#!/bin/sh\necho started\necho $$ >> {}\nexec sleep 1000\n", begun.display()));
    (site, begun)
}

fn runs(begun: &PathBuf) -> usize {
    fs::read_to_string(begun).unwrap_or_default().lines().count()
}

#[test]
fn a_running_tool_is_stopped_and_a_request_that_waits_for_a_worker_never_runs() {
    let (site, begun) = site("");
    let _watcher = site.watch("up");
    let [running, waiting] = ["running", "waiting"].map(|slug| Request::call(slug, "slow"));
    site.rename_in(&running);
    until("the tool", || runs(&begun) == 1);
    site.rename_in(&waiting);
    until("the claim", || site.names("var/exec/claimed") == [waiting.id.clone()]);
    let dry = site.gatepost(&["cancel", "--dry-run", &running.id]).succeeds();
    assert_eq!(dry["data"]["results"][0]["effect"], "would_create", "{dry}");
    // The one that waits comes first: its turn would come as soon as the other is stopped.
    for id in [&waiting.id, &running.id] {
        site.gatepost(&["cancel", id, "--reason", "Wrong network"]).succeeds();
    }
    until("both verdicts", || [&running, &waiting].iter().all(|request| !site.results(&request.id).is_empty()));
    let stopped = site.result(&running.id);
    let evidence = stopped.evidence();
    assert_eq!((stopped.code().as_str(), text(&evidence["stop_reason"]).as_str()), ("CANCELLED", "cancelled"));
    let message = text(&evidence["error"]["message"]);
    assert!(message.contains("cancelled the request") && message.contains("Wrong network"), "{message}");
    assert_eq!(stopped.read("artifacts/stdout.txt"), "started\n", "what the tool printed before is kept");
    let refused = site.result(&waiting.id);
    assert_eq!((refused.code().as_str(), refused.reasons()), ("REQUEST_REFUSED", vec!["request_cancelled".to_owned()]));
    assert_eq!(runs(&begun), 1);
    let again = site.gatepost(&["cancel", &running.id]).succeeds();
    assert_eq!(again["data"]["results"][0]["before"], json!("cancel"), "{again}");
    assert_eq!(site.names("var/exec/orders"), Vec::<String>::new());
    site.gatepost(&["audit", "verify"]).succeeds();
}

#[test]
fn a_cancellation_takes_effect_in_a_backlog_and_while_the_watcher_ends() {
    let (site, begun) = site("");
    let watcher = site.watch("exec");
    let requests: Vec<Request> = (0..50).map(|number| Request::call(&format!("n{number}"), "slow")).collect();
    for request in &requests {
        site.rename_in(request);
    }
    let running = || site.names("var/exec/running").first().cloned().unwrap_or_default();
    until("the tool", || runs(&begun) == 1);
    let first = running();
    site.gatepost(&["cancel", &first]).succeeds();
    until("the next tool", || runs(&begun) == 2 && running() != first);
    assert!(!site.names("inbox").is_empty(), "there is a backlog");
    watcher.signal(Signal::TERM);
    std::thread::sleep(std::time::Duration::from_millis(300));
    site.gatepost(&["cancel", &running()]).succeeds();
    // Otherwise it would wait for its tool.
    let ended = watcher.ended();
    assert!(!ended.was_killed(), "{}", ended.stderr());
    assert_eq!((runs(&begun), site.names("var/exec/running")), (2, Vec::new()));
}

#[test]
fn what_a_fault_holds_up_and_a_script_that_parses_are_cancelled_too() {
    let (site, begun) = site("");
    let parser = "format = \"text\"\nparser = \"scripts/slow_parser.sh\"\n[output.schema]\ntype = \"object\"\n";
    site.tool_with_output("parsed", "", "#!/bin/sh\necho done\n", parser);
    site.script("slow_parser.sh", "#!/bin/sh\nexec sleep 1000\n");
    let _watcher = site.watch("up");
    site.is_watched();
    fs::write(site.path("policies/broken.cedar"), "permit(").unwrap();
    let held = Request::call("held", "slow");
    site.rename_in(&held);
    until("the fault", || site.names("var/exec/claimed") == [held.id.clone()]);
    site.gatepost(&["cancel", &held.id]).succeeds();
    until("the decision", || site.path(&format!("var/exec/claimed/{}/decision.json", held.id)).exists());
    fs::remove_file(site.path("policies/broken.cedar")).unwrap();
    until("the refusal", || !site.results(&held.id).is_empty());
    assert_eq!(site.result(&held.id).reasons(), ["request_cancelled"]);
    assert_eq!(runs(&begun), 0);
    let parsed = Request::call("parsed", "parsed");
    site.rename_in(&parsed);
    until("the parser", || site.path(&format!("var/exec/running/{}/work/parser", parsed.id)).exists());
    site.gatepost(&["cancel", &parsed.id]).succeeds();
    until("the end", || !site.results(&parsed.id).is_empty());
}

#[test]
fn what_is_not_claimed_yet_is_cancelled_once_it_is() {
    let (site, begun) = site("");
    let request = Request::call("early", "slow");
    site.rename_in(&request);
    site.gatepost(&["cancel", &request.id]).succeeds();
    // The requester's own order, by hand, with a reason that no message can show.
    let other = Request::call("by-hand", "slow");
    site.rename_in(&other);
    let order = json!({"decision": "cancel", "reason": "a\nb", "request_id": other.id}).to_string();
    fs::write(site.path(&format!("var/exec/cancels/{}.json", other.id)), order).unwrap();
    site.up();
    assert_eq!(runs(&begun), 0);
    for (request, part) in [(&request, "request."), (&other, "the reason is left out")] {
        let bundle = site.result(&request.id);
        assert_eq!(bundle.reasons(), ["request_cancelled"]);
        let message = text(&bundle.evidence()["error"]["message"]);
        assert!(message.contains("cancelled the request") && message.contains(part), "{message}");
    }
    for folder in ["var/exec/orders", "var/exec/cancels"] {
        assert_eq!(site.names(folder), Vec::<String>::new());
    }
}

#[test]
fn cancellations_of_what_stays_in_the_inbox_hold_up_none_of_what_runs() {
    let (site, begun) = site("");
    // It looks unfinished, and is not claimed for a minute.
    let held = Request::call("held", "slow");
    fs::write(site.path("inbox").join(held.name()), "---\n").unwrap();
    let cancel = |id: &str, number: usize| {
        let order = json!({"decision": "cancel", "reason": "", "request_id": id}).to_string();
        fs::write(site.path(&format!("var/exec/cancels/{id}.{number}.json")), order).unwrap();
    };
    (0..600).for_each(|number| cancel(&held.id, number));
    let _watcher = site.watch("exec");
    let running = Request::call("running", "slow");
    site.rename_in(&running);
    until("the tool", || runs(&begun) == 1);
    cancel(&running.id, 0);
    until("the end", || site.names("var/exec/done").contains(&running.id));
    assert_eq!(site.names("var/exec/cancels").len(), 600, "these wait for their request");
}

#[test]
fn a_reason_for_which_the_gate_would_reject_the_result_is_refused() {
    let (site, _begun) = site("");
    let request = Request::call("early", "slow");
    site.rename_in(&request);
    for (reason, part) in [("<script>alert(1)</script>", "contains a script"), ("a\nb", "line end")] {
        let refused = site.gatepost(&["cancel", &request.id, "--reason", reason]).ends(2);
        let message = text(&refused["error"]["message"]);
        assert!(message.contains(part), "{message}");
    }
}

/// A decision outlives the process that took it.
#[test]
fn a_tool_that_may_run_again_does_not_once_it_is_cancelled() {
    let (site, begun) = site("idempotent = true");
    let watcher = site.watch("exec");
    let request = Request::call("idempotent", "slow");
    site.rename_in(&request);
    until("the tool", || runs(&begun) == 1);
    watcher.signal(Signal::KILL);
    watcher.ended();
    // TOOL-EXEC does not run, and takes the order when it starts again.
    site.gatepost(&["cancel", &request.id]).succeeds();
    site.up();
    let bundle = site.result(&request.id);
    assert_eq!((bundle.code().as_str(), runs(&begun)), ("INTERRUPTED", 1));
    let message = text(&bundle.evidence()["error"]["message"]);
    assert!(message.starts_with("The run was interrupted") && message.contains("cancelled the request"), "{message}");
}
