//! Manifests as people write them: each kind is taken, or refused for a reason that says what to change.

use std::fs;

use serde_json::{Value, json};

use crate::site::{Bundle, Request, Site, text};

/// A kind of manifest: its name, its text without `[tool] name` and `description`, and what the check says of it. An error is
/// marked by `!`; everything else is a warning.
type KindOfManifest = (&'static str, &'static str, &'static [&'static str]);

const KINDS: [KindOfManifest; 28] = [
    (
        "no_schema",
        "version = '1.0.0'\nbinary = 'cat'\n[args.file]\ntype = 'path'\nrequired = true\n[command]\ntemplate = 'cat {file}'\n\
         [output]\nformat = 'text'\nenvelope = true",
        &["[output] schema is missing"],
    ),
    ("no_output", "version = '1'\nbinary = 'date'\n[command]\nexec = ['date']", &["[output] is missing"]),
    (
        "no_envelope",
        "version = '1'\nbinary = 'date'\n[command]\nexec = ['date']\n[output]\nenvelope = false\nschema = {}",
        &["[output] envelope is false"],
    ),
    (
        "placeholder_default",
        "version = '1'\nbinary = 'sleep'\n[command]\ntemplate = 'sleep {_timeout}'\n[command.defaults]\n_timeout = '1s'\n[output]\nschema = {}",
        &[],
    ),
    (
        "exec_and_template",
        "version = '1'\nbinary = 'date'\n[command]\nexec = ['date']\ntemplate = 'date -u'\n[output]\nschema = {}",
        &["[command] template has no effect beside `exec`."],
    ),
    (
        "template_and_executor",
        "version = '1'\n[command]\nexecutor = 'run.sh'\ntemplate = 'date -u'\n[output]\nschema = {}",
        &["![command] needs exactly one of"],
    ),
    (
        "executor_elsewhere",
        "version = '1'\n[command]\nexecutor = '/opt/none/run.sh'\n[output]\nschema = {}",
        &["![command] executor is \"/opt/none/run.sh\", which is not inside tools/."],
    ),
    (
        "executor_outside",
        "version = '1'\n[command]\nexecutor = '../run.sh'\n[output]\nschema = {}",
        &["![command] executor is \"../run.sh\", which is not a path inside tools/."],
    ),
    (
        "type_beside_tools",
        "version = '1'\nbinary = 'echo'\n[args.level]\ntype = 'severity_level'\nrequired = true\n[command]\nexec = ['echo', '{level}']\n[output]\nschema = {}",
        &[],
    ),
    (
        "settings_of_others",
        "version = '1'\nbinary = 'echo'\nschemapin = {public_key = 'x'}\nevidence = {output_dir = 'd', capture = true, hash = 'sha256'}\n\
         [args.word]\ntype = 'enum'\nallowed = ['a']\nrequired = true\nfeeds_decision = true\n[command]\nexec = ['echo', '{word}']\n[output]\nschema = {}",
        &[
            "[tool.schemapin] has no effect.",
            "[tool.evidence] output_dir has no effect.",
            "[args.word] feeds_decision has no effect.",
        ],
    ),
    (
        "own_scope",
        "version = '1'\nbinary = 'echo'\nscope = {targets = ['10.0.0.0/8']}\n[command]\nexec = ['echo']\n[output]\nschema = {}",
        &[],
    ),
    (
        "no_version",
        "mode = 'session'\n[session]\nstartup_command = 'cat'\n[session.commands.say]\n[output]\nschema = {}",
        &["[tool] version is missing: results will state 0.0.0."],
    ),
    (
        "advisory",
        "version = '1'\nbinary = 'date'\n[args.rationale]\ntype = 'string'\n[command]\nexec = ['date']\n[output]\nschema = {}",
        &["[args.rationale] is never used."],
    ),
    (
        "unused_target",
        "version = '1'\nbinary = 'date'\n[args.host]\ntype = 'scope_target'\n[command]\nexec = ['date']\n[output]\nschema = {}",
        &["![args.host] is never used."],
    ),
    (
        "literal",
        "version = '1'\nbinary = 'echo'\n[args.note]\ntype = 'literal_text'\nrequired = true\n[command]\nexec = ['echo', '--', '{note}']\n[output]\nschema = {}",
        &[],
    ),
    (
        "literal_in_a_template",
        "version = '1'\nbinary = 'echo'\n[args.note]\ntype = 'literal_text'\nrequired = true\n[command]\ntemplate = 'echo {note}'\n[output]\nschema = {}",
        &["![command] template uses note"],
    ),
    (
        "dangling",
        "version = '1'\nbinary = 'echo'\n[args.tool]\ntype = 'string'\n[command]\ntemplate = 'echo --tool {tool}'\n[output]\nschema = {}",
        &["[command] has the flag \"--tool\", which dangles when tool is not given."],
    ),
    (
        "conditional",
        "version = '1'\nbinary = 'echo'\n[args.tool]\ntype = 'string'\n[command]\ntemplate = 'echo {_tool_flag}'\n\
         conditionals.tool_flag = {when = \"tool != ''\", template = '--tool {tool}'}\n[output]\nschema = {}",
        &[],
    ),
    (
        "two_endings",
        "version = '1'\nbinary = 'grep'\n[args.word]\ntype = 'string'\nrequired = true\n[args.file]\ntype = 'path'\nrequired = true\n[command]\nexec = ['grep', '-c', '--', '{word}', '{file}']\n\
         success_exit_codes = [0, 1]\n[output]\nschema = {}",
        &[],
    ),
    (
        "browser_of_the_documents",
        "version = '1'\nmode = 'browser'\n[browser]\nengine = 'cdp-direct'\nconnect = 'launch'\n[browser.defaults]\nextract_mode = 'html'\n[output]\nschema = {}",
        &[],
    ),
    (
        "browser_of_others",
        "version = '1'\nmode = 'browser'\n[browser]\nengine = 'selenium'\n[output]\nschema = {}",
        &["![browser] engine is \"selenium\", but must be one of: cdp, cdp-direct, playwright."],
    ),
    (
        "session_of_the_documents",
        "version = '1'\n[session]\nstartup_command = 'cat'\n[session.commands.aim]\npattern = '^aim'\nextract_target = true\n[output]\nschema = {}",
        &["!gatepost does not support [session.commands.aim] extract_target."],
    ),
    (
        "missing_program",
        "version = '1'\nbinary = 'no-such-program'\n[command]\nexec = ['no-such-program']\n[output]\nschema = {}",
        &["!gatepost failed to find \"no-such-program\""],
    ),
    (
        "missing_script",
        "version = '1'\n[command]\nexecutor = 'scripts/none.sh'\n[output]\nschema = {}",
        &["!tools/scripts/none.sh is missing or not executable."],
    ),
    (
        "missing_parser",
        "version = '1'\nbinary = 'date'\n[command]\nexec = ['date']\n[output]\nparser = 'scripts/none.py'\nschema = {}",
        &["!tools/scripts/none.py is missing or not executable."],
    ),
    (
        "kept_path",
        "version = '1'\nbinary = 'date'\n[command]\nexec = ['date']\n[sandbox]\nread_only_paths = ['/tmp/x']\n[output]\nschema = {}",
        &["![sandbox] read_only_paths contains \"/tmp/x\", which the sandbox reserves."],
    ),
    ("http", "version = '1'\n[http]\nmethod = 'GET'\nurl = 'https://api.example.com/'\n[output]\nschema = {}", &[]),
    ("mcp", "version = '1'\n[mcp]\nserver = 's'\ntool = 't'\n[output]\nschema = {}", &[]),
];

fn whole(name: &str, rest: &str) -> String {
    format!("[tool]\nname = '{name}'\ndescription = 'For tests'\n{rest}\n")
}

/// A site without the sample tools.
fn site_with(manifests: &[(&str, String)]) -> Site {
    let site = Site::new();
    fs::remove_dir_all(site.path("tools")).unwrap();
    fs::create_dir(site.path("tools")).unwrap();
    for (name, text) in manifests {
        site.manifest(name, text);
    }
    site
}

fn sentences(check: &Value, key: &str) -> Vec<String> {
    check[key].as_array().unwrap().iter().map(|reason| text(&reason["message"])).collect()
}

fn answered(site: &Site, request: &Request) -> Bundle {
    site.rename_in(request);
    site.up();
    site.result(&request.id)
}

#[test]
fn each_kind_of_manifest_is_taken_or_refused_as_it_is_said() {
    let manifests: Vec<_> = KINDS.iter().map(|(name, rest, _)| (*name, whole(name, rest))).collect();
    let site = site_with(&manifests);
    // Some program in the place of the browser, which need not be installed.
    site.configure("[mcp.servers.s]\nurl = 'https://mcp.example.org/'\n[browser]\nprogram = '/bin/sh'\n");
    fs::write(site.path("toolclad.toml"), "[types.severity_level]\nbase = 'enum'\nallowed = ['low', 'high']\n")
        .unwrap();
    let checks = site.gatepost(&["tools", "check"]).ends(79)["data"]["tools"].as_array().unwrap().clone();
    assert_eq!(checks.len(), KINDS.len());
    for (name, _, expected) in KINDS {
        let check = checks.iter().find(|check| text(&check["path"]).ends_with(&format!("/{name}.clad.toml"))).unwrap();
        let (errors, warnings): (Vec<&str>, Vec<&str>) = expected.iter().partition(|said| said.starts_with('!'));
        for (key, expected) in [("errors", errors), ("warnings", warnings)] {
            let found = sentences(check, key);
            assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
            let is_said = |said: &&str| found.iter().any(|found| found.starts_with(said.trim_start_matches('!')));
            assert!(expected.iter().all(is_said), "{name}: {found:?}");
        }
        assert_eq!(check["ok"], expected.iter().all(|said| !said.starts_with('!')), "{name}");
    }
}

#[test]
fn warnings_alone_fail_nothing_and_stand_apart_from_errors_as_compilers_print_them() {
    let warned = whole("warned", "binary = 'date'\n[command]\nexec = ['date']\n[output]\nschema = {}");
    let site =
        site_with(&[("warned", warned), ("twin", whole("warned", "version = '1'\n[mcp]\nserver = 's'\ntool = 't'"))]);
    let check = ["tools", "check", "--output", "text"];
    let shown = site.gatepost(&check);
    assert!(
        shown
            .stdout()
            .contains("error: twin.clad.toml also has the name warned.\n  --> warned.clad.toml\n  = help: Rename"),
        "{}",
        shown.stdout()
    );
    assert_eq!(shown.exit(), Some(79));
    fs::remove_file(site.path("tools/twin.clad.toml")).unwrap();
    let shown = site.gatepost(&check);
    let expected = "warned.clad.toml (1 warning)\nwarning: [tool] version is missing: results will state 0.0.0.\n  \
                    --> warned.clad.toml:1:1\n  = help: Add `version`, and raise it with every change.\n";
    assert!(shown.stdout().starts_with("ok       ") && shown.stdout().ends_with(expected), "{}", shown.stdout());
    assert_eq!(shown.exit(), Some(0));
}

#[test]
fn what_a_tool_takes_is_shown_within_a_terminal_and_no_value_of_a_secret() {
    let manifest = whole(
        "scan",
        "version = '2.1'\nrisk_tier = 'high'\napprovers = 2\nbinary = 'echo'\n\
         [args.kind]\ntype = 'enum'\nallowed = ['ping', 'service']\nrequired = true\ndescription = 'What is looked for; quick kinds \
         come first, thorough ones last, and the order has no other meaning than that'\n\
         [args.threads]\ntype = 'integer'\nmin = 1\nmax = 64\nclamp = true\ndefault = 4\n\
         [args.user]\ntype = 'string'\npattern = '^[a-z]+$'\nsensitive = true\ndefault = 'root'\n\
         [command]\nexec = ['echo', '{kind}', '{threads}', '{user}']\nenv = {KEY = '{_secret:token}', OTHER = '{_secret:other}'}\n\
         [limits]\ncpu = 5\n[output]\nschema = {}",
    );
    let site = site_with(&[("scan", manifest)]).with_variable("TOOLCLAD_SECRET_TOKEN", "hunter2-hunter2");
    let shown = site.gatepost(&["tools", "show", "scan", "--output", "text"]);
    let page = shown.stdout();
    for expected in [
        "scan 2.1\nFor tests\n",
        "risk        high, 2 approvals\n",
        "limits      60 s, cpu 5\n",
        "secrets     other (not set), token (set)\n",
        "  kind  enum, required\n    one of ping, service\n    What is looked for;",
        "  threads  integer, optional\n    1 to 64 (clamped); default \"4\"\n",
        "  user  string, optional, sensitive\n    matches \"^[a-z]+$\"\n",
    ] {
        assert!(page.contains(expected), "{expected}\n{page}");
    }
    assert!(!page.contains("hunter2") && !page.contains("root\""), "{page}");
    let is_long = |line: &&str| line.chars().count() > 80 && line.split_whitespace().count() > 2;
    assert_eq!(page.lines().find(is_long), None);
    assert_eq!(shown.exit(), Some(0));
}

#[test]
fn models_are_offered_only_what_runs() {
    let browser = whole("pages", "[browser]\nconnect = 'live'");
    let site = site_with(&[("now", whole("now", "binary = 'date'\n[command]\nexec = ['date']")), ("pages", browser)]);
    let offered = site.gatepost(&["tools", "schema"]).succeeds()["data"]["tools"].as_array().unwrap().clone();
    assert_eq!(offered.iter().map(|tool| text(&tool["name"])).collect::<Vec<_>>(), ["now"]);
    let refused = site.gatepost(&["tools", "schema", "pages"]).ends(79);
    assert_eq!(refused["error"]["errors"][0]["code"], "backend_unavailable");
}

#[test]
fn an_exit_code_that_the_manifest_lists_is_no_failure_and_a_path_leads_to_the_input() {
    let (name, rest, _) = KINDS[18];
    let site = site_with(&[(name, whole(name, rest))]);
    for (slug, word, exit_code) in [("found", "needle", 0), ("absent", "thimble", 1)] {
        let request =
            Request::call(slug, name).arg("word", word).arg("file", "hay.txt").input("hay.txt", b"a needle\n");
        let bundle = answered(&site, &request);
        let evidence = bundle.evidence();
        assert_eq!((bundle.code().as_str(), &evidence["exit_code"]), ("", &json!(exit_code)), "{}", bundle.document());
        assert_eq!(evidence["argv"][4], "in/hay.txt");
        assert_eq!(evidence["arguments"]["file"], "hay.txt");
        assert!(bundle.0.starts_with(site.path("core/inbound")));
    }
}

#[test]
fn an_executor_elsewhere_runs_where_the_manifest_lets_its_tool_read() {
    let folder = tempfile::Builder::new().prefix("scripts-").tempdir_in("/var/tmp").unwrap();
    let script = folder.path().join("run.sh");
    fs::write(&script, "#!/bin/sh\necho \"$TOOLCLAD_ARG_LEVEL\"\n").unwrap();
    fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let rest = format!(
        "version = '1'\n[args.level]\ntype = 'severity_level'\n[command]\nexecutor = {script:?}\n[sandbox]\nread_only_paths = [{:?}]",
        folder.path()
    );
    let site = site_with(&[("far", whole("far", &rest))]);
    fs::write(site.path("toolclad.toml"), "[types.severity_level]\nbase = 'enum'\nallowed = ['low', 'high']\n")
        .unwrap();
    site.gatepost(&["tools", "check"]).succeeds();
    let bundle = answered(&site, &Request::call("far", "far").arg("level", "high"));
    assert_eq!(bundle.evidence()["results"], json!({"raw_output": "high\n"}), "{}", bundle.document());
    let programs = bundle.evidence()["programs"].as_array().unwrap().clone();
    let files: Vec<_> = programs.iter().map(|file| (text(&file["role"]), text(&file["path"]))).collect();
    let expected =
        [("executor".to_owned(), script.display().to_string()), ("types".to_owned(), "toolclad.toml".to_owned())];
    assert_eq!(files, expected);
}

#[test]
fn text_beyond_a_mebibyte_gives_its_beginning_up_to_a_whole_character() {
    let rest = "version = '1'\nbinary = 'cat'\n[args.file]\ntype = 'path'\nrequired = true\n[command]\nexec = ['cat', '{file}']";
    let site = site_with(&[("echo", whole("echo", rest))]);
    // Of the character at the end of the mebibyte half would fit.
    let printed = format!("{}é tail", " word".repeat(1 << 18).split_at((1 << 20) - 1).0);
    let request = Request::call("long", "echo").arg("file", "a.txt").input("a.txt", printed.as_bytes());
    let bundle = answered(&site, &request);
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    let results: Value = serde_json::from_str(&bundle.read("artifacts/results.json")).unwrap();
    let kept = printed.find('é').unwrap();
    assert_eq!(kept, (1 << 20) - 1);
    assert_eq!(results, json!({"raw_output": printed[..kept]}));
    let said = format!("The output is longer than 1048576 bytes; the results hold its first {kept}.");
    assert_eq!(bundle.evidence()["anomalies"], json!([said]));
}

#[test]
fn results_beyond_a_mebibyte_lie_in_a_file_that_evidence_and_document_name() {
    let rest = "version = '1'\nbinary = 'cat'\n[args.file]\ntype = 'path'\nrequired = true\n[command]\nexec = ['cat', '{file}']\n\
                [output]\nformat = 'json'\nschema = {type = 'array', items = {type = 'string'}}";
    let site = site_with(&[("echo", whole("echo", rest))]);
    let rows = vec!["a row of several plain words".to_owned(); 100_000];
    let printed = serde_json::to_string_pretty(&rows).unwrap();
    let request = Request::call("rows", "echo").arg("file", "a.json").input("a.json", printed.as_bytes());
    let bundle = answered(&site, &request);
    let (evidence, file) = (bundle.evidence(), bundle.read("artifacts/results.json"));
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    assert_eq!((&evidence["results"], &evidence["results_file"]), (&Value::Null, &json!("artifacts/results.json")));
    assert_eq!(file, serde_json::to_string(&rows).unwrap());
    let line = format!(
        "Parsed results: in [`/results.json`](artifacts/results.json) ({} bytes as compact JSON).\n",
        file.len()
    );
    assert!(
        bundle.document().contains(&line)
            && bundle.document().contains("- [`/results.json`](artifacts/results.json)  sha256: `")
    );
    assert!(bundle.0.starts_with(site.path("core/inbound")));
    site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
    let shown = site.gatepost(&["show", &request.id, "--output", "text"]);
    assert!(shown.stdout().contains("Results:  in artifacts/results.json\n"), "{}", shown.stdout());
}
