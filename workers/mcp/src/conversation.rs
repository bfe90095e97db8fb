//! The messages of a server, read strictly: one message at a time, no key twice in an object, and only answers to requests that were
//! made.
//!
//! The SDK drops unexpected messages, and waits. Here the first breach of the protocol is kept, and ends the conversation. Text that is
//! not meant as a message is no breach, because servers print such text on their stdout.
//!
//! *Security*: every byte is the server's. *Standards*: JSON-RPC 2.0, sections 4 to 6; RFC 7493 section 2.3 (unique names); Model Context
//! Protocol, which has no batches.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use gatepost_documents::json::{self, VALUES_MAX};
use memchr::memmem;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde_json::error::Category;
use serde_json::{Value, json};

use super::answer::{Answer, Asked};
use gatepost_workers::mcp::MESSAGE_BYTES_MAX;

/// The most levels of a message.
const DEPTH_MAX: usize = 100;

/// Every message has this key.
const KEY: &[u8] = b"\"jsonrpc\"";

/// How a server broke the protocol: a sentence about `it`.
type Breach = Cow<'static, str>;

/// The requests so far, the last answer, and the server's breach of the protocol, if any.
#[derive(Default)]
pub(super) struct Conversation {
    /// The kind of each request; `None` once it was answered.
    asked: Mutex<HashMap<RequestId, Option<Asked>>>,
    answer: Mutex<Option<Answer>>,
    breach: OnceLock<Breach>,
}

impl Conversation {
    /// Records a request.
    pub(super) fn ask(&self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Request(request) = message {
            let asked = Asked::of(&request.request);
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(request.id.clone(), Some(asked));
        }
    }

    /// The message in these bytes, in the form for the SDK; `None` if they contain no usable one.
    pub(super) fn receive(&self, bytes: &[u8]) -> Option<ServerJsonRpcMessage> {
        let received = parse(bytes).and_then(|value| match value {
            Some(value) if is_answer(&value) => self.answer(value, bytes).map(Some),
            Some(value) => Ok(serde_json::from_value(value).ok()),
            None => Ok(None),
        });
        received.unwrap_or_else(|breach| {
            self.end(breach);
            None
        })
    }

    /// Takes the last result.
    pub(super) fn take_answer(&self) -> Option<Answer> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Ends the conversation for a breach. The first one counts.
    pub(super) fn end(&self, breach: impl Into<Breach>) {
        let _ = self.breach.set(breach.into());
    }

    /// How the server broke the protocol: a sentence about `it`.
    pub(super) fn breach(&self) -> Option<&str> {
        self.breach.get().map(|breach| &**breach)
    }

    /// Records the first answer to a request, and returns the message for the SDK.
    fn answer(&self, mut message: Value, bytes: &[u8]) -> Result<ServerJsonRpcMessage, Breach> {
        check(&message)?;
        let asked = self.expect(&message["id"])?;
        if message["result"].is_null() {
            // All other members of an error are hints.
            message["error"] = json!({"code": message["error"]["code"], "message": message["error"]["message"]});
        } else if let Some(reduced) = asked.reduced(&message["result"]) {
            let result = std::mem::replace(&mut message["result"], reduced);
            *self.answer.lock().unwrap_or_else(PoisonError::into_inner) = Some(Answer::of(bytes, result));
        }
        let unreadable = "it sent an answer with neither a result nor an error that could be read";
        serde_json::from_value(message).map_err(|_| unreadable.into())
    }

    /// Takes the request with this id.
    fn expect(&self, id: &Value) -> Result<Asked, Breach> {
        // A string with the number is accepted as the number.
        let number = id.as_i64().or_else(|| id.as_str()?.parse().ok()).map(RequestId::Number);
        let id = number.or_else(|| Some(RequestId::String(id.as_str()?.into())));
        match id.and_then(|id| self.asked.lock().unwrap_or_else(PoisonError::into_inner).get_mut(&id).map(Option::take))
        {
            None => Err("it answered a request that was never made".into()),
            Some(None) => Err("it answered a request twice".into()),
            Some(Some(asked)) => Ok(asked),
        }
    }
}

/// The JSON of a message; or how it breaks the protocol.
fn parse(bytes: &[u8]) -> Result<Option<Value>, Breach> {
    if bytes.len() > MESSAGE_BYTES_MAX {
        return Err("it sent a message of more than 16 MiB".into());
    }
    let mut values_left = VALUES_MAX;
    match json::read_within(bytes, &mut values_left, DEPTH_MAX) {
        Ok(Value::Array(_)) => Err("it sent a batch of messages, which the protocol does not allow".into()),
        Ok(value) => Ok(Some(value)),
        Err(error) if json::is_too_complex(&error) && values_left == 0 => {
            Err(format!("it sent a message of more than {VALUES_MAX} values").into())
        }
        Err(error) if json::is_too_complex(&error) => Err("it sent a message that is nested too deep".into()),
        Err(error) if error.classify() == Category::Data => {
            Err(format!("it sent a message that cannot be read: {}", json::fault(&error)).into())
        }
        Err(_) if is_meant(bytes) => Err("it sent a message that is not JSON".into()),
        Err(_) => Ok(None),
    }
}

/// Whether invalid JSON was meant as a message, or is a line of one.
fn is_meant(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii_start();
    text.starts_with(KEY) || (text.starts_with(b"{") && memmem::find(text, KEY).is_some())
}

fn is_answer(value: &Value) -> bool {
    let has = |key| value.get(key).is_some();
    let has_outcome = has("result") || has("error");
    (names_request(value) && !has("method")) || (has_outcome && (has("jsonrpc") || has("id")))
}

fn names_request(value: &Value) -> bool {
    value.get("id").is_some_and(|id| !id.is_null())
}

/// How an answer breaks the protocol, if it does.
fn check(value: &Value) -> Result<(), Breach> {
    let error = value.pointer("/error/message").and_then(Value::as_str);
    let breach = match &value {
        _ if value.get("method").is_some() => "it sent a message that is both a request and an answer",
        _ if value["jsonrpc"] != "2.0" => "it sent an answer without \"jsonrpc\": \"2.0\"",
        _ if !value["result"].is_null() && !value["error"].is_null() => {
            "it sent an answer with both a result and an error"
        }
        _ if !names_request(value) => match error {
            Some(error) => return Err(format!("it reports an error without naming a request: {error}").into()),
            None => "it sent an answer that names no request",
        },
        _ => return Ok(()),
    };
    Err(breach.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation() -> Conversation {
        let conversation = Conversation::default();
        let request = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"});
        conversation.ask(&serde_json::from_value(request).unwrap());
        conversation
    }

    #[test]
    fn an_answer_to_what_was_asked_is_heard() {
        for answer in [
            r#"{"jsonrpc": "2.0", "id": 7, "result": {"tools": []}}"#,
            r#"{"jsonrpc": "2.0", "id": "7", "result": {"tools": []}}"#,
            r#"{"jsonrpc": "2.0", "id": 7, "error": {"code": -32000, "message": "no"}}"#,
            r#"{"jsonrpc": "2.0", "id": "its own", "method": "roots/list"}"#,
            r#"{"jsonrpc": "2.0", "method": "notifications/unknown"}"#,
        ] {
            let conversation = conversation();
            assert!(conversation.receive(answer.as_bytes()).is_some() && conversation.breach().is_none(), "{answer}");
        }
    }

    #[test]
    fn what_no_server_may_say_ends_the_conversation() {
        let deep = format!("{{\"x\": {}1{}}}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
        let many = format!("{{\"x\": [0{}]}}", ",0".repeat(VALUES_MAX));
        for (text, breach) in [
            (r#"{"jsonrpc": "2.0", "id": 8, "result": {}}"#, "never made"),
            (r#"{"jsonrpc": "2.0", "id": 8, "error": {"code": 1, "message": "no"}}"#, "never made"),
            (r#"[{"jsonrpc": "2.0", "id": 7, "result": {}}]"#, "a batch of messages"),
            (r#"{"jsonrpc": "2.0", "id": 7, "result": {"structuredContent": {"a": 1, "a": 2}}}"#, "a key occurs twice"),
            (r#"{"jsonrpc": "2.0", "id": 7}"#, "neither a result nor an error"),
            (&deep, "nested too deep"),
            (&many, &format!("more than {VALUES_MAX} values")),
            (r#"{"jsonrpc": "2.0", "id": 7, "result": {"a": NaN}}"#, "not JSON"),
            (r#"{"jsonrpc": "2.0", "id": 7, "result": {"a": "\ud800"}}"#, "not JSON"),
            ("\u{feff}{\"jsonrpc\": \"2.0\", \"id\": 7, \"result\": {}}", "not JSON"),
            (r#"{"jsonrpc": "2.0", "id": 7,"#, "not JSON"),
            (r#"  "jsonrpc": "2.0","#, "not JSON"),
            (r#"{"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "Parse error"}}"#, "Parse error"),
            (r#"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}}"#, "Parse error"),
            (r#"{"jsonrpc": "2.0", "id": null, "result": {}}"#, "names no request"),
            (r#"{"jsonrpc": "2.0", "id": 7, "method": "x", "result": {}}"#, "both a request and an answer"),
            (r#"{"id": 7, "result": {}}"#, "without \"jsonrpc\": \"2.0\""),
            (
                r#"{"jsonrpc": "2.0", "id": 7, "result": {}, "error": {"code": 1, "message": "no"}}"#,
                "both a result and an error",
            ),
        ] {
            let conversation = conversation();
            assert!(conversation.receive(text.as_bytes()).is_none(), "{text}");
            assert!(conversation.breach().is_some_and(|text| text.contains(breach)), "{text}");
        }
    }

    #[test]
    fn an_answer_is_kept_as_it_came_and_shown_without_its_hints() {
        let conversation = conversation();
        let tools = r#"{"tools": [{"name": "a", "inputSchema": null}, 5], "nextCursor": null, "n": 123456789012345678901234567890}"#;
        let text = format!(r#"{{"jsonrpc": "2.0", "id": 7, "result": {tools}}}"#);
        assert!(conversation.receive(text.as_bytes()).is_some(), "{:?}", conversation.breach());
        let answer = conversation.take_answer().unwrap();
        assert_eq!((answer.bytes, &answer.value["tools"][0]["name"]), (tools.as_bytes().to_vec(), &json!("a")));
        assert!(conversation.take_answer().is_none());
    }

    #[test]
    fn a_request_is_answered_once() {
        let (conversation, answer) = (conversation(), br#"{"jsonrpc": "2.0", "id": 7, "result": {"tools": []}}"#);
        assert!(conversation.receive(answer).is_some() && conversation.receive(answer).is_none());
        assert_eq!(conversation.breach(), Some("it answered a request twice"));
    }

    #[test]
    fn bytes_that_are_no_utf8_are_no_message() {
        let conversation = conversation();
        assert!(conversation.receive(b"{\"jsonrpc\": \"2.0\", \"id\": 7, \"result\": {\"a\": \"\xe9\"}}").is_none());
        assert_eq!(conversation.breach(), Some("it sent a message that is not JSON"));
    }

    #[test]
    fn what_servers_print_beside_their_messages_is_passed_over() {
        for text in ["", "starting", "[INFO] ready", r#"{"jsonrpc": "2.0"}"#, r#"{"level": "info"}"#, "{'a': 1}"] {
            let conversation = conversation();
            assert!(conversation.receive(text.as_bytes()).is_none() && conversation.breach().is_none(), "{text}");
        }
    }
}
