//! Turns the rules for secrets, `src/secret/rules/*.toml`, into constants, and fails where one of them is not whole.
//!
//! A rule needs a name, a title, a keyword, one way to match, and both kinds of examples. Whether the examples behave is for
//! the tests to show. Does not compile the patterns: that would make the build depend on the crate that runs them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;

use serde::Deserialize;

pub const RULES: &str = "src/secret/rules";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Rule>,
}

/// One `[[rule]]`; what each key means stands in `src/secret/pattern.rs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    name: String,
    title: String,
    keywords: Vec<String>,
    #[serde(default)]
    any_case: bool,
    #[serde(default)]
    pattern: String,
    #[serde(default)]
    detector: Detector,
    #[serde(default)]
    whole_word: bool,
    #[serde(default)]
    before: usize,
    #[serde(default = "default_reach")]
    reach: usize,
    #[serde(default)]
    value: Value,
    #[serde(default)]
    checksum: Checksum,
    #[serde(default)]
    strength: Strength,
    positive: Vec<Vec<String>>,
    negative: Vec<Vec<String>>,
}

#[derive(Deserialize, Default, Debug, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Detector {
    #[default]
    Pattern,
    Assignment,
    Authority,
    Dotted,
}

#[derive(Deserialize, Default, Debug)]
#[serde(rename_all = "snake_case")]
enum Value {
    #[default]
    Token,
    Password,
    Raw,
    Jwt,
    Basic,
}

#[derive(Deserialize, Default, Debug)]
enum Checksum {
    #[default]
    None,
    #[serde(rename = "crc32-base62")]
    Crc32Base62,
}

#[derive(Deserialize, Default, Debug)]
#[serde(rename_all = "snake_case")]
enum Strength {
    #[default]
    Addressed,
    Mentioned,
}

const fn default_reach() -> usize {
    512
}

impl Rule {
    /// What is missing or contradictory.
    fn fault(&self) -> Option<&'static str> {
        let kebab = |text: &str| text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let empty =
            |examples: &[Vec<String>]| examples.is_empty() || examples.iter().any(|parts| parts.concat().is_empty());
        if !kebab(&self.name) || self.name.is_empty() {
            Some("its name is not in kebab case")
        } else if self.title.is_empty() {
            Some("it has no title")
        } else if self.keywords.is_empty() != (self.detector == Detector::Dotted)
            || self.keywords.iter().any(|word| word.len() < 2 || !word.is_ascii())
        {
            Some("it needs a keyword, of two ASCII characters or more")
        } else if self.any_case && self.keywords.iter().any(|word| *word != word.to_ascii_lowercase()) {
            Some("a keyword in any case is written in lower case")
        } else if (self.detector == Detector::Pattern) == self.pattern.is_empty() {
            Some("it needs either a pattern or a detector")
        } else if self.reach > 4096 || self.before > 4096 {
            Some("a match is no longer than 4096 bytes")
        } else if empty(&self.positive) {
            Some("it has no positive example")
        } else if empty(&self.negative) {
            Some("it has no negative example")
        } else if self.positive.iter().any(|parts| parts.len() < 2) {
            Some("a positive example stands in two parts or more, so that it is nowhere whole")
        } else {
            None
        }
    }
}

pub fn read() -> Vec<Rule> {
    let mut paths: Vec<_> =
        fs::read_dir(RULES).expect("the rules").map(|entry| entry.expect("a rule file").path()).collect();
    paths.sort();
    let mut rules = Vec::new();
    let mut names = BTreeSet::new();
    for path in paths {
        let text = fs::read_to_string(&path).expect("a rule file");
        let file: File = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for rule in file.rule {
            if let Some(fault) = rule.fault() {
                panic!("{}: rule `{}`: {fault}", path.display(), rule.name);
            }
            assert!(names.insert(rule.name.clone()), "{}: rule `{}` stands twice", path.display(), rule.name);
            rules.push(rule);
        }
    }
    rules
}

/// The constants, as Rust.
pub fn written(rules: &[Rule]) -> Result<String, std::fmt::Error> {
    let mut out = String::from("pub(super) static RULES: &[Rule] = &[\n");
    for Rule { name, title, .. } in rules {
        let (name, message) = (format!("secret/{name}"), format!("There is {title} in it."));
        writeln!(
            out,
            "Rule {{ name: {name:?}, code: Code::Secret, message: {message:?}, hint: HINT, source: SOURCE }},"
        )?;
    }
    out.push_str("];\npub(super) static PATTERNS: &[Pattern] = &[\n");
    let mut keywords: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, rule) in rules.iter().enumerate() {
        let Rule { keywords: words, any_case, pattern, detector, whole_word, before, reach, .. } = rule;
        let Rule { value, checksum, strength, .. } = rule;
        writeln!(
            out,
            "Pattern {{ keywords: &{words:?}, any_case: {any_case}, pattern: {pattern:?}, detector: Detector::{detector:?}, \
             whole_word: {whole_word}, before: {before}, reach: {reach}, value: Value::{value:?}, \
             checksum: Checksum::{checksum:?}, strength: Strength::{strength:?} }},"
        )?;
        for word in words {
            let owners = keywords.entry(word.to_ascii_lowercase()).or_default();
            if owners.last() != Some(&at) {
                owners.push(at);
            }
        }
    }
    out.push_str("];\npub(super) static KEYWORDS: &[(&str, &[usize])] = &[\n");
    for (word, owners) in &keywords {
        writeln!(out, "({word:?}, &{owners:?}),")?;
    }
    writeln!(out, "];\npub(super) const COUNT: usize = {};", rules.len())?;
    out.push_str("#[cfg(test)]\npub(super) static EXAMPLES: &[(Examples, Examples)] = &[\n");
    for rule in rules {
        let parts = |examples: &[Vec<String>]| {
            let each = examples.iter().map(|parts| format!("&{parts:?}"));
            format!("&[{}]", each.collect::<Vec<_>>().join(", "))
        };
        writeln!(out, "({}, {}),", parts(&rule.positive), parts(&rule.negative))?;
    }
    out.push_str("];\n");
    Ok(out)
}
