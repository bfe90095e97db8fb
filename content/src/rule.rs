//! One rule on the content of results, as a table of TOML. A site writes its own in this form, in `rules/*.toml`.
//!
//! `rules/README.md` describes every key of a rule.
//!
//! Does not judge matches: `condition.rs` does. *Security*: patterns run in linear time; their size is bounded.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::OnceLock;

use gatepost_documents::reason::{Code, Severity, Stage};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use serde::Deserialize;
use toml::Spanned;

use crate::condition::{Checksum, Value};
use crate::expectation::Expected;
use crate::fact::FactKind;
use crate::place::Place;

/// How far a match may extend before and after its keyword, if the rule does not say.
const BEFORE_BYTES: usize = 64;
const REACH_BYTES: usize = 512;
/// The most of either.
const REACH_BYTES_MAX: usize = 4096;
/// The shortest keyword.
const KEYWORD_BYTES_MIN: usize = 2;
/// The most memory that one compiled pattern takes.
const PATTERN_BYTES_MAX: usize = 4 << 20;

/// One rule, whole and valid.
#[derive(Debug)]
pub struct Rule {
    /// Its stable name, `group/kebab-case`; `gate.toml` and verdicts name it.
    pub id: String,
    /// The class that it belongs to.
    pub class: Code,
    /// The severity of a finding, where nothing else sets it.
    pub severity: Severity,
    /// Its severity in the result's own words.
    pub in_prose: Severity,
    /// The recognised content, as a whole sentence without any of the text.
    pub message: String,
    /// The next step, as a whole sentence.
    pub hint: String,
    /// Known false positives; empty if there are none.
    pub falsepositives: String,
    pub(crate) expected: Option<Expected>,
    pub(crate) places: Option<Vec<Place>>,
    pub(crate) trigger: Trigger,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) conditions: Conditions,
    pub(crate) positive: Vec<String>,
    pub(crate) negative: Vec<String>,
}

/// The trigger of a rule.
#[derive(Debug)]
pub(crate) enum Trigger {
    /// One of some words occurs in the text.
    Keywords(Keywords),
    /// A fact of a kind, of such a weight.
    Fact { kind: FactKind, weights: Range<i32> },
}

/// Words, and the bytes around one that its match may take.
#[derive(Debug)]
pub(crate) struct Keywords {
    pub(crate) words: Vec<String>,
    pub(crate) exact_case: bool,
    pub(crate) whole_word: bool,
    pub(crate) before: usize,
    pub(crate) reach: usize,
    pub(crate) view: Sight,
}

/// Which view of a text a rule reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sight {
    /// Its bytes.
    #[default]
    Raw,
    /// As a person reads it.
    Plain,
    /// Either.
    Both,
}

/// The conditions on a match.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    pub(crate) entropy_min: Option<f64>,
    pub(crate) value: Option<Value>,
    pub(crate) checksum: Option<Checksum>,
    pub(crate) near: Option<Pattern>,
    pub(crate) unless: Option<Pattern>,
    pub(crate) unless_near: Option<Pattern>,
    pub(crate) doubtful_near: Option<Pattern>,
    pub(crate) speaks: Option<Severity>,
    pub(crate) refuse_if_speaks: bool,
}

/// A pattern, compiled when it is first needed.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    compiled: OnceLock<Option<Regex>>,
}

impl Pattern {
    fn new(text: String) -> Self {
        Self { text, compiled: OnceLock::new() }
    }

    /// The pattern as it runs: none if it does not compile, which no rule set is made with.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.compiled.get_or_init(|| self.compile().ok()).as_ref()
    }

    fn compile(&self) -> Result<Regex, Box<regex_automata::meta::BuildError>> {
        let syntax = syntax::Config::new().unicode(false).utf8(false).multi_line(true);
        let config = Regex::config().utf8_empty(false).nfa_size_limit(Some(PATTERN_BYTES_MAX));
        Regex::builder().syntax(syntax).configure(config).build(&self.text).map_err(Box::new)
    }

    /// Compiles it now; returns the error in one line.
    fn check(&self) -> Result<(), String> {
        match self.compile() {
            Ok(regex) => {
                self.compiled.get_or_init(|| Some(regex));
                Ok(())
            }
            Err(error) => {
                let message = error.syntax_error().map_or_else(|| error.to_string(), ToString::to_string);
                Err(message.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned())
            }
        }
    }

    /// Whether it matches anywhere in a text.
    pub(crate) fn is_match(&self, text: &[u8]) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }
}

/// A fault of a file of rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}, line {line}: {what}")]
pub struct RuleFault {
    /// The file's name, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The fault, as a sentence.
    pub what: String,
    /// The fix, as a sentence.
    pub hint: String,
}

/// A fault within one rule.
pub(crate) struct Fault {
    pub(crate) what: String,
    pub(crate) hint: String,
}

pub(crate) fn fault(what: impl Into<String>, hint: impl Into<String>) -> Fault {
    Fault { what: what.into(), hint: hint.into() }
}

/// Whose rules are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The program's, which its tests hold against their examples.
    Program,
    /// The site's.
    Site,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    defaults: Defaults,
    #[serde(default)]
    rule: Vec<Spanned<Table>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Defaults {
    class: Option<Code>,
    severity: Option<Weight>,
    message: Option<String>,
    hint: Option<String>,
    falsepositives: Option<String>,
    value: Option<Value>,
    places: Option<Vec<Place>>,
    expected: Option<Expected>,
    view: Option<Sight>,
    before: Option<usize>,
    reach: Option<usize>,
    exact_case: Option<bool>,
    whole_word: Option<bool>,
    doubtful_near: Option<String>,
}

/// `[[rule]]` as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    id: String,
    class: Option<Code>,
    severity: Option<Weight>,
    in_prose: Option<Weight>,
    title: Option<String>,
    message: Option<String>,
    hint: Option<String>,
    falsepositives: Option<String>,
    #[serde(default)]
    keywords: Vec<String>,
    exact_case: Option<bool>,
    whole_word: Option<bool>,
    pattern: Option<String>,
    before: Option<usize>,
    reach: Option<usize>,
    view: Option<Sight>,
    fact: Option<FactKind>,
    weight_min: Option<i32>,
    weight_below: Option<i32>,
    entropy_min: Option<f64>,
    value: Option<Value>,
    checksum: Option<Checksum>,
    near: Option<String>,
    unless: Option<String>,
    unless_near: Option<String>,
    doubtful_near: Option<String>,
    speaks: Option<Weight>,
    #[serde(default)]
    refuse_if_speaks: bool,
    places: Option<Vec<Place>>,
    expected: Option<Expected>,
    #[serde(default)]
    positive: Vec<Vec<String>>,
    #[serde(default)]
    negative: Vec<Vec<String>>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Weight {
    Refuse,
    Flag,
}

impl From<Weight> for Severity {
    fn from(weight: Weight) -> Self {
        match weight {
            Weight::Refuse => Self::Reject,
            Weight::Flag => Self::Flag,
        }
    }
}

/// The rules of one file, each with its line.
pub(crate) fn rules_in(file: &str, text: &str, author: Author) -> Result<Vec<(usize, Rule)>, RuleFault> {
    let line_at = |at: usize| 1 + text.get(..at).unwrap_or_default().matches('\n').count();
    let fault_at = |line, Fault { what, hint }| RuleFault { file: file.to_owned(), line, what, hint };
    let read: File = toml::from_str(text).map_err(|error| {
        let line = line_at(error.span().unwrap_or(0..0).start);
        let what = format!("Cannot read the rule: {}.", error.message().trim_end_matches('.'));
        fault_at(line, fault(what, "See the manual of rules for every key and its values."))
    })?;
    let mut ids = BTreeSet::new();
    let mut rules = Vec::new();
    for table in read.rule {
        let line = line_at(span_of(&table).start);
        let rule = rule_of(table.into_inner(), &read.defaults, author).map_err(|fault| fault_at(line, fault))?;
        if !ids.insert(rule.id.clone()) {
            let what = format!("Two rules have the id {:?}.", rule.id);
            return Err(fault_at(line, fault(what, "Give each rule an id of its own.")));
        }
        rules.push((line, rule));
    }
    Ok(rules)
}

fn span_of(table: &Spanned<Table>) -> Range<usize> {
    table.span()
}

fn rule_of(table: Table, defaults: &Defaults, author: Author) -> Result<Rule, Fault> {
    check_id(&table.id, author)?;
    let needed = |key: &str| fault(format!("The rule {:?} has no `{key}`.", table.id), "Add it: every rule needs one.");
    let class = table.class.or(defaults.class).ok_or_else(|| needed("class"))?;
    if class.stage() != Stage::Content {
        let what = format!("The class {class} is not a content class.");
        return Err(fault(
            what,
            "Use secret, executable_payload, policy_claim, instruction, exfil_link or hidden_text.",
        ));
    }
    let message = table.message.as_ref().or(defaults.message.as_ref()).ok_or_else(|| needed("message"))?;
    let message = message.replace("{title}", table.title.as_deref().unwrap_or("something"));
    let hint = table.hint.as_ref().or(defaults.hint.as_ref()).ok_or_else(|| needed("hint"))?.clone();
    let severity = table.severity.or(defaults.severity).ok_or_else(|| needed("severity"))?.into();
    let falsepositives = table.falsepositives.clone().or_else(|| defaults.falsepositives.clone());
    let trigger = trigger_of(&table, defaults)?;
    let doubtful_near = table.doubtful_near.clone().or_else(|| defaults.doubtful_near.clone());
    let examples = |examples: &[Vec<String>]| examples.iter().map(|parts| parts.concat()).collect::<Vec<_>>();
    if table.positive.iter().any(|parts| parts.len() < 2) {
        let what = format!("A positive example of {:?} is in one piece.", table.id);
        return Err(fault(what, "Split it into two parts or more, so that no file contains the whole of it."));
    }
    if table.positive.is_empty() && (author == Author::Site || matches!(trigger, Trigger::Keywords(_))) {
        return Err(needed("positive"));
    }
    Ok(Rule {
        class,
        severity,
        in_prose: table.in_prose.map_or(Severity::Reject, Severity::from),
        message,
        hint,
        falsepositives: falsepositives.unwrap_or_default(),
        expected: table.expected.or(defaults.expected),
        places: table.places.clone().or_else(|| defaults.places.clone()),
        trigger,
        positive: examples(&table.positive),
        negative: examples(&table.negative),
        conditions: Conditions {
            entropy_min: table.entropy_min,
            value: table.value.or(defaults.value),
            checksum: table.checksum,
            near: compiled(table.near, "near", author)?,
            unless: compiled(table.unless, "unless", author)?,
            unless_near: compiled(table.unless_near, "unless_near", author)?,
            doubtful_near: compiled(doubtful_near, "doubtful_near", author)?,
            speaks: table.speaks.map(Severity::from),
            refuse_if_speaks: table.refuse_if_speaks,
        },
        pattern: compiled(table.pattern, "pattern", author)?,
        id: table.id,
    })
}

fn check_id(id: &str, author: Author) -> Result<(), Fault> {
    let is_kebab = |word: &str| {
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        !word.is_empty() && word.bytes().all(is_plain)
    };
    match id.split_once('/') {
        Some((group, name)) if is_kebab(group) && is_kebab(name) => match (group, author) {
            ("site", Author::Program) => Err(fault(
                format!("The id {id:?} is reserved for rules of a site."),
                "Begin the id with the name of its group.",
            )),
            ("site", Author::Site) | (_, Author::Program) => Ok(()),
            _ => Err(fault(
                format!("The id {id:?} is not valid for a rule of a site."),
                format!("Call it \"site/{name}\"."),
            )),
        },
        _ => Err(fault(
            format!("{id:?} is not a valid rule id."),
            "Write an id as group/name, with lower-case letters, digits and dashes.",
        )),
    }
}

fn trigger_of(table: &Table, defaults: &Defaults) -> Result<Trigger, Fault> {
    let id = &table.id;
    if let Some(kind) = table.fact {
        if !table.keywords.is_empty() {
            return Err(fault(format!("The rule {id:?} has both `fact` and `keywords`."), "Keep one of them."));
        }
        let weights = table.weight_min.unwrap_or(i32::MIN)..table.weight_below.unwrap_or(i32::MAX);
        return Ok(Trigger::Fact { kind, weights });
    }
    if table.pattern.is_none() || table.keywords.is_empty() {
        let what = format!("The rule {id:?} has neither a `fact` nor `keywords` with a `pattern`.");
        return Err(fault(what, "Add keywords: every match of the pattern must contain one of them."));
    }
    if let Some(word) = table.keywords.iter().find(|word| word.len() < KEYWORD_BYTES_MIN || !word.is_ascii()) {
        let what = format!("The keyword {word:?} of {id:?} is too short or not ASCII.");
        return Err(fault(what, format!("Use a keyword of {KEYWORD_BYTES_MIN} or more ASCII characters.")));
    }
    let before = table.before.or(defaults.before).unwrap_or(BEFORE_BYTES);
    let reach = table.reach.or(defaults.reach).unwrap_or(REACH_BYTES);
    if before > REACH_BYTES_MAX || reach > REACH_BYTES_MAX {
        let what = format!("`before` or `reach` of {id:?} is too large.");
        return Err(fault(what, format!("Use at most {REACH_BYTES_MAX} for each.")));
    }
    Ok(Trigger::Keywords(Keywords {
        words: table.keywords.clone(),
        exact_case: table.exact_case.or(defaults.exact_case).unwrap_or(false),
        whole_word: table.whole_word.or(defaults.whole_word).unwrap_or(false),
        before,
        reach,
        view: table.view.or(defaults.view).unwrap_or_default(),
    }))
}

/// A pattern of a key. Those of the program are compiled by its tests, and when they are needed.
fn compiled(text: Option<String>, key: &str, author: Author) -> Result<Option<Pattern>, Fault> {
    let Some(text) = text else { return Ok(None) };
    let pattern = Pattern::new(text);
    if author == Author::Site {
        let hint = "Use the syntax of the crate regex, which has no look-around and no backreferences.";
        pattern.check().map_err(|what| fault(format!("`{key}` does not compile: {what}."), hint))?;
    }
    Ok(Some(pattern))
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

impl Rule {
    /// Compiles every pattern; returns the error of the first that does not compile.
    #[cfg(test)]
    pub(crate) fn check_patterns(&self) -> Result<(), String> {
        let Conditions { near, unless, unless_near, doubtful_near, .. } = &self.conditions;
        [&self.pattern, near, unless, unless_near, doubtful_near].into_iter().flatten().try_for_each(Pattern::check)
    }

    /// Whether it looks at a place.
    pub(crate) fn is_for(&self, place: Place) -> bool {
        self.places.as_ref().is_none_or(|places| places.contains(&place))
    }
}
