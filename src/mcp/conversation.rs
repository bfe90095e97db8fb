//! What a server says, read strictly: one message at a time, no key twice in an object, and no answer but to what was asked.
//!
//! The SDK drops what it cannot place, and waits. Here the first breach of the protocol is kept, and ends the conversation. Text that is no JSON at all
//! is no breach, because servers print such on their stdout.
//!
//! *Security*: every byte is the server's. *Standards*: JSON-RPC 2.0, sections 4 to 6; RFC 7493 section 2.3 (unique names); Model Context
//! Protocol, which has no batches.

use std::collections::HashSet;
use std::sync::{Mutex, OnceLock, PoisonError};

use gatepost_documents::json;
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use serde_json::error::Category;

use super::MESSAGE_BYTES_MAX;

/// The most levels of a message.
const DEPTH_MAX: usize = 100;

/// What was asked so far, and how the server broke the protocol, if it did.
#[derive(Default)]
pub(super) struct Conversation {
    asked: Mutex<HashSet<RequestId>>,
    breach: OnceLock<&'static str>,
}

impl Conversation {
    /// Notes what is asked.
    pub(super) fn ask(&self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Request(request) = message {
            self.asked.lock().unwrap_or_else(PoisonError::into_inner).insert(request.id.clone());
        }
    }

    /// The message in these bytes; `None` where there is none that can be used.
    pub(super) fn hear(&self, bytes: &[u8]) -> Option<ServerJsonRpcMessage> {
        let heard = parse(bytes).and_then(|message| match message {
            Some(message) if !self.is_expected(&message) => Err("it answered a request that was never made"),
            message => Ok(message),
        });
        heard.unwrap_or_else(|breach| {
            // The first one counts.
            let _ = self.breach.set(breach);
            None
        })
    }

    /// How the server broke the protocol: a sentence about `it`.
    pub(super) fn breach(&self) -> Option<&'static str> {
        self.breach.get().copied()
    }

    fn is_expected(&self, message: &ServerJsonRpcMessage) -> bool {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        // The SDK takes a number in quotation marks for the number.
        let number = |id: &RequestId| id.to_string().parse().map_or_else(|_| id.clone(), RequestId::Number);
        id.is_none_or(|id| self.asked.lock().unwrap_or_else(PoisonError::into_inner).contains(&number(id)))
    }
}

/// The message; or how it breaks the protocol.
fn parse(bytes: &[u8]) -> Result<Option<ServerJsonRpcMessage>, &'static str> {
    if bytes.len() > MESSAGE_BYTES_MAX {
        return Err("it sent a message of more than 16 MiB");
    }
    let value = match json::read_within(bytes, &mut { MESSAGE_BYTES_MAX }, DEPTH_MAX) {
        Ok(value) => value,
        Err(error) if json::is_too_complex(&error) => return Err("it sent a message that is nested too deep"),
        Err(error) if error.classify() == Category::Data => {
            return Err("it sent a message in which a key stands twice in one object");
        }
        Err(_) => return Ok(None),
    };
    if value.is_array() {
        return Err("it sent several messages in one, which the protocol does not have");
    }
    let is_answer = value.get("id").is_some_and(|id| !id.is_null()) && value.get("method").is_none();
    match serde_json::from_value(value) {
        Err(_) if is_answer => Err("it sent an answer with neither a result nor an error that could be read"),
        message => Ok(message.ok()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

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
            assert!(conversation.hear(answer.as_bytes()).is_some() && conversation.breach().is_none(), "{answer}");
        }
    }

    #[test]
    fn what_no_server_may_say_ends_the_conversation() {
        let deep = format!("{{\"x\": {}1{}}}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX));
        for (said, breach) in [
            (r#"{"jsonrpc": "2.0", "id": 8, "result": {}}"#, "never made"),
            (r#"{"jsonrpc": "2.0", "id": 8, "error": {"code": 1, "message": "no"}}"#, "never made"),
            (r#"[{"jsonrpc": "2.0", "id": 7, "result": {}}]"#, "several messages in one"),
            (r#"{"jsonrpc": "2.0", "id": 7, "result": {"structuredContent": {"a": 1, "a": 2}}}"#, "a key stands twice"),
            (r#"{"jsonrpc": "2.0", "id": 7}"#, "neither a result nor an error"),
            (&deep, "nested too deep"),
        ] {
            let conversation = conversation();
            assert!(conversation.hear(said.as_bytes()).is_none(), "{said}");
            assert!(conversation.breach().is_some_and(|said| said.contains(breach)), "{said}");
        }
    }

    #[test]
    fn what_servers_print_beside_their_messages_is_passed_over() {
        for said in ["", "starting", "[INFO] ready", r#"{"jsonrpc": "2.0"}"#, r#"{"level": "info"}"#, "{'a': 1}"] {
            let conversation = conversation();
            assert!(conversation.hear(said.as_bytes()).is_none() && conversation.breach().is_none(), "{said}");
        }
    }
}
