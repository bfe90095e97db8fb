//! Words that a document format is told not to show: typesetting, word processors, page descriptions.
//!
//! *Security*: hostile bytes; each keyword has a bounded neighbourhood. *Standards*: ISO 32000-2, section 9.3.6 (text rendering
//! mode 3); ISO/IEC 29500-1, section 17.3.2.41 (vanish); RTF 1.9.1 (`\v`); `OpenDocument` 1.3, section 20.

use std::ops::Range;

use memchr::memmem;

use super::rule;
use super::tag::without_tags;
use super::talk::{Talk, demands, names_machine, talk};
use super::veil::unveiled;
use crate::rule::Hit;
use crate::rule::Strength::{Addressed, Mentioned};

/// How far behind a command its words may stand, bytes.
const AHEAD_BYTES_MAX: usize = 256;

/// Commands that hide what follows them, and what ends it.
pub(super) const COMMANDS: [(&str, &str); 101] = [
    ("{3 tr}", "{0 tr"),
    ("\\textcolor{#fff", "}}"),
    ("\\color{#fff", "}"),
    ("size: 0.1pt)[", "]"),
    ("(dx: -", "]"),
    ("\\only<0>{", "}"),
    ("actualtext={", "}"),
    ("\\doccomm ", "}"),
    ("{\\deleted", "}"),
    ("\\startcomment", "\\stopcomment"),
    ("\nimage description", "\n"),
    ("\nuser comment", "\n"),
    ("\nxp comment", "\n"),
    ("\\tiny\\color{white", "}"),
    ("\\textcolor{white!", "}}"),
    ("\\textcolor[html]{ffffff}{", "}"),
    ("\\color[html]{ffffff}", "}"),
    ("\\textcolor[gray]{1}{", "}"),
    ("\\textcolor{bg}{", "}"),
    ("\\scalebox{0", "}}"),
    ("\\resizebox{0", "}}"),
    ("\\makebox[0pt]", "}"),
    ("\\smash{", "}"),
    ("\\sbox0{", "}"),
    ("\\setbox0=", "}"),
    ("\\pdfannot", "endannot"),
    ("\\hypersetup{", "}"),
    ("#text(white)[", "]"),
    ("fill: white)[", "]"),
    ("size: 0pt)[", "]"),
    ("size: 1pt)[", "]"),
    ("fill: rgb(\"fff", "]"),
    ("/contents (", ")"),
    ("/contents(", ")"),
    ("/title (", ")"),
    ("/subject (", ")"),
    ("/subject(", ")"),
    ("/keywords (", ")"),
    ("/keywords(", ")"),
    ("/alt (", ")"),
    ("/alt(", ")"),
    ("/actualtext (", ")"),
    ("/actualtext(", ")"),
    ("/tu (", ")"),
    ("comm=", "\n"),
    ("txxx=", "\n"),
    ("usercomment", "\n"),
    ("imagedescription", "\n"),
    ("xpcomment", "\n"),
    ("comment\0", "\0"),
    ("description\0", "\0"),
    ("<dc:description", "</dc:description"),
    ("<w:del>", "</w:del>"),
    ("<w:webhidden", "</w:p>"),
    ("w:color w:val=\"ffffff\"", "</w:p>"),
    ("{\\cf0\\fs1 ", "}"),
    ("\\fs0 ", "}"),
    ("\\fs1 ", "}"),
    ("\\cf1\\highlight1 ", "}"),
    ("style=invis", "]"),
    ("fontsize=0", "]"),
    ("fontcolor=white", "]"),
    ("fontcolor=transparent", "]"),
    ("x-alt-desc", "\n"),
    ("\nx-comment", "\n"),
    ("\nx-note", "\n"),
    ("\ncomments:", "\n"),
    ("\\phantom{", "}"),
    ("\\hphantom{", "}"),
    ("\\vphantom{", "}"),
    ("\\textcolor{white}{", "}"),
    ("\\color{white}", "}"),
    ("\\textcolor[rgb]{1,1,1}{", "}"),
    ("\\color[rgb]{1,1,1}", "}"),
    ("\\color{white!", "}"),
    ("\\transparent{0}", "}"),
    ("\\texttransparent{0}{", "}"),
    ("\\fontsize{0", "}}"),
    ("\\fontsize{1pt", "}}"),
    ("\\opacity{0}", "}"),
    ("\\hidewidth", "}"),
    ("\\rlap{\\color", "}"),
    ("\\v ", "\\v0"),
    ("\\vanish", "}"),
    ("w:vanish", "</w:p>"),
    ("text:display=\"none\"", "</text:p>"),
    ("<text:hidden-text", "/>"),
    (" 3 tr", " et"),
    ("\n3 tr", "\net"),
    ("#hide[", "]"),
    ("#place(hide", "]"),
    ("{{hidden", "}}"),
    ("{.hidden}", "\n"),
    ("\\m[white]", "\\m["),
    ("visibility=\"collapsed\"", "</border"),
    ("/contents <", ">"),
    ("/contents<", ">"),
    ("/v (", ")"),
    (" moveto (", ")"),
    ("1 1 1 rg", "et"),
    ("\\s-9", "\\s0"),
];

/// Commands that put what follows them at a distance, which is their argument.
pub(super) const FAR: [&str; 8] =
    ["\\hspace{", "\\hspace*{", "\\vspace{", "\\vspace*{", "\\raisebox{", "\\hskip", "\\kern", "\\begin{textblock"];

/// Settings that keep what stands on their line from being shown: formats and states of tables, cells, layers, subtitles.
pub(super) const LINES: [&str; 16] = [
    ";;;\"",
    "state=\"veryhidden\"",
    "source_hidden\":",
    "remove_cell",
    "remove-cell",
    "\"cell_type\":\"raw\"",
    "\"cell_type\": \"raw\"",
    "x-hide",
    "x-hidden",
    "&hff&",
    "{push gray 1",
    "color push gray 1",
    "/off[",
    "/off [",
    "%%eof",
    "\\cf1 ",
];

/// How far something is from where it should be when nobody sees it there, points.
const FAR_POINTS: f64 = 280.0;

/// What commands are called that make words the colour of paper.
const UNSEEN: [&str; 4] = ["white", "transparent", "ffffff", "1,1,1"];

/// The words that the command at `place` moves out of the page.
pub(super) fn far(bytes: &[u8], place: Range<usize>) -> Option<Hit> {
    let rest = bytes.get(place.end..)?;
    let rest = rest.get(..rest.len().min(AHEAD_BYTES_MAX))?;
    let end = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"-+.*,(){ ".contains(byte)))?;
    let end = rest.get(..end)?.iter().take(32).position(|byte| matches!(byte, b'}' | b')')).unwrap_or(end);
    let argument = rest.get(..end)?;
    let is_point = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'.');
    let at = argument.iter().position(is_point)?;
    let length = argument.get(at..)?.iter().take_while(|byte| is_point(byte)).count();
    let number: f64 = std::str::from_utf8(argument.get(at..at + length)?).ok()?.parse().ok()?;
    let points = match argument.get(at + length..)?.trim_ascii_start() {
        unit if unit.starts_with(b"cm") => 28.4,
        unit if unit.starts_with(b"mm") => 2.84,
        unit if unit.starts_with(b"in") => 72.0,
        unit if unit.starts_with(b"em") => 10.0,
        unit if unit.starts_with(b"pt") || unit.starts_with(b"bp") => 1.0,
        // Blocks of text are placed by parts of the page.
        unit if unit.starts_with(b",") => 28.4,
        _ => return None,
    };
    let words = rest.get(end + 1..)?.split(|byte| *byte == b'\n').next()?;
    if number.abs() * points < FAR_POINTS || talk(words) < Talk::Prose {
        return None;
    }
    let strength = if number < 0.0 && talk(words) >= Talk::Sentence { Addressed } else { Mentioned };
    let strength = if demands(words) || names_machine(words) { Addressed } else { strength };
    Some(Hit { rule: rule::TYPESET, range: place.start..place.end + end + 1 + words.len(), strength })
}

/// The line of the setting at `place`, if a machine is called in it or something is asked for.
pub(super) fn line(bytes: &[u8], place: Range<usize>) -> Option<Hit> {
    let from = place.start.saturating_sub(AHEAD_BYTES_MAX);
    let before = bytes.get(from..place.start)?;
    let start = from + before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let behind = bytes.get(place.end..)?;
    let behind = behind.get(..behind.len().min(AHEAD_BYTES_MAX))?;
    // Behind the mark of an end, the next line is the one that nobody reads.
    let skipped = usize::from(behind.starts_with(b"\n"));
    let end = place.end + skipped + behind.get(skipped..)?.split(|byte| *byte == b'\n').next()?.len();
    let text = bytes.get(start..end)?;
    let strings =
        || text.split(|byte| matches!(byte, b'"' | b'}' | b'{' | b'>' | b'<' | b'\n')).map(<[u8]>::trim_ascii);
    let words = |string: &[u8]| string.contains(&b' ');
    let calls = strings().any(|string| words(string) && names_machine(string));
    let asks = strings().any(|string| words(string) && demands(string));
    let strength = match (calls, asks) {
        (true, _) => Addressed,
        (false, true) => Mentioned,
        _ => return None,
    };
    Some(Hit { rule: rule::TYPESET, range: start..end, strength })
}

/// The words that the command at `place` hides.
pub(super) fn hidden(bytes: &[u8], place: Range<usize>, closing: &str) -> Option<Hit> {
    let rest = bytes.get(place.end..)?;
    let rest = rest.get(..rest.len().min(AHEAD_BYTES_MAX))?;
    let low = rest.to_ascii_lowercase();
    let end = memmem::find(&low, closing.as_bytes()).unwrap_or(rest.len());
    // What is left of the tag that the command stands in.
    let behind = rest.get(..end)?;
    let behind = behind.strip_prefix(b"/>").or_else(|| behind.strip_prefix(b">")).unwrap_or(behind);
    let words = without_tags(behind);
    // Where nothing is left it was no tag, but words between angles; a brace may open the words of a command.
    let words = if words.iter().any(u8::is_ascii_alphabetic) { words } else { behind.to_vec() };
    let words = words.trim_ascii_start().strip_prefix(b"{").unwrap_or(&words);
    // A page description sets a font before it shows a string.
    let words = match words.iter().position(|byte| *byte == b'(') {
        Some(open) if words.trim_ascii_start().starts_with(b"/") => words.get(open + 1..)?,
        _ => words,
    };
    let command = bytes.get(place.clone())?.to_ascii_lowercase();
    // Nobody sets words in white or transparent letters to be read.
    let is_unseen = UNSEEN.iter().any(|word| memmem::find(&command, word.as_bytes()).is_some());
    let strength = match talk(words).max(unveiled(words)) {
        Talk::Sentence | Talk::Directive => Addressed,
        Talk::Prose if is_unseen => Addressed,
        Talk::Prose => Mentioned,
        _ => return None,
    };
    Some(Hit { rule: rule::TYPESET, range: place.start..place.end + end, strength })
}
