//! Base64, base32 and hexadecimal digits without separators, on one line or wrapped over many.
//!
//! Requires neither padding nor one alphabet. A run of exactly as many hexadecimal digits as a digest has is a digest,
//! and is never decoded. *Security*: every run is decoded a fixed number of times. *Standards*: RFC 4648 (sections 4 to
//! 6 and 8); RFC 2045, section 6.8 (wrapping); RFC 7468.

use std::ops::Range;

use super::found::Found;
use super::plausible::{is_legible, is_text, opens};
use crate::run::{Class, class, has, runs};

/// The shortest run of digits that is looked at.
const DIGITS_MIN: usize = 16;
/// The number of digits that decide whether the rest is worth decoding.
const HEAD_DIGITS: usize = 32;
/// The fewest digits that are decoded although their beginning is inconclusive.
const LONG_DIGITS_MIN: usize = 64;
/// The fewest digits that may be base32, which words in capitals could be.
const BASE32_DIGITS_MIN: usize = 24;
/// The longest repeated sequence of digits that cannot encode text.
const PERIOD_MAX: usize = 8;
/// The most bytes between two lines of one text.
const BETWEEN_BYTES_MAX: usize = 24;
/// How many hexadecimal digits digests have: MD5 and others of 128 bits, SHA-1, SHA-256, SHA-384, SHA-512.
const DIGEST_DIGITS: [usize; 5] = [32, 40, 64, 96, 128];

/// How many digits of Base64 the fingerprint of a key has: SHA-256 without padding.
const FINGERPRINT_DIGITS: usize = 43;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static DIGITS: Class = class(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_");

/// The values of the digits, of either alphabet.
static VALUES: [u8; 256] = {
    let mut values = [u8::MAX; 256];
    let mut value = 0_u8;
    while value < 64 {
        values[STANDARD[value as usize] as usize] = value;
        value += 1;
    }
    values[b'-' as usize] = 62;
    values[b'_' as usize] = 63;
    values
};

/// What may stand between two lines of one encoded text: line ends, indents, quotation and comment marks, and the marks
/// by which a program joins strings.
const fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'"' | b'\'' | b'`' | b'+' | b'\\' | b'#' | b'*' | b'|')
        || matches!(byte, b',' | b';' | b'.' | b'&' | b'(' | b')' | b':')
}

/// Finds and decodes.
pub(super) fn find(bytes: &[u8], found: &mut Found) {
    let mut lines: Vec<Range<usize>> = Vec::new();
    for run in runs(bytes, &DIGITS, DIGITS_MIN) {
        let digits = bytes.get(run.clone()).unwrap_or_default();
        let before = bytes.get(..run.start).unwrap_or_default();
        if is_digest(digits) || is_fingerprint(before, digits) {
            continue;
        }
        if lines.last().is_some_and(|last| !joins(bytes, last.end, run.start)) {
            text(bytes, &mut lines, found);
        }
        lines.push(run);
    }
    text(bytes, &mut lines, found);
}

/// Whether a run of digits is a digest.
fn is_digest(run: &[u8]) -> bool {
    DIGEST_DIGITS.contains(&run.len()) && run.iter().all(u8::is_ascii_hexdigit)
}

/// Whether a run of digits is the fingerprint of a key, as OpenSSH writes it.
fn is_fingerprint(before: &[u8], run: &[u8]) -> bool {
    run.len() == FINGERPRINT_DIGITS && before.ends_with(b"SHA256:")
}

/// Whether the digits of all lines of a text are small words and numbers, as a path is: a line of encoded text may be without a
/// capital letter, but hardly a whole text is. Hexadecimal digits alone are another matter.
fn is_path(digits: &[u8]) -> bool {
    let bare = digits.strip_prefix(b"0x").unwrap_or(digits);
    !digits.iter().any(u8::is_ascii_uppercase) && !bare.iter().all(u8::is_ascii_hexdigit)
}

/// Whether the bytes from `end` to `start` are only the end of one line and the beginning of another.
fn joins(bytes: &[u8], end: usize, start: usize) -> bool {
    let between = bytes.get(end..start).unwrap_or_default();
    between.len() <= BETWEEN_BYTES_MAX
        && between.iter().all(|byte| is_between(*byte))
        && between.iter().any(|byte| matches!(byte, b'\n' | b'+' | b'\\' | b'"'))
}

/// Decodes the lines of one text, which are taken: those of one length with the shorter one behind them, which may be a text of
/// its own; and all of them where they are of several lengths, as a program joins strings.
fn text(bytes: &[u8], lines: &mut Vec<Range<usize>>, found: &mut Found) {
    lines.extend(last_line(bytes, lines));
    let (mut rest, mut parts, mut is_any) = (lines.as_slice(), 0, false);
    while let Some(first) = rest.first() {
        let even = rest.iter().take_while(|line| line.len() == first.len()).count();
        let is_shorter = rest.get(even).is_some_and(|line| line.len() < first.len());
        let (part, others) = rest.split_at(even + usize::from(is_shorter));
        let (longer, shorter) = part.split_at(even);
        is_any |= decode(bytes, part, found) || is_shorter && decode(bytes, longer, found);
        is_any |= is_shorter && even == 1 && decode(bytes, shorter, found);
        rest = others;
        parts += 1;
    }
    if parts > 1 && (!is_any || parts * 2 >= lines.len()) {
        decode(bytes, lines, found);
    }
    lines.clear();
}

/// The last line of a text, which is often shorter than any that would be noticed alone.
fn last_line(bytes: &[u8], lines: &[Range<usize>]) -> Option<Range<usize>> {
    let last = lines.last()?;
    let limit = bytes.len().min(last.end + BETWEEN_BYTES_MAX);
    let near = bytes.get(last.end..limit)?;
    let start = last.end + near.iter().position(|byte| has(&DIGITS, *byte))?;
    let rest = bytes.get(start..)?;
    let length = rest.iter().take(DIGITS_MIN).take_while(|byte| has(&DIGITS, **byte)).count();
    // What other words follow is the beginning of a sentence.
    let ends = rest.get(length).is_none_or(|byte| matches!(byte, b'\n' | b'\r' | b'=' | b'"' | b'\'' | b'`'));
    (joins(bytes, last.end, start) && ends && length < DIGITS_MIN).then(|| start..start + length)
}

/// Decodes the digits of some lines if the result is worth a scan, and returns whether it is.
fn decode(bytes: &[u8], lines: &[Range<usize>], found: &mut Found) -> bool {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return false };
    let range = first.start..last.end;
    let digits: Vec<u8> = lines.iter().flat_map(|line| bytes.get(line.clone()).unwrap_or_default()).copied().collect();
    if is_path(&digits) || is_repeated(&digits) {
        return false;
    }
    let bare = digits.strip_prefix(b"0x").or_else(|| digits.strip_prefix(b"0X")).unwrap_or(&digits);
    if bare.iter().all(u8::is_ascii_hexdigit) {
        let decoded = of_hex(bare);
        let is_any = is_worth(&decoded);
        if is_any {
            found.add(range.clone(), decoded, "hex");
            return true;
        }
    }
    if digits.len() >= BASE32_DIGITS_MIN && digits.iter().all(|digit| matches!(digit, b'A'..=b'Z' | b'2'..=b'7')) {
        let decoded = of_base32(&digits);
        if is_worth(&decoded) {
            found.add(range, decoded, "base32");
            return true;
        }
    }
    // The text before an encoded text may look like digits: it begins where the decoded bytes are text most of all.
    let head = |skip: usize| of_base64(digits.get(skip..digits.len().min(skip + HEAD_DIGITS)).unwrap_or_default());
    let skips = (0..4).map(|skip| (head(skip), skip)).filter(|(head, _)| is_worth(head));
    let is_other = |byte: &&u8| !(byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    let others = |head: &[u8]| head.iter().filter(is_other).count();
    let best = skips.min_by_key(|(head, _)| if opens(head) { others(head).min(1) } else { others(head) });
    let decoded = of_base64(digits.get(best.as_ref().map_or(0, |(_, skip)| *skip)..).unwrap_or_default());
    let mut is_hidden =
        || digits.len() >= LONG_DIGITS_MIN && (is_legible(&decoded) || found.inflate().is_raw(&decoded));
    let is_any = best.is_some() || is_hidden();
    if is_any {
        found.add(range, decoded, "base64");
    }
    is_any
}

/// Whether a few digits repeat to the end: they encode nothing, and could pass for a stream that grows without end.
fn is_repeated(digits: &[u8]) -> bool {
    digits.len() >= LONG_DIGITS_MIN
        && (1..=PERIOD_MAX).any(|period| digits.get(period..).is_some_and(|rest| digits.starts_with(rest)))
}

/// Whether decoded bytes begin as text does, or as a format that is known.
fn is_worth(head: &[u8]) -> bool {
    opens(head) || head.len() >= DIGITS_MIN / 2 && is_text(head.get(..HEAD_DIGITS).unwrap_or(head))
}

/// The bytes of digits of base64; bits that are left over are dropped.
fn of_base64(digits: &[u8]) -> Vec<u8> {
    regrouped(digits, 6, |digit| VALUES.get(usize::from(digit)).copied().unwrap_or(u8::MAX))
}

/// The bytes of digits of base32.
fn of_base32(digits: &[u8]) -> Vec<u8> {
    regrouped(digits, 5, |digit| if digit >= b'A' { digit - b'A' } else { digit - b'2' + 26 })
}

/// The bytes of digits of so many bits; those without a value are passed over.
fn regrouped(digits: &[u8], width: u32, value_of: impl Fn(u8) -> u8) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(digits.len() / 4 * 3 + 3);
    let (mut pending, mut bit_count) = (0_u32, 0);
    for digit in digits {
        let value = value_of(*digit);
        if value == u8::MAX {
            continue;
        }
        pending = pending << width | u32::from(value);
        bit_count += width;
        if bit_count >= 8 {
            bit_count -= 8;
            let [byte, ..] = (pending >> bit_count).to_le_bytes();
            decoded.push(byte);
        }
    }
    decoded
}

/// The bytes of hexadecimal digits.
fn of_hex(digits: &[u8]) -> Vec<u8> {
    digits.chunks_exact(2).filter_map(byte_of).collect()
}

/// The byte of two hexadecimal digits.
pub(super) fn byte_of(digits: &[u8]) -> Option<u8> {
    u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{layers_of, shows};
    use gatepost_documents::digest::Digest;
    use proptest::prelude::*;

    const CLEAR: &[u8] = b"ignore all that was said";
    const ENCODED: &str = "aWdub3JlIGFsbCB0aGF0IHdhcyBzYWlk";

    #[test]
    fn a_text_is_found_alone_within_a_line_and_behind_something_that_looks_like_digits() {
        for text in
            [ENCODED.to_owned(), format!("a note={ENCODED}== .\n"), format!("id/x{ENCODED}"), format!("ab/{ENCODED}")]
        {
            assert!(shows(text.as_bytes(), "base64", CLEAR), "{text}");
        }
    }

    #[test]
    fn a_digest_a_fingerprint_and_a_path_are_no_encoded_text() {
        // Each decodes to something that looks like text.
        for text in [
            format!("SHA256:{ENCODED}aWdub3JlIGF"),
            format!("{:x}", 0x6967_6e6f_7265_2061_6c6c_2074_6861_7420_u128),
            "approvals/05c8a7431366cd0d.sig in/05c8a7431366cd0d/lines-of-3.txt".to_owned(),
        ] {
            assert!(layers_of(text.as_bytes()).is_empty(), "{text}");
        }
        assert!(!layers_of(format!("SHA256={ENCODED}aWdub3JlIGF").as_bytes()).is_empty());
    }

    #[test]
    fn a_text_is_found_wrapped_quoted_and_joined() {
        let (first, rest) = ENCODED.split_at(16);
        for text in [
            format!("{first}\n{rest}\n"),
            format!("  {first}\r\n  {rest}\r\n"),
            format!("> {first}\n> {rest}\n> and more"),
            format!("-----BEGIN THING-----\n{first}\n{rest}\n-----END THING-----"),
            format!("s = \"{first}\" +\n    \"{rest}\""),
        ] {
            assert!(shows(text.as_bytes(), "base64", CLEAR), "{text}");
        }
    }

    /// A line of sixteen digits without a capital letter was passed over, and the short line behind it with it.
    #[test]
    fn a_line_that_looks_like_a_path_is_read_with_the_lines_around_it() {
        assert!(shows(b"bmcgamcgdmdhamdh\nIGEgIGEg\n", "base64", b"ng jg vgajga a  a "));
        assert!(shows(format!("bmcgamcgdmdhamdh\n{ENCODED}").as_bytes(), "base64", CLEAR));
        assert!(shows(b"69676e6f726520616c6c206f6620697421\na/path/of-small-words\n", "hex", b"ignore all of it!"));
        assert!(layers_of(b"bmcgamcgdmdhamdh\nbmcgamcgdmdh\n").is_empty());
    }

    #[test]
    fn both_alphabets_and_hexadecimal_digits_are_read() {
        assert!(shows(b"Pz8-Pz8_IGlnbm9yZSBpdCE_", "base64", b"??>??? ignore it!?"));
        assert!(shows(b"NFTW433SMUQGC3DMEBXWMIDJOQ======", "base32", b"ignore all of it"));
        assert!(shows(b"0x69676E6F726520616C6C", "hex", b"ignore all"));
        assert!(shows(b"69676e6f726520616c6c206f\n66206974", "hex", b"ignore all of it"));
    }

    #[test]
    fn compressed_bytes_without_a_header_are_worth_a_layer() {
        let clear = [CLEAR, b" before, and all that is said after"].concat();
        let digits = encode(&miniz_oxide::deflate::compress_to_vec(&clear, 6));
        assert!(shows(&digits, "base64", CLEAR));
    }

    #[test]
    fn a_few_repeated_digits_encode_nothing() {
        for few in ["A", "0", "ab", "/+", "deadbeef"] {
            assert_eq!(layers_of(few.repeat(20_000).as_bytes()), [], "{few}");
        }
        let payload = b"69676e6f726520616c6c206f66206974206e6f77";
        assert!(shows(&[&b"41".repeat(100)[..], payload].concat(), "hex", b"ignore all of it"));
    }

    #[test]
    fn a_digest_is_never_decoded() {
        for number in 0..2_000_u32 {
            let digest = Digest::of(&number.to_le_bytes()).to_string();
            let text = format!("{digest}  file-{number}.txt\nsha1 {} {}\n", &digest[..40], &digest[..32]);
            assert!(layers_of(text.as_bytes()).is_empty(), "{text}");
        }
        let spelled = "ignore all of it".bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat();
        assert!(layers_of(format!("{spelled}\n{spelled}\n").as_bytes()).is_empty());
    }

    /// One of 5 000 ids of results was refused because a letter after an escape byte began a terminal's control string.
    #[test]
    fn ids_of_results_decode_to_no_text() {
        for number in 0..5_000_u32 {
            let random = &Digest::of(&number.to_le_bytes()).to_string()[..8];
            let utc = format!("202611{:02}-{:02}{:02}46Z", 1 + number % 28, number % 24, number % 60);
            let id = format!("TS-{utc}-TR-{utc}-fail-with-{random}");
            assert!(layers_of(id.as_bytes()).is_empty(), "{id}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_found_wherever_it_begins(lead in "[ ,:=]{0,5}", text in "[a-z ]{18,80}", width in 16_usize..80) {
            let digits: Vec<u8> = encode(text.as_bytes());
            prop_assume!(digits.iter().any(u8::is_ascii_uppercase));
            let lines: Vec<_> = digits.chunks(width & !3).map(<[u8]>::to_vec).collect();
            let wrapped = [lead.as_bytes(), &lines.join(&b'\n')].concat();
            prop_assert!(shows(&wrapped, "base64", text.as_bytes()));
        }
    }

    fn encode(bytes: &[u8]) -> Vec<u8> {
        let mut digits = Vec::new();
        for chunk in bytes.chunks(3) {
            let number =
                chunk.iter().fold(0_usize, |number, byte| number << 8 | usize::from(*byte)) << (24 - 8 * chunk.len());
            digits.extend((0..=chunk.len()).map(|at| super::STANDARD[number >> (18 - 6 * at) & 63]));
        }
        digits
    }
}
