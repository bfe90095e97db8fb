//! Abbreviations of request ids: `last`, and the beginning of an id, of its time or of its name.
//!
//! ```text
//! TR-20260209-1605   20260209-1605   count      all of them TR-20260209-160501Z-count, if no other request begins so
//! ```
//!
//! *Security*: an ambiguous abbreviation is an error, unless it is one request's full name. A stranger's next drop may
//! match too, so commands that decide take full ids.

use gatepost_mailbox::life::Results;

use crate::cli::prelude::*;

/// The request that was dropped last.
pub(super) const LAST: &str = "last";
/// The pattern of abbreviations, in syntax that ECMA-262, Python and Rust share.
pub(super) const PATTERN: &str =
    "^TR-[0-9Z-]{0,17}$|^(TR-)?[0-9]{8}-[0-9]{6}Z(-[a-z0-9-]*)?$|^[a-z0-9][a-z0-9-]{2,127}$";

/// The format of the time in an id, with the dash after it; `d` is a digit.
const TIME: &str = "dddddddd-ddddddZ-";
/// The most characters of an abbreviation.
const CHARS_MAX: usize = 128;
/// The fewest characters of an abbreviation that does not begin like an id.
const CHARS_MIN: usize = 3;
/// The most candidates that a message names.
const NAMED_MAX: usize = 3;

/// Whether a text matches [`PATTERN`].
pub(super) fn is_one(text: &str) -> bool {
    let is_of_time = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'Z' | b'-'));
    match text.strip_prefix("TR-") {
        Some(rest) => (rest.len() <= TIME.len() && is_of_time(rest)) || has_whole_time(rest),
        None => has_whole_time(text) || (is_name(text) && text.len() >= CHARS_MIN && !text.starts_with('-')),
    }
}

fn is_name(text: &str) -> bool {
    text.len() <= CHARS_MAX && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
}

/// Whether a text is a full time, or a full time followed by a dash and the start of a name.
fn has_whole_time(text: &str) -> bool {
    match text.split_at_checked(TIME.len()) {
        Some((time, name)) => is_whole_time(time) && is_name(name),
        None => text.len() + 1 == TIME.len() && is_whole_time(&format!("{text}-")),
    }
}

fn is_whole_time(text: &str) -> bool {
    text.bytes().zip(TIME.bytes()).all(|(byte, form)| match form {
        b'd' => byte.is_ascii_digit(),
        form => byte == form,
    })
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
        for text in ["stats", "TR-2027", "python-stats-2"] {
            assert!(is_one(text) && !fits(&id, text), "{text}");
        }
        for text in
            ["py", "-python", "Python", "TR-x", "TR-20260209-160501Z-Py", "TR-20260209x160501Z-py", "a/b", "é", ""]
        {
            assert!(!is_one(text), "{text}");
        }
    }
}
