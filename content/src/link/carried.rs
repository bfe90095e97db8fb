//! What a piece of an address carries: words, words in an encoding, or something that looks like them.
//!
//! It knows no keys and no hosts; what follows from a finding is the caller's to say. An encoding counts as proof only when
//! what comes out can be read: digests, signatures and random ids do not turn into words.
//! *Security*: hostile bytes, each looked at a fixed number of times. *Standards*: RFC 3986, section 2.1; RFC 4648, sections 4
//! to 8.

/// The longest piece that is decoded, bytes; more of it would show the same.
const PIECE_BYTES_MAX: usize = 1024;

/// The shortest text that is taken for one when it comes out of base32, base64 or hex, bytes.
const DECODED_BYTES_MIN: usize = 9;

/// The longest word before hex that is left out, bytes.
const PREFIX_BYTES_MAX: usize = 8;

/// How many letters of ASCII must be escaped before it is a disguise.
const ESCAPED_LETTERS_MIN: usize = 5;

/// What one piece of an address carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carried {
    /// Text that can be read once base32, base64 or hex, or gzip in base64, is undone.
    Encoded,
    /// Readable text of so many words; `fields` when it has the form of values with their names, or of lines.
    Words { count: usize, fields: bool },
    /// So many characters that mean nothing to a reader: a digest, a token, or something encrypted.
    Opaque(usize),
    /// Nothing worth a look.
    Little,
}

/// What a piece carries, percent escapes undone.
pub(super) fn carried(piece: &[u8]) -> Carried {
    let piece = piece.get(..PIECE_BYTES_MAX).unwrap_or(piece);
    let plain = percent_decoded(piece);
    if is_address(&plain) {
        // An address within an address may carry something in its turn.
        let inner = plain.split(|byte| matches!(byte, b'?' | b'&' | b'=' | b'#' | b'/')).skip(1);
        let carries = plain.starts_with(b"http")
            && inner.take(16).any(|part| encoded_text(part).is_some_and(|text| !is_address(&text)));
        // A value in it that has values in its turn is no address.
        let is_nested =
            |pair: &[u8]| pair.trim_ascii_end().split(|byte| *byte == b'=').filter(|part| part.len() > 1).count() > 3;
        let nests = plain.starts_with(b"http")
            && plain.split(|byte| matches!(byte, b'?' | b'&' | b'#')).take(16).any(is_nested);
        return match (carries, nests) {
            (true, _) => Carried::Encoded,
            (false, true) => Carried::Words { count: words(&plain), fields: true },
            (false, false) => Carried::Little,
        };
    }
    if is_gzip(&plain) {
        return Carried::Encoded;
    }
    match encoded_text(&plain) {
        Some(text) if is_address(&text) => return Carried::Little,
        Some(_) => return Carried::Encoded,
        None => {}
    }
    let was_escaped = plain.len() != piece.len() || piece.contains(&b'+');
    let count = words(&plain);
    let fields = was_escaped && count >= 2 && plain.iter().any(|byte| matches!(byte, b'=' | b'@' | b';' | b'\n'));
    if was_escaped
        && (count >= 2 || fields)
        && plain.iter().any(|byte| matches!(byte, b' ' | b'+' | b'=' | b'@' | b'\n'))
    {
        return Carried::Words { count, fields };
    }
    let longest = plain.split(|byte| !is_token(*byte)).map(opaque).max().unwrap_or_default();
    if longest > 0 { Carried::Opaque(longest) } else { Carried::Little }
}

/// Undoes percent escapes, twice where the escapes themselves were escaped; what is no escape is kept.
pub(super) fn percent_decoded(piece: &[u8]) -> Vec<u8> {
    let once = unescaped(piece);
    if once.len() < piece.len() && once.contains(&b'%') { unescaped(&once) } else { once }
}

/// Whether letters are escaped that no address needs to escape: `%74%68%65%20%6b%65%79`.
pub(super) fn escapes_letters(piece: &[u8]) -> bool {
    let is_letter = |escape: &&[u8]| match escape {
        [b'%', high, low] => hex_pair(*high, *low).is_some_and(|byte| byte.is_ascii_alphabetic()),
        _ => false,
    };
    piece.windows(3).filter(is_letter).take(ESCAPED_LETTERS_MIN).count() == ESCAPED_LETTERS_MIN
}

fn unescaped(piece: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(piece.len());
    let mut rest = piece;
    while let Some((&first, tail)) = rest.split_first() {
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if hex_pair(*high, *low).is_some() => {
                out.extend(hex_pair(*high, *low));
                rest = after;
            }
            _ => {
                out.push(first);
                rest = tail;
            }
        }
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

/// Whether base64 of a gzip stream is there: what was compressed was worth reading. *Standards*: RFC 1952, section 2.3.1.
fn is_gzip(piece: &[u8]) -> bool {
    piece.len() >= 32 && piece.starts_with(b"H4sI")
}

const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

/// The readable text that is encoded in a piece, or in one of its parts between dots, tildes and the like.
pub(super) fn encoded_text(piece: &[u8]) -> Option<Vec<u8>> {
    piece.split(|byte| !is_token(*byte)).filter(|part| part.len() >= 11).find_map(|part| {
        let whole = decoded(part);
        // An id before it, joined by a dash, is the commonest thing that hides a readable rest.
        whole.or_else(|| {
            part.split(|byte| matches!(byte, b'-' | b'_' | b'/')).filter(|part| part.len() >= 16).find_map(decoded)
        })
    })
}

/// The text that a token stands for in hex, base32 or base64; `None` where no readable text comes out.
pub(super) fn decoded(token: &[u8]) -> Option<Vec<u8>> {
    [from_hex, from_base32, from_base64].iter().find_map(|decode| decode(token).filter(|text| is_readable(text)))
}

fn from_hex(token: &[u8]) -> Option<Vec<u8>> {
    // Letters before it that are no digits say what it is: `0x…`.
    let start = token.iter().rposition(|byte| !byte.is_ascii_hexdigit()).map_or(0, |at| at + 1);
    let token = token.get(start..).filter(|_| start <= PREFIX_BYTES_MAX)?;
    let letters = token.iter().any(u8::is_ascii_alphabetic);
    if token.len() < 2 * DECODED_BYTES_MIN || !token.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let bytes: Vec<u8> = token.chunks_exact(2).filter_map(|pair| hex_pair(*pair.first()?, *pair.last()?)).collect();
    // A long decimal number is hex, too, and now and then even readable.
    (letters || bytes.contains(&b' ')).then_some(bytes)
}

fn from_base32(token: &[u8]) -> Option<Vec<u8>> {
    let value = |byte: &u8| match byte.to_ascii_uppercase() {
        letter @ b'A'..=b'Z' => Some(u32::from(letter - b'A')),
        digit @ b'2'..=b'7' => Some(u32::from(digit - b'2') + 26),
        _ => None,
    };
    let is_one_case = !(token.iter().any(u8::is_ascii_lowercase) && token.iter().any(u8::is_ascii_uppercase));
    if token.len() < 16 || !is_one_case || !token.iter().any(u8::is_ascii_alphabetic) {
        return None;
    }
    regrouped(token, 5, value)
}

pub(super) fn from_base64(token: &[u8]) -> Option<Vec<u8>> {
    let value = |byte: &u8| match byte {
        b'A'..=b'Z' => Some(u32::from(byte - b'A')),
        b'a'..=b'z' => Some(u32::from(byte - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(byte - b'0') + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    };
    if token.len() < 11 {
        return None;
    }
    regrouped(token, 6, value)
}

/// Digits of `width` bits as bytes; bits that fill no byte are dropped.
fn regrouped(token: &[u8], width: u32, value: impl Fn(&u8) -> Option<u32>) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(token.len());
    let (mut bits, mut held) = (0_u32, 0_u32);
    for byte in token {
        bits = (bits << width | value(byte)?) & 0xFFFF;
        held += width;
        if held >= 8 {
            held -= 8;
            out.push(u8::try_from(bits >> held & 0xFF).ok()?);
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
    let foreign = count(|character| !character.is_ascii());
    let least = match foreign {
        // Two words.
        0 if text.contains(' ') => DECODED_BYTES_MIN - 1,
        0 => DECODED_BYTES_MIN,
        _ => 3 * DECODED_BYTES_MIN,
    };
    all >= least
        && !text.chars().any(|character| character.is_control() && !matches!(character, '\n' | '\r' | '\t'))
        && (plain * 10 >= all * 6 || is_object)
        // Keys of services have more digits than words do.
        && (letters * 10 >= all * 3 || (foreign == 0 && all >= 16 && letters * 8 >= all))
}

/// How many words of two letters or more stand in a text.
pub(super) fn words(text: &[u8]) -> usize {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || !byte.is_ascii();
    text.split(|byte| !is_letter(*byte)).filter(|word| word.len() >= 2).count()
}

/// The length of a token that mixes digits with letters like nothing that people type; 0 for others.
fn opaque(token: &[u8]) -> usize {
    let count = |wanted: fn(&u8) -> bool| token.iter().filter(|byte| wanted(byte)).count();
    let digits = count(u8::is_ascii_digit);
    let letters = count(u8::is_ascii_alphabetic);
    let turns = token.windows(2).filter(|pair| kind(pair.first()) != kind(pair.last())).count();
    if token.len() >= 16 && digits > 0 && letters > 0 && turns * 5 >= token.len() { token.len() } else { 0 }
}

fn kind(byte: Option<&u8>) -> u8 {
    match byte {
        Some(b'0'..=b'9') => 0,
        Some(b'a'..=b'z') => 1,
        Some(b'A'..=b'Z') => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_every_usual_encoding() {
        for piece in [
            "dXNlcj1hZGFAZXhhbXBsZS5jb20",
            "7468652062616c616e636520697320313230342e3530",
            "ORUGKIDCMFWGC3TDMUQGS4ZAGEZDANA",
            "report-aG9zdG5hbWU9d2ViLTMga2VybmVsPTYuOA.png",
            "H4sIAAAAAAAAA8vILy4ptlJISTJUMDTQAwA=",
        ] {
            assert_eq!(carried(piece.as_bytes()), Carried::Encoded, "{piece}");
        }
    }

    #[test]
    fn percent_escapes_and_plus_signs_are_words() {
        assert_eq!(carried(b"user%3Dada%40example.com"), Carried::Words { count: 4, fields: true });
        assert_eq!(carried(b"the+balance+is+low"), Carried::Words { count: 4, fields: false });
        assert_eq!(carried(b"the%2520balance%2520is%2520low"), Carried::Words { count: 4, fields: false });
    }

    #[test]
    fn digests_ids_and_plain_names_are_no_words() {
        for piece in [
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "3xYqB7a_9Kc",
            "getting-started-with-the-installation",
            "20260203123456789012",
            "https%3A%2F%2Fexample.com%2Fnext%20page",
            "chairs",
        ] {
            assert!(!matches!(carried(piece.as_bytes()), Carried::Encoded | Carried::Words { .. }), "{piece}");
        }
    }

    #[test]
    fn letters_that_need_no_escape_are_a_disguise() {
        assert!(escapes_letters(b"%6d%6F%6e%64ay%20%61t"));
        for piece in [&b"%C3%A9%20%41b%2F%3Dx"[..], b"https%3A%2F%2Fh.example%2F%7Eada", b"%zz%4", b""] {
            assert!(!escapes_letters(piece), "{}", String::from_utf8_lossy(piece));
        }
    }

    #[test]
    fn a_word_before_hex_is_left_out() {
        for token in ["0x7468652062616c616e636520697320", "pos7468652062616c616e63652069732031"] {
            assert!(decoded(token.as_bytes()).is_some(), "{token}");
        }
        assert!(decoded(b"a-long-word-before7468652062616c616e63652069732031").is_none());
    }

    #[test]
    fn an_escape_that_is_none_is_kept() {
        assert_eq!(percent_decoded(b"100%_of%2"), b"100%_of%2");
    }
}
