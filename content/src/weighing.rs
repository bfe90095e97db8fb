//! `[content]`: where a site changes the severity of content.
//!
//! A site cannot change the severity of the result's own words: only TOOL-EXEC writes there. Standards:
//! `schemas/gate.schema.json`.

use serde::{Deserialize, Serialize};

use gatepost_documents::reason::{Code, Severity, Stage};

use crate::expectation::Expectation;
use crate::finding::Finding;
use crate::place::Place;
use crate::rule_set::RuleSet;

/// `[content]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Content {
    /// Severities other than the default ones; the last matching entry applies.
    pub severity: Vec<Weighing>,
    /// The content that tools may leave.
    pub tool: Vec<Expectation>,
}

/// One entry of `[[content.severity]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, try_from = "Entry", into = "Entry")]
pub struct Weighing {
    matter: Matter,
    place: Option<Place>,
    severity: Severity,
    because: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Matter {
    Class(Code),
    Rule(String),
}

/// An entry as it is written.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// A content code, such as `policy_claim`; or
    #[serde(default, skip_serializing_if = "Option::is_none")]
    code: Option<Code>,
    /// the name of one rule, such as `hidden/markup-comment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    /// `rendered`, `results` or `artifact`; all three if absent. The severity in `prose` cannot be changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
    /// `reject` or `flag`.
    severity: Severity,
    /// The reason; required with `flag`, and repeated in every affected verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    because: Option<String>,
}

/// The fault of an entry.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct EntryFault {
    /// The key whose value it is; none where it is the entry as a whole.
    pub key: Option<&'static str>,
    /// As the end of a sentence, without its full stop.
    pub message: String,
}

fn fault<T>(key: impl Into<Option<&'static str>>, message: impl Into<String>) -> Result<T, EntryFault> {
    Err(EntryFault { key: key.into(), message: message.into() })
}

impl TryFrom<Entry> for Weighing {
    type Error = EntryFault;

    fn try_from(entry: Entry) -> Result<Self, EntryFault> {
        let matter = match (entry.code, entry.rule) {
            (Some(Code::BudgetExceeded), None) => {
                return fault("code", "the severity of budget_exceeded cannot be changed");
            }
            (Some(code), None) if code.stage() == Stage::Content => Matter::Class(code),
            (Some(code), None) => return fault("code", format!("{code} is not a content code")),
            (None, Some(name)) => {
                let Some(known) = RuleSet::built_in().rules().find(|rule| rule.id == name) else {
                    return fault(
                        "rule",
                        format!("there is no rule {name:?}; `gatepost check --rules` lists them all"),
                    );
                };
                if known.class == Code::BudgetExceeded && entry.severity == Severity::Flag {
                    return fault("severity", format!("{name} cannot be lowered"));
                }
                Matter::Rule(name)
            }
            (None, None) => return fault(None, "it has neither a `code` nor a `rule`"),
            (Some(_), Some(_)) => return fault("rule", "it has both a `code` and a `rule`; keep one of them"),
        };
        if entry.place == Some(Place::Prose) {
            let message = "the severity in prose cannot be changed; use rendered, results or artifact";
            return fault("place", message);
        }
        let is_explained = entry.because.as_ref().is_some_and(|because| !because.trim().is_empty());
        if entry.severity == Severity::Flag && !is_explained {
            let key = entry.because.is_some().then_some("because");
            return fault(key, "lowering to `flag` needs `because = \"…\"`, which every verdict repeats");
        }
        Ok(Self { matter, place: entry.place, severity: entry.severity, because: entry.because })
    }
}

impl From<Weighing> for Entry {
    fn from(weighing: Weighing) -> Self {
        let (code, rule) = match weighing.matter {
            Matter::Class(code) => (Some(code), None),
            Matter::Rule(name) => (None, Some(name)),
        };
        Self { code, rule, place: weighing.place, severity: weighing.severity, because: weighing.because }
    }
}

/// The effect of a finding on the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decision {
    /// `reject` or `flag`.
    pub severity: Severity,
    /// Why the site only flags a finding that would otherwise reject.
    pub lowered_because: Option<String>,
}

impl Content {
    /// The effect of a finding on this site in a tool's output; none if the operator expects it of the tool.
    pub fn decide(&self, finding: &Finding, tool: Option<&str>) -> Option<Decision> {
        let mut expectations = self.tool.iter().filter(|expectation| Some(&*expectation.name) == tool);
        let is_expected = expectations.any(|expectation| expectation.covers(&finding.rule, finding.place));
        (!is_expected).then(|| self.severity(finding))
    }

    /// The effect of a finding on this site, whatever the tool: in the result's own words every finding rejects.
    pub fn severity(&self, finding: &Finding) -> Decision {
        let by_default = default_severity(finding);
        let is_budget = finding.rule.class == Code::BudgetExceeded;
        // What was not looked through may be refused where it would be flagged, and never the other way round.
        let is_fixed =
            |weighing: &&Weighing| finding.place == Place::Prose || is_budget && weighing.severity == Severity::Flag;
        let weighing = self.severity.iter().rev().find(|weighing| weighing.fits(finding));
        match weighing.filter(|weighing| !is_fixed(weighing)) {
            Some(weighing) => {
                let is_lowered = by_default == Severity::Reject && weighing.severity == Severity::Flag;
                let lowered_because = weighing.because.clone().filter(|_| is_lowered);
                Decision { severity: weighing.severity, lowered_because }
            }
            None => Decision { severity: by_default, lowered_because: None },
        }
    }
}

/// In the result's own words every finding rejects, unless its rule says otherwise; elsewhere its rule and that rule's
/// conditions decide. The document shows a string of the evidence escaped, so nothing in it is hidden.
fn default_severity(finding: &Finding) -> Severity {
    let is_escaped = finding.rule.class == Code::HiddenText && finding.pointer.is_some();
    match finding.place {
        Place::Prose if is_escaped => Severity::Flag,
        Place::Prose => finding.rule.in_prose,
        _ => finding.severity,
    }
}

impl Weighing {
    fn fits(&self, finding: &Finding) -> bool {
        let is_matter = match &self.matter {
            Matter::Class(code) => *code == finding.rule.class,
            Matter::Rule(name) => *name == finding.rule.id,
        };
        is_matter && self.place.is_none_or(|place| place == finding.place)
    }
}

#[cfg(test)]
mod tests {
    use Severity::{Flag, Reject};

    use super::*;
    use gatepost_documents::digest::Digest;

    fn finding(rule: &str, severity: Severity, place: Place) -> Finding {
        let rule = (0..).map_while(|number| RuleSet::built_in().rule(number)).find(|known| known.id == rule);
        Finding {
            rule: rule.unwrap().clone(),
            severity,
            place,
            file: "file".into(),
            pointer: None,
            line: 1,
            column: 1,
            bytes: 1,
            encodings: Vec::new(),
            excerpt_sha256: Digest::of(b""),
        }
    }

    fn content(text: &str) -> Content {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn a_finding_means_what_its_rule_says_and_refuses_in_prose() {
        for severity in [Flag, Reject] {
            let decided = |place| Content::default().severity(&finding("payload/program", severity, place)).severity;
            assert_eq!(decided(Place::Prose), Reject);
            for place in [Place::Rendered, Place::Results, Place::Artifact] {
                assert_eq!(decided(place), severity, "{place:?}");
            }
        }
    }

    #[test]
    fn a_site_weighs_otherwise_in_the_place_that_it_names_and_says_why() {
        let content = content(
            "severity = [
                { code = 'executable_payload', place = 'artifact', severity = 'flag', because = 'We build programs.' },
                { rule = 'policy/claim', severity = 'reject' },
            ]",
        );
        let decided = |rule, severity, place| content.severity(&finding(rule, severity, place));
        let lowered = Decision { severity: Flag, lowered_because: Some("We build programs.".to_owned()) };
        assert_eq!(decided("payload/program", Reject, Place::Artifact), lowered);
        let kept = Decision { severity: Reject, lowered_because: None };
        assert_eq!(decided("payload/program", Reject, Place::Results), kept);
        assert_eq!(decided("policy/claim", Flag, Place::Rendered), kept);
        assert_eq!(decided("payload/program", Reject, Place::Prose), kept);
    }

    #[test]
    fn what_is_expected_of_a_tool_is_no_finding_in_what_it_leaves_and_lowers_nothing_else() {
        let content = content("tool = [{ name = 'build', artifacts = ['program'] }]");
        let decided = |rule, place, tool| content.decide(&finding(rule, Reject, place), tool).is_some();
        for place in [Place::Artifact, Place::Rendered, Place::Results] {
            assert!(!decided("payload/program", place, Some("build")), "{place:?}");
            assert!(decided("payload/program", place, Some("other")) && decided("payload/program", place, None));
            assert!(decided("payload/fetch-piped", place, Some("build")), "{place:?}");
        }
        assert!(decided("payload/program", Place::Prose, Some("build")));
    }

    #[test]
    fn an_entry_that_lowers_in_silence_or_what_cannot_be_lowered_is_an_error() {
        for (entry, part) in [
            ("code = 'secret', severity = 'flag'", "because"),
            ("code = 'secret', severity = 'flag', because = ' '", "because"),
            ("code = 'secret', place = 'prose', severity = 'flag', because = 'x'", "prose"),
            ("code = 'budget_exceeded', severity = 'flag', because = 'x'", "budget_exceeded"),
            ("rule = 'budget/exceeded', severity = 'flag', because = 'x'", "cannot be lowered"),
            ("code = 'symlink', severity = 'flag', because = 'x'", "not a content code"),
            ("rule = 'hidden/nothing', severity = 'reject'", "there is no rule"),
            ("code = 'secret', rule = 'payload/program', severity = 'reject'", "keep one of them"),
        ] {
            let error = toml::from_str::<Content>(&format!("severity = [{{ {entry} }}]")).unwrap_err();
            assert!(error.message().contains(part), "{entry}: {error}");
        }
    }
}
