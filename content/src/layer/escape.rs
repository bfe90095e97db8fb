//! Characters written as escapes: percent, backslash, entity and quoted-printable, in one pass over their neighbourhood.
//!
//! The text around an escape comes out with it, for `mail&#116;o` is a word. Unknown escapes stay as they are.
//!
//! Security: reads hostile bytes; every byte is decoded once.
//! Standards: RFC 3986, section 2.1; RFC 8259, section 7; ECMA-262, section 12.9.4; HTML, section 13.5; RFC 2045, 6.7.

mod backslash;
mod entity;
mod percent;
mod quoted;

use memchr::{memchr, memchr3};

use super::found::Found;

/// How far the text around an escape is taken with it.
const AROUND_BYTES: usize = 512;

/// What stands for a character or, as a soft line break, for none.
struct Escape {
    /// The bytes that it takes.
    length: usize,
    /// What it stands for; the first `size` bytes.
    stands_for: [u8; 4],
    size: usize,
    kind: &'static str,
}

impl Escape {
    fn of_byte(length: usize, byte: u8, kind: &'static str) -> Self {
        Self { length, stands_for: [byte, 0, 0, 0], size: 1, kind }
    }

    fn of_nothing(length: usize, kind: &'static str) -> Self {
        Self { length, stands_for: [0; 4], size: 0, kind }
    }

    fn of_scalar(length: usize, scalar: u32, kind: &'static str) -> Option<Self> {
        let mut stands_for = [0; 4];
        let size = char::from_u32(scalar)?.encode_utf8(&mut stands_for).len();
        Some(Self { length, stands_for, size, kind })
    }
}

/// Finds and decodes.
pub(super) fn find(bytes: &[u8], found: &mut Found) {
    let mut marks = Marks { bytes, other: None, equals: None };
    let mut done = 0;
    while let Some((at, first)) = marks.next_escape(done) {
        let begin = done.max(at.saturating_sub(AROUND_BYTES));
        let mut kind = first.kind;
        let mut decoded = bytes.get(begin..at).unwrap_or_default().to_vec();
        let mut end = at;
        let mut next = Some((at, first));
        while let Some((at, escape)) = next.filter(|(at, _)| at - end <= 2 * AROUND_BYTES) {
            decoded.extend_from_slice(bytes.get(end..at).unwrap_or_default());
            decoded.extend(escape.stands_for.iter().take(escape.size));
            if kind != escape.kind {
                kind = "escapes";
            }
            end = at + escape.length;
            next = marks.next_escape(end);
        }
        done = bytes.len().min(end + AROUND_BYTES);
        decoded.extend_from_slice(bytes.get(end..done).unwrap_or_default());
        found.add(begin..done, decoded, kind);
    }
}

/// The places at which an escape may begin.
struct Marks<'a> {
    bytes: &'a [u8],
    /// The next place of each sort, once looked for; the length of the bytes where there is none.
    other: Option<usize>,
    equals: Option<usize>,
}

impl Marks<'_> {
    /// The next escape at or after `from`, which never goes back.
    fn next_escape(&mut self, mut from: usize) -> Option<(usize, Escape)> {
        loop {
            let rest = self.bytes.get(from..).unwrap_or_default();
            let none = self.bytes.len();
            let other = match self.other {
                Some(at) if at >= from => at,
                _ => memchr3(b'%', b'\\', b'&', rest).map_or(none, |at| from + at),
            };
            let equals = match self.equals {
                Some(at) if at >= from => at,
                _ => memchr(b'=', rest).map_or(none, |at| from + at),
            };
            (self.other, self.equals) = (Some(other), Some(equals));
            let at = other.min(equals);
            let here = self.bytes.get(at..)?;
            let escape = match here.first()? {
                b'%' => percent::read(here),
                b'\\' => backslash::read(here),
                b'&' => entity::read(here),
                _ => quoted::read(self.bytes, at),
            };
            if let Some(escape) = escape {
                return Some((at, escape));
            }
            from = at + 1;
        }
    }
}

/// The value of up to `most` digits at the beginning, eight at the most, and how many there are.
pub(super) fn number(bytes: &[u8], base: u32, most: usize) -> (u32, usize) {
    let digits = bytes.iter().take(most).map_while(|digit| char::from(*digit).to_digit(base));
    digits.fold((0, 0), |(number, count), digit| (number * base + digit, count + 1))
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;

    #[test]
    fn each_kind_of_escape_is_undone_with_the_text_around_it() {
        for (text, kind, clear) in [
            ("%69gn%6fre it", "percent", "ignore it"),
            ("a %u0069gnore", "percent", "ignore"),
            ("%2569gnore", "percent", "ignore"),
            (r"say \u0069gnore \x69t", "backslash", "say ignore it"),
            (r"\u{69}gn\157re \U0001f600\ud83d\ude00", "backslash", "ignore 😀😀"),
            ("ig\\\nnore", "backslash", "ignore"),
            (r"\69 \67 \00006e\6f re", "backslash", "ignore"),
            (r"\N{LATIN SMALL LETTER I}gnore", "backslash", "ignore"),
            (r"\N{LATIN CAPITAL LETTER I}gnore\N{SPACE}it\N{FULL STOP}", "backslash", "Ignore it."),
            (r"\N{U+0069}\N{U+67}nore", "backslash", "ignore"),
            (r"\o{151}\o{147}nore \x{69}t", "backslash", "ignore it"),
            (r"\0151\0147nore\0040it \0not", "backslash", "ignore it"),
            (r"\0069\0067nore\0020i\0074", "backslash", "ignore it"),
            (r"\uu0069\uuu0067nore", "backslash", "ignore"),
            (r"\+000069\+000067nore", "backslash", "ignore"),
            (r"\u105?\u103?nore", "backslash", "ignore"),
            ("&#0000000105;&#x00000000067;nore", "entity", "ignore"),
            ("=69=67=6e=6f=72=65", "quoted-printable", "ignore"),
            ("mail&#116;o&colon;&#X61&#98;", "entity", "mailto:ab"),
            ("ign=\nore =C3=BCber", "quoted-printable", "ignore über"),
            ("=69=67=6E=6F=72=65", "quoted-printable", "ignore"),
            ("%69gn&#111;re", "escapes", "ignore"),
        ] {
            assert!(shows(text.as_bytes(), kind, clear.as_bytes()), "{text}");
        }
    }

    #[test]
    fn signs_that_begin_no_escape_are_left_alone() {
        for text in [
            "100 % of a=12 & b",
            r"C:\dir\d",
            "a == b; x=1\ny=",
            "&unknown; &# &#x; %zz %u12",
            r"\N{A LONG NAME OF NOTHING AT ALL, NEVER} \o{9} \+12 \N{U+} \u12",
            "a=b1 c=da",
            "\\",
            "%",
            "&",
            "=",
        ] {
            assert!(
                !["percent", "backslash", "entity", "quoted-printable"].iter().any(|kind| shows(
                    text.as_bytes(),
                    kind,
                    b""
                )),
                "{text}"
            );
        }
    }

    #[test]
    fn distant_escapes_are_layers_of_their_own() {
        let text = format!("%69{}%6a", " ".repeat(4000));
        assert!(!shows(text.as_bytes(), "percent", text.replace("%69", "i").replace("%6a", "j").as_bytes()));
        assert!(shows(text.as_bytes(), "percent", b" j"));
    }
}
