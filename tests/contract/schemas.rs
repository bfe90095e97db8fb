//! The published schemas: the committed files are what the types make, and real documents satisfy them.

mod manifest;
mod prose;
mod site;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gatepost::cli::schema;
use gatepost_contract::config::{Config, TEMPLATE};
use gatepost_documents::front_matter::{self, Entry, Kind, ScalarKind};
use gatepost_gate::policy::{self, Policy};
use jsonschema::Validator;
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The validator of a published schema, by its file's name without the ending.
fn validator(name: &str) -> Validator {
    let file = format!("{name}.schema.json");
    let (_, schema) = schema::published().into_iter().find(|(known, _)| *known == file).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

/// Everything in which a document breaks a schema.
fn faults(validator: &Validator, document: &Value) -> Vec<String> {
    validator.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

fn assert_valid(validator: &Validator, document: &Value, place: &Path) {
    assert_eq!(faults(validator, document), Vec::<String>::new(), "{}", place.display());
}

/// The front matter of a markdown document as JSON.
fn front_matter(text: &str, kind: Kind) -> Option<Value> {
    Some(object(&front_matter::read(text, "document.md", kind).ok()?.entries))
}

fn object(entries: &[Entry]) -> Value {
    entries.iter().map(|entry| (entry.key.clone(), json(&entry.node.value))).collect()
}

fn json(value: &front_matter::Value) -> Value {
    match value {
        front_matter::Value::Null => Value::Null,
        front_matter::Value::Scalar { text, kind: ScalarKind::Text } => text.as_str().into(),
        front_matter::Value::Scalar { kind: ScalarKind::Boolean(value), .. } => (*value).into(),
        front_matter::Value::Scalar { kind: ScalarKind::Integer(value), .. } => (*value).into(),
        front_matter::Value::Scalar { kind: ScalarKind::Float(value), .. } => (*value).into(),
        front_matter::Value::List(nodes) => nodes.iter().map(|node| json(&node.value)).collect(),
        front_matter::Value::Map(entries) => object(entries),
    }
}

/// TOML as JSON; nothing that we read has dates.
fn toml_as_json(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

/// The files below a folder whose names end so.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    entries.map(walkdir::DirEntry::into_path).filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

#[test]
fn the_committed_schemas_are_those_that_the_types_make() {
    let folder = root().join("schemas");
    let mut published = BTreeSet::new();
    for (name, schema) in schema::published() {
        let committed = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(committed == schema::file_text(&schema), "schemas/{name} is stale: run `cargo run --example schemas`");
        published.insert(folder.join(name));
    }
    assert_eq!(files(&folder, ".schema.json").into_iter().collect::<BTreeSet<_>>(), published);
}

#[test]
fn every_schema_is_one_and_depends_on_no_host() {
    for (name, schema) in schema::published() {
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        assert!(schema["title"].is_string() && schema["description"].is_string(), "{name}");
        assert!(!schema.to_string().contains("\"$id\""), "{name}");
    }
}

#[test]
fn the_configuration_that_init_writes_satisfies_its_schema() {
    assert_valid(&validator("config"), &toml_as_json(TEMPLATE), Path::new("gatepost.toml"));
}

#[test]
fn the_checkout_is_a_site_as_init_makes_it() {
    for (file, template) in [("gatepost.toml", TEMPLATE), ("gate.toml", policy::TEMPLATE)] {
        assert_eq!(fs::read_to_string(root().join(file)).unwrap(), template, "{file}");
    }
}

#[test]
fn what_a_gate_can_be_told_is_what_its_schema_says() {
    let validator = validator("gate");
    let digest = "1".repeat(64);
    let good = [
        "",
        "[sandbox]",
        "[sandbox]\nminimum = 'landlock'",
        &format!("[sandbox]\nlaunchers = ['{digest}']"),
        "[attestation]\nkey = '/etc/gatepost/key'",
        "[attestation]\nagent = 'SHA256:MozbdGLqZoPPO8IpqGleLL6Q3zVnvVu593XUnw5oCd4'",
        policy::TEMPLATE,
    ];
    let bad = [
        "colour = 1",
        "sandbox = 1",
        "[sandbox]\nunknown = 1",
        "[sandbox]\nminimum = 'other'",
        "[sandbox]\nlaunchers = ['x']",
        "[attestation]\nkey = 1",
        "[attestation]\nagent = 'SHA256:short'",
    ];
    for (texts, is_good) in [(&good[..], true), (&bad[..], false)] {
        for text in texts {
            assert_eq!(Policy::parse(text).is_ok(), is_good, "the reader and {text}");
            assert_eq!(validator.is_valid(&toml_as_json(text)), is_good, "the schema and {text}");
        }
    }
}

#[test]
fn a_configuration_that_breaks_its_schema_is_refused() {
    let validator = validator("config");
    let mut documents = vec!["colour = 1".to_owned(), "inbox = 1".to_owned()];
    let defaults = toml::Table::try_from(Config::default()).unwrap();
    for (section, keys) in &defaults {
        documents.push(format!("[{section}]\nunknown = 1"));
        for (key, default) in keys.as_table().unwrap() {
            let is_name = section == "fleet" && ["name", "node"].contains(&key.as_str());
            let is_right = |value: &str| {
                value == default.to_string()
                    || (value == "true" && default.is_bool())
                    || (value == "'other'" && is_name)
            };
            let wrong = ["-1", "[]", "true", "'other'"].into_iter().filter(|value| !is_right(value));
            documents.extend(wrong.map(|value| format!("[{section}]\n{key} = {value}")));
        }
    }
    documents.extend(
        ["memory_mb = 15", "files = 15", "time_seconds = 0", "cpu_seconds = 0"].map(|bad| format!("[limits]\n{bad}")),
    );
    documents.extend(["inbox", "gate"].map(|section| format!("[{section}]\nscan_interval_ms = 9")));
    documents.push("[exec]\nworkers = 257".to_owned());
    documents.extend(
        ["perl = ['perl']", "python = 'python3'", "python = ['/usr/bin/python3']"]
            .map(|bad| format!("[era.interpreters]\n{bad}")),
    );
    for text in documents {
        assert!(Config::parse(&text, "gatepost.toml").is_err(), "the reader takes {text}");
        assert!(!validator.is_valid(&toml_as_json(&text)), "the schema takes {text}");
    }
}

#[test]
fn every_request_that_is_read_satisfies_the_schema() {
    let validator = validator("request");
    let mut read = 0;
    for expectation in files(&root().join("tests/vectors/request"), "expect.toml") {
        if !fs::read_to_string(&expectation).unwrap().contains("[request]") {
            continue;
        }
        let markdown = expectation.with_file_name("request.md");
        let document = match fs::read_to_string(&markdown) {
            Ok(text) => front_matter(&text, Kind::Request).unwrap(),
            Err(_) => serde_json::from_slice(&fs::read(expectation.with_file_name("request.json")).unwrap()).unwrap(),
        };
        assert_valid(&validator, &document, &expectation);
        read += 1;
    }
    assert!(read >= 5, "{read}");
}

#[test]
fn a_request_with_wrong_keys_breaks_the_schema() {
    let validator = validator("request");
    for (name, is_valid) in [("clad_json", true), ("json_of_version_1", false), ("json_several_faults", false)] {
        let path = root().join("tests/vectors/request").join(name).join("request.json");
        let document: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        assert_eq!(validator.is_valid(&document), is_valid, "{name}");
    }
}
