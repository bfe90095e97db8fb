//! What the watchers say while they run: lines on stderr, as text on a terminal and as JSON otherwise.

use std::io::{IsTerminal, Write};
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

/// Something that happened.
#[derive(Debug, Serialize)]
pub struct Event {
    /// When, RFC 3339, UTC.
    time: String,
    /// What, one word.
    event: &'static str,
    /// The request or result that it is about; empty for the watcher itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    /// One sentence; a stranger's text in it is quoted.
    message: String,
}

impl Event {
    /// An event of now.
    pub fn new(event: &'static str, id: &str, message: String) -> Self {
        let now = DateTime::<Utc>::from(SystemTime::now());
        let time = now.to_rfc3339_opts(SecondsFormat::Millis, true);
        Self { time, event, id: id.chars().flat_map(char::escape_default).collect(), message }
    }
}

/// Where events go.
#[derive(Debug, Clone, Copy)]
pub enum Log {
    /// Lines for people.
    Text,
    /// One JSON object a line.
    Json,
    /// Nowhere.
    Silent,
}

impl Log {
    /// Text when stderr is a terminal, JSON otherwise.
    pub fn for_stderr() -> Self {
        if std::io::stderr().is_terminal() { Self::Text } else { Self::Json }
    }

    /// Says what happened. A stderr that is gone is no reason to stop working.
    pub fn event(&self, event: &Event) {
        let line = match self {
            Self::Text => format!(
                "{}  {:<12} {} {}\n",
                event.time.get(11..19).unwrap_or_default(),
                event.event,
                event.id,
                event.message
            ),
            Self::Json => serde_json::to_string(event).map(|line| line + "\n").unwrap_or_default(),
            Self::Silent => return,
        };
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }
}
