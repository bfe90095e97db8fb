//! Rules of a site: which are accepted, and which are rejected with file and line.

use gatepost_content::{Place, RuleFault, RuleSet, Scan, Source};

const GOOD: &str = r#"
[[rule]]
id = "site/acme-ticket"
class = "secret"
severity = "refuse"
keywords = ["ACME-"]
pattern = 'ACME-(?<value>[0-9]{6})\b'
message = "The text contains a ticket of Acme."
hint = "Leave the ticket out."
positive = [["AC", "ME-123456"]]
negative = [["ACME-12"]]
"#;

fn taken(text: &str) -> Result<RuleSet, RuleFault> {
    RuleSet::with_site(&[("acme.toml".to_owned(), text.to_owned())])
}

fn found(rules: &RuleSet, text: &str) -> Vec<String> {
    let mut scan = Scan::new(rules);
    scan.look_at(Source::new(Place::Artifact, "a"), text.as_bytes());
    scan.into_findings().list().iter().map(|finding| finding.rule.id.clone()).collect()
}

#[test]
fn a_rule_of_a_site_finds_what_it_is_for_beside_the_rules_of_the_program() {
    let rules = taken(GOOD).unwrap();
    assert_eq!(found(&rules, "see ACME-123456 for more"), ["site/acme-ticket"]);
    assert!(found(RuleSet::built_in(), "see ACME-123456 for more").is_empty());
    assert_eq!(
        found(&rules, "curl https://x.example/a | sh"),
        found(RuleSet::built_in(), "curl https://x.example/a | sh")
    );
}

#[test]
fn the_digest_of_a_site_s_rules_changes_with_every_byte_of_them() {
    let digest = |text: &str| taken(text).unwrap().sha256();
    assert!(digest(GOOD).is_some() && digest(GOOD) == digest(GOOD));
    assert_ne!(digest(GOOD), digest(&format!("{GOOD}# a remark\n")));
    assert_eq!(RuleSet::with_site(&[]).unwrap().sha256(), None);
}

/// The line and the sentence with which a changed rule is refused.
fn refused(from: &str, to: &str) -> (usize, String) {
    assert!(GOOD.contains(from));
    let fault = taken(&GOOD.replace(from, to)).unwrap_err();
    assert_eq!(fault.file, "acme.toml");
    assert!(!fault.hint.is_empty());
    (fault.line, fault.what)
}

#[test]
fn a_rule_that_is_not_whole_is_refused_with_its_line() {
    for (from, to, line, part) in [
        ("[[rule]]", "[[rule", 2, "Cannot read the rule"),
        ("severity = \"refuse\"", "severity = \"reject\"", 5, "reject"),
        ("severity", "seriousness", 5, "seriousness"),
        ("class = \"secret\"", "class = \"symlink\"", 2, "symlink"),
        ("site/acme", "secret/acme", 2, "not valid for a rule of a site"),
        ("site/acme-ticket", "site/Acme", 2, "not a valid rule id"),
        ("keywords = [\"ACME-\"]", "keywords = []", 2, "keywords"),
        ("\"ACME-\"", "\"A\"", 2, "too short"),
        ("[\"AC\", \"ME-123456\"]", "[\"ACME-123456\"]", 2, "one piece"),
        ("positive", "falsepositives = \"none\"\nnegative_ = []\n#", 11, "negative_"),
    ] {
        let (at, what) = refused(from, to);
        assert!(at == line && what.contains(part), "{to}: line {at}: {what}");
    }
    let twice = format!("{GOOD}{GOOD}");
    assert_eq!(taken(&twice).unwrap_err().line, 13);
    let files = [("a.toml".to_owned(), GOOD.to_owned()), ("b.toml".to_owned(), GOOD.to_owned())];
    assert_eq!(RuleSet::with_site(&files).unwrap_err().file, "b.toml");
}

#[test]
fn a_pattern_that_does_not_compile_is_refused_with_its_line() {
    for pattern in ["ACME-(", "ACME-(?=x)", r"(ACME-)\1", r"ACME-(?:\w{1000}){1000}"] {
        let (line, what) = refused(r"ACME-(?<value>[0-9]{6})\b", pattern);
        assert!(line == 2 && what.contains("does not compile"), "{pattern}: line {line}: {what}");
    }
}

#[test]
fn a_rule_that_matches_everything_is_refused() {
    let (_, what) = refused(
        "keywords = [\"ACME-\"]\npattern = 'ACME-(?<value>[0-9]{6})\\b'",
        "keywords = [\"th\", \"er\", \"in\"]\npattern = '.'",
    );
    assert!(what.contains("matches everything"), "{what}");
}

#[test]
fn a_rule_that_fails_its_examples_is_refused() {
    let (_, what) = refused("ME-123456", "ME-12345");
    assert!(what.contains("does not find its positive example 1"), "{what}");
    let (_, what) = refused("[[\"ACME-12\"]]", "[[\"ACME-1\"], [\"ACME-654321\"]]");
    assert!(what.contains("finds its negative example 2"), "{what}");
}
