//! A site on disk: one folder with a `gatepost.toml`, a complete mailbox.
//!
//! A state is a folder and a move is one rename. This file only names the folders; TOOL-EXEC's mailbox and the gate's move items. In
//! every public folder, `.tmp/` is staging, and everyone else ignores it.

use std::io;
use std::path::{Path, PathBuf};

use crate::fault::{Fault, OnPath};
use crate::regular_file;

/// The name of a folder's staging place.
pub const STAGING: &str = ".tmp";

/// The variable that names a site where no argument does.
pub const SITE_VARIABLE: &str = "GATEPOST_SITE";

/// The file that marks a folder as a site.
pub const CONFIG_FILE: &str = "gatepost.toml";

/// The file with the gate's demands on results.
pub const GATE_CONFIG_FILE: &str = "gate.toml";

/// The folder in which the MCP server notes calls, below the root of a site.
pub const MCP_CALLS: &str = "var/mcp";

/// The form of a site on disk that this version reads and writes. A change after which an older version would misread a site raises it.
pub const FORMAT: u32 = 1;

/// The file with the number of that form, below the root of a site. A site without it has form 1.
pub const FORMAT_FILE: &str = "var/format";

/// The folders of a site, below its root.
#[derive(Debug, Clone)]
pub struct Site {
    root: PathBuf,
}

macro_rules! folders {
    ($($(#[$doc:meta])* $name:ident $path:literal;)+) => {
        impl Site {
            /// Every folder of a site, relative to its root, in the order in which they are made.
            pub const FOLDERS: &[&str] = &[$($path,)+];

            $($(#[$doc])* pub fn $name(&self) -> PathBuf { self.root.join($path) })+
        }
    };
}

folders! {
    /// Where requests are dropped.
    inbox "inbox";
    /// Where TOOL-EXEC publishes bundles for the gate.
    outbox "outbox";
    /// The accepted results, for CORE.
    core_inbound "core/inbound";
    /// Where refused items wait for a person.
    quarantine "quarantine";
    /// The manifests and their scripts.
    tools "tools";
    /// The authorization policies.
    policies "policies";
    /// The operator's own rules on content.
    rules "rules";
    /// The keys of approvers and requesters, and the pinned tools.
    keys "keys";
    /// The targets that are in scope for tools.
    scope "scope";
    /// Requests whose private copy is durable.
    claimed "var/exec/claimed";
    /// Requests that wait for an approval.
    pending "var/exec/pending";
    /// People's decisions on requests: to deny one, or to cancel it.
    exec_orders "var/exec/orders";
    /// Requesters' cancellations of their own requests.
    exec_cancels "var/exec/cancels";
    /// Requests whose tool may have started.
    running "var/exec/running";
    /// Requests that were answered.
    done "var/exec/done";
    /// The digests of the requests that TOOL-EXEC claimed, for the gate.
    exchange_claimed "var/exchange/claimed";
    /// The gate's verdicts, for TOOL-EXEC.
    exchange_judged "var/exchange/judged";
    /// Where the gate lays out the bundle that it is judging.
    gate_judging "var/gate/judging";
    /// People's orders to the gate, and its answers.
    gate_orders "var/gate/orders";
    /// The gate's own record of its verdicts.
    gate_audit "var/gate/audit";
}

impl Site {
    /// The site at `root`, which should be absolute.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The site that was named, or the one around the working directory, of a form that this version knows. The error is a clause
    /// for the user.
    pub fn locate(named: Option<&Path>) -> Result<Self, String> {
        let here = std::env::current_dir().map_err(|error| format!("the working directory is gone: {error}"))?;
        let found = match named {
            None => Self::find(&here).ok_or_else(|| format!("no {CONFIG_FILE} here or in any folder above")),
            Some(named) => {
                let root = here.join(named).canonicalize().ok().filter(|root| root.join(CONFIG_FILE).is_file());
                let missing = || format!("{} is no gatepost site: it has no {CONFIG_FILE}", named.display());
                root.map(Self::at).ok_or_else(missing)
            }
        }?;
        found.check_format().map(|()| found)
    }

    /// That this version knows the form of the site. The error is a clause for the user.
    pub fn check_format(&self) -> Result<(), String> {
        let path = self.root.join(FORMAT_FILE);
        let number = match regular_file::read(&path, 32) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).trim().to_owned(),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(());
            }
            Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
        };
        match number.parse() {
            Ok(FORMAT) => Ok(()),
            Ok(other) => {
                Err(format!("{} has form {other} on disk, and this version knows form {FORMAT}", self.root.display()))
            }
            Err(_) => Err(format!("{} holds {number:?}, which is no number of a form", path.display())),
        }
    }

    /// The nearest folder with a `gatepost.toml`, from `start` upwards.
    pub fn find(start: &Path) -> Option<Self> {
        start.ancestors().find(|folder| folder.join(CONFIG_FILE).is_file()).map(Self::at)
    }

    /// The site's own folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// `gatepost.toml`.
    pub fn config_file(&self) -> PathBuf {
        self.root.join(CONFIG_FILE)
    }

    /// `gate.toml`, which may be missing.
    pub fn gate_config_file(&self) -> PathBuf {
        self.root.join(GATE_CONFIG_FILE)
    }

    /// The digests of tools that the operator pinned, which may be missing.
    pub fn pins_file(&self) -> PathBuf {
        self.keys().join("pins.toml")
    }

    /// The catalog of tools, for programs: TOOL-EXEC writes it, and CORE reads it.
    pub fn catalog_data(&self) -> PathBuf {
        self.root.join("core/catalog.json")
    }

    /// The same for people.
    pub fn catalog_page(&self) -> PathBuf {
        self.root.join("core/catalog.md")
    }

    /// The lock of the site's one TOOL-EXEC.
    pub fn exec_lock(&self) -> PathBuf {
        self.root.join("var/exec/lock")
    }

    /// TOOL-EXEC's lasting faults.
    pub fn exec_faults(&self) -> PathBuf {
        self.root.join("var/exec/faults.jsonl")
    }

    /// A digest of the configuration that TOOL-EXEC goes by.
    pub fn exec_config(&self) -> PathBuf {
        self.root.join("var/exec/config.sha256")
    }

    /// The same of the gate's.
    pub fn gate_faults(&self) -> PathBuf {
        self.root.join("var/gate/faults.jsonl")
    }

    /// The gate's decisions, one line of JSON each, for people.
    pub fn gate_decisions(&self) -> PathBuf {
        self.gate_audit().join("verdicts.jsonl")
    }

    /// TOOL-EXEC's steps, one line of JSON each, for people.
    pub fn exec_events(&self) -> PathBuf {
        self.root.join("var/exec/events.jsonl")
    }

    /// The MCP server's records of each principal's calls. A watcher works without it, so only `gatepost init` creates it.
    pub fn mcp_calls(&self) -> PathBuf {
        self.root.join(MCP_CALLS)
    }

    /// TOOL-EXEC's record of its steps; see `tile_log.rs`.
    pub fn exec_log(&self) -> PathBuf {
        self.root.join("var/exec/log")
    }

    /// The key that signs that record, which only TOOL-EXEC may read.
    pub fn exec_log_key(&self) -> PathBuf {
        self.root.join("var/exec/log.key")
    }

    /// The gate's record of its decisions; see `tile_log.rs`.
    pub fn gate_log(&self) -> PathBuf {
        self.root.join("var/gate/log")
    }

    /// The key that signs that record, which only the gate may read.
    pub fn gate_log_key(&self) -> PathBuf {
        self.root.join("var/gate/log.key")
    }

    /// The key with which the gate attests unless `gate.toml` names another, which only the gate may read.
    pub fn gate_attestation_key(&self) -> PathBuf {
        self.root.join("var/gate/attestation.key")
    }

    /// The public key for the gate's attestations, whichever key signs.
    pub fn gate_attestation_public_key(&self) -> PathBuf {
        self.root.join("var/gate/attestation.pub")
    }

    /// The lock of the site's one gate.
    pub fn gate_lock(&self) -> PathBuf {
        self.root.join("var/gate/lock")
    }
}
impl Site {
    /// Checks that the folders of results are folders. Through a symbolic link, a watcher would serve another folder
    /// than the one that everybody else uses.
    pub fn check_folders(&self) -> Result<(), Fault> {
        for folder in [self.outbox(), self.core_inbound(), self.quarantine()] {
            if folder.is_symlink() {
                let source = io::Error::other("it is a symbolic link; replace it with the folder itself");
                return Err(source).on("use", &folder);
            }
        }
        Ok(())
    }
}
