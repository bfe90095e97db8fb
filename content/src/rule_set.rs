//! The set of rules: those of the program, those of a site, and one automaton over the keywords of all.
//!
//! A site's rules are rejected as a whole, with file and line, if one of them is incomplete, does not compile, matches
//! everything or fails its examples. *Security*: rules are the program's and the operator's; no input from a sender
//! changes them. Does not apply rules: `application.rs` does.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, StartKind};
use gatepost_documents::digest::Digest;

use crate::fact::FactKind;
use crate::place::Place;
use crate::rule::{Author, Keywords, Rule, RuleFault, Trigger, rules_in};
use crate::{Scan, Source};

include!(concat!(env!("OUT_DIR"), "/rules.rs"));

/// Harmless text that no rule of a site may find everywhere.
const HARMLESS: &str = include_str!("../words/harmless.txt");
/// A rule that finds something in more than one of so many lines of it matches everything.
const HARMLESS_LINES_A_HIT: usize = 10;

/// Rules that text is looked at with. A copy is cheap.
#[derive(Debug, Clone)]
pub struct RuleSet(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    rules: Vec<Arc<Rule>>,
    /// The rules by the kind of fact that brings them into play.
    by_fact: BTreeMap<FactKind, Vec<usize>>,
    automaton: AhoCorasick,
    /// The rules of each keyword of the automaton.
    owners: Vec<Vec<usize>>,
    /// Of the site's files.
    sha256: Option<Digest>,
}

static BUILT_IN: LazyLock<RuleSet> = LazyLock::new(|| {
    let mut rules = Vec::new();
    for (file, text) in FILES {
        match rules_in(file, text, Author::Program) {
            Ok(read) => rules.extend(read.into_iter().map(|(_, rule)| Arc::new(rule))),
            // A test reads every one of them.
            Err(fault) => panic!("{fault}"),
        }
    }
    RuleSet::new(rules, None)
});

impl RuleSet {
    /// The program's own rules.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// The program's rules and those of a site, given as (file name, text).
    pub fn with_site(files: &[(String, String)]) -> Result<Self, RuleFault> {
        if files.is_empty() {
            return Ok(Self::built_in().clone());
        }
        let mut lines = Vec::new();
        let mut rules: Vec<Arc<Rule>> = Self::built_in().0.rules.clone();
        let mut ids = BTreeSet::new();
        for (file, text) in files {
            for (line, rule) in rules_in(file, text, Author::Site)? {
                if !ids.insert(rule.id.clone()) {
                    let what = format!("Two rules have the id {:?}.", rule.id);
                    let hint = "Give each rule an id of its own.".to_owned();
                    return Err(RuleFault { file: file.clone(), line, what, hint });
                }
                let rule = Arc::new(rule);
                lines.push((file, line, Arc::clone(&rule)));
                rules.push(rule);
            }
        }
        for (file, line, rule) in lines {
            if let Some((what, hint)) = Self::new(vec![Arc::clone(&rule)], None).misbehaves(&rule) {
                return Err(RuleFault { file: file.clone(), line, what, hint });
            }
        }
        Ok(Self::new(rules, Some(digest_of(files))))
    }

    fn new(rules: Vec<Arc<Rule>>, sha256: Option<Digest>) -> Self {
        let mut by_fact: BTreeMap<FactKind, Vec<usize>> = BTreeMap::new();
        let mut words: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, rule) in rules.iter().enumerate() {
            match &rule.trigger {
                Trigger::Fact { kind, .. } => by_fact.entry(*kind).or_default().push(at),
                Trigger::Keywords(keywords) => {
                    let folded: BTreeSet<_> = keywords.words.iter().map(|word| word.to_ascii_lowercase()).collect();
                    for word in folded {
                        words.entry(word).or_default().push(at);
                    }
                }
            }
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .kind(Some(AhoCorasickKind::DFA))
            .start_kind(StartKind::Unanchored)
            .build(words.keys())
            .expect("a few thousand short words fit into an automaton");
        let owners = words.into_values().collect();
        Self(Arc::new(Inner { rules, by_fact, automaton, owners, sha256 }))
    }

    /// Every rule: the program's by file, then the site's.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.0.rules.iter().map(|rule| &**rule)
    }

    /// SHA-256 of the site's files of rules, names and texts; none where there are none.
    pub fn sha256(&self) -> Option<Digest> {
        self.0.sha256
    }

    /// A rule of this set by its number.
    pub(crate) fn rule(&self, number: usize) -> Option<&Arc<Rule>> {
        self.0.rules.get(number)
    }

    /// The rules on facts of a kind.
    pub(crate) fn on_fact(&self, kind: FactKind) -> &[usize] {
        self.0.by_fact.get(&kind).map_or(&[], Vec::as_slice)
    }

    /// Calls back with every place of a keyword and each of its rules: number, keywords, first byte and the byte behind.
    pub(crate) fn each_keyword(&self, bytes: &[u8], mut each: impl FnMut(usize, &Keywords, usize, usize)) {
        for found in self.0.automaton.find_overlapping_iter(bytes) {
            for number in self.0.owners.get(found.pattern().as_usize()).into_iter().flatten() {
                if let Some(Trigger::Keywords(keywords)) = self.rule(*number).map(|rule| &rule.trigger) {
                    each(*number, keywords, found.start(), found.end());
                }
            }
        }
    }

    /// How often the set finds a rule in a text of its own.
    fn finds(&self, rule: &Rule, text: &str) -> bool {
        let place = rule.places.as_ref().and_then(|places| places.first()).copied().unwrap_or(Place::Artifact);
        let mut scan = Scan::new(self);
        scan.look_at(Source::new(place, "example"), text.as_bytes());
        scan.findings().list().iter().any(|finding| finding.rule.id == rule.id)
    }

    /// How a rule fails its author's examples, as two sentences: the fault, and the fix.
    fn misbehaves(&self, rule: &Rule) -> Option<(String, String)> {
        let id = &rule.id;
        let hits = HARMLESS.lines().filter(|line| self.finds(rule, line)).count();
        if hits * HARMLESS_LINES_A_HIT > HARMLESS.lines().count() {
            let what = format!("The rule {id:?} matches everything: {hits} lines of harmless text.");
            return Some((what, "Make the pattern more specific.".to_owned()));
        }
        if let Some(at) = rule.positive.iter().position(|text| !self.finds(rule, text)) {
            let what = format!("The rule {id:?} does not find its positive example {}.", at + 1);
            return Some((what, "Fix the pattern, its keywords and conditions, or the example.".to_owned()));
        }
        let at = rule.negative.iter().position(|text| self.finds(rule, text))?;
        let what = format!("The rule {id:?} finds its negative example {}.", at + 1);
        Some((what, "Fix the pattern, its keywords and conditions, or the example.".to_owned()))
    }
}

/// The digest of files, each by its name and text.
fn digest_of(files: &[(String, String)]) -> Digest {
    let listed: Vec<String> =
        files.iter().map(|(name, text)| format!("{} {name:?}\n", Digest::of(text.as_bytes()))).collect();
    Digest::of(listed.concat().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_documents::reason::Severity;

    #[test]
    fn every_rule_of_the_program_compiles_and_does_what_its_examples_say() {
        let mut faults = Vec::new();
        for rule in &RuleSet::built_in().0.rules {
            let fault = match rule.check_patterns() {
                Err(what) => Some(what),
                Ok(()) => RuleSet::new(vec![Arc::clone(rule)], None).misbehaves(rule).map(|(what, _)| what),
            };
            faults.extend(fault.map(|what| format!("{}: {what}", rule.id)));
        }
        assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
    }

    #[test]
    fn no_rule_of_the_program_refuses_harmless_text() {
        for line in HARMLESS.lines().chain([HARMLESS]) {
            let mut scan = Scan::default();
            scan.look_at(Source::new(Place::Artifact, "harmless"), line.as_bytes());
            let found: Vec<_> =
                scan.findings().list().iter().filter(|finding| finding.severity == Severity::Reject).collect();
            assert!(found.is_empty(), "{found:?} in {}", line.get(..80).unwrap_or(line));
        }
    }
}
