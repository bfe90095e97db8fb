//! The quarantine as the person sees it who looks after it.

use std::fs;

use gatepost_documents::digest::Digest;
use serde_json::Value;

use crate::site::{Request, Site, text};

/// A site with a drop that is no request, a refused request, and a bundle that the gate rejected; the names of the three
/// items in that order.
fn refused() -> (Site, [String; 3]) {
    let site = Site::new();
    let (unknown, good) = (Request::call("unknown", "no_such_tool"), Request::folder("good"));
    site.copy_in(&unknown);
    site.copy_in(&good);
    fs::write(site.path("inbox/non\u{1b}sense"), "x").unwrap();
    site.gatepost(&["exec", "--once"]).succeeds();
    let damaged = site.names("outbox").into_iter().find(|name| name.ends_with(&good.id)).unwrap();
    fs::write(site.path("outbox").join(&damaged).join("artifacts/stdout.txt"), "forged\n").unwrap();
    site.gatepost(&["gate", "--once"]).succeeds();
    (site, ["non%1Bsense".to_owned(), unknown.id, damaged])
}

fn items(outcome: &Value) -> Vec<String> {
    let data = &outcome["data"];
    let items = data.get("items").or(data.get("results")).unwrap().as_array().unwrap();
    items.iter().map(|item| item["item"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_list_says_of_every_item_who_refused_it_and_for_what() {
    let (site, [nonsense, unknown, damaged]) = refused();
    let list = |arguments: &[&str]| site.gatepost(&[&["quarantine", "list"], arguments].concat()).succeeds();
    let all = list(&[]);
    assert_eq!(all["data"]["items_count"], 3);
    let of = |name: &str| {
        let items = all["data"]["items"].as_array().unwrap();
        items.iter().find(|item| item["item"] == name).unwrap_or_else(|| panic!("{name} in {all}"))
    };
    assert_eq!(
        (&of(&nonsense)["refused_by"], &of(&nonsense)["codes"][0]),
        (&"tool_exec".into(), &"not_a_request".into())
    );
    assert_eq!((&of(&unknown)["tool"], &of(&unknown)["lane"]), (&"no_such_tool".into(), &"clad".into()));
    assert_eq!((&of(&damaged)["refused_by"], &of(&damaged)["tool"]), (&"gate".into(), &"line_count".into()));
    assert!(damaged.ends_with(of(&damaged)["request_id"].as_str().unwrap()));
    assert_eq!(items(&list(&["--code", "tool_unknown"])), [unknown.as_str()]);
    assert_eq!(items(&list(&["--tool", "line_count"])), [damaged.as_str()]);
    assert_eq!(items(&list(&["--older-than", "1d"])), [""; 0]);
    assert_eq!(items(&list(&["--newer-than", "1d"])).len(), 3);
    let table = site.gatepost(&["quarantine", "list", "--output=text"]).stdout();
    let row = |name: &str| {
        let line = table.lines().find(|line| line.starts_with(name)).unwrap();
        line.rsplit("  ").filter(|cell| !cell.is_empty()).map(str::trim).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        row(&damaged)[..3],
        ["line_count", "sums_mismatch, hash_mismatch, evidence_mismatch, 1 more", "rejected"]
    );
    assert_eq!(row(&unknown)[..3], ["no_such_tool", "tool_unknown", "refused"]);
    let requests = site.gatepost(&["list", "--output=text"]).stdout();
    let rejected = requests.lines().find(|line| line.contains("rejected")).unwrap();
    assert!(rejected.ends_with("  refused: sums_mismatch, hash_mismatch, evidence_mismatch, 1 more"), "{requests}");
    let cut = list(&["--limit", "1"]);
    assert_eq!((items(&cut).len(), &cut["data"]["items_count"]), (1, &3.into()));
}

#[test]
fn an_item_is_shown_with_the_place_in_the_text_and_what_can_be_done() {
    let (site, [nonsense, unknown, damaged]) = refused();
    let outcome = site.gatepost(&["quarantine", "show", &unknown, &damaged, &nonsense]).succeeds();
    assert_eq!(items(&outcome), [unknown.as_str(), &damaged, &nonsense]);
    let shown = &outcome["data"]["results"][1];
    let mismatch = shown["reasons"].as_array().unwrap().iter().find(|reason| reason["file"] == "SHA256SUMS").unwrap();
    let line = mismatch["line"].as_u64().unwrap();
    assert!(mismatch["context"].as_str().unwrap().contains(&format!("{line} | ")), "{mismatch}");
    assert_eq!((&shown["next"]["releasable"], &outcome["data"]["_trusted"]), (&false.into(), &false.into()));
    let text = site.gatepost(&["quarantine", "show", &damaged, "--output", "text"]).stdout();
    for part in ["by the gate", "sums_mismatch: ", " | ^\n", "  hint: ", "Next: It cannot be released"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    // The request means its one item; nothing means what is not there.
    assert_eq!(items(&site.gatepost(&["quarantine", "show", &damaged[20..]]).succeeds()), [damaged.as_str()]);
    assert_eq!(site.gatepost(&["quarantine", "show", "../core"]).ends(5)["error"]["code"], "ITEM_NOT_FOUND");
}

#[test]
fn neither_a_link_nor_a_record_that_is_none_keeps_the_quarantine_from_being_looked_at() {
    let (site, [_, unknown, damaged]) = refused();
    let item = site.path("quarantine").join(&damaged);
    let document = item.join("untouched").join(&damaged).join("evidence.json");
    fs::remove_file(&document).unwrap();
    std::os::unix::fs::symlink("/proc/self/environ", &document).unwrap();
    fs::create_dir(site.path("quarantine/e\u{1b}[31m")).unwrap();
    fs::write(site.path("quarantine").join(&unknown).join("reasons.json"), "[".repeat(100_000)).unwrap();
    // What is pasted into a shell stays one word.
    fs::create_dir(site.path("quarantine/$(id)")).unwrap();
    let refusal = r#"{"item":"x","refused_utc":"2026-01-01T00:00:00Z","reasons":[]}"#;
    fs::write(site.path("quarantine/$(id)/reasons.json"), refusal).unwrap();
    let shown = site.gatepost(&["quarantine", "show", "$(id)"]).succeeds();
    assert_eq!(shown["data"]["results"][0]["next"]["command"], "gatepost quarantine reject-note '$(id)'");
    let outcome = site.gatepost(&["quarantine", "list"]).succeeds();
    let rows = outcome["data"]["items"].as_array().unwrap();
    let by = |name: &str| rows.iter().find(|row| row["item"] == name).unwrap();
    assert_eq!(by(&damaged)["tool"], Value::Null);
    assert_eq!((&by(&unknown)["refused_by"], &by("e\\x1b[31m")["refused_by"]), (&"unknown".into(), &"unknown".into()));
    site.gatepost(&["quarantine", "show", &damaged, &unknown, "e\\x1b[31m"]).succeeds();
}

#[test]
fn the_note_for_the_requester_says_what_broke_and_quotes_nothing_of_it() {
    let (site, [nonsense, unknown, damaged]) = refused();
    let note = |arguments: &[&str]| site.gatepost(&[&["quarantine", "reject-note"], arguments].concat());
    let outcome = note(&[&unknown, &damaged, &nonsense]).succeeds();
    let text = outcome["data"]["note"].as_str().unwrap();
    for part in [unknown.as_str(), "`tool_unknown`: ", "`sums_mismatch`: ", "`not_a_request`: ", "under a new id"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    for foreign in ["no_such_tool", "forged", "sense", "stdout"] {
        assert!(!text.contains(foreign), "{foreign:?} in {text}");
    }
    let to = site.path("note.md");
    let to = to.to_str().unwrap();
    assert_eq!(note(&[&unknown, "--to", to, "--dry-run"]).succeeds()["data"]["effect"], "would_create");
    assert!(!site.path("note.md").exists());
    assert_eq!(note(&[&unknown, "--to", to]).succeeds()["data"]["effect"], "created");
    assert_eq!(note(&[&unknown, "--to", to]).succeeds()["data"]["effect"], "noop");
    assert_eq!(note(&[&damaged, "--to", to]).ends(6)["error"]["code"], "ALREADY_EXISTS");
    assert!(fs::read_to_string(to).unwrap().contains("tool_unknown"));
}

/// A site whose gate rejected a sound result because its `gate.toml` demanded too much, and demands it no more; the item.
fn rejected_by_demand() -> (Site, String) {
    let site = Site::new().without_walls();
    let demands = fs::read(site.path("gate.toml")).unwrap();
    fs::remove_file(site.path("gate.toml")).unwrap();
    site.rename_in(&Request::folder("demanding"));
    site.up();
    fs::write(site.path("gate.toml"), demands).unwrap();
    let [item] = site.names("quarantine").try_into().unwrap();
    (site, item)
}

fn release(site: &Site, item: &str, more: &[&str], exit: i32) -> Value {
    let arguments = ["quarantine", "release", item, "--reason", "gate.toml was mended"];
    site.gatepost(&[&arguments, more].concat()).ends(exit)
}

/// Asserts that an item was released, once.
fn is_released(site: &Site, item: &str) {
    let bundle = site.path("core/inbound").join(item);
    let verified = site.gatepost(&["verify", bundle.to_str().unwrap()]).succeeds();
    assert_eq!(verified["data"]["verdicts"][0]["override"]["reason"], "gate.toml was mended");
    let decisions: Vec<_> = site.ledger().iter().map(|line| line["verdict"].clone()).collect();
    assert_eq!(decisions, ["REJECT", "ACCEPT"]);
    let word = &site.ledger()[1]["override"];
    assert_eq!((&word["uid"], &word["codes"]), (&rustix::process::getuid().as_raw().into(), &Value::Array(vec![])));
    let record: Value =
        serde_json::from_slice(&fs::read(site.path("quarantine").join(item).join("release/override.json")).unwrap())
            .unwrap();
    assert_eq!(&record, word);
    assert!(site.path("quarantine").join(item).join("untouched").join(item).join("evidence.json").exists());
    assert_eq!((site.names("var/gate/orders"), site.names("var/gate/judging")), (vec![], vec![]));
}

#[test]
fn what_is_judged_again_without_a_reason_is_accepted_and_its_item_stays() {
    let (site, item) = rejected_by_demand();
    let rehearsed = release(&site, &item, &["--dry-run"], 0);
    assert_eq!(
        (&rehearsed["data"]["results"][0]["effect"], site.names("core/inbound")),
        (&"would_create".into(), vec![])
    );
    assert_eq!(release(&site, &item, &[], 0)["data"]["results"][0]["effect"], "created");
    is_released(&site, &item);
    let list = site.gatepost(&["quarantine", "list"]).succeeds();
    assert_eq!(list["data"]["items"][0]["released"]["reason"], "gate.toml was mended");
    // Said again, it changes nothing; and the request has one state, that of its result.
    assert_eq!(release(&site, &item, &[], 0)["data"]["results"][0]["outcome"], "was_released");
    is_released(&site, &item);
    assert_eq!(site.shown(&item)["state"], "released");
    let note = site.gatepost(&["quarantine", "reject-note", &item]).succeeds();
    assert!(text(&note["data"]["note"]).contains("A person released the result since"), "{note}");
    assert_eq!(site.gatepost(&["list"]).succeeds()["data"]["requests"][0]["state"], "released");
    let shown = site.gatepost(&["show", &item, "--output=text"]).stdout();
    assert!(shown.contains("\nReleased: by ") && shown.contains(": gate.toml was mended\n"), "{shown}");
}

#[test]
fn what_the_site_may_yet_mend_is_refused_with_the_command_for_then() {
    let (site, item) = rejected_by_demand();
    fs::rename(site.path("gate.toml"), site.path("gate.toml.mended")).unwrap();
    let outcome = release(&site, &item, &[], 79);
    assert_eq!(outcome["error"]["errors"][0]["code"], "sandbox_below_minimum");
    let command = outcome["error"]["next"][0]["command"].as_str().unwrap();
    assert_eq!(command, format!("gatepost quarantine release {item} --reason 'gate.toml was mended'"));
    fs::rename(site.path("gate.toml.mended"), site.path("gate.toml")).unwrap();
    release(&site, &item, &[], 0);
}

#[test]
fn verdict_and_ledger_name_the_gate_toml_that_a_bundle_was_judged_under() {
    let (site, item) = rejected_by_demand();
    let now = Digest::of(&fs::read(site.path("gate.toml")).unwrap()).to_string();
    release(&site, &item, &[], 0);
    let lines = site.ledger();
    let of = |line: usize| lines[line]["gate_toml_sha256"].as_str().unwrap();
    assert_eq!((of(0), of(1)), (Digest::of(b"").to_string().as_str(), now.as_str()));
    let page = fs::read_to_string(site.path("quarantine").join(&item).join("REASONS.md")).unwrap();
    assert!(page.contains("- Demands: the defaults, because the site has no `gate.toml`"), "{page}");
    let bundle = site.path("core/inbound").join(&item);
    let verify = |output: &str| site.gatepost(&["verify", bundle.to_str().unwrap(), output]);
    let data = verify("--output=json").succeeds()["data"].take();
    assert_eq!(data["verdicts"][0]["gate_toml_sha256"], now.as_str());
    assert_eq!(data["site_gate_toml_sha256"], now.as_str());
    let text = verify("--output=text").stdout();
    assert!(text.contains(&format!("judged under gate.toml {now}, unchanged in this site")), "{text}");
    fs::remove_file(site.path("gate.toml")).unwrap();
    let text = verify("--output=text").stdout();
    assert!(text.contains(&format!("judged under gate.toml {now}; this site now has no gate.toml")), "{text}");
}

#[test]
fn the_gate_that_runs_carries_a_release_out() {
    let (site, item) = rejected_by_demand();
    let gate = site.watch("gate");
    crate::site::until("the lock", || gatepost_mailbox::lock::Lock::holder(&site.path("var/gate/lock")).is_some());
    release(&site, &item, &[], 0);
    is_released(&site, &item);
    gate.signal(rustix::process::Signal::TERM);
    gate.ended().ends(0);
}

#[test]
fn nobody_vouches_for_what_a_bundle_is_or_where_it_comes_from() {
    let (site, [nonsense, unknown, damaged]) = refused();
    let outcome = release(&site, &damaged, &["--override", "secret"], 79);
    assert_eq!(outcome["data"]["results"][0]["outcome"], "refused");
    assert_eq!(outcome["data"]["results"][0]["reasons"][0]["code"], "sums_mismatch");
    let next = &outcome["data"]["results"][0]["next"];
    assert_eq!((&next["releasable"], &next["in_the_way"][0]), (&false.into(), &"sums_mismatch".into()));
    assert!(next["advice"].as_str().unwrap().starts_with("It cannot be released: nobody can vouch for"), "{next}");
    assert_eq!(next["command"], Value::Null);
    assert_eq!(release(&site, &damaged, &["--override", "sums_mismatch"], 7)["error"]["code"], "POLICY_DENIED");
    release(&site, &damaged, &["--override", "budget_exceeded"], 7);
    for item in [&nonsense, &unknown] {
        let outcome = release(&site, item, &[], 79);
        assert_eq!(outcome["error"]["code"], "RESULT_REJECTED");
        let quoted = if item.contains('%') { format!("'{item}'") } else { (*item).clone() };
        let note = format!("gatepost quarantine reject-note {quoted}");
        assert_eq!(outcome["error"]["next"][0]["command"], note);
    }
    let accepted = site.names("core/inbound");
    assert!(!accepted.contains(&damaged), "{accepted:?}");
    for reason in ["", " ", "two\nlines", "hidden\u{202e}"] {
        site.gatepost(&["quarantine", "release", &damaged, "--reason", reason]).ends(2);
    }
}

#[test]
fn an_item_that_was_changed_since_its_rejection_is_not_released() {
    let (site, item) = rejected_by_demand();
    let folder = site.path("quarantine").join(&item);
    let verdict = fs::read_to_string(folder.join("reasons.json")).unwrap();
    let bundle = folder.join("untouched").join(&item);
    fs::rename(bundle.join("request.md"), site.path("request.md")).unwrap();
    let outcome = release(&site, &item, &[], 79);
    assert!(
        outcome["error"]["message"].as_str().unwrap().contains("differ from those that the release order names"),
        "{outcome}"
    );
    fs::rename(site.path("request.md"), bundle.join("request.md")).unwrap();
    // A record that somebody else wrote makes no rejection of the gate's.
    let (log, aside) = (site.path("var/gate/log"), site.path("var/gate/log.aside"));
    fs::rename(&log, &aside).unwrap();
    fs::remove_file(site.path("var/gate/audit/verdicts.jsonl")).unwrap();
    let outcome = release(&site, &item, &[], 79);
    assert!(outcome["error"]["message"].as_str().unwrap().contains("ledger has no rejection"), "{outcome}");
    fs::remove_dir_all(&log).unwrap();
    fs::rename(&aside, &log).unwrap();
    assert_eq!(fs::read_to_string(folder.join("reasons.json")).unwrap(), verdict);
    release(&site, &item, &[], 0);
    is_released(&site, &item);
}

#[test]
fn a_request_that_was_answered_meanwhile_gets_no_second_answer_by_a_release() {
    let (site, item) = rejected_by_demand();
    // Another result of the same request, accepted in the meantime.
    let ledger = site.path("var/gate/audit/verdicts.jsonl");
    let mut line: Value = serde_json::from_str(fs::read_to_string(&ledger).unwrap().trim()).unwrap();
    line["verdict"] = "ACCEPT".into();
    line["result_id"] = format!("TS-20260101-000000Z-{}", line["request_id"].as_str().unwrap()).into();
    line["bundle_sha256"] = "0".repeat(64).into();
    let text = format!("{}{line}\n", fs::read_to_string(&ledger).unwrap());
    fs::write(&ledger, text).unwrap();
    // A site without a log is older than logs, and its log begins with these lines.
    fs::remove_dir_all(site.path("var/gate/log")).unwrap();
    let outcome = release(&site, &item, &[], 79);
    assert_eq!(outcome["data"]["results"][0]["reasons"][0]["code"], "duplicate_result");
    assert_eq!(site.names("core/inbound"), [""; 0]);
}

#[test]
fn what_is_past_its_retention_is_removed_when_a_person_says_so_and_that_stays_on_record() {
    let (site, [nonsense, unknown, damaged]) = refused();
    let purge = |arguments: &[&str]| site.gatepost(&[&["quarantine", "purge"], arguments].concat());
    let three = [nonsense.as_str(), &unknown, &damaged];
    assert_eq!(items(&purge(&["--yes"]).succeeds()), [""; 0]);
    assert_eq!(purge(&[]).succeeds()["data"]["effect"], "noop");
    purge(&["--yes", &damaged]).ends(7);
    let demands = fs::read_to_string(site.path("gate.toml")).unwrap().replace("bytes_max = 0", "bytes_max = 1");
    fs::write(site.path("gate.toml"), demands).unwrap();
    for command in [&["status"][..], &["quarantine", "list"]] {
        assert_eq!(site.gatepost(command).succeeds()["data"]["past_retention_count"], 3);
    }
    assert_eq!(purge(&["--dry-run"]).succeeds()["data"]["items_count"], 3);
    let unconfirmed = purge(&[]).ends(2);
    assert_eq!((&unconfirmed["data"]["items_count"], &unconfirmed["meta"]["dry_run"]), (&3.into(), &true.into()));
    assert_eq!(site.names("quarantine").len(), 3);
    assert_eq!(purge(&["--yes", &damaged]).succeeds()["data"]["items"][0]["effect"], "deleted");
    assert_eq!(site.names("quarantine").len(), 2);
    // The request does not wait for ever for the verdict that was removed.
    let request = &damaged[20..];
    assert_eq!(site.shown(request)["state"], "removed");
    site.gatepost(&["wait", request]).ends(79);
    // A name that would lead out of the quarantine stops nothing.
    fs::create_dir(site.path("quarantine/.removed-00000000-..")).unwrap();
    let text = purge(&["--yes", "--output=text"]).stdout();
    assert!(text.contains(": removed\n") && text.contains(".removed-00000000-..: left as it is"), "{text}");
    fs::remove_dir(site.path("quarantine/.removed-00000000-..")).unwrap();
    assert_eq!((site.names("quarantine"), items(&purge(&["--yes"]).succeeds())), (vec![], vec![]));
    let record = fs::read_to_string(site.path("var/gate/audit/removals.jsonl")).unwrap();
    let lines: Vec<Value> = record.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut removed: Vec<&str> = lines.iter().map(|line| line["item"].as_str().unwrap()).collect();
    removed.sort_unstable();
    let mut all = three;
    all.sort_unstable();
    assert_eq!(removed, all);
    assert_eq!((&lines[0]["codes"][0], &lines[0]["because"]), (&"sums_mismatch".into(), &"bytes_max".into()));
    assert!(lines.iter().all(|line| line["record_sha256"].as_str().unwrap().len() == 64), "{record}");
}

/// A site whose tool printed a private key; the key's body and the item.
fn rejected_for_a_secret() -> (Site, String, String) {
    let site = Site::new().without_walls();
    let item = site.reject_a_secret();
    (site, "MC4CAQAwBQYDK2VwBCIEINsample0".repeat(2), item)
}

#[test]
fn a_found_secret_is_shown_by_its_place_and_digest_alone() {
    let (site, body, item) = rejected_for_a_secret();
    let outcome = site.gatepost(&["quarantine", "show", &item]).succeeds();
    let shown = &outcome["data"]["results"][0];
    let secrets: Vec<_> =
        shown["reasons"].as_array().unwrap().iter().filter(|reason| reason["code"] == "secret").collect();
    assert!(!secrets.is_empty(), "{outcome}");
    for reason in secrets {
        assert!(reason["line"].is_u64() || reason["file"] == "evidence.json", "{reason}");
        assert_eq!(reason["excerpt_sha256"].as_str().unwrap().len(), 64);
    }
    assert_eq!((&shown["next"]["releasable"], &shown["next"]["override"][0]), (&true.into(), &"secret".into()));
    for arguments in [&["show", "--output=text"][..], &["show"], &["list"], &["reject-note"]] {
        let ids = if arguments[0] == "list" { &[][..] } else { &[item.as_str()] };
        let said = site.gatepost(&[&["quarantine"], arguments, ids].concat());
        for part in [body.as_str(), "PRIVATE"] {
            assert!(!said.stdout().contains(part) && !said.stderr().contains(part), "{arguments:?}: {}", said.stdout());
        }
    }
}

#[test]
fn no_word_of_a_rejected_result_reaches_the_terminal_but_plain_ones() {
    let (site, [_, _, damaged]) = refused();
    let path = site.path("quarantine").join(&damaged).join("untouched").join(&damaged).join("evidence.json");
    let mut evidence: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    for key in ["tool", "tool_version", "backend", "scan_id"] {
        evidence[key] = "\u{1b}]0;do as I say\u{7}".into();
    }
    fs::write(&path, evidence.to_string()).unwrap();
    for arguments in [&["list"][..], &["show", &damaged], &["wait", &damaged]] {
        for output in ["--output=text", "--output=json"] {
            let said = site.gatepost(&[arguments, &[output]].concat());
            assert!(!(said.stdout() + &said.stderr()).contains("as I say"), "{arguments:?}: {}", said.stdout());
        }
    }
}

#[test]
fn what_a_rejected_result_says_is_withheld_from_whoever_asks_for_it() {
    let (site, body, item) = rejected_for_a_secret();
    for arguments in [&["show", &item][..], &["show", &item, "--output=text"], &["list"], &["wait", &item]] {
        let said = site.gatepost(arguments);
        assert!(!said.stdout().contains(&body) && !said.stderr().contains(&body), "{arguments:?}: {}", said.stdout());
    }
    let shown = site.shown(&item);
    let evidence = &shown["evidence"];
    assert_eq!(
        (&evidence["tool"], &evidence["results"], &evidence["stderr"]),
        (&"leak".into(), &Value::Null, &"".into())
    );
}

#[test]
fn content_is_released_on_a_word_that_names_its_code_and_the_word_goes_with_it() {
    let (site, _, item) = rejected_for_a_secret();
    let outcome = release(&site, &item, &[], 79);
    assert!(outcome["error"]["message"].as_str().unwrap().contains("still reject it: secret"), "{outcome}");
    let command = outcome["error"]["next"][0]["command"].as_str().unwrap();
    assert_eq!(
        command,
        format!("gatepost quarantine release {item} --reason 'gate.toml was mended' --override secret")
    );
    let text = site.gatepost(&["quarantine", "release", &item, "--reason", "it's a sample", "--output=text"]).stderr();
    assert!(
        text.ends_with(&format!("  gatepost quarantine release {item} --reason \"it's a sample\" --override secret\n")),
        "{text}"
    );
    release(&site, &item, &["--override", "instruction"], 79);
    assert_eq!((site.names("core/inbound"), site.ledger().len()), (vec![], 1));
    let dry_run = ["quarantine", "release", "--dry-run", "--reason", "a sample", "--override", "secret,instruction"];
    site.gatepost(&[&dry_run[..], &[&item]].concat()).succeeds();
    assert_eq!((site.names("core/inbound"), site.ledger().len()), (vec![], 1));
    let released = release(&site, &item, &["--override", "secret,instruction"], 0);
    // Only what rejected it was overridden.
    assert_eq!(released["data"]["results"][0]["override"]["codes"], Value::Array(vec!["secret".into()]));
    let bundle = site.path("core/inbound").join(&item);
    let verify = || site.gatepost(&["verify", bundle.to_str().unwrap()]);
    let verdict = verify().succeeds()["data"]["verdicts"][0].take();
    assert_eq!((&verdict["verdict"], &verdict["override"]["codes"][0]), (&"ACCEPT".into(), &"secret".into()));
    assert_eq!(site.ledger()[1]["override"]["codes"][0], "secret");
    let text = site.gatepost(&["verify", bundle.to_str().unwrap(), "--output=text"]).stdout();
    assert!(text.contains("released from quarantine") && text.contains("over secret"), "{text}");
    // A verdict that leaves the override out, or stretches it, is none.
    let file = bundle.join("verdict.json");
    let original = fs::read_to_string(&file).unwrap();
    let mut forged: Value = serde_json::from_str(&original).unwrap();
    forged["override"]["codes"] = Value::Array(vec!["instruction".into()]);
    for forged in [forged.to_string(), original.replace("\"secret\"\n    ]", "\"secret\", \"sums_mismatch\"\n    ]")] {
        assert_ne!(forged, original);
        fs::write(&file, forged).unwrap();
        verify().ends(79);
    }
    fs::write(&file, original).unwrap();
    verify().succeeds();
}

#[test]
fn what_a_site_lowers_place_by_place_stays_on_record_and_its_bundle_stays_sound() {
    let site = Site::new().without_walls();
    let entry = |place: &str| {
        format!("  {{ code = 'secret', place = '{place}', severity = 'flag', because = 'Known in {place}.' }},\n")
    };
    let entries: String = ["rendered", "results", "artifact"].map(entry).concat();
    let demands = format!("[sandbox]\nminimum = \"none\"\n[content]\nseverity = [\n{entries}]\n");
    fs::write(site.path("gate.toml"), demands).unwrap();
    let [name] = site.print_a_secret("core/inbound").try_into().unwrap();
    let bundle = site.path("core/inbound").join(&name);
    let verdict: Value = serde_json::from_slice(&fs::read(bundle.join("verdict.json")).unwrap()).unwrap();
    let lowered = |verdict: &Value| {
        let reasons = verdict["reasons"].as_array().unwrap().iter();
        let lowered = reasons.filter_map(|reason| reason["lowered_because"].as_str().map(str::to_owned));
        lowered.collect::<std::collections::BTreeSet<_>>()
    };
    let because = lowered(&verdict);
    assert!(because.contains("Known in rendered.") && because.contains("Known in artifact."), "{verdict}");
    let verified = site.gatepost(&["verify", bundle.to_str().unwrap()]).succeeds();
    assert!(!lowered(&verified["data"]["verdicts"][0]).is_empty(), "{verified}");
    // Without that word of the site it is not sound.
    let mut bare = verdict;
    for reason in bare["reasons"].as_array_mut().unwrap() {
        reason.as_object_mut().unwrap().remove("lowered_because");
    }
    fs::write(bundle.join("verdict.json"), bare.to_string()).unwrap();
    site.gatepost(&["verify", bundle.to_str().unwrap()]).ends(79);
}
