//! What runs, what is refused before it runs, and what a tool's output becomes.

use std::fs;

use serde_json::Value;

use crate::site::{Bundle, Request, Site, names, text};

fn answered(site: &Site, request: &Request) -> Bundle {
    site.rename_in(request);
    site.up();
    site.result(&request.id)
}

#[test]
fn a_backend_that_is_not_run_is_refused() {
    let site = Site::new();
    let manifest = "[tool]\nname = \"pages\"\nversion = \"1\"\ndescription = \"A browser\"\nmode = \"browser\"\n\
                    [browser]\nconnect = \"live\"\n[browser.commands.navigate]\ndescription = \"Visits\"\n\
                    [output]\nformat = \"text\"\nparser = \"builtin:text\"\n";
    site.manifest("pages", manifest);
    let reasons = answered(&site, &Request::call("pages", "pages")).reasons();
    assert!(reasons.contains(&"backend_unavailable".to_owned()), "{reasons:?}");
}

#[test]
fn a_tool_with_a_route_is_refused_where_it_would_find_nothing() {
    let site = Site::new();
    fs::write(site.path("scope/scope.toml"), "[scope]\ntargets = [\"127.0.0.0/8\", \"198.51.100.0/24\"]\n").unwrap();
    let manifest = "[tool]\nname = \"scan\"\nversion = \"1\"\ndescription = \"Scans\"\nbinary = \"echo\"\n\
                    [args.target]\ntype = \"scope_target\"\nrequired = true\n[sandbox]\nnetwork = \"routed\"\n\
                    [command]\nexec = [\"echo\", \"{target}\"]\n[output]\nschema = {}\n";
    site.manifest("scan", manifest);
    let bundle = answered(&site, &Request::call("silent", "scan").arg("target", "198.51.100.7"));
    assert_eq!(bundle.reasons(), ["network_not_requested"]);
    let hint = text(&bundle.evidence()["error"]["reasons"][0]["hint"]);
    assert!(hint.contains("`network: allowlist`") && hint.contains("`network_allowlist: []`"), "{hint}");
    let inward = Request::call("inward", "scan").arg("target", "127.0.0.1");
    let bundle = answered(&site, &inward.line("network: allowlist").line("network_allowlist: []"));
    let reasons = bundle.evidence()["error"]["reasons"].clone();
    let is_told = |reason: &Value| text(&reason["message"]).contains("is the loopback of the tool's own");
    assert!(reasons.as_array().unwrap().iter().any(is_told), "{reasons:#}");
}

#[test]
fn a_tool_that_needs_a_person_runs_only_where_declarations_are_believed() {
    let now = chrono::Utc::now().format("%Y-%m-%dT%H:%M:%SZ");
    let declared = |slug| {
        let request = Request::call(slug, "risky");
        request.line("approved_by: alice").line(&format!("approved_utc: \"{now}\""))
    };
    for (mode, request, expected) in [
        ("signature", declared("signature"), &["approval_missing"][..]),
        ("declared", Request::call("undeclared", "risky"), &["approval_missing"]),
        ("declared", declared("declared"), &[]),
    ] {
        let site =
            Site::with_config(&format!("[inbox]\nsettle_ms = 50\n[approval]\nmode = \"{mode}\"\n")).without_walls();
        site.tool("risky", "human_approval = true", "#!/bin/sh\necho ran >> ../../../../../ran\n");
        let bundle = answered(&site, &request);
        assert_eq!(bundle.reasons(), expected, "{mode}");
        assert_eq!(site.path("ran").exists(), expected.is_empty(), "{mode}");
        assert_eq!(bundle.document().contains("approved_by: \"alice\""), expected.is_empty());
    }
}

#[test]
fn a_parser_of_the_sites_own_turns_output_into_results() {
    let site = Site::new();
    let request = Request::call("digest", "sha256_sum").arg("file", "a").input("a", b"abc");
    let bundle = answered(&site, &request);
    let results = &bundle.evidence()["results"];
    assert_eq!(results["sha256"], "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_eq!(results["path"], "in/a");
}

#[test]
fn output_that_cannot_be_parsed_or_breaks_its_schema_is_kept_and_has_no_results() {
    let schema = "[output.schema]\ntype = \"object\"\nrequired = [\"count\"]\n[output.schema.properties.count]\ntype = \"integer\"\n";
    for (code, format, printed) in [
        ("OUTPUT_PARSE_FAILED", "format = \"text\"\nparser = \"scripts/rubbish\"\n", "fine"),
        ("OUTPUT_PARSE_FAILED", "format = \"json\"\nparser = \"builtin:json\"\n", "{\"count\":"),
        ("OUTPUT_SCHEMA_VIOLATION", "format = \"json\"\nparser = \"builtin:json\"\n", "{\"count\":\"many\"}"),
        ("", "format = \"json\"\nparser = \"builtin:json\"\n", "{\"count\":3}"),
    ] {
        let site = Site::new();
        site.script("rubbish", "#!/bin/sh\necho '<no json>'\n");
        site.tool_with_output("print", "", &format!("#!/bin/sh\necho '{printed}'\n"), &format!("{format}{schema}"));
        let bundle = answered(&site, &Request::call("print", "print"));
        assert_eq!(bundle.code(), code, "{printed}");
        assert_eq!(bundle.evidence()["results"].is_null(), !code.is_empty(), "{printed}");
        assert_eq!(bundle.evidence()["exit_code"], if code.is_empty() { 0 } else { -1 });
        assert_eq!(bundle.read("artifacts/stdout.txt"), format!("{printed}\n"));
    }
}

#[test]
fn an_output_file_takes_the_place_of_stdout() {
    let site = Site::new();
    let manifest = "[tool]\nname = \"write\"\nversion = \"1\"\ndescription = \"Writes a file\"\nbinary = \"cp\"\n\
        [command]\nexec = [\"cp\", \"in/data.json\", \"{_output_file}\"]\n[output]\nformat = \"json\"\n\
        parser = \"builtin:json\"\n[output.schema]\ntype = \"object\"\n";
    site.manifest("write", manifest);
    let bundle = answered(&site, &Request::call("write", "write").input("data.json", b"{\"a\": 1}\n"));
    let evidence = bundle.evidence();
    assert_eq!((bundle.code(), &evidence["results"]["a"]), (String::new(), &Value::from(1)));
    assert_eq!(bundle.read(&text(&evidence["output_file"])), "{\"a\": 1}\n");
    assert_ne!(evidence["output_file"], "artifacts/stdout.txt");
}

#[test]
fn everything_that_a_tool_leaves_is_carried_under_plain_names_however_much_it_is() {
    let site = Site::new();
    let script = "#!/bin/sh\ncd out && mkdir -p deep/er && echo x > deep/er/file && echo y > 'a name' && echo z > \"$(printf 'new\\nline')\"\n\
                  ln -s /etc/passwd link && mkdir empty\ni=0; while [ $i -lt 160 ]; do echo $i > n$i; i=$((i+1)); done\n";
    site.tool("leave", "", script);
    let bundle = answered(&site, &Request::call("leave", "leave"));
    assert_eq!(bundle.code(), "");
    let carried = names(&bundle.0.join("artifacts/out"));
    assert_eq!(carried.len(), 163, "{carried:?}");
    assert_eq!(bundle.read("artifacts/out/deep/er/file"), "x\n");
    assert_eq!(bundle.read("artifacts/out/a%20name"), "y\n");
    assert_eq!(bundle.read("artifacts/out/new%0Aline"), "z\n");
    assert!(text(&bundle.evidence()["anomalies"][0]).contains("symbolic link"));
    site.gatepost(&["verify", bundle.0.to_str().unwrap()]).succeeds();
}
