//! The answers of a server, in its own bytes, and the part of them that the SDK must understand.
//!
//! The SDK reads an answer into types, and drops it if any part has another type: a hint, the description of another tool. So the SDK
//! gets only the part that it needs to go on, and this file checks the rest.
//!
//! *Security*: every byte is the server's. *Standards*: Model Context Protocol, "Lifecycle" and "Tools".

use rmcp::model::ClientRequest;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};

/// The kind of a request, as far as it matters for the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Initialization,
    Tools,
    Call,
    Other,
}

impl Asked {
    pub(super) fn of(request: &ClientRequest) -> Self {
        match request {
            ClientRequest::InitializeRequest(_) => Self::Initialization,
            ClientRequest::ListToolsRequest(_) => Self::Tools,
            ClientRequest::CallToolRequest(_) => Self::Call,
            _ => Self::Other,
        }
    }

    /// The result for the SDK; `None` if the SDK gets the server's own.
    pub(super) fn reduced(self, result: &Value) -> Option<Value> {
        match self {
            Self::Initialization => Some(json!({
                "protocolVersion": result["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "server", "version": "unknown"},
            })),
            Self::Tools => Some(json!({"tools": []})),
            Self::Call => Some(json!({"content": []})),
            Self::Other => None,
        }
    }
}

/// The result of a request.
pub struct Answer {
    /// In the server's bytes.
    pub bytes: Vec<u8>,
    /// Parsed.
    pub value: Value,
}

impl Answer {
    /// The result in a message, which is a JSON object.
    pub(super) fn of(message: &[u8], value: Value) -> Self {
        let bytes = member(message, "result").map_or_else(|| value.to_string().into_bytes(), <[u8]>::to_vec);
        Self { bytes, value }
    }

    /// Whether the tool reports that it failed.
    pub fn is_error(&self) -> bool {
        self.value["isError"] == true
    }

    /// Why this is not the result of a finished call. Ignores hints, and reads null as absent.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let Value::Object(members) = &self.value else { return Some("its result is not an object") };
        let given = |key| members.get(key).filter(|value: &&Value| !value.is_null());
        if given("resultType").is_some_and(|kind| kind != "complete") {
            return Some("it asked for more input, or made a task of it");
        }
        match (given("content"), given("isError")) {
            (Some(content), _) if !content.is_array() => Some("the content of its result is not a list"),
            (_, Some(is_error)) if !is_error.is_boolean() => Some("`isError` of its result is neither true nor false"),
            _ => None,
        }
    }
}

/// The bytes of a member of a JSON object.
fn member<'a>(object: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut rest = object.trim_ascii_start().strip_prefix(b"{")?;
    loop {
        let (key, after) = value::<String>(rest)?;
        let after = after.trim_ascii_start().strip_prefix(b":")?.trim_ascii_start();
        let (_, behind) = value::<IgnoredAny>(after)?;
        if key == name {
            return Some(&after[..after.len() - behind.len()]);
        }
        rest = behind.trim_ascii_start().strip_prefix(b",")?;
    }
}

/// The JSON value at the beginning of a text, and the rest.
fn value<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Option<(T, &'a [u8])> {
    let mut values = serde_json::Deserializer::from_slice(text).into_iter::<T>();
    let value = values.next()?.ok()?;
    Some((value, &text[values.byte_offset()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(result: &str) -> Answer {
        let message = format!(r#"{{"jsonrpc": "2.0", "id": 7, "result": {result}}}"#);
        let value = serde_json::from_str::<Value>(&message).unwrap()["result"].take();
        Answer::of(message.as_bytes(), value)
    }

    #[test]
    fn the_result_of_a_message_keeps_its_bytes() {
        for result in ["{\"n\":  1.50 }", "[ ]", "\"\\u0041\"", "-0", "{\"result\": {\"result\": 1}}"] {
            assert_eq!(answer(result).bytes, result.as_bytes(), "{result}");
        }
        let other_key = br#" { "id" : 7 , "r\u0065sult" : 12345678901234567890123 , "jsonrpc" : "2.0" } "#;
        assert_eq!(member(other_key, "result"), Some(&b"12345678901234567890123"[..]));
        assert_eq!(member(br#"{"a": {"result": 1}}"#, "result"), None);
        assert_eq!(member(b"[]", "result"), None);
    }

    #[test]
    fn hints_and_nulls_are_no_fault_of_a_result() {
        for result in [
            r#"{"content": []}"#,
            r#"{"content": null, "structuredContent": 1, "isError": null, "_meta": null, "resultType": null}"#,
            r#"{"content": [{"type": "hologram", "annotations": {"audience": ["robot"], "priority": "high"}}, 5]}"#,
            r#"{"content": [], "_meta": "x", "icons": 1, "resultType": "complete"}"#,
        ] {
            assert_eq!(answer(result).fault(), None, "{result}");
        }
        for (result, fault) in [
            ("[]", "not an object"),
            ("null", "not an object"),
            (r#"{"content": "x"}"#, "not a list"),
            (r#"{"content": [], "isError": "no"}"#, "neither true nor false"),
            (r#"{"resultType": "input_required"}"#, "more input"),
        ] {
            assert!(answer(result).fault().is_some_and(|text| text.contains(fault)), "{result}");
        }
    }
}
