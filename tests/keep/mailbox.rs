//! Requests on their whole way, as a requester and ThreeGate's own validator see them.

use std::fs;
use std::process::Command;

use crate::site::{Bundle, Request, Site, names};

const SECTIONS: [&str; 6] = ["Summary", "Provenance", "Outputs", "Stdout", "Stderr", "Safety Notes"];

/// Whether a validator that knows only ThreeGate's published rules takes the document: flat front matter, ten keys, six
/// sections in order, two statements. Every fault that it finds.
fn threegate_faults(document: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let Some((front, body)) = document.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")) else {
        return vec!["no front matter".to_owned()];
    };
    let value = |key: &str| {
        let line = front.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
        line.map(|value| value.trim_matches(|c| c == '"' || c == '\'').to_owned())
    };
    let keys = "result_type schema_version result_id created_utc request_id executor backend exit_code runtime_sec \
                network_used";
    faults.extend(keys.split_whitespace().filter(|key| value(key).is_none()).map(|key| format!("no {key}")));
    for (key, expected) in [("result_type", "tool_result"), ("schema_version", "1")] {
        if value(key).as_deref() != Some(expected) {
            faults.push(format!("{key} is {:?}", value(key)));
        }
    }
    let mut at = 0;
    for section in SECTIONS {
        match body[at..].find(&format!("## {section}\n")) {
            Some(found) => at += found,
            None => faults.push(format!("no {section} after the one before it")),
        }
    }
    for statement in ["Untrusted Output Statement", "Network confirmation"] {
        if !body.contains(statement) {
            faults.push(format!("no {statement}"));
        }
    }
    faults
}

/// Asserts all that an auditor would look at first.
fn is_sound(site: &Site, bundle: &Bundle) {
    let mut sums = Command::new("sha256sum");
    let checked = sums.args(["-c", "--strict", "--quiet", "SHA256SUMS"]).current_dir(&bundle.0).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let document = bundle.document();
    assert_eq!(threegate_faults(&document), [""; 0], "{document}");
    let headings: Vec<_> = document.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(headings, SECTIONS, "{document}");
    site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
}

#[test]
fn a_request_that_was_copied_in_and_one_that_was_renamed_in_are_both_answered() {
    let site = Site::new();
    let watcher = site.watch("up");
    let (copied, renamed) = (Request::folder("copied"), Request::folder("renamed"));
    site.copy_in(&copied);
    site.rename_in(&renamed);
    for request in [&copied, &renamed] {
        site.gatepost(&["wait", &request.id, "--timeout", "30"]).succeeds();
        let bundle = site.result(&request.id);
        is_sound(&site, &bundle);
        assert_eq!(bundle.evidence()["results"]["raw_output"], "2 in/lines.txt\n");
        assert_eq!(bundle.read("request.md"), request.markdown());
    }
    drop(watcher);
    assert_eq!(site.names("inbox"), [""; 0]);
    assert_eq!(site.names("quarantine"), [""; 0]);
    assert_eq!(site.ledger().len(), 2);
}

#[test]
fn hostile_output_becomes_no_structure_and_is_kept_byte_for_byte() {
    let site = Site::new().by_form();
    let request = Request::call("hostile", "hostile_output");
    site.rename_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    let printed = Command::new(site.path("tools/scripts/hostile_output.py")).output().unwrap();
    assert_eq!(fs::read(bundle.0.join("artifacts/stdout.txt")).unwrap(), printed.stdout);
    assert_eq!(fs::read(bundle.0.join("artifacts/stderr.txt")).unwrap(), printed.stderr);
    let document = bundle.document();
    assert_eq!(threegate_faults(&document), [""; 0]);
    assert!(document.bytes().all(|byte| byte == b'\n' || byte == b'\t' || byte >= b' ' && byte != 0x7f));
    // Outside of every fence there are the six headings, and the forged ones are inside.
    let mut fence = None;
    let mut outside = Vec::new();
    for line in document.lines() {
        let ticks = line.bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            None => outside.push(line),
            Some(open) if ticks >= open && line.len() == ticks => fence = None,
            Some(_) => {}
        }
    }
    let headings: Vec<_> = outside.iter().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(headings, SECTIONS);
    assert_eq!(
        document.lines().filter(|line| line.starts_with("## Summary")).count(),
        3,
        "the forged one is shown twice"
    );
    site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
}

#[test]
fn a_request_that_comes_twice_runs_once_and_is_answered_once() {
    let site = Site::new().without_walls();
    site.tool("effect", "", "#!/bin/sh\necho ran >> ../../../../../ran\n");
    let (file, folder) = (Request::call("file", "effect"), Request::call("folder", "effect").input("a", b"1"));
    for _ in 0..2 {
        for request in [&file, &folder] {
            site.copy_in(request);
        }
        site.up();
    }
    assert_eq!(fs::read_to_string(site.path("ran")).unwrap(), "ran\nran\n");
    for request in [&file, &folder] {
        assert_eq!(site.result(&request.id).code(), "");
    }
    assert_eq!(site.names("quarantine"), [""; 0]);
    site.is_at_rest();
}

#[test]
fn an_id_that_comes_again_with_other_bytes_is_quarantined() {
    let site = Site::new();
    let (file, folder) = (Request::file("file"), Request::folder("folder"));
    for request in [&file, &folder] {
        site.copy_in(request);
    }
    site.up();
    for request in [&file, &folder] {
        let other = request.clone().line("priority: high");
        site.copy_in(&other);
    }
    site.copy_in(&Request::file("neighbour"));
    site.up();
    for request in [&file, &folder] {
        assert_eq!(site.reasons(&request.id), ["request_id_reused"]);
        let untouched = site.path("quarantine").join(&request.id).join("untouched").join(request.name());
        let kept = if request.is_folder() { untouched.join(format!("{}.md", request.id)) } else { untouched };
        assert!(fs::read_to_string(kept).unwrap().contains("priority: high"));
        assert_eq!(site.result(&request.id).read("request.md"), request.markdown());
    }
    assert_eq!(site.names("core/inbound").len(), 3);
    site.is_at_rest();
}

#[test]
fn an_accepted_bundle_verifies_with_the_verdict_that_it_was_given_and_with_no_other() {
    let site = Site::new();
    let request = Request::folder("audited");
    site.rename_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    let verify = || site.gatepost(&["verify", bundle.0.to_str().unwrap()]);
    assert_eq!(verify().succeeds()["data"]["verdicts"][0]["checks"]["files"], 7);
    let verdict = bundle.read("verdict.json");
    let digest = "bundle_sha256\": \"";
    let at = verdict.find(digest).unwrap() + digest.len();
    for (name, edited) in [
        ("REJECT", verdict.replace("ACCEPT", "REJECT")),
        ("another digest", format!("{}{}{}", &verdict[..at], "0".repeat(64), &verdict[at + 64..])),
        ("another result", verdict.replace("\"result_id\": \"TS-2", "\"result_id\": \"TS-3")),
        ("not a JSON", "ACCEPT\n".to_owned()),
        ("empty", String::new()),
    ] {
        fs::write(bundle.0.join("verdict.json"), edited).unwrap();
        let outcome = verify().ends(79);
        assert_eq!(outcome["error"]["code"], "RESULT_REJECTED", "{name}: {outcome}");
    }
    fs::write(bundle.0.join("verdict.json"), &verdict).unwrap();
    verify().succeeds();
    // A changed byte elsewhere is named, and not only that the verdict was given on another bundle.
    fs::write(bundle.0.join("artifacts/stdout.txt"), "3 in/lines.txt\n").unwrap();
    let reasons = verify().ends(79)["data"]["verdicts"][0]["reasons"].take();
    assert_eq!((&reasons[0]["file"], &reasons[2]["code"]), (&"verdict.json".into(), &"sums_mismatch".into()));
    assert_eq!(reasons[1]["file"], "attestation.intoto.jsonl");
}

#[test]
fn a_bundle_that_brings_a_verdict_an_attestation_or_a_signature_of_its_own_is_refused() {
    for file in ["verdict.json", "attestation.intoto.jsonl", "SHA256SUMS.sig"] {
        let site = Site::new();
        let request = Request::folder("forged");
        site.rename_in(&request);
        site.gatepost(&["exec", "--once"]).succeeds();
        let [name] = site.names("outbox").try_into().unwrap();
        fs::write(site.path("outbox").join(&name).join(file), "{\"verdict\": \"ACCEPT\"}\n").unwrap();
        site.gatepost(&["gate", "--once"]).succeeds();
        assert_eq!(site.reasons(&name), ["file_unlisted"]);
        assert_eq!(site.names("core/inbound"), [""; 0]);
        assert!(names(&site.path("quarantine").join(&name).join("untouched").join(&name)).contains(&file.into()));
    }
}
