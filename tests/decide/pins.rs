//! Pins: what a tool consists of is recorded, and one that changed is refused by TOOL-EXEC and its result by the gate.

use std::fs;

use gatepost_documents::digest::Digest;
use schemapin::crypto::{generate_key_pair, sign_data};
use serde_json::Value;

use crate::site::{Bundle, Request, Site};

const SCRIPT: &str = "#!/bin/sh\necho one\n";

fn with_tool() -> Site {
    let site = Site::new();
    site.tool("say", "", SCRIPT);
    site
}

fn answered(site: &Site, slug: &str) -> Bundle {
    let request = Request::call(slug, "say");
    site.rename_in(&request);
    site.up();
    site.result(&request.id)
}

/// How `tools list` says that the tool stands to its pin.
fn pin(site: &Site) -> String {
    let listed = site.gatepost(&["tools", "list"]).succeeds();
    let tools = listed["data"]["tools"].as_array().unwrap();
    tools.iter().find(|tool| tool["name"] == "say").unwrap()["pin"].as_str().unwrap().to_owned()
}

fn pinned(outcome: &Value) -> (String, usize) {
    let row = &outcome["data"]["tools"][0];
    (row["effect"].as_str().unwrap().to_owned(), row["differences"].as_array().unwrap().len())
}

#[test]
fn the_evidence_states_every_file_of_a_tool_with_its_digest() {
    let site = Site::new();
    site.script("parse", "#!/bin/sh\necho '{}'\n");
    let output = "format = \"text\"\nparser = \"scripts/parse\"\n[output.schema]\ntype = \"object\"\n";
    site.tool_with_output("say", "", SCRIPT, output);
    fs::write(site.path("tools/toolclad.toml"), "[types.small]\nbase = \"integer\"\nmax = 9\n").unwrap();
    let bundle = answered(&site, "say");
    assert_eq!(bundle.code(), "", "{}", bundle.document());
    let programs = bundle.evidence()["programs"].as_array().unwrap().clone();
    let roles: Vec<_> = programs.iter().map(|program| program["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["executor", "parser", "types"]);
    for program in programs {
        let bytes = fs::read(site.path(program["path"].as_str().unwrap())).unwrap();
        assert_eq!(program["sha256"], Digest::of(&bytes).to_string(), "{program}");
    }
    let request = Request::call("lines", "line_count").arg("file", "a").input("a", b"a\n");
    site.rename_in(&request);
    site.up();
    let program = site.result(&request.id).evidence()["programs"][0].clone();
    assert_eq!(program["role"], "binary");
    let bytes = fs::read(program["path"].as_str().unwrap()).unwrap();
    assert_eq!(program["sha256"], Digest::of(&bytes).to_string(), "{program}");
}

#[test]
fn a_pinned_tool_that_changed_is_refused_until_it_is_pinned_again() {
    let site = with_tool();
    assert_eq!(pin(&site), "unpinned");
    assert_eq!(
        pinned(&site.gatepost(&["tools", "pin", "say", "--dry-run"]).succeeds()),
        ("would_create".to_owned(), 0)
    );
    assert!(!site.path("keys/pins.toml").exists());
    assert_eq!(pinned(&site.gatepost(&["tools", "pin", "say"]).succeeds()), ("created".to_owned(), 0));
    assert_eq!(pinned(&site.gatepost(&["tools", "pin", "say"]).succeeds()), ("noop".to_owned(), 0));
    assert_eq!(answered(&site, "pinned").code(), "");
    assert_eq!(pin(&site), "pinned");
    for (slug, limits, script) in [("script", "", "#!/bin/sh\necho two\n"), ("manifest", "timeout_seconds = 5", SCRIPT)]
    {
        site.tool("say", limits, script);
        assert_eq!(pin(&site), "changed");
        let bundle = answered(&site, slug);
        assert_eq!(bundle.reasons(), ["tool_changed"]);
        assert!(bundle.document().contains("The tool say differs from keys/pins.toml: "), "{}", bundle.document());
        assert_eq!(site.gatepost(&["tools", "show", "say"]).succeeds()["data"]["pin"], "changed");
        let doctor = site.gatepost(&["doctor", "--problems"]).stdout();
        assert!(doctor.contains("gatepost tools pin say"), "{doctor}");
        let (effect, differences) = pinned(&site.gatepost(&["tools", "pin", "say"]).succeeds());
        assert!(effect == "updated" && differences >= 1, "{effect}, {differences}");
        assert_eq!(answered(&site, &format!("{slug}-again")).code(), "");
    }
}

#[test]
fn where_pins_are_required_a_tool_without_one_is_refused_by_whoever_requires_it() {
    let site = with_tool();
    site.configure("[inbox]\nsettle_ms = 50\n[tools]\npins = \"required\"\n");
    assert_eq!(answered(&site, "exec").reasons(), ["tool_unpinned"]);
    let site = with_tool();
    fs::write(site.path("gate.toml"), "[tools]\npins = \"required\"\n").unwrap();
    let request = Request::call("gate", "say");
    site.rename_in(&request);
    site.up();
    let item = site.names("quarantine").into_iter().find(|name| name.contains("-gate")).unwrap();
    assert_eq!(site.reasons(&item), ["tool_unpinned"]);
    site.gatepost(&["tools", "pin", "say"]).succeeds();
    assert_eq!(answered(&site, "pinned").code(), "");
}

#[test]
fn the_gate_refuses_what_ran_with_other_files_than_were_pinned_when_it_judges() {
    let site = with_tool();
    let request = Request::call("late", "say");
    site.rename_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    site.script("say", "#!/bin/sh\necho two\n");
    site.gatepost(&["tools", "pin", "say"]).succeeds();
    site.gatepost(&["gate", "--once"]).succeeds();
    let item = site.names("quarantine").into_iter().find(|name| name.contains("-late")).unwrap();
    assert_eq!(site.reasons(&item), ["tool_changed"]);
}

#[test]
fn a_tool_that_changes_while_it_runs_has_failed_though_it_changed_back() {
    for more in ["", "cat tmp/copy > \"$0\"\n"] {
        let site = Site::new().without_walls();
        site.tool("say", "", &format!("#!/bin/sh\ncp \"$0\" tmp/copy\necho '# more' >> \"$0\"\n{more}"));
        let bundle = answered(&site, "changing");
        assert_eq!(bundle.code(), "TOOL_CHANGED");
        assert!(bundle.evidence()["results"].is_null());
        assert!(bundle.document().contains("changed while it ran"), "{}", bundle.document());
    }
}

#[test]
fn pins_that_cannot_be_read_let_no_tool_run_and_nothing_be_judged() {
    let site = with_tool();
    fs::write(site.path("keys/pins.toml"), "[tool.say]\nmanifest_sha256 = \"x\"\nprograms = []\n").unwrap();
    let request = Request::call("wrong", "say");
    site.rename_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    assert_eq!(site.names("outbox").iter().filter(|name| name.starts_with("TS-")).count(), 1);
    site.gatepost(&["gate", "--once"]).ends(1);
    assert_eq!(site.names("core/inbound").len(), 0);
    fs::remove_file(site.path("keys/pins.toml")).unwrap();
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(site.result(&request.id).reasons(), ["value_invalid"]);
}

#[test]
fn where_a_vendors_key_is_pinned_only_what_it_signed_runs() {
    let site = with_tool();
    let vendor = generate_key_pair().unwrap();
    fs::create_dir(site.path("keys/schemapin")).unwrap();
    fs::write(site.path("keys/schemapin/say.pem"), &vendor.public_key_pem).unwrap();
    let bundle = answered(&site, "unsigned");
    assert_eq!(bundle.reasons(), ["manifest_signature_invalid"]);
    let manifest = fs::read(site.path("tools/say.clad.toml")).unwrap();
    let signature = sign_data(&vendor.private_key_pem, Digest::of(&manifest).as_bytes()).unwrap();
    fs::write(site.path("tools/say.clad.toml.schemapin.sig"), signature).unwrap();
    assert_eq!(answered(&site, "signed").code(), "");
    fs::write(site.path("tools/say.clad.toml"), [&manifest[..], b"# more\n"].concat()).unwrap();
    assert_eq!(answered(&site, "changed").reasons(), ["manifest_signature_invalid"]);
    assert!(site.gatepost(&["doctor", "--problems"]).stdout().contains("signature.say"));
}
