//! Results of another site: whose gate is believed, what of its word is checked, and sticks and gates that die meanwhile.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use gatepost_documents::digest::Digest;
use serde_json::Value;

use crate::carry::bags::{CALLS, answered, copied, files, retag, stick, was_killed};
use crate::keep::crash::{command_with_fault, sweep};
use crate::site::{RULE, Request, Site, printed, text};

/// Exit statuses of what is refused, of a gate that does not count, and of an id that is here with other bytes.
const REFUSED: i32 = 79;
const UNTRUSTED: i32 = 7;
const CONFLICT: i32 = 6;

fn key(site: &Site) -> String {
    text(&site.gatepost(&["audit", "checkpoint"]).succeeds()["data"]["verifier_key"])
}

/// A site that believes the gate of another.
fn believer(of: &Site) -> Site {
    let site = Site::steady();
    fs::write(site.path("keys/gates"), format!("# the machine that runs the tools\n\n{}\n", key(of))).unwrap();
    site
}

fn import(bag: &Path) -> [&str; 2] {
    ["import", bag.to_str().unwrap()]
}

fn outcomes(outcome: &Value) -> Vec<String> {
    outcome["data"]["results"].as_array().unwrap().iter().map(|one| text(&one["outcome"])).collect()
}

/// Makes the manifests of a bag anew, as whoever changes one on purpose would.
fn rebag(bag: &Path) {
    let line = |(path, bytes): (String, Vec<u8>)| format!("{}  data/{path}\n", Digest::of(&bytes));
    let lines: String = files(&bag.join("data")).into_iter().map(line).collect();
    fs::write(bag.join("manifest-sha256.txt"), lines).unwrap();
    fs::remove_file(bag.join("VERIFY.md")).unwrap();
    retag(bag);
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{from} is not in {}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

/// A site that accepted two results, the bag of both, and their names.
fn answered_twice() -> (Site, PathBuf, [String; 2]) {
    let site = Site::steady();
    for slug in ["one", "two"] {
        site.rename_in(&Request::file(slug));
    }
    site.up();
    let bag = stick(&site, "results");
    site.gatepost(&["export", "--since", "1d", "--out", &bag]).succeeds();
    let names = site.names("core/inbound").try_into().unwrap();
    (site, bag.into(), names)
}

#[test]
fn a_result_of_a_gate_that_is_listed_is_taken_once_and_proved_from_there_on() {
    let (origin, bag) = answered();
    let [name] = origin.names("core/inbound").try_into().unwrap();
    let site = Site::steady();
    let refused = site.gatepost(&import(&bag)).ends(UNTRUSTED);
    assert_eq!(
        (text(&refused["error"]["code"]), outcomes(&refused)),
        ("GATE_NOT_TRUSTED".into(), vec!["untrusted".to_owned()])
    );
    // The log is named and its key is not: the key has to come by another way.
    let (message, key) = (text(&refused["error"]["message"]), key(&origin));
    assert!(message.contains(key.split('+').next().unwrap()) && !message.contains(&key), "{refused:#}");
    let site = believer(&origin);
    let rehearsed = site.gatepost(&["import", "--dry-run", bag.to_str().unwrap()]).succeeds();
    assert_eq!(text(&rehearsed["data"]["results"][0]["effect"]), "would_create");
    assert!(site.names("core/inbound").is_empty() && site.names("var/gate/orders").is_empty());
    assert_eq!(outcomes(&site.gatepost(&import(&bag)).succeeds()), ["imported"]);
    assert_eq!(outcomes(&site.gatepost(&import(&bag)).succeeds()), ["was_imported"]);
    assert_eq!((site.names("core/inbound"), site.names("var/gate/orders")), (vec![name.clone()], vec![]));
    // What the tool side made is the same; what a gate puts beside it is this gate's own.
    let of_gate = ["verdict.json", "attestation.intoto.jsonl", "SHA256SUMS.sig"];
    let theirs = files(&origin.path("core/inbound").join(&name));
    let ours = files(&site.path("core/inbound").join(&name));
    for ((path, theirs), (other, ours)) in theirs.iter().zip(&ours) {
        assert_eq!((path, theirs == ours), (other, !of_gate.contains(&path.as_str())));
    }
    let bundle = site.path("core/inbound").join(&name);
    let verified = site.gatepost(&["verify", bundle.to_str().unwrap()]).succeeds();
    let proof: Value =
        serde_json::from_slice(&fs::read(bag.join(format!("data/proofs/{name}.json"))).unwrap()).unwrap();
    assert_eq!(verified["data"]["verdicts"][0]["imported"], proof);
    assert_eq!(site.ledger()[0]["imported"]["index"], 0);
    let shown = site.gatepost(&["show", &name]).succeeds();
    let log = shown["data"]["results"][0]["request"]["imported_from"].as_str().unwrap();
    assert!(proof["verifier_key"].as_str().unwrap().starts_with(&format!("{log}+")), "{shown:#}");
    site.gatepost(&["audit", "verify"]).succeeds();
    // From here it goes on to a third site, which believes this one alone.
    let onward = stick(&site, "onward");
    site.gatepost(&["export", &name, "--out", &onward]).succeeds();
    let third = believer(&site);
    let _watcher = third.watch("up");
    assert_eq!(outcomes(&third.gatepost(&import(Path::new(&onward))).succeeds()), ["imported"]);
    third.gatepost(&["audit", "verify"]).succeeds();
    third.gatepost(&import(&bag)).ends(UNTRUSTED);
}

/// What is changed in a bag.
enum Change {
    Removed,
    Text(&'static str, &'static str),
    Written,
    FromTheOther,
}

#[test]
fn a_result_with_one_thing_wrong_keeps_the_whole_bag_out() {
    use Change::{FromTheOther, Removed, Text, Written};
    const UNLOGGED: &str = "differs from what the other gate logged";
    let (origin, bag, [one, two]) = answered_twice();
    let fresh = believer(&origin);
    for (file, change, message) in [
        ("proofs/ONE.json", Removed, "no proof"),
        ("proofs/ONE.json", FromTheOther, "other files"),
        ("proofs/ONE.json", Text("judged_utc\\\":\\\"2", "judged_utc\\\":\\\"3"), "do not lead"),
        ("proofs/ONE.json", Text("\"size\": 2", "\"size\": 3"), "do not lead"),
        ("proofs/ONE.json", Text("\\n2\\n", "\\n3\\n"), "checkpoint"),
        ("results/ONE/artifacts/stdout.txt", Written, "other files"),
        ("results/ONE/artifacts/more.txt", Written, "other files"),
        ("results/ONE/verdict.json", Text("\"stages\": 7", "\"stages\": 6"), UNLOGGED),
        ("results/ONE/verdict.json", Removed, "other files"),
        ("results/ONE/attestation.intoto.jsonl", Removed, UNLOGGED),
        ("results/ONE/SHA256SUMS.sig", FromTheOther, UNLOGGED),
        ("results/more", Written, "No result has such a file"),
    ] {
        let (_folder, copy) = copied(&bag);
        let path = copy.join("data").join(file.replace("ONE", &one));
        match change {
            Removed => fs::remove_file(&path).unwrap(),
            Text(from, to) => replace(&path, from, to),
            Written => fs::write(&path, "x").unwrap(),
            FromTheOther => {
                fs::write(&path, fs::read(copy.join("data").join(file.replace("ONE", &two))).unwrap()).unwrap();
            }
        }
        rebag(&copy);
        let site = fresh.fork();
        for arguments in [&["import", "--dry-run", copy.to_str().unwrap()][..], &import(&copy)] {
            let refused = site.gatepost(arguments).ends(REFUSED);
            assert!(refused.to_string().contains(message), "{file}: {refused:#}");
        }
        assert_eq!((site.names("core/inbound"), site.names("var/gate/orders")), (vec![], vec![]), "{file}");
    }
    fresh.gatepost(&import(&bag)).succeeds();
}

#[test]
fn what_this_site_knows_of_a_request_stands_against_what_is_imported() {
    let (origin, bag) = answered();
    let [name] = origin.names("core/inbound").try_into().unwrap();
    let id = name.split_once("-TR-").map(|(_, request)| format!("TR-{request}")).unwrap();
    // Another request waits here under its id.
    let site = believer(&origin);
    fs::write(site.path("inbox").join(format!("{id}.md")), "another").unwrap();
    let conflict = site.gatepost(&import(&bag)).ends(CONFLICT);
    assert!(text(&conflict["error"]["message"]).contains("answers a request with other bytes"), "{conflict:#}");
    // This site carries it out itself.
    let site = believer(&origin);
    fs::write(site.path("var/exchange/claimed").join(&id), format!("{}\n", Digest::of(b"x"))).unwrap();
    let refused = site.gatepost(&import(&bag)).ends(REFUSED);
    assert!(refused.to_string().contains("claimed the request"), "{refused:#}");
    // It was answered before, by another site.
    let request = Request::folder("twice");
    let [(first, first_bag), (second, second_bag)] = ["first", "second"].map(|_| {
        let site = Site::steady();
        site.rename_in(&request);
        site.up();
        let bag = stick(&site, "results");
        site.gatepost(&["export", "--since", "1d", "--out", &bag]).succeeds();
        (site, PathBuf::from(bag))
    });
    let site = Site::steady();
    fs::write(site.path("keys/gates"), format!("{}\n{}\n", key(&first), key(&second))).unwrap();
    site.gatepost(&import(&first_bag)).succeeds();
    let refused = site.gatepost(&import(&second_bag)).ends(REFUSED);
    assert!(refused.to_string().contains("was answered before"), "{refused:#}");
}

#[test]
fn a_list_of_gates_that_cannot_be_used_imports_nothing_and_says_which_line() {
    let (origin, bag) = answered();
    let site = believer(&origin);
    fs::write(site.path("keys/gates"), format!("{}\ngatepost/x+0+y\n", key(&origin))).unwrap();
    let refuses = |said: &str| {
        for arguments in [&["import", "--dry-run", bag.to_str().unwrap()][..], &import(&bag)] {
            let outcome = site.gatepost(arguments).ends(4);
            assert!(text(&outcome["error"]["message"]).contains(said), "{outcome:#}");
            assert!(site.names("core/inbound").is_empty() && site.names("var/gate/orders").is_empty());
        }
    };
    refuses("keys/gates, line 2");
    fs::write(site.path("keys/gates"), format!("{}\n", key(&origin))).unwrap();
    fs::set_permissions(site.path("keys/gates"), fs::Permissions::from_mode(0o666)).unwrap();
    refuses("keys/gates");
}

#[test]
fn this_sites_own_rules_are_held_against_it_and_a_persons_word_elsewhere_counts() {
    let origin = Site::steady();
    printed(&origin, "names", "bluebird-1977 starts on Monday");
    let item = origin.reject_a_secret();
    origin.gatepost(&["quarantine", "release", &item, "--reason", "a sample", "--override", "secret"]).succeeds();
    let bag = PathBuf::from(stick(&origin, "results"));
    origin.gatepost(&["export", "--since", "1d", "--out", bag.to_str().unwrap()]).succeeds();
    let site = believer(&origin);
    fs::write(site.path("rules/names.toml"), RULE.replace("class = \"secret\"", "class = \"hidden_text\"")).unwrap();
    let refused = site.gatepost(&import(&bag)).ends(REFUSED);
    assert_eq!(text(&refused["error"]["errors"][0]["code"]), "hidden_text", "{refused:#}");
    assert!(site.names("core/inbound").is_empty());
    fs::remove_file(site.path("rules/names.toml")).unwrap();
    site.gatepost(&import(&bag)).succeeds();
    assert_eq!(site.names("core/inbound"), origin.names("core/inbound"));
    assert!(site.ledger().iter().any(|entry| entry["override"]["reason"] == "a sample"));
    site.gatepost(&["audit", "verify"]).succeeds();
}

#[test]
fn an_import_whose_parts_are_killed_at_any_call_is_finished_by_the_next() {
    let (origin, bag, names) = answered_twice();
    let fresh = believer(&origin);
    for calls in CALLS {
        let step = if calls == "openat" { 29 } else { 2 };
        let mut kills = 0;
        for nth in sweep(step) {
            let site = fresh.fork();
            command_with_fault(&site, &import(&bag), calls, nth, "signal=SIGKILL");
            let killed = was_killed(&site);
            site.gatepost(&import(&bag)).succeeds();
            assert_eq!(site.names("core/inbound"), names, "killed at {calls} {nth}");
            assert_eq!(site.ledger().len(), 2, "killed at {calls} {nth}");
            // An answer that nobody came to fetch is swept after an hour.
            let left = site.names("var/gate/orders");
            assert!(left.iter().all(|name| name.ends_with(".answer")), "killed at {calls} {nth}: {left:?}");
            site.gatepost(&["audit", "verify"]).succeeds();
            if !killed {
                break;
            }
            kills += 1;
        }
        assert!(kills >= 1, "{calls} is never called");
    }
}

#[test]
fn what_keeps_the_gate_from_an_import_is_said() {
    let (origin, bag) = answered();
    let [name] = origin.names("core/inbound").try_into().unwrap();
    let site = believer(&origin);
    let workspace = site.path("var/gate/judging").join(&name);
    let full = ["-e", "trace=mkdir,mkdirat", "-e", "inject=mkdir,mkdirat:error=ENOSPC"];
    let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-P", workspace.to_str().unwrap()];
    let ran = site.gatepost_under(&[&strace[..], &full].concat(), &import(&bag));
    let said = ran.stderr();
    assert!(said.contains("No space left on device"), "{said}");
    assert_eq!(ran.ends(1)["error"]["code"], "WATCHER_ENDED");
    site.gatepost(&import(&bag)).succeeds();
    assert_eq!(site.names("core/inbound"), [name]);
}
