//! What has to hold of every failure, in both views, and what of it goes into its golden file.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::declared::Command;
use super::provocation::{Provocation, Seen, Stdout, View};

/// Whose own words stand on stderr beside the outcome, in any view: watchers that are started log there.
const LOGS: [&str; 4] = ["up", "exec", "gate", "demo"];

/// What is wrong with what was seen, and the document that was.
pub(super) fn judge(provocation: &Provocation, view: View, seen: &Seen, command: &Command) -> Result<Value, String> {
    let found = if provocation.stdout == Stdout::Read { document(provocation, seen) } else { words(seen) };
    let wrong = match (&found, view) {
        (Err(wrong), _) => vec![wrong.clone()],
        (Ok(found), View::Spec) => spec(provocation, seen, command, found),
        (Ok(found), View::Claw) => claw(provocation, seen, found),
    };
    let told = provocation.told();
    let shown = || format!("{view:?} {told}\n  {}\n{}{}\n", wrong.join("\n  "), seen.stdout, seen.stderr);
    if wrong.is_empty() { found } else { Err(shown()) }
}

/// The one document on stdout; of a batch the last, behind those of what it carried out.
fn document(provocation: &Provocation, seen: &Seen) -> Result<Value, String> {
    let mut lines = seen.stdout.lines();
    match (lines.next_back(), lines.next()) {
        (Some(last), None) => serde_json::from_str(last).map_err(|error| error.to_string()),
        (Some(last), Some(_)) if provocation.command == "batch" => {
            serde_json::from_str(last).map_err(|error| error.to_string())
        }
        _ => Err(format!("status {:?} and no single line on stdout", seen.status)),
    }
}

/// The words on stderr where stdout takes none: what failed, and what to do.
fn words(seen: &Seen) -> Result<Value, String> {
    let told: Vec<&str> = seen.stderr.lines().skip_while(|line| !line.starts_with("error: ")).collect();
    if told.is_empty() {
        return Err(format!("status {:?} and no words on stderr", seen.status));
    }
    Ok(json!({ "stderr": told, "exit_code": seen.status }))
}

fn spec(provocation: &Provocation, seen: &Seen, command: &Command, found: &Value) -> Vec<String> {
    let Provocation { code, stdout, .. } = provocation;
    let mut wrong = Vec::new();
    let mut holds = |what: &str, holds: bool| {
        if !holds {
            wrong.push(format!("{what}: {:?}", seen.status));
        }
    };
    let declared = command.errors.get(code).copied();
    let is_signal = code == "CANCELLED" && matches!(seen.status, Some(130 | 143));
    // Those of `up` are the statuses of what it watches.
    let is_watchers = code == "WATCHER_ENDED" && provocation.command == "up";
    holds("the code is declared", declared.is_some());
    holds("the status is that of the code", seen.status == declared || is_signal || is_watchers);
    holds("the status is declared", seen.status.is_some_and(|status| command.statuses.contains(&status)));
    if *stdout != Stdout::Read {
        return wrong;
    }
    let error = &found["error"];
    holds("the code is the one that was provoked", error["code"] == code.as_str());
    holds("meta.exit_code is the status", found["meta"]["exit_code"] == json!(seen.status));
    holds("error.exit_code is the status", error["exit_code"] == json!(seen.status));
    holds("meta.command is the command", found["meta"]["command"] == provocation.command.as_str());
    holds("ok is false", found["ok"] == false);
    holds("stderr is empty", seen.stderr.is_empty() || is_loud(provocation));
    holds("the message is a sentence", error["message"].as_str().is_some_and(|text| text.ends_with(['.', '?'])));
    holds("the hint says what to do", error["hint"].as_str().is_some_and(|text| !text.is_empty()));
    let can_wait = error["retryable"] == false || error["retry_after_ms"].is_u64();
    holds("what may be tried again says when", error["retryable"].is_boolean() && can_wait);
    if !found["data"].is_null() {
        let faults: Vec<String> = command
            .data
            .iter_errors(&found["data"])
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if !faults.is_empty() {
            wrong.push(faults.join("\n"));
        }
    }
    wrong
}

fn claw(provocation: &Provocation, seen: &Seen, found: &Value) -> Vec<String> {
    let Provocation { code, stdout, .. } = provocation;
    let expected = match (code.as_str(), seen.status) {
        ("CANCELLED", Some(status @ (130 | 143))) => status,
        ("TIMEOUT", _) => 2,
        _ => 1,
    };
    let mut wrong = Vec::new();
    if seen.status != Some(expected) {
        wrong.push(format!("the status is {:?}", seen.status));
    }
    if *stdout != Stdout::Read {
        return wrong;
    }
    if found["error"]["code"] != code.as_str() || found["exit_code"] != json!(seen.status) {
        wrong.push("the code or exit_code is another".to_owned());
    }
    if !seen.stderr.is_empty() && !is_loud(provocation) {
        wrong.push("stderr is not empty".to_owned());
    }
    wrong
}

/// Whether another program of the mailbox, started by the command, says on stderr why it ended.
fn is_loud(provocation: &Provocation) -> bool {
    LOGS.contains(&provocation.command.as_str()) || provocation.code == "WATCHER_ENDED"
}

/// What is kept of a document: what it says of the failure. What surrounds the failure differs from run to run, and data has its schema.
pub(super) fn kept(document: Value) -> Value {
    if document.get("stderr").is_some() {
        return document;
    }
    let data = if document["data"].is_null() { Value::Null } else { "<data>".into() };
    let mut kept = BTreeMap::from([
        ("data", data),
        ("error", document["error"].clone()),
        ("exit_code", document["meta"]["exit_code"].clone()),
        ("ok", document["ok"].clone()),
    ]);
    if document["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty()) {
        kept.insert("warnings", document["warnings"].clone());
    }
    json!(kept)
}
