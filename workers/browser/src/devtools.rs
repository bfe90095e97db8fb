//! The DevTools protocol over two pipes: JSON texts that each end with a NUL.
//!
//! *Security*: the browser is hostile. Its messages are bounded, and every wait has a deadline.

use std::fmt;
use std::io::{BufRead as _, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use serde::Deserialize;
use serde_json::{Value, json};

/// The longest message, bytes.
const MESSAGE_BYTES_MAX: usize = 64 << 20;

/// The capacity of the queue of messages. If it is full, the browser waits.
const WAITING_MAX: usize = 16;

/// Why the browser did not execute a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// There was no time left.
    Timeout,
    /// It has ended, or broke the protocol.
    Gone(&'static str),
    /// Its own error.
    Refused(String),
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout => f.write_str("exceeded its time limit"),
            Self::Gone(how) => f.write_str(how),
            Self::Refused(why) => f.write_str(why),
        }
    }
}

/// A message of the browser.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    id: Option<u64>,
    #[serde(default)]
    result: Value,
    error: Option<Refusal>,
    /// The name of an event.
    #[serde(default)]
    pub method: String,
    /// The parameters of an event.
    #[serde(default)]
    pub params: Value,
    /// The session of its page, if it has one.
    #[serde(default, rename = "sessionId")]
    pub session: String,
}

#[derive(Debug, Deserialize)]
struct Refusal {
    message: String,
}

impl Message {
    /// The answer to this call, if it is one.
    pub(crate) fn answer(self, id: u64) -> Result<Result<Value, Trouble>, Self> {
        match self {
            Self { id: Some(own), error: Some(refusal), .. } if own == id => Ok(Err(Trouble::Refused(refusal.message))),
            Self { id: Some(own), result, .. } if own == id => Ok(Ok(result)),
            other => Err(other),
        }
    }
}

/// A connection to a browser.
pub(crate) struct Connection<W> {
    to: W,
    from: Receiver<Result<Vec<u8>, &'static str>>,
    last: u64,
}

impl<W: Write> Connection<W> {
    /// Writes to `to`; another thread reads from `from`.
    pub(crate) fn new(to: W, from: impl Read + Send + 'static) -> Self {
        let (sender, receiver) = sync_channel(WAITING_MAX);
        // The thread ends with the pipe or the process.
        thread::spawn(move || read(from, &sender));
        Self { to, from: receiver, last: 0 }
    }

    /// Calls a method of a page or the browser. Returns the id of the answer.
    pub(crate) fn send(&mut self, session: &str, method: &str, params: &Value) -> Result<u64, Trouble> {
        self.last += 1;
        let mut call = json!({ "id": self.last, "method": method, "params": params });
        if !session.is_empty() {
            call["sessionId"] = session.into();
        }
        let sent = self.to.write_all(format!("{call}\0").as_bytes()).and_then(|()| self.to.flush());
        sent.map(|()| self.last).map_err(|_| Trouble::Gone("lost the browser, which closed the connection"))
    }

    /// The next message; none if none arrives before the deadline.
    pub(crate) fn next(&mut self, until: Instant) -> Result<Option<Message>, Trouble> {
        match self.from.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(Ok(bytes)) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|_| Trouble::Gone("lost the browser, which sent no JSON")),
            Ok(Err(why)) => Err(Trouble::Gone(why)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(Trouble::Gone("lost the browser, which ended")),
        }
    }
}

fn read(from: impl Read, to: &SyncSender<Result<Vec<u8>, &'static str>>) {
    let mut from = BufReader::new(from);
    loop {
        let mut bytes = Vec::new();
        let read = (&mut from).take(MESSAGE_BYTES_MAX as u64).read_until(0, &mut bytes);
        let message = match (read, bytes.pop()) {
            (Ok(_), Some(0)) => Ok(bytes),
            (Ok(_), Some(_)) if bytes.len() + 1 == MESSAGE_BYTES_MAX => {
                Err("lost the browser, which sent a message that is too long")
            }
            _ => return,
        };
        let is_last = message.is_err();
        if to.send(message).is_err() || is_last {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Cursor};
    use std::time::Duration;

    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    #[test]
    fn a_call_gets_the_answer_with_its_number() {
        let text = b"{\"method\":\"A.b\",\"params\":{\"x\":1},\"sessionId\":\"s\"}\0{\"id\":2,\"result\":{}}\0{\"id\":1,\"error\":{\"message\":\"no\",\"code\":1}}\0";
        let mut sent = Vec::new();
        let mut connection = Connection::new(&mut sent, Cursor::new(text));
        let id = connection.send("s", "C.d", &json!({"y": 2})).unwrap();
        let event = connection.next(soon()).unwrap().unwrap().answer(id).unwrap_err();
        assert_eq!((event.method.as_str(), &event.params, event.session.as_str()), ("A.b", &json!({"x": 1}), "s"));
        assert!(connection.next(soon()).unwrap().unwrap().answer(id).is_err());
        let refused = connection.next(soon()).unwrap().unwrap().answer(id).unwrap();
        assert_eq!(refused, Err(Trouble::Refused("no".to_owned())));
        assert_eq!(connection.next(soon()).unwrap_err(), Trouble::Gone("lost the browser, which ended"));
        let sent: Value = serde_json::from_slice(sent.strip_suffix(b"\0").unwrap()).unwrap();
        assert_eq!(sent, json!({"id": 1, "method": "C.d", "params": {"y": 2}, "sessionId": "s"}));
    }

    #[test]
    fn what_is_no_message_ends_the_connection() {
        let mut connection = Connection::new(io::sink(), Cursor::new(b"{\0"));
        assert_eq!(connection.next(soon()).unwrap_err(), Trouble::Gone("lost the browser, which sent no JSON"));
        let mut connection = Connection::new(io::sink(), io::repeat(b'1'));
        let gone = Trouble::Gone("lost the browser, which sent a message that is too long");
        assert_eq!(connection.next(soon()).unwrap_err(), gone);
        let mut connection = Connection::new(io::sink(), Cursor::new(b"{\"id\":1"));
        assert_eq!(connection.next(soon()).unwrap_err(), Trouble::Gone("lost the browser, which ended"));
    }
}
