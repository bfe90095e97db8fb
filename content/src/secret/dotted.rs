//! Tokens of Discord bots: three parts between dots, and no letter that is always the same but the first.
//!
//! ```text
//! MTA0NzM4MjkxODQ2MjgzMDE5Mg.Gk3Jd9.2mZpQw7XbT4vLs0RyUe1HcN8gFoKaVi6WtPzM4
//! ───── id, 23 to 28 ───────  6      27 to 40
//! ```
//!
//! There is no keyword: two dots seven bytes apart are what is looked for. *Security*: one pass for dots, a bounded stretch
//! around each pair. *Standards*: the parts as Discord's reference shows them; the first is a number in base64.

use super::super::rule::Strength;
use super::pattern::Found;
use super::value;

pub(super) fn find(bytes: &[u8], rule: usize, found: &mut Vec<Found>) {
    for first in memchr::memchr_iter(b'.', bytes) {
        let second = first + 7;
        if bytes.get(second) != Some(&b'.')
            || !bytes.get(first + 1..second).is_some_and(|part| part.iter().all(|byte| is_url_base64(*byte)))
        {
            continue;
        }
        let before = bytes.get(first.saturating_sub(29)..first).unwrap_or_default();
        let behind = bytes.get(second + 1..second.saturating_add(42).min(bytes.len())).unwrap_or_default();
        let id = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let rest = behind.iter().take_while(|byte| is_url_base64(**byte)).count();
        let range = first - id..second + 1 + rest;
        let token = bytes.get(range.clone()).unwrap_or_default();
        // The id's first digit is 1 to 9: base64 begins with one of these.
        let begins = token.first().is_some_and(|byte| b"MNO".contains(byte));
        if begins && (23..=28).contains(&id) && (27..=40).contains(&rest) && value::is_made_by_machine(token) {
            found.push(Found { rule, range, strength: Strength::Addressed, is_joined: false });
        }
    }
}

fn is_url_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}
