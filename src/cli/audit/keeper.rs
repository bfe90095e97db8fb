//! The two logs of a site: whose they are, where they lie, and what an auditor is told of them.

use gatepost_mailbox::site::Site;
use gatepost_mailbox::tile_log::Place;

use crate::cli::failure::Failure;

/// Whose log it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Keeper {
    /// What the gate decided.
    Gate,
    /// What TOOL-EXEC did.
    Exec,
}

impl Keeper {
    pub fn log(self, site: &Site) -> Place {
        match self {
            Self::Gate => Place::of_gate(site),
            Self::Exec => Place::of_exec(site),
        }
    }

    /// Whether a site has the log, or something that only a log leaves: then it was there.
    pub fn has_left(self, site: &Site) -> bool {
        let place = self.log(site);
        [&place.folder, &place.key, &place.lines].iter().any(|path| path.symlink_metadata().is_ok())
    }

    /// A file of the log, from the site on.
    pub fn place(self, name: &str) -> String {
        match self {
            Self::Gate => format!("var/gate/log/{name}"),
            Self::Exec => format!("var/exec/log/{name}"),
        }
    }

    /// What a leaf is.
    pub const fn leaf(self) -> &'static str {
        match self {
            Self::Gate => "decision of a gate",
            Self::Exec => "step of TOOL-EXEC",
        }
    }

    pub const fn lines(self) -> &'static str {
        match self {
            Self::Gate => "var/gate/audit/verdicts.jsonl",
            Self::Exec => "var/exec/events.jsonl",
        }
    }

    pub const fn restore(self) -> &'static str {
        match self {
            Self::Gate => "Compare it with a backup and put it back; find out who could write to var/gate.",
            Self::Exec => "Compare it with a backup and put it back; find out who could write to var/exec.",
        }
    }

    pub const fn rewritten(self) -> &'static str {
        match self {
            Self::Gate => {
                "Compare the log with a backup from the time of the kept checkpoint; find out who could write to var/gate and read \
                 var/gate/log.key."
            }
            Self::Exec => {
                "Compare the log with a backup from the time of the kept checkpoint; find out who could write to var/exec and read \
                 var/exec/log.key."
            }
        }
    }

    pub const fn remove_lines(self) -> &'static str {
        match self {
            Self::Gate => {
                "Remove it; the gate makes the lines again from the log when it starts. Find out who could write to var/gate/audit."
            }
            Self::Exec => {
                "Remove it; `gatepost exec` makes the lines again from the log when it starts. Find out who could write to var/exec."
            }
        }
    }

    pub const fn remake(self) -> &'static str {
        match self {
            Self::Gate => {
                "The lines are made again from the log when the gate starts; find out who could write to var/gate/audit."
            }
            Self::Exec => {
                "The lines are made again from the log when `gatepost exec` starts; find out who could write to var/exec."
            }
        }
    }
}

/// That a site has a log.
pub fn demand_log(site: &Site, keeper: Keeper) -> Result<(), Failure> {
    if keeper.log(site).is_begun() {
        return Ok(());
    }
    let (message, hint) = match keeper {
        Keeper::Gate => (
            "This site has no log of the gate's decisions: no gate has served it since there are logs.",
            "Run `gatepost gate --once`.",
        ),
        Keeper::Exec => (
            "This site has no log of what TOOL-EXEC did: it has not run here since there are logs.",
            "Run `gatepost exec --once`.",
        ),
    };
    Err(Failure::not_found("LOG_NOT_FOUND", "log_not_found", keeper.place(""), message, hint))
}
