//! `gatepost-worker-mcp`: calls one tool of an MCP server.
//!
//! ```text
//! stdin: Call   ▶   stdout: the result of tools/call, in the server's bytes   out/input_schema.json: what the server lists   stderr: why there is none
//! ```

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use gatepost_documents::digest::Digest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

/// The program.
pub const WORKER: &str = "gatepost-worker-mcp";

/// The longest message that a server may send, bytes.
pub const MESSAGE_BYTES_MAX: usize = 16 << 20;

/// Texts by name; any of them may be a secret.
pub type Texts<'a> = BTreeMap<Cow<'a, str>, Cow<'a, str>>;

/// The transport of a server. May hold secrets.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Server<'a> {
    /// A program that speaks on its stdin and stdout.
    Stdio {
        /// Its argument vector.
        argv: Cow<'a, [String]>,
        /// Variables in addition to those of this process.
        environment: Texts<'a>,
    },
    /// An address, spoken to by streamable HTTP.
    Http {
        /// The address.
        url: Cow<'a, str>,
        /// Headers of every request.
        headers: Texts<'a>,
        /// A PEM file of certificates that replace the machine's roots.
        ca_file: Option<PathBuf>,
        /// The proxy's URL; without one the server is reached directly.
        proxy: Option<String>,
    },
}

/// A call. May hold secrets.
#[derive(Serialize, Deserialize)]
pub struct Call<'a> {
    /// The server of the tool.
    pub server: Server<'a>,
    /// The tool.
    pub tool: Cow<'a, str>,
    /// Its arguments.
    pub arguments: Cow<'a, Map<String, Value>>,
    /// The digest that the listed schema of its arguments must have.
    pub schema_sha256: Option<Digest>,
}

impl Call<'_> {
    /// As JSON, in one allocation that is wiped.
    pub fn to_json(&self) -> Zeroizing<Vec<u8>> {
        super::wiped_json(self)
    }
}

/// The meaning of the worker's exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The tool gave a result.
    Finished,
    /// The tool gave a result that does not fit the output schema that the server lists for it.
    Unfit,
    /// The tool reports that it failed; its result is on stdout.
    ToolError,
    /// The server did not start, initialize or list its tools.
    NoServer,
    /// The server lists no such tool.
    NoTool,
    /// The tool's schema does not accept the arguments.
    Unsuitable,
    /// The tool's schema is not the pinned one.
    Changed,
    /// The call was sent, but has no usable answer.
    Unanswered,
    /// The worker failed.
    Fault,
}

impl Status {
    const ALL: [Self; 9] = [
        Self::Finished,
        Self::Unfit,
        Self::ToolError,
        Self::NoServer,
        Self::NoTool,
        Self::Unsuitable,
        Self::Changed,
        Self::Unanswered,
        Self::Fault,
    ];

    /// As the exit status.
    pub const fn code(self) -> u8 {
        match self {
            Self::Finished => 0,
            Self::ToolError => 1,
            Self::Unfit => 2,
            Self::NoServer => 3,
            Self::NoTool => 4,
            Self::Unsuitable => 5,
            Self::Changed => 6,
            Self::Unanswered => 7,
            Self::Fault => super::FAULT,
        }
    }

    /// The status with an exit code; `None` if the worker has no such status.
    pub fn from_exit_code(exit_code: i32) -> Option<Self> {
        Self::ALL.into_iter().find(|status| i32::from(status.code()) == exit_code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_exit_status_has_one_meaning() {
        for status in Status::ALL {
            assert_eq!(Status::from_exit_code(status.code().into()), Some(status));
        }
        assert_eq!(Status::from_exit_code(-1), None);
    }
}
