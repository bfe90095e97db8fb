//! What a command does beside what it prints: the places that it writes to, and the programs that it starts.
//!
//! Each command declares them beside its code; a test traces what the commands really write and start. What the kernel shows as files
//! and is none (`/proc`, `/dev`) is not told. *Standards*: CLI Agent Spec, REQ-C-011 and REQ-C-019.

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

/// Nothing, something new, and whatever there is to do.
const NEW: &[Act] = &[Create];
const MOVED: &[Act] = &[Create, Remove];
const ANY: &[Act] = &[Create, Change, Remove];

impl Write {
    /// The groups that hold what tools use; also where it is only tried whether there can be any.
    pub(super) const CONTROL_GROUPS: Self = Self { within: Within::Machine, path: "/sys/fs/cgroup/", acts: ANY };

    /// Where the root that tools see is put together, in a namespace of its own.
    pub(super) const PRIVATE_ROOT: Self = Self { within: Within::Temporary, path: ".machine", acts: NEW };
    /// A file that gatepost.toml names.
    pub(super) const METRICS: Self =
        Self { within: Within::Machine, path: "[metrics] file of gatepost.toml", acts: ANY };
    /// The whole site.
    pub(super) const SITE: Self = Self::kept_in("");
    /// The folders of the site, in which each move is tried on files of its own (`.doctor-…`).
    pub(super) const DOCTOR: Self = Self { acts: MOVED, ..Self::SITE };
    /// A request in the inbox.
    pub(super) const DROP: Self = Self::moved_in("inbox/");
    /// An order to TOOL-EXEC.
    pub(super) const ORDER: Self = Self::moved_in("var/exec/orders/");
    /// A request that its requester cancels, where it may not order.
    pub(super) const CANCEL: Self = Self::moved_in("var/exec/cancels/");

    /// What the gate writes.
    pub(super) const OF_GATE: &[Self] = &[
        Self::moved_in("outbox/"),
        Self::kept_in("core/inbound/"),
        Self::kept_in("quarantine/"),
        Self::kept_in("var/gate/"),
        Self::kept_in("var/exchange/judged/"),
    ];

    /// What a gate writes that is started to release something.
    pub(super) const OF_RELEASE: &[Self] = &[
        Self::kept_in("core/inbound/"),
        Self::kept_in("quarantine/"),
        Self::kept_in("var/gate/"),
        Self::kept_in("var/exchange/judged/"),
    ];

    /// What a gate writes that is started to remove something.
    pub(super) const OF_REMOVAL: &[Self] =
        &[Self::kept_in("quarantine/"), Self::kept_in("var/gate/"), Self::kept_in("var/exchange/judged/")];

    /// What TOOL-EXEC writes, and the folders of a site that it makes where they are missing.
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

    /// Something new in the site.
    pub(super) const fn new_in(path: &'static str) -> Self {
        Self { within: Within::Site, path, acts: NEW }
    }

    /// Something that is made or moved in, and moved out.
    pub(super) const fn moved_in(path: &'static str) -> Self {
        Self { within: Within::Site, path, acts: MOVED }
    }

    /// A place of the site in which all is kept in order.
    pub(super) const fn kept_in(path: &'static str) -> Self {
        Self { within: Within::Site, path, acts: ANY }
    }

    /// What an argument names.
    pub(super) const fn argument(name: &'static str) -> Self {
        Self { within: Within::Argument, path: name, acts: ANY }
    }

    /// A folder that is gone in the end.
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
    /// What holds a tool's network to its destinations.
    pub(super) const NETWORK: Self = Self {
        binary: "pasta, nft",
        purpose: "the network of a tool that may reach destinations",
        fixed_args: &["the addresses of the call's destinations"],
        user_args: &[],
    };
    /// The gate, for a single order or for good.
    pub(super) const GATE: Self =
        Self { binary: "gatepost-gate", purpose: "the gate", fixed_args: &["watch", "--site"], user_args: &["site"] };
    /// Another invocation of this program, which writes and starts what its own command does.
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
    /// Who makes signatures.
    pub(super) const SSH_KEYGEN: Self = Self {
        binary: "ssh-keygen",
        purpose: "to sign the request's bytes",
        fixed_args: &["-q", "-Y", "sign", "-n", "the namespace of approvals", "-f"],
        user_args: &["key"],
    };
    /// Who knows which keys there are.
    pub(super) const SSH_ADD: Self =
        Self { binary: "ssh-add", purpose: "to list the agent's keys", fixed_args: &["-L"], user_args: &[] };
    /// Who says what Python there is.
    pub(super) const PYTHON: Self = Self {
        binary: "python3",
        purpose: "to ask for its version",
        fixed_args: &["-I", "-S", "-c", "a fixed program"],
        user_args: &[],
    };
}
