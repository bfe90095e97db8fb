//! Text without the character references of HTML and XML: `&#43;`, `&#x2B;`, `&plus;` and `+` are one character.
//!
//! Libraries differ in the characters that they write this way, and some write all; so gatepost decodes the references.
//! Standards: HTML sections 13.1.4 and 13.5, XML 1.0 section 4.1. Of the names of HTML those of ASCII's punctuation are known.

use std::ops::Range;

/// The most digits of a number, including leading zeros. Longer ones are no character.
const DIGITS_MAX: usize = 7;

/// The most bytes that one reference has: `&#x`, digits and `;`.
pub(super) const REFERENCE_BYTES_MAX: usize = 3 + DIGITS_MAX + 1;

const NAMES: [(&[u8], char); 41] = [
    (b"Hat", '^'),
    (b"NewLine", '\n'),
    (b"Tab", '\t'),
    (b"UnderBar", '_'),
    (b"amp", '&'),
    (b"apos", '\''),
    (b"ast", '*'),
    (b"bsol", '\\'),
    (b"colon", ':'),
    (b"comma", ','),
    (b"commat", '@'),
    (b"dollar", '$'),
    (b"equals", '='),
    (b"excl", '!'),
    (b"grave", '`'),
    (b"gt", '>'),
    (b"GT", '>'),
    (b"lbrace", '{'),
    (b"lbrack", '['),
    (b"lcub", '{'),
    (b"lowbar", '_'),
    (b"lpar", '('),
    (b"lsqb", '['),
    (b"lt", '<'),
    (b"LT", '<'),
    (b"midast", '*'),
    (b"num", '#'),
    (b"percnt", '%'),
    (b"period", '.'),
    (b"plus", '+'),
    (b"quest", '?'),
    (b"quot", '"'),
    (b"QUOT", '"'),
    (b"rbrace", '}'),
    (b"rbrack", ']'),
    (b"rcub", '}'),
    (b"rpar", ')'),
    (b"rsqb", ']'),
    (b"semi", ';'),
    (b"sol", '/'),
    (b"vert", '|'),
];

/// The bytes from a place on with every reference decoded; `None` without one.
pub(super) fn read(bytes: &[u8], from: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut has_one = false;
    walk(bytes, from, |range, character| match character {
        Some(character) => {
            has_one = true;
            text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        None => text.extend_from_slice(&bytes[range]),
    });
    has_one.then_some(text)
}

/// The origins of the bytes of the decoded text. Its memory grows only with the references.
pub(super) struct Origins<'a> {
    bytes: &'a [u8],
    from: usize,
    /// The place of each reference: in the text, and in the bytes.
    references: Vec<(usize, usize)>,
}

impl<'a> Origins<'a> {
    /// Finds the references from a place on.
    pub(super) fn of(bytes: &'a [u8], from: usize) -> Self {
        let (mut references, mut length) = (Vec::new(), 0);
        walk(bytes, from, |range, character| match character {
            Some(character) => {
                references.push((length, range.start));
                length += character.len_utf8();
            }
            None => length += range.len(),
        });
        Self { bytes, from, references }
    }

    /// The origin of the byte of the text at a place.
    pub(super) fn place(&self, at: usize) -> Range<usize> {
        let before = self.references.partition_point(|(in_text, _)| *in_text <= at);
        let last = before.checked_sub(1).and_then(|last| self.references.get(last));
        let (mut in_text, mut start) = (0, self.from);
        if let Some((reference_at, written)) = last
            && let Some((character, length)) = reference(&self.bytes[*written..])
        {
            (in_text, start) = (reference_at + character.len_utf8(), written + length);
            if at < in_text {
                return *written..start;
            }
        }
        let start = start + at - in_text;
        start..start + 1
    }
}

/// The last place up to `end` outside of a possible reference.
pub(super) fn outside(bytes: &[u8], end: usize) -> usize {
    let start = end.saturating_sub(REFERENCE_BYTES_MAX - 1);
    memchr::memrchr(b'&', &bytes[start..end]).map_or(end, |at| start + at)
}

/// Visits each reference with its character, and the text between them.
fn walk(bytes: &[u8], from: usize, mut show: impl FnMut(Range<usize>, Option<char>)) {
    let mut shown = from;
    for at in memchr::memchr_iter(b'&', &bytes[from..]).map(|at| from + at) {
        if let Some((character, length)) = reference(&bytes[at..]) {
            show(shown..at, None);
            show(at..at + length, Some(character));
            shown = at + length;
        }
    }
    show(shown..bytes.len(), None);
}

/// The character of a reference at the beginning of these bytes, and its length. A number may lack the `;`.
fn reference(bytes: &[u8]) -> Option<(char, usize)> {
    let (radix, start) = match bytes {
        [b'&', b'#', b'x' | b'X', ..] => (16, 3),
        [b'&', b'#', ..] => (10, 2),
        _ => return named(bytes),
    };
    let rest = bytes[start..].iter();
    let digits = rest.take_while(|byte| char::from(**byte).is_digit(radix)).take(DIGITS_MAX + 1).count();
    let end = start + digits;
    let number = str::from_utf8(&bytes[start..end]).ok().filter(|_| digits <= DIGITS_MAX)?;
    let character = u32::from_str_radix(number, radix).ok().and_then(char::from_u32)?;
    Some((character, end + usize::from(bytes.get(end) == Some(&b';'))))
}

fn named(bytes: &[u8]) -> Option<(char, usize)> {
    let end = memchr::memchr(b';', bytes.get(..REFERENCE_BYTES_MAX).unwrap_or(bytes))?;
    let (_, character) = NAMES.iter().find(|(name, _)| bytes.get(1..end) == Some(*name))?;
    Some((*character, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &str) -> Option<String> {
        read(bytes.as_bytes(), 0).map(|text| String::from_utf8(text).unwrap())
    }

    #[test]
    fn a_reference_is_its_character() {
        for (written, expected) in [
            ("a&#43;b", "a+b"),
            ("&#x2F;&#X2f;&#0047;", "///"),
            ("&#34x&#x3D", "\"x="),
            ("&plus;&sol;&lt;&QUOT;&NewLine;", "+/<\"\n"),
            ("&#233;&#x1F600;", "é😀"),
            ("&amp;#43;", "&#43;"),
            ("&&#43;", "&+"),
        ] {
            assert_eq!(text(written).as_deref(), Some(expected), "{written}");
        }
        for written in ["", "a & b", "&plus", "&nosuch;", "&#;", "&#x;", "&#xD800;", "&#00000043;", "&#9999999;"] {
            assert_eq!(text(written), None, "{written}");
        }
    }

    #[test]
    fn every_byte_that_was_read_has_a_place() {
        let written = b"xa&#233;b";
        assert_eq!(read(written, 1).unwrap(), "aéb".as_bytes());
        let origins = Origins::of(written, 1);
        assert_eq!([0, 1, 2, 3].map(|at| origins.place(at)), [1..2, 2..8, 2..8, 8..9]);
        assert_eq!(origins.references.len(), 1, "what is no reference takes no memory");
    }

    #[test]
    fn no_reference_is_cut_in_two() {
        let written = b"abcdefghijklm&#233;b";
        for (end, expected) in [(13, 13), (14, 13), (17, 13), (19, 13), (12, 12), (0, 0)] {
            assert_eq!(outside(written, end), expected, "{end}");
        }
    }
}
