//! What a tool prints, from its bytes to the accepted result: no value is another one on the way, and what cannot be read says why.

use serde_json::{Value, json};

use crate::site::{Bundle, Request, Site, text};

/// The accepted result of a tool that prints a file, with these lines in `[output]`.
fn printed(site: &Site, slug: &str, content: &[u8], output: &str) -> Bundle {
    let manifest = format!(
        "[tool]\nname = \"show\"\nversion = \"1\"\ndescription = \"Shows a file\"\nbinary = \"cat\"\n\
         [command]\nexec = [\"cat\", \"in/x\"]\n[output]\n{output}"
    );
    site.manifest("show", &manifest);
    let request = Request::call(slug, "show").input("x", content);
    site.rename_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    assert!(bundle.0.starts_with(site.path("core/inbound")), "{slug}: {:?}", site.reasons(&bundle.name()));
    bundle
}

fn builtin(format: &str, schema: &str) -> String {
    format!("format = \"{format}\"\nparser = \"builtin:{format}\"\nschema = {schema}\n")
}

/// Results as the evidence spells them.
fn spelled(bundle: &Bundle) -> String {
    bundle.evidence()["results"].to_string()
}

#[test]
fn numbers_keep_their_digits_up_to_the_accepted_result() {
    let site = Site::new();
    let numbers = r#"{"id":123456789012345678901234567890,"low":0.00001,"sum":1234567.89012345678901234,"price":2.50,"zero":-0,"huge":1e+400}"#;
    let lines = format!("{numbers}\n{numbers}\n");
    for (format, content, expected) in
        [("json", numbers, numbers.to_owned()), ("jsonl", &lines, format!("[{numbers},{numbers}]"))]
    {
        let bundle = printed(&site, format, content.as_bytes(), &builtin(format, "{}"));
        assert_eq!((spelled(&bundle), bundle.code()), (expected, String::new()));
        assert!(bundle.document().contains("\"id\": 123456789012345678901234567890"), "{}", bundle.document());
    }
    let schema = "{type = 'array', items = {properties = {n = {type = 'integer'}, x = {type = 'number'}}}}";
    let bundle = printed(&site, "csv", b"n;x\n123456789012345678901234567890;0.50\n", &builtin("csv", schema));
    assert_eq!(spelled(&bundle), r#"[{"n":123456789012345678901234567890,"x":0.50}]"#);
}

#[test]
fn a_schema_counts_with_every_digit() {
    let site = Site::new();
    for (slug, schema, content, code) in [
        ("above", "{maximum = 9007199254740992}", "9007199254740993.5", "OUTPUT_SCHEMA_VIOLATION"),
        ("distinct", "{uniqueItems = true}", "[10000000000000000000001, 10000000000000000000002]", ""),
        ("same", "{uniqueItems = true}", "[1.0, 1]", "OUTPUT_SCHEMA_VIOLATION"),
        ("whole", "{type = 'integer'}", "123456789012345678901234567890", ""),
    ] {
        assert_eq!(printed(&site, slug, content.as_bytes(), &builtin("json", schema)).code(), code, "{slug}");
    }
}

#[test]
fn an_empty_output_means_the_same_to_every_parser_of_values() {
    let site = Site::new();
    for (number, (schema, expected)) in [
        ("{}", Some("null")),
        ("{type = 'object'}", Some("{}")),
        ("{type = 'array'}", Some("[]")),
        ("{type = 'object', required = ['a']}", None),
    ]
    .into_iter()
    .enumerate()
    {
        for format in ["json", "jsonl", "csv", "xml"] {
            let bundle = printed(&site, &format!("{format}-{number}"), b"\n", &builtin(format, schema));
            match expected {
                Some(expected) => {
                    assert_eq!(
                        (spelled(&bundle).as_str(), bundle.code().as_str()),
                        (expected, ""),
                        "{format} {schema}"
                    );
                    let said = text(&bundle.evidence()["anomalies"][0]);
                    assert_eq!(said, format!("The output is empty; the results are {expected}."));
                }
                None => assert_eq!(bundle.code(), "OUTPUT_PARSE_FAILED", "{format} {schema}"),
            }
        }
    }
}

#[test]
fn xml_is_read_in_its_encoding_and_has_the_types_of_the_schema() {
    let site = Site::new();
    let schema = "{properties = {scan = {properties = {host = {type = 'array', items = {properties = {port = {type = 'integer'}}}}}}}}";
    let xml = "<?xml version='1.0' encoding='UTF-16'?><scan><host name='é'><port>443</port></host></scan>";
    let utf16: Vec<u8> = [0xfeff].into_iter().chain(xml.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let latin1 = b"<?xml version='1.0' encoding='ISO-8859-1'?><scan><host name='\xe9'><port>443</port></host></scan>";
    for (slug, content) in [("utf16", utf16), ("latin1", latin1.to_vec())] {
        let results = printed(&site, slug, &content, &builtin("xml", schema)).evidence()["results"].clone();
        assert_eq!(results, json!({"scan": {"host": [{"@name": "é", "port": 443}]}}), "{slug}");
    }
}

#[test]
fn a_call_from_the_command_line_keeps_and_shows_output_that_has_no_results() {
    let site = Site::new();
    let more = "format = \"json\"\nparser = \"builtin:json\"\nschema = {}\n";
    site.tool_with_output("print", "", "#!/bin/sh\necho '{\"a\":1}'\necho '{\"a\":2}'\n", more);
    let ran = site.gatepost(&["tools", "run", "print"]).ends(81);
    let (data, error) = (&ran["data"], &ran["error"]);
    let kept = text(&data["kept"]);
    assert_eq!(std::fs::read_to_string(format!("{kept}/stdout.txt")).unwrap(), "{\"a\":1}\n{\"a\":2}\n");
    std::fs::remove_dir_all(std::path::Path::new(&kept).parent().unwrap()).unwrap();
    assert!(text(&data["stdout"]["excerpt"]).contains("{\"a\":2}"), "{data:#}");
    assert!(text(&error["hint"]).contains(&kept) && text(&error["message"]).contains("builtin:jsonl"), "{error:#}");
    assert_eq!(data["evidence"]["error"]["hint"], error["hint"]);
}

#[test]
fn a_tool_at_its_time_limit_has_failed_and_nobody_is_told_to_wait_again() {
    let site = Site::new();
    site.tool("slow", "timeout_seconds = 1", "#!/bin/sh\nsleep 60\n");
    let id = text(&site.gatepost(&["submit", "--tool", "slow"]).succeeds()["data"]["request_id"]);
    site.up();
    for arguments in [&["wait", &id][..], &["tools", "run", "slow"]] {
        let error = site.gatepost(arguments).ends(81)["error"].clone();
        assert_eq!((&error["code"], &error["operation"]), (&json!("TOOL_FAILED"), &json!("run_tool")), "{error:#}");
        assert!(!error.to_string().contains("gatepost wait") && error["retryable"] == false, "{error:#}");
    }
}

#[test]
fn a_parser_that_fails_says_why_and_its_time_counts() {
    let site = Site::new();
    let failing = "#!/usr/bin/python3\nimport time\ntime.sleep(0.4)\n[][9]\n";
    let hanging = "#!/bin/sh\necho still here >&2\nsleep 60\n";
    for (name, script, limit, status, code, said) in [
        ("failing", failing, 30, "error", "OUTPUT_PARSE_FAILED", "IndexError"),
        ("hanging", hanging, 1, "timeout", "TIMEOUT", "still here"),
    ] {
        site.script(name, script);
        let manifest = format!(
            "[tool]\nname = \"show\"\nversion = \"1\"\ndescription = \"Shows\"\nbinary = \"echo\"\ntimeout_seconds = {limit}\n\
             [command]\nexec = [\"echo\", \"fine\"]\n[output]\nparser = \"scripts/{name}\"\nschema = {{}}\n"
        );
        site.manifest("show", &manifest);
        let request = Request::call(name, "show");
        site.rename_in(&request);
        site.up();
        let bundle = site.result(&request.id);
        let evidence = bundle.evidence();
        let found = ["status", "exit_code", "results"].map(|key| evidence[key].clone());
        assert_eq!((found, bundle.code().as_str()), ([status.into(), (-1).into(), Value::Null], code), "{evidence:#}");
        assert!(text(&evidence["stderr"]).contains(said) && bundle.read("artifacts/stderr.txt").contains(said));
        assert!(bundle.document().contains(said) && bundle.read("artifacts/stdout.txt") == "fine\n");
        assert!(evidence["duration_ms"].as_u64().unwrap() >= 400, "{evidence:#}");
        assert!(bundle.0.starts_with(site.path("core/inbound")), "{:?}", site.reasons(&bundle.name()));
    }
}
