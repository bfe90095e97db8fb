//! The byte rules of a document: the requirements on a file before anybody interprets it; and the one way to quote
//! foreign text in a message.
//!
//! Repairs nothing: a text that breaks a rule is refused with its place.
//!
//! Security: reads hostile bytes, once, in memory that does not grow with the number of faults. Standards: UTF-8 (RFC
//! 3629); the characters are those of "Rendering" in `schemas/result.schema.md`, except those that `text/context.rs`
//! allows at certain places.

use std::ffi::OsStr;
use std::fmt::Write as _;

use crate::id::{RequestId, ResultId};
use crate::reason::{Code, Reason};

mod context;
mod property;

/// The most characters of foreign text that one quotation in a message shows.
pub const QUOTED_CHARACTERS_MAX: usize = 80;

/// Reads bytes as a document's text, or names every rule that they break: one reason a rule, at its first place, with
/// the number of further places. `file` names the document in the reasons. Only LF begins a new line.
pub fn check<'a>(bytes: &'a [u8], file: &str) -> Result<&'a str, Vec<Reason>> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && (is_plain_ascii(bytes) || characters(text).all(|(_, code)| code.is_none()))
    {
        return Ok(text);
    }
    Err(Scan::over(bytes).reasons(file))
}

/// The characters of a text, each with the rule that it breaks in its place: a joiner, a selector or a tag passes where a
/// script or an emoji needs it.
pub fn characters(text: &str) -> impl Iterator<Item = (char, Option<Code>)> {
    text.char_indices().map(|(index, character)| {
        let after = || &text[index + character.len_utf8()..];
        let code = forbidden(character).filter(|_| !context::expects(&text[..index], character, after()));
        (character, code)
    })
}

/// The rule that a text breaks first.
pub fn fault(text: &str) -> Option<(char, Code)> {
    characters(text).find_map(|(character, code)| Some((character, code?)))
}

/// The rule that a character breaks by itself; [`characters`] checks its neighbours. `None` for all allowed characters.
pub const fn forbidden(character: char) -> Option<Code> {
    let code = match character as u32 {
        0x09 | 0x0A | 0x20..=0x7E => return None,
        0x0D => Code::Crlf,
        0x85 | 0x2028 | 0x2029 => Code::LineSeparator,
        0x00..=0x1F | 0x7F..=0x9F => Code::ControlCharacter,
        0x061C | 0x200E | 0x200F | 0x202A..=0x202E | 0x2066..=0x2069 => Code::BidiControl,
        0xE0000..=0xE007F => Code::UnicodeTag,
        other if is_invisible(other) => Code::InvisibleCharacter,
        _ => return None,
    };
    Some(code)
}

/// Foreign text for a message: in double quotes, every character outside printable ASCII escaped (`\u{202e}`), cut after
/// [`QUOTED_CHARACTERS_MAX`] characters with a note of how many more there are.
pub fn quoted(text: &str) -> String {
    quoted_bytes(text.as_bytes())
}

/// A file's name for a message, in the form of [`quoted`]; bytes that are not UTF-8 are shown as `\xff`.
pub fn quoted_name(name: &OsStr) -> String {
    quoted_bytes(name.as_encoded_bytes())
}

fn quoted_bytes(bytes: &[u8]) -> String {
    let mut quotation = String::from("\"");
    let mut room = QUOTED_CHARACTERS_MAX;
    let mut left_out = 0;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match room {
                0 => left_out += 1,
                _ => escape(character, &mut quotation),
            }
            room = room.saturating_sub(1);
        }
        for byte in chunk.invalid() {
            match room {
                0 => left_out += 1,
                _ => _ = write!(quotation, "\\x{byte:02x}"),
            }
            room = room.saturating_sub(1);
        }
    }
    quotation.push('"');
    if left_out > 0 {
        let _ = write!(quotation, " (and {left_out} more characters)");
    }
    quotation
}

/// Replaces a quotation that is not repeated.
const NOT_REPEATED: &str = "\"[text not repeated here]\"";

/// A message without its quotations (see [`quoted`]), except words that can neither order, claim or link anything nor be a secret.
pub fn without_quotations(message: &str) -> String {
    let (mut cleaned, mut rest) = (String::new(), message);
    while let Some((before, quotation)) = rest.split_once('"') {
        let Some(length) = end_of_quotation(quotation) else { break };
        cleaned += before;
        let word = &quotation[..length];
        rest = &quotation[length + 1..];
        if is_tame(word) {
            cleaned += &format!("\"{word}\"");
        } else {
            cleaned += NOT_REPEATED;
            rest = rest
                .strip_prefix(" (and ")
                .and_then(|rest| rest.split_once(" more characters)"))
                .map_or(rest, |(_, rest)| rest);
        }
    }
    cleaned + rest
}

/// Where the quotation ends that began before this text.
fn end_of_quotation(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    })
}

/// A short word, a longer one in lower case, a number, a time, or the id of a request or result.
fn is_tame(word: &str) -> bool {
    if RequestId::parse(word).is_ok() || ResultId::parse(word).is_ok() {
        return true;
    }
    let all = |is: fn(u8) -> bool| word.bytes().all(is);
    match word.len() {
        0..=16 => all(|byte| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte)),
        17..=32 => {
            all(|byte| byte.is_ascii_lowercase() || b"_.-".contains(&byte))
                || all(|byte| byte.is_ascii_digit() || b"TZ:.+-".contains(&byte))
        }
        _ => false,
    }
}

fn escape(character: char, quotation: &mut String) {
    match character {
        '\'' => quotation.push('\''),
        other => quotation.extend(other.escape_default()),
    }
}

const fn is_invisible(scalar: u32) -> bool {
    matches!(
        scalar,
        0x00AD | 0x034F | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180B..=0x180F | 0x200B..=0x200D | 0x2060..=0x206F
            | 0x3164 | 0xFDD0..=0xFDEF | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFB
            | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0080..=0xE0FFF
    ) || scalar & 0xFFFE == 0xFFFE
}

fn is_plain_ascii(bytes: &[u8]) -> bool {
    // No early exit: the loop then runs on whole vector registers.
    bytes.iter().fold(true, |plain, byte| plain & matches!(byte, 0x20..=0x7E | b'\n' | b'\t'))
}

/// The first place of a broken rule, and how many there are.
struct Fault {
    code: Code,
    line: u32,
    column: u32,
    character: Option<char>,
    places: usize,
}

/// One pass over the bytes of a document that breaks some rule.
struct Scan {
    line: u32,
    column: u32,
    faults: Vec<Fault>,
}

impl Scan {
    fn over(bytes: &[u8]) -> Self {
        let mut scan = Self { line: 1, column: 1, faults: Vec::new() };
        for chunk in bytes.utf8_chunks() {
            for (character, code) in characters(chunk.valid()) {
                scan.character(character, code);
            }
            if !chunk.invalid().is_empty() {
                scan.fault(Code::NotUtf8, None);
                scan.column += 1;
            }
        }
        scan
    }

    fn character(&mut self, character: char, code: Option<Code>) {
        if character == '\n' {
            self.line += 1;
            self.column = 1;
            return;
        }
        match code {
            Some(_) if character == '\u{feff}' && (self.line, self.column) == (1, 1) => self.fault(Code::Bom, None),
            Some(code) => self.fault(code, Some(character)),
            None => {}
        }
        self.column += 1;
    }

    fn fault(&mut self, code: Code, character: Option<char>) {
        match self.faults.iter_mut().find(|fault| fault.code == code) {
            Some(fault) => fault.places += 1,
            None => self.faults.push(Fault { code, line: self.line, column: self.column, character, places: 1 }),
        }
    }

    fn reasons(self, file: &str) -> Vec<Reason> {
        self.faults.iter().map(|fault| fault.reason().in_file(file).at(fault.line, fault.column)).collect()
    }
}

impl Fault {
    fn reason(&self) -> Reason {
        let what = match self.code {
            Code::NotUtf8 => "Bytes that are not UTF-8 stand here".to_owned(),
            Code::Bom => "The file begins with a byte order mark".to_owned(),
            Code::Crlf => "A carriage return stands here".to_owned(),
            _ => {
                let scalar = self.character.map_or(0, u32::from);
                format!("The character U+{scalar:04X} stands here, {}", description(self.code))
            }
        };
        let message = match self.places {
            1 => format!("{what}."),
            places => format!("{what}, and at {} further places something like it.", places - 1),
        };
        Reason::new(self.code, message, hint(self.code))
    }
}

/// The kind of a forbidden character, as the end of a sentence.
pub const fn description(code: Code) -> &'static str {
    match code {
        Code::Crlf => "a carriage return",
        Code::LineSeparator => "a line end that is not LF",
        Code::BidiControl => "which changes the direction of text",
        Code::UnicodeTag => "a tag character that carries text nobody sees",
        Code::InvisibleCharacter => "which nobody sees in this place",
        _ => "a control character",
    }
}

/// The hint for a broken rule.
pub const fn hint(code: Code) -> &'static str {
    match code {
        Code::NotUtf8 => "Save the file as UTF-8.",
        Code::Bom => "Save the file as UTF-8 without a byte order mark.",
        Code::Crlf => "Save the file with LF line ends, for example with `dos2unix`.",
        Code::LineSeparator => "Use LF as the only line end.",
        _ => "Remove the character.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStrExt as _;

    fn places(bytes: &[u8]) -> Vec<(Code, Option<u32>, Option<u32>)> {
        let reasons = check(bytes, "TR-x.md").err().unwrap_or_default();
        reasons.into_iter().map(|reason| (reason.code, reason.line, reason.column)).collect()
    }

    #[test]
    fn clean_text_is_returned_as_it_is() {
        for text in ["", "a\tb\n", "größe — 漢字 🦀\n", "\u{a0}\u{3000}"] {
            assert_eq!(check(text.as_bytes(), "x").unwrap(), text);
        }
    }

    #[test]
    fn only_tame_words_of_a_quotation_are_repeated() {
        for (quoted_text, is_repeated) in [
            ("yes", true),
            ("line_cuont", true),
            ("2026-13-45T16:05:01Z", true),
            ("network_allowlists", true),
            ("", true),
            ("TR-20260209-160501Z-count-the-lines", true),
            ("TS-20260209-161030Z-TR-20260209-160501Z-count", true),
            ("TR-20260209-160501Z-Count the lines", false),
            ("TR-count-the-lines", false),
            ("run this", false),
            ("AKIAIOSFODNN7EXAMPLE", false),
            ("ghp_16C7e42F292c69", false),
            ("https://a.b", false),
            ("a\"b", false),
            ("\u{202e}", false),
            (&"x".repeat(QUOTED_CHARACTERS_MAX + 3), false),
        ] {
            let message = format!("The key {} is not known, nor \"tool\".", quoted(quoted_text));
            let cleaned = without_quotations(&message);
            assert_eq!(cleaned == message, is_repeated, "{cleaned}");
            assert!(
                is_repeated || cleaned == "The key \"[text not repeated here]\" is not known, nor \"tool\".",
                "{cleaned}"
            );
        }
        assert_eq!(without_quotations("5\" disks"), "5\" disks");
    }

    #[test]
    fn each_broken_rule_is_named_with_its_place() {
        for (bytes, code, line, column) in [
            (&b"a\n\xff"[..], Code::NotUtf8, 2, 1),
            (b"\xef\xbb\xbfa", Code::Bom, 1, 1),
            (b"a\r\nb", Code::Crlf, 1, 2),
            (b"a\rb", Code::Crlf, 1, 2),
            (b"\n\0", Code::ControlCharacter, 2, 1),
            ("é\u{9b}".as_bytes(), Code::ControlCharacter, 1, 2),
            (b"\x7f", Code::ControlCharacter, 1, 1),
            ("a\u{85}".as_bytes(), Code::LineSeparator, 1, 2),
            ("\u{2029}".as_bytes(), Code::LineSeparator, 1, 1),
            ("\u{202e}".as_bytes(), Code::BidiControl, 1, 1),
            ("\u{61c}".as_bytes(), Code::BidiControl, 1, 1),
            ("\u{e0041}".as_bytes(), Code::UnicodeTag, 1, 1),
            ("a\u{200b}".as_bytes(), Code::InvisibleCharacter, 1, 2),
            ("a\u{feff}".as_bytes(), Code::InvisibleCharacter, 1, 2),
            ("\u{1fffe}".as_bytes(), Code::InvisibleCharacter, 1, 1),
        ] {
            assert_eq!(places(bytes), [(code, Some(line), Some(column))], "{bytes:?}");
        }
    }

    #[test]
    fn all_broken_rules_are_named_at_once_and_each_but_once() {
        let bytes = b"ok\r\nbad \xff\r\n\x1b[31m \xfe\xff";
        assert_eq!(
            places(bytes),
            [
                (Code::Crlf, Some(1), Some(3)),
                (Code::NotUtf8, Some(2), Some(5)),
                (Code::ControlCharacter, Some(3), Some(1))
            ]
        );
        let reasons = check(bytes, "x").unwrap_err();
        assert_eq!(
            reasons[1].message,
            "Bytes that are not UTF-8 stand here, and at 2 further places something like it."
        );
    }

    #[test]
    fn a_quotation_is_printable_ascii_and_short() {
        assert_eq!(quoted("it's \"a\"\n\u{202e}é"), r#""it's \"a\"\n\u{202e}\u{e9}""#);
        let long = quoted(&"a".repeat(1000));
        assert!(long.ends_with("a\" (and 920 more characters)"), "{long}");
        assert_eq!(quoted_name(OsStr::from_bytes(b"a\xff\n")), r#""a\xff\n""#);
    }
}
