//! The stages in which `gatepost up` starts.
//!
//! ```text
//! up: forbid … ▶ up: listen … ▶ up: start exec ─▶ exec: read the keys … ▶ exec: serve the inbox
//!                             └ up: start the gate
//! ```
//!
//! The code that carries out a stage logs its start at level debug; `gatepost bootstrap-graph` lists the stages.

use gatepost_mailbox::log::{Event, Level, Log};

/// A stage, in the order of each process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each says itself what it is")]
pub enum Stage {
    Unwatched,
    Memory,
    Signals,
    Exec,
    Keys,
    Folders,
    Policies,
    Scope,
    Sandbox,
    Inbox,
    Gate,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 11] = [
        Self::Unwatched,
        Self::Memory,
        Self::Signals,
        Self::Exec,
        Self::Keys,
        Self::Folders,
        Self::Policies,
        Self::Scope,
        Self::Sandbox,
        Self::Inbox,
        Self::Gate,
    ];

    /// The process and its action, for logs.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Unwatched => "up: check that nobody watches the site already",
            Self::Memory => "up: forbid core dumps, and claim a control group for both watchers",
            Self::Signals => "up: listen for signals",
            Self::Exec => "up: start TOOL-EXEC, a process of its own",
            Self::Keys => "exec: read the lists of keys",
            Self::Folders => "exec: complete the folders of the site",
            Self::Policies => "exec: compile the policies",
            Self::Scope => "exec: read the scope",
            Self::Sandbox => {
                "exec: take the lock, try the sandbox, and choose the strongest level that the machine offers"
            }
            Self::Inbox => "exec: recover unfinished requests, and serve the inbox",
            Self::Gate => "up: start the gate, which confines itself and serves the outbox",
        }
    }

    /// Logs that it begins.
    pub fn begin(self, log: Log) {
        log.event(&Event::new("stage", "", self.label().to_owned()).at(Level::Debug));
    }
}
