//! A text in which full-width letters and signs, and entities for the signs of an address, stand as what they mean.
//!
//! Renderers undo both before they follow a link. Made only where a colon or slash is written so; the case of letters is kept,
//! as encodings depend on it. *Security*: hostile bytes, read once. *Standards*: Unicode 16, Halfwidth and Fullwidth Forms; HTML, section
//! 13.5.

use std::ops::Range;

use memchr::memmem;

/// Entities for signs that addresses cannot do without, in lower case.
pub(super) const ENTITIES: [(&str, u8); 8] = [
    ("&colon;", b':'),
    ("&sol;", b'/'),
    ("&period;", b'.'),
    ("&quest;", b'?'),
    ("&equals;", b'='),
    ("&amp;", b'&'),
    ("&num;", b'#'),
    ("&commat;", b'@'),
];

/// A text without its disguise, and the place in the source of each of its bytes.
pub(super) struct Unfolded {
    pub(super) bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Unfolded {
    /// The text, if signs of an address are disguised in it; `has_entities` says whether the keywords showed one of theirs.
    pub(super) fn of(bytes: &[u8], has_entities: bool) -> Option<Self> {
        let has_wide = !bytes.is_ascii();
        let is_wide = |sign: &str| has_wide && memmem::find(bytes, sign.as_bytes()).is_some();
        if !has_entities
            && !is_wide("\u{ff0f}\u{ff0f}")
            && !is_wide("\u{ff54}\u{ff1a}")
            && !is_wide("\u{ff4f}\u{ff1a}")
            && !is_wide("\u{ff41}\u{ff1a}")
            && !is_wide("\u{ff45}\u{ff1a}")
        {
            return None;
        }
        let mut out = Self { bytes: Vec::with_capacity(bytes.len()), places: Vec::with_capacity(bytes.len() + 1) };
        let mut at = 0;
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let (byte, length) = meant(rest);
            out.bytes.push(byte);
            out.places.push(at);
            at += length;
        }
        out.places.push(bytes.len());
        Some(out)
    }

    /// Where a range stands in the source, if something in it was disguised.
    pub(super) fn source_of(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let source = *self.places.get(range.start)?..*self.places.get(range.end)?;
        (source.len() > range.len()).then_some(source)
    }
}

/// The printed sign of ASCII of which the number stands behind `&#`, and the length of the entity.
fn numbered(number: &[u8]) -> Option<(u8, usize)> {
    let end = number.iter().take(8).position(|byte| *byte == b';')?;
    let digits = std::str::from_utf8(number.get(..end)?).ok()?;
    let value = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u8::from_str_radix(hex, 16),
        None => digits.parse(),
    };
    value.ok().filter(u8::is_ascii_graphic).map(|value| (value, end + 3))
}

fn meant(rest: &[u8]) -> (u8, usize) {
    match rest {
        [0xEF, 0xBC, last @ 0x81..=0xBF, ..] => (last - 0x60, 3),
        [0xEF, 0xBD, last @ 0x80..=0x9E, ..] => (last - 0x20, 3),
        // Two signs that look like a colon, and one like a slash.
        [0xEA, 0x9E, 0x89, ..] | [0xE2, 0x88, 0xB6, ..] => (b':', 3),
        [0xE2, 0x88, 0x95, ..] => (b'/', 3),
        [b'\\', sign @ (b'/' | b':' | b'.' | b'?' | b'=' | b'&' | b'_' | b'-'), ..] => (*sign, 2),
        [b'&', b'#', number @ ..] if let Some(found) = numbered(number) => found,
        [b'&', ..] => {
            let is = |entity: &str| {
                rest.get(..entity.len()).is_some_and(|start| start.eq_ignore_ascii_case(entity.as_bytes()))
            };
            let entity = ENTITIES.iter().find(|(entity, _)| is(entity));
            entity.map_or((b'&', 1), |(entity, byte)| (*byte, entity.len()))
        }
        [first, ..] => (*first, 1),
        [] => (0, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disguised_signs_are_undone_with_their_places() {
        let text = "a \u{ff48}\u{ff54}\u{ff54}\u{ff50}\u{ff1a}\u{ff0f}\u{ff0f}b";
        let plain = Unfolded::of(text.as_bytes(), false).unwrap();
        assert_eq!(plain.bytes, b"a http://b");
        assert_eq!(plain.source_of(&(2..9)), Some(2..23));
        assert_eq!(plain.source_of(&(0..2)), None);
        assert_eq!(Unfolded::of(b"x&#58;&#47;&sol;y", true).unwrap().bytes, b"x://y");
        assert_eq!(Unfolded::of(b"&#104;&#x74;tp&#58;&#233;&#10;", true).unwrap().bytes, b"http:&#233;&#10;");
        assert_eq!(Unfolded::of("a\u{a789}\u{2215}/ \\/\\?\\n".as_bytes(), true).unwrap().bytes, b"a:// /?\\n");
        assert!(Unfolded::of("\u{ff1a}\u{ff0c}".as_bytes(), false).is_none());
    }
}
