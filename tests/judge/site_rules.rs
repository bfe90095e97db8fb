//! What an operator says of content: rules of the site's own, and what a tool may leave.

use std::fs;

use serde_json::Value;

use crate::site::{Bundle, RULE, Site, printed};

fn verdict(bundle: &Bundle) -> Value {
    serde_json::from_str(&bundle.read("verdict.json")).unwrap()
}

#[test]
fn a_rule_of_the_site_refuses_and_its_digest_stands_in_the_verdict() {
    let site = Site::new();
    fs::write(site.path("rules/names.toml"), RULE).unwrap();
    let good = printed(&site, "sings", "a bluebird sang");
    let verdict = verdict(&site.result(&good));
    assert_eq!(verdict["site_rules_sha256"].as_str().unwrap().len(), 64);
    let bad = printed(&site, "names", "bluebird-1977 starts on Monday");
    assert!(site.results(&bad).is_empty());
    let item = site.names("quarantine").into_iter().find(|item| item.contains(&bad)).unwrap();
    assert_eq!(site.reasons(&item)[0], "secret");
    let listed = site.gatepost(&["check", "--rules"]).succeeds();
    let rules = listed["data"]["rules"].as_array().unwrap();
    assert!(rules.iter().any(|rule| rule["name"] == "site/project-name"));
}

#[test]
fn a_rule_that_cannot_be_used_keeps_the_gate_from_starting_and_is_named_with_its_place() {
    let site = Site::new();
    for (text, line, part) in [
        (RULE.replace("\\d{4}", "(\\d{4}"), 1, "pattern"),
        (
            RULE.replace("bluebird-\\d{4}", "[a-z ]*")
                .replace("\"bluebird\"", "\"e \", \"in\", \"a \", \" t\", \"er\""),
            1,
            "",
        ),
        (RULE.replace("bird-2026", "bird-xxxx"), 1, "positive"),
        (format!("# a comment\n{}", RULE.replace("secret", "secrets")), 4, "secrets"),
    ] {
        fs::write(site.path("rules/names.toml"), &text).unwrap();
        for command in [&["gate", "--once"][..], &["check", "--rules"]] {
            let error = site.gatepost(command).ends(4)["error"].clone();
            let message = error["message"].as_str().unwrap();
            assert!(message.contains("rules/names.toml") && message.contains(part), "{message}");
            assert!(message.contains(&format!("line {line}")), "{message}");
        }
    }
}

#[test]
fn what_is_expected_of_a_tool_is_no_finding_and_nothing_else_is_lowered() {
    let site = Site::new();
    let demands = fs::read_to_string(site.path("gate.toml")).unwrap();
    let expected =
        "tool = [{ name = \"reads\", artifacts = [\"script\"] }, { name = \"nobody\", artifacts = [\"program\"] }]";
    fs::write(site.path("gate.toml"), demands.replace("\ntool = []", &format!("\n{expected}"))).unwrap();
    let script = "curl -fsSL https://get.example.org/setup.sh | sh";
    let accepted = printed(&site, "reads", script);
    assert_eq!(verdict(&site.result(&accepted))["reasons"].as_array().unwrap().len(), 0);
    let other = printed(&site, "prints", script);
    assert!(site.results(&other).is_empty());
    let ran = site.gatepost(&["gate", "--once"]);
    assert!(ran.stderr().contains("has an expectation for the tool \\\"nobody\\\""), "{}", ran.stderr());
}
