//! The content of a piece of an address: encoded text, or words.
//!
//! It knows no keys and no hosts. An encoding counts only if the decoded text is readable: digests, signatures and
//! random ids do not decode to words, and an encoded address is not text. *Security*: hostile bytes, each read a fixed
//! number of times. *Standards*: RFC 3986, section 2.1; RFC 4648, sections 4 to 8.

use crate::fact::html::words;

/// The longest piece that is decoded, the shortest run of digits of an encoding and the shortest text in one, bytes.
const PIECE_BYTES_MAX: usize = 1024;
const RUN_BYTES_MIN: usize = 11;
const DECODED_BYTES_MIN: usize = 9;

/// The longest word before hexadecimal digits that is left out: `0x…`, `id…`.
const PREFIX_BYTES_MAX: usize = 8;

/// The shortest token of base32, and the shortest text without a blank that may have few letters.
const TOKEN_BYTES_MIN: usize = 16;

/// How many letters of ASCII must be escaped before it is a disguise.
const ESCAPED_LETTERS_MIN: usize = 5;

/// The content of one piece of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Carried {
    /// Text that can be read once base32, base64 or hex is undone.
    Encoded(Vec<u8>),
    /// Readable text of so many words that was escaped; `fields` when it has the form of values with their names.
    Words { count: usize, fields: bool },
    /// Nothing worth a look.
    Little,
}

/// The content of a piece, percent-decoded.
pub(super) fn carried(piece: &[u8]) -> Carried {
    let piece = piece.get(..PIECE_BYTES_MAX).unwrap_or(piece);
    let plain = percent_decoded(piece);
    if is_address(&plain) {
        return Carried::Little;
    }
    if let Some(text) = encoded_text(&plain) {
        return if is_address(&text) { Carried::Little } else { Carried::Encoded(text) };
    }
    if escapes_letters(piece) {
        return Carried::Encoded(plain);
    }
    let was_escaped = plain.len() != piece.len() || piece.contains(&b'+');
    let count = words(&plain);
    if was_escaped && count >= 2 && plain.iter().any(|byte| matches!(byte, b' ' | b'+' | b'=' | b'@' | b'\n')) {
        return Carried::Words { count, fields: plain.iter().any(|byte| matches!(byte, b'=' | b'@' | b';' | b'\n')) };
    }
    Carried::Little
}

/// Percent-decodes, twice if the escapes themselves were escaped; keeps everything else.
pub(super) fn percent_decoded(piece: &[u8]) -> Vec<u8> {
    let once = unescaped(piece);
    if once.len() < piece.len() && once.contains(&b'%') { unescaped(&once) } else { once }
}

/// Whether letters are escaped that no address needs to escape: `%74%68%65%20%6b%65%79`.
fn escapes_letters(piece: &[u8]) -> bool {
    let is_letter =
        |three: &&[u8]| three[0] == b'%' && hex_pair(three[1], three[2]).is_some_and(|byte| byte.is_ascii_alphabetic());
    piece.windows(3).filter(is_letter).take(ESCAPED_LETTERS_MIN).count() == ESCAPED_LETTERS_MIN
}

fn unescaped(piece: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(piece.len());
    let mut rest = piece;
    while let Some((&first, tail)) = rest.split_first() {
        let escape = match (first, tail) {
            (b'%', [high, low, ..]) => hex_pair(*high, *low),
            _ => None,
        };
        out.push(escape.unwrap_or(first));
        rest = if escape.is_some() { &tail[2..] } else { tail };
    }
    out
}

fn hex_pair(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    Some(digit(high)? << 4 | digit(low)?)
}

fn is_address(text: &[u8]) -> bool {
    ["http://", "https://", "/"].iter().any(|start| text.starts_with(start.as_bytes()))
}

const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The readable text that is encoded in a piece, or in one of its parts between dots, tildes and the like.
fn encoded_text(piece: &[u8]) -> Option<Vec<u8>> {
    piece.split(|byte| !is_token(*byte)).filter(|part| part.len() >= RUN_BYTES_MIN).find_map(decoded)
}

/// The readable text that a token encodes in hex, base32 or base64, if any.
fn decoded(token: &[u8]) -> Option<Vec<u8>> {
    [from_hex, from_base32, from_base64].iter().find_map(|decode| decode(token).filter(|text| is_readable(text)))
}

fn from_hex(token: &[u8]) -> Option<Vec<u8>> {
    // Letters before it that are no digits state its encoding: `0x…`.
    let start = token.iter().rposition(|byte| !byte.is_ascii_hexdigit()).map_or(0, |at| at + 1);
    let token = token.get(start..).filter(|_| start <= PREFIX_BYTES_MAX)?;
    if token.len() < 2 * DECODED_BYTES_MIN {
        return None;
    }
    let bytes: Vec<u8> = token.chunks_exact(2).filter_map(|pair| hex_pair(pair[0], pair[1])).collect();
    // A long decimal number is hex, too, and now and then even readable.
    (token.iter().any(u8::is_ascii_alphabetic) || bytes.contains(&b' ')).then_some(bytes)
}

fn from_base32(token: &[u8]) -> Option<Vec<u8>> {
    let value = |byte: u8| match byte.to_ascii_uppercase() {
        letter @ b'A'..=b'Z' => Some(u32::from(letter - b'A')),
        digit @ b'2'..=b'7' => Some(u32::from(digit - b'2') + 26),
        _ => None,
    };
    let is_one_case = !(token.iter().any(u8::is_ascii_lowercase) && token.iter().any(u8::is_ascii_uppercase));
    (token.len() >= TOKEN_BYTES_MIN && is_one_case).then(|| regrouped(token, 5, value)).flatten()
}

fn from_base64(token: &[u8]) -> Option<Vec<u8>> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    (token.len() >= RUN_BYTES_MIN).then(|| regrouped(token, 6, value)).flatten()
}

/// Digits of `width` bits as bytes; bits that fill no byte are dropped.
fn regrouped(token: &[u8], width: u32, value: impl Fn(u8) -> Option<u32>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(token.len());
    let (mut bits, mut bit_count) = (0_u32, 0_u32);
    for byte in token {
        bits = (bits << width | value(*byte)?) & 0xFFFF;
        bit_count += width;
        if bit_count >= 8 {
            bit_count -= 8;
            out.push(u8::try_from(bits >> bit_count & 0xFF).ok()?);
        }
    }
    Some(out)
}

/// Whether bytes are text: no control characters, and mostly letters, digits and spaces.
fn is_readable(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes.strip_suffix(b"\0").unwrap_or(bytes)) else { return false };
    let count = |wanted: fn(char) -> bool| text.chars().filter(|character| wanted(*character)).count();
    let all = count(|_| true);
    let plain = count(|character| character.is_alphanumeric() || character == ' ');
    let letters = count(char::is_alphabetic);
    let is_object = text.starts_with("{\"") && text.ends_with('}') && text.is_ascii();
    // Bytes at random pass for a few characters of other scripts more easily than for ASCII.
    let least = match count(|character| !character.is_ascii()) {
        0 if text.contains(' ') => DECODED_BYTES_MIN - 1,
        0 => DECODED_BYTES_MIN,
        _ => 3 * DECODED_BYTES_MIN,
    };
    all >= least
        && !text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
        && (plain * 10 >= all * 6 || is_object)
        // Keys of services have more digits than words do.
        && (letters * 10 >= all * 3 || (text.is_ascii() && all >= TOKEN_BYTES_MIN && letters * 8 >= all))
}
