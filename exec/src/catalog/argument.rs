//! An argument, and a command of a session or browser, as the requester needs to know it.

use gatepost_contract::argument_value::ArgumentValue;
use gatepost_contract::manifest::{self, Manifest};
use serde::Serialize;

use super::example;

/// One thing that may be said in a session or done with a browser.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Command {
    /// What an interaction calls it by.
    pub name: String,
    /// What it does, in its operator's words.
    pub description: String,
    /// Its own risk.
    pub risk_tier: &'static str,
    /// How many people must approve a request that has it.
    pub approvers: u32,
    /// Its arguments.
    pub arguments: Vec<Argument>,
}

/// One argument.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// One of the sixteen types.
    pub r#type: &'static str,
    /// Whether a request must give it.
    pub required: bool,
    /// The value when none is given; of a sensitive argument it is not told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The values of an enumeration.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<String>,
    /// The least number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<String>,
    /// The greatest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<String>,
    /// Whether a number outside its bounds is moved to the nearest.
    pub clamp: bool,
    /// What is searched in a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// Whether the value is kept out of everything that is shown.
    pub sensitive: bool,
    /// What it means, in its operator's words.
    pub description: String,
    /// A value that it accepts; absent where none can be made up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<serde_json::Value>")]
    pub example: Option<ArgumentValue>,
}

impl Command {
    /// That of a manifest's command, by its name.
    pub fn of((name, manifest): (&String, &Manifest)) -> Self {
        Self {
            name: name.clone(),
            description: manifest.description().to_owned(),
            risk_tier: manifest.risk_tier().as_str(),
            approvers: manifest.approvers(),
            arguments: manifest.arguments().iter().map(Argument::of).collect(),
        }
    }
}

impl Argument {
    /// That of a manifest's argument.
    pub fn of(argument: &manifest::Argument) -> Self {
        let kind = &argument.kind;
        let (min, max, clamp) = kind.bounds();
        Self {
            name: argument.name.clone(),
            r#type: kind.kind().as_str(),
            required: argument.required,
            default: argument.default.as_ref().filter(|_| !argument.sensitive).map(ToString::to_string),
            allowed: kind.allowed().to_vec(),
            min,
            max,
            clamp,
            pattern: kind.pattern().map(str::to_owned),
            sensitive: argument.sensitive,
            description: argument.description.clone(),
            example: example::value(argument),
        }
    }

    /// `integer, optional, sensitive`
    pub fn kind(&self) -> String {
        let required = if self.required { "required" } else { "optional" };
        format!("{}, {required}{}", self.r#type, if self.sensitive { ", sensitive" } else { "" })
    }

    /// The values and the default, as clauses; the values of an enumeration in the form of `allowed`, and other
    /// words of the manifest in the form of `shown`.
    pub fn clauses(&self, allowed: impl Fn(&str) -> String, shown: impl Fn(&str) -> String) -> Vec<String> {
        let bounds = match (&self.min, &self.max) {
            (Some(min), Some(max)) => Some(format!("{min} to {max}")),
            (Some(min), None) => Some(format!("at least {min}")),
            (None, Some(max)) => Some(format!("at most {max}")),
            (None, None) => None,
        };
        let allowed: Vec<String> = self.allowed.iter().map(|value| allowed(value)).collect();
        let clauses = [
            (!allowed.is_empty()).then(|| format!("one of {}", allowed.join(", "))),
            bounds.map(|bounds| bounds + if self.clamp { " (clamped)" } else { "" }),
            self.pattern.as_ref().map(|pattern| format!("matches {}", shown(pattern))),
            self.default.as_ref().map(|default| format!("default {}", shown(default))),
        ];
        clauses.into_iter().flatten().collect()
    }
}
