//! Sessions: what a request lists is said to an interactive program, one after the other, and what comes back is judged.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::office::Office;
use crate::site::{Bundle, Request, Site, passes_as_nobody, text};

/// A session manifest; `session` are the lines of `[session]` and its commands.
fn manifest(name: &str, tool: &str, session: &str) -> String {
    format!(
        "[tool]\nname = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"A session of the tests\"\nmode = \"session\"\n{tool}\n\
         [session]\n{session}\n"
    )
}

/// The manifest of the guide.
fn guide(name: &str) -> String {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/tool-author.md")).unwrap();
    let named = format!("name = \"{name}\"\n");
    let blocks = page.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.into_iter().find(|block| block.contains(&named)).unwrap()
}

/// A site with a session whose one command is said as it is given.
fn site_with(name: &str, session: &str) -> Site {
    let site = Site::new();
    let command = "[session.interaction]\ninput_sanitize = []\n[session.commands.say]\ndescription = \"Any line\"";
    site.manifest(name, &manifest(name, "timeout_seconds = 10", &format!("{session}\n{command}")));
    site
}

/// A request with these interactions, each a command and its arguments.
fn request(slug: &str, tool: &str, interactions: &[(&str, Value)]) -> Request {
    Request::call(slug, tool).interactions(interactions)
}

/// What becomes of these lines.
fn said(site: &Site, tool: &str, lines: &[&str]) -> Bundle {
    let interactions: Vec<_> = lines.iter().map(|line| ("say", json!({ "command": line }))).collect();
    let request = request(&tool.replace('_', "-"), tool, &interactions);
    site.copy_in(&request);
    site.up();
    site.result(&request.id)
}

/// The interactions of a result: the status of each, and its output.
fn answers(bundle: &Bundle) -> Vec<(String, String)> {
    let interactions = bundle.evidence()["interactions"].as_array().cloned().unwrap_or_default();
    interactions
        .iter()
        .map(|one| (text(&one["status"]), one["results"]["output"].as_str().map(str::to_owned).unwrap_or_default()))
        .collect()
}

fn succeeded(outputs: &[&str]) -> Vec<(String, String)> {
    outputs.iter().map(|output| ("success".to_owned(), (*output).to_owned())).collect()
}

/// A site that believes declared approvals, with the session of the guide; and the request of the guide.
fn site_of_guide() -> (Site, Request) {
    let site = Site::with_config("[inbox]\nsettle_ms = 50\n[approval]\nmode = \"declared\"\n");
    site.manifest("notes_db", &guide("notes_db"));
    let table = json!({ "table": "primes" });
    let insert = json!({ "table": "primes", "number": 7 });
    (site, request("guide", "notes_db", &[("create", table.clone()), ("insert", insert), ("query", table)]))
}

const APPROVED: &str = "approved_by: alice\napproved_utc: \"2026-02-09T16:07:00Z\"";

#[test]
fn the_session_of_the_guide_is_accepted_with_its_evidence() {
    let (site, request) = site_of_guide();
    let request = request.line(APPROVED);
    site.copy_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    let evidence = bundle.evidence();
    assert_eq!(evidence["status"], "success", "{evidence:#}");
    assert_eq!(text(&evidence["parent_session_id"]), request.id);
    assert_eq!(evidence["argv"], json!(["sqlite3", ":memory:"]));
    let told = evidence["interactions"].as_array().unwrap();
    let inputs: Vec<String> = told.iter().map(|one| text(&one["input"])).collect();
    let query = "select number from primes order by number;";
    assert_eq!(inputs, ["create table primes (number int);", "insert into primes values (7);", query]);
    assert_eq!(told[1]["arguments"], json!({ "table": "primes", "number": "7" }));
    let results = json!({ "prompt": "sqlite> ", "output": "7\n", "session_state": "ready", "interaction_count": 3 });
    assert_eq!(told[2]["results"], results);
    let stdout = bundle.read("artifacts/stdout.txt");
    let [offset, bytes] =
        ["output_offset", "output_bytes"].map(|key| usize::try_from(told[2][key].as_u64().unwrap()).unwrap());
    assert_eq!(&stdout[offset..offset + bytes], "7\nsqlite> ");
    let transcript = bundle.read("artifacts/transcript.txt");
    assert!(transcript.starts_with(&format!("Session {} of notes_db\n", request.id)), "{transcript}");
    assert!(transcript.ends_with(&format!(", permitted by low-risk\n> {query}\n| 7\n")), "{transcript}");
    assert!(transcript.contains(&format!(" ms\nscan {}, ", text(&told[2]["scan_id"]))), "{transcript}");
    let document = bundle.document();
    assert!(document.contains(&format!("- Interaction 3: `query`, input `{query}`, success after ")), "{document}");
    assert!(document.contains("\"output\": \"7\\n\""), "{document}");
}

#[test]
fn an_answer_that_tells_of_an_error_is_a_failed_interaction_and_the_next_is_said() {
    let session = "startup_command = \"sqlite3 :memory:\"\nready_pattern = \"^sqlite> $\"\n\
                   error_pattern = \"(?m)^(Parse|Runtime) error\"";
    let site = site_with("notes", session);
    let bundle = said(&site, "notes", &["select 1;", "select x from nowhere;", "select 2;"]);
    let evidence = bundle.evidence();
    assert_eq!(bundle.code(), "TOOL_FAILED", "{evidence:#}");
    let [one, failed, two] = &answers(&bundle)[..] else { panic!("{evidence:#}") };
    assert_eq!([one, two], [&("success".to_owned(), "1\n".to_owned()), &("success".to_owned(), "2\n".to_owned())]);
    assert_eq!(failed, &("error".to_owned(), String::new()));
    let message = "The answer to interaction 2 of 3 reports an error.";
    assert_eq!(evidence["error"]["message"], message);
    assert!(bundle.read("artifacts/stdout.txt").contains("no such table"));
}

#[test]
fn the_risk_of_an_interaction_makes_its_request_wait_for_an_approval() {
    let (site, request) = site_of_guide();
    site.copy_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    assert_eq!((bundle.code().as_str(), bundle.reasons()), ("REQUEST_REFUSED", vec!["approval_missing".to_owned()]));
}

#[test]
fn who_approves_a_session_sees_every_line_of_it() {
    let office = Office::new("");
    office.site.manifest("notes_db", &guide("notes_db"));
    let (_, request) = site_of_guide();
    office.site.copy_in(&request);
    office.site.gatepost(&["exec", "--once"]).succeeds();
    let shown = office.site.gatepost(&["show", &request.id, "--output", "plain"]).stdout();
    assert!(
        shown.contains("Would run: sqlite3 :memory:\nInteraction 1: create table primes (number int);\n"),
        "{shown}"
    );
    let signature = office.signature("alice", "gatepost-approval", request.markdown().as_bytes());
    office.drop_signature(&format!("{}.sig", request.name()), &signature);
    office.site.up();
    let bundle = office.site.result(&request.id);
    assert_eq!(bundle.evidence()["approvals"][0]["approved_by"], "alice");
    assert_eq!(answers(&bundle), succeeded(&["", "", "7\n"]));
}

#[test]
fn the_command_line_shows_what_may_be_said_and_how_to_ask_for_it() {
    let (site, _) = site_of_guide();
    let shown = site.gatepost(&["tools", "show", "notes_db", "--output", "plain"]).stdout();
    assert!(
        shown.contains("\nCommand insert (medium, 1 approval)\n  Insert one number\n  table  string, required\n"),
        "{shown}"
    );
    site.gatepost(&["tools", "check", "notes_db"]).succeeds();
    let error = &site.gatepost(&["tools", "run", "notes_db"]).ends(2)["error"];
    assert!(text(&error["errors"][0]["hint"]).contains("`gatepost submit FILE`"), "{error:#}");
}

#[test]
fn sessions_are_held_for_an_unprivileged_user_too() {
    for name in ["the_session_of_the_guide", "python_and_bc", "a_program_that"] {
        passes_as_nobody(module_path!(), name);
    }
}

#[test]
fn a_policy_speaks_of_one_command_of_a_session() {
    let (site, request) = site_of_guide();
    let forbid = "@id(\"no-inserts\")\nforbid (principal, action, resource == Gatepost::Tool::\"notes_db.insert\")\n\
                  when { context.arguments has \"notes_db.insert\" && context.arguments[\"notes_db.insert\"].number > 6 };\n";
    fs::write(site.path("policies/more.cedar"), forbid).unwrap();
    let request = request.line(APPROVED);
    fs::create_dir(site.path("outside")).unwrap();
    request.write(&site.path("outside"));
    let path = site.path("outside").join(request.name());
    let explained = site.gatepost(&["policy", "explain", path.to_str().unwrap(), "--output", "plain"]);
    let explained = explained.stdout() + &explained.stderr();
    for line in [
        "Interaction 2\n",
        "Gatepost::Tool::\"notes_db.insert\"",
        "Decision:   denied by\n            forbid no-inserts",
    ] {
        assert!(explained.contains(line), "{explained}");
    }
    site.copy_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    assert_eq!((bundle.code().as_str(), bundle.reasons()), ("REQUEST_REFUSED", vec!["policy_denied".to_owned()]));
}

#[test]
fn python_and_bc_and_gdb_are_sessions() {
    let python = "startup_command = \"/usr/bin/python3 -i -q\"\nready_pattern = '^>>> $'";
    let site = site_with("python_console", python);
    assert_eq!(answers(&said(&site, "python_console", &["n = 6", "42", "n * 7"])), succeeded(&["", "42\n", "42\n"]));
    let site = Site::new();
    let bc = "startup_command = \"bc -q\"\n[session.interaction]\ninput_sanitize = []\noutput_wait_ms = 300\n[session.commands.say]";
    site.manifest("bc_console", &manifest("bc_console", "", bc));
    assert_eq!(answers(&said(&site, "bc_console", &["n = 6", "n * 7"])), succeeded(&["", "42\n"]));
    let site = site_with("debugger", "startup_command = \"gdb -q -nx\"\nready_pattern = '^\\(gdb\\) $'");
    let found = answers(&said(&site, "debugger", &["print 6 * 7", "file /bin/true", "run"]));
    assert_eq!(found[0].1, "$1 = 42\n");
    assert!(!found[2].1.contains("exited normally"), "a debugger traces nothing here: {found:?}");
}

/// A shell script as the program of a session.
fn script(name: &str, script: &str, more: &str) -> Site {
    site_with(name, &format!("startup_command = '''sh -c '{script}' '''\nready_pattern = '^> $'\n{more}"))
}

#[test]
fn a_program_that_echoes_clears_the_screen_and_prints_its_prompt_is_understood() {
    let site = script(
        "noisy",
        r#"printf "hello\n> "; while read line; do printf "%s\r\n\033[2J\033[H\033[31m%s\033[0m\n> \n> no\n> " "$line" "red"; done"#,
        "",
    );
    let bundle = said(&site, "noisy", &["one", "two"]);
    assert_eq!(answers(&bundle), succeeded(&["one\nred\n> \n> no\n", "two\nred\n> \n> no\n"]));
    let transcript = bundle.read("artifacts/transcript.txt");
    assert!(
        transcript.contains("\n> two\n| two\n| red\n| > \n| > no\n") && !transcript.contains("hello"),
        "{transcript}"
    );
    assert!(bundle.read("artifacts/stdout.txt").starts_with("hello\n> "));
}

#[test]
fn a_program_that_floods_or_falls_silent_fails_its_interaction_and_keeps_those_before() {
    let bound = "[session.interaction]\noutput_max_bytes = 1000\ninput_sanitize = []\n[session.commands.say]";
    let script = r#"printf "> "; read line; printf "one\n> "; read line; "#;
    for (end, code, status) in [
        ("exec yes", "OUTPUT_LIMIT", "error"),
        ("exec sleep 100", "TIMEOUT", "timeout"),
        ("exit 3", "TOOL_FAILED", "error"),
        ("kill -9 $$", "TOOL_KILLED", "error"),
    ] {
        let site = Site::new();
        let session = format!("startup_command = '''sh -c '{script}{end}' '''\nready_pattern = '^> $'\n{bound}");
        site.manifest("broken", &manifest("broken", "timeout_seconds = 1", &session));
        let begun = Instant::now();
        let bundle = said(&site, "broken", &["one", "two", "three"]);
        assert_eq!(bundle.code(), code, "{end}");
        assert_eq!(
            answers(&bundle),
            [succeeded(&["one\n"]), vec![(status.to_owned(), String::new())]].concat(),
            "{end}"
        );
        assert!(begun.elapsed() < Duration::from_secs(30), "{end}");
        let message = text(&bundle.evidence()["error"]["message"]);
        assert!(message.contains("at interaction 2 of 3"), "{end}: {message}");
    }
}

#[test]
fn a_program_that_is_never_ready_is_told_nothing() {
    let site = script("silent", "exec sleep 100", "startup_timeout_seconds = 1");
    let bundle = said(&site, "silent", &["one"]);
    assert_eq!((bundle.code().as_str(), answers(&bundle)), ("TIMEOUT", Vec::new()));
    assert!(!bundle.0.join("artifacts/transcript.txt").exists());
}

#[test]
fn a_session_has_an_end_whatever_its_interactions_allow() {
    let script = r#"printf "> "; while read line; do sleep 0.6; printf "> "; done"#;
    let site = self::script("slow", script, "session_timeout_seconds = 2");
    let bundle = said(&site, "slow", &["one"; 10]);
    assert_eq!(bundle.code(), "TIMEOUT");
    let answers = answers(&bundle);
    assert!((2..=4).contains(&answers.len()) && answers.last().unwrap().0 == "timeout", "{answers:?}");
}

#[test]
fn a_program_that_ignores_its_end_or_forks_away_is_stopped_with_all_of_it() {
    let config = "[inbox]\nsettle_ms = 50\n[exec]\ngrace_ms = 200\n";
    for (end, sentence) in [
        (r#"trap "" TERM HUP; while :; do sleep 0.05; done"#, "did not exit at the end of its input"),
        (r#"(trap "" HUP; setsid sleep 100) & read rest; exit 0"#, ""),
    ] {
        let site = Site::with_config(config);
        let session = format!(
            "startup_command = '''sh -c 'printf \"> \"; read line; printf \"> \"; {end}' '''\nready_pattern = '^> $'\n\
             [session.commands.say]"
        );
        site.manifest("clinging", &manifest("clinging", "", &session));
        let begun = Instant::now();
        let bundle = said(&site, "clinging", &["one"]);
        assert_eq!(answers(&bundle), succeeded(&[""]), "{end}");
        assert_eq!(bundle.evidence()["status"], "success", "{end}");
        assert!(begun.elapsed() < Duration::from_secs(30), "{end}");
        let anomalies = bundle.evidence()["anomalies"].to_string();
        assert!(anomalies.contains(sentence), "{end}: {anomalies}");
    }
}

#[test]
fn a_session_that_is_cut_off_is_interrupted_and_is_said_nothing_twice() {
    let site = Site::steady();
    let effects = site.path("effects");
    let script = format!(r#"printf "> "; read line; echo "$line" >> {}; sleep 100"#, effects.display());
    let session = format!("startup_command = '''sh -c '{script}' '''\nready_pattern = '^> $'\n[session.commands.say]");
    site.manifest("cut_off", &manifest("cut_off", "", &session));
    let request =
        request("cut-off", "cut_off", &[("say", json!({ "command": "one" })), ("say", json!({ "command": "two" }))]);
    site.copy_in(&request);
    let bundle = site.interrupted(&request.id, "stdout");
    let evidence = bundle.evidence();
    assert_eq!(text(&evidence["parent_session_id"]), request.id);
    assert_eq!((answers(&bundle), bundle.read("artifacts/stdout.txt").as_str()), (Vec::new(), "> "));
    let effects = fs::read_to_string(effects).unwrap_or_default();
    assert!(["", "one\n"].contains(&effects.as_str()), "{effects}");
}

#[test]
fn each_interaction_is_held_against_its_own_command() {
    let site = Site::new();
    fs::write(site.path("scope/scope.toml"), "[scope]\ntargets = [\"10.0.0.0/8\"]\n").unwrap();
    let session = "startup_command = \"sh\"\nmax_interactions = 3\n[session.commands.aim]\ntemplate = \"aim {target}\"\n\
                   args.target = { type = \"scope_target\", required = true }\n[session.commands.say]\npattern = \"^say \"";
    site.manifest("held", &manifest("held", "", session));
    let [good, outside] = ["10.1.2.3", "192.0.2.1"].map(|target| ("aim", json!({ "target": target })));
    let say = |line: &str| ("say", json!({ "command": line }));
    for (slug, interactions, code) in [
        ("outside", vec![good.clone(), outside], "out_of_scope"),
        ("unknown", vec![("sing", json!({}))], "argument_unknown"),
        ("pattern", vec![say("sing it")], "argument_invalid"),
        ("sanitized", vec![say("say it; rm")], "argument_invalid"),
        ("missing", vec![("aim", json!({}))], "argument_missing"),
        ("many", vec![say("say it"); 4], "limit_exceeded"),
    ] {
        let request = request(slug, "held", &interactions);
        site.copy_in(&request);
        site.up();
        let bundle = site.result(&request.id);
        assert_eq!((bundle.code().as_str(), bundle.reasons()), ("REQUEST_REFUSED", vec![code.to_owned()]), "{slug}");
        assert!(bundle.evidence().get("parent_session_id").is_none(), "{slug}");
    }
    for (slug, tool, line, code) in [
        ("none", "held", "priority: low", "key_missing"),
        ("no-session", "fail_with", "args:\n  status: 0\ninteractions:\n  - command: say", "key_unknown"),
        (
            "open",
            "held",
            "session_id: S-1\ninteractions:\n  - command: aim\n    args:\n      target: 10.0.0.1",
            "session_unknown",
        ),
    ] {
        let request = Request::call(slug, tool).line(line);
        site.copy_in(&request);
        site.up();
        assert_eq!(site.result(&request.id).reasons(), [code], "{slug}");
    }
}

/// Reads keys one by one, as line editors do, and shows them itself.
const LINE_EDITOR: &str = "import os, sys, termios, tty\n\
    old = termios.tcgetattr(0)\n\
    tty.setraw(0)\n\
    termios.tcflush(0, termios.TCOFLUSH)\n\
    while True:\n    \
    sys.stdout.write('> ')\n    \
    sys.stdout.flush()\n    \
    line = ''\n    \
    while not line.endswith(('\\r', '\\n', '\\x04')):\n        \
    line += os.read(0, 1).decode()\n    \
    if line.endswith('\\x04'):\n        \
    break\n    \
    sys.stdout.write(f'{line.strip()}!\\r\\n')\n\
    termios.tcsetattr(0, termios.TCSADRAIN, old)\n";

#[test]
fn a_line_editor_of_the_sites_tools_works_on_the_terminal_at_every_level() {
    for level in ["full", "landlock", "none"] {
        let sandbox = format!("[sandbox]\nminimum = \"{level}\"\nmaximum = \"{level}\"\n");
        let site = Site::with_config(&format!("[inbox]\nsettle_ms = 50\n{sandbox}"));
        fs::write(site.path("gate.toml"), format!("[sandbox]\nminimum = \"{level}\"\n")).unwrap();
        let session = |startup: &str| {
            format!(
                "startup_command = \"{startup}\"\nready_pattern = \"^> $\"\n[session.interaction]\ninput_sanitize = []\n\
                 [session.commands.say]\ndescription = \"Any line\""
            )
        };
        site.script("edit.py", &format!("#!/usr/bin/python3\n{LINE_EDITOR}"));
        site.manifest("edit", &manifest("edit", "timeout_seconds = 10", &session("/tools/scripts/edit.py")));
        site.manifest("read", &manifest("read", "timeout_seconds = 10", &session("python3 /tools/scripts/edit.py")));
        for tool in ["edit", "read"] {
            let bundle = said(&site, tool, &["one", "two"]);
            assert_eq!(answers(&bundle), succeeded(&["one!\n", "two!\n"]), "{level} {tool} {}", bundle.document());
        }
        let found = site.gatepost(&["doctor"]).0.stdout;
        let doctor: Value = serde_json::from_slice(&found).unwrap();
        let findings = doctor["data"]["findings"].as_array().unwrap();
        let edit = findings.iter().find(|finding| finding["check"] == "tool.edit").unwrap();
        assert_eq!(edit["status"], "ok", "{edit}");
    }
}

#[test]
fn an_interpreter_takes_blocks_line_by_line_at_the_prompt_for_a_further_line() {
    for (name, startup, prompt, lines) in [
        ("python", "python3 -i -q", r"^(>>>|\\.\\.\\.) $", ["def f(x):", "    return x + 1", "", "f(1)"]),
        ("node", "node", r"^(>|\\.\\.\\.|\\|) $", ["function f(x) {", "return x + 1", "}", "f(1)"]),
    ] {
        let session = format!("startup_command = \"{startup}\"\nready_pattern = \"{prompt}\"");
        let site = site_with(name, &session);
        let path = format!("tools/{name}.clad.toml");
        let text = fs::read_to_string(site.path(&path)).unwrap();
        let empty = "[session.commands.enter]\ndescription = \"An empty line, which ends a block\"\ntemplate = \"\"\n";
        fs::write(site.path(&path), text + empty).unwrap();
        let interaction = |line: &str| match line {
            "" => ("enter", json!({})),
            line => ("say", json!({ "command": line })),
        };
        let request = request(name, name, &lines.map(interaction));
        site.copy_in(&request);
        site.up();
        let bundle = site.result(&request.id);
        let answers = answers(&bundle);
        assert!(answers.len() == 4 && answers.iter().all(|(status, _)| status == "success"), "{}", bundle.document());
        assert!(answers[3].1.ends_with("2\n"), "{name}: {answers:?}");
    }
}

#[test]
fn a_prompt_that_no_pattern_knows_is_told_with_what_to_do() {
    let site = site_with("python", "startup_command = \"python3 -i -q\"\nready_pattern = \"^>>> $\"");
    let path = site.path("tools/python.clad.toml");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("timeout_seconds = 10", "timeout_seconds = 1"))
        .unwrap();
    let bundle = said(&site, "python", &["def f(x):"]);
    assert!(
        text(&bundle.evidence()["error"]["hint"]).contains("to be added to ready_pattern"),
        "{}",
        bundle.document()
    );
}
