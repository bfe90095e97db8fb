//! What a terminal does not show although it is in its output: concealed, overwritten, erased, or swallowed as a control string.
//!
//! Progress bars overwrite themselves all day; what was overwritten counts only when it was words.
//! *Security*: hostile bytes, read once but for a bounded way back. *Standards*: ECMA-48, sections 5.4, 5.6 and 8.3; the
//! hyperlink sequence of terminals (OSC 8).

use std::ops::Range;

use memchr::{memchr_iter, memchr2_iter, memchr3_iter, memmem, memrchr};

use super::palette::hides;
use super::rule;
use super::talk::{Talk, talk};
use super::veil::unveiled;
use crate::rule::Hit;
use crate::rule::Strength::{self, Addressed, Mentioned};

const ESCAPE: u8 = 0x1B;
const BACKSPACE: u8 = 0x08;
const DELETE: u8 = 0x7F;
const SHIFT_OUT: u8 = 0x0E;

/// How the escape sequences begin that are written as editors show them.
pub(super) const SPELT: &str = "^[[";

/// How much text before an erasure, and within a control string or concealment, is read, bytes.
const TEXT_BYTES_MAX: usize = 512;

/// By how many lines or characters something is moved that is meant to be out of sight.
const FAR_LINES: usize = 9;

/// The column from which on nobody sees what is written there.
const FAR_COLUMNS: usize = 300;

/// How many renditions in a row are read as one.
const RENDITIONS_MAX: usize = 4;

/// The shortest run of backspaces that takes back a word; one or two make bold and underlined letters.
const BACKSPACES_MIN: usize = 4;

/// Finds everything that a terminal would not show.
pub(super) fn find(bytes: &[u8], hits: &mut Vec<Hit>) {
    let mut passed = 0;
    for at in memchr3_iter(ESCAPE, BACKSPACE, b'\r', bytes) {
        if at < passed {
            continue;
        }
        let found = match bytes.get(at) {
            Some(&ESCAPE) => escape(bytes, at, &mut passed),
            Some(&BACKSPACE) => {
                let length = bytes.iter().skip(at).take_while(|byte| **byte == BACKSPACE).count();
                passed = at + length;
                match each_taken_back(bytes, at) {
                    Some(hit) if length == 1 => Some(hit),
                    _ => taken_back(bytes, at, length),
                }
            }
            _ => returned(bytes, at),
        };
        if let Some(hit) = found {
            passed = passed.max(hit.range.end);
            hits.push(hit);
        }
    }
}

/// Finds words that are taken back by the delete character, which some terminals and all editors read so, and words in the other set
/// of characters.
pub(super) fn deleted(bytes: &[u8], hits: &mut Vec<Hit>) {
    let mut passed = 0;
    for at in memchr2_iter(DELETE, SHIFT_OUT, bytes) {
        if at < passed {
            continue;
        }
        let is_shift = bytes.get(at) == Some(&SHIFT_OUT);
        let found = if is_shift { shifted(bytes, at) } else { each_deleted(bytes, at) };
        if is_shift || found.is_some() {
            passed = found.as_ref().map_or(at + 1, |hit| hit.range.end);
            hits.extend(found);
            continue;
        }
        let length = bytes.iter().skip(at).take_while(|byte| **byte == DELETE).count();
        passed = at + length;
        hits.extend(taken_back(bytes, at, length));
    }
}

/// Words in the other set of characters, which is one of lines and corners, up to where the first set is chosen again.
fn shifted(bytes: &[u8], at: usize) -> Option<Hit> {
    let rest = bytes.get(at + 1..)?;
    let words = rest.get(..rest.len().min(TEXT_BYTES_MAX))?.split(|byte| matches!(byte, 0x0F | b'\n')).next()?;
    let strength = match talk(words) {
        Talk::Sentence | Talk::Directive => Addressed,
        Talk::Prose => Mentioned,
        Talk::Silent | Talk::Mark => return None,
    };
    Some(Hit { rule: rule::CONCEALED, range: at..at + 1 + words.len(), strength })
}

/// Letters each of which is deleted before the next is written.
fn each_deleted(bytes: &[u8], at: usize) -> Option<Hit> {
    let is_within = |byte: &&u8| matches!(byte, 0x80..=0xBF);
    let letter = bytes.get(at.saturating_sub(4)..at)?.iter().rev().take_while(is_within).count() + 1;
    let start = at.checked_sub(letter)?;
    let rest = bytes.get(start..)?;
    let rest = rest.get(..rest.len().min(TEXT_BYTES_MAX * 2))?;
    let letters = rest.split(|byte| *byte == DELETE);
    let letters = letters.take_while(|letter| match letter {
        [one] => *one != b'\n',
        [first, more @ ..] => *first >= 0xC0 && more.len() <= 3 && more.iter().all(|byte| matches!(byte, 0x80..=0xBF)),
        [] => false,
    });
    let (mut words, mut length) = (Vec::new(), 0);
    for letter in letters {
        words.extend_from_slice(letter);
        length += letter.len() + 1;
    }
    if length < BACKSPACES_MIN * 4 || talk(&words) < Talk::Prose {
        return None;
    }
    Some(Hit { rule: rule::OVERWRITTEN, range: start..(start + length).min(bytes.len()), strength: Addressed })
}

/// The same of what is written as editors show the escape character, `^[`, at `place`.
pub(super) fn spelt(bytes: &[u8], place: Range<usize>) -> Option<Hit> {
    let rest = bytes.get(place.start..bytes.len().min(place.start + TEXT_BYTES_MAX))?;
    let mut long = Vec::with_capacity(rest.len());
    let mut at = 0;
    while let Some(byte) = rest.get(at).filter(|byte| **byte != b'\n') {
        let is_escape = rest.get(at..at + 2) == Some(b"^[");
        long.push(if is_escape { ESCAPE } else { *byte });
        at += 1 + usize::from(is_escape);
    }
    let hit = escape(&long, 0, &mut 0)?;
    // Every sequence before the end of the hit was a byte longer as it was written.
    let spelt = memchr_iter(ESCAPE, long.get(..hit.range.end)?).count();
    Some(Hit { range: place.start..place.start + hit.range.end + spelt, ..hit })
}

/// What words weigh that were there and are gone.
fn weight(words: &[u8]) -> Option<Strength> {
    let plain = without_sequences(words);
    let counts = plain.iter().any(u8::is_ascii_digit) || plain.contains(&b'%');
    match talk(&plain) {
        Talk::Directive => Some(Addressed),
        Talk::Sentence if !counts && !plain.ends_with(b"...") => Some(Addressed),
        Talk::Prose if !counts && !plain.ends_with(b"...") => Some(Mentioned),
        _ => None,
    }
}

/// The same with the control characters of one byte beyond ASCII, which some terminals take for the sequences of two: `from` is
/// where the first stands.
pub(super) fn single(bytes: &[u8], from: usize, hits: &mut Vec<Hit>) {
    let rest = bytes.get(from..bytes.len().min(from + TEXT_BYTES_MAX)).unwrap_or_default();
    let mut long = Vec::with_capacity(rest.len());
    let characters = rest.utf8_chunks().next().map_or("", |chunk| chunk.valid()).chars();
    for character in characters {
        match character {
            '\u{90}' | '\u{98}' | '\u{9b}'..='\u{9f}' => {
                long.extend([ESCAPE, character as u8 - 0x40]);
            }
            '\n' => break,
            _ => long.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    let mut found = Vec::new();
    find(&long, &mut found);
    hits.extend(found.into_iter().map(|hit| Hit { range: from..from + hit.range.end.min(rest.len()), ..hit }));
}

fn without_sequences(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, tail)) = rest.split_first() {
        if first == ESCAPE {
            let string = || control_string(text, text.len() - rest.len()).filter(|_| rest.get(1) == Some(&b']'));
            let length = sequence(rest).map(|(length, ..)| length);
            let plain = usize::from(rest.get(1).is_some_and(|next| matches!(next, b'0'..=b'Z' | b'`'..=b'~')));
            let length = length.or_else(|| string().map(|inner| inner.len() + 3)).unwrap_or(1 + plain);
            rest = rest.get(length..).unwrap_or_default();
        } else {
            out.push(first);
            rest = tail;
        }
    }
    out
}

/// The length of the control sequence that `rest` begins with, its parameters and its final byte.
fn sequence(rest: &[u8]) -> Option<(usize, &[u8], u8)> {
    let inner = rest.strip_prefix(b"\x1B[")?;
    let end = inner.iter().take(64).position(|byte| (0x40..=0x7E).contains(byte))?;
    Some((end + 3, inner.get(..end)?, *inner.get(end)?))
}

/// The text before `at` on its line, back to a bound, and where it begins.
fn line_before(bytes: &[u8], at: usize) -> (usize, &[u8]) {
    let from = at.saturating_sub(TEXT_BYTES_MAX);
    let recent = bytes.get(from..at).unwrap_or_default();
    let start = recent.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| at + 1);
    (from + start, recent.get(start..).unwrap_or_default())
}

/// The last words before `at` that a screen still shows: back to where it was cleared, of the last line with words.
fn screen_before(bytes: &[u8], at: usize) -> (usize, &[u8]) {
    let from = at.saturating_sub(TEXT_BYTES_MAX);
    let mut recent = bytes.get(from..at).unwrap_or_default();
    loop {
        let kept = recent.trim_ascii_end();
        let Some(sequence_at) = kept.iter().rposition(|byte| *byte == ESCAPE) else { break };
        let behind = kept.get(sequence_at..).unwrap_or_default();
        // A sequence at the very end shows nothing; what stands before it does.
        if sequence(behind).is_none_or(|(length, ..)| length < behind.len()) {
            break;
        }
        recent = kept.get(..sequence_at).unwrap_or_default();
    }
    let end = recent.trim_ascii_end().len();
    let kept = recent.get(..end).unwrap_or_default();
    let start = kept.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    (from + start, kept.get(start..).unwrap_or_default())
}

fn gone(start: usize, text: &[u8], end: usize) -> Option<Hit> {
    Some(Hit { rule: rule::OVERWRITTEN, range: start..end, strength: weight(text)? })
}

/// A carriage return within a line: what follows is written over what was there.
fn returned(bytes: &[u8], at: usize) -> Option<Hit> {
    let (start, before) = line_before(bytes, at);
    let after = bytes.get(at + 1..)?;
    // Erasing from there on takes all of the line away.
    let erases = sequence(after).is_some_and(|(_, _, last)| matches!(last, b'K' | b'P' | b'M' | b'J' | b'X'));
    if erases && !before.is_empty() {
        return gone(start, before, at + 1);
    }
    let covers = after.iter().take(before.len().max(1)).take_while(|byte| !matches!(byte, b'\n' | b'\r')).count();
    if before.is_empty() || matches!(after.first(), None | Some(b'\n' | b'\r')) || covers * 4 < before.len() {
        return None;
    }
    gone(start, before, at + 1)
}

fn taken_back(bytes: &[u8], at: usize, length: usize) -> Option<Hit> {
    let (start, before) = line_before(bytes, at);
    let taken = before.len().min(length);
    if length < BACKSPACES_MIN || taken == 0 {
        return None;
    }
    // The run may take back more than the words alone: sentences count from their own beginning.
    let kept = before.len() - taken;
    gone(start + kept, before.get(kept..)?, at + length)
}

/// Letters each of which is taken back before the next is written; bold and underlined letters are written again.
fn each_taken_back(bytes: &[u8], at: usize) -> Option<Hit> {
    let start = at.checked_sub(1)?;
    let rest = bytes.get(start..)?;
    let rest = rest.get(..rest.len().min(TEXT_BYTES_MAX))?;
    let pairs = rest.chunks_exact(2).take_while(|pair| matches!(pair, [other, BACKSPACE] if *other != BACKSPACE));
    let words: Vec<u8> = pairs.filter_map(|pair| pair.first().copied()).collect();
    let end = start + words.len() * 2;
    if words.len() < BACKSPACES_MIN * 2 {
        return None;
    }
    gone(start, &words, end)
}

fn escape(bytes: &[u8], at: usize, passed: &mut usize) -> Option<Hit> {
    let rest = bytes.get(at..)?;
    match rest.get(1)? {
        b'[' => {
            let (length, parameters, last) = sequence(rest)?;
            match last {
                b'm' => concealed(bytes, at, length, parameters, passed),
                b'K' if matches!(parameters, b"1" | b"2") => {
                    let (start, before) = line_before(bytes, at);
                    gone(start, before, at + length)
                }
                b'A' | b'F' | b'M' | b'T' => line_above(bytes, at, length),
                b'i' if matches!(parameters, b"5" | b"?5") => behind(bytes, at, length),
                b'G' if number(parameters) >= FAR_COLUMNS => behind(bytes, at, length),
                b'G' | b'D' => {
                    let (start, before) = line_before(bytes, at);
                    let goes_far = last == b'G' || number(parameters) >= BACKSPACES_MIN;
                    let next = rest.get(length).is_some_and(|byte| !matches!(byte, b'\n' | b'\r'));
                    if goes_far && next { gone(start, before, at + length) } else { None }
                }
                b'J' if matches!(parameters, b"1" | b"2" | b"3") => {
                    let (start, before) = screen_before(bytes, at);
                    gone(start, before, at + length)
                }
                // From the corner on, all of the screen is erased.
                b'J' if matches!(parameters, b"" | b"0") && is_at_corner(bytes, at) => {
                    let (start, before) = screen_before(bytes, at);
                    gone(start, before, at + length)
                }
                b'h' if matches!(parameters, b"?1049" | b"?1047" | b"?47") => {
                    let behind = rest.get(length..rest.len().min(length + TEXT_BYTES_MAX))?;
                    let words = behind.get(..memmem::find(behind, b"\x1B[?").unwrap_or(behind.len()))?;
                    gone(at, words, at + length + words.len())
                }
                b'P' | b'X' | b'u' => {
                    let (start, before) = line_before(bytes, at);
                    gone(start, before, at + length)
                }
                b'r' | b't' | b's' | b'h' | b'l' if is_odd_mode(parameters, last) => behind(bytes, at, length),
                b'S' | b'L' | b'b' if number(parameters) >= FAR_LINES => {
                    let (start, before) = screen_before(bytes, at);
                    gone(start, before, at + length).or_else(|| behind(bytes, at, length))
                }
                b'J' if parameters == b"?2" => {
                    let (start, before) = screen_before(bytes, at);
                    gone(start, before, at + length)
                }
                b'H' | b'f' | b'C' | b'`' | b'd' | b'a' | b'e'
                    if parameters.split(|byte| *byte == b';').any(|part| number(part) >= 300) =>
                {
                    let behind = rest.get(length..rest.len().min(length + TEXT_BYTES_MAX))?;
                    let words = behind.split(|byte| matches!(byte, b'\n' | &ESCAPE)).next()?;
                    gone(at, words, at + length + words.len())
                }
                _ => None,
            }
        }
        b']' => operating_system(bytes, at),
        b'M' => line_above(bytes, at, 2),
        b'#' | b'Y' | b'(' if rest.get(2).is_some_and(|byte| !matches!(byte, b'B' | b'8')) => {
            behind(bytes, at, if rest.get(1) == Some(&b'Y') { 4 } else { 3 })
        }
        b'8' | b'c' => {
            let (start, before) = screen_before(bytes, at);
            gone(start, before, at + 2)
        }
        b'P' | b'X' | b'^' | b'_' | b'k' => {
            // One that is not ended swallows all that follows.
            let text = control_string(bytes, at).unwrap_or_else(|| at + 2..bytes.len().min(at + TEXT_BYTES_MAX));
            let words = bytes.get(text.clone())?;
            (talk(words) >= Talk::Prose).then_some(Hit {
                rule: rule::SWALLOWED,
                range: at..text.end,
                strength: Addressed,
            })
        }
        _ => None,
    }
}

/// Modes and margins that no program sets which prints text for somebody to read: a screen or a line of one character, reversed
/// screens, graphics, insertion.
fn is_odd_mode(parameters: &[u8], last: u8) -> bool {
    match last {
        // Modes that are not of the terminal's own are those of ages ago.
        b'h' | b'l' => {
            !parameters.starts_with(b"?") || matches!(parameters, b"?3" | b"?5" | b"?7" | b"?38" | b"?69" | b"?2")
        }
        b's' => parameters.contains(&b';'),
        b'r' | b't' => {
            parameters.contains(&b';') && parameters.split(|byte| *byte == b';').all(|part| number(part) <= 8)
        }
        _ => false,
    }
}

/// Whether what stands before `at` puts the cursor into the first corner of the screen.
fn is_at_corner(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(6)..at).unwrap_or_default();
    [&b"\x1B[H"[..], b"\x1B[1;1H", b"\x1B[;H", b"\x1B[0;0H", b"\x1B[f"].iter().any(|home| before.ends_with(home))
}

/// The words behind a sequence on its line, if a terminal was told to show them otherwise than words are shown.
fn behind(bytes: &[u8], at: usize, length: usize) -> Option<Hit> {
    let rest = bytes.get(at + length..)?;
    let line = rest.get(..rest.len().min(TEXT_BYTES_MAX))?.split(|byte| *byte == b'\n').next()?;
    let words = without_sequences(line);
    let strength = match talk(&words) {
        Talk::Directive => Addressed,
        Talk::Prose | Talk::Sentence => Mentioned,
        _ => return None,
    };
    Some(Hit { rule: rule::CONCEALED, range: at..at + length + line.len(), strength })
}

fn number(parameters: &[u8]) -> usize {
    std::str::from_utf8(parameters).ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Going up to a line that was written, and writing or erasing there.
fn line_above(bytes: &[u8], at: usize, length: usize) -> Option<Hit> {
    let end = memrchr(b'\n', bytes.get(at.saturating_sub(TEXT_BYTES_MAX)..at)?)? + at.saturating_sub(TEXT_BYTES_MAX);
    let (start, above) = line_before(bytes, end);
    gone(start, above, at + length)
}

/// Text that is concealed, or of the colour of its ground, up to the next sequence that changes this.
fn concealed(bytes: &[u8], at: usize, length: usize, parameters: &[u8], passed: &mut usize) -> Option<Hit> {
    let (mut length, mut all) = (length, parameters.to_vec());
    // Renditions that follow each other add up.
    for _ in 0..RENDITIONS_MAX {
        match bytes.get(at + length..).and_then(sequence) {
            Some((more, parameters, b'm')) => {
                all.push(b';');
                all.extend_from_slice(parameters);
                length += more;
            }
            _ => break,
        }
    }
    if !hides(&all) {
        return None;
    }
    let rest = bytes.get(at + length..)?;
    let rest = rest.get(..rest.len().min(TEXT_BYTES_MAX))?;
    let end = memmem::find_iter(rest, b"\x1B[").find(|next| {
        let changed = rest.get(*next..).and_then(sequence);
        changed.is_some_and(|(_, parameters, last)| last == b'm' && !hides(parameters))
    });
    let words = rest.get(..end.unwrap_or(rest.len()))?;
    let range = at..at + length + words.len();
    // What is concealed twice was read once.
    *passed = range.end;
    match talk(&without_sequences(words)).max(unveiled(words)) {
        Talk::Silent => None,
        Talk::Mark if !words.contains(&b' ') => Some(Hit { rule: rule::CONCEALED, range, strength: Mentioned }),
        Talk::Mark | Talk::Prose | Talk::Sentence | Talk::Directive => {
            Some(Hit { rule: rule::CONCEALED, range, strength: Addressed })
        }
    }
}

/// The text of a control string, up to its end.
fn control_string(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let from = at + 2;
    let rest = bytes.get(from..)?;
    let rest = rest.get(..rest.len().min(TEXT_BYTES_MAX))?;
    let end = rest.iter().position(|byte| matches!(*byte, 0x07 | ESCAPE))?;
    Some(from..from + end)
}

/// Titles, links and the clipboard.
fn operating_system(bytes: &[u8], at: usize) -> Option<Hit> {
    let text = control_string(bytes, at)?;
    let inner = bytes.get(text.clone())?;
    let hit = |range, strength| Some(Hit { rule: rule::SWALLOWED, range, strength });
    if let Some(link) = inner.strip_prefix(b"8;") {
        let parameters = link.split(|byte| *byte == b';').next()?;
        let name = parameters.iter().position(|byte| *byte == b'=').and_then(|sign| parameters.get(sign + 1..));
        if name.is_some_and(|name| talk(name) >= Talk::Prose) {
            return hit(at..text.end, Addressed);
        }
        let address = link.iter().position(|byte| *byte == b';').and_then(|at| link.get(at + 1..))?;
        let host = host_of(address)?;
        let rest = bytes.get(text.end..)?;
        let shown = rest.get(..rest.len().min(TEXT_BYTES_MAX))?;
        let shown = shown.get(..memmem::find(shown, b"\x1B]8;")?)?;
        let other = host_of(shown)?;
        return if other == host { None } else { hit(at..text.end, Addressed) };
    }
    if inner.starts_with(b"52;") && inner.len() > 8 {
        return hit(at..text.end, Addressed);
    }
    // Whoever sets the colours of the whole screen may set them to the same.
    if [&b"10;"[..], b"11;", b"4;"].iter().any(|colour| inner.starts_with(colour)) {
        return behind(bytes, at, text.end - at + 1);
    }
    let title = inner.iter().position(|byte| *byte == b';').and_then(|at| inner.get(at + 1..))?;
    let is_title = matches!(inner.first(), Some(b'0' | b'1' | b'2')) && inner.get(1) == Some(&b';');
    let value = title.iter().rposition(|byte| matches!(byte, b'=' | b';')).and_then(|at| title.get(at + 1..));
    match talk(title).max(value.map_or(Talk::Silent, talk)) {
        Talk::Sentence | Talk::Directive => hit(at..text.end, Addressed),
        Talk::Prose if !is_title => hit(at..text.end, Mentioned),
        _ => None,
    }
}

fn host_of(text: &[u8]) -> Option<Vec<u8>> {
    let at = memmem::find(text, b"://")? + 3;
    let host = text.get(at..)?.split(|byte| matches!(*byte, b'/' | b'?' | b'#' | b':' | b' ' | ESCAPE)).next()?;
    Some(host.to_ascii_lowercase())
}
