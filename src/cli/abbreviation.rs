//! Abbreviations of request ids: `last`, and the beginning of an id, of its time or of its name.
//!
//! ```text
//! TR-20260209-1605   20260209-1605   count      all of them TR-20260209-160501Z-count, if no other request begins so
//! ```
//!
//! *Security*: an ambiguous abbreviation is an error, unless it is one request's full name. A stranger's next drop may
//! match too, so commands that decide take full ids.

use std::ops::RangeInclusive;

use gatepost_mailbox::life::Results;

use crate::cli::prelude::*;

/// The request that was dropped last.
pub(super) const LAST: &str = "last";
/// The pattern of abbreviations, in syntax that ECMA-262, Python and Rust share.
pub(super) const PATTERN: &str = "^(TR-)?[0-9a-z][0-9a-zZ-]{2,127}$";

/// The number of characters of an abbreviation, without `TR-`.
const CHARS: RangeInclusive<usize> = 3..=128;
/// The most candidates that a message names.
const NAMED_MAX: usize = 3;

/// Whether a text matches [`PATTERN`].
pub(super) fn is_one(text: &str) -> bool {
    let rest = text.strip_prefix("TR-").unwrap_or(text).as_bytes();
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'z' | b'Z' | b'-');
    CHARS.contains(&rest.len()) && !matches!(rest[0], b'Z' | b'-') && rest.iter().all(is_part)
}

/// The request that matches an abbreviation.
pub(super) fn find(site: &Site, text: &str) -> Result<RequestId, Failure> {
    let results = Results::read(site)?;
    let newest: Vec<&RequestId> = results.newest_first(site)?.since(None).collect();
    if text == LAST {
        return newest.first().map(|id| (*id).clone()).ok_or_else(|| {
            let hint = "Drop one into inbox/, or use `gatepost submit`.";
            not_found(text, "This site has no request.".to_owned(), hint.to_owned())
        });
    }
    let fitting: Vec<&RequestId> = newest.into_iter().filter(|id| fits(id, text)).collect();
    if let Some(whole) = fitting.iter().find(|id| id.as_str().strip_prefix("TR-") == Some(text)) {
        return Ok((*whole).clone());
    }
    // A full name may be the prefix of other names, but never of a time.
    let is_exact = |id: &&&RequestId| name(id) == Some(text);
    let exact = fitting.iter().filter(is_exact).collect::<Vec<_>>();
    match (exact.as_slice(), fitting.as_slice()) {
        (_, [one]) => Ok((*one).clone()),
        ([one], several) if several.iter().all(|id| name(id).is_some_and(|name| name.starts_with(text))) => {
            Ok((**one).clone())
        }
        (_, []) => {
            let message = format!("No request begins with {}.", quoted(text));
            Err(not_found(text, message, "`gatepost list` shows every request.".to_owned()))
        }
        (_, several) => {
            let named: Vec<&str> = several.iter().take(NAMED_MAX).map(|id| id.as_str()).collect();
            let more = if several.len() > NAMED_MAX { ", …" } else { "" };
            let message = format!("{} fits {} requests: {}{more}.", quoted(text), several.len(), named.join(", "));
            let failure = Failure::usage(message, "Type more of the id, or the whole.");
            Err(Failure { code: ErrorCode::InvalidAgentInput, ..failure.during("parse_arguments", text) })
        }
    }
}

/// Whether an id, the id without `TR-`, or its name starts with a text.
fn fits(id: &RequestId, text: &str) -> bool {
    parts(id).any(|part| part.starts_with(text))
}

fn parts(id: &RequestId) -> impl Iterator<Item = &str> {
    let whole = id.as_str();
    [Some(whole), whole.strip_prefix("TR-"), name(id)].into_iter().flatten()
}

/// The part of an id after its time.
fn name(id: &RequestId) -> Option<&str> {
    id.as_str().split_once("Z-").map(|(_, name)| name)
}

fn not_found(text: &str, message: String, hint: String) -> Failure {
    Failure::not_found(ErrorCode::RequestNotFound, FailureKind::RequestNotFound, text, message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> RequestId {
        RequestId::parse(text).unwrap()
    }

    #[test]
    fn an_abbreviation_is_the_beginning_of_an_id_or_of_a_part_of_it() {
        let id = id("TR-20260209-160501Z-python-stats");
        for text in [
            "TR-2026",
            "TR-20260209-160501Z-py",
            "20260209-1605",
            "20260209-160501Z",
            "20260209-160501Z-py",
            "python",
            "python-stats",
        ] {
            assert!(is_one(text) && fits(&id, text), "{text}");
        }
        for text in ["stats", "TR-2027", "python-stats-2", "TR-20260209x160501Z-py"] {
            assert!(is_one(text) && !fits(&id, text), "{text}");
        }
        for text in ["py", "-python", "Zpython", "Python", "TR-x", "TR-20260209-160501Z-Py", "a/b", "é", ""] {
            assert!(!is_one(text), "{text}");
        }
    }
}
