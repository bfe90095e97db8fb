//! A short summary of a request: for lists and pages, before there is a result with more facts.
//!
//! Does not validate the request: the crate `contract` does, and TOOL-EXEC refuses an invalid one. *Security*: reads
//! hostile bytes, bounded by [`REQUEST_BYTES_MAX`]; the requester chose each word.

use crate::front_matter::{self, Kind, ScalarKind, Value as Node};
use crate::json;
use crate::request_form::{Form, REQUEST_BYTES_MAX};
use crate::text;

/// The most characters of a name, for example the requester's.
pub const PRINTABLE_CHARACTERS_MAX: usize = 128;
/// The most characters of a purpose.
pub const PURPOSE_CHARACTERS_MAX: usize = 1_000;
const TOOL_CHARACTERS_MAX: usize = 64;

/// The summary of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestSummary {
    /// The tool, or the backend of its lane.
    pub tool: String,
    /// The requester.
    pub requested_by: String,
    /// Why.
    pub purpose: String,
}

impl RequestSummary {
    /// Reads a document of this form; none if it cannot be read, or lacks one of the words.
    pub fn read(bytes: &[u8], form: Form) -> Option<Self> {
        if bytes.len() > REQUEST_BYTES_MAX {
            return None;
        }
        let text = text::check(bytes, "").ok()?;
        match form {
            Form::Markdown => {
                let entries = front_matter::read(text, "", Kind::Request).ok()?.entries;
                Self::of(|key| match &entries.iter().find(|entry| entry.key == key)?.node.value {
                    Node::Scalar { text, kind: ScalarKind::Text } => Some(text),
                    _ => None,
                })
            }
            Form::Json => {
                let document = json::read(text.as_bytes()).ok()?;
                Self::of(|key| document.get(key)?.as_str())
            }
        }
    }

    fn of<'a>(text: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let word = |key, characters_max| one_line(text(key)?, characters_max);
        let tool = match text("backend") {
            Some("clad") => word("tool", TOOL_CHARACTERS_MAX)?,
            Some("monty") => "monty".to_owned(),
            Some("fetch") => "fetch".to_owned(),
            // A request of version 1 need not name it.
            Some("ERA") | None => "ERA".to_owned(),
            Some(_) => return None,
        };
        let requested_by = word("requested_by", PRINTABLE_CHARACTERS_MAX)?;
        Some(Self { tool, requested_by, purpose: word("purpose", PURPOSE_CHARACTERS_MAX)? })
    }
}

/// A text on one line on which there is something to see, of at most so many characters.
pub fn one_line(text: &str, characters_max: usize) -> Option<String> {
    let fits = !text.trim().is_empty() && text.chars().count() <= characters_max;
    (fits && !text.contains(['\n', '\t'])).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn markdown(lines: &str) -> Option<RequestSummary> {
        RequestSummary::read(
            format!("---\nrequested_by: human\npurpose: \"Count\"\n{lines}---\n").as_bytes(),
            Form::Markdown,
        )
    }

    #[test]
    fn the_tool_is_the_one_of_the_lane() {
        for (lines, tool) in [
            ("backend: clad\ntool: line_count\n", Some("line_count")),
            ("backend: monty\n", Some("monty")),
            ("backend: fetch\n", Some("fetch")),
            ("", Some("ERA")),
            ("backend: clad\n", None),
            ("backend: other\n", None),
            ("backend: clad\ntool: [a]\n", None),
            ("backend: clad\ntool: 1\n", None),
            ("backend: clad\ntool: a\ntool: b\n", None),
        ] {
            assert_eq!(markdown(lines).map(|request| request.tool).as_deref(), tool, "{lines}");
        }
    }

    #[test]
    fn a_document_that_is_no_request_has_no_summary() {
        let json = br#"{"backend": "clad", "tool": "t", "requested_by": "human", "purpose": "Count"}"#;
        assert_eq!(
            RequestSummary::read(json, Form::Json).map(|request| request.requested_by).as_deref(),
            Some("human")
        );
        let long = format!(r#"{{"requested_by": "{}", "purpose": "Count"}}"#, "x".repeat(129));
        let large = vec![b' '; REQUEST_BYTES_MAX + 1];
        for bytes in [&b""[..], b"\xff", b"[]", br#"{"purpose": "a\nb", "requested_by": "h"}"#, long.as_bytes(), &large]
        {
            for form in [Form::Json, Form::Markdown] {
                assert_eq!(RequestSummary::read(bytes, form), None);
            }
        }
    }
}
