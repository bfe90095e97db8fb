//! Adapts messages of the revision 2025-11-25, whose tasks the library's types lack.
//!
//! ```text
//! in   tools/call with params.task, tasks/get|result|list|cancel    ──▶ gatepost/tasks/…, which the handler answers
//! out  initialize                                                   ──▶ capabilities.tasks
//!      tools/list                                                   ──▶ execution.taskSupport of each tool
//! ```
//!
//! A message of the revision 2026-07-28 declares it in its `_meta` and stays unchanged. *Standards*: MCP 2025-11-25, Tasks.

use serde_json::{Value, json};

/// The prefix of the handler's methods for tasks of the revision 2025-11-25.
pub const PREFIX: &str = "gatepost/";
/// A call that requests a task.
pub const CALL: &str = "gatepost/tasks/call";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";
const REVISION: &str = "2025-11-25";

/// A client's message in the handler's form; none if it stays unchanged.
pub fn incoming(mut message: Value) -> Option<Value> {
    let is_stateless = message.pointer("/params/_meta").is_some_and(|meta| meta.get(VERSION_KEY).is_some());
    if is_stateless {
        return None;
    }
    let method = message.get("method")?.as_str()?;
    let method = match method {
        "tools/call" if message.pointer("/params/task").is_some_and(Value::is_object) => CALL.to_owned(),
        "tasks/get" | "tasks/result" | "tasks/list" | "tasks/cancel" => format!("{PREFIX}{method}"),
        _ => return None,
    };
    message["method"] = method.into();
    Some(message)
}

/// The server's message in the client's form; none if it stays unchanged.
pub fn outgoing(mut message: Value) -> Option<Value> {
    let result = message.get_mut("result")?;
    if result["protocolVersion"] == REVISION && result["capabilities"].is_object() {
        let capabilities = &mut result["capabilities"];
        capabilities["tasks"] = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
        if let Some(extensions) = capabilities["extensions"].as_object_mut() {
            extensions.remove(TASKS_EXTENSION);
        }
        return Some(message);
    }
    // A result of the other revision declares its type.
    if result.get("resultType").is_some() || result.get("content").is_some() {
        return None;
    }
    for tool in result.get_mut("tools")?.as_array_mut()? {
        let is_own = tool["name"].as_str().is_some_and(crate::own_tools::is_own);
        tool["execution"] = json!({"taskSupport": if is_own { "forbidden" } else { "optional" }});
    }
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn method(message: Value) -> Option<String> {
        incoming(message).map(|message| message["method"].as_str().unwrap().to_owned())
    }

    #[test]
    fn tasks_of_the_older_revision_get_methods_of_their_own() {
        let call = |params: Value| json!({"method": "tools/call", "params": params});
        assert_eq!(method(call(json!({"name": "x", "task": {"ttl": 5}}))).as_deref(), Some(CALL));
        assert_eq!(method(call(json!({"name": "x"}))), None);
        assert_eq!(method(call(json!({"name": "x", "task": 5}))), None);
        assert_eq!(
            method(json!({"method": "tasks/get", "params": {"taskId": "x"}})).as_deref(),
            Some("gatepost/tasks/get")
        );
        let meta = json!({VERSION_KEY: "2026-07-28"});
        assert_eq!(method(json!({"method": "tasks/get", "params": {"taskId": "x", "_meta": meta}})), None);
        for odd in [json!([]), json!(null), json!({"method": 5}), json!({"params": 5}), json!({"method": "tasks/x"})] {
            assert_eq!(method(odd), None);
        }
    }

    #[test]
    fn only_the_older_revision_is_shown_its_own_capability() {
        let shown = outgoing(json!({"result": {"protocolVersion": REVISION, "capabilities": {
            "extensions": {TASKS_EXTENSION: {}, "other": {}},
        }}}));
        let capabilities = &shown.unwrap()["result"]["capabilities"];
        assert!(capabilities["tasks"]["requests"]["tools"]["call"].is_object());
        assert_eq!(capabilities["extensions"], json!({"other": {}}));
        let listed = outgoing(json!({"result": {"tools": [{"name": "x"}, {"name": "gatepost_list"}]}})).unwrap();
        assert_eq!(listed.pointer("/result/tools/0/execution/taskSupport").unwrap(), "optional");
        assert_eq!(listed.pointer("/result/tools/1/execution/taskSupport").unwrap(), "forbidden");
        for other in [
            json!({"result": {"supportedVersions": [], "capabilities": {}}}),
            json!({"result": {"tools": [{"name": "x"}], "resultType": "complete"}}),
            json!({"result": {"tools": [1], "content": []}}),
            json!({"error": {}}),
        ] {
            assert!(outgoing(other.clone()).is_none(), "{other}");
        }
    }
}
