//! `gatepost.toml`: the operator's settings of a site.
//!
//! Every key has a default, and [`TEMPLATE`], which `gatepost init` writes, states each with its default; a test compares the
//! two. An unknown key is an error: a misspelt limit must not silently be no limit. Reads text, never files.
//!
//! Standards: TOML 1.1.

mod browser;
mod era;
mod faults;
mod fetch;
mod fleet;
mod http;
mod launcher;
mod mcp;
mod monty;
mod notify;
mod policy;

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::TimeDelta;
use gatepost_documents::clock;
pub use gatepost_documents::evidence::{ApprovalMode, Signatures};
use gatepost_documents::pins::Demand;
use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;
use serde::{Deserialize, Serialize};

use crate::network::Allowlist;
pub use browser::Browser;
pub use era::{Era, Interpreters, ProgramName};
pub use faults::Reading;
pub use fetch::Fetch;
pub use fleet::Fleet;
pub use http::Http;
pub use launcher::{Launcher, Values};
pub use mcp::{Mcp, Server, Way};
pub use monty::Monty;
pub use notify::Notify;
pub use policy::{Mode, Policy};

/// The commented configuration that a new site begins with: every key at its default.
pub const TEMPLATE: &str = include_str!("config/gatepost.toml");

const HINT: &str = "Run `gatepost init --print-config` to see every key with its meaning and default.";

/// A site's configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// How drops are picked up.
    pub inbox: Inbox,
    /// How requests are executed.
    pub exec: Exec,
    /// Whether policies and scope are enforced.
    pub policy: Policy,
    /// What counts as approved.
    pub approval: Approval,
    /// The most that any tool gets; manifests and requests may only tighten it.
    pub limits: Limits,
    /// How tools are confined.
    pub sandbox: Sandbox,
    /// What tools may reach.
    pub network: Network,
    /// Which tools may be called.
    pub tools: Tools,
    /// Where the secrets of tools are.
    pub secrets: Secrets,
    /// The certificates that tools with HTTP requests trust.
    pub http: Http,
    /// The browser that tools drive.
    pub browser: Browser,
    /// What runs command lines.
    pub era: Era,
    /// What a program in the Python subset gets.
    pub monty: Monty,
    /// The pages that requests may get.
    pub fetch: Fetch,
    /// The MCP servers whose tools may be called.
    pub mcp: Mcp,
    /// What the site's own MCP server takes.
    pub mcp_server: McpServer,
    /// The tools that run on other machines.
    pub fleet: Fleet,
    /// How results are judged.
    pub gate: Gate,
    /// What monitoring reads.
    pub metrics: Metrics,
}

/// How long a drop must lie unchanged if it was not renamed in.
#[derive(Debug, Clone, Copy)]
pub struct Quiet {
    /// Any drop.
    pub settle: Duration,
    /// One that looks unfinished.
    pub unfinished: Duration,
}

/// `[inbox]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Inbox {
    /// How long a drop that was not renamed into the inbox must stay unchanged, milliseconds.
    pub settle_ms: u64,
    /// How long such a drop must stay unchanged before it is refused as unfinished, milliseconds.
    pub unfinished_ms: u64,
    /// How often the inbox is scanned without an event, milliseconds; at least 10.
    #[schemars(range(min = 10))]
    pub scan_interval_ms: u64,
    /// Total size of the input files of one request, bytes.
    pub inputs_bytes_max: u64,
    /// Number of input files of one request.
    pub inputs_max: u32,
    /// How far in the future the times of a request and its approval may be, seconds; the gate allows at most 300.
    #[schemars(range(max = clock::SKEW_SECONDS_MAX))]
    pub clock_skew_seconds: u32,
    /// Whether the requester must sign each request.
    pub signatures: Signatures,
}

impl Inbox {
    /// How long a drop must lie unchanged.
    pub fn quiet(&self) -> Quiet {
        let [settle, unfinished] = [self.settle_ms, self.unfinished_ms].map(Duration::from_millis);
        Quiet { settle, unfinished }
    }

    /// How far in the future a request and its approval may lie.
    pub fn clock_skew(&self) -> TimeDelta {
        TimeDelta::seconds(self.clock_skew_seconds.into())
    }
}

impl Default for Inbox {
    fn default() -> Self {
        Self {
            settle_ms: 500,
            unfinished_ms: 60_000,
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
    /// Requests that run at the same time; 0 means one for each processor.
    #[schemars(range(max = 256))]
    pub workers: usize,
    /// Sessions that are open at the same time.
    #[schemars(range(max = 256))]
    pub sessions_max: usize,
    /// Time between SIGTERM and SIGKILL, milliseconds.
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
    /// The highest age of a request, hours, at which signed approvals count: they sign its time and have none of their own. A
    /// request waits no longer for them.
    #[schemars(range(min = 1))]
    pub max_age_hours: u32,
    /// The program, with its arguments, that hears of each request that begins to wait, and again before the wait ends. Empty: none.
    #[schemars(with = "Vec<String>")]
    pub notify: Notify,
}

impl Approval {
    /// How old a request may be for its signed approvals to count.
    pub fn max_age(&self) -> TimeDelta {
        TimeDelta::hours(self.max_age_hours.into())
    }
}

impl Default for Approval {
    fn default() -> Self {
        Self { mode: ApprovalMode::Signature, max_age_hours: clock::APPROVAL_AGE_HOURS, notify: Notify::default() }
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
    /// Total size of `/out`, MiB; the limit of `/tmp` is the same.
    #[schemars(range(min = 1, max = 1_048_576))]
    pub out_mb: u64,
    /// Files and folders in `/out`; the limit of `/tmp` is the same.
    #[schemars(range(min = 1, max = 16_777_216))]
    pub out_files: u64,
    /// Size of stdout and of stderr, bytes, each.
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
    /// The destinations that requests may list, as `host:port`; `*` permits every name and every public address.
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
    /// The absolute path of a folder with one file for each secret, named as manifests name it. Empty: no folder.
    #[schemars(regex(pattern = "^(/.*)?$"))]
    pub folder: PathBuf,
}

/// `[mcp_server]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct McpServer {
    /// Calls of one principal that are answered at the same time.
    #[schemars(range(min = 1, max = 1024))]
    pub calls_max: u32,
    /// Requests of one principal that are not answered.
    #[schemars(range(min = 1, max = 65_536))]
    pub pending_max: u32,
    /// One message of a client, bytes, input files and their base64 included.
    #[schemars(range(min = 4096, max = 1_073_741_824))]
    pub message_bytes_max: u64,
    /// How long a call waits for its result before it becomes a task, seconds.
    #[schemars(range(max = 45))]
    pub grace_seconds: u64,
}

impl Default for McpServer {
    fn default() -> Self {
        Self { calls_max: 256, pending_max: 1_000, message_bytes_max: 16 << 20, grace_seconds: 5 }
    }
}

/// `[gate]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gate {
    /// How often the outbox is scanned without an event, milliseconds; at least 10.
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
    /// The absolute path of the file into which `gatepost exec` writes metrics in the Prometheus text format. Empty: none.
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
    /// Reads a configuration; `file` names it in the reasons, which are all that is wrong.
    pub fn parse(text: &str, file: &str) -> Result<Self, Vec<Reason>> {
        let mut reading = Reading::<Self>::of(text, file, HINT);
        if let Some(config) = reading.value.take() {
            config.check(|holds, keys, rule| reading.check(holds, keys, rule));
            if reading.faults.is_empty() {
                return Ok(config);
            }
        }
        reading.faults.sort_by_key(|fault| (fault.line, fault.column));
        Err(reading.faults)
    }

    /// How far in the future the times of a request and its approval may be. A node has no such limit: its home has compared them
    /// with its own clock, and the node's clock may be an hour behind.
    pub fn clock_skew(&self) -> TimeDelta {
        if self.fleet.is_node() { TimeDelta::days(36_500) } else { self.inbox.clock_skew() }
    }

    /// The rules beyond the types: whether each holds, its keys, and its requirement.
    fn check(&self, mut rule: impl FnMut(bool, &[&str], &str)) {
        const ABSOLUTE: &str = "an absolute path";
        let is_path = |path: &Path| path.as_os_str().is_empty() || path.is_absolute();
        let Self { inbox, exec, limits, sandbox, monty, mcp_server, metrics, .. } = self;
        rule(inbox.scan_interval_ms >= 10, &["inbox.scan_interval_ms"], "at least 10");
        rule(inbox.clock_skew_seconds <= clock::SKEW_SECONDS_MAX, &["inbox.clock_skew_seconds"], "at most 300");
        rule(self.approval.max_age_hours > 0, &["approval.max_age_hours"], "at least 1");
        rule(self.gate.scan_interval_ms >= 10, &["gate.scan_interval_ms"], "at least 10");
        rule(is_path(&self.secrets.folder), &["secrets.folder"], ABSOLUTE);
        rule(is_path(&self.http.ca_file), &["http.ca_file"], ABSOLUTE);
        rule(self.browser.program.is_absolute(), &["browser.program"], ABSOLUTE);
        let is_one = self.fleet.tools.is_empty() || self.fleet.node.is_empty();
        rule(is_one, &["fleet.node"], "empty at a home, whose `tools` run elsewhere");
        rule(is_path(&metrics.file), &["metrics.file"], ABSOLUTE);
        rule(metrics.interval_seconds > 0, &["metrics.interval_seconds"], "at least 1");
        rule(exec.workers <= 256, &["exec.workers"], "at most 256");
        rule(exec.sessions_max <= 256, &["exec.sessions_max"], "at most 256");
        rule(limits.time_seconds > 0, &["limits.time_seconds"], "at least 1");
        rule(limits.cpu_seconds > 0, &["limits.cpu_seconds"], "at least 1");
        rule(limits.memory_mb >= 16, &["limits.memory_mb"], "at least 16");
        rule(limits.address_space_mb >= 16, &["limits.address_space_mb"], "at least 16");
        rule(limits.files >= 16, &["limits.files"], "at least 16");
        rule(limits.processes > 0, &["limits.processes"], "at least 1");
        rule((1..=1 << 20).contains(&limits.out_mb), &["limits.out_mb"], "1 to 1048576");
        rule((1..=1 << 24).contains(&limits.out_files), &["limits.out_files"], "1 to 16777216");
        rule(monty.time_seconds > 0, &["monty.time_seconds"], "at least 1");
        rule(monty.memory_mb >= 64, &["monty.memory_mb"], "at least 64");
        rule((10..=1_000).contains(&monty.recursion), &["monty.recursion"], "10 to 1000");
        rule((1..=1_024).contains(&mcp_server.calls_max), &["mcp_server.calls_max"], "1 to 1024");
        rule((1..=65_536).contains(&mcp_server.pending_max), &["mcp_server.pending_max"], "1 to 65536");
        let bytes = mcp_server.message_bytes_max;
        rule((4_096..=1 << 30).contains(&bytes), &["mcp_server.message_bytes_max"], "4096 to 1073741824");
        rule(mcp_server.grace_seconds <= 45, &["mcp_server.grace_seconds"], "at most 45");
        for (path, key) in self.fleet.paths() {
            rule(is_path(path), &[key], ABSOLUTE);
        }
        rule([1, 3, 5].contains(&self.fleet.replicas), &["fleet.replicas"], "1, 3 or 5");
        rule((1..=4_096).contains(&self.fleet.slots), &["fleet.slots"], "1 to 4096");
        rule((2..=86_400).contains(&self.fleet.lease_seconds), &["fleet.lease_seconds"], "2 to 86400");
        rule((1..=65_536).contains(&self.fleet.parcel_mb), &["fleet.parcel_mb"], "1 to 65536");
        rule(
            sandbox.minimum <= sandbox.maximum,
            &["sandbox.maximum", "sandbox.minimum"],
            "at least as strong a level as minimum",
        );
    }
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
        let [reason] = Config::parse("[limits]\n  memroy_mb = 1\n", "gatepost.toml").unwrap_err().try_into().unwrap();
        assert_eq!((reason.line, reason.column), (Some(2), Some(3)));
        assert!(reason.message.contains("memroy_mb") && reason.hint == "Did you mean `memory_mb`?", "{reason}");
    }

    #[test]
    fn all_faults_are_reported_at_once_in_the_order_of_the_file() {
        let text = "[limits]\ntime_seconds = \"5m\"\nmemory_mb = 1\nfils = 7\n[sandbox]\nminimum = \"ful\"\nmaximum = \"none\"\n\
                    [limts]\n[inbox]\nclock_skew_seconds = 301\n[exec]\nworkers = -1\n";
        let found = Config::parse(text, "gatepost.toml").unwrap_err();
        let found: Vec<String> = found.iter().map(|reason| format!("{reason} {}", reason.hint)).collect();
        let expected = [
            "gatepost.toml:2:16: value_invalid: [limits] time_seconds is \"5m\"; expected a whole number of seconds, at least 1.",
            "gatepost.toml:3:13: value_invalid: [limits] memory_mb is 1; expected a whole number of MiB, at least 16.",
            "gatepost.toml:4:1: value_invalid: [limits] fils is not a known key. Did you mean `files`?",
            "gatepost.toml:6:11: value_invalid: [sandbox] minimum is \"ful\"; expected one of \"none\", \"landlock\", \"full\".",
            "gatepost.toml:8:2: value_invalid: [limts] is not a known key. Did you mean `limits`?",
            "gatepost.toml:10:22: value_invalid: [inbox] clock_skew_seconds is 301; expected a whole number of seconds, 0 to 300.",
            "gatepost.toml:12:11: value_invalid: [exec] workers is -1; expected a whole number, 0 to 256.",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.starts_with(expected), "{found}");
        }
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
