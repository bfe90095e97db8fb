//! Reading requests: `vectors/request/<name>/` holds one document and what must come of it, and whatever is drafted
//! reads back as it was meant.
//!
//! `expect.toml` has either `reasons`, each `line:column code` (`-` without a place), or a table `request` of the values
//! that the request must have; and `stem` where the file is named otherwise than [`STEM`].

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Duration, Utc};
use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::request::{
    self, DeclaredApproval, Draft, Form, Input, InteractionCall, Lane, Network, Priority, Request,
};
use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::request_summary::RequestSummary;
use gatepost_sandbox::network::Destination;
use proptest::prelude::*;
use serde_json::{Value, json};

const STEM: &str = "TR-20260209-160501Z-sample";

fn now() -> DateTime<Utc> {
    "2026-02-09T16:10:00Z".parse().unwrap()
}

fn read(bytes: &[u8], form: Form, stem: &str) -> Result<Request, Vec<Reason>> {
    request::read(bytes, form, stem, now() + Duration::minutes(5))
}

/// A request as the names of `expect.toml` see it.
fn view(request: &Request) -> Value {
    let mut view = json!({
        "version": request.version.to_string(),
        "requested_by": request.requested_by,
        "approved_by": request.declared_approval.as_ref().map(|approval| &approval.by),
        "purpose": request.purpose,
        "network": match &request.network {
            Network::None => Vec::new(),
            Network::Allowlist(destinations) => destinations.iter().map(ToString::to_string).collect(),
        },
        "cpu_cores": request.limits.cpu_cores,
        "memory_mb": request.limits.memory_mb,
        "time_limit_sec": request.limits.time_limit_sec,
        "inputs": request.inputs.iter().map(|input| &input.name).collect::<Vec<_>>(),
        "outputs": request.outputs_expected.iter().map(|output| &output.path).collect::<Vec<_>>(),
        "constraints": request.constraints,
        "expires": request.expires.map(|expires| expires.to_rfc3339()),
        "priority": request.priority.as_str(),
        "idempotency_key": request.idempotency_key,
        "session_id": request.session_id,
        "keep_open": request.keep_open,
        "lane": request.lane.as_str(),
    });
    match &request.lane {
        Lane::Clad(call) => {
            view["tool"] = json!(call.tool);
            let args = |args: &BTreeMap<String, ArgumentValue>| -> Value {
                args.iter().map(|(name, value)| (name.clone(), value.to_json())).collect()
            };
            view["args"] = args(&call.args);
            let interactions = call.interactions.iter();
            view["interactions"] =
                interactions.map(|one| json!({ "command": one.command, "args": args(&one.args) })).collect();
        }
        Lane::Era(command) => view["argv"] = json!(command.argv),
        Lane::Monty(program) => {
            view["code"] = json!(program.code);
            view["program_inputs"] = json!(program.inputs);
        }
        Lane::Fetch(pages) => view["urls"] = json!(pages.urls),
    }
    view
}

fn places(reasons: &[Reason]) -> Vec<String> {
    let place = |reason: &Reason| match (reason.line, reason.column) {
        (Some(line), Some(column)) => format!("{line}:{column} {}", reason.code),
        _ => format!("- {}", reason.code),
    };
    reasons.iter().map(place).collect()
}

/// What a vector demands, and what came of it, in the same form.
fn outcome(folder: &Path, form: Form) -> (Value, Value) {
    let bytes = fs::read(folder.join("request").with_extension(form.extension())).unwrap();
    let expect: toml::Table = fs::read_to_string(folder.join("expect.toml")).unwrap().parse().unwrap();
    let stem = expect.get("stem").map_or(STEM, |stem| stem.as_str().unwrap());
    let mut expected = serde_json::to_value(&expect).unwrap();
    expected.as_object_mut().unwrap().remove("stem");
    let found = match read(&bytes, form, stem) {
        Ok(request) => {
            let mut view = view(&request);
            view.as_object_mut().unwrap().retain(|name, _| expected["request"].get(name).is_some());
            json!({ "request": view })
        }
        Err(reasons) => {
            for reason in &reasons {
                assert!(reason.message.ends_with('.') && reason.hint.ends_with(['.', '?']), "{reason:?}");
                assert!(reason.message.chars().all(|character| matches!(character, ' '..='~')), "{reason:?}");
            }
            json!({ "reasons": places(&reasons) })
        }
    };
    (expected, found)
}

fn vectors() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/request");
    fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn every_vector_is_read_or_refused_as_it_says() {
    let vectors = vectors();
    assert!(vectors.len() > 20, "{} vectors", vectors.len());
    let differing: Vec<_> = vectors
        .iter()
        .filter_map(|folder| {
            let form = if folder.join("request.json").exists() { Form::Json } else { Form::Markdown };
            let (expected, found) = outcome(folder, form);
            (expected != found).then(|| format!("{}\n  expected {expected}\n  found    {found}", folder.display()))
        })
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}

/// Lists and pages show of a request what it asks for, without the reader that knows whether it is valid.
#[test]
fn the_words_that_lists_show_of_a_request_are_those_that_it_is_read_with() {
    let mut lanes = std::collections::BTreeSet::new();
    for folder in vectors() {
        let form = if folder.join("request.json").exists() { Form::Json } else { Form::Markdown };
        let bytes = fs::read(folder.join("request").with_extension(form.extension())).unwrap();
        let Ok(request) = read(&bytes, form, STEM) else { continue };
        let tool = match &request.lane {
            Lane::Clad(call) => call.tool.clone(),
            other => other.as_str().to_owned(),
        };
        lanes.insert(request.lane.as_str());
        let (requested_by, purpose) = (request.requested_by, request.purpose);
        assert_eq!(
            RequestSummary::read(&bytes, form),
            Some(RequestSummary { tool, requested_by, purpose }),
            "{}",
            folder.display()
        );
    }
    assert_eq!(lanes.len(), 3, "{lanes:?}");
}

#[test]
fn a_single_changed_byte_never_panics_the_reader() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/request");
    for name in ["era_older_layout", "monty_program", "clad_markdown"] {
        let bytes = fs::read(root.join(name).join("request.md")).unwrap();
        for index in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[index] = b"\"#\n \xff-`'"[index % 8];
            let _ = read(&changed, Form::Markdown, STEM);
        }
    }
}

#[test]
fn a_document_over_its_limit_is_refused_before_it_is_read() {
    let reasons = read(&vec![b'-'; request::REQUEST_BYTES_MAX + 1], Form::Markdown, STEM).unwrap_err();
    assert_eq!(places(&reasons), ["- too_large"]);
}

#[test]
fn a_hostile_document_of_full_size_is_refused_with_few_reasons() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/request/era_older_layout/request.md");
    let document = fs::read_to_string(root).unwrap();
    for repeated in ["## x\n", "```\n", "> ## y\n", "a\n-\n", "<b\n", "- Risk level: low\n", "$(", "; ", "'a' ", "ghp_"]
    {
        let filler = repeated.repeat((request::REQUEST_BYTES_MAX - document.len()) / repeated.len());
        for hostile in [format!("{document}{filler}"), document.replace("python -c", &filler)] {
            if let Err(reasons) = read(hostile.as_bytes(), Form::Markdown, STEM) {
                assert!((1..=64).contains(&reasons.len()), "{repeated}: {}", reasons.len());
            }
        }
    }
    for repeated in ["[", "{\"a\":", "{\"a\":1,", "\"", "\\u0000"] {
        let hostile = repeated.repeat(request::REQUEST_BYTES_MAX / repeated.len());
        assert_eq!(read(hostile.as_bytes(), Form::Json, STEM).unwrap_err().len(), 1, "{repeated}");
    }
    let keys: Vec<String> = (0..20_000).map(|key| format!("\"k{key}\":1")).collect();
    assert_eq!(read(format!("{{{}}}", keys.join(",")).as_bytes(), Form::Json, STEM).unwrap_err().len(), 1);
    let versioned = format!("{{\"schema_version\":2,{}}}", keys.join(","));
    assert_eq!(read(versioned.as_bytes(), Form::Json, STEM).unwrap_err().len(), 64);
}

#[test]
fn a_request_expires_after_its_time_and_not_before() {
    let request = read(draft().to_markdown().as_bytes(), Form::Markdown, STEM).unwrap();
    let expires = request.expires.unwrap();
    assert_eq!(request.expired(expires), None);
    assert_eq!(request.expired(expires + Duration::seconds(1)).unwrap().code, Code::RequestExpired);
}

#[test]
fn the_published_schema_accepts_a_json_request_and_refuses_an_unknown_key() {
    let schema = jsonschema::validator_for(&request::schema()).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/request/clad_json/request.json");
    let mut document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    assert!(schema.is_valid(&document));
    document["tol"] = json!("line_count");
    assert!(!schema.is_valid(&document));
}

fn draft() -> Draft {
    Draft {
        id: RequestId::parse(STEM).unwrap(),
        created: "2026-02-09T16:05:01Z".parse().unwrap(),
        requested_by: "human".into(),
        purpose: "Count lines".into(),
        tool: "line_count".into(),
        args: BTreeMap::new(),
        network: Network::None,
        expires: Some("2026-02-10T00:00:00Z".parse().unwrap()),
        priority: Priority::Normal,
        declared_approval: Some(DeclaredApproval { by: "alice".into(), utc: "2026-02-09T16:10:00Z".parse().unwrap() }),
        inputs: vec![Input { name: "data.csv".into(), sha256: Digest::of(b"data") }],
        idempotency_key: None,
        session_id: None,
        keep_open: Some(true),
        interactions: Vec::new(),
    }
}

/// Characters that a document may hold, the awkward ones often.
fn awkward_text() -> impl Strategy<Value = String> {
    let character = prop_oneof![
        proptest::sample::select("\"\\'\n\t #:-{}[],&*!|>%@`~$<>=é漢🦀".chars().collect::<Vec<_>>()),
        proptest::char::range(' ', '~'),
    ];
    proptest::collection::vec(character, 0..40).prop_map(|characters| characters.into_iter().collect())
}

fn argument() -> impl Strategy<Value = ArgumentValue> {
    prop_oneof![
        awkward_text().prop_map(ArgumentValue::Text),
        "(yes|no|null|~|010|1:30|true|2026-02-09|---|\\.\\.\\.)".prop_map(ArgumentValue::Text),
        any::<i64>().prop_map(ArgumentValue::Integer),
        (-1e12..1e12).prop_map(ArgumentValue::Float),
        any::<bool>().prop_map(ArgumentValue::Boolean),
    ]
}

proptest! {
    #[test]
    fn what_is_drafted_reads_back_as_it_was_meant(
        args in proptest::collection::btree_map("[a-z][a-z0-9_]{0,8}", argument(), 0..5),
        purpose in awkward_text(),
        key in proptest::option::of("[ -~]{0,20}[!-~]"),
        said in proptest::collection::vec(("[a-z][a-z0-9_]{0,8}", argument()), 0..3),
        hosts in proptest::collection::vec("[a-z]{1,9}\\.org|10\\.0\\.0\\.[1-9]|\\[::[1-9]\\]", 0..3),
    ) {
        let destinations = hosts.iter().map(|host| Destination::parse(&format!("{host}:443")).unwrap()).collect();
        let network = if hosts.is_empty() { Network::None } else { Network::Allowlist(destinations) };
        let purpose = format!("x{}", purpose.replace(['\n', '\t'], " "));
        let interactions = said.into_iter().map(|(command, value)| InteractionCall { args: [(command.clone(), value)].into(), command }).collect();
        let draft = Draft { args, purpose, interactions, idempotency_key: key, priority: Priority::High, network, ..draft() };
        let request = read(draft.to_markdown().as_bytes(), Form::Markdown, STEM);
        let request = request.map_err(|reasons| TestCaseError::fail(format!("{reasons:?}")))?;
        let Lane::Clad(call) = request.lane else { return Err(TestCaseError::fail("not clad")) };
        let read_back = Draft {
            id: request.id,
            created: request.created,
            requested_by: request.requested_by,
            purpose: request.purpose,
            tool: call.tool,
            args: call.args,
            network: request.network,
            expires: request.expires,
            priority: request.priority,
            declared_approval: request.declared_approval,
            inputs: request.inputs,
            idempotency_key: request.idempotency_key,
            session_id: request.session_id,
            keep_open: request.keep_open,
            interactions: call.interactions,
        };
        prop_assert_eq!(read_back, draft);
    }

    #[test]
    fn a_forbidden_character_in_a_draft_is_refused_by_its_code(character in proptest::sample::select(vec!['\0', '\u{1b}', '\r', '\u{202e}', '\u{200b}', '\u{e0041}', '\u{2028}'])) {
        let args = BTreeMap::from([("a".to_owned(), ArgumentValue::Text(format!("x{character}y")))]);
        let reasons = read(Draft { args, ..draft() }.to_markdown().as_bytes(), Form::Markdown, STEM).unwrap_err();
        prop_assert_eq!(reasons.iter().map(|reason| Some(reason.code)).collect::<Vec<_>>(), [gatepost_documents::text::forbidden(character)]);
    }
}
