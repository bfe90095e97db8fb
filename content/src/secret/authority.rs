//! Passwords within URLs: `scheme://user:password@host`.
//!
//! A password may hold `#`, `?` and even `@`, though RFC 3986 wants them encoded: people do not. *Security*: a bounded stretch
//! behind each `://`. *Standards*: RFC 3986, section 3.2.1.

use std::ops::Range;

use super::super::rule::Strength;
use super::pattern::Found;
use super::value;

const AUTHORITY_BYTES: usize = 320;

/// Words that stand for a password in descriptions of a URL, whole or as a part.
const FORMS: &[&str] =
    &["pass", "secret", "word", "pwd", "token", "user", "guest", "admin", "key", "name", "postgres", "root"];

pub(super) fn find(bytes: &[u8], marks: impl Iterator<Item = Range<usize>>, rule: usize, found: &mut Vec<Found>) {
    let mut done = 0;
    for mark in marks.filter(|mark| bytes.get(mark.clone()) == Some(b"://")) {
        if mark.start >= done
            && let Some((range, strength)) = password(bytes, mark.end)
        {
            done = range.end;
            found.push(Found { rule, range, strength, is_joined: false });
        }
    }
}

fn password(bytes: &[u8], start: usize) -> Option<(Range<usize>, Strength)> {
    let rest = bytes.get(start..start.saturating_add(AUTHORITY_BYTES).min(bytes.len()))?;
    let ends = |byte: &u8| byte.is_ascii_whitespace() || b"/\"'<>`\\|".contains(byte);
    let authority = rest.get(..rest.iter().position(ends).unwrap_or(rest.len()))?;
    let user_info = authority.get(..authority.iter().rposition(|byte| *byte == b'@')?)?;
    let colon = user_info.iter().position(|byte| *byte == b':')?;
    let (user, secret) = (user_info.get(..colon)?, user_info.get(colon + 1..)?);
    let place = start + colon + 1..start + user_info.len();
    if super::example_key::is_documented(secret) || secret == user {
        return None;
    }
    if user.len() >= 20 && value::is_made_by_machine(user) {
        return Some((start..start + colon, Strength::Addressed));
    }
    value::password(secret).or_else(|| plain(secret)).map(|strength| (place, strength))
}

/// A word or a number, which is a weak password if it is one.
fn plain(secret: &[u8]) -> Option<Strength> {
    let lower = String::from_utf8_lossy(secret).to_ascii_lowercase();
    let is_plain = secret.len() >= 5 && secret.iter().all(u8::is_ascii_alphanumeric);
    (is_plain && !value::is_placeholder(secret) && !FORMS.iter().any(|form| lower.contains(form)))
        .then_some(Strength::Mentioned)
}
