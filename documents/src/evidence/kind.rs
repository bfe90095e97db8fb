//! The enumerations of evidence: each a fixed list of members with one text form, the same as in JSON.

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
    /// The outcome of an execution.
    Status {
        /// The tool exited with success and its results satisfy their schema.
        Success "success",
        /// The tool failed, its output broke its contract, or the request was refused.
        Error "error",
        /// The tool reached its time limit.
        Timeout "timeout",
        /// The call was checked and returned: the caller executes it.
        Delegated "delegated",
    }
}

kind! {
    /// Why an execution stopped.
    StopReason {
        /// The tool ended by itself, or never started.
        Completed "completed",
        /// The time limit.
        Timeout "timeout",
        /// A cancellation, or the machine stopped during the run.
        Cancelled "cancelled",
        /// A limit other than time.
        MaxBudgetReached "max_budget_reached",
        /// The highest number of interactions of a session.
        MaxTurnsReached "max_turns_reached",
    }
}

kind! {
    /// How TOOL-EXEC knew at the claim that a drop was complete.
    Completeness {
        /// The requester renamed it into the inbox.
        Renamed "renamed",
        /// The folder has all declared inputs with their digests.
        Verified "verified",
        /// The drop stayed unchanged for the settling time: a guess.
        Inferred "inferred",
    }
}

kind! {
    /// The lane that executed a request.
    Backend {
        /// The lane `clad`: a manifest.
        Clad "clad",
        /// The lane `ERA`: a command line.
        Era "ERA",
        /// The lane `monty`: a program in the Python subset.
        Monty "monty",
        /// The lane `fetch`: pages of the web.
        Fetch "fetch",
        /// Nothing: the request could not be read.
        None "none",
    }
}

kind! {
    /// How an approval was proved.
    ApprovalMode {
        /// By the request's own two fields, without proof.
        Declared "declared",
        /// By a verified signature over the request's bytes.
        Signature "signature",
    }
}

kind! {
    /// Whether requests must be signed.
    #[derive(Default)]
    Signatures {
        /// A signature is verified if there is one.
        #[default]
        Accepted "accepted",
        /// No request runs without a signature.
        Required "required",
    }
}

kind! {
    /// The decision of the site's policies on a request.
    PolicyDecision {
        /// The request may run.
        Permitted "permitted",
        /// The request may run after more approvals.
        NeedsApproval "needs_approval",
        /// The request may not run; approvals do not help.
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
    /// A level of the built-in sandbox, or a launcher instead.
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
        /// The tool exited with a status that is not a success.
        ToolFailed "TOOL_FAILED",
        /// A file of the tool changed while it ran, or its MCP server lists another schema than the manifest pins.
        ToolChanged "TOOL_CHANGED",
        /// A signal killed the tool.
        ToolKilled "TOOL_KILLED",
        /// The tool reached its time limit.
        Timeout "TIMEOUT",
        /// The tool reached its memory limit.
        MemoryLimit "MEMORY_LIMIT",
        /// The tool reached its limit of processes and threads.
        ProcessLimit "PROCESS_LIMIT",
        /// The program nested its calls deeper than permitted.
        RecursionLimit "RECURSION_LIMIT",
        /// The tool printed or left more than permitted.
        OutputLimit "OUTPUT_LIMIT",
        /// The output does not have the declared format.
        OutputParseFailed "OUTPUT_PARSE_FAILED",
        /// The results break the output schema.
        OutputSchemaViolation "OUTPUT_SCHEMA_VIOLATION",
        /// The network refused a destination, and the manifest treats that as an error.
        NetworkRefused "NETWORK_REFUSED",
        /// An HTTP server answered with a status that the manifest lists as an error.
        HttpErrorStatus "HTTP_ERROR_STATUS",
        /// An HTTP server answered with a status that the manifest does not list.
        HttpUnexpectedStatus "HTTP_UNEXPECTED_STATUS",
        /// No whole or no acceptable HTTP response came back.
        HttpFailed "HTTP_FAILED",
        /// The tool of an MCP server reported an error.
        McpToolError "MCP_TOOL_ERROR",
        /// An MCP server did not start, has no such tool, or gave no usable answer.
        McpFailed "MCP_FAILED",
        /// The run was stopped: the request was cancelled, or TOOL-EXEC ended at once.
        Cancelled "CANCELLED",
        /// The machine or gatepost stopped during the run.
        Interrupted "INTERRUPTED",
    }
}

kind! {
    /// The kind of a failure, as claw names it.
    FailureKind {
        /// Files and folders.
        Filesystem "filesystem",
        /// Credentials.
        Auth "auth",
        /// Sessions.
        Session "session",
        /// Output that does not have its declared form.
        Parse "parse",
        /// The run itself.
        Runtime "runtime",
        /// MCP servers.
        Mcp "mcp",
        /// Delivery of results.
        Delivery "delivery",
        /// The call.
        Usage "usage",
        /// Something that the site forbids.
        Policy "policy",
        /// Any other kind.
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
