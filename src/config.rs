//! `gatepost.toml`: what an operator decides about a site.
//!
//! Every key has a default, and [`TEMPLATE`], which `gatepost init` writes, states each with its default; a test holds the
//! two together. An unknown key is an error: a misspelt limit must not silently be no limit. Reads text, never files.
//!
//! Standards: TOML 1.1.

mod browser;
mod era;
mod http;
mod launcher;
mod mcp;
mod monty;

use std::path::PathBuf;

use chrono::TimeDelta;
use gatepost_documents::clock;
pub use gatepost_documents::evidence::{ApprovalMode, Signatures};
use gatepost_documents::pins::Demand;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use serde::{Deserialize, Serialize};

use crate::nearest::nearest;
use crate::network::Allowlist;
pub use browser::Browser;
pub use era::{Era, Interpreters, ProgramName};
pub use http::Http;
pub use launcher::{Launcher, Values};
pub use mcp::{Mcp, Server, Way};
pub use monty::Monty;

/// The commented configuration that a new site begins with: every key at its default.
pub const TEMPLATE: &str = include_str!("config/gatepost.toml");

/// A site's configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How drops are picked up.
    pub inbox: Inbox,
    /// How requests are carried out.
    pub exec: Exec,
    /// What counts as approved.
    pub approval: Approval,
    /// The most that any tool gets; manifests and requests may only tighten it.
    pub limits: Limits,
    /// What must hold a tool.
    pub sandbox: Sandbox,
    /// What tools may be let reach.
    pub network: Network,
    /// Which tools may be called.
    pub tools: Tools,
    /// Where the secrets of tools lie.
    pub secrets: Secrets,
    /// What tools that send HTTP requests trust.
    pub http: Http,
    /// What tools with a browser drive.
    pub browser: Browser,
    /// What runs command lines.
    pub era: Era,
    /// What a program in the Python subset gets.
    pub monty: Monty,
    /// The MCP servers whose tools may be called.
    pub mcp: Mcp,
    /// How results are judged.
    pub gate: Gate,
    /// What monitoring reads.
    pub metrics: Metrics,
}

/// `[inbox]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Inbox {
    /// How long a drop that was not renamed in must lie unchanged, milliseconds.
    pub settle_ms: u64,
    /// How often the folder is looked at without any event, milliseconds; at least 10.
    #[schemars(range(min = 10))]
    pub scan_interval_ms: u64,
    /// Input files of one request, bytes in all.
    pub inputs_bytes_max: u64,
    /// Input files of one request.
    pub inputs_max: u32,
    /// How far in the future a request and its approval may lie, seconds; at most 300, for the gate allows no more.
    #[schemars(range(max = clock::SKEW_SECONDS_MAX))]
    pub clock_skew_seconds: u32,
    /// Whether requests must be signed by whoever asks.
    pub signatures: Signatures,
}

impl Inbox {
    /// How far in the future a request and its approval may lie.
    pub fn clock_skew(&self) -> TimeDelta {
        TimeDelta::seconds(self.clock_skew_seconds.into())
    }
}

impl Default for Inbox {
    fn default() -> Self {
        Self {
            settle_ms: 500,
            scan_interval_ms: 2_000,
            inputs_bytes_max: 1 << 30,
            inputs_max: 1_000,
            clock_skew_seconds: clock::SKEW_SECONDS_MAX,
            signatures: Signatures::Accepted,
        }
    }
}

/// `[exec]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Exec {
    /// Requests carried out at the same time; 0 means one for each processor.
    #[schemars(range(max = 256))]
    pub workers: usize,
    /// Sessions that are open at the same time.
    #[schemars(range(max = 256))]
    pub sessions_max: usize,
    /// Between SIGTERM and SIGKILL, milliseconds.
    pub grace_ms: u64,
}

impl Default for Exec {
    fn default() -> Self {
        Self { workers: 0, sessions_max: 4, grace_ms: 2_000 }
    }
}

/// `[approval]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Approval {
    /// What counts as approved.
    pub mode: ApprovalMode,
    /// How old a request may be, hours, for its signed approvals to count: they cover its time, and bear none of their own. It waits
    /// for them no longer.
    #[schemars(range(min = 1))]
    pub max_age_hours: u32,
}

impl Approval {
    /// How old a request may be for its signed approvals to count.
    pub fn max_age(&self) -> TimeDelta {
        TimeDelta::hours(self.max_age_hours.into())
    }
}

impl Default for Approval {
    fn default() -> Self {
        Self { mode: ApprovalMode::Signature, max_age_hours: clock::APPROVAL_AGE_HOURS }
    }
}

/// `[limits]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Wall-clock time of one tool, seconds.
    #[schemars(range(min = 1))]
    pub time_seconds: u64,
    /// Processor time of one process, seconds.
    #[schemars(range(min = 1))]
    pub cpu_seconds: u64,
    /// Processors that one tool may use at the same time; 0 means all.
    pub cpus: u64,
    /// Resident memory of one tool with all of its processes, MiB.
    #[schemars(range(min = 16))]
    pub memory_mb: u64,
    /// Address space of one process, MiB.
    #[schemars(range(min = 16))]
    pub address_space_mb: u64,
    /// Open files of one process.
    #[schemars(range(min = 16))]
    pub files: u64,
    /// Processes and threads of one tool.
    #[schemars(range(min = 1))]
    pub processes: u64,
    /// Largest file that a tool may write, MiB.
    pub file_mb: u64,
    /// All that a tool may leave in out/, MiB; its tmp/ holds as much.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub out_mb: u64,
    /// Files and folders that may stand in out/; in tmp/ as many.
    #[schemars(range(min = 1, max = 16_777_216))]
    pub out_files: u64,
    /// Output kept, bytes; stdout and stderr each.
    pub stdout_bytes: u64,
    /// Files that a tool may leave in out/.
    pub artifacts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time_seconds: 3_600,
            cpu_seconds: 3_600,
            cpus: 0,
            memory_mb: 4_096,
            address_space_mb: 65_536,
            files: 1_024,
            processes: 1_024,
            file_mb: 1_024,
            out_mb: 1_024,
            out_files: 65_536,
            stdout_bytes: 64 << 20,
            artifacts: 1_000,
        }
    }
}

/// `[sandbox]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sandbox {
    /// The weakest level at which a tool is run.
    pub minimum: SandboxLevel,
    /// The strongest level at which a tool is run: lower it only for tools that must act on the machine itself.
    pub maximum: SandboxLevel,
}

/// `[network]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Network {
    /// What requests may list, `host:port` each; `*` stands for every name and every public address.
    pub destinations: Allowlist,
}

/// `[tools]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tools {
    /// Whether a tool must be pinned.
    pub pins: Demand,
}

/// `[secrets]`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Secrets {
    /// An absolute path: a folder with one file a secret, under the name that manifests use. Empty: no such folder.
    #[schemars(regex(pattern = "^(/.*)?$"))]
    pub folder: PathBuf,
}

/// `[gate]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gate {
    /// How often the outbox is looked at without any event, milliseconds; at least 10.
    #[schemars(range(min = 10))]
    pub scan_interval_ms: u64,
}

impl Default for Gate {
    fn default() -> Self {
        Self { scan_interval_ms: 2_000 }
    }
}

/// `[metrics]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// An absolute path: the file that `gatepost exec` writes them into, as OpenMetrics text. Empty: none.
    #[schemars(regex(pattern = "^(/.*)?$"))]
    pub file: PathBuf,
    /// How often, seconds; at least 1.
    #[schemars(range(min = 1))]
    pub interval_seconds: u64,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { file: PathBuf::new(), interval_seconds: 15 }
    }
}

impl Config {
    /// Reads a configuration; `file` names it in the reason.
    pub fn parse(text: &str, file: &str) -> Result<Self, Reason> {
        let hint = "Run `gatepost init --print-config` to see every key with its meaning and default.";
        let config: Self = toml::from_str(text).map_err(|error| {
            let message = error.message().split_whitespace().collect::<Vec<_>>().join(" ");
            let hint = meant(&message).unwrap_or_else(|| hint.to_owned());
            let reason = Reason::new(Code::ValueInvalid, format!("{message}."), hint).in_file(file);
            match error.span() {
                Some(span) => reason.at_byte(text, span.start),
                None => reason,
            }
        })?;
        config.check().map_err(|message| Reason::new(Code::ValueInvalid, message, hint).in_file(file))?;
        Ok(config)
    }

    fn check(&self) -> Result<(), String> {
        let rules = [
            (self.inbox.scan_interval_ms >= 10, "inbox.scan_interval_ms must be at least 10."),
            (
                self.inbox.clock_skew_seconds <= clock::SKEW_SECONDS_MAX,
                "inbox.clock_skew_seconds must be at most 300, the most that the gate allows.",
            ),
            (self.approval.max_age_hours > 0, "approval.max_age_hours must be at least 1."),
            (self.gate.scan_interval_ms >= 10, "gate.scan_interval_ms must be at least 10."),
            (
                self.secrets.folder.as_os_str().is_empty() || self.secrets.folder.is_absolute(),
                "secrets.folder must be an absolute path.",
            ),
            (
                self.http.ca_file.as_os_str().is_empty() || self.http.ca_file.is_absolute(),
                "http.ca_file must be an absolute path.",
            ),
            (self.browser.program.is_absolute(), "browser.program must be an absolute path."),
            (self.sandbox.minimum <= self.sandbox.maximum, "sandbox.maximum must not be below sandbox.minimum."),
            (self.exec.workers <= 256, "exec.workers must be at most 256."),
            (self.limits.time_seconds > 0, "limits.time_seconds must be at least 1."),
            (self.limits.cpu_seconds > 0, "limits.cpu_seconds must be at least 1."),
            (self.limits.memory_mb >= 16, "limits.memory_mb must be at least 16."),
            (self.limits.address_space_mb >= 16, "limits.address_space_mb must be at least 16."),
            (self.limits.files >= 16, "limits.files must be at least 16."),
            (self.monty.time_seconds > 0, "monty.time_seconds must be at least 1."),
            (self.monty.memory_mb >= 64, "monty.memory_mb must be at least 64."),
            ((10..=1_000).contains(&self.monty.recursion), "monty.recursion must be between 10 and 1000."),
            (
                self.metrics.file.as_os_str().is_empty() || self.metrics.file.is_absolute(),
                "metrics.file must be an absolute path.",
            ),
            (self.metrics.interval_seconds > 0, "metrics.interval_seconds must be at least 1."),
            (self.limits.processes > 0, "limits.processes must be at least 1."),
            ((1..=1 << 20).contains(&self.limits.out_mb), "limits.out_mb must be between 1 and 1048576."),
            ((1..=1 << 24).contains(&self.limits.out_files), "limits.out_files must be between 1 and 16777216."),
        ];
        rules.iter().find(|(holds, _)| !holds).map_or(Ok(()), |(_, message)| Err((*message).to_owned()))
    }

    /// The number of workers, decided.
    pub fn workers(&self) -> usize {
        match self.exec.workers {
            0 => std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            count => count,
        }
    }
}

/// The key that an unknown one was probably meant to be. The message quotes the unknown one, and then those that there are.
fn meant(message: &str) -> Option<String> {
    let mut quoted = message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2);
    let key = quoted.next()?;
    nearest(key, quoted).map(|known| format!("Did you mean `{known}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_states_every_key_with_its_default() {
        let template: toml::Table = toml::from_str(TEMPLATE).unwrap();
        let defaults = toml::Table::try_from(Config::default()).unwrap();
        assert_eq!(template, defaults);
    }

    #[test]
    fn a_misspelt_key_is_an_error_with_its_place() {
        let reason = Config::parse("[limits]\n  memroy_mb = 1\n", "gatepost.toml").unwrap_err();
        assert_eq!((reason.line, reason.column), (Some(2), Some(3)));
        assert!(reason.message.contains("memroy_mb") && reason.hint == "Did you mean `memory_mb`?", "{reason}");
    }

    #[test]
    fn an_impossible_value_is_an_error() {
        assert!(Config::parse("[limits]\nmemory_mb = 1\n", "gatepost.toml").is_err());
        assert!(Config::parse("[limits]\nout_mb = 0\n", "gatepost.toml").is_err());
        assert!(Config::parse("[inbox]\nscan_interval_ms = 0\n", "gatepost.toml").is_err());
        assert!(Config::parse("[monty]\nrecursion = 1001\n", "gatepost.toml").is_err());
        assert!(Config::parse("[http]\nca_file = \"ca.pem\"\n", "gatepost.toml").is_err());
        assert!(Config::parse("[secrets]\nfolder = \"secrets\"\n", "gatepost.toml").is_err());
        assert!(Config::parse("[inbox]\nclock_skew_seconds = 301\n", "gatepost.toml").is_err());
    }
}
