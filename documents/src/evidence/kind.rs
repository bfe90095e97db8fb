//! The kinds that evidence tells apart: each a fixed list of members with one text form, which is that in JSON.

use serde::{Deserialize, Serialize};

use crate::sandbox_level::SandboxLevel;

/// A kind with a fixed list of members, each with one text form, which is that in JSON. Any other text is refused.
macro_rules! kind {
    ($(#[$about:meta])* $name:ident { $($(#[$meaning:meta])+ $member:ident $text:literal,)+ }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name { $($(#[$meaning])+ #[serde(rename = $text)] $member,)+ }

        impl $name {
            /// The text form.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$member => $text,)+ }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

kind! {
    /// How an execution ended.
    Status {
        /// The tool ended with 0 and its results satisfy their schema.
        Success "success",
        /// The tool failed, its output broke its contract, or the request was refused.
        Error "error",
        /// The tool reached its time limit.
        Timeout "timeout",
        /// It was checked and handed back: the caller has to carry it out.
        Delegated "delegated",
    }
}

kind! {
    /// Why an execution stopped.
    StopReason {
        /// It came to its own end, or never began.
        Completed "completed",
        /// Its time was up.
        Timeout "timeout",
        /// It was cancelled, or the machine stopped under it.
        Cancelled "cancelled",
        /// It reached a limit other than time.
        MaxBudgetReached "max_budget_reached",
        /// A session reached its number of turns.
        MaxTurnsReached "max_turns_reached",
    }
}

kind! {
    /// How sure it is that a drop was whole when it was claimed.
    Completeness {
        /// It was renamed into the inbox.
        Renamed "renamed",
        /// A folder whose declared inputs are all there with their digests.
        Verified "verified",
        /// It lay quiet for the settling time: a guess.
        Inferred "inferred",
    }
}

kind! {
    /// What carried a request out.
    Backend {
        /// The lane `clad`: a manifest.
        Clad "clad",
        /// The lane `ERA`: a command line.
        Era "ERA",
        /// The lane `monty`: a program in the Python subset.
        Monty "monty",
        /// Nothing: the request could not be read.
        None "none",
    }
}

kind! {
    /// How an approval was found to hold.
    ApprovalMode {
        /// The request's own two fields were believed.
        Declared "declared",
        /// A signature over the request's bytes was verified.
        Signature "signature",
    }
}

kind! {
    /// Whether requests must be signed.
    #[derive(Default)]
    Signatures {
        /// One is verified where there is one.
        #[default]
        Accepted "accepted",
        /// None is carried out without.
        Required "required",
    }
}

kind! {
    /// What the site's policies said of a request.
    PolicyDecision {
        /// It may be carried out.
        Permitted "permitted",
        /// It may be once more people approved it.
        NeedsApproval "needs_approval",
        /// It may not, whoever approves it.
        Denied "denied",
    }
}

kind! {
    /// The network that a tool had.
    NetworkUse {
        /// None.
        None "none",
        /// Listed destinations, and no others.
        Allowlist "allowlist",
    }
}

kind! {
    /// What held a tool: a level of the built-in sandbox, or a launcher in its place.
    EnforcedLevel {
        /// [`SandboxLevel::Full`]
        Full "full",
        /// [`SandboxLevel::Landlock`]
        Landlock "landlock",
        /// [`SandboxLevel::None`]
        None "none",
        /// A launcher.
        External "external",
    }
}

kind! {
    /// What went wrong, as a stable code.
    FailureCode {
        /// The request was refused, and nothing ran.
        RequestRefused "REQUEST_REFUSED",
        /// The tool did not start.
        SpawnFailed "SPAWN_FAILED",
        /// The tool ended with an exit status other than 0.
        ToolFailed "TOOL_FAILED",
        /// A file of the tool changed while it ran, or its MCP server lists another schema than the manifest pins.
        ToolChanged "TOOL_CHANGED",
        /// A signal killed the tool.
        ToolKilled "TOOL_KILLED",
        /// It was stopped at its time limit.
        Timeout "TIMEOUT",
        /// It was stopped at its memory limit.
        MemoryLimit "MEMORY_LIMIT",
        /// It was stopped at its limit of processes and threads.
        ProcessLimit "PROCESS_LIMIT",
        /// It made more calls within calls than it may.
        RecursionLimit "RECURSION_LIMIT",
        /// It printed or left more than it may.
        OutputLimit "OUTPUT_LIMIT",
        /// Its output has no results of the declared format.
        OutputParseFailed "OUTPUT_PARSE_FAILED",
        /// Its results break the output schema.
        OutputSchemaViolation "OUTPUT_SCHEMA_VIOLATION",
        /// The network refused what the tool asked of it, and its manifest says that it cannot do its work then.
        NetworkRefused "NETWORK_REFUSED",
        /// An HTTP server answered with a status that the manifest lists as an error.
        HttpErrorStatus "HTTP_ERROR_STATUS",
        /// An HTTP server answered with a status that the manifest does not list.
        HttpUnexpectedStatus "HTTP_UNEXPECTED_STATUS",
        /// No whole HTTP response came back, or none that may be taken.
        HttpFailed "HTTP_FAILED",
        /// The tool of an MCP server reports an error.
        McpToolError "MCP_TOOL_ERROR",
        /// An MCP server could not be spoken to, has no such tool, or gave no usable answer.
        McpFailed "MCP_FAILED",
        /// It was cancelled.
        Cancelled "CANCELLED",
        /// Nothing more was heard of it.
        Interrupted "INTERRUPTED",
    }
}

kind! {
    /// The sort of a failure, in the kinds of claw.
    FailureKind {
        /// Files and folders.
        Filesystem "filesystem",
        /// Credentials.
        Auth "auth",
        /// Sessions.
        Session "session",
        /// Output that cannot be read as what it should be.
        Parse "parse",
        /// The run itself.
        Runtime "runtime",
        /// MCP servers.
        Mcp "mcp",
        /// Handing over of results.
        Delivery "delivery",
        /// The call.
        Usage "usage",
        /// What the site forbids.
        Policy "policy",
        /// None of the others.
        Unknown "unknown",
    }
}

impl EnforcedLevel {
    /// The level of the built-in sandbox; absent where a launcher stood in its place.
    pub const fn built_in(self) -> Option<SandboxLevel> {
        match self {
            Self::Full => Some(SandboxLevel::Full),
            Self::Landlock => Some(SandboxLevel::Landlock),
            Self::None => Some(SandboxLevel::None),
            Self::External => None,
        }
    }
}

impl From<SandboxLevel> for EnforcedLevel {
    fn from(level: SandboxLevel) -> Self {
        match level {
            SandboxLevel::Full => Self::Full,
            SandboxLevel::Landlock => Self::Landlock,
            SandboxLevel::None => Self::None,
        }
    }
}
