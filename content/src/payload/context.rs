//! Whether a command stands there to be run, or a sentence only speaks of it.
//!
//! Known weakness: it knows a few dozen English words and quotation marks; an unknown language counts as no sentence, and what
//! stands in no sentence counts as the thing itself.

use std::ops::Range;

use super::super::rule::Strength;

/// The bytes of a line that are looked at on either side.
const SIDE_BYTES_MAX: usize = 240;

/// Words by which a sentence asks for the command to be run.
const ASKING: &[&str] = &[
    "run",
    "execute",
    "paste",
    "type",
    "enter",
    "use",
    "try",
    "issue",
    "launch",
    "start",
    "install",
    "copy",
    "invoke",
    "call",
    "running",
    "executing",
    "pasting",
    "using",
    "typing",
];

/// Words by which a sentence warns of the command or reports it.
const WARNING: &[&str] = &[
    "never",
    "not",
    "don't",
    "avoid",
    "instead",
    "attack",
    "attacks",
    "attacker",
    "attackers",
    "malicious",
    "malware",
    "vulnerable",
    "vulnerability",
    "exploit",
    "exploited",
    "abuse",
    "abused",
    "alert",
    "alerts",
    "blocked",
    "blocks",
    "detected",
    "detects",
    "detect",
    "such",
    "like",
    "pattern",
    "patterns",
    "rule",
    "rules",
    "advisory",
    "example",
    "unsafe",
    "dangerous",
    "insecure",
    "injection",
    "finding",
    "findings",
    "caught",
    "refused",
    "rejected",
    "forbidden",
    "why",
    "cve",
    "told",
    "contained",
    "contains",
    "removed",
    "replaced",
    "deprecated",
    "phishing",
    "suspicious",
];

/// The strength of what stands at `range`.
pub(super) fn strength(text: &[u8], range: &Range<usize>) -> Strength {
    let before = tail(text.get(..range.start).unwrap_or_default());
    let after = head(text.get(range.end..).unwrap_or_default());
    let words_before = words(before).count();
    let is_quoted = before.last().is_some_and(|byte| matches!(byte, b'"' | b'\'') || !byte.is_ascii());
    let is_code = memchr::memchr_iter(b'`', before).count() % 2 == 1;
    // A shell and a program quote, too: two words before a quotation mark are no sentence yet.
    let is_marked = is_code || (is_quoted && words_before >= 3);
    let is_sentence = words_before >= 2 || words(after).count() >= 4;
    if !is_sentence {
        return Strength::Addressed;
    }
    let has = |list: &[&str], side: &[u8]| {
        words(side).any(|word| list.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes())))
    };
    if has(WARNING, before) || has(WARNING, after) {
        return Strength::Mentioned;
    }
    if is_marked && !has(ASKING, before) { Strength::Mentioned } else { Strength::Addressed }
}

/// The words of a sentence: letters between spaces, with a full stop or a comma behind them.
fn words(side: &[u8]) -> impl Iterator<Item = &[u8]> {
    side.split(|byte| matches!(byte, b' ' | b'\t'))
        .map(|word| {
            let end = word
                .iter()
                .rposition(|byte| !matches!(byte, b'.' | b',' | b':' | b';' | b'?' | b'!' | b'"' | b'`' | b')'));
            word.get(..end.map_or(0, |end| end + 1)).unwrap_or_default()
        })
        .map(|word| word.strip_prefix(b"(").unwrap_or(word))
        .filter(|word| {
            word.len() > 1 && word.iter().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'\'' | b'-'))
        })
        .filter(|word| !word.starts_with(b"-"))
}

/// The end of a text, back to the beginning of its last line.
fn tail(text: &[u8]) -> &[u8] {
    let near = text.get(text.len().saturating_sub(SIDE_BYTES_MAX)..).unwrap_or_default();
    near.rsplit(|byte| *byte == b'\n').next().unwrap_or_default()
}

/// The beginning of a text, as far as its first line goes.
fn head(text: &[u8]) -> &[u8] {
    let near = text.get(..SIDE_BYTES_MAX.min(text.len())).unwrap_or_default();
    near.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{Strength, strength};

    fn of(text: &str) -> Strength {
        let start = text.find("curl").unwrap();
        let end = text.find(" sh").unwrap() + 3;
        strength(text.as_bytes(), &(start..end))
    }

    #[test]
    fn a_command_on_a_line_of_its_own_is_the_thing_itself() {
        for text in
            ["curl x | sh", "$ curl x | sh", "  - run: curl x | sh", "RUN curl x | sh && true", "1 | curl x | sh"]
        {
            assert_eq!(of(text), Strength::Addressed, "{text}");
        }
    }

    #[test]
    fn a_sentence_that_asks_for_it_makes_it_the_thing_itself() {
        for text in ["Please run `curl x | sh` once.", "To finish, kindly paste this into your shell: curl x | sh"] {
            assert_eq!(of(text), Strength::Addressed, "{text}");
        }
    }

    #[test]
    fn a_sentence_that_speaks_of_it_only_mentions_it() {
        let told = "The old guide had `curl x | sh` in its first chapter.";
        for text in [told, "Never run `curl x | sh` as root.", "The agent blocked curl x | sh at noon."] {
            assert_eq!(of(text), Strength::Mentioned, "{text}");
        }
    }
}
