//! The claw contract's view: the members of the data beside `timestamp command exit_code output_format schema_version`.
//!
//! ```text
//! {"timestamp":"…","command":"show","exit_code":1,"output_format":"json","schema_version":"1.0","name":"r","found":false,"error":{…}}
//! ```
//!
//! A pure function of the other view. *Standards*: the claw contract of 2026-04-22, version 1.0: `error` is present
//! only on failure; the exit status is 0 for success, 2 for a timeout, 1 for any other failure.

use serde_json::{Map, Value};

use crate::cli::exit;

/// The claw view of a document.
pub(crate) fn view(envelope: &Value) -> Value {
    let meta = &envelope["meta"];
    let status = meta["exit_code"].as_u64().and_then(|status| u8::try_from(status).ok()).unwrap_or(exit::GENERAL);
    let mut members = Map::new();
    members.insert("timestamp".to_owned(), meta["completed_at"].clone());
    members.insert("command".to_owned(), meta["argv1"].clone());
    members.insert("exit_code".to_owned(), exit_status(status, &envelope["data"]).into());
    members.insert("output_format".to_owned(), "json".into());
    members.insert("schema_version".to_owned(), meta["schema_version"].clone());
    for (key, value) in envelope["data"].as_object().into_iter().flatten() {
        members.entry(key.as_str()).or_insert_with(|| value.clone());
    }
    if let Value::Object(error) = &envelope["error"] {
        let mut error = error.clone();
        error.shift_remove("suggestion");
        error.shift_remove("exit_code");
        if error.get("target").is_some_and(|target| target == "") {
            error.insert("target".to_owned(), meta["argv1"].clone());
        }
        if let Some(kind) = error.get("kind").and_then(Value::as_str).and_then(general) {
            error.insert("kind".to_owned(), kind.into());
            error.shift_remove("name");
            error.shift_remove("found");
        }
        for key in ["name", "found"] {
            if let Some(value) = error.shift_remove(key) {
                // If a command ran another one, the data names the other.
                members.entry(key).or_insert(value);
            }
        }
        members.insert("error".to_owned(), Value::Object(error));
    }
    for (key, value) in [("warnings", &envelope["warnings"]), ("pagination", &meta["pagination"])] {
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            members.insert(key.to_owned(), value.clone());
        }
    }
    Value::Object(members)
}

/// The contract's kind of a missing thing, if the contract has no specific name for it.
fn general(kind: &str) -> Option<&'static str> {
    match kind {
        "command_not_found" | "tool_not_found" | "session_not_found" => None,
        "request_not_found" => Some("session"),
        other if other.ends_with("_not_found") => Some("filesystem"),
        _ => None,
    }
}

/// The exit status in this view of a command with this data. A tool that reached its time limit also counts as a timeout.
pub(crate) fn exit_status(status: u8, data: &Value) -> u8 {
    match status {
        exit::SUCCESS | exit::INTERRUPTED | exit::TERMINATED => status,
        exit::TIMEOUT => 2,
        exit::TOOL_FAILED if is_timeout(data) => 2,
        _ => exit::GENERAL,
    }
}

/// Whether the data reports a tool that reached its time limit.
fn is_timeout(data: &Value) -> bool {
    [&data["status"], &data["evidence"]["status"], &data["turn"]["stop_reason"]]
        .into_iter()
        .any(|word| word == "timeout")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error(kind: &str, target: &str) -> Value {
        let error = json!({"code": "X", "kind": kind, "target": target, "name": target, "found": false});
        view(&json!({"data": null, "error": error, "meta": {"argv1": "show", "exit_code": 5}}))
    }

    #[test]
    fn a_kind_is_one_of_the_contract_and_a_target_is_always_named() {
        for (kind, expected, is_missing) in [
            ("session_not_found", "session_not_found", true),
            ("request_not_found", "session", false),
            ("file_not_found", "filesystem", false),
            ("item_not_found", "filesystem", false),
            ("policy", "policy", true),
        ] {
            let view = error(kind, "x");
            assert_eq!((&view["error"]["kind"], view.get("found").is_some()), (&json!(expected), is_missing), "{kind}");
        }
        assert_eq!(error("usage", "")["error"]["target"], "show");
    }

    #[test]
    fn a_tool_at_its_time_limit_is_a_timeout() {
        for data in [
            json!({"status": "timeout"}),
            json!({"evidence": {"status": "timeout"}}),
            json!({"turn": {"stop_reason": "timeout"}}),
        ] {
            assert_eq!(exit_status(exit::TOOL_FAILED, &data), 2, "{data}");
        }
        assert_eq!(exit_status(exit::TOOL_FAILED, &json!({"status": "error"})), exit::GENERAL);
    }
}
