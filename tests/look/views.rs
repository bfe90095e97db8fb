//! One outcome in all its forms, as programs read them: schemas, pages, fields, lines, both contracts, and odd surroundings.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::PathBuf;
use std::process::Stdio;

use gatepost_documents::digest::Digest;
use serde_json::Value;
use walkdir::WalkDir;

use crate::site::{Request, Site, text};

/// A site with what commands can be asked of: an answer, a failure, a refusal, and something in quarantine.
fn site() -> (Site, [Request; 3]) {
    let site = Site::new();
    site.reject_a_secret();
    let requests =
        [Request::file("good"), Request::file("bad").arg("status", "3"), Request::call("odd", "no_such_tool")];
    for request in &requests {
        site.copy_in(request);
    }
    site.up();
    (site, requests)
}

/// Commands that end by themselves, each in a way that it declares.
fn invocations<'a>(good: &'a str, bad: &'a str, item: &'a str, bundle: &'a str) -> Vec<Vec<&'a str>> {
    let lines = [
        "audit checkpoint",
        "audit timeline GOOD",
        "audit verify",
        "bootstrap-graph",
        "cat GOOD nothing",
        "check BUNDLE",
        "check /nowhere",
        "command-graph",
        "check-permissions",
        "config",
        "doctor",
        "exec --once",
        "exec-command version",
        "gate --once",
        "init",
        "list",
        "list --state running",
        "list-sessions",
        "load-session GOOD",
        "manifest",
        "errors",
        "policy check",
        "policy explain GOOD",
        "policy learn",
        "quarantine list",
        "quarantine show ITEM",
        "quarantine show nothing",
        "quarantine purge --dry-run",
        "quarantine reject-note ITEM",
        "route count",
        "sessions list",
        "sessions show GOOD",
        "show GOOD",
        "show BAD",
        "show TR-20260209-160501Z-none",
        "show-command list",
        "show-tool fail_with",
        "show-tool nothing",
        "status",
        "submit --tool fail_with --arg status=0 --dry-run",
        "submit --tool fail_with --arg status=x",
        "submit --tool nothing",
        "tool-pool",
        "tools check",
        "tools list",
        "tools plan fail_with --arg status=0",
        "tools schema line_count",
        "tools show line_count",
        "tools show nothing",
        "tools run fail_with --arg status=0",
        "tools run fail_with --arg status=3",
        "verify BUNDLE",
        "verify /nowhere",
        "version",
        "wait GOOD",
        "wait BAD",
        "delete-session TR-20260209-160501Z-none",
    ];
    let word = |word: &'a str| match word {
        "GOOD" => good,
        "BAD" => bad,
        "ITEM" => item,
        "BUNDLE" => bundle,
        other => other,
    };
    lines.iter().map(|line| line.split(' ').map(word).collect()).collect()
}

#[test]
fn the_data_of_every_command_is_what_its_schema_says_and_its_status_is_declared() {
    let (site, [good, bad, _]) = site();
    let item = site.names("quarantine").remove(0);
    let bundle = site.result(&good.id).0;
    let manifest = site.gatepost(&["manifest", "--full", "--max-output", "0"]).succeeds();
    let document = site.gatepost(&["manifest", "--envelope-schema"]).succeeds();
    let document = jsonschema::validator_for(&document).unwrap();
    let commands = &manifest["data"]["commands"];
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for words in invocations(&good.id, &bad.id, &item, bundle.to_str().unwrap()) {
        let ran = site.gatepost(&[&words[..], &["-o", "json"]].concat());
        let (exit, stderr) = (ran.exit().unwrap(), ran.stderr());
        let envelope: Value =
            serde_json::from_str(&ran.stdout()).unwrap_or_else(|_| panic!("{words:?}: {}", ran.stdout()));
        let faults: Vec<String> = document.iter_errors(&envelope).map(|error| error.to_string()).collect();
        assert!(faults.is_empty(), "{words:?}: {faults:?}");
        let path = text(&envelope["meta"]["command"]);
        let command = &commands[&path];
        let validator = jsonschema::validator_for(&command["output_schema"]).unwrap();
        let data = &envelope["data"];
        let faults: Vec<String> = match data {
            Value::Null => Vec::new(),
            data => validator.iter_errors(data).map(|error| format!("{}: {error}", error.instance_path())).collect(),
        };
        let is_declared = command["exit_codes"].get(exit.to_string()).is_some();
        let agrees = envelope["meta"]["exit_code"] == exit
            && envelope["ok"] == (exit == 0)
            && envelope["error"].is_null() == (exit == 0);
        if !faults.is_empty()
            || !is_declared
            || !agrees
            || !(stderr.is_empty() || words[0] == "exec" || words[0] == "gate")
        {
            wrong.push(format!("{words:?} ({path}, {exit}): {faults:?}\n{stderr}"));
        }
        seen.insert(path);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // What is not tried here needs keys, people, a bag, or goes on for ever; other tests do it.
    let elsewhere = [
        "approve",
        "batch",
        "deny",
        "cancel",
        "demo",
        "export",
        "import",
        "report",
        "serve",
        "up",
        "sessions.close",
        "quarantine.release",
        "tools.pin",
        "tools.init",
        "exec-tool",
        "flush-transcript",
        "bootstrap",
    ];
    let untried: Vec<&String> = commands
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, command)| command["subcommands"].is_null())
        .map(|(path, _)| path)
        .filter(|path| !seen.contains(*path) && !elsewhere.contains(&path.as_str()))
        .collect();
    assert!(untried.iter().all(|path| ["completions", "man", "mcp"].contains(&path.as_str())), "{untried:?}");
}

#[test]
fn the_two_contracts_tell_the_same_outcome() {
    let (site, [good, ..]) = site();
    for words in [
        &["list"][..],
        &["show", &good.id],
        &["show", "TR-20260209-160501Z-none"],
        &["tools", "plan", "fail_with", "--arg", "status=0"],
    ] {
        let spec: Value =
            serde_json::from_str(&site.gatepost(&[words, &["--output", "json"]].concat()).stdout()).unwrap();
        let ran = site.gatepost(&[words, &["--output-format", "json"]].concat());
        let (exit, claw): (_, Value) = (ran.exit().unwrap(), serde_json::from_str(&ran.stdout()).unwrap());
        assert_eq!((&claw["exit_code"], claw["output_format"].as_str()), (&exit.into(), Some("json")), "{words:?}");
        assert_eq!(exit, i32::from(spec["ok"] == false), "{words:?}");
        assert_eq!(claw.get("error").is_some(), spec["ok"] == false, "{words:?}");
        for (name, value) in spec["data"].as_object().into_iter().flatten() {
            assert_eq!(&claw[name], value, "{words:?}: {name}");
        }
        assert_eq!(claw["error"]["code"], spec["error"]["code"], "{words:?}");
    }
    let both = site.gatepost(&["list", "--output", "json", "--output-format", "json"]);
    let both: Value = both.ends(1);
    assert_eq!((&both["exit_code"], &both["error"]["code"]), (&1.into(), &"ARG_ERROR".into()));
    for watcher in ["up", "exec", "gate", "serve"] {
        let refused = site.gatepost(&[watcher, "--output-format", "json"]).ends(1);
        assert_eq!(refused["error"]["code"], "STREAMING_NOT_SUPPORTED", "{watcher}");
    }
}

/// Every file and folder of a site, with the digest of its bytes.
fn everything(site: &Site) -> BTreeSet<(PathBuf, Digest)> {
    let entries = WalkDir::new(&site.root).into_iter().map(|entry| entry.unwrap().into_path());
    entries.map(|path| (path.clone(), Digest::of(&fs::read(path).unwrap_or_default()))).collect()
}

#[test]
fn a_dry_run_says_what_would_happen_and_nothing_does() {
    let (site, [good, ..]) = site();
    let item = site.names("quarantine").remove(0);
    let (new, page, note) = (site.root.join("new"), site.root.join("page.html"), site.root.join("note.md"));
    let [new, page, note] = [&new, &page, &note].map(|path| path.to_str().unwrap());
    let before = everything(&site);
    for (words, effect) in [
        (&["init", new][..], "would_create"),
        (&["report", "--html", page], "would_create"),
        (&["man", "--out", new], "would_create"),
        (&["export", "--out", new, &good.id], "would_create"),
        (&["tools", "init", "another"], "would_create"),
        (&["tools", "pin"], "would_create"),
        (&["tools", "run", "fail_with", "--arg", "status=3"], "would_create"),
        (&["submit", "--tool", "fail_with", "--arg", "status=0"], "would_create"),
        (&["quarantine", "reject-note", &item, "--to", note], "would_create"),
        (&["quarantine", "purge"], "noop"),
    ] {
        let said = site.gatepost(&[words, &["--dry-run"]].concat()).succeeds();
        assert_eq!((&said["data"]["effect"], &said["meta"]["dry_run"]), (&effect.into(), &true.into()), "{words:?}");
        let changed: Vec<_> = everything(&site).symmetric_difference(&before).cloned().collect();
        assert!(changed.is_empty(), "{words:?}: {changed:?}");
    }
    assert_eq!(site.gatepost(&["list"]).succeeds()["meta"]["dry_run"], false);
    let looked = site.gatepost(&["quarantine", "purge"]).succeeds();
    assert_eq!((&looked["data"]["effect"], &looked["meta"]["dry_run"]), (&"noop".into(), &true.into()));
    assert!(everything(&site) == before);
    let _watcher = site.watch("up");
    site.is_watched();
    for words in [["exec-tool", "fail_with", "status=0"], ["bootstrap", "fail_with status=0", "--limit=3"]] {
        let said = site.gatepost(&[&words[..], &["--dry-run"]].concat()).succeeds();
        assert_eq!((&said["data"]["effect"], site.names("inbox").len()), (&"would_create".into(), 0), "{words:?}");
        assert_eq!(site.gatepost(&["list"]).succeeds()["data"]["requests_count"], 4, "{words:?}");
    }
}

#[test]
fn a_list_is_told_page_by_page_and_line_by_line() {
    let (site, requests) = site();
    let (mut seen, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let next: Vec<&str> = cursor.iter().flat_map(|cursor| ["--cursor", cursor.as_str()]).collect();
        let page = site.gatepost(&[&["list", "--limit", "1"][..], &next].concat()).succeeds();
        assert_eq!(page["meta"]["pagination"]["total"], 4);
        seen.extend(page["data"]["requests"].as_array().unwrap().iter().map(|row| text(&row["request_id"])));
        cursor = page["meta"]["pagination"]["next_cursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((seen.len(), seen.iter().collect::<BTreeSet<_>>().len()), (4, 4), "{seen:?}");
    assert!(requests.iter().all(|request| seen.contains(&request.id)));
    let said = |arguments: &[&str]| site.gatepost(&[&["list"], arguments].concat()).stdout();
    assert_eq!(said(&["--output", "id"]).lines().collect::<Vec<_>>(), seen);
    let piped = site.root.join("ids");
    fs::write(&piped, said(&["--output", "id"])).unwrap();
    let show = |stdin: Stdio| site.command(&[], &["show", "-"]).stdin(stdin).output().unwrap();
    let shown: Value = serde_json::from_slice(&show(Stdio::from(File::open(&piped).unwrap())).stdout).unwrap();
    assert_eq!(shown["data"]["results"][0]["id"], seen[0].as_str());
    assert_eq!(show(Stdio::null()).status.code(), Some(2), "nothing was piped in");
    let columns = said(&["--output", "tsv", "--fields", "request_id,state"]);
    assert_eq!((columns.lines().count(), columns.lines().next()), (5, Some("request_id\tstate")), "{columns}");
    let lines: Vec<Value> =
        said(&["--output", "jsonl"]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[4]["meta"]["_summary"]), (5, &true.into()));
    assert_eq!(said(&["--stable-output"]), said(&["--stable-output"]));
    assert_eq!(site.gatepost(&["list", "--cursor", "%%"]).ends(2)["error"]["target"], "--cursor");
}

#[test]
fn all_arguments_that_are_wrong_are_told_at_once_and_nothing_is_touched() {
    let site = Site::new();
    let refused =
        site.gatepost(&["submit", "--nonsense", "--tool", "fail_with", "--priority", "odd", "--limit", "x"]).ends(2);
    let errors = refused["error"]["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 3, "{refused}");
    assert!(errors.iter().all(|error| error["param"].is_string() && error["message"].is_string()), "{refused}");
    assert_eq!((&refused["error"]["phase"], site.names("inbox").len()), (&"validation".into(), 0));
    let named = site.gatepost(&["list", "--stat", "running"]).ends(2);
    assert!(text(&named["error"]["hint"]).contains("--state"), "{named}");
    assert!(text(&site.gatepost(&["list", "--json"]).ends(2)["error"]["hint"]).contains("--output json"));
    let dry = site.gatepost(&["submit", "--tool", "fail_with", "--arg", "status=0", "--dry-run"]).succeeds();
    let job = &dry["data"]["job"];
    assert_eq!((&job["status"], &job["terminal"]), (&"none".into(), &false.into()));
    assert_eq!(text(&job["status_command"]), format!("gatepost show {}", text(&dry["data"]["request_id"])));
    let valid = site.gatepost(&["submit", "--tool", "fail_with", "--arg", "status=0", "--validate-only"]).succeeds();
    assert_eq!((&valid["data"]["valid"], site.names("inbox").len()), (&true.into(), 0));
}

#[test]
fn a_command_that_waits_says_so_often_that_it_is_still_at_work() {
    let site = Site::new();
    let request = Request::file("waiting");
    site.copy_in(&request);
    let wait = ["wait", &request.id, "--timeout", "3s", "--heartbeat-interval", "500ms"];
    let told = site.gatepost(&wait);
    let beats = told.stderr().lines().filter(|line| line.starts_with("wait: still running after ")).count();
    assert!((2..=6).contains(&beats), "{}", told.stderr());
    told.ends(10);
    let lines = site.gatepost(&[&wait[..], &["-o", "jsonl"]].concat()).stdout();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let times: Vec<u64> = lines.iter().filter_map(|line| line["elapsed_ms"].as_u64()).collect();
    assert!(times.len() >= 2 && times.is_sorted() && lines.last().unwrap()["error"]["code"] == "TIMEOUT", "{lines:?}");
    let alone = site.gatepost(&[&wait[..], &["--output-format", "json"]].concat());
    assert_eq!((alone.stdout().lines().count(), alone.stderr()), (1, String::new()));
    let refused = site.gatepost(&["list", "--heartbeat-interval", "5ms"]).ends(2);
    assert!(text(&refused["error"]["message"]).contains("at least 100ms"), "{refused}");
}

/// What a batch of these lines prints, a document a line, and its status.
fn batch(site: &Site, flags: &[&str], lines: &str) -> (Option<i32>, Vec<Value>) {
    let piped = site.root.join("calls.jsonl");
    fs::write(&piped, lines).unwrap();
    let mut command = site.command(&[], &[&["batch"], flags].concat());
    let ran = command.stdin(Stdio::from(File::open(&piped).unwrap())).output().unwrap();
    let told = String::from_utf8(ran.stdout).unwrap();
    (ran.status.code(), told.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

#[test]
fn a_batch_carries_out_its_lines_and_answers_each_with_its_document() {
    let site = Site::new();
    let lines = "{\"argv\": [\"list\"]}\n\n{\"argv\": [\"show\", \"TR-20260209-160501Z-none\"]}\n\
                 {\"argv\": [\"submit\", \"--tool\", \"fail_with\", \"--arg\", \"status=0\"]}\n";
    let (status, told) = batch(&site, &["--ignore-errors", "--dry-run"], lines);
    assert_eq!((status, told.len(), site.names("inbox").len()), (Some(3), 4, 0), "{told:?}");
    assert_eq!((&told[0]["_line"], &told[0]["meta"]["command"]), (&1.into(), &"list".into()));
    assert_eq!((&told[1]["_line"], &told[1]["error"]["code"]), (&3.into(), &"REQUEST_NOT_FOUND".into()));
    assert_eq!(told[2]["data"]["effect"], "would_create");
    assert_eq!((&told[3]["data"]["summary"]["succeeded"], &told[3]["data"]["skipped"]), (&2.into(), &0.into()));
    let (status, told) = batch(&site, &[], lines);
    assert_eq!((status, told.len(), &told[2]["data"]["skipped"]), (Some(3), 3, &1.into()), "it ends with the failure");
    assert_eq!(site.names("inbox").len(), 0);
    for wrong in ["[\"list\"]", "{\"argv\": [\"up\"]}", "{\"argv\": [\"batch\"]}", "{\"argv\": [], \"more\": 1}"] {
        let (status, told) = batch(&site, &[], &format!("{lines}{wrong}\n"));
        assert_eq!((status, told.len(), &told[0]["error"]["target"]), (Some(2), 1, &"line 5".into()), "{wrong}");
    }
}

#[test]
fn odd_surroundings_change_nothing_that_programs_read() {
    let (site, [good, ..]) = site();
    let plain = site.gatepost(&["show", &good.id, "--stable-output"]).stdout();
    for (name, value) in [
        ("LANG", "de_DE.UTF-8"),
        ("LC_ALL", "fr_FR.UTF-8"),
        ("COLUMNS", "10"),
        ("TERM", "dumb"),
        ("CI", "1"),
        ("NO_COLOR", "1"),
        ("DEBUG", "1"),
    ] {
        let ran = site.command(&[], &["show", &good.id, "--stable-output"]).env(name, value).output().unwrap();
        assert_eq!(
            (String::from_utf8(ran.stdout).unwrap().as_str(), ran.stderr.len()),
            (plain.as_str(), 0),
            "{name}={value}"
        );
    }
    let bare = site.command(&[], &["list"]).env_clear().output().unwrap();
    assert_eq!((bare.status.code(), bare.stderr.len()), (Some(0), 0), "no HOME, no PATH");
    let full = File::options().write(true).open("/dev/full").unwrap();
    let ran = site.command(&[], &["list"]).stdout(Stdio::from(full)).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.code() == Some(1) && said.contains("No space left"), "{said}");
    for (closed, exit) in [("<&-", 0), (">&-", 0), ("2>&-", 0)] {
        let line = format!("exec \"$@\" {closed}");
        let ran = site.command(&["sh", "-c", &line, "sh"], &["list"]).output().unwrap();
        assert_eq!(ran.status.code(), Some(exit), "{closed}: {}", String::from_utf8_lossy(&ran.stderr));
    }
    let trace = site.command(&[], &["list"]).env("TOOL_TRACE_ID", "t-1").output().unwrap();
    let trace: Value = serde_json::from_slice(&trace.stdout).unwrap();
    assert_eq!((&trace["meta"]["trace_id"], trace["meta"]["cwd"].as_str()), (&"t-1".into(), Some("/")));
}

#[test]
fn a_document_that_is_too_large_is_cut_and_says_how_to_see_all_of_it() {
    let (site, _) = site();
    site.tool("long", "", "#!/bin/sh\nhead -c 20000 /dev/zero | tr '\\0' a\n");
    let request = Request::call("long", "long");
    site.copy_in(&request);
    site.up();
    let whole = site.gatepost(&["show", &request.id]);
    assert!(whole.stdout().len() > 20_000 && whole.succeeds()["meta"]["truncated"] == false);
    let cut = site.gatepost(&["show", &request.id, "--max-output", "5000"]);
    assert!(cut.stdout().len() <= 5_000, "{}", cut.stdout().len());
    let cut = cut.succeeds();
    assert_eq!(cut["meta"]["truncated"], true);
    assert!(text(&cut["warnings"][0]).starts_with("FIELD_TRUNCATED: "));
    assert!(text(&cut["meta"]["truncation_hint"]).starts_with("--max-output 0"));
    let list = site.gatepost(&["list", "--max-output", "1800"]);
    assert!(list.stdout().len() <= 1_800, "{}", list.stdout().len());
    let list = list.succeeds();
    let pagination = &list["meta"]["pagination"];
    assert!(
        pagination["returned"].as_u64() < Some(5) && pagination["total"] == 5 && pagination["next_cursor"].is_string(),
        "{list}"
    );
}

#[test]
fn a_hundred_callers_at_once_lose_nothing_and_double_nothing() {
    let site = Site::new();
    let _watcher = site.watch("up");
    site.is_watched();
    let submit = |_| site.command(&[], &["submit", "--tool", "fail_with", "--arg", "status=0"]).spawn().unwrap();
    let children: Vec<_> = (0..40).map(submit).collect();
    let looks: Vec<_> = (0..60).map(|_| site.command(&[], &["list", "--limit", "0"]).spawn().unwrap()).collect();
    let ids: BTreeSet<String> = children
        .into_iter()
        .map(|child| {
            let ended = child.wait_with_output().unwrap();
            let told: Value = serde_json::from_slice(&ended.stdout).unwrap();
            assert_eq!(ended.status.code(), Some(0), "{told}");
            text(&told["data"]["request_id"])
        })
        .collect();
    assert_eq!(ids.len(), 40);
    for look in looks {
        assert_eq!(look.wait_with_output().unwrap().status.code(), Some(0));
    }
    for id in &ids {
        site.gatepost(&["wait", id, "--timeout", "5m"]).succeeds();
        site.result(id);
    }
    assert_eq!(
        site.gatepost(&["list", "--limit", "0", "--state", "accepted"]).succeeds()["data"]["requests_count"],
        40
    );
}
