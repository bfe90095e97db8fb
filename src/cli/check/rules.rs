//! `gatepost check --rules`: the names and meanings of the content rules; the site's own were tested when they were
//! read.

use crate::cli::prelude::*;
use gatepost_content::RuleSet;
use gatepost_gate::judge::RULES_VERSION;

#[derive(Serialize, JsonSchema)]
pub(super) struct Rules<'a> {
    rules_version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    site_rules_sha256: Option<Digest>,
    rules: Vec<Rule<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct Rule<'a> {
    name: &'a str,
    code: &'static str,
    message: &'a str,
    falsepositives: &'a str,
}

impl View for Rules<'_> {
    fn text(&self) -> String {
        let line = |rule: &Rule<'_>| format!("{:<44} {:<19} {}\n", rule.name, rule.code, rule.message);
        self.rules.iter().map(line).collect()
    }
}

pub(super) fn list(rules: &RuleSet) -> Outcome {
    let listed = rules.rules().map(|rule| Rule {
        name: &rule.id,
        code: rule.class.as_str(),
        message: &rule.message,
        falsepositives: &rule.falsepositives,
    });
    Outcome::done(&Rules { rules_version: RULES_VERSION, site_rules_sha256: rules.sha256(), rules: listed.collect() })
}
