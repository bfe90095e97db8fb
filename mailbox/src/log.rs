//! The log of a running watcher: lines on stderr, as text on a terminal and as JSON otherwise.
//!
//! ```text
//! {"time":"2026-02-09T16:05:01.123Z","level":"info","event":"answered","id":"TR-…","message":"success: TS-…"}
//! ```
//!
//! One event per change of state, with its request or result. Not `tracing`: there are no spans, and the gate, which
//! logs in the same form, would link it and its subscriber.

use std::io::{IsTerminal, Write};
use std::str::FromStr;
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;

/// The environment variable for the log level.
pub const LEVEL_VARIABLE: &str = "GATEPOST_LOG";

/// How much an event matters: the first matters most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Something waits until a fault of the world is over.
    Error,
    /// The program continues, but an operator should look.
    Warn,
    /// The outcome of a request or result.
    Info,
    /// Each of its states on the way, too.
    Debug,
}

impl Level {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warn, Self::Info, Self::Debug];

    /// In one word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
        }
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let level = Self::ALL.into_iter().find(|level| level.as_str() == text);
        level.ok_or_else(|| "a log level is error, warn, info or debug".to_owned())
    }
}

/// Something that happened.
#[derive(Debug, Serialize)]
pub struct Event {
    /// When, RFC 3339, UTC.
    time: String,
    level: Level,
    /// The event, one word.
    event: &'static str,
    /// The request or result that it is about; empty for the watcher itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    /// One sentence; a stranger's text in it is quoted.
    message: String,
}

impl Event {
    /// An event of now, at level info.
    pub fn new(event: &'static str, id: &str, message: String) -> Self {
        let now = DateTime::<Utc>::from(SystemTime::now());
        let time = now.to_rfc3339_opts(SecondsFormat::Millis, true);
        Self { time, level: Level::Info, event, id: id.chars().flat_map(char::escape_default).collect(), message }
    }

    /// The same at another level.
    #[must_use]
    pub fn at(self, level: Level) -> Self {
        Self { level, ..self }
    }
}

/// Where events go.
#[derive(Debug, Clone, Copy)]
pub struct Log {
    is_text: bool,
    /// The minimum level that is logged; `None` disables the log.
    least: Option<Level>,
}

impl Log {
    /// Nowhere.
    pub const SILENT: Self = Self { is_text: false, least: None };

    /// Text when stderr is a terminal, JSON otherwise; at the level in the environment, or info.
    pub fn for_stderr() -> Self {
        let level = std::env::var(LEVEL_VARIABLE).ok().and_then(|text| text.parse().ok());
        Self { is_text: std::io::stderr().is_terminal(), least: Some(level.unwrap_or(Level::Info)) }
    }

    /// The same, down to a level.
    #[must_use]
    pub fn down_to(self, level: Level) -> Self {
        Self { least: Some(level), ..self }
    }

    /// The minimum level that is logged; `None` disables the log.
    pub fn least(&self) -> Option<Level> {
        self.least
    }

    /// Logs an event. A closed stderr does not stop the program.
    pub fn event(&self, event: &Event) {
        if self.least.is_none_or(|least| event.level > least) {
            return;
        }
        let line = if self.is_text {
            format!(
                "{}  {:<12} {} {}\n",
                event.time.get(11..19).unwrap_or_default(),
                event.event,
                event.id,
                event.message
            )
        } else {
            serde_json::to_string(event).map(|line| line + "\n").unwrap_or_default()
        };
        let _ = std::io::stderr().lock().write_all(line.as_bytes());
    }
}
