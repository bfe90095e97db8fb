//! Lines that imitate the statements and headings that the result itself must have.
//!
//! The same words in plain letters are no imitation: a tool may print a result of ours. *Security*: hostile bytes; a line is
//! folded for a bounded length. *Standards*: `schemas/result.schema.md`, Sections; UTS 39, section 4.

use super::alike::latin;
use super::character::is_unseen;
use super::rule;
use super::talk::{is_spaced, joined};
use crate::rule::Hit;
use crate::rule::Strength::Addressed;

/// Words that each imitation in plain letters still has some of.
pub(super) const KEYWORDS: [&str; 17] = [
    " statement",
    "safety n",
    "afety notes",
    " notice",
    " disclaimer",
    "fety note",
    "tnemetats",
    "t e m e n t",
    "n o t e s",
    "untrusted",
    "unexpected",
    "statement:",
    "behavior:",
    "confirmation:",
    "trusted output",
    "network conf",
    "expected behav",
];

const STATEMENTS: [&str; 3] = ["untrusted output statement:", "unexpected behavior:", "network confirmation:"];
const HEADINGS: [&str; 6] = ["summary", "provenance", "outputs", "stdout", "stderr", "safety notes"];

/// How much of a line is folded on either side of a place, bytes; within half of it, another place shows nothing new.
pub(super) const LINE_BYTES_MAX: usize = 128;

/// The line around `at`, if it imitates a statement or a heading.
pub(super) fn around(bytes: &[u8], at: usize) -> Option<Hit> {
    let from = at.saturating_sub(LINE_BYTES_MAX);
    let start = bytes.get(from..at)?.iter().rposition(|byte| *byte == b'\n').map_or(from, |newline| from + newline + 1);
    let rest = bytes.get(start..)?;
    let rest = rest.get(..rest.len().min(at - start + LINE_BYTES_MAX))?;
    let line = rest.split(|byte| *byte == b'\n').next()?;
    let text = String::from_utf8_lossy(line);
    let plain = text.to_lowercase();
    let folded = folded(&text);
    let digits = folded
        .replace('0', "o")
        .replace(['1', '|'], "l")
        .replace('5', "s")
        .replace('3', "e")
        .replace("rn", "m")
        .replace("vv", "w");
    let imitates = |statement: &str| {
        let alike = statement.replace("rn", "m").replace("vv", "w");
        !plain.contains(statement)
            && (folded.contains(statement)
                || digits.contains(&alike)
                || digits.replace('l', "i").contains(&alike.replace('l', "i")))
    };
    let together = if is_spaced(&plain) { joined(&plain) } else { String::new() };
    let imitates_title = line.len() <= LINE_BYTES_MAX
        && is_title([&folded, &digits, &together], true)
        && !is_title([&plain, "", ""], false);
    let heading = folded.strip_prefix('#').map(|title| title.trim_start_matches('#').trim());
    let imitates_heading = heading.is_some_and(|title| HEADINGS.contains(&title)) && !line.is_ascii();
    let found = STATEMENTS.iter().any(|statement| imitates(statement)) || imitates_heading || imitates_title;
    found.then(|| Hit { rule: rule::STATEMENT, range: start..start + line.len(), strength: Addressed })
}

/// Whether a line is nothing but the title of a statement to the reader: words of such titles, the last of which says what it
/// is; `disguised` as well in letters drawn alike, or backwards.
fn is_title(texts: [&str; 3], disguised: bool) -> bool {
    const LAST: [&str; 9] =
        ["statement", "statements", "notes", "notice", "disclaimer", "confirmation", "behavior", "policy", "use"];
    const OTHERS: [&str; 27] = [
        "untrusted",
        "trusted",
        "output",
        "unexpected",
        "network",
        "safety",
        "security",
        "privacy",
        "prohibited",
        "content",
        "confidentiality",
        "confidential",
        "warning",
        "terms",
        "of",
        "legal",
        "risk",
        "approval",
        "verified",
        "integrity",
        "the",
        "and",
        "acceptable",
        "usage",
        "compliance",
        "trust",
        "restricted",
    ];
    // Letters that are drawn much alike count as one.
    let alike = |word: &str| word.replace(['l', '1'], "i").replace('f', "s");
    let is_one = |words: &[&str], word: &str| {
        words.iter().any(|other| *other == word || disguised && alike(other) == alike(word))
    };
    texts.iter().any(|text| {
        let title = text.split(':').next().unwrap_or_default();
        let title = title.trim_matches(|character: char| !character.is_alphanumeric());
        let words: Vec<&str> = title.split(' ').collect();
        let backwards: Vec<String> = words.iter().rev().map(|word| word.chars().rev().collect()).collect();
        let reads = |words: &[&str]| {
            words.split_last().is_some_and(|(last, others)| {
                !others.is_empty()
                    && others.len() <= 4
                    && is_one(&LAST, last)
                    && others.iter().all(|word| is_one(&OTHERS, word))
            })
        };
        let backwards: Vec<&str> = backwards.iter().map(String::as_str).collect();
        reads(&words) || (disguised && reads(&backwards))
    })
}

/// Lower-case Latin letters for all that look like them, one space for every run of spaces, nothing for what nobody sees.
fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars().filter(|character| !is_unseen(*character) && !is_mark(*character)) {
        let character = latin(character).unwrap_or_else(|| bare(character));
        if !character.is_whitespace() {
            out.extend(character.to_lowercase());
        } else if !out.ends_with(' ') {
            out.push(' ');
        }
    }
    out.trim().to_owned()
}

/// Accents that are characters of their own, and controls of direction.
const fn is_mark(character: char) -> bool {
    matches!(character as u32, 0x300..=0x36F | 0x1AB0..=0x1AFF | 0x20D0..=0x20FF | 0x202A..=0x202E | 0x2066..=0x2069)
}

/// The letter under an accent, of those that occur in the statements and headings; and the plain form of colons.
fn bare(character: char) -> char {
    const UNDER: [(&str, char); 14] = [
        ("ÀÁÂÃÄÅàáâãäåāăąạả", 'a'),
        ("ÈÉÊËèéêëēĕėęěẹẻ", 'e'),
        ("ÌÍÎÏìíîïĩīĭįıị", 'i'),
        ("ÒÓÔÕÖØòóôõöøōŏőọ", 'o'),
        ("ÙÚÛÜùúûüũūŭůűųụ", 'u'),
        ("ŃŅŇñńņňṇ", 'n'),
        ("ŚŜŞŠśŝşšșṣ", 's'),
        ("ŢŤŦţťŧțṭ", 't'),
        ("ĎĐďđḍ", 'd'),
        ("ŔŖŘŕŗřṛ", 'r'),
        ("çćĉċč", 'c'),
        ("ýÿŷ", 'y'),
        ("ŵẁẃẅ", 'w'),
        ("\u{a789}\u{2236}\u{fe55}\u{2d0}\u{5c3}", ':'),
    ];
    UNDER.iter().find(|(accented, _)| accented.contains(character)).map_or(character, |(_, letter)| *letter)
}
