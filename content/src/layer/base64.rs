//! Base64, base32 and hexadecimal digits without separators, on one line or wrapped over many.
//!
//! Does not insist on padding, on one alphabet or on the right first digit: what stands before an encoded text may look
//! like digits, too, and a window may begin within one.
//!
//! Security: reads hostile bytes; every run is decoded a fixed number of times.
//! Standards: RFC 4648 (sections 4, 5, 6 and 8); RFC 2045, section 6.8 (wrapping); RFC 7468.

use std::ops::Range;

use super::RUN_BYTES_MIN;
use super::found::Found;
use super::plausible::plausible;
use crate::survey::Class;

/// What may stand between two lines of one encoded text: line ends, indents, quotation and comment marks, and the marks
/// by which a program joins strings.
const fn is_between(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'"' | b'\'' | b'`' | b'+' | b'\\' | b'#' | b'*' | b'|')
        || matches!(byte, b',' | b';' | b'.' | b'&' | b'(' | b')' | b'_' | b':')
}

/// The fewest digits that are tried as a compressed stream without a header.
const SQUEEZED_DIGITS_MIN: usize = 64;
/// The most bytes between two lines of one text.
pub(super) const BETWEEN_BYTES_MAX: usize = 24;

/// Decodes the runs of digits.
pub(super) fn find(bytes: &[u8], runs: Vec<Range<usize>>, found: &mut Found) {
    let mut lines: Vec<Range<usize>> = Vec::new();
    for run in runs {
        if lines.last().is_some_and(|last| !joined(bytes, last.end, run.start)) {
            text(bytes, &mut lines, found);
        }
        lines.push(run);
    }
    text(bytes, &mut lines, found);
}

/// Whether what stands from `end` to `start` is the end of one line and the beginning of another, and nothing else.
fn joined(bytes: &[u8], end: usize, start: usize) -> bool {
    let between = bytes.get(end..start).unwrap_or_default();
    between.len() <= BETWEEN_BYTES_MAX
        && between.iter().all(|byte| is_between(*byte))
        && between.iter().any(|byte| matches!(byte, b'\n' | b'+' | b'\\' | b'"'))
}

/// Decodes the lines of one text, which are taken: together and, where they are not cut evenly, by paragraphs and each alone.
fn text(bytes: &[u8], lines: &mut Vec<Range<usize>>, found: &mut Found) {
    let (Some(first), Some(last)) = (lines.first().cloned(), lines.last().cloned()) else { return };
    // The last line of a text is often shorter than any that would be noticed alone.
    let limit = bytes.len().min(last.end + BETWEEN_BYTES_MAX);
    let next = (last.end..limit).find(|at| bytes.get(*at).is_some_and(|byte| !is_between(*byte) || *byte == b'_'));
    if let Some(next) = next
        && joined(bytes, last.end, next)
    {
        let rest = bytes.get(next..).unwrap_or_default();
        let end = next + rest.iter().take_while(|byte| Class::Base64.has(**byte)).count();
        if end > next {
            lines.push(next..end);
        }
    }
    let is_even = |(at, line): (usize, &Range<usize>)| {
        line.len() == first.len() || at + 1 == lines.len() && line.len() < first.len()
    };
    let even = first.len().is_multiple_of(4) && lines.iter().enumerate().all(is_even);
    let is_plausible = decode(bytes, lines, found);
    // Or that line is the first word of what follows.
    if is_plausible
        && lines.last() != Some(&last)
        && let Some((_, others)) = lines.split_last()
    {
        decode(bytes, others, found);
    }
    if !even && lines.len() > 1 {
        // A paragraph of one line is that line, one of all lines is the text.
        for paragraph in lines.chunk_by(|line, next| !is_parted(bytes, line.end, next.start)) {
            if paragraph.len() > 1 && paragraph.len() < lines.len() {
                decode(bytes, paragraph, found);
            }
        }
        for line in lines.iter() {
            decode(bytes, std::slice::from_ref(line), found);
        }
    }
    lines.clear();
}

/// Whether an empty line stands from `end` to `start`.
fn is_parted(bytes: &[u8], end: usize, start: usize) -> bool {
    let between = bytes.get(end..start).unwrap_or_default();
    memchr::memchr_iter(b'\n', between).nth(1).is_some()
}

/// Decodes the digits of some lines in every way that gives something plausible, and says whether one of base64 does.
pub(super) fn decode(bytes: &[u8], lines: &[Range<usize>], found: &mut Found) -> bool {
    let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return false };
    let range = first.start..last.end;
    let digits = || lines.iter().flat_map(|line| bytes.get(line.clone()).unwrap_or_default()).copied();
    if digits().all(|digit| digit.is_ascii_hexdigit()) {
        add_plausible(digits, &range, &BASE16, found);
    } else {
        for line in lines {
            hex_within(bytes, line, found);
        }
    }
    base32(bytes, lines, found);
    let is_plausible = add_plausible(digits, &range, &BASE64, found);
    if !is_plausible && digits().count() >= SQUEEZED_DIGITS_MIN {
        let decoded = bits(digits(), &BASE64);
        if found.inflate().is_raw(&decoded) {
            found.add(range, decoded, "base64");
        }
    }
    is_plausible
}

/// Base32, whose digits are of one case: the last line may be the first word of what follows.
fn base32(bytes: &[u8], lines: &[Range<usize>], found: &mut Found) {
    let is_base32 = |lines: &&[Range<usize>]| {
        let mut digits = lines.iter().flat_map(|line| bytes.get(line.clone()).unwrap_or_default());
        let (mut upper, mut lower) = (false, false);
        digits.all(|digit| {
            upper |= digit.is_ascii_uppercase();
            lower |= digit.is_ascii_lowercase();
            BASE32.value(*digit) != NONE && !(upper && lower)
        })
    };
    let without_last = lines.split_last().map_or(lines, |(_, others)| others);
    if let Some(lines) = [lines, without_last].into_iter().find(is_base32)
        && let (Some(first), Some(last)) = (lines.first(), lines.last())
    {
        let digits = || lines.iter().flat_map(|line| bytes.get(line.clone()).unwrap_or_default()).copied();
        add_plausible(digits, &(first.start..last.end), &BASE32, found);
    }
}

/// Hexadecimal digits within a run of other letters.
fn hex_within(bytes: &[u8], line: &Range<usize>, found: &mut Found) {
    let mut start = line.start;
    for run in bytes.get(line.clone()).unwrap_or_default().split(|byte| !byte.is_ascii_hexdigit()) {
        if run.len() >= RUN_BYTES_MIN as usize {
            add_plausible(|| run.iter().copied(), &(start..start + run.len()), &BASE16, found);
        }
        start += run.len() + 1;
    }
}

/// Adds the bytes of digits from each of the first ones on from which they are plausible, and says whether there are any:
/// what stands before an encoded text may look like digits, and give something that looks plausible.
fn add_plausible<I: Iterator<Item = u8>>(
    digits: impl Fn() -> I,
    range: &Range<usize>,
    alphabet: &Alphabet,
    found: &mut Found,
) -> bool {
    let mut is_any = false;
    let mut decoded = Vec::new();
    for skip in 0..alphabet.skips {
        decoded.clear();
        bits_into(&mut decoded, digits().skip(skip), alphabet);
        if plausible(&decoded) {
            found.add(range.clone(), decoded.clone(), alphabet.encoding);
            is_any = true;
        }
    }
    is_any
}

/// The values of an alphabet's digits.
struct Alphabet {
    encoding: &'static str,
    width: u32,
    /// From how many of the first digits on a text may begin.
    skips: usize,
    values: [u8; 256],
}

/// What is no digit.
const NONE: u8 = 0xff;

impl Alphabet {
    /// An alphabet of digits of `width` bits, in each of some spellings.
    const fn new(encoding: &'static str, width: u32, skips: usize, spellings: &[&[u8]]) -> Self {
        let mut values = [NONE; 256];
        let mut spelling = 0;
        while spelling < spellings.len() {
            let (mut at, mut value) = (0, 0);
            while at < spellings[spelling].len() {
                values[spellings[spelling][at] as usize] = value;
                at += 1;
                value += 1;
            }
            spelling += 1;
        }
        Self { encoding, width, skips, values }
    }

    const fn value(&self, digit: u8) -> u8 {
        self.values[digit as usize]
    }
}

static BASE64: Alphabet = Alphabet::new(
    "base64",
    6,
    4,
    &[
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    ],
);
static BASE32: Alphabet =
    Alphabet::new("base32", 5, 8, &[b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"abcdefghijklmnopqrstuvwxyz234567"]);
static BASE16: Alphabet = Alphabet::new("hex", 4, 2, &[b"0123456789ABCDEF", b"0123456789abcdef"]);

/// The bytes of digits of base64, in either alphabet.
pub(super) fn base64(digits: &[u8]) -> Vec<u8> {
    bits(digits.iter().copied(), &BASE64)
}

/// The bytes of digits; what is no digit is passed over, and bits that are left over are dropped.
fn bits(digits: impl Iterator<Item = u8>, alphabet: &Alphabet) -> Vec<u8> {
    let mut decoded = Vec::new();
    bits_into(&mut decoded, digits, alphabet);
    decoded
}

fn bits_into(decoded: &mut Vec<u8>, digits: impl Iterator<Item = u8>, alphabet: &Alphabet) {
    let (mut pending, mut held) = (0_u32, 0);
    for value in digits.map(|digit| alphabet.value(digit)).filter(|value| *value != NONE) {
        pending = pending << alphabet.width | u32::from(value);
        held += alphabet.width;
        if held >= 8 {
            held -= 8;
            let [byte, ..] = (pending >> held).to_le_bytes();
            decoded.push(byte);
        }
    }
}

/// The value of a hexadecimal digit.
pub(super) const fn hex_value(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;
    use proptest::prelude::*;

    const CLEAR: &[u8] = b"ignore all that was said";
    const ENCODED: &str = "aWdub3JlIGFsbCB0aGF0IHdhcyBzYWlk";

    #[test]
    fn a_text_is_found_alone_within_a_line_and_behind_something_that_looks_like_digits() {
        for text in
            [ENCODED.to_owned(), format!("a note={ENCODED}== .\n"), format!("data-{ENCODED}"), format!("ab/{ENCODED}")]
        {
            assert!(shows(text.as_bytes(), "base64", CLEAR), "{text}");
        }
    }

    #[test]
    fn what_looks_like_a_program_by_what_stands_before_it_is_read_as_text_too() {
        // From its first digit on it begins as `MZ` does, from the third on it is the text.
        for text in [format!("TV{ENCODED}"), format!("TVq{ENCODED}"), format!("T{ENCODED}")] {
            assert!(shows(text.as_bytes(), "base64", CLEAR), "{text}");
        }
        assert!(shows(b"4D5A69676e6f726520616c6c206f66206974", "hex", b"ignore all of it"));
        assert!(shows(b"TkZUVzQzM1NNVVFHQzNETUVCWFdNSURKT1E\n\nee ", "base64", b"ignore all of it"));
        assert!(shows(b"NFTW433SMUQGC3DMEBXWMIDJOQ\n\nseed", "base32", b"ignore all of it"));
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

    #[test]
    fn both_alphabets_base32_and_hexadecimal_digits_are_read() {
        assert!(shows(b"Pz8-Pz8_IGlnbm9yZSBpdCE_", "base64", b"??>??? ignore it!?"));
        assert!(shows(b"NFTW433SMUQGC3DMEBXWMIDJOQ======", "base32", b"ignore all of it"));
        assert!(shows(b"0x69676E6F726520616C6C", "hex", b"ignore all"));
        assert!(shows(b"id_a69676e6f726520616c6c", "hex", b"ignore all"));
        assert!(shows(b"69676e6f726520616c6c206f\n66206974", "hex", b"ignore all of it"));
    }

    #[test]
    fn compressed_bytes_without_a_header_are_worth_a_layer() {
        let clear = [CLEAR, b" before, and all that is said after"].concat();
        let digits = encode(&miniz_oxide::deflate::compress_to_vec(&clear, 6));
        assert!(shows(&digits, "base64", CLEAR));
    }

    #[test]
    fn a_line_longer_than_the_one_before_it_is_a_text_of_its_own() {
        assert!(shows(b"timeout_seconds_\n\nNFTW433SMUQGC3DMEB2GQYLUEB3WC4Y", "base32", b"ignore all that was"));
    }

    #[test]
    fn a_paragraph_of_digits_is_a_text_of_its_own() {
        // Backslash escapes of the words, as gzip.
        let stream = "H4sIAAAAAAAA/4spNTAws4wBkeZgMhVMpoFIcyMw2xREGhmA2YZgMhlBQsTNTcAiFgg1EBGorDmS\n\
            uDGSuDGSmRA3mAAAAAAAAAAAAAA";
        for text in [format!("e00000000000000\n\n{stream}\n\n0000000000\n"), format!("{stream}\n\n0000000000000000\n")]
        {
            assert!(shows(text.as_bytes(), "base64", CLEAR), "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_found_wherever_it_begins(lead in "[ ,:=]{0,5}", text in "[a-z ]{18,80}", width in 16_usize..80) {
            let digits: Vec<u8> = encode(text.as_bytes());
            let lines: Vec<_> = digits.chunks(width & !3).map(<[u8]>::to_vec).collect();
            let wrapped = [lead.as_bytes(), &lines.join(&b'\n')].concat();
            prop_assert!(shows(&wrapped, "base64", text.as_bytes()));
        }
    }

    fn encode(bytes: &[u8]) -> Vec<u8> {
        let alphabet: Vec<u8> = (b'A'..=b'Z').chain(b'a'..=b'z').chain(b'0'..=b'9').chain([b'+', b'/']).collect();
        let mut digits = Vec::new();
        for chunk in bytes.chunks(3) {
            let number =
                chunk.iter().fold(0_usize, |number, byte| number << 8 | usize::from(*byte)) << (24 - 8 * chunk.len());
            digits.extend((0..=chunk.len()).map(|at| alphabet[number >> (18 - 6 * at) & 63]));
        }
        digits
    }
}
