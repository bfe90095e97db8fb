//! Digits of unusual bases: base85 in its three alphabets, base58, base32 in its other alphabets, and digits written backwards.
//!
//! Kept only where all of what comes out is text: so many signs are digits here that a part is text by chance.
//!
//! Security: reads hostile bytes; every run is decoded a fixed number of times, in base58 in parts of bounded length.
//! Standards: Adobe PostScript Language Reference, 3rd edition, `ASCII85Encode`; `ZeroMQ` RFC 32 (Z85); RFC 1924, section 4.2 (its
//! alphabet); RFC 4648, section 7.

use std::ops::Range;

use super::View;
use super::found::Found;
use crate::survey::Class;

/// The fewest digits, the most of base58, and the fewest decoded bytes.
const DIGITS_MIN: usize = 15;
const BASE58_DIGITS_MAX: usize = 256;
const BYTES_MIN: usize = 10;
/// The fewest digits of base85 on its first line, and on every line but the last.
const BASE85_DIGITS_MIN: u32 = 13;
const LINE_DIGITS_MIN: usize = 8;

static BASE58: Alphabet = Alphabet::new(b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");
static ASCII85: Alphabet =
    Alphabet::new(b"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu");
static Z85: Alphabet =
    Alphabet::new(b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#");
static RFC1924: Alphabet =
    Alphabet::new(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~");
static BASE32: [(Alphabet, &str); 3] = [
    (Alphabet::new(b"0123456789abcdefghijklmnopqrstuv"), "base32hex"),
    (Alphabet::new(b"0123456789abcdefghjkmnpqrstvwxyz"), "base32"),
    (Alphabet::new(b"ybndrfg8ejkmcpqxot1uwisza345h769"), "base32"),
];

/// Decodes runs of letters and digits that are neither hexadecimal nor base64.
pub(super) fn find_in_runs(bytes: &[u8], runs: &[Range<usize>], found: &mut Found) {
    for run in runs {
        let digits = bytes.get(run.clone()).unwrap_or_default();
        let decoded = base58(digits).map(|it| (it, "base58")).or_else(|| base32(digits)).or_else(|| backwards(digits));
        if let Some((decoded, encoding)) = decoded {
            found.add(run.clone(), decoded, encoding);
        }
    }
}

/// Decodes base85, whose digits are nearly all that is printed.
pub(super) fn find(view: &View<'_>, found: &mut Found) {
    let bytes = view.bytes;
    let mut done = 0;
    for run in view.survey().runs::<BASE85_DIGITS_MIN>(Class::Graphic) {
        if run.start < done {
            continue;
        }
        let mut end = run.end;
        // A text may be wrapped.
        while bytes.get(end) == Some(&b'\n') {
            let other = |block| !view.survey().block(block, Class::Graphic);
            let line = view.survey().next(end + 1, bytes.len(), other).unwrap_or(bytes.len()) - (end + 1);
            if line == 0 {
                break;
            }
            end += 1 + line;
            if line < LINE_DIGITS_MIN {
                break;
            }
        }
        done = end;
        token(bytes, run.start..end, found);
    }
}

/// Decodes a run of printed signs in the first alphabet that gives text.
fn token(bytes: &[u8], mut range: Range<usize>, found: &mut Found) {
    let run = bytes.get(range.clone()).unwrap_or_default();
    let mut inner = run;
    if let Some(at) = memchr::memchr_iter(b'<', run).find(|at| run.get(at + 1) == Some(&b'~')) {
        let rest = run.get(at + 2..).unwrap_or_default();
        inner = memchr::memmem::find(rest, b"~>").and_then(|end| rest.get(..end)).unwrap_or(rest);
        range.start += at;
    }
    // A name and an equals sign or quotation marks may stand at the ends.
    let trimmed = run.trim_ascii();
    let trimmed = trimmed.strip_prefix(b"\"").or_else(|| trimmed.strip_prefix(b"'")).unwrap_or(trimmed);
    let end = trimmed.iter().rposition(|byte| !matches!(byte, b'"' | b'\'' | b',' | b';')).map_or(0, |last| last + 1);
    let trimmed = trimmed.get(..end).unwrap_or_default();
    let tried = [(inner, &ASCII85), (trimmed, &Z85), (trimmed, &RFC1924), (trimmed, &ASCII85)];
    if let Some(decoded) = tried.iter().find_map(|(digits, alphabet)| base85(digits, alphabet))
        && run.iter().filter(|byte| byte.is_ascii_punctuation()).count() * 10 >= run.len()
    {
        found.add(range, decoded, "base85");
    }
}

/// The values of the digits of an alphabet.
struct Alphabet([u8; 256]);

/// What is no digit.
const NONE: u8 = 0xFF;

impl Alphabet {
    const fn new(digits: &[u8]) -> Self {
        let mut values = [NONE; 256];
        let (mut at, mut value) = (0, 0);
        while at < digits.len() {
            values[digits[at] as usize] = value;
            at += 1;
            value += 1;
        }
        Self(values)
    }

    #[inline]
    fn value(&self, digit: u8) -> Option<u8> {
        Some(self.0[usize::from(digit)]).filter(|value| *value != NONE)
    }
}

/// Five digits for four bytes; fewer digits at the end for fewer bytes.
fn base85(digits: &[u8], alphabet: &Alphabet) -> Option<Vec<u8>> {
    let (mut decoded, mut text) = (Vec::new(), Text::default());
    let mut group = [84_u8; 5];
    let mut held = 0;
    let number = |group: &[u8; 5]| group.iter().fold(0_u64, |number, digit| number * 85 + u64::from(*digit));
    for digit in digits.iter().filter(|digit| !digit.is_ascii_whitespace()) {
        *group.get_mut(held)? = alphabet.value(*digit)?;
        held += 1;
        if held == 5 {
            let four = u32::try_from(number(&group)).ok()?.to_be_bytes();
            if !four.iter().all(|byte| text.goes_on(*byte)) {
                return None;
            }
            decoded.extend(four);
            (group, held) = ([84; 5], 0);
        }
    }
    if held > 1 {
        decoded.extend(u32::try_from(number(&group)).ok()?.to_be_bytes().get(..held - 1)?);
    }
    is_words(&decoded).then_some(decoded)
}

/// Text that is decoded byte by byte: what cannot be any is seen at once.
#[derive(Default)]
struct Text {
    /// How many more bytes the last character has.
    more: u8,
}

impl Text {
    /// Whether a byte may follow in UTF-8 without control characters but white space. Generous: `is_words` has the last word.
    fn goes_on(&mut self, byte: u8) -> bool {
        let (before, more) = match byte {
            0x80..=0xBF => return self.more.checked_sub(1).map(|more| self.more = more).is_some(),
            0xC2..=0xDF => (self.more, 1),
            0xE0..=0xEF => (self.more, 2),
            0xF0..=0xF4 => (self.more, 3),
            _ if byte.is_ascii() && is_shown(byte) => (self.more, 0),
            _ => return false,
        };
        self.more = more;
        before == 0
    }
}

/// Whether a byte is no control character but white space.
const fn is_shown(byte: u8) -> bool {
    !byte.is_ascii_control() || byte.is_ascii_whitespace()
}

fn base58(digits: &[u8]) -> Option<Vec<u8>> {
    if !(DIGITS_MIN..=BASE58_DIGITS_MAX).contains(&digits.len()) {
        return None;
    }
    // The least significant part first.
    let mut number: Vec<u32> = Vec::new();
    for digit in digits {
        let mut carry = u64::from(BASE58.value(*digit)?);
        for part in &mut number {
            carry += u64::from(*part) * 58;
            *part = u32::try_from(carry & u64::from(u32::MAX)).ok()?;
            carry >>= 32;
        }
        if carry > 0 {
            number.push(u32::try_from(carry).ok()?);
        }
    }
    let decoded: Vec<u8> =
        number.iter().rev().flat_map(|part| part.to_be_bytes()).skip_while(|byte| *byte == 0).collect();
    is_words(&decoded).then_some(decoded)
}

fn base32(digits: &[u8]) -> Option<(Vec<u8>, &'static str)> {
    let has = |test: fn(&u8) -> bool| digits.iter().any(test);
    if digits.len() < DIGITS_MIN || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) {
        return None;
    }
    BASE32.iter().find_map(|(alphabet, encoding)| {
        let values: Option<Vec<u8>> = digits.iter().map(|digit| alphabet.value(digit.to_ascii_lowercase())).collect();
        let decoded = bits(&values?, 5);
        is_words(&decoded).then_some((decoded, *encoding))
    })
}

/// Base64 or hexadecimal digits from the last to the first.
fn backwards(digits: &[u8]) -> Option<(Vec<u8>, &'static str)> {
    let hex: Option<Vec<u8>> = digits.iter().rev().map(|digit| super::base64::hex_value(*digit)).collect();
    if let Some(hex) = hex {
        let decoded = bits(&hex, 4);
        return is_words(&decoded).then_some((decoded, "reversed hex"));
    }
    let values = digits.iter().rev().map(|digit| match digit {
        b'A'..=b'Z' => Some(digit - b'A'),
        b'a'..=b'z' => Some(digit - b'a' + 26),
        b'0'..=b'9' => Some(digit - b'0' + 52),
        b'+' | b'-' => Some(62),
        _ => Some(63),
    });
    let decoded = bits(&values.collect::<Option<Vec<u8>>>()?, 6);
    is_words(&decoded).then_some((decoded, "reversed base64"))
}

/// The bytes of values of `width` bits.
fn bits(values: &[u8], width: u32) -> Vec<u8> {
    let (mut pending, mut held) = (0_u32, 0);
    let mut decoded = Vec::with_capacity(values.len());
    for value in values {
        pending = pending << width | u32::from(*value);
        held += width;
        if held >= 8 {
            held -= 8;
            let [byte, ..] = (pending >> held).to_le_bytes();
            decoded.push(byte);
        }
    }
    decoded
}

/// Whether all is text, mostly letters, digits and spaces.
fn is_words(decoded: &[u8]) -> bool {
    decoded.len() >= BYTES_MIN
        && std::str::from_utf8(decoded).is_ok()
        && decoded.iter().all(|byte| is_shown(*byte))
        && decoded.iter().filter(|byte| byte.is_ascii_alphanumeric() || **byte == b' ').count() * 3 >= decoded.len() * 2
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;

    #[test]
    fn each_base_is_read() {
        for (text, encoding) in [
            ("<~BkM=%Eb-A%Cht54Aftf0~>", "base85"),
            ("data BkM=%Eb-A%Cht54Aftf0 ok", "base85"),
            ("'X=iS4a%CW4Y-}KJW*}*F'", "base85"),
            ("x>Is4A+cw4y?$kjw/$/f", "base85"),
            ("id E1uwqaV5ZABLpK426Niep3", "base58"),
            ("D5JMSRRICKG62R3C41NMC839EG======", "base32hex"),
            ("d5kpwvvjcmg62v3c41qpc839eg", "base32"),
            ("==AdpBiZvBCbsFGIlJ3budWa", "reversed base64"),
            ("47960266f602c6c616025627f6e67696", "reversed hex"),
        ] {
            assert!(shows(text.as_bytes(), encoding, b"ignore all of it"), "{text}");
        }
    }

    #[test]
    fn names_and_addresses_are_no_digits() {
        for text in ["https://example.org/a/b/c?d=e&f=g#h-i_j.k", "The_function::called(here,there)[index]{body}"] {
            assert!(!shows(text.as_bytes(), "base85", b"") && !shows(text.as_bytes(), "base58", b""), "{text}");
        }
    }
}
