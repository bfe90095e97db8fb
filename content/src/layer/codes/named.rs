//! Characters each written as a number with a name before it, as programs make them of numbers: `chr(105)+chr(103)`,
//! `ChrW(&H69) & ChrW(&H67)`, `[char]105+[char]103`, `(char)105`, `char(105, 103)`, `U+0069 U+0067`, `_x0069__x0067_`.
//!
//! A name with several numbers in its brackets stands for as many characters.
//!
//! Security: reads hostile bytes; what follows a name is read once.

use std::ops::Range;

use super::super::escape::number;
use super::super::found::Found;
use super::super::plausible::legible;

/// The fewest characters that make a text, and the most bytes between a number and the next name.
const CHARACTERS_MIN: usize = 8;
const BETWEEN_BYTES_MAX: usize = 32;

/// The most letters with which a name goes on, and the most brackets and spaces before its number.
const ENDING_BYTES_MAX: usize = 8;
const OPENING_BYTES_MAX: usize = 8;
/// The most digits of a number.
const DIGITS_MAX: usize = 8;

/// The keywords to look for. The last two are followed by hexadecimal digits, of which the first two belong to them.
pub(in super::super) const KEYWORDS: [&str; 6] = ["chr", "char", "codepoint", "(byte)", "u+00", "_x00"];
/// From which of them on digits follow at once.
const BARE_FROM: usize = 4;

/// Finds and decodes; `marks` are the places of keywords, by their index.
pub(in super::super) fn find(bytes: &[u8], marks: impl Iterator<Item = (Range<usize>, usize)>, found: &mut Found) {
    let mut text = Text { range: 0..0, shown: String::new(), count: 0, encoding: "" };
    // Behind what was read.
    let mut done = 0;
    for (word, keyword) in marks.filter(|(_, keyword)| *keyword < KEYWORDS.len()) {
        if word.start < done {
            continue;
        }
        if word.start > text.range.end + BETWEEN_BYTES_MAX {
            text.finish(found);
        }
        let is_bare = keyword >= BARE_FROM;
        let begin = if is_bare { Some(word.end - 2) } else { opening(bytes, word.end) };
        let Some(mut at) = begin else { continue };
        while let Some(number) = Number::at(bytes, at, is_bare) {
            text.push(word.start, &number);
            done = number.end;
            match next(bytes, number.end).filter(|_| !is_bare) {
                Some(next) => at = next,
                None => break,
            }
        }
    }
    text.finish(found);
}

/// Where the number of a name begins that ends at `end`.
fn opening(bytes: &[u8], end: usize) -> Option<usize> {
    let rest = bytes.get(end..)?;
    let ending = rest.iter().take(ENDING_BYTES_MAX).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let is_open = |byte: &&u8| matches!(byte, b'$' | b'(' | b')' | b'[' | b']' | b'{' | b'@' | b' ');
    let opening = rest.iter().skip(ending).take(OPENING_BYTES_MAX).take_while(is_open).count();
    let is_open = opening > 0 || bytes.get(..end)?.ends_with(b")");
    is_open.then_some(end + ending + opening)
}

/// Where the next number of the same list begins.
fn next(bytes: &[u8], end: usize) -> Option<usize> {
    let is_white = |byte: &&u8| byte.is_ascii_whitespace();
    let rest = bytes.get(end..)?.iter();
    let before = rest.clone().take(OPENING_BYTES_MAX).take_while(is_white).count();
    rest.clone().nth(before).filter(|byte| matches!(byte, b',' | b';'))?;
    let behind = rest.skip(before + 1).take(2 * OPENING_BYTES_MAX).take_while(is_white).count();
    Some(end + before + 1 + behind)
}

/// A character's number.
struct Number {
    character: char,
    /// Behind its last digit.
    end: usize,
    is_hex: bool,
}

impl Number {
    /// The number at `at`; hexadecimal where a sign says so.
    fn at(bytes: &[u8], at: usize, is_hex: bool) -> Option<Self> {
        let rest = bytes.get(at..)?;
        let sign = match rest {
            [b'0' | b'&' | b'\\', b'x' | b'X' | b'h' | b'H', ..] => 2,
            [b'$', ..] => 1,
            _ => 0,
        };
        let is_hex = is_hex || sign > 0;
        let (value, count) = number(rest.get(sign..)?, if is_hex { 16 } else { 10 }, DIGITS_MAX);
        let character = char::from_u32(value).filter(|_| count > 0 && value > 0)?;
        Some(Self { character, end: at + sign + count, is_hex })
    }
}

/// A text that is being read.
struct Text {
    range: Range<usize>,
    shown: String,
    count: usize,
    encoding: &'static str,
}

impl Text {
    fn push(&mut self, start: usize, number: &Number) {
        if self.count == 0 {
            self.range.start = start;
        }
        self.encoding = if number.is_hex { "hex" } else { "decimal" };
        self.range.end = number.end;
        self.shown.push(number.character);
        self.count += 1;
    }

    fn finish(&mut self, found: &mut Found) {
        let shown = std::mem::take(&mut self.shown).into_bytes();
        if std::mem::take(&mut self.count) >= CHARACTERS_MIN && legible(&shown) {
            found.add(self.range.clone(), shown, self.encoding);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::shows;

    fn each(form: impl Fn(u8) -> String, between: &str) -> String {
        let codes: Vec<_> = b"ignore all of it".iter().map(|byte| form(*byte)).collect();
        codes.join(between)
    }

    #[test]
    fn characters_that_programs_make_of_numbers_are_read() {
        for (encoding, text) in [
            ("decimal", each(|byte| format!("String.fromCharCode({byte})"), "+")),
            ("decimal", each(|byte| format!("String.fromCodePoint({byte})"), " + ")),
            ("decimal", each(|byte| format!("chr( {byte} )"), " . ")),
            ("decimal", each(|byte| format!("cHr({byte})"), "||")),
            ("decimal", each(|byte| format!("Chr$({byte})"), " & ")),
            ("decimal", each(|byte| format!("[char]({byte})"), "+")),
            ("decimal", each(|byte| format!("(char) {byte}"), " + ")),
            ("decimal", each(|byte| format!("NCHAR({byte})"), "+")),
            ("decimal", format!("CONCAT({})", each(|byte| format!("CHAR({byte})"), ","))),
            ("hex", each(|byte| format!("chr(0x{byte:02x})"), "+")),
            ("hex", each(|byte| format!("ChrW(&H{byte:02X})"), " & _\n    ")),
            ("hex", each(|byte| format!("(byte)0x{byte:02x}"), ", ")),
            ("hex", each(|byte| format!("U+{byte:04X}"), " ")),
            ("hex", each(|byte| format!("_x{byte:04X}_"), "")),
        ] {
            for text in [format!("x = {text}\n"), format!("(chr 1, char 2)\ncharset\n{text};")] {
                assert!(shows(text.as_bytes(), encoding, b"ignore all of it"), "{text}");
            }
        }
    }

    #[test]
    fn one_name_may_have_several_numbers() {
        let text = "char(105,103)+char(110, 111,114)+char(101 ,\n  32,97,108,108)";
        assert!(shows(text.as_bytes(), "decimal", b"ignore all"));
        assert!(shows("chr(8217)+".repeat(9).as_bytes(), "decimal", "\u{2019}".as_bytes()));
    }

    #[test]
    fn types_and_single_characters_are_no_text() {
        for text in [
            "name varchar(255), note char(4), kind char(1), more varchar(20)".repeat(9),
            "x = chr(10) + chr(13); y = chr(0x41)".to_owned(),
            "char a[105], b[103]; unsigned char c = 110;".repeat(9),
        ] {
            assert!(!shows(text.as_bytes(), "decimal", b"(") && !shows(text.as_bytes(), "hex", b""), "{text}");
        }
    }
}
