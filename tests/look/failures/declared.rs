//! What every command declares of its failures: its codes with their statuses, and the schema of its data.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command as Process;

use serde_json::Value;

use crate::site::{GATEPOST, text};

/// What one command declares.
pub(super) struct Command {
    /// The status of each code.
    pub errors: BTreeMap<String, i32>,
    pub statuses: BTreeSet<i32>,
    pub data: jsonschema::Validator,
    /// It only looks, and ends by itself.
    pub is_safe: bool,
}

/// Every command that others do not follow, by its words with a dot between.
pub(super) fn commands() -> BTreeMap<String, Command> {
    let manifest = asked(&["manifest", "--max-output=0"]);
    let commands = manifest["commands"].as_object().unwrap().iter();
    let leaves = commands.filter(|(_, command)| command["subcommands"].is_null());
    leaves.map(|(path, _)| (path.clone(), declared(path))).collect()
}

fn declared(path: &str) -> Command {
    let words: Vec<&str> = path.split('.').chain(["--schema", "--max-output=0"]).collect();
    let schema = asked(&words);
    let error = |error: &Value| (text(&error["code"]), i32::try_from(error["exit_code"].as_i64().unwrap()).unwrap());
    Command {
        errors: schema["errors"].as_array().unwrap().iter().map(error).collect(),
        statuses: schema["exit_codes"].as_object().unwrap().keys().map(|status| status.parse().unwrap()).collect(),
        data: jsonschema::validator_for(&schema["output_schema"]).unwrap(),
        is_safe: schema["danger_level"] == "safe" && schema["capabilities"]["streaming"] == false,
    }
}

fn asked(words: &[&str]) -> Value {
    let output = Process::new(GATEPOST).args(words).arg("--output=json").output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    document["data"].clone()
}
