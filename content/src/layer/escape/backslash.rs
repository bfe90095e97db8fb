//! The backslash escapes of C, JSON, JavaScript, Python and shells: `\n`, `\x69`, `\u0069`, `\u{69}`, `\U00000069`, `\151`,
//! those of style sheets and of names: `\69 `, `\0069`, `\N{LATIN SMALL LETTER I}`, `\N{U+0069}`, and what only some languages
//! know: `\o{151}`, `\0151`, `\uuu0069`, `\+000069`, `\u105?`.
//!
//! Standards: RFC 8259, section 7; ECMA-262, section 12.9.4; ISO/IEC 9899, section 6.4.4.4.

use super::{Escape, number};

const KIND: &str = "backslash";

/// The escape at the beginning.
pub(super) fn read(bytes: &[u8]) -> Option<Escape> {
    let second = *bytes.get(1)?;
    let rest = bytes.get(2..)?;
    if second.is_ascii_hexdigit()
        && let Some(escape) = of_style(bytes)
    {
        return Some(escape);
    }
    let byte = match second {
        b'n' => b'\n',
        b't' => b'\t',
        b'r' => b'\r',
        b'b' | b'f' | b'v' => b' ',
        b'e' => 0x1b,
        b'\\' | b'/' | b'"' | b'\'' => second,
        b'\n' => return Some(Escape::of_nothing(2, KIND)),
        b'\r' if rest.first() == Some(&b'\n') => return Some(Escape::of_nothing(3, KIND)),
        b'0'..=b'7' => return octal(bytes),
        b'N' => return named(rest),
        b'x' | b'u' if rest.first() == Some(&b'{') => return braced(rest, 16),
        b'o' if rest.first() == Some(&b'{') => return braced(rest, 8),
        b'+' => {
            let (scalar, count) = number(rest, 16, 6);
            return if count == 6 { Escape::of_scalar(8, scalar, KIND) } else { None };
        }
        b'x' => {
            let (byte, count) = number(rest, 16, 2);
            return (count > 0).then(|| Some(Escape::of_byte(2 + count, u8::try_from(byte).ok()?, KIND)))?;
        }
        b'u' => return unit(rest),
        b'U' => {
            let (scalar, count) = number(rest, 16, 8);
            return if count == 8 { Escape::of_scalar(10, scalar, KIND) } else { None };
        }
        _ => return None,
    };
    Some(Escape::of_byte(2, byte, KIND))
}

/// Two, four or six digits as style sheets write them: two with a space behind them, four of a printed character.
fn of_style(bytes: &[u8]) -> Option<Escape> {
    let (scalar, count) = number(bytes.get(1..)?, 16, 6);
    let space = usize::from(bytes.get(1 + count) == Some(&b' '));
    if (4..6).contains(&count)
        && matches!(bytes, [_, b'0', b'0', b'2'..=b'7', ..])
        // In octal digits a space, which is more usual than an at sign.
        && !bytes.starts_with(b"\\0040")
    {
        return Escape::of_scalar(5, number(bytes.get(1..)?, 16, 4).0, KIND);
    }
    (count == 6 || count == 2 && space == 1).then(|| Escape::of_scalar(1 + count + space, scalar, KIND))?
}

/// The names of signs that stand in most sentences.
const SIGNS: [(&[u8], u8); 12] = [
    (b"SPACE", b' '),
    (b"FULL STOP", b'.'),
    (b"COMMA", b','),
    (b"COLON", b':'),
    (b"SEMICOLON", b';'),
    (b"SOLIDUS", b'/'),
    (b"HYPHEN-MINUS", b'-'),
    (b"LOW LINE", b'_'),
    (b"EXCLAMATION MARK", b'!'),
    (b"QUESTION MARK", b'?'),
    (b"APOSTROPHE", b'\''),
    (b"COMMERCIAL AT", b'@'),
];
/// The longest name in braces.
const NAME_BYTES_MAX: usize = 32;

/// `{LATIN SMALL LETTER I}` or `{U+0069}` after `\N`.
fn named(rest: &[u8]) -> Option<Escape> {
    let within = rest.strip_prefix(b"{")?;
    let end = within.iter().take(NAME_BYTES_MAX).position(|byte| *byte == b'}')?;
    let name = within.get(..end)?;
    let length = 4 + end;
    if let Some(digits) = name.strip_prefix(b"U+") {
        let (scalar, count) = number(digits, 16, 6);
        return (count == digits.len() && count > 0).then(|| Escape::of_scalar(length, scalar, KIND))?;
    }
    if let Some((_, sign)) = SIGNS.iter().find(|(known, _)| *known == name) {
        return Some(Escape::of_byte(length, *sign, KIND));
    }
    let letter = |beginning: &[u8]| match name.strip_prefix(beginning) {
        Some([letter @ b'A'..=b'Z']) => Some(*letter),
        _ => None,
    };
    let small = letter(b"LATIN SMALL LETTER ").map(|letter| letter.to_ascii_lowercase());
    Some(Escape::of_byte(length, small.or_else(|| letter(b"LATIN CAPITAL LETTER "))?, KIND))
}

/// Up to three digits, or four of which the first is a zero, if they are a printed character so.
fn octal(bytes: &[u8]) -> Option<Escape> {
    let digits = bytes.get(1..)?;
    let (byte, count) = match number(digits, 8, 4) {
        (byte @ 0x20..0x7F, 4) if digits.starts_with(b"0") => (byte, 4),
        _ => number(digits, 8, 3),
    };
    Some(Escape::of_byte(1 + count, u8::try_from(byte).ok()?, KIND))
}

/// `{69}` after `\u` or `\x`, `{151}` after `\o`.
fn braced(rest: &[u8], base: u32) -> Option<Escape> {
    let (scalar, count) = number(rest.get(1..)?, base, 8);
    (rest.get(1 + count) == Some(&b'}') && count > 0).then(|| Escape::of_scalar(4 + count, scalar, KIND))?
}

/// Decimal digits and the character that stands in their place for who does not know them, as RTF has them after `\u`.
fn of_rich_text(rest: &[u8]) -> Option<Escape> {
    let (scalar, count) = number(rest, 10, 5);
    (count > 1 && rest.get(count) == Some(&b'?')).then(|| Escape::of_scalar(3 + count, scalar, KIND))?
}

/// How often Java may have the letter once more.
const MORE_SIGNS_MAX: usize = 8;

/// The four digits after `\u`, and the second half of a pair of surrogates.
fn unit(rest: &[u8]) -> Option<Escape> {
    let more = rest.iter().take(MORE_SIGNS_MAX).take_while(|byte| **byte == b'u').count();
    let rest = rest.get(more..)?;
    let (unit, 4) = number(rest, 16, 4) else { return of_rich_text(rest).filter(|_| more == 0) };
    if !(0xD800..0xDC00).contains(&unit) {
        return Escape::of_scalar(6 + more, unit, KIND);
    }
    let low = rest.get(4..)?.strip_prefix(b"\\u")?;
    match number(low, 16, 4) {
        (low @ 0xDC00..=0xDFFF, 4) => {
            Escape::of_scalar(12 + more, 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff), KIND)
        }
        _ => None,
    }
}
