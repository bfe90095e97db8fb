//! Identifiers as arguments: ids, names of tools, paths of artifacts. The parser refuses malformed ones before any lookup.
//!
//! The command checks that they exist. *Security*: paths, escapes and shell syntax never reach a lookup. *Standards*:
//! CLI Agent Spec, REQ-F-045, REQ-C-006 and REQ-C-020; patterns use regular expressions that ECMA-262, Python and Rust
//! share.

use gatepost_contract::manifest::{self, is_tool_name};
use gatepost_documents::artifact_name;
use gatepost_documents::escape;
use gatepost_documents::id::{RequestId, ResultId, ResultKind};
use gatepost_documents::text::quoted;
use gatepost_mailbox::site::Site;

use super::abbreviation;
use super::error_code::ErrorCode;
use super::failure::{ArgumentError, Failure};
use super::stdin::{self, STDIN};
use super::tools;

/// The pattern of the identifiers that the usage names so; none if the value is no identifier.
pub(super) fn pattern(value_name: &str) -> Option<String> {
    Some(match value_name {
        // `-` is one on standard input.
        "ID" => format!("^-$|{}|{}|{}", abbreviation::PATTERN, RequestId::PATTERN, ResultId::PATTERN),
        "SESSION_ID" | "WHOLE_ID" => format!("^-$|{}|{}", RequestId::PATTERN, ResultId::PATTERN),
        "SESSION" => RequestId::PATTERN.to_owned(),
        "ITEM" => escape::PATH_PATTERN.to_owned(),
        "TOOL" => manifest::TOOL_NAME.to_owned(),
        "NAME" => tools::NEW_TOOL.to_owned(),
        "ARTIFACT" => artifact_name::PATH_PATTERN.to_owned(),
        _ => return None,
    })
}

/// Requests as arguments.
#[derive(Debug, clap::Args)]
pub(super) struct Requests {
    /// Requests: whole ids (TR-…), or - for one on standard input.
    #[arg(required = true, value_name = "WHOLE_ID", value_parser = whole_id)]
    ids: Vec<String>,
}

impl Requests {
    /// Their ids.
    pub(super) fn read(&self) -> Result<Vec<RequestId>, Failure> {
        self.ids.iter().map(|id| whole(id)).collect()
    }
}

/// The id of a request, given its id, its result's id, or an abbreviation.
pub(super) fn request(site: &Site, text: &str) -> Result<RequestId, Failure> {
    whole(text)
        .or_else(|failure| if abbreviation::is_one(text) { abbreviation::find(site, text) } else { Err(failure) })
}

/// A request's full id, given as such or inside a result's; for `-`, on the first line of standard input.
pub(super) fn whole(text: &str) -> Result<RequestId, Failure> {
    let piped = if text == STDIN {
        stdin::read("The id", "Pipe one in; `gatepost list -o id` prints them, the newest first.")?
    } else {
        Vec::new()
    };
    let piped = String::from_utf8_lossy(&piped);
    let text = if text == STDIN { piped.lines().next().unwrap_or_default().trim() } else { text };
    RequestId::parse(text)
        .or_else(|error| {
            let result = ResultId::parse(text).map(|id| id.request().clone());
            result.map_err(|of_result| if ResultKind::of_name(text.as_bytes()).is_some() { of_result } else { error })
        })
        .map_err(|error| {
            let message = format!("{} is not a request or result id: it {error}.", quoted(text));
            let failure =
                Failure::usage(message, "Ids look like TR-20260209-160501Z-python-stats; `gatepost list` shows them.");
            Failure { code: ErrorCode::InvalidAgentInput, ..failure.during("parse_arguments", text) }
        })
}

/// The full id of a request or of a result, or `-`. Commands that decide use it: an abbreviation may match another request later.
pub(super) fn whole_id(text: &str) -> Result<String, Failure> {
    let checked = if text == STDIN { Ok(()) } else { whole(text).map(drop) };
    checked.map(|()| text.to_owned()).map_err(|failure| malformed("WHOLE_ID", text, failure))
}

/// The id of a request or of a result, an abbreviation of one, or `-`.
pub(super) fn id(text: &str) -> Result<String, Failure> {
    let checked = if text == STDIN || abbreviation::is_one(text) { Ok(()) } else { whole(text).map(drop) };
    checked.map(|()| text.to_owned()).map_err(|failure| malformed("ID", text, failure))
}

/// The name of a tool.
pub(super) fn tool(text: &str) -> Result<String, Failure> {
    if is_tool_name(text) {
        return Ok(text.to_owned());
    }
    let message = format!("{} is not the name of a tool.", quoted(text));
    let hint = "A tool name has 1 to 64 letters, digits, dots, hyphens and underscores, and begins with a letter or digit. \
                `gatepost tools list` shows all tools.";
    Err(malformed("TOOL", text, Failure::usage(message, hint).during("parse_arguments", text)))
}

/// The path of an artifact.
pub(super) fn artifact(text: &str) -> Result<String, Failure> {
    if text.split('/').all(|name| artifact_name::fault(name.as_bytes()).is_none()) {
        return Ok(text.to_owned());
    }
    let message = format!("{} is not the path of an artifact.", quoted(text));
    let hint = "Use names with slashes between them, as `gatepost show` lists them.";
    let failure = Failure::usage(message, hint).during("parse_arguments", text);
    Err(malformed("ARTIFACT", text, Failure { code: ErrorCode::InvalidAgentInput, ..failure }))
}

/// The failure with the value and the pattern that it misses.
fn malformed(value_name: &str, text: &str, failure: Failure) -> Failure {
    let (value, message) = (Some(text.to_owned()), failure.message.clone());
    let error = ArgumentError { param: String::new(), value, pattern: pattern(value_name), message };
    Failure { argument_errors: vec![error], ..failure }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    /// Texts of an attacker or a confused agent, nearly valid texts, and valid texts.
    const TEXTS: &[&str] = &[
        "",
        " ",
        "../x",
        "a%2Fb",
        "a?b=1",
        "a#b",
        "a b",
        "a\n",
        "a\nb",
        "a\0b",
        "a\u{1b}[31m",
        "$(id)",
        "; touch x",
        "a/../b",
        "/a",
        "a//b",
        "./a",
        ".a",
        "-a",
        "-",
        "é",
        "\u{202e}a",
        "TR-",
        "TR-20260209-160501Z-",
        "TR-20260209-160501Z-A",
        "TR-20260209-160501Z-a/b",
        "TR-20260209-160501Z-a\n",
        "tr-20260209-160501z-a",
        "TS-20260209-160501Z-a",
        "TR-20260209-160501Z-a",
        "TS-20260209-161030Z-TR-20260209-160501Z-a",
        "last",
        "TR-2026",
        "20260209-16",
        "TR-20260209x160501Z-a",
        "a",
        "A",
        "a.b",
        "line_count",
        "my-tool",
        "out/plot.png",
        "out/a%20b.txt",
        "a\\b",
        "\"",
    ];

    #[test]
    fn each_pattern_accepts_what_its_reader_accepts_and_refuses_what_it_refuses() {
        type Reader = fn(&str) -> bool;
        let readers: [(&str, Reader); 8] = [
            ("ID", |text| id(text).is_ok()),
            ("SESSION_ID", |text| text == STDIN || whole(text).is_ok()),
            ("WHOLE_ID", |text| whole_id(text).is_ok()),
            ("SESSION", |text| RequestId::parse(text).is_ok()),
            ("ITEM", |text| text == escape::path(text.as_bytes()) && !text.is_empty()),
            ("TOOL", |text| tool(text).is_ok()),
            ("NAME", tools::is_new_tool),
            ("ARTIFACT", |text| artifact(text).is_ok()),
        ];
        for (value_name, reads) in readers {
            let pattern = pattern(value_name).unwrap();
            assert!(pattern.starts_with('^') && pattern.ends_with('$'), "{pattern}");
            let matches = Regex::new(&pattern).unwrap();
            // An unneeded escape has the same form as a needed one.
            for text in TEXTS.iter().filter(|text| value_name != "ARTIFACT" || !text.contains('%')) {
                assert_eq!(matches.is_match(text), reads(text), "{value_name} {text:?}");
            }
        }
    }
}
