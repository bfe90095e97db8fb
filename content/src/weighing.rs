//! `[content]`: where a site weighs content otherwise than the gate does by itself.
//!
//! In the result's own words nothing is weighed otherwise: nobody but TOOL-EXEC writes there. Standards:
//! `schemas/gate.schema.json`.

use serde::{Deserialize, Serialize};

use crate::prose::has_form;
use crate::{Finding, Place, Strength, rules};
use gatepost_documents::reason::{Code, Severity, Stage};

/// `[content]`
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Content {
    /// What weighs otherwise; where several entries fit, the last one counts.
    pub severity: Vec<Weighing>,
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
    Rule(&'static str),
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
    /// `rendered`, `results` or `artifact`; all three if absent. `prose` cannot be weighed otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    place: Option<Place>,
    /// `reject` or `flag`.
    severity: Severity,
    /// Why; demanded with `flag`, and repeated in every verdict that it bears on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    because: Option<String>,
}

/// What is wrong with an entry.
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
            (Some(Code::BudgetExceeded), None) => return fault("code", "budget_exceeded cannot be weighed otherwise"),
            (Some(code), None) if code.stage() == Stage::Content => Matter::Class(code),
            (Some(code), None) => return fault("code", format!("{code} is no content code")),
            (None, Some(name)) => {
                let Some(known) = rules().find(|rule| rule.name == name) else {
                    return fault(
                        "rule",
                        format!("there is no rule {name:?}; `gatepost check --rules` lists them all"),
                    );
                };
                if known.code == Code::BudgetExceeded && entry.severity == Severity::Flag {
                    return fault("severity", format!("{name} cannot be lowered"));
                }
                Matter::Rule(known.name)
            }
            (None, None) => return fault(None, "it names neither a `code` nor a `rule`"),
            (Some(_), Some(_)) => return fault("rule", "it names both a `code` and a `rule`; give either of them"),
        };
        if entry.place == Some(Place::Prose) {
            let message = "the place prose cannot be weighed otherwise, only rendered, results and artifact";
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
            Matter::Rule(name) => (None, Some(name.to_owned())),
        };
        Self { code, rule, place: weighing.place, severity: weighing.severity, because: weighing.because }
    }
}

/// What a finding means for the verdict.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decision {
    /// Whether it refuses.
    pub severity: Severity,
    /// Why the site only flags what would otherwise refuse.
    pub lowered_because: Option<String>,
}

impl Content {
    /// What a finding means on this site.
    pub fn severity(&self, finding: &Finding) -> Decision {
        let by_default = default_severity(finding);
        let is_budget = finding.rule.code == Code::BudgetExceeded;
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

/// What is addressed refuses; what is only mentioned is flagged, but for what is secret, hidden or runs in the result's own
/// words. There an order or a claim refuses only in a form that no report has: they are TOOL-EXEC's reports, which speak of
/// limits, approvals and next steps by their nature, and a result may report that something asked for these things
/// (`ThreeGate`, "Forbidden Content").
fn default_severity(finding: &Finding) -> Severity {
    let is_prose = finding.place == Place::Prose;
    let is_worded = matches!(finding.rule.code, Code::Instruction | Code::PolicyClaim);
    // What the evidence holds as it is, the document shows escaped.
    let is_shown = is_prose && finding.rule.code == Code::HiddenText && finding.pointer.is_some();
    let refuses = !is_shown
        && match finding.strength {
            Strength::Addressed => !is_prose || !is_worded || has_form(finding.rule),
            Strength::Mentioned => is_prose && !is_worded && finding.rule.code != Code::ExfilLink,
        };
    if refuses { Severity::Reject } else { Severity::Flag }
}

impl Weighing {
    fn fits(&self, finding: &Finding) -> bool {
        let is_matter = match self.matter {
            Matter::Class(code) => code == finding.rule.code,
            Matter::Rule(name) => name == finding.rule.name,
        };
        is_matter && self.place.is_none_or(|place| place == finding.place)
    }
}

#[cfg(test)]
mod tests {
    use Severity::{Flag, Reject};
    use Strength::{Addressed, Mentioned};

    use super::*;
    use crate::rules;
    use gatepost_documents::digest::Digest;

    fn finding(rule: &str, strength: Strength, place: Place) -> Finding {
        Finding {
            rule: rules().find(|known| known.name == rule).unwrap(),
            strength,
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
    fn what_a_finding_means_depends_on_its_strength_and_its_place() {
        for (rule, strength, in_prose, elsewhere) in [
            ("payload/elf", Addressed, Reject, Reject),
            ("payload/elf", Mentioned, Reject, Flag),
            ("hidden/zero-width", Mentioned, Reject, Flag),
            ("link/pixel", Mentioned, Flag, Flag),
            ("budget/opaque", Mentioned, Reject, Flag),
            ("instruction/override", Addressed, Reject, Reject),
            ("instruction/outward-action", Addressed, Flag, Reject),
            ("policy/loosened", Addressed, Flag, Reject),
            ("policy/loosened", Mentioned, Flag, Flag),
        ] {
            let severity = |place| Content::default().severity(&finding(rule, strength, place)).severity;
            assert_eq!(severity(Place::Prose), in_prose, "{rule} {strength:?}");
            for place in [Place::Rendered, Place::Results, Place::Artifact] {
                assert_eq!(severity(place), elsewhere, "{rule} {strength:?} {place:?}");
            }
        }
    }

    #[test]
    fn a_site_weighs_otherwise_in_the_place_that_it_names_and_says_why() {
        let content = content(
            "severity = [
                { code = 'executable_payload', place = 'artifact', severity = 'flag', because = 'We build programs.' },
                { rule = 'policy/loosened', severity = 'reject' },
                { rule = 'budget/opaque', severity = 'reject' },
            ]",
        );
        let decided = |rule, strength, place| content.severity(&finding(rule, strength, place));
        let lowered = Decision { severity: Flag, lowered_because: Some("We build programs.".to_owned()) };
        assert_eq!(decided("payload/elf", Addressed, Place::Artifact), lowered);
        let kept = Decision { severity: Reject, lowered_because: None };
        assert_eq!(decided("payload/elf", Addressed, Place::Results), kept);
        assert_eq!(decided("policy/loosened", Mentioned, Place::Rendered), kept);
        assert_eq!(decided("payload/elf", Addressed, Place::Prose), kept);
        assert_eq!(decided("budget/opaque", Mentioned, Place::Artifact), kept);
    }

    #[test]
    fn an_entry_that_lowers_in_silence_or_what_cannot_be_lowered_is_an_error() {
        for (entry, part) in [
            ("code = 'secret', severity = 'flag'", "because"),
            ("code = 'secret', severity = 'flag', because = ' '", "because"),
            ("code = 'secret', place = 'prose', severity = 'flag', because = 'x'", "prose"),
            ("code = 'budget_exceeded', severity = 'flag', because = 'x'", "budget_exceeded"),
            ("rule = 'budget/opaque', severity = 'flag', because = 'x'", "cannot be lowered"),
            ("code = 'symlink', severity = 'flag', because = 'x'", "no content code"),
            ("rule = 'hidden/nothing', severity = 'reject'", "there is no rule"),
            ("code = 'secret', rule = 'hidden/style', severity = 'reject'", "either"),
        ] {
            let error = toml::from_str::<Content>(&format!("severity = [{{ {entry} }}]")).unwrap_err();
            assert!(error.message().contains(part), "{entry}: {error}");
        }
    }
}
