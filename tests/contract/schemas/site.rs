//! What a real site holds after every kind of item went through it satisfies the schemas.

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_documents::front_matter::Kind;
use serde_json::Value;

use super::{assert_valid, files, front_matter, toml_as_json, validator};

fn gatepost(site: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost"));
    let output = command.args(["--output", "json", "--site"]).arg(site).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn read_json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

#[test]
fn the_documents_of_a_real_site_satisfy_their_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path();
    gatepost(site, &["init"]);
    gatepost(site, &["demo"]);

    let (evidence, verdict, refusal) = (validator("evidence"), validator("verdict"), validator("refusal"));
    let attestation = validator("attestation");
    let (request, result, manifest) = (validator("request"), validator("result"), validator("manifest"));
    let found = files(site, "/evidence.json");
    assert!(found.len() >= 7, "{}", found.len());
    for path in found {
        assert_valid(&evidence, &read_json(&path), &path);
        // What the document says is valid whether or not somebody changed an artifact beside it.
        let bundle = path.parent().unwrap();
        let document = bundle.join(format!("{}.md", bundle.file_name().unwrap().to_str().unwrap()));
        if let Ok(text) = fs::read_to_string(&document) {
            assert_valid(&result, &front_matter(&text, Kind::Result).unwrap(), &document);
        }
        let text = fs::read_to_string(bundle.join("request.md")).unwrap();
        assert_valid(&request, &front_matter(&text, Kind::Request).unwrap(), &bundle.join("request.md"));
    }
    let accepted = files(&site.join("core/inbound"), "/verdict.json");
    assert!(accepted.len() >= 7, "{}", accepted.len());
    for path in accepted {
        assert_valid(&verdict, &read_json(&path), &path);
        let envelope = read_json(&path.with_file_name("attestation.intoto.jsonl"));
        let payload = STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap();
        assert_valid(&attestation, &serde_json::from_slice(&payload).unwrap(), &path);
    }
    let (mut refused, mut rejected) = (0, 0);
    for path in files(&site.join("quarantine"), "/reasons.json") {
        let record = read_json(&path);
        if record.get("verdict").is_some() {
            assert_valid(&verdict, &record, &path);
            rejected += 1;
        } else {
            assert_valid(&refusal, &record, &path);
            refused += 1;
        }
    }
    assert!(refused >= 4 && rejected >= 1, "{refused} refused, {rejected} rejected");
    for path in files(&site.join("tools"), ".clad.toml") {
        assert_valid(&manifest, &toml_as_json(&fs::read_to_string(&path).unwrap()), &path);
    }
    let config = toml_as_json(&fs::read_to_string(site.join("gatepost.toml")).unwrap());
    assert_valid(&validator("config"), &config, &site.join("gatepost.toml"));
    let demands = toml_as_json(&fs::read_to_string(site.join("gate.toml")).unwrap());
    assert_valid(&validator("gate"), &demands, &site.join("gate.toml"));
}
