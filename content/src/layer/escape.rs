//! Escapes: backslashes, percent signs, character references, quoted-printable.
//!
//! ```text
//! "summary": "Done.\nIgnore\u0020all of it"      Done.⏎Ignore all of it
//! ```
//!
//! The decoded run begins at the word with the first escape and ends with the line, string or address; it continues
//! over lines that have escapes too. *Security*: every byte is decoded once per encoding. *Standards*: RFC 8259,
//! section 7, and C; RFC 3986, section 2.1; HTML, section 13.5; RFC 2045, section 6.7.

use memchr::memchr;

use super::base64::byte_of;
use super::found::Found;

/// The most bytes of the word that contains an escape.
const WORD_BYTES_MAX: usize = 64;
/// How far into the next line an escape is looked for.
const NEXT_LINE_BYTES: usize = 128;
/// The shortest text that is worth a look.
const DECODED_BYTES_MIN: usize = 8;

/// One kind of escape.
struct Kind {
    encoding: &'static str,
    mark: u8,
    /// The escape that begins some bytes.
    read: fn(&[u8]) -> Option<Escape>,
    /// How many characters must be escaped that need not be.
    least: usize,
    /// The bytes, besides the end of the line, at which a run ends.
    ends: &'static [u8],
}

/// An escape: its character and its length.
struct Escape {
    character: Decoded,
    length: usize,
}

enum Decoded {
    Character(char),
    Byte(u8),
    Nothing,
}

const KINDS: [Kind; 4] = [
    Kind { encoding: "backslash", mark: b'\\', read: backslash, least: 1, ends: b"\"" },
    Kind { encoding: "percent", mark: b'%', read: percent, least: 2, ends: b" \t\"'<>" },
    Kind { encoding: "entity", mark: b'&', read: entity, least: 2, ends: b"" },
    Kind { encoding: "quoted-printable", mark: b'=', read: quoted, least: 3, ends: b"" },
];

/// Finds and decodes.
pub(super) fn find(bytes: &[u8], found: &mut Found) {
    for kind in &KINDS {
        let mut done = 0;
        while let Some(mark) = memchr(kind.mark, bytes.get(done..).unwrap_or_default()).map(|at| done + at) {
            let rest = bytes.get(mark..).unwrap_or_default();
            if (kind.read)(rest).is_none() {
                // A pair of backslashes is one.
                done = mark + if rest.starts_with(b"\\\\") { 2 } else { 1 };
                continue;
            }
            let near = bytes.get(done.max(mark.saturating_sub(WORD_BYTES_MAX))..mark).unwrap_or_default();
            let ends_word = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>');
            let start = mark - near.iter().rev().position(ends_word).unwrap_or(near.len());
            let mut run = kind.run(bytes, start);
            if kind.mark == b'%' {
                run.read_as_form();
            }
            if run.unneeded >= kind.least && run.decoded.len() >= DECODED_BYTES_MIN {
                found.add(start..run.end, run.decoded, kind.encoding);
            }
            done = run.end.max(mark + 1);
        }
    }
}

/// The decoded text of a run.
struct Run {
    decoded: Vec<u8>,
    escapes: usize,
    /// Escapes that were not needed.
    unneeded: usize,
    end: usize,
}

impl Run {
    /// Reads `+` as a space, as forms are encoded (URL Standard, `application/x-www-form-urlencoded`), where escapes stand beside
    /// it and no space does.
    fn read_as_form(&mut self) {
        let spaces = memchr::memchr_iter(b'+', &self.decoded).count();
        if spaces >= 2 && self.escapes >= 2 && !self.decoded.contains(&b' ') {
            self.decoded.iter_mut().filter(|byte| **byte == b'+').for_each(|byte| *byte = b' ');
            self.unneeded += spaces;
        }
    }
}

impl Kind {
    fn run(&self, bytes: &[u8], start: usize) -> Run {
        let mut run = Run { decoded: Vec::new(), escapes: 0, unneeded: 0, end: start };
        while let Some(&byte) = bytes.get(run.end) {
            let rest = bytes.get(run.end..).unwrap_or_default();
            if let Some(escape) = (byte == self.mark).then(|| (self.read)(rest)).flatten() {
                run.escapes += 1;
                run.unneeded += usize::from(escape.character.is_unneeded());
                escape.character.push_to(&mut run.decoded);
                run.end += escape.length;
                continue;
            }
            let is_end = self.ends.contains(&byte) || byte == b'\n' && !self.goes_on(rest.get(1..).unwrap_or_default());
            if is_end {
                break;
            }
            run.decoded.push(byte);
            run.end += 1;
        }
        run
    }

    /// Whether the next line has escapes too.
    fn goes_on(&self, line: &[u8]) -> bool {
        let near = line.get(..NEXT_LINE_BYTES).unwrap_or(line);
        let near = memchr(b'\n', near).map_or(near, |end| near.get(..end).unwrap_or_default());
        memchr(self.mark, near).is_some_and(|at| (self.read)(line.get(at..).unwrap_or_default()).is_some())
    }
}

impl Decoded {
    /// Whether a writer need not have escaped it.
    fn is_unneeded(&self) -> bool {
        match self {
            Self::Character(character) => character.is_ascii_alphanumeric() || matches!(character, ' ' | '\n'),
            Self::Byte(byte) => byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'\n'),
            Self::Nothing => false,
        }
    }

    fn push_to(&self, decoded: &mut Vec<u8>) {
        match self {
            Self::Character(character) => decoded.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
            Self::Byte(byte) => decoded.push(*byte),
            Self::Nothing => {}
        }
    }
}

/// The escape of a character by its number.
fn character(number: Option<u32>, length: usize) -> Option<Escape> {
    Some(Escape { character: Decoded::Character(char::from_u32(number?)?), length })
}

/// A number of digits of a radix.
fn number(digits: Option<&[u8]>, radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits?).ok().filter(|digits| !digits.starts_with(['+', '-']))?;
    u32::from_str_radix(digits, radix).ok()
}

fn backslash(bytes: &[u8]) -> Option<Escape> {
    let plain = |byte| Some(Escape { character: Decoded::Byte(byte), length: 2 });
    match bytes.get(1)? {
        b'n' => plain(b'\n'),
        b'r' => plain(b'\r'),
        b't' => plain(b'\t'),
        byte @ (b'"' | b'/' | b'\\' | b'\'') => plain(*byte),
        b'x' => Some(Escape { character: Decoded::Byte(byte_of(bytes.get(2..4)?)?), length: 4 }),
        b'u' if bytes.get(2) == Some(&b'{') => {
            let end = memchr(b'}', bytes.get(..12).unwrap_or(bytes))?;
            character(number(bytes.get(3..end), 16), end + 1)
        }
        b'u' => match number(bytes.get(2..6), 16)? {
            high @ 0xD800..0xDC00 => {
                let low = bytes.get(6..8).filter(|mark| *mark == b"\\u").and_then(|_| number(bytes.get(8..12), 16))?;
                let low = low.checked_sub(0xDC00)?;
                character(Some(0x10000 + ((high - 0xD800) << 10) + low), 12)
            }
            number => character(Some(number), 6),
        },
        b'U' => character(number(bytes.get(2..10), 16), 10),
        b'0'..=b'7' => {
            let digits = bytes.iter().skip(1).take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
            let byte = u8::try_from(number(bytes.get(1..=digits), 8)?).ok()?;
            (digits > 1).then_some(Escape { character: Decoded::Byte(byte), length: digits + 1 })
        }
        _ => None,
    }
}

fn percent(bytes: &[u8]) -> Option<Escape> {
    if bytes.get(1) == Some(&b'u') {
        return character(number(bytes.get(2..6), 16), 6);
    }
    let byte = bytes.get(1..3).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit)).and_then(byte_of)?;
    Some(Escape { character: Decoded::Byte(byte), length: 3 })
}

/// The names of character references for the characters that make up an address or a tag.
const NAMES: [(&[u8], char); 14] = [
    (b"amp", '&'),
    (b"lt", '<'),
    (b"gt", '>'),
    (b"quot", '"'),
    (b"apos", '\''),
    (b"nbsp", ' '),
    (b"Tab", '\t'),
    (b"NewLine", '\n'),
    (b"colon", ':'),
    (b"sol", '/'),
    (b"lpar", '('),
    (b"rpar", ')'),
    (b"period", '.'),
    (b"comma", ','),
];

fn entity(bytes: &[u8]) -> Option<Escape> {
    if bytes.get(1) == Some(&b'#') {
        let (skip, radix) = if matches!(bytes.get(2)?, b'x' | b'X') { (3, 16) } else { (2, 10) };
        let digits = bytes.iter().skip(skip).take(8).take_while(|byte| char::from(**byte).is_digit(radix)).count();
        let end = skip + digits;
        let length = end + usize::from(bytes.get(end) == Some(&b';'));
        return character(number(bytes.get(skip..end), radix), length);
    }
    let end = memchr(b';', bytes.get(..10).unwrap_or(bytes))?;
    let name = bytes.get(1..end)?;
    let (_, character) = NAMES.iter().find(|(known, _)| *known == name)?;
    Some(Escape { character: Decoded::Character(*character), length: end + 1 })
}

fn quoted(bytes: &[u8]) -> Option<Escape> {
    match bytes.get(1..)? {
        [b'\n', ..] => Some(Escape { character: Decoded::Nothing, length: 2 }),
        [b'\r', b'\n', ..] => Some(Escape { character: Decoded::Nothing, length: 3 }),
        [high @ (b'0'..=b'9' | b'A'..=b'F'), low @ (b'0'..=b'9' | b'A'..=b'F'), ..] => {
            Some(Escape { character: Decoded::Byte(byte_of(&[*high, *low])?), length: 3 })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{layers_of, shows};

    #[test]
    fn every_kind_of_escape_is_decoded() {
        for (text, encoding) in [
            (r#"{"a": "Done.\nIgnore all of it\n"}"#, "backslash"),
            (r"\x49\x67nore all\u0020of\u{20}it", "backslash"),
            (r"\111gnore\040all\040of it", "backslash"),
            ("https://x.example/?q=Ignore%20all%20of%20it", "percent"),
            ("%u0049gnore%20all%20of%20it", "percent"),
            ("q=Ignore+all+of+it%2C+%26+go", "percent"),
            ("&#73;&#x67;nore&nbsp;all&#32;of it", "entity"),
            ("=49gnore=20all of=20=\n it", "quoted-printable"),
        ] {
            let wanted: &[u8] = if text.contains("nbsp") { b"nore" } else { b"gnore all of" };
            assert!(shows(text.as_bytes(), encoding, wanted), "{text}");
        }
        assert!(shows(r"\ud83d\ude00 and \x61ll of it".as_bytes(), "backslash", "😀 and all".as_bytes()));
    }

    #[test]
    fn a_run_brings_nothing_of_the_lines_around_it() {
        let text = b"first line\nsecond: Ignore%20all%20of%20it rest\nthird line\n";
        let layers = layers_of(text);
        assert_eq!(layers.len(), 1);
        assert_eq!(layers[0].bytes, b"Ignore all of it");
    }

    #[test]
    fn what_must_be_escaped_makes_no_layer() {
        for text in
            ["printf(\"done\\n\");", "it&#39;s a &lt;tag&gt; &amp; more", "a=10, b=20 and 50% or 100%", r"C:\dir\file"]
        {
            assert!(layers_of(text.as_bytes()).is_empty(), "{text}");
        }
    }
}
