//! Texts that were written in pieces: string literals one after the other, lines that were wrapped.
//!
//! ```text
//! "ghp_" + "Ab…"      "AKIA" \        sk_live_51H=      glpat-uPAb
//!                       "Q7…"         qx9…              PY5V5…
//! ```
//!
//! *Security*: at most eight pieces, each within a bounded stretch.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::{Regex, RegexBuilder};

/// From inside one string literal to the inside of the next.
const BETWEEN_LITERALS: &str = r#"\\{0,3}["'`][ \t]{0,4}(?:[+.&~,]|\+\+|\.\.|\|\||<<|\\)?[ \t]{0,4}\\?(?:\r?\n[ \t]{0,40})?(?:[+.&~]|\.\.|\|\|)?[ \t]{0,4}\\{0,3}["'`]"#;
/// From the end of a line to the next, in text that was wrapped, quoted or marked as changed.
const BETWEEN_LINES: &str = r"(?:=|\\)?\r?\n[ \t]{0,40}(?:[>|#*+/-]{1,3}[ \t]{1,4})?|(?:\\n|\\r\\n)[ \t]{0,8}";

/// How far parts of a token stand apart, the fewest bytes of one that words are not, and how many follow the first.
const PARTED_BYTES: usize = 192;
const PART_BYTES_MIN: usize = 6;
const PARTS_MAX: usize = 3;

const PIECES_MAX: usize = 8;
const JOINT_BYTES: usize = 96;
const RUN_BYTES: usize = 512;

static LITERALS: LazyLock<Regex> = LazyLock::new(|| compiled(BETWEEN_LITERALS));
static ANY: LazyLock<Regex> = LazyLock::new(|| compiled(&format!("{BETWEEN_LITERALS}|{BETWEEN_LINES}")));

fn compiled(pattern: &str) -> Regex {
    RegexBuilder::new(&format!(r"\A(?:{pattern})"))
        .unicode(false)
        .build()
        .expect("a pattern of ours, used by every test")
}

/// A text that was put together, and where in the view each of its bytes stands.
#[derive(Debug, Clone, Default)]
pub(super) struct Joined {
    pub(super) text: Vec<u8>,
    places: Vec<Range<usize>>,
}

impl Joined {
    /// Adds a byte that stands for these of the view.
    pub(super) fn add(&mut self, byte: u8, place: Range<usize>) {
        self.text.push(byte);
        self.places.push(place);
    }

    /// Takes back all but the first bytes.
    pub(super) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        self.places.truncate(length);
    }

    /// What a range of the text covers in the view.
    pub(super) fn covered(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let last = range.end.checked_sub(1)?;
        Some(self.places.get(range.start)?.start..self.places.get(last)?.end)
    }
}

/// The literal whose inside is given, with those that continue it.
pub(super) fn continued(bytes: &[u8], inside: Range<usize>) -> (Range<usize>, Vec<u8>) {
    let mut value = bytes.get(inside.clone()).unwrap_or_default().to_vec();
    let mut end = inside.end;
    for _ in 1..PIECES_MAX {
        let behind = bytes.get(end..end.saturating_add(JOINT_BYTES).min(bytes.len())).unwrap_or_default();
        let Some(joint) = LITERALS.find(behind) else { break };
        let start = end + joint.end();
        let length = run(bytes, start);
        let closes = bytes.get(start + length).is_some_and(|byte| b"\"'`\\".contains(byte));
        let is_parted = joint.as_bytes().iter().any(|byte| matches!(byte, b',' | b'\n'));
        let is_name = is_parted && is_name(bytes, start + length);
        if length == 0 || !closes || is_name {
            break;
        }
        value.extend_from_slice(bytes.get(start..start + length).unwrap_or_default());
        end = start + length;
    }
    (inside.start..end, value)
}

/// Whether the literal that ends here is the name of a member, which continues nothing: `"b":`, `"b" :`, `\"b\":`.
fn is_name(bytes: &[u8], end: usize) -> bool {
    let behind = bytes.get(end..end.saturating_add(8).min(bytes.len())).unwrap_or_default();
    let behind = behind.iter().skip_while(|byte| **byte == b'\\');
    behind.skip(1).find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b':')
}

/// The token that goes on from a place, over joints; none if there is no joint in it.
pub(super) fn joined(bytes: &[u8], start: usize, reach: usize) -> Option<Joined> {
    let mut joined = Joined::default();
    let mut at = start;
    for piece in 0..PIECES_MAX {
        let length = run(bytes, at).min(reach.saturating_sub(joined.text.len()));
        for (place, byte) in (at..).zip(bytes.get(at..at + length).unwrap_or_default()) {
            joined.add(*byte, place..place + 1);
        }
        let end = at + length;
        let behind = bytes.get(end..end.saturating_add(JOINT_BYTES).min(bytes.len())).unwrap_or_default();
        let next = ANY.find(behind).map(|joint| end + joint.end()).filter(|next| run(bytes, *next) > 0);
        let Some(next) = next.filter(|_| joined.text.len() < reach) else {
            return (piece > 0).then_some(joined);
        };
        at = next;
    }
    Some(joined)
}

/// The token whose first part begins here, with the next one to three runs behind it that no words are: `first half …, second half …`.
pub(super) fn parted(bytes: &[u8], start: usize) -> Vec<Joined> {
    let is_run = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let near = bytes.get(start..start.saturating_add(PARTED_BYTES).min(bytes.len())).unwrap_or_default();
    let (mut joined, mut texts) = (Joined::default(), Vec::new());
    let mut at = start;
    for run in near.split(|byte| !is_run(byte)) {
        let is_part = run.len() >= PART_BYTES_MIN
            && run.iter().any(u8::is_ascii_digit)
            && run.iter().any(u8::is_ascii_alphabetic);
        if is_part {
            for (place, byte) in (at..).zip(run) {
                joined.add(*byte, place..place + 1);
            }
            texts.extend((at > start).then(|| joined.clone()));
        }
        if at == start && !is_part {
            break;
        }
        if texts.len() == PARTS_MAX {
            break;
        }
        at += run.len() + 1;
    }
    texts
}

/// How many bytes from a place on could belong to a token; a `=` that ends its line is a soft break (RFC 2045, section 6.7).
fn run(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..start.saturating_add(RUN_BYTES).min(bytes.len())).unwrap_or_default();
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+~:$@%!#=*".contains(&byte);
    let length = rest.iter().position(|byte| !belongs(*byte)).unwrap_or(rest.len());
    let is_soft = length > 0 && rest.get(length - 1) == Some(&b'=') && matches!(rest.get(length), Some(b'\n' | b'\r'));
    length - usize::from(is_soft)
}
