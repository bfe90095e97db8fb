//! TOOL-EXEC's own record: every step of every request in a log of its own, against which results are held.

use std::fs;

use crate::office::Office;
use crate::site::{Request, Site, text, until};

/// What the log says of a request: its events, each with its outcome or tool where it has one.
fn steps(site: &Site, id: &str) -> Vec<String> {
    let outcome = site.gatepost(&["audit", "timeline", id]).succeeds();
    let events = outcome["data"]["events"].as_array().unwrap();
    events.iter().map(|event| format!("{} {}", text(&event["log"]), text(&event["event"]))).collect()
}

fn detail(site: &Site, id: &str, event: &str) -> String {
    let outcome = site.gatepost(&["audit", "timeline", id]).succeeds();
    let events = outcome["data"]["events"].as_array().unwrap();
    text(&events.iter().find(|found| found["event"] == event).unwrap()["detail"])
}

/// The flaws that an audit finds, each as its kind and place.
fn flaws(site: &Site, more: &[&str]) -> Vec<(String, String)> {
    let outcome = site.gatepost(&[&["audit", "verify"], more].concat()).ends(80);
    let flaws = outcome["data"]["flaws"].as_array().unwrap();
    flaws.iter().map(|flaw| (text(&flaw["kind"]), text(&flaw["place"]))).collect()
}

#[test]
fn the_steps_of_a_request_stand_in_both_logs_in_their_order() {
    let site = Site::new().without_walls();
    let (good, bad) = (Request::folder("good"), Request::call("bad", "no_such_tool"));
    for request in [&good, &bad] {
        site.copy_in(request);
    }
    site.up();
    assert_eq!(steps(&site, &good.id), ["exec claimed", "exec started", "exec ended", "gate accepted"]);
    assert_eq!(steps(&site, &bad.id), ["exec claimed", "exec ended", "gate accepted"]);
    let uid = format!("(user {})", rustix::process::getuid().as_raw());
    assert!(detail(&site, &good.id, "claimed").contains(&uid));
    assert!(detail(&site, &bad.id, "ended").starts_with("REQUEST_REFUSED (tool_unknown), TS-"));
    let shown = site.gatepost(&["audit", "timeline", &good.id, "--output=text"]).stdout();
    assert!(shown.contains("line_count") && shown.lines().count() >= 5, "{shown}");
    let verified = site.gatepost(&["audit", "verify"]).succeeds();
    assert_eq!(verified["data"]["steps"], 6, "the quarantined original is one, too");
    let unknown = site.gatepost(&["audit", "timeline", "TR-20200101-000000Z-never"]).ends(5);
    assert_eq!(unknown["error"]["code"], "REQUEST_NOT_FOUND");
}

#[test]
fn a_request_that_waits_for_people_and_is_denied_is_logged_as_that() {
    let office = Office::new("");
    let request = Office::risky("denied");
    let _up = office.up();
    office.site.rename_in(&request);
    until("it to wait", || office.site.names("var/exec/pending").len() == 1);
    office.site.gatepost(&["deny", &request.id, "--reason", "Too much"]).succeeds();
    office.accepted(&request);
    assert_eq!(steps(&office.site, &request.id), ["exec claimed", "exec pending", "exec ended", "gate accepted"]);
    assert!(detail(&office.site, &request.id, "pending").starts_with("approval_missing, until "));
    assert!(detail(&office.site, &request.id, "ended").contains("request_denied"));
}

#[test]
fn whatever_is_changed_in_the_log_or_of_what_it_tells_is_named() {
    let site = Site::new().without_walls();
    site.copy_in(&Request::folder("one"));
    site.up();
    let kept = site.gatepost(&["audit", "checkpoint", "--log", "exec"]).succeeds();
    let path = site.path("kept");
    fs::write(&path, text(&kept["data"]["checkpoint"])).unwrap();
    let path = path.to_str().unwrap();
    site.copy_in(&Request::folder("two"));
    site.up();
    site.gatepost(&["audit", "verify", "--since", path]).succeeds();
    for name in ["journal", "checkpoint", "key.pub", "tile/0/000.p/6", "tile/entries/000.p/6"] {
        let fork = site.fork();
        let file = fork.path("var/exec/log").join(name);
        let whole = fs::read(&file).unwrap();
        for index in (0..whole.len()).step_by(29) {
            let mut flipped = whole.clone();
            flipped[index] ^= 1;
            fs::write(&file, flipped).unwrap();
            let found = flaws(&fork, &[]);
            assert!(found.iter().all(|(_, place)| place.starts_with("var/exec/")), "{name} {index}: {found:?}");
        }
        fs::remove_file(&file).unwrap();
        assert!(flaws(&fork, &[]).contains(&("missing".to_owned(), format!("var/exec/log/{name}"))), "{name}");
    }
    let fork = site.fork();
    fs::write(fork.path("var/exec/events.jsonl"), "").unwrap();
    assert_eq!(flaws(&fork, &[]), [("missing".to_owned(), "var/exec/events.jsonl".to_owned())]);
    // Gone altogether, but for what it left.
    let fork = site.fork();
    fs::remove_dir_all(fork.path("var/exec/log")).unwrap();
    assert_eq!(flaws(&fork, &[]), [("missing".to_owned(), "var/exec/log/key.pub".to_owned())]);
    // Begun anew: nothing in the site shows it, the kept checkpoint does.
    let fork = site.fork();
    fs::remove_dir_all(fork.path("var/exec/log")).unwrap();
    fork.up();
    fork.gatepost(&["audit", "verify"]).succeeds();
    let found = flaws(&fork, &["--since", path]);
    assert!(found.contains(&("missing".to_owned(), "var/exec/log/checkpoint".to_owned())), "{found:?}");
}

#[test]
fn a_result_that_tool_exec_did_not_seal_and_one_that_vanished_from_the_outbox_are_named() {
    let site = Site::new().without_walls();
    let request = Request::folder("one");
    site.copy_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    let fork = site.fork();
    let result = fork.names("outbox").into_iter().find(|name| name.starts_with("TS-")).unwrap();
    fork.gatepost(&["gate", "--once"]).succeeds();
    fork.gatepost(&["audit", "verify"]).succeeds();
    fs::rename(site.path("outbox").join(&result), site.path("taken")).unwrap();
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(flaws(&site, &[]), [("missing".to_owned(), format!("outbox/{result}"))]);
}
