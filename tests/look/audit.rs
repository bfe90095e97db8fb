//! What an auditor proves of a site: the gate's log, the site against it, and each result by itself.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_ledger::{Checkpoint, Hash, VerifierKey, is_included, leaf_hash};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::Value;

use crate::site::{Request, Site, text};

/// Exit status of a record that does not verify.
const AUDIT: i32 = 80;

/// A site that answered so many requests.
fn answered(count: usize) -> Site {
    let site = Site::new().without_walls();
    answer(&site, "first", count);
    site
}

fn answer(site: &Site, name: &str, count: usize) {
    for number in 0..count {
        site.copy_in(&Request::folder(&format!("{name}-{number}")));
    }
    site.up();
}

/// The flaws that are found, each as its kind and place.
fn flaws(site: &Site, more: &[&str]) -> Vec<(String, String)> {
    let outcome = site.gatepost(&[&["audit", "verify"], more].concat()).ends(AUDIT);
    assert_eq!(outcome["error"]["code"], "AUDIT_LOG_INVALID");
    let flaws = outcome["data"]["flaws"].as_array().unwrap();
    assert!(flaws.iter().all(|flaw| !text(&flaw["message"]).is_empty() && !text(&flaw["hint"]).is_empty()));
    flaws.iter().map(|flaw| (text(&flaw["kind"]), text(&flaw["place"]))).collect()
}

fn flaw(kind: &str, place: impl Into<String>) -> Vec<(String, String)> {
    vec![(kind.to_owned(), place.into())]
}

/// Keeps the newest checkpoint outside of the site; its path.
fn keep(site: &Site, name: &str) -> String {
    let kept = site.gatepost(&["audit", "checkpoint"]).succeeds();
    let path = site.path("..").join(name);
    fs::write(&path, text(&kept["data"]["checkpoint"])).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_site_is_as_its_gate_decided_and_a_kept_checkpoint_is_of_its_log() {
    let site = answered(2);
    let item = site.reject_a_secret();
    let kept = keep(&site, "kept");
    site.gatepost(&["quarantine", "release", &item, "--reason", "a sample", "--override", "secret"]).succeeds();
    answer(&site, "second", 1);
    let verified = site.gatepost(&["audit", "verify", "--since", &kept]).succeeds();
    assert_eq!((&verified["data"]["size"], &verified["data"]["flaws_count"]), (&5.into(), &0.into()));
    let said = site.gatepost(&["audit", "verify", "--output=text"]).stdout();
    assert!(said.contains("5 decisions") && said.contains("Without a kept checkpoint"), "{said}");
    // Printed for a person it is the note and nothing else, as it is kept.
    let note = site.gatepost(&["audit", "checkpoint", "--output=text"]).stdout();
    assert_eq!(note, fs::read_to_string(site.path("var/gate/log/checkpoint")).unwrap());
}

#[test]
fn lines_that_were_cut_or_changed_and_results_that_are_gone_are_named() {
    let site = answered(3);
    let lines = site.path("var/gate/audit/verdicts.jsonl");
    let whole = fs::read_to_string(&lines).unwrap();
    let place = "var/gate/audit/verdicts.jsonl";
    fs::write(&lines, "").unwrap();
    assert_eq!(flaws(&site, &[]), flaw("missing", place));
    fs::write(&lines, whole.replace("\"judged_utc\":\"2", "\"judged_utc\":\"3")).unwrap();
    assert_eq!(flaws(&site, &[]), flaw("altered", place));
    fs::write(&lines, format!("{whole}{whole}")).unwrap();
    assert_eq!(flaws(&site, &[]), flaw("added", place));
    // The gate believes its log, and makes the lines again.
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(fs::read_to_string(&lines).unwrap(), whole);
    let [first, second, third] = site.names("core/inbound").try_into().unwrap();
    fs::remove_dir_all(site.path("core/inbound").join(&first)).unwrap();
    let at = |name: &str| format!("core/inbound/{name}");
    assert_eq!(flaws(&site, &[]), flaw("missing", at(&first)));
    let verdict = site.path("core/inbound").join(&second).join("verdict.json");
    let json = fs::read_to_string(&verdict).unwrap();
    fs::write(&verdict, json.replace("\"judged_utc\": \"2", "\"judged_utc\": \"3")).unwrap();
    fs::rename(site.path(&at(&third)), site.path(&at("TS-other"))).unwrap();
    let mut found = flaws(&site, &[]);
    found.sort();
    let mut expected = [
        flaw("missing", at(&first)),
        flaw("altered", at(&second) + "/verdict.json"),
        flaw("missing", at(&third)),
        flaw("added", at("TS-other")),
    ]
    .concat();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn an_accepted_result_is_proved_by_itself_and_one_that_another_gate_accepted_is_not() {
    let (site, other) = (answered(3), Site::new().without_walls());
    answer(&other, "other", 1);
    let [name] = other.names("core/inbound").try_into().unwrap();
    for name in site.names("core/inbound") {
        let bundle = site.path("core/inbound").join(name);
        let verified = site.gatepost(&["verify", bundle.to_str().unwrap()]).succeeds();
        let proof = &verified["data"]["log_proofs"][0];
        is_proof(proof);
        let mut false_one = proof.clone();
        false_one["leaf"] = text(&proof["leaf"]).replace("ACCEPT", "REJECT").into();
        assert!(std::panic::catch_unwind(|| is_proof(&false_one)).is_err());
    }
    let place = site.path("core/inbound").join(&name);
    fs::rename(other.path("core/inbound").join(&name), &place).unwrap();
    let outcome = site.gatepost(&["verify", place.to_str().unwrap()]).ends(AUDIT);
    assert!(
        text(&outcome["error"]["message"]).contains("has no decision that accepts exactly these bytes"),
        "{outcome}"
    );
    // Outside of a site there is no log to ask.
    let alone = site.path("..").join(&name);
    fs::rename(&place, &alone).unwrap();
    let verified = site.gatepost(&["verify", alone.to_str().unwrap()]).succeeds();
    assert_eq!(verified["data"]["log_proofs"], serde_json::json!([null]));
}

/// Checks a proof by what it holds alone.
fn is_proof(proof: &Value) {
    let key = VerifierKey::parse(proof["verifier_key"].as_str().unwrap()).unwrap();
    let checkpoint = Checkpoint::open(proof["checkpoint"].as_str().unwrap(), &key).unwrap();
    let hash = |text: &Value| Hash::try_from(STANDARD.decode(text.as_str().unwrap()).unwrap()).unwrap();
    let hashes: Vec<Hash> = proof["hashes"].as_array().unwrap().iter().map(hash).collect();
    let leaf = leaf_hash(proof["leaf"].as_str().unwrap().as_bytes());
    assert!(is_included(&leaf, proof["index"].as_u64().unwrap(), checkpoint.size, &hashes, &checkpoint.root));
}

#[test]
fn a_log_that_was_put_back_or_made_anew_is_not_the_one_of_the_kept_checkpoint() {
    let site = answered(1);
    let earlier = site.fork();
    answer(&site, "second", 1);
    let kept = keep(&site, "kept");
    let since = ["--since", kept.as_str()];
    // As it was yesterday, whole.
    assert_eq!(flaws(&earlier, &since), flaw("missing", "var/gate/log/checkpoint"));
    // Grown again from there, with the same key: a fork.
    answer(&earlier, "third", 1);
    assert_eq!(flaws(&earlier, &since), flaw("altered", "var/gate/log/checkpoint"));
    // Made anew with another key, of the same decisions.
    fs::remove_dir_all(site.path("var/gate/log")).unwrap();
    fs::remove_file(site.path("var/gate/log.key")).unwrap();
    site.gatepost(&["audit", "verify"]).ends(5);
    site.gatepost(&["verify", "--since"]).ends(2);
    site.gatepost(&["gate", "--once"]).succeeds();
    site.gatepost(&["audit", "verify"]).succeeds();
    assert_eq!(flaws(&site, &since), flaw("altered", "var/gate/log/key.pub"));
    let lines = site.path("lines.txt");
    fs::write(&lines, "one\ntwo\n").unwrap();
    let other = site.gatepost(&["audit", "verify", "--since", lines.to_str().unwrap()]).ends(2);
    assert!(text(&other["error"]["message"]).ends_with("lines.txt is not a checkpoint."), "{other}");
}

#[test]
fn what_was_purged_is_a_decision_too_and_nothing_else_may_be_gone() {
    let site = answered(1);
    let item = site.reject_a_secret();
    let demands = fs::read_to_string(site.path("gate.toml")).unwrap() + "[quarantine]\nbytes_max = 1\n";
    fs::write(site.path("gate.toml"), demands).unwrap();
    let before = site.fork();
    site.gatepost(&["quarantine", "purge", "--yes"]).succeeds();
    assert_eq!(site.names("quarantine"), [""; 0]);
    assert_eq!(site.gatepost(&["audit", "verify"]).succeeds()["data"]["size"], 3);
    let lines = "var/gate/audit/removals.jsonl";
    let record = fs::read_to_string(site.path(lines)).unwrap();
    assert_eq!(
        fs::read_to_string(site.path("var/gate/audit/verdicts.jsonl")).unwrap().lines().last(),
        record.lines().next()
    );
    // What is only said to have been purged is missing.
    fs::remove_dir_all(before.path("quarantine").join(&item)).unwrap();
    fs::write(before.path(lines), &record).unwrap();
    let mut found = flaws(&before, &[]);
    found.sort();
    assert_eq!(found, [flaw("altered", lines), flaw("missing", format!("quarantine/{item}"))].concat());
    fs::write(site.path(lines), "").unwrap();
    assert_eq!(flaws(&site, &[]), flaw("missing", lines));
    // An older site: its log begins with both records.
    fs::write(site.path(lines), &record).unwrap();
    let verdicts = site.path("var/gate/audit/verdicts.jsonl");
    let older: String = fs::read_to_string(&verdicts).unwrap().split_inclusive('\n').take(2).collect();
    fs::write(&verdicts, older).unwrap();
    fs::remove_dir_all(site.path("var/gate/log")).unwrap();
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(site.gatepost(&["audit", "verify"]).succeeds()["data"]["size"], 3);
}

#[test]
fn an_audit_while_the_gate_decides_finds_nothing_wrong() {
    let site = Site::new().without_walls();
    let (gate, exec) = (site.watch("gate"), site.watch("exec"));
    for round in 0..6 {
        for number in 0..4 {
            site.copy_in(&Request::folder(&format!("live-{round}-{number}")));
            if site.path("var/gate/log/checkpoint").exists() {
                site.gatepost(&["audit", "verify"]).succeeds();
            }
        }
    }
    crate::site::until("every verdict", || site.names("core/inbound").len() == 24);
    for watcher in [exec, gate] {
        watcher.signal(rustix::process::Signal::TERM);
        watcher.ended().ends(0);
    }
    assert_eq!(site.gatepost(&["audit", "verify"]).succeeds()["data"]["size"], 24);
}

#[test]
fn the_key_of_the_log_is_the_gates_alone_and_a_gate_without_it_decides_nothing() {
    let site = answered(1);
    let key = site.path("var/gate/log.key");
    assert_eq!(key.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let of = |site: &Site| {
        let outcome = site.gatepost(&["doctor"]).0.stdout;
        let outcome: Value = serde_json::from_slice(&outcome).unwrap();
        let findings = outcome["data"]["findings"].as_array().unwrap().clone();
        findings.into_iter().find(|finding| finding["check"] == "site.log_key").unwrap()
    };
    assert_eq!(of(&site)["status"], "ok");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o640)).unwrap();
    let finding = of(&site);
    assert_eq!((&finding["status"], text(&finding["fix_command"]).contains("chmod 600")), (&"failure".into(), true));
    fs::remove_file(&key).unwrap();
    let finding = of(&site);
    assert_eq!(finding["status"], "failure");
    assert_eq!(finding["why"], "The log has no key: var/gate/log.key is missing.");
    site.copy_in(&Request::folder("later"));
    site.gatepost(&["exec", "--once"]).succeeds();
    let outcome = site.gatepost(&["gate", "--once"]).ends(1);
    assert!(text(&outcome["error"]["message"]).contains("log.key"), "{outcome}");
    assert_eq!(outcome["error"]["hint"], "Restore it from a backup, or move var/gate/log/ aside.");
    assert_eq!((site.names("core/inbound").len(), site.names("outbox").len()), (1, 1));
}

#[test]
fn a_pipe_or_link_in_the_place_of_a_file_is_named_and_nobody_waits_for_it() {
    let site = answered(1);
    let [name] = site.names("core/inbound").try_into().unwrap();
    let bundle = format!("core/inbound/{name}");
    let places = [
        ("var/gate/audit/verdicts.jsonl", "var/gate/audit/verdicts.jsonl"),
        ("var/gate/audit/removals.jsonl", "var/gate/audit/removals.jsonl"),
        ("var/exec/events.jsonl", "var/exec/events.jsonl"),
        ("var/gate/log/checkpoint", "var/gate/log/checkpoint"),
        ("var/exec/log/journal", "var/exec/log/journal"),
        (&format!("{bundle}/SHA256SUMS"), &bundle),
        (&format!("{bundle}/artifacts/stdout.txt"), &bundle),
    ];
    for (file, place) in places {
        for is_link in [false, true] {
            let fork = site.fork();
            let path = fork.path(file);
            if path.exists() {
                fs::rename(&path, fork.path("aside")).unwrap();
            } else {
                fs::write(fork.path("aside"), "").unwrap();
            }
            if is_link {
                std::os::unix::fs::symlink(fork.path("aside"), &path).unwrap();
            } else {
                mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).unwrap();
            }
            let outcome = fork.gatepost_under(&["timeout", "60"], &["audit", "verify"]).ends(AUDIT);
            let flaws = outcome["data"]["flaws"].as_array().unwrap();
            let found: Vec<_> = flaws.iter().map(|flaw| (text(&flaw["kind"]), text(&flaw["place"]))).collect();
            assert_eq!(found, flaw("altered", place), "{file}, link {is_link}");
        }
    }
}

#[test]
fn what_tool_exec_wrote_into_its_log_does_nothing_to_a_terminal() {
    let site = answered(1);
    let request = text(&site.ledger()[0]["request_id"]);
    let result = "TS-\u{1b}]0;x\u{7}\n/../../x";
    let place = gatepost_mailbox::tile_log::Place::of_exec(&gatepost_mailbox::site::Site::at(&site.root));
    let log = gatepost_mailbox::tile_log::TileLog::open(&place, |_| Ok(())).unwrap();
    let digest = "0".repeat(64);
    let step = serde_json::json!({"request_id": request, "utc": "\u{1b}[2J", "event": "ended", "result_id": result,
        "sha256sums_sha256": digest, "outcome": "\u{9b}31m"});
    log.add(&serde_json::to_vec(&step).unwrap()).unwrap();
    drop(log);
    for arguments in [&["audit", "timeline", &request, "--output=text"][..], &["audit", "verify", "--output=text"]] {
        let ran = site.gatepost(arguments);
        let shown = ran.stdout() + &ran.stderr();
        assert!(shown.contains("TS-\\"), "{shown}");
        assert!(shown.chars().all(|character| character == '\n' || !character.is_control()), "{shown:?}");
    }
}

#[test]
fn what_tool_exec_refused_is_held_against_its_log_and_hidden_names_are_named() {
    let site = Site::steady();
    let refused = Request::call("refused", "no_such_tool");
    site.rename_in(&refused);
    let folder = Request::call("folder", "no_such_tool").input("data", b"x");
    site.rename_in(&folder);
    fs::write(site.path("inbox/junk"), "x").unwrap();
    site.up();
    site.gatepost(&["audit", "verify"]).succeeds();
    let item = |name: &str| site.path("quarantine").join(name);
    let verify = || site.gatepost(&["audit", "verify"]).ends(80);
    let flaw = |kind: &str, place: &str| {
        let outcome = verify();
        let flaws = outcome["data"]["flaws"].as_array().unwrap();
        assert_eq!(flaws.len(), 1, "{place}: {outcome}");
        assert_eq!((text(&flaws[0]["kind"]).as_str(), text(&flaws[0]["place"]).as_str()), (kind, place), "{outcome}");
    };
    // The bytes of a refused request, another file beside them, the reasons, and an item that is gone.
    for (name, path) in [(&refused.id, "untouched/request.md"), (&folder.id, "untouched/request.md")] {
        let path = item(name).join(path);
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, [&bytes[..], b"more"].concat()).unwrap();
        flaw("altered", &format!("quarantine/{name}/untouched"));
        fs::write(&path, bytes).unwrap();
    }
    fs::write(item("junk").join("untouched/more"), "x").unwrap();
    flaw("altered", "quarantine/junk/untouched");
    fs::remove_file(item("junk").join("untouched/more")).unwrap();
    let record = item("junk").join("reasons.json");
    let bytes = fs::read_to_string(&record).unwrap();
    fs::write(&record, bytes.replace("not_a_request", "name_invalid")).unwrap();
    let outcome = verify();
    let flaws: Vec<_> = outcome["data"]["flaws"].as_array().unwrap().iter().map(|flaw| text(&flaw["place"])).collect();
    assert_eq!(flaws, ["quarantine/junk/reasons.json"], "{outcome}");
    for other in ["{}", "{"] {
        fs::write(&record, other).unwrap();
        flaw("altered", "quarantine/junk/reasons.json");
    }
    fs::write(&record, bytes).unwrap();
    fs::create_dir(item("junk.2")).unwrap();
    flaw("added", "quarantine/junk.2");
    fs::remove_dir(item("junk.2")).unwrap();
    let page = item("junk").join("REASONS.md");
    let whole = fs::read(&page).unwrap();
    fs::write(&page, "All is well.").unwrap();
    flaw("altered", "quarantine/junk/REASONS.md");
    fs::write(&page, whole).unwrap();
    fs::write(item("junk").join("KEPT.md"), "").unwrap();
    flaw("added", "quarantine/junk/KEPT.md");
    fs::remove_file(item("junk").join("KEPT.md")).unwrap();
    fs::rename(item("junk"), item("other")).unwrap();
    flaw("altered", "quarantine/other");
    fs::rename(item("other"), item("junk")).unwrap();
    // The record of another item: one flaw, not one in each log.
    let [of_junk, of_refused] = [&record, &item(&refused.id).join("reasons.json")].map(|path| fs::read(path).unwrap());
    fs::write(&record, of_refused).unwrap();
    flaw("altered", "quarantine/junk/reasons.json");
    fs::write(&record, of_junk).unwrap();
    for name in [refused.id.as_str(), "junk"] {
        fs::rename(item(name), site.path("aside")).unwrap();
        flaw("missing", &format!("quarantine/{name}"));
        fs::rename(site.path("aside"), item(name)).unwrap();
    }
    for hidden in ["core/inbound/.TS-hidden", "quarantine/.TR-hidden"] {
        fs::create_dir(site.path(hidden)).unwrap();
        flaw("added", hidden);
        fs::remove_dir(site.path(hidden)).unwrap();
    }
    site.gatepost(&["audit", "verify"]).succeeds();
}

#[test]
fn a_refused_item_is_missed_also_if_its_name_was_taken_since_and_a_link_is_none() {
    let site = Site::steady();
    let refuse = || {
        fs::write(site.path("inbox/junk"), "x").unwrap();
        site.up();
    };
    refuse();
    fs::rename(site.path("quarantine/junk"), site.path("aside")).unwrap();
    refuse();
    assert_eq!(flaws(&site, &[]), flaw("missing", "quarantine/junk"));
    std::os::unix::fs::symlink(site.path("aside"), site.path("quarantine/junk.2")).unwrap();
    assert_eq!(flaws(&site, &[]), flaw("altered", "quarantine/junk.2"));
    fs::remove_file(site.path("quarantine/junk.2")).unwrap();
    fs::rename(site.path("aside"), site.path("quarantine/junk.2")).unwrap();
    site.gatepost(&["audit", "verify"]).succeeds();
}

#[test]
fn a_release_is_of_its_item_alone() {
    let site = answered(1);
    let (released, other) = (site.reject_a_secret(), "other");
    fs::create_dir(site.path("outbox").join(other)).unwrap();
    site.gatepost(&["gate", "--once"]).succeeds();
    site.gatepost(&["quarantine", "release", &released, "--reason", "a sample", "--override", "secret"]).succeeds();
    site.gatepost(&["audit", "verify"]).succeeds();
    let [from, to] = [released.as_str(), other].map(|item| site.path("quarantine").join(item).join("release"));
    assert!(std::process::Command::new("cp").arg("-a").args([&from, &to]).status().unwrap().success());
    assert_eq!(flaws(&site, &[]), flaw("altered", format!("quarantine/{other}/release")));
    fs::remove_dir_all(to).unwrap();
    fs::write(from.join("more"), "").unwrap();
    assert_eq!(flaws(&site, &[]), flaw("altered", format!("quarantine/{released}/release")));
}

#[test]
fn a_rejected_item_with_a_hostile_name_is_its_own() {
    let site = Site::steady();
    for name in ["b\u{f6}se \u{1b}[2J".to_owned(), "x".repeat(200), ".hidden".to_owned(), "a%b".to_owned()] {
        fs::create_dir(site.path("outbox").join(name)).unwrap();
    }
    site.gatepost(&["gate", "--once"]).succeeds();
    assert!(site.names("quarantine").len() >= 3, "{:?}", site.names("quarantine"));
    site.gatepost(&["audit", "verify"]).succeeds();
}

#[test]
fn a_refused_item_that_was_purged_is_not_missed() {
    let site = Site::steady();
    fs::write(site.path("inbox/junk"), "x").unwrap();
    site.up();
    fs::write(site.path("gate.toml"), "[quarantine]\nbytes_max = 1\n").unwrap();
    site.gatepost(&["quarantine", "purge", "--yes"]).succeeds();
    assert!(!site.path("quarantine/junk").exists());
    site.gatepost(&["audit", "verify"]).succeeds();
}
