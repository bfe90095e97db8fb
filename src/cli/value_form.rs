//! The form of an argument's value, told by the name that the value has in the usage: `ID`, `TOOL`, `AGE`.
//!
//! Each pattern stands beside the reader of what it describes, and a test holds one against the other. It does not read values.
//! *Security*: what may hold a secret is marked, so that a caller keeps it out of its own logs. *Standards*: CLI Agent Spec, REQ-C-020;
//! patterns are regular expressions that ECMA-262, Python and Rust understand alike.

use std::any::TypeId;
use std::path::PathBuf;

use clap::Arg;
use gatepost_contract::manifest;
use gatepost_contract::request::value;
use gatepost_documents::artifact_name;
use gatepost_documents::destination::Destination;
use gatepost_documents::escape;
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::Code;
use gatepost_mailbox::log::Level;
use gatepost_mailbox::order::REASON_CHARACTERS_MAX;

use super::{age, bounds, changelog, claw, pagination, site_users, tools};

/// What is known of a value before it is read.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ValueForm {
    /// What the whole of it matches.
    pub pattern: Option<String>,
    /// The most characters.
    pub max_length: Option<usize>,
    /// Whether it may hold a secret.
    pub sensitive: bool,
    /// One that is well formed.
    pub example: &'static str,
}

impl ValueForm {
    fn free(example: &'static str) -> Self {
        Self { example, ..Self::default() }
    }

    fn matching(pattern: impl Into<String>, example: &'static str) -> Self {
        Self { pattern: Some(pattern.into()), ..Self::free(example) }
    }

    fn secret(self) -> Self {
        Self { sensitive: true, ..self }
    }

    fn at_most(self, characters: usize) -> Self {
        Self { max_length: Some(characters), ..self }
    }

    /// The form of values that the usage calls so; none where no argument has such values.
    pub fn named(value_name: &str) -> Option<Self> {
        Some(match value_name {
            "ID" | "SESSION_ID" => {
                Self::matching(request_or_result(), "TR-20260209-160501Z-stats").at_most(ID_CHARACTERS_MAX)
            }
            "SESSION" => {
                Self::matching(RequestId::PATTERN, "TR-20260209-160501Z-shell").at_most(REQUEST_CHARACTERS_MAX)
            }
            "ITEM" => Self::matching(escape::PATH_PATTERN, "TR-20260209-160501Z-stats"),
            "TOOL" => Self::matching(manifest::TOOL_NAME, "line_count").at_most(64),
            "NAME" => Self::matching(tools::NEW_TOOL, "my_tool").at_most(64),
            "COMMAND" => Self::matching(claw::registry::WORDS, "tools show"),
            "ARTIFACT" => Self::matching(artifact_name::PATH_PATTERN, "out/plot.png"),
            "CODE" => Self::matching(one_of(Code::ALL.iter().map(|code| code.as_str())), "secret"),
            "LEVEL" => Self::matching(one_of(Level::ALL.iter().map(|level| level.as_str())), "debug"),
            "WHO" => Self::matching(value::ONE_LINE, "alice").at_most(value::PRINTABLE_CHARACTERS_MAX),
            "KEY" => Self::matching(value::ONE_LINE, "nightly-42").at_most(value::PRINTABLE_CHARACTERS_MAX),
            "WHY" => Self::matching(value::ONE_LINE, "Count the lines").at_most(value::PURPOSE_CHARACTERS_MAX),
            "TEXT" => Self::free("A sample key.").at_most(REASON_CHARACTERS_MAX),
            "AGE" => Self::matching(age::AGE, "7d"),
            "VERSION" => Self::matching(changelog::VERSION, "0.1.0"),
            "TIME" => Self::matching(bounds::DURATION, "30s"),
            "CURSOR" => Self::matching(pagination::CURSOR, "VFItMjAyNg"),
            "HOST:PORT" => Self::matching(Destination::PATTERN, "api.example.org:443"),
            "ADDRESS:PORT" => Self::matching(ADDRESS, "127.0.0.1:8170"),
            "exec=USER,gate=USER,group=GROUP" => Self::matching(site_users::USERS, "exec=1001,gate=1002,group=1003"),
            "NAME=VALUE" => Self::matching(manifest::NAMED_VALUE, "file=a.txt").secret(),
            "JSON" => Self::free("{}").secret(),
            "PAYLOAD" => Self::free("file=a.txt").secret(),
            "PROMPT" => Self::free("count lines").secret(),
            "ETAG" => Self::free("e3b0c442"),
            "NAMES" => Self::free("request_id,state"),
            "N" | "BYTES" | "SECONDS" => Self::free("10"),
            "FILE" => Self::free("a.txt"),
            "DIR" | "FOLDER" => Self::free("mailbox"),
            "BUNDLE" => Self::free("core/inbound/TS-20260209-161030Z-TR-20260209-160501Z-stats"),
            "REQUEST" => Self::free("TR-20260209-160501Z-stats"),
            _ => return None,
        })
    }

    /// The form of an argument's values; none where it takes none, or one of a list.
    pub fn of(argument: &Arg) -> Option<Self> {
        let is_listed = !argument.get_possible_values().is_empty();
        let name = argument.get_value_names().and_then(<[_]>::first)?;
        (argument.get_action().takes_values() && !is_listed).then(|| Self::named(name))?
    }
}

/// Whether an argument's values are paths. None is a pattern: gatepost expands nothing.
pub fn is_path(argument: &Arg) -> bool {
    // A request of `policy explain` is a path, or else an id.
    let names_request = argument.get_value_names().is_some_and(|names| names.iter().any(|name| name == "REQUEST"));
    argument.get_value_parser().type_id() == TypeId::of::<PathBuf>() || names_request
}

/// `TR-`, a stamp, a hyphen, and the slug.
const REQUEST_CHARACTERS_MAX: usize = 20 + gatepost_documents::id::SLUG_BYTES_MAX;
/// `TS-`, a stamp, a hyphen, and the request.
const ID_CHARACTERS_MAX: usize = 20 + REQUEST_CHARACTERS_MAX;

/// What the standard library reads as a socket's address.
const ADDRESS: &str = r"^([0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9A-Fa-f:.]+(%[0-9]+)?\]):[0-9]{1,5}$";

/// The id of a request or of a result, or `-` for one on standard input.
fn request_or_result() -> String {
    format!("^-$|{}|{}", RequestId::PATTERN, ResultId::PATTERN)
}

fn one_of<'a>(words: impl Iterator<Item = &'a str>) -> String {
    format!("^({})$", words.collect::<Vec<_>>().join("|"))
}

#[cfg(test)]
mod tests;
