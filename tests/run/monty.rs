//! The lane monty: what a program may do, what it is answered, and how each limit ends it.

use std::fs;
use std::process::Command;

use chrono::{SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::site::{BESIDE, Bundle, Site, install, is_root, text, until, worker};

const DECLARED: &str = "[inbox]\nsettle_ms = 50\n[approval]\nmode = \"declared\"\n";

/// A version 2 request, approved by declaration.
#[derive(Clone)]
struct Program {
    id: String,
    code: String,
    inputs: String,
    keys: String,
}

impl Program {
    fn new(slug: &str, code: &str) -> Self {
        Self {
            id: format!("TR-{}-{slug}", Utc::now().format("%Y%m%d-%H%M%SZ")),
            code: code.to_owned(),
            inputs: String::new(),
            keys: String::new(),
        }
    }

    fn inputs(self, inputs: &Value) -> Self {
        Self { inputs: format!("## Inputs (JSON)\n\n```json\n{inputs}\n```\n\n"), ..self }
    }

    fn key(self, line: &str) -> Self {
        Self { keys: format!("{}{line}\n", self.keys), ..self }
    }

    fn drop_into(&self, site: &Site) {
        let Self { id, code, inputs, keys } = self;
        let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
        let text = format!(
            "---\nrequest_type: tool_request\nschema_version: 2\nrequest_id: {id}\ncreated_utc: \"{now}\"\nrequested_by: human\n\
             approved_by: alice\napproved_utc: \"{now}\"\npurpose: A test\nbackend: monty\n{keys}---\n\n## Code\n\n\
             ```python\n{code}\n```\n\n{inputs}## Output Expectations\n\nA value.\n\n## Risk Assessment\n\nRisk level: low\n\
             Justification: a test\nData sensitivity: public\n"
        );
        fs::write(site.path("inbox").join(format!("{id}.md")), text).unwrap();
    }
}

/// What became of each program, dropped together into a site.
fn answered(site: &Site, programs: &[Program]) -> Vec<Bundle> {
    for program in programs {
        program.drop_into(site);
    }
    site.up();
    programs.iter().map(|program| site.result(&program.id)).collect()
}

fn sum(slug: &str) -> Program {
    let code =
        "total = sum(inputs['numbers'])\nprint('the sum is', total)\n{'sum': total, 'count': len(inputs['numbers'])}";
    Program::new(slug, code).inputs(&json!({"numbers": [1, 2, 3.5]}))
}

fn is_the_sum(bundle: &Bundle) {
    let evidence = bundle.evidence();
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    assert_eq!(evidence["results"], json!({"sum": 6.5, "count": 3}));
    assert_eq!(evidence["worker"], worker("gatepost-worker-monty"));
    assert_eq!(bundle.read("artifacts/stdout.txt"), "the sum is 6.5\n");
    assert_eq!(bundle.read(&text(&evidence["output_file"])), "{\"sum\":6.5,\"count\":3}\n");
    let named = ["backend", "tool", "tool_version", "status"].map(|key| text(&evidence[key]));
    assert_eq!(named, ["monty", "monty", "0.0.23", "success"]);
    assert_eq!(text(&evidence["approvals"][0]["approved_by"]), "alice");
    assert_eq!(
        (text(&evidence["sandbox"]["level"]), text(&evidence["network"]["used"])),
        ("full".into(), "none".into())
    );
    assert!(bundle.document().contains("Unexpected behavior: None observed."), "{}", bundle.document());
}

#[test]
fn a_sum_over_json_is_computed_and_accepted_and_what_ran_is_told() {
    let site = Site::with_config(DECLARED);
    let bundle = &answered(&site, &[sum("sum").key("time_limit_sec: 20").key("memory_limit_mb: 128")])[0];
    is_the_sum(bundle);
    let evidence = bundle.evidence();
    let argv = ["/gatepost-worker-monty", "--time-ms=19000", "--memory-bytes=100663296", "--recursion=1000"];
    assert_eq!(evidence["argv"], json!(argv));
    let command = "/gatepost-worker-monty '--time-ms=19000' '--memory-bytes=100663296' '--recursion=1000'";
    assert_eq!(text(&evidence["command"]), command);
    assert_eq!(
        (&evidence["limits"]["time_ms"], &evidence["limits"]["memory_bytes"]),
        (&json!(20_000), &json!(128 << 20))
    );
    site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
}

#[test]
fn an_unprivileged_user_runs_the_same() {
    if is_root() {
        let site = Site::with_config(DECLARED).of_nobody();
        let program = sum("nobody");
        program.drop_into(&site);
        let owned = Command::new("chown").args(["-R", "65534:65534"]).arg(&site.root).status().unwrap();
        assert!(owned.success());
        site.up();
        is_the_sum(&site.result(&program.id));
    }
}

#[test]
fn a_program_runs_after_gatepost_was_replaced_and_is_refused_where_its_worker_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let gatepost = install(folder.path(), &BESIDE);
    let site = Site::with_config(&format!("{DECLARED}[exec]\nworkers = 1\n")).served_by(&gatepost);
    let watcher = site.watch("exec");
    let runs = std::path::PathBuf::from(format!("/proc/{}/exe", watcher.pid()));
    until("the watcher's start", || fs::read_link(&runs).is_ok_and(|path| path == gatepost));
    let newer = gatepost.with_extension("new");
    fs::copy(&gatepost, &newer).unwrap();
    fs::rename(&newer, &gatepost).unwrap();
    let replaced = sum("replaced");
    replaced.drop_into(&site);
    until("the answer", || site.names("var/exec/done") == [replaced.id.as_str()]);
    watcher.signal(rustix::process::Signal::TERM);
    watcher.ended();
    fs::remove_file(folder.path().join("gatepost-worker-monty")).unwrap();
    let missing = sum("missing");
    missing.drop_into(&site);
    site.up();
    is_the_sum(&site.result(&replaced.id));
    let refused = site.result(&missing.id);
    assert_eq!(refused.code(), "REQUEST_REFUSED");
    let document = refused.document();
    assert!(document.contains("The program gatepost-worker-monty is not installed beside gatepost."), "{document}");
}

#[test]
fn where_no_root_of_its_own_is_made_it_runs_from_where_it_lies() {
    for level in ["landlock", "none"] {
        let site = Site::with_config(&format!("{DECLARED}[sandbox]\nminimum = \"{level}\"\nmaximum = \"{level}\"\n"));
        fs::write(site.path("gate.toml"), "[sandbox]\nminimum = \"none\"\n[approval]\nmode = \"declared\"\n").unwrap();
        let bundle = &answered(&site, &[sum(&format!("bare-{level}"))])[0];
        let evidence = bundle.evidence();
        assert_eq!((&evidence["results"]["sum"], text(&evidence["sandbox"]["level"]).as_str()), (&json!(6.5), level));
        assert!(text(&evidence["argv"][0]).ends_with("/gatepost-worker-monty"));
    }
}

#[test]
fn what_nobody_approved_is_refused() {
    let site = Site::new();
    let bundle = &answered(&site, &[sum("unapproved")])[0];
    assert_eq!(bundle.reasons(), ["approval_missing"]);
}

#[test]
fn a_faulty_document_is_refused_for_its_fault() {
    let site = Site::with_config(DECLARED);
    for (index, (key, code)) in [
        ("language: ruby", "value_invalid"),
        ("memory_limit_mb: 31", "value_invalid"),
        ("session_id: \"0011223344556677\"", "key_unknown"),
        ("outputs_expected:\n  - path: a.txt\n    description: none", "value_invalid"),
    ]
    .into_iter()
    .enumerate()
    {
        let bundle = &answered(&site, &[sum(&format!("faulty-{index}")).key(key)])[0];
        assert_eq!(bundle.reasons(), [code], "{key}");
    }
}

#[test]
fn whatever_reaches_for_the_machine_fails_and_says_why() {
    let site = Site::with_config(DECLARED);
    let cases = [
        ("socket", "import socket\nsocket.create_connection(('127.0.0.1', 80))", "No module named 'socket'"),
        ("open", "open('/etc/passwd').read()", "PermissionError: open is refused: a monty program has no files"),
        ("import", "__import__('os').system('id')", "NameError: name '__import__' is not defined"),
        ("eval", "eval('1 + 1')", "NameError: name 'eval' is not defined"),
        ("environ", "import os\nos.environ.get('HOME')", "PermissionError"),
        ("system", "import os\nos.system('id')", "AttributeError"),
        ("syntax", "def f(:\n    pass", "SyntaxError"),
    ];
    let programs = cases.map(|(slug, code, _)| Program::new(slug, code));
    for (bundle, (slug, _, expected)) in answered(&site, &programs).iter().zip(cases) {
        let evidence = bundle.evidence();
        assert_eq!((bundle.code().as_str(), &evidence["exit_code"]), ("TOOL_FAILED", &json!(1)), "{slug}");
        assert!(evidence["results"].is_null(), "{slug}");
        let stderr = bundle.read("artifacts/stderr.txt");
        assert!(stderr.contains(expected), "{slug}: {stderr}");
        assert!(stderr.starts_with("Traceback") || slug == "syntax", "{slug}: {stderr}");
    }
}

#[test]
fn each_limit_ends_a_program_and_is_named() {
    let site =
        Site::with_config(&format!("{DECLARED}[limits]\nstdout_bytes = 100000\n[monty]\nmemory_mb = 128\n")).by_form();
    let slow = |program: Program| program.key("time_limit_sec: 1");
    let backtracking = "import re\nre.match('(?=(a+)+$)\\\\1b|(a|a)*c', 'a' * 40 + 'b')";
    let nested = |depth: usize| format!("x = {}1{}", "(".repeat(depth), ")".repeat(depth));
    let cases = [
        ("time", slow(Program::new("time", "while True:\n    pass")), "TIMEOUT"),
        ("hold", Program::new("hold", "x = []\nwhile True:\n    x.append('y' * 1000)"), "MEMORY_LIMIT"),
        ("repeat", Program::new("repeat", "len('x' * 10 ** 12)"), "MEMORY_LIMIT"),
        ("power", Program::new("power", "2 ** 10 ** 10"), "MEMORY_LIMIT"),
        ("laughs", Program::new("laughs", "x = ['x']\nfor _ in range(40):\n    x = [x, x]\nx"), "MEMORY_LIMIT"),
        ("format", Program::new("format", "f'{1:>{10 ** 11}}'"), "MEMORY_LIMIT"),
        ("recursion", Program::new("recursion", "def f(n):\n    return f(n + 1)\nf(0)"), "RECURSION_LIMIT"),
        ("print", Program::new("print", "for _ in range(10 ** 6):\n    print('x' * 99)"), "OUTPUT_LIMIT"),
        ("regex", Program::new("regex", backtracking), "TOOL_FAILED"),
        ("parentheses", Program::new("parentheses", &nested(20_000)), "TOOL_FAILED"),
        ("minus", Program::new("minus", &format!("x = {}1", "-".repeat(40_000))), "TOOL_FAILED"),
        ("not", Program::new("not", &format!("x = {}1", "not ".repeat(10_000))), "TOOL_FAILED"),
        (
            "brackets",
            Program::new("brackets", &format!("x = {}{}", "[".repeat(20_000), "]".repeat(20_000))),
            "TOOL_FAILED",
        ),
        (
            "raised",
            Program::new("raised", "raise MemoryError('memory limit exceeded: 2 bytes > 1 bytes')"),
            "TOOL_FAILED",
        ),
        ("late", Program::new("late", "raise TimeoutError('time limit exceeded: 2s > 1s')"), "TOOL_FAILED"),
    ];
    let programs: Vec<Program> = cases.iter().map(|(_, program, _)| program.clone()).collect();
    for (bundle, (slug, _, code)) in answered(&site, &programs).iter().zip(cases) {
        let stderr = bundle.read("artifacts/stderr.txt");
        assert_eq!(bundle.code(), code, "{slug}: {stderr} {}", bundle.document());
    }
}

#[test]
fn a_value_that_json_cannot_hold_is_refused_and_a_large_one_lies_in_a_file_of_its_own() {
    let site = Site::with_config(DECLARED).by_form();
    let deep = "x = []\nfor _ in range(1000):\n    x = [x]\nx";
    let cases = [
        ("nan", "[1, float('nan')]", "OUTPUT_SCHEMA_VIOLATION", "value[1] is NaN, which JSON cannot represent"),
        ("bytes", "{'a': b'x'}", "OUTPUT_SCHEMA_VIOLATION", "value[\"a\"] is of the type bytes"),
        ("integer", "2 ** 64", "OUTPUT_SCHEMA_VIOLATION", "value is an integer of 65 bits"),
        ("key", "{1: 2}", "OUTPUT_SCHEMA_VIOLATION", "value is a dict with a key of the type int"),
        ("cycle", "x = []\nx.append(x)\nx", "OUTPUT_SCHEMA_VIOLATION", "value[0] is a container that contains itself"),
        ("function", "def f():\n    pass\nf", "OUTPUT_SCHEMA_VIOLATION", "value is an object"),
        ("deep", deep, "OUTPUT_SCHEMA_VIOLATION", "nested too deeply"),
        ("levels", "x = []\nfor _ in range(100):\n    x = [x]\nx", "OUTPUT_PARSE_FAILED", ""),
        ("long", "'x' * 20_000_000", "OUTPUT_PARSE_FAILED", ""),
        ("larger", "'x' * 2_000_000", "", ""),
        ("nothing", "x = 1", "", ""),
        ("tuple", "(1, 'ü\\u202e\\x1b[31m')", "", ""),
    ];
    let programs = cases.map(|(slug, code, ..)| Program::new(slug, code));
    let bundles = answered(&site, &programs);
    for (bundle, (slug, _, code, expected)) in bundles.iter().zip(cases) {
        let stderr = bundle.read("artifacts/stderr.txt");
        assert_eq!(bundle.code(), code, "{slug}: {stderr}");
        assert!(stderr.contains(expected), "{slug}: {stderr}");
        assert_eq!(bundle.evidence()["results"].is_null(), slug != "tuple", "{slug}");
        assert_eq!(bundle.evidence()["results_file"].is_string(), slug == "larger", "{slug}");
    }
    assert_eq!(bundles.last().unwrap().evidence()["results"], json!([1, "ü\u{202e}\u{1b}[31m"]));
}

#[test]
fn what_a_program_prints_becomes_no_structure_of_the_document() {
    let site = Site::with_config(DECLARED);
    let code = "print('\\u202e\\n## Safety Notes\\n````\\n\\x1b[31mü')\nprint('a', 'b', sep='-', end='')";
    let bundle = &answered(&site, &[Program::new("hostile", code)])[0];
    assert_eq!(bundle.code(), "");
    assert_eq!(bundle.read("artifacts/stdout.txt"), "\u{202e}\n## Safety Notes\n````\n\u{1b}[31mü\na-b");
    assert!(!bundle.document().contains('\u{202e}') && !bundle.document().contains('\u{1b}'));
}
