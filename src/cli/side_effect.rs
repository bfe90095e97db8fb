//! The side effects of a command: the places that it writes, and the programs that it starts.
//!
//! Each command declares them beside its code; a test traces the real writes and starts. Kernel pseudo-files (`/proc`,
//! `/dev`) are not listed. *Standards*: CLI Agent Spec, REQ-C-011 and REQ-C-019.

use schemars::JsonSchema;
use serde::Serialize;

/// A kind of change in a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Act {
    /// It is made, or moved there.
    Create,
    /// Its content, mode or owner changes.
    Change,
    /// It is removed, or moved away.
    Remove,
}

use Act::{Change, Create, Remove};

/// Where a place is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum Within {
    /// Below the folder of the site.
    Site,
    /// The file or folder that an argument names, all below it, and temporary neighbours with a longer name.
    Argument,
    /// Below the folder for temporary files; removed at the end.
    Temporary,
    /// A path of the machine.
    Machine,
}

/// A place that a command writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Write {
    pub within: Within,
    /// The common prefix of all names there; of an argument, its name.
    pub path: &'static str,
    pub acts: &'static [Act],
}

/// Sets of acts: create only, move, or everything.
const NEW: &[Act] = &[Create];
const MOVED: &[Act] = &[Create, Remove];
const ANY: &[Act] = &[Create, Change, Remove];

impl Write {
    /// The control groups of tools; also for a test whether they are available.
    pub(super) const CONTROL_GROUPS: Self = Self { within: Within::Machine, path: "/sys/fs/cgroup/", acts: ANY };

    /// The mount point of the tools' root, in its own namespace.
    pub(super) const PRIVATE_ROOT: Self = Self { within: Within::Temporary, path: ".machine", acts: NEW };
    /// A file that gatepost.toml names.
    pub(super) const METRICS: Self =
        Self { within: Within::Machine, path: "[metrics] file of gatepost.toml", acts: ANY };
    /// The whole site.
    pub(super) const SITE: Self = Self::kept_in("");
    /// The folders of the site, where the doctor tests each move on its own files (`.doctor-…`).
    pub(super) const DOCTOR: Self = Self { acts: MOVED, ..Self::SITE };
    /// A request in the inbox.
    pub(super) const DROP: Self = Self::moved_in("inbox/");
    /// An order to TOOL-EXEC.
    pub(super) const ORDER: Self = Self::moved_in("var/exec/orders/");
    /// A cancellation by a requester who may not write orders.
    pub(super) const CANCEL: Self = Self::moved_in("var/exec/cancels/");

    /// The writes of the gate.
    pub(super) const OF_GATE: &[Self] = &[
        Self::moved_in("outbox/"),
        Self::kept_in("core/inbound/"),
        Self::kept_in("quarantine/"),
        Self::kept_in("var/gate/"),
        Self::kept_in("var/exchange/judged/"),
    ];

    /// The writes of a gate that is started for a release.
    pub(super) const OF_RELEASE: &[Self] = &[
        Self::kept_in("core/inbound/"),
        Self::kept_in("quarantine/"),
        Self::kept_in("var/gate/"),
        Self::kept_in("var/exchange/judged/"),
    ];

    /// The writes of a gate that is started for a removal.
    pub(super) const OF_REMOVAL: &[Self] =
        &[Self::kept_in("quarantine/"), Self::kept_in("var/gate/"), Self::kept_in("var/exchange/judged/")];

    /// The writes of TOOL-EXEC, and the missing folders of a site that it creates.
    pub(super) const OF_EXEC: &[Self] = &[
        Self::moved_in("inbox/"),
        Self::kept_in("outbox/"),
        Self::kept_in("quarantine/"),
        Self::kept_in("core/catalog."),
        Self::kept_in("var/exec/"),
        Self::kept_in("var/exchange/claimed/"),
        Self::CONTROL_GROUPS,
        Self::PRIVATE_ROOT,
        Self::METRICS,
    ];

    /// Creates files in the site.
    pub(super) const fn new_in(path: &'static str) -> Self {
        Self { within: Within::Site, path, acts: NEW }
    }

    /// Creates or moves files in, and moves them out.
    pub(super) const fn moved_in(path: &'static str) -> Self {
        Self { within: Within::Site, path, acts: MOVED }
    }

    /// A place of the site with every act.
    pub(super) const fn kept_in(path: &'static str) -> Self {
        Self { within: Within::Site, path, acts: ANY }
    }

    /// The path that an argument names.
    pub(super) const fn argument(name: &'static str) -> Self {
        Self { within: Within::Argument, path: name, acts: ANY }
    }

    /// A folder that is removed at the end.
    pub(super) const fn temporary(path: &'static str) -> Self {
        Self { within: Within::Temporary, path, acts: ANY }
    }
}

/// A program that a command may start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Subprocess {
    /// Its name, or the source of its name.
    pub binary: &'static str,
    pub purpose: &'static str,
    /// Its fixed arguments.
    pub fixed_args: &'static [&'static str],
    /// The arguments that come from the caller, a request or the site. Each is one argument; no shell reads it.
    pub user_args: &'static [&'static str],
}

impl Subprocess {
    /// A tool of the site.
    pub(super) const TOOL: Self = Self {
        binary: "the program of the tool's manifest",
        purpose: "the tool, in its sandbox",
        fixed_args: &["the words of [command] in the manifest"],
        user_args: &["the values of the call, each checked against the manifest"],
    };
    /// The helper that limits a tool's network to its destinations.
    pub(super) const NETWORK: Self = Self {
        binary: "pasta, nft",
        purpose: "the network of a tool that may reach destinations",
        fixed_args: &["the addresses of the call's destinations"],
        user_args: &[],
    };
    /// The gate, for a single order or permanently.
    pub(super) const GATE: Self =
        Self { binary: "gatepost-gate", purpose: "the gate", fixed_args: &["watch", "--site"], user_args: &["site"] };
    /// Another invocation of this program, with the side effects of its own command.
    pub(super) const INVOCATION: Self = Self {
        binary: "gatepost",
        purpose: "one invocation of the batch",
        fixed_args: &["--site", "--output"],
        user_args: &["the words of argv"],
    };
    /// TOOL-EXEC.
    pub(super) const EXEC: Self =
        Self { binary: "gatepost-exec", purpose: "TOOL-EXEC", fixed_args: &["--site"], user_args: &["site"] };
    /// The pages.
    pub(super) const PAGES: Self = Self {
        binary: "gatepost-pages",
        purpose: "the pages, which it prints or serves",
        fixed_args: &["report or serve", "--with-parent", "--site"],
        user_args: &["site", "the folder of html", "since", "listen"],
    };
    /// The MCP server.
    pub(super) const MCP: Self = Self {
        binary: "gatepost-mcp",
        purpose: "the MCP server, which takes this process's place",
        fixed_args: &["--site"],
        user_args: &["site", "principal", "tool", "http", "tokens", "host", "origin"],
    };
    /// Makes signatures.
    pub(super) const SSH_KEYGEN: Self = Self {
        binary: "ssh-keygen",
        purpose: "to sign the request's bytes",
        fixed_args: &["-q", "-Y", "sign", "-n", "the namespace of approvals", "-f"],
        user_args: &["key"],
    };
    /// Lists the keys of the agent.
    pub(super) const SSH_ADD: Self =
        Self { binary: "ssh-add", purpose: "to list the agent's keys", fixed_args: &["-L"], user_args: &[] };
    /// Reports the Python version.
    pub(super) const PYTHON: Self = Self {
        binary: "python3",
        purpose: "to ask for its version",
        fixed_args: &["-I", "-S", "-c", "a fixed program"],
        user_args: &[],
    };
}
