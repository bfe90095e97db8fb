//! `gatepost check --rules`: what the content rules are called, and what each stands for.

use gatepost_gate::judge::RULES_VERSION;
use serde::Serialize;

use crate::cli::outcome::{Outcome, View};

#[derive(Serialize)]
struct Rules {
    rules_version: &'static str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
struct Rule {
    name: &'static str,
    code: &'static str,
    message: &'static str,
    falsepositives: &'static str,
}

impl View for Rules {
    fn text(&self) -> String {
        let line = |rule: &Rule| format!("{:<44} {:<19} {}\n", rule.name, rule.code, rule.message);
        self.rules.iter().map(line).collect()
    }
}

pub fn list() -> Outcome {
    let rule = |rule: &'static gatepost_content::Rule| {
        let code = rule.class.as_str();
        Rule { name: &rule.id, code, message: &rule.message, falsepositives: &rule.falsepositives }
    };
    let rules = gatepost_content::RuleSet::built_in().rules().map(rule).collect();
    Outcome::done(&Rules { rules_version: RULES_VERSION, rules })
}
