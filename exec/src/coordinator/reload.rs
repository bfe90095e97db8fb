//! SIGHUP: TOOL-EXEC reads the configuration again, and applies it once no tool runs under the old one.
//!
//! ```text
//! SIGHUP ▶ gatepost.toml invalid: log, keep the old one    unchanged: log only    changed: wait until no session is open
//!        ▶ close the queue, let running tools finish, leave the rest claimed ▶ the same process starts a new run, which resumes it
//! ```
//!
//! It stops no tool, and TOOL-EXEC keeps its lock. Manifests, policies, the scope and keys are read for each request anyway.

use std::fs;

use gatepost_contract::config::Config;
use gatepost_mailbox::site::CONFIG_FILE;

use super::{Coordinator, Ended, Mode};
use gatepost_mailbox::log::{Event, Level};

/// The beginning of each message on an invalid configuration.
const FAILED: &str = "Reload failed, the old configuration stays in force";

impl Coordinator<'_> {
    /// Reads the present configuration; if it has faults, reports them and keeps the old one.
    pub(super) fn read_config(&mut self) {
        let note = |level, message: String| self.log.event(&Event::new("reload", "", message).at(level));
        if self.mode == Mode::Once {
            return note(Level::Info, format!("{CONFIG_FILE} is not read again: this run ends by itself"));
        }
        let text = match fs::read_to_string(self.context.site.config_file()) {
            Ok(text) => text,
            Err(error) => {
                let message = format!("{FAILED}: {CONFIG_FILE} cannot be read: {error}");
                return note(Level::Error, message);
            }
        };
        match Config::parse(&text, CONFIG_FILE) {
            Err(reasons) => {
                for reason in reasons {
                    note(Level::Error, format!("{FAILED}: {reason}"));
                }
            }
            Ok(config) if config == self.context.config => {
                note(Level::Info, format!("no value in {CONFIG_FILE} has changed"));
                self.next_config = None;
            }
            Ok(config) => {
                let when = if self.sessions.count() == 0 {
                    "once the running tools have finished"
                } else {
                    "once no session is open"
                };
                note(Level::Info, format!("{CONFIG_FILE} was read again; it takes effect {when}"));
                self.next_config = Some(Box::new(config));
            }
        }
    }

    /// Lets running tools finish, and leaves the rest to a run with the new configuration.
    pub(super) fn hand_over(mut self) -> Ended {
        self.finish(None);
        self.leave()
    }
}
