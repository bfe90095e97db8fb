//! `[era]`: the interpreters that may run a command line, and their confinement.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use super::launcher::Launcher;
use crate::request::{Language, is_program_name};

/// `[era]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Era {
    /// The argument vector, with placeholders, of a program that replaces the built-in sandbox; empty: none.
    pub launcher: Launcher,
    /// The interpreters that may run a command.
    #[serde(deserialize_with = "table")]
    pub interpreters: Interpreters,
}

/// A derived reader would take an empty list for the defaults.
fn table<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Interpreters, D::Error> {
    toml::Table::deserialize(deserializer)?.try_into().map_err(D::Error::custom)
}

/// `[era.interpreters]`: names of programs, the preferred one first. An empty list disables the language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Interpreters {
    /// For `language: python`.
    pub python: Vec<ProgramName>,
    /// For `language: node`.
    pub node: Vec<ProgramName>,
    /// For `language: ts`.
    pub ts: Vec<ProgramName>,
    /// For `language: go`.
    pub go: Vec<ProgramName>,
    /// For `language: ruby`.
    pub ruby: Vec<ProgramName>,
}

impl Default for Interpreters {
    fn default() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| ProgramName((*name).to_owned())).collect();
        Self {
            python: names(&["python3", "python"]),
            node: names(&["node"]),
            ts: names(&["tsx", "ts-node", "deno"]),
            go: names(&["go"]),
            ruby: names(&["ruby"]),
        }
    }
}

impl Interpreters {
    /// The programs of a language.
    pub fn for_language(&self, language: Language) -> &[ProgramName] {
        match language {
            Language::Python => &self.python,
            Language::Node => &self.node,
            Language::Ts => &self.ts,
            Language::Go => &self.go,
            Language::Ruby => &self.ruby,
        }
    }

    /// The names of all of them.
    pub fn all(&self) -> Vec<&str> {
        Language::ALL.iter().flat_map(|language| self.for_language(*language)).map(ProgramName::as_str).collect()
    }
}

/// The name of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(try_from = "String")]
#[schemars(extend("pattern" = "^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$"))]
pub struct ProgramName(String);

impl ProgramName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProgramName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ProgramName {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        if is_program_name(&name) {
            Ok(Self(name))
        } else {
            Err(format!("{name:?} is not a program name; expected, for example, python3"))
        }
    }
}
