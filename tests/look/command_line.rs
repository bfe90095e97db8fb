//! The command line as a script sees it: one line of JSON of one form, and the exit status of the table.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::Value;

use crate::site::{Request, Site, text};

/// Runs a command and checks the form of what it says.
fn outcome(site: &Site, arguments: &[&str], exit: i32) -> Value {
    let ran = site.gatepost(arguments);
    assert!(ran.stdout().ends_with('\n') && ran.stdout().lines().count() == 1, "{arguments:?}: {}", ran.stdout());
    let outcome = ran.ends(exit);
    let keys: Vec<&str> = outcome.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, ["ok", "data", "error", "warnings", "meta"], "{arguments:?}");
    assert_eq!(outcome["ok"], exit == 0, "{arguments:?}");
    assert_eq!(outcome["error"].is_null(), exit == 0, "{arguments:?}");
    assert_eq!(outcome["meta"]["exit_code"], exit, "{arguments:?}");
    if exit == 0 {
        assert!(outcome["data"].is_object(), "{arguments:?}: {outcome}");
    } else {
        for key in ["code", "kind", "operation", "message", "hint", "suggestion"] {
            assert!(outcome["error"][key].is_string(), "{arguments:?}: {key} in {outcome}");
        }
        assert!(outcome["error"]["retryable"].is_boolean(), "{arguments:?}");
        assert!(outcome["error"]["message"].as_str().unwrap().ends_with('.'), "{arguments:?}: {outcome}");
    }
    outcome
}

#[test]
fn every_command_speaks_one_form_and_ends_with_the_status_of_the_table() {
    let site = Site::new();
    let (good, bad) = (Request::file("good"), Request::file("bad").arg("status", "3"));
    let (refused, waiting) = (Request::call("refused", "no_such_tool"), Request::file("waiting"));
    for request in [&good, &bad, &refused] {
        site.copy_in(request);
    }
    outcome(&site, &["up", "--once"], 0);
    site.copy_in(&waiting);
    let bundle = site.result(&good.id).0;
    let bundle = bundle.to_str().unwrap();
    let manifest = site.path("tools/line_count.clad.toml");
    let rubbish = site.path("rubbish.clad.toml");
    fs::write(&rubbish, "[tool]\nname = 1\n").unwrap();
    let unknown = "TR-20260209-160501Z-unknown";
    let empty = site.path("empty");
    fs::create_dir(&empty).unwrap();
    let elsewhere = empty.to_str().unwrap();
    let cases: &[(&[&str], i32, &str)] = &[
        (&["init"], 0, ""),
        (&["exec", "--once"], 0, ""),
        (&["gate", "--once"], 0, ""),
        (&["status"], 0, ""),
        (&["doctor"], 0, ""),
        (&["list"], 0, ""),
        (&["list", "--state", "nonsense"], 2, "ARG_ERROR"),
        (&["show", &good.id], 0, ""),
        (&["show", unknown], 5, "REQUEST_NOT_FOUND"),
        (&["show", "nonsense"], 5, "REQUEST_NOT_FOUND"),
        (&["show", "../nonsense"], 2, "INVALID_AGENT_INPUT"),
        (&["report", "--html", "/nowhere/report.html"], 1, "IO_ERROR"),
        (&["serve", "--listen", "0.0.0.0:0"], 2, "ARG_ERROR"),
        (&["wait", &good.id], 0, ""),
        (&["wait", &bad.id], 81, "TOOL_FAILED"),
        (&["wait", &refused.id], 79, "REQUEST_REFUSED"),
        (&["wait", unknown], 5, "REQUEST_NOT_FOUND"),
        (&["check", manifest.to_str().unwrap()], 0, ""),
        (&["check", rubbish.to_str().unwrap()], 79, "DOCUMENT_REJECTED"),
        (&["verify", bundle], 0, ""),
        (&["verify", elsewhere], 2, "ARG_ERROR"),
        (&["verify", "/nowhere"], 5, "FILE_NOT_FOUND"),
        (&["tools", "list"], 0, ""),
        (&["tools", "show", "line_count"], 0, ""),
        (&["tools", "show", "nothing"], 5, "TOOL_NOT_FOUND"),
        (&["tools", "schema", "line_count"], 0, ""),
        (&["tools", "check"], 0, ""),
        (&["tools", "plan", "fail_with", "--arg", "status=0"], 0, ""),
        (&["tools", "plan", "fail_with", "--arg", "status=many"], 2, "SCHEMA_VIOLATION"),
        (&["tools", "run", "fail_with", "--arg", "status=0"], 0, ""),
        (&["tools", "run", "fail_with", "--arg", "status=3"], 81, "TOOL_FAILED"),
        (&["version"], 0, ""),
        (&["submit", "--tool", "nothing"], 5, "TOOL_NOT_FOUND"),
        (&["submit"], 2, "ARG_ERROR"),
        (&["nonsense"], 2, "UNKNOWN_COMMAND"),
        (&["--nonsense"], 2, "ARG_ERROR"),
    ];
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(arguments, exit, code)| {
            let outcome = std::panic::catch_unwind(|| outcome(&site, arguments, *exit));
            match outcome {
                Ok(outcome) if outcome["error"]["code"].as_str().unwrap_or_default() == *code => None,
                Ok(outcome) => Some(format!("{arguments:?}: {outcome}")),
                Err(panic) => Some(panic.downcast_ref::<String>().cloned().unwrap_or_default()),
            }
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_is_not_there_is_named_and_will_not_be_there_the_next_time() {
    let site = Site::new();
    for (target, arguments) in [
        ("/nowhere", &["verify", "/nowhere"][..]),
        ("/nowhere", &["check", "/nowhere"]),
        ("nothing", &["tools", "show", "nothing"]),
        ("TR-20260209-160501Z-a", &["show", "TR-20260209-160501Z-a"]),
        ("TR-20260209-160501Z-a", &["audit", "timeline", "TR-20260209-160501Z-a"]),
        ("a", &["quarantine", "show", "a"]),
    ] {
        let error = &site.gatepost(arguments).ends(5)["error"];
        assert_eq!((&error["target"], &error["retryable"]), (&target.into(), &false.into()), "{arguments:?}");
    }
    let error = &site.gatepost(&["lsit"]).ends(2)["error"];
    assert!(error["target"] == "lsit" && text(&error["hint"]).contains("list"), "{error}");
}

#[test]
fn a_tool_that_needs_a_person_is_not_run_from_the_command_line() {
    let site = Site::with_config("[approval]\nmode = \"declared\"\n").without_walls();
    let mark = site.path("ran");
    let script = format!("#!/bin/sh\necho ran >> {}\n", mark.display());
    for (name, keys) in
        [("asked", "human_approval = true"), ("medium", "risk_tier = \"medium\""), ("high", "risk_tier = \"high\"")]
    {
        site.tool(name, keys, &script);
        let outcome = outcome(&site, &["tools", "run", name], 7);
        assert_eq!((&outcome["error"]["code"], mark.exists()), (&"POLICY_DENIED".into(), false), "{name}");
    }
    site.tool("low", "risk_tier = \"low\"", &script);
    outcome(&site, &["tools", "run", "low"], 0);
    assert!(mark.exists());
}

#[test]
fn a_site_is_its_users_own_whatever_the_umask_lets_others_do() {
    let site = Site::new();
    let made = site.root.join("lax");
    let ran =
        site.command(&["sh", "-c", "umask 0; exec \"$@\"", "sh"], &["init", made.to_str().unwrap()]).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    for entry in walkdir::WalkDir::new(&made) {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o022, 0, "{}", entry.path().display());
    }
}

#[test]
fn a_folder_that_is_no_site_says_how_to_make_one() {
    let site = Site::new();
    fs::remove_file(site.path("gatepost.toml")).unwrap();
    for command in ["up", "exec", "gate", "list", "status"] {
        let outcome = outcome(&site, &[command], 4);
        let fix = format!("gatepost --site {} init", site.root.display());
        assert_eq!(
            (&outcome["error"]["code"], &outcome["error"]["fix_command"]),
            (&"INIT_REQUIRED".into(), &fix.into())
        );
    }
    site.configure("[inbox]\nsettle = 1\n");
    assert_eq!(outcome(&site, &["status"], 4)["error"]["code"], "CONFIG_INVALID");
}

#[test]
fn all_faults_of_both_configurations_are_told_at_once_and_valid_ones_with_the_source_of_each_value() {
    let site = Site::new();
    site.configure("[limits]\nmemory_mb = \"lots\"\ntime_secnds = 5\n");
    fs::write(site.path("gate.toml"), "[sandbox]\nminimun = \"none\"\nminimum = \"nil\"\n[gate]\naccept_foreign = 1\n")
        .unwrap();
    let refused = outcome(&site, &["config"], 4);
    let told = |error: &serde_json::Value| {
        let (message, hint) = (error["message"].as_str().unwrap(), error["hint"].as_str().unwrap());
        format!("{}:{} {message} {hint}", error["file"].as_str().unwrap(), error["line"])
    };
    let errors: Vec<String> = refused["error"]["errors"].as_array().unwrap().iter().map(told).collect();
    for (error, start) in errors.iter().zip([
        "gatepost.toml:2 [limits] memory_mb is \"lots\"; expected a whole number of MiB, at least 16.",
        "gatepost.toml:3 [limits] time_secnds is not a known key. Did you mean `time_seconds`?",
        "gate.toml:2 [sandbox] minimun is not a known key. Did you mean `minimum`?",
        "gate.toml:3 [sandbox] minimum is \"nil\"; expected one of \"none\", \"landlock\", \"full\".",
        "gate.toml:5 [gate] accept_foreign is 1; expected true or false, without quotes.",
    ]) {
        assert!(error.starts_with(start), "{error}");
    }
    assert_eq!(errors.len(), 5, "{errors:#?}");
    // One fault alone has its place in the text, too.
    site.configure("");
    fs::write(site.path("gate.toml"), "[quarantine]\nkeep_days = 1\n[quarantine]\n").unwrap();
    let told = site.gatepost(&["config", "-o", "table"]).stderr();
    assert!(told.starts_with("error: gate.toml, line 3, column "), "{told}");
    fs::write(site.path("gate.toml"), "[sandbox]\nminimun = \"none\"\nminimum = \"nil\"\n[gate]\naccept_foreign = 1\n")
        .unwrap();
    site.configure(
        "[exec]\nworkers = 3\n[mcp.servers.s]\ncommand = \"x\"\nenv = { A = \"word\", B = \"{_secret:b}\" }\n",
    );
    assert_eq!(outcome(&site, &["gate", "--once"], 4)["error"]["errors"].as_array().unwrap().len(), 3);
    fs::remove_file(site.path("gate.toml")).unwrap();
    let shown = site.gatepost(&["config"]).succeeds();
    let [own, gate] = &shown["data"]["files"].as_array().unwrap()[..] else { panic!("{shown}") };
    let value = |key: &str| own["values"].as_array().unwrap().iter().find(|value| value["key"] == key).unwrap();
    assert_eq!((&value("exec.workers")["value"], &value("exec.workers")["source"]), (&3.into(), &"file".into()));
    assert_eq!(value("exec.grace_ms")["source"], "default");
    assert_eq!(value("mcp.servers.s.env.A")["value"], "(not shown)");
    assert_eq!(value("mcp.servers.s.env.B")["value"], "{_secret:b}");
    assert_eq!((&own["path"], &gate["exists"]), (&site.path("gatepost.toml").to_str().into(), &false.into()));
    let changed = site.gatepost(&["config", "--changed", "--output=text"]).stdout();
    assert!(changed.contains("exec.workers") && !changed.contains("grace_ms"), "{changed}");
}

#[test]
fn of_a_repeated_argument_the_bad_values_are_named_and_no_good_one() {
    let site = Site::new();
    let plan =
        ["tools", "plan", "fail_with", "--arg", "status=0", "--arg", "bad", "--network", "h:1", "--network=nope"];
    let conflict = ["submit", "x.md", "--arg", "token=hunter2", "--purpose", "z"];
    for (words, expected) in [(&plan[..], &[Some("bad"), Some("nope")][..]), (&conflict, &[None, None])] {
        let refused = outcome(&site, words, 2);
        let errors = refused["error"]["errors"].as_array().unwrap();
        let values: Vec<Option<&str>> = errors.iter().map(|error| error["value"].as_str()).collect();
        assert_eq!(values, expected, "{refused}");
        assert!(!refused.to_string().contains("hunter2") && !refused.to_string().contains("status=0"), "{refused}");
    }
    let conflict = &outcome(&site, &conflict, 2)["error"]["message"];
    assert_eq!(conflict, "The argument '[FILE]' cannot be used with: --arg <NAME=VALUE> --purpose <WHY>.");
    assert!(text(&outcome(&site, &["subm"], 2)["error"]["hint"]).starts_with("Did you mean submit?"));
    let nested = &outcome(&site, &["audit", "show"], 2)["error"]["message"];
    assert_eq!(nested, "gatepost audit has no command \"show\".");
    let options = site.gatepost(&["help", "options"]);
    assert!(options.stdout().contains("--output <FORMAT>"), "{}", options.stdout());
    let unknown = site.gatepost(&["show", "TR-20260209-160501Z-unknown", "-o", "id"]);
    assert_eq!((unknown.stdout(), unknown.0.status.code()), (String::new(), Some(5)));
}

#[test]
fn either_configuration_is_printed_with_every_key() {
    let site = Site::new();
    for (file, key) in [("gatepost.toml", "settle_ms"), ("gate.toml", "accept_foreign")] {
        let printed = site.gatepost(&["init", "--print-config", file, "--output=text"]).stdout();
        assert!(printed.contains(key), "{printed}");
    }
    site.gatepost(&["init", "--print-config", "other.toml"]).ends(2);
}

#[test]
fn a_gate_that_cannot_read_what_to_demand_judges_nothing() {
    let site = Site::new();
    let request = Request::file("early");
    site.copy_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    fs::write(site.path("gate.toml"), "[sandbox]\nminimun = \"none\"\n").unwrap();
    let outcome = outcome(&site, &["gate", "--once"], 4);
    assert_eq!(
        (&outcome["error"]["code"], &outcome["error"]["target"]),
        (&"CONFIG_INVALID".into(), &"gate.toml".into())
    );
    let reason = &outcome["error"]["errors"][0];
    assert_eq!((&reason["line"], &reason["column"]), (&2.into(), &1.into()));
    assert_eq!((site.names("outbox").len(), site.names("quarantine").len()), (1, 0));
}

#[test]
fn a_wait_ends_at_its_deadline() {
    let site = Site::new();
    let request = Request::file("waiting");
    site.copy_in(&request);
    let outcome = outcome(&site, &["wait", &request.id, "--timeout", "1"], 10);
    assert_eq!((&outcome["error"]["code"], &outcome["error"]["retryable"]), (&"TIMEOUT".into(), &true.into()));
    assert_eq!(outcome["data"]["state"], "dropped");
}

#[test]
fn a_submission_is_made_once_and_a_dry_run_touches_nothing() {
    let site = Site::new();
    let request = Request::file("mine");
    let path = site.root.join(request.name());
    request.write(&site.root);
    let submit = ["submit", path.to_str().unwrap()];
    let dry = outcome(&site, &["submit", path.to_str().unwrap(), "--dry-run"], 0);
    assert_eq!(dry["data"]["effect"], "would_create");
    assert_eq!((site.names("inbox").len(), site.names("inbox/.tmp").len()), (0, 0));
    assert_eq!(outcome(&site, &submit, 0)["data"]["effect"], "created");
    site.up();
    assert_eq!(outcome(&site, &submit, 0)["data"]["effect"], "noop");
    assert_eq!(site.names("inbox"), [""; 0]);
    fs::write(&path, request.line("priority: high").markdown()).unwrap();
    assert_eq!(outcome(&site, &submit, 6)["error"]["code"], "ALREADY_EXISTS");
}

#[test]
fn a_submission_is_refused_whose_files_are_not_those_that_it_declares() {
    let site = Site::new();
    let request = Request::folder("declared");
    request.write(&site.root);
    let folder = site.root.join(request.name());
    let document = folder.join(format!("{}.md", request.id));
    let dry = |more: &[&str], exit| {
        let outcome = outcome(&site, &[&["submit", "--dry-run", document.to_str().unwrap()], more].concat(), exit);
        outcome["error"]["errors"][0]["code"].as_str().unwrap_or_default().to_owned()
    };
    let input = fs::read_dir(folder.join("in")).unwrap().next().unwrap().unwrap().path();
    let with_input = ["--input", input.to_str().unwrap()];
    assert_eq!(dry(&[], 2), "input_missing");
    assert_eq!(dry(&with_input, 0), "");
    fs::write(&input, "different bytes").unwrap();
    assert_eq!(dry(&with_input, 2), "input_mismatch");
}

#[test]
fn a_folder_of_bundles_is_not_judged_as_a_bundle() {
    let site = Site::new();
    let request = Request::file("count");
    site.copy_in(&request);
    site.up();
    let inbound = site.path("core/inbound");
    for command in ["verify", "check"] {
        let failed = outcome(&site, &[command, inbound.to_str().unwrap()], 2);
        assert!(failed["error"]["message"].as_str().unwrap().ends_with("a folder with 1 bundle in it."), "{failed}");
    }
}

#[test]
fn the_status_says_what_the_gate_demands() {
    let site = Site::new();
    fs::write(site.path("gate.toml"), "[quarantine]\nkeep_days = 1\n").unwrap();
    let text = || site.gatepost(&["status", "--output=text"]).stdout();
    assert!(text().contains("level full or stronger") && text().contains("after 1 day\n"), "{}", text());
    fs::write(site.path("gate.toml"), "[quarantine]\nkeep_day = 1\n").unwrap();
    assert!(text().contains("gate.toml  INVALID: line 2, column 1: "), "{}", text());
    assert_eq!(outcome(&site, &["status"], 0)["data"]["gate_policy"], serde_json::Value::Null);
}

#[test]
fn a_submission_may_wait_for_its_answer() {
    let site = Site::new();
    let _watcher = site.watch("up");
    site.is_watched();
    let arguments = ["submit", "--tool", "fail_with", "--arg", "status=0", "--wait", "--timeout", "30"];
    assert_eq!(outcome(&site, &arguments, 0)["data"]["state"], "accepted");
}

#[test]
fn a_reader_that_goes_away_is_no_failure_and_no_noise() {
    let site = Site::new();
    for output in ["json", "text"] {
        let mut child =
            site.command(&[], &["--output", output, "tools", "list"]).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        assert_eq!((ended.status.code(), ended.stderr.as_slice()), (Some(0), &b""[..]), "{output}");
    }
}

#[test]
fn help_is_text_wherever_it_goes_unless_json_is_asked_for() {
    let site = Site::new();
    let said = |arguments: &[&str]| {
        let output = site.command(&[], arguments).env("CI", "1").output().unwrap();
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{arguments:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let whole = said(&["submit", "--help"]);
    assert!(whole.starts_with("Put a request into the inbox\n\nUsage: gatepost submit"), "{whole}");
    assert_eq!(said(&["help", "submit"]), whole);
    let json: Value = serde_json::from_str(&said(&["submit", "--help", "-o", "json"])).unwrap();
    assert_eq!(json["data"]["help"], *whole);
    let short = said(&["submit", "-h"]);
    assert!(short.starts_with("Put a request into the inbox\n\nUsage: gatepost submit"), "{short}");
    assert!(short.contains("--tool <TOOL>") && whole.contains("--cursor") && !short.contains("--cursor"), "{short}");
    assert!(said(&["-h"]).lines().count() <= 24 && said(&["--help"]).lines().count() > 60);
}

#[test]
fn only_what_can_be_a_slip_is_suggested_and_no_flag_is_required_for_a_variable() {
    let site = Site::new();
    let hint = |arguments: &[&str]| {
        let output = site.command(&[], arguments).env("GATEPOST_SITE", &site.root).output().unwrap();
        let outcome: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        outcome["error"]["hint"].as_str().unwrap().to_owned()
    };
    for (arguments, meant) in [
        (&["list", "--quux"][..], None),
        (&["get", "x"], None),
        (&["lsit"], Some("Did you mean list?")),
        (&["list", "--limt", "3"], Some("Did you mean --limit?")),
        (&["list", "--state", "acepted"], Some("Did you mean accepted?")),
    ] {
        let told = hint(arguments);
        assert_eq!(told.contains("Did you mean"), meant.is_some(), "{arguments:?}: {told}");
        assert!(told.contains(meant.unwrap_or_default()) && !told.contains("--site"), "{arguments:?}: {told}");
    }
}
