//! The rules as data: what one consists of, and how its pattern is matched around its keywords.
//!
//! ```text
//! [[rule]]
//! name = "github-personal-token"     kebab case, unique; verdicts say `secret/…`
//! title = "a GitHub personal access token"
//! keywords = ["ghp_"]                a match begins with one, or has one near
//! any_case = true                    keywords in any case; as written if absent
//! pattern = 'ghp_[0-9A-Za-z]{36}'    group 1 is the secret, or all of it; `detector` names code instead
//! whole_word = true                  no letter, digit or `_` right before the keyword
//! before = 96                        bytes before the keyword that may belong to the match; 0: it begins there
//! reach = 512                        bytes from the keyword's first on that may belong to it
//! value = "token"                    how the secret is looked at: token, password, raw, jwt, basic
//! checksum = "crc32-base62"          of the last six characters; where it is wrong, the token is only mentioned
//! strength = "addressed"             or "mentioned"
//! positive = [["ghp_", "…", "…"]]    examples in parts, so that none stands here in one piece
//! negative = [["ghp_", "xxxx…"]]
//! ```
//!
//! `build.rs` turns the files below `rules/` into constants and fails on a rule that is not whole. Does not judge the words
//! around a match. *Security*: every pattern is run over a stretch of at most `before + reach` bytes a keyword, or once over
//! stretches that touch, by an engine whose time is linear; a rule's stretches never exceed its keywords' number times that.
//! *Standards*: prefixes, lengths and alphabets are those that the vendors publish.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder};

use super::super::keyword::Mark;
use super::super::rule::{Rule, Strength};
use super::{joint, value};
use gatepost_documents::reason::Code;

const HINT: &str = "Withdraw the secret if it is real, and run the tool again so that its output does not show it.";
const SOURCE: &str = "ThreeGate, tool result, \"Forbidden Content\": secrets, credentials, tokens or keys.";

/// How one rule matches.
#[derive(Debug)]
pub(super) struct Pattern {
    keywords: &'static [&'static str],
    any_case: bool,
    pattern: &'static str,
    pub(super) detector: Detector,
    whole_word: bool,
    before: usize,
    reach: usize,
    value: Value,
    checksum: Checksum,
    strength: Strength,
}

/// What does the matching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detector {
    Pattern,
    Assignment,
    Authority,
    Dotted,
}

/// How a secret is told from what only has its form.
#[derive(Debug, Clone, Copy)]
enum Value {
    /// Made by a machine: neither words nor a filler.
    Token,
    /// Made by a person, perhaps: no placeholder.
    Password,
    /// Its form says it all.
    Raw,
    /// A JSON Web Token (RFC 7519): its first part is a JOSE header.
    Jwt,
    /// User and password of RFC 7617, encoded.
    Basic,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Checksum {
    None,
    /// CRC-32 of the thirty characters before, as six digits of base 62.
    Crc32Base62,
}

/// The examples of one kind, each in its parts.
#[cfg(test)]
type Examples = &'static [&'static [&'static str]];

include!(concat!(env!("OUT_DIR"), "/secret_rules.rs"));

static COMPILED: [OnceLock<Regex>; COUNT] = [const { OnceLock::new() }; COUNT];

/// What a rule found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// The rule's index in `RULES`.
    pub(super) rule: usize,
    pub(super) range: Range<usize>,
    pub(super) strength: Strength,
    /// Whether it was put together from pieces.
    pub(super) is_joined: bool,
}

/// Where a rule stands while a text is gone through.
#[derive(Debug, Clone, Default)]
struct Progress {
    /// What begins before this was part of a match.
    done: usize,
    /// The stretch that is still growing.
    pending: Range<usize>,
}

/// The bytes before a keyword that show that it only happens to stand in encoded data, and the least entropy of them, bits a
/// byte: of random base64 they have more than five, of names and numbers hardly four.
const DATA_BYTES: usize = 64;
const DATA_ENTROPY_MIN: f64 = 4.6;

/// Whether a keyword without a sign of its own goes on a run of base64, in lines or not, as four letters do somewhere in every
/// image and in every signature.
fn is_data(bytes: &[u8], mark: &Mark) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let has_sign = || bytes.get(mark.start..mark.end).is_none_or(|word| !word.iter().all(u8::is_ascii_alphanumeric));
    // What begins behind a slash may be the last part of an address, and what begins a line stands for itself.
    let goes_on =
        || mark.start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|last| is_digit(last) && *last != b'/');
    if has_sign() || !goes_on() {
        return false;
    }
    let near = bytes.get(mark.start.saturating_sub(2 * DATA_BYTES)..mark.start).unwrap_or_default();
    let unbroken = near.iter().rev().filter(|byte| !matches!(byte, b'\n' | b'\r'));
    let before: Vec<u8> = unbroken.copied().take_while(is_digit).take(DATA_BYTES).collect();
    before.len() == DATA_BYTES && value::is_mixed(&before) && value::entropy(&before) >= DATA_ENTROPY_MIN
}

/// The places of a coded rule's keywords.
pub(super) fn marks_of(rule: usize, marks: &[Mark]) -> impl Iterator<Item = Range<usize>> {
    let is_its = move |mark: &&Mark| KEYWORDS.get(mark.keyword).is_some_and(|(_, owners)| owners.contains(&rule));
    marks.iter().filter(is_its).map(|mark| mark.start..mark.end)
}

/// What every pattern finds around its keywords, and how many bytes had to be put before patterns for it.
pub(super) fn find(bytes: &[u8], marks: &[Mark], found: &mut Vec<Found>) -> usize {
    let mut progress = vec![Progress::default(); if marks.is_empty() { 0 } else { COUNT }];
    let mut work = 0;
    for mark in marks {
        let Some((keyword, owners)) = KEYWORDS.get(mark.keyword) else { continue };
        for &rule in *owners {
            let (Some(pattern), Some(progress)) = (PATTERNS.get(rule), progress.get_mut(rule)) else { continue };
            if pattern.detector != Detector::Pattern || !pattern.begins(bytes, mark, keyword) {
                continue;
            }
            if pattern.before == 0 {
                if mark.start >= progress.done {
                    let stretch = pattern.stretch(bytes, mark);
                    work += stretch.len();
                    let end = pattern.look(rule, bytes, stretch, found);
                    let end = end.or_else(|| pattern.look_over_joints(rule, bytes, mark.start, found));
                    progress.done = end.unwrap_or(progress.done);
                }
            } else {
                let stretch = pattern.stretch(bytes, mark);
                if stretch.start <= progress.pending.end && !progress.pending.is_empty() {
                    progress.pending.end = stretch.end;
                } else {
                    work += progress.pending.len();
                    pattern.look(rule, bytes, progress.pending.clone(), found);
                    progress.pending = stretch;
                }
            }
        }
    }
    for (rule, (pattern, progress)) in PATTERNS.iter().zip(progress).enumerate() {
        work += progress.pending.len();
        pattern.look(rule, bytes, progress.pending, found);
    }
    work
}

impl Pattern {
    /// Whether the keyword stands there as the rule wants it.
    fn begins(&self, bytes: &[u8], mark: &Mark, word: &str) -> bool {
        let there = bytes.get(mark.start..mark.end).unwrap_or_default();
        let is_spelt =
            || self.keywords.iter().any(|keyword| keyword.as_bytes() == there && keyword.len() == word.len());
        let before = mark.start.checked_sub(1).and_then(|at| bytes.get(at));
        let is_inside = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        (self.any_case || is_spelt()) && !(self.whole_word && is_inside) && (self.before > 0 || !is_data(bytes, mark))
    }

    fn stretch(&self, bytes: &[u8], mark: &Mark) -> Range<usize> {
        mark.start.saturating_sub(self.before)..mark.start.saturating_add(self.reach).min(bytes.len())
    }

    /// Every match within a stretch; the end of the last one.
    fn look(&self, rule: usize, bytes: &[u8], stretch: Range<usize>, found: &mut Vec<Found>) -> Option<usize> {
        let text = bytes.get(stretch.clone()).filter(|text| !text.is_empty())?;
        let regex = COMPILED.get(rule)?.get_or_init(|| self.compiled());
        if !regex.is_match(text) {
            return None;
        }
        let mut end = None;
        for groups in regex.captures_iter(text) {
            let Some(secret) = groups.get(1).or_else(|| groups.get(0)) else { continue };
            let Some(strength) = self.weigh(secret.as_bytes()) else { continue };
            let range = stretch.start + secret.start()..stretch.start + secret.end();
            end = Some(range.end);
            found.push(Found { rule, range, strength, is_joined: false });
        }
        end
    }

    /// The same for a token that begins here and was written in pieces.
    fn look_over_joints(&self, rule: usize, bytes: &[u8], start: usize, found: &mut Vec<Found>) -> Option<usize> {
        // Written in any case, a keyword is a word of prose as well, and prose wraps.
        if self.any_case {
            return None;
        }
        let parted = std::iter::once_with(|| joint::parted(bytes, start)).flatten();
        let texts = joint::joined(bytes, start, self.reach).into_iter().chain(parted);
        let (joined, first) = texts.into_iter().find_map(|joined| {
            let mut within = Vec::new();
            self.look(rule, &joined.text, 0..joined.text.len(), &mut within)?;
            Some((joined, within.into_iter().next()?))
        })?;
        let range = joined.covered(&first.range)?;
        let end = range.end;
        found.push(Found { range, is_joined: true, ..first });
        Some(end)
    }

    /// The pattern as one that runs; a test compiles them all.
    fn compiled(&self) -> Regex {
        let pattern = if self.before == 0 { format!(r"\A(?:{})", self.pattern) } else { self.pattern.to_owned() };
        let built = RegexBuilder::new(&pattern).unicode(false).build();
        built.expect("every pattern is compiled by a test")
    }

    fn weigh(&self, secret: &[u8]) -> Option<Strength> {
        if super::example_key::is_documented(secret) {
            return None;
        }
        let strength = match self.value {
            Value::Raw => Some(Strength::Addressed),
            Value::Token => value::is_made_by_machine(secret).then_some(Strength::Addressed),
            Value::Password => value::password(secret),
            Value::Jwt => super::token::is_jwt(secret).then_some(Strength::Addressed),
            Value::Basic => super::token::is_basic(secret).then_some(Strength::Addressed),
        };
        let is_doubtful = self.checksum == Checksum::Crc32Base62 && !super::token::has_checksum(secret);
        strength
            .map(|strength| strength.max(self.strength).max(if is_doubtful { Strength::Mentioned } else { strength }))
    }
}
