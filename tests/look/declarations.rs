//! What `--schema` says of a command, and what the flags of every command do: held against what the program does.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use regex::Regex;
use serde_json::{Value, json};

use crate::site::{Site, text};

fn schema(site: &Site, command: &str) -> Value {
    let words: Vec<&str> = command.split('.').chain(["--schema", "--max-output", "0"]).collect();
    site.gatepost(&words).succeeds()["data"].clone()
}

fn commands(site: &Site) -> Vec<String> {
    let manifest = site.gatepost(&["manifest", "--max-output", "0"]).succeeds();
    let all = manifest["data"]["commands"].as_object().unwrap().iter();
    all.filter(|(_, command)| command["subcommands"].is_null()).map(|(path, _)| path.clone()).collect()
}

#[test]
fn every_argument_that_is_an_id_or_a_name_declares_an_anchored_pattern_which_hostile_values_do_not_match() {
    let site = Site::new();
    let mut patterns = BTreeSet::new();
    for command in commands(&site) {
        for (name, parameter) in schema(&site, &command)["parameters"].as_object().unwrap() {
            assert!(["0", "1", "?", "+", "*"].contains(&text(&parameter["nargs"]).as_str()), "{command} {name}");
            let is_named = ["id", "ids", "session", "tool", "names"].contains(&name.as_str());
            assert!(!is_named || parameter["pattern"].is_string(), "{command} {name}: {parameter}");
            if is_named && parameter["value_name"] != "ITEM" {
                patterns.insert(text(&parameter["pattern"]));
            }
        }
    }
    assert!(patterns.len() >= 3, "{patterns:?}");
    for pattern in patterns {
        assert!(pattern.starts_with('^') && pattern.ends_with('$'), "{pattern}");
        let pattern = Regex::new(&pattern).unwrap();
        for hostile in ["../x", "a%2Fb", "a?b=1", "a#b", "a b", "$(id)", "`id`", "; id", "a\0b", "a\nb", "/etc/passwd"]
        {
            assert!(!pattern.is_match(hostile), "{pattern} {hostile:?}");
        }
    }
}

#[test]
fn what_no_id_and_no_tool_can_be_called_is_refused_before_anything_is_looked_up_all_at_once() {
    let site = Site::new();
    for words in [
        &["show", "HOSTILE"][..],
        &["wait", "HOSTILE"],
        &["cat", "HOSTILE"],
        &["cancel", "HOSTILE"],
        &["audit", "timeline", "HOSTILE"],
        &["tools", "show", "HOSTILE"],
        &["tools", "run", "HOSTILE"],
        &["show-tool", "HOSTILE"],
        &["list", "--tool=HOSTILE"],
        &["submit", "--tool=HOSTILE"],
    ] {
        for hostile in ["../x", "a%2Fb", "a?b=1", "a#b", "a b", "$(id)", "; touch x", "a\nb", "/etc/passwd", ""] {
            let words: Vec<String> = words.iter().map(|word| word.replace("HOSTILE", hostile)).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            for more in [&[][..], &["--validate-only"]] {
                let refused = site.gatepost(&[&words[..], more, &["-o", "json"]].concat()).ends(2);
                let error = &refused["error"];
                let names_tool = words.iter().any(|word| word.contains("tool"));
                let code = if names_tool { "ARG_ERROR" } else { "INVALID_AGENT_INPUT" };
                assert_eq!(error["code"], code, "{words:?}: {refused}");
                assert_eq!(error["errors"][0]["value"], hostile, "{words:?}: {refused}");
            }
        }
    }
    let several = site.gatepost(&["cancel", "a b", "../x", "TR-20260209-160501Z-a"]).ends(2);
    assert_eq!(several["error"]["errors"].as_array().unwrap().len(), 2, "{several}");
}

#[test]
fn what_may_hold_a_secret_and_what_is_a_path_are_told() {
    let site = Site::new();
    let submit = schema(&site, "submit");
    let parameters = submit["parameters"].as_object().unwrap();
    let sensitive = parameters.iter().filter(|(_, one)| one["sensitive"] == true).map(|(name, _)| name.as_str());
    assert_eq!(sensitive.collect::<Vec<_>>(), ["arg", "interaction", "raw-payload"]);
    let paths = parameters.iter().filter(|(_, one)| one["path"] == "literal").map(|(name, _)| name.as_str());
    assert_eq!(paths.collect::<Vec<_>>(), ["file", "input", "input-file", "site"]);
    assert_eq!([&submit["parameters"]["arg"]["nargs"], &submit["parameters"]["file"]["nargs"]], ["*", "?"]);
    assert_eq!(submit["parameters"]["expires-in"]["max"], u32::MAX);
    assert_eq!(schema(&site, "approve")["parameters"]["key"]["environment"], "GATEPOST_KEY");
    let relations = submit["argument_relations"].as_array().unwrap();
    let ways = json!({"kind": "at_least_one", "arguments": ["file", "input-file", "raw-payload", "tool", "url"]});
    let conflict = json!({"kind": "conflict", "arguments": ["arg", "raw-payload"]});
    assert!(relations.contains(&ways) && relations.contains(&conflict), "{relations:?}");
    // No pattern is expanded: a file of that name is looked for.
    let failure = site.gatepost(&["check", "/nowhere/*.md"]).ends(5);
    assert_eq!(failure["error"]["target"], "/nowhere/*.md");
}

#[test]
fn a_failure_names_its_section_of_the_documents_and_how_to_try_again() {
    let site = Site::new();
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/failures.md")).unwrap();
    let sections: BTreeSet<String> =
        page.lines().filter_map(|line| line.strip_prefix("## ")).map(str::to_lowercase).collect();
    for (words, exit, code, strategy) in [
        (&["show", "a b"][..], 2, "INVALID_AGENT_INPUT", Value::Null),
        (&["show", "TR-20260209-160501Z-none"], 5, "REQUEST_NOT_FOUND", Value::Null),
        (&["check", "/nowhere"], 5, "FILE_NOT_FOUND", Value::Null),
        (&["exec-tool", "fail_with", "status=0"], 4, "NOT_WATCHED", json!("linear_backoff")),
    ] {
        let error = site.gatepost(words).ends(exit)["error"].clone();
        assert_eq!((text(&error["code"]).as_str(), &error["retry_strategy"]), (code, &strategy), "{words:?}");
        assert_eq!(error["retryable"] == true, error["retry_strategy"].is_string(), "{words:?}");
        assert_eq!(error["docs"], format!("docs/failures.md#{}", code.to_lowercase()), "{words:?}");
        assert!(sections.contains(&code.to_lowercase()), "{words:?}");
    }
    let watcher = site.watch("exec");
    crate::site::until("the watcher", || site.gatepost(&["status"]).succeeds()["data"]["exec"].is_string());
    let error = site.gatepost(&["exec", "--once"]).ends(12)["error"].clone();
    assert_eq!((&error["code"], &error["retry_strategy"]), (&json!("LOCK_HELD"), &json!("exponential_backoff")));
    drop(watcher);
}

#[test]
fn warnings_are_a_failure_where_the_caller_says_so() {
    let site = Site::new();
    let cut = ["tools", "show", "line_count", "--max-output", "900"];
    let warned = site.gatepost(&cut).succeeds();
    assert!(text(&warned["warnings"][0]).starts_with("FIELD_TRUNCATED"), "{warned}");
    let strict = site.gatepost(&[&cut[..], &["--warnings-as-errors"]].concat()).ends(1);
    assert_eq!((&strict["error"]["code"], &strict["ok"]), (&json!("WARNINGS_AS_ERRORS"), &json!(false)));
    assert_eq!(strict["warnings"], warned["warnings"]);
    assert!(strict["data"].is_object());
    site.gatepost(&["tools", "show", "line_count", "--warnings-as-errors"]).succeeds();
}

#[test]
fn the_one_version_of_the_form_can_be_asked_for_and_no_other() {
    let site = Site::new();
    let said = site.gatepost(&["list", "--schema-version", "1.0"]).succeeds();
    assert_eq!(said["meta"]["schema_version"], "1.0");
    let refused = site.gatepost(&["list", "--schema-version", "2.0"]).ends(2);
    assert!(text(&refused["error"]["message"]).contains("1.0"), "{refused}");
}

#[test]
fn every_code_is_listed_and_flags_stand_anywhere_but_where_a_command_takes_those_of_another() {
    let site = Site::new();
    let listed = site.gatepost(&["errors", "--limit", "0"]).succeeds();
    let listed: BTreeSet<String> =
        listed["data"]["errors"].as_array().unwrap().iter().map(|one| text(&one["code"])).collect();
    let mut placed = BTreeSet::new();
    for command in commands(&site) {
        let schema = schema(&site, &command);
        assert!(
            schema["errors"].as_array().unwrap().iter().all(|one| listed.contains(&text(&one["code"]))),
            "{command}"
        );
        if schema["capabilities"]["option_placement"] != "anywhere" {
            placed.insert(command);
        }
    }
    assert_eq!(placed.into_iter().collect::<Vec<_>>(), ["exec-command"]);
    let anywhere = [
        &["--limit", "1", "tools", "list"][..],
        &["tools", "--limit", "1", "list"],
        &["tools", "list", "--limit", "1"],
    ];
    let told = anywhere.map(|words| site.gatepost(words).succeeds()["data"].clone());
    assert_eq!((&told[0], &told[1]), (&told[1], &told[2]));
}

#[test]
fn an_example_is_a_whole_command_and_says_what_it_shows() {
    let site = Site::new();
    for command in commands(&site) {
        for example in schema(&site, &command)["examples"].as_array().unwrap() {
            let words = text(&example["command"]);
            let is_whole = words.starts_with("gatepost ") && !words.contains("  ") && !words.ends_with('\\');
            assert!(is_whole && !text(&example["description"]).is_empty(), "{command}: {example}");
        }
    }
}

#[test]
fn a_command_says_how_stable_it_is() {
    let site = Site::new();
    let list = schema(&site, "list");
    assert_eq!((&list["stability"], &list["introduced_in"]), (&json!("stable"), &json!("0.1.0")));
    assert_eq!(schema(&site, "route")["stability"], "provisional");
}

#[test]
fn what_a_command_needs_of_the_machine_is_what_doctor_looks_at() {
    let site = Site::new();
    let doctor = site.gatepost(&["doctor", "--max-output", "0"]);
    let doctor: Value = serde_json::from_str(&doctor.stdout()).unwrap();
    let found = doctor["data"]["findings"].as_array().unwrap();
    let looked_at: BTreeSet<&str> = found.iter().map(|finding| finding["check"].as_str().unwrap()).collect();
    for (command, needs) in [("list", false), ("gate", true), ("tools.run", true), ("up", true), ("verify", true)] {
        let requirements = schema(&site, command)["requirements"].clone();
        let checks = requirements["checks"].as_array().unwrap();
        assert_eq!(!checks.is_empty(), needs, "{command}: {requirements}");
        assert!(checks.iter().all(|check| looked_at.contains(check.as_str().unwrap())), "{command}: {checks:?}");
    }
    assert_eq!(schema(&site, "approve")["requirements"]["programs"], json!(["ssh-keygen", "ssh-add"]));
}

#[test]
fn a_command_that_reaches_a_network_says_so_and_what_becomes_of_proxies() {
    let site = Site::new();
    for (command, has_network) in [
        (&["exec"][..], true),
        (&["up"], true),
        (&["tools", "run"], true),
        (&["serve"], true),
        (&["mcp"], true),
        (&["submit"], false),
    ] {
        let schema = site.gatepost(&[command, &["--schema"]].concat()).succeeds();
        let capabilities = &schema["data"]["capabilities"];
        assert_eq!(capabilities["has_network_io"], has_network, "{command:?}");
        assert_eq!(capabilities["proxy_variables"], "ignored");
    }
}

#[test]
fn the_manifest_is_an_index_that_leads_to_all_of_one_command() {
    let site = Site::new();
    let index = site.gatepost(&["manifest"]);
    assert!(index.stdout().len() < 24 * 1024, "{}", index.stdout().len());
    let index = index.succeeds();
    let one = &index["data"]["commands"]["quarantine.release"];
    assert_eq!(one["danger_level"], "mutating");
    assert!(one["arguments"].as_array().unwrap().contains(&"reason".into()) && one["flags"].is_null(), "{one}");
    for words in [&["manifest", "quarantine", "release"][..], &["manifest", "quarantine.release"]] {
        let told = site.gatepost(words).succeeds();
        assert_eq!(told["data"], schema(&site, "quarantine.release"));
    }
    let full = site.gatepost(&["manifest", "--full", "--max-output", "0"]).succeeds();
    assert_eq!(full["data"]["etag"], index["data"]["etag"]);
    assert!(full["data"]["commands"]["submit"]["output_schema"].is_object());
}
