//! A key within one to three encodings, with any bytes around them: it is found, or the decoders say that their budget ended.
//!
//! ```text
//! chain      three bytes: an encoder each, the innermost first, or none
//! inner      one byte: how many of the bytes that follow, made printable, precede the key
//! outer      the rest: on both sides of the encoded text
//! ```

#![no_main]

use std::fmt::Write as _;
use std::sync::Once;

use gatepost_content::{Place, Scan, Source};
use gatepost_documents::reason::Code;
use gatepost_fuzz::bounded;
use miniz_oxide::deflate::{compress_to_vec, compress_to_vec_zlib};

/// A key of a cloud, in two parts: no scanner takes this source for a leak.
const KEY: [&str; 2] = ["AKIA", "Q3EGJ4X7TRN5VZ2M"];
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

type Encode = fn(&[u8]) -> Vec<u8>;

/// Encoders of any bytes, and of what is printed in ASCII.
const OF_BYTES: [Encode; 7] = [base64, wrapped, base32, hex, percent, gzip, zlib];
const OF_TEXT: [Encode; 4] = [backslash, entities, little_endian, big_endian];

/// The digits of `width` bits each.
fn digits(bytes: &[u8], width: u32, alphabet: &[u8; 64]) -> Vec<u8> {
    let (mut pending, mut bit_count, mut written) = (0_u32, 0, Vec::new());
    for byte in bytes {
        (pending, bit_count) = (pending << 8 | u32::from(*byte), bit_count + 8);
        while bit_count >= width {
            bit_count -= width;
            written.push(alphabet[(pending >> bit_count) as usize & ((1 << width) - 1)]);
        }
        pending &= (1 << bit_count) - 1;
    }
    if bit_count > 0 {
        written.push(alphabet[(pending << (width - bit_count)) as usize]);
    }
    written
}

fn base64(bytes: &[u8]) -> Vec<u8> {
    digits(bytes, 6, BASE64)
}

fn wrapped(bytes: &[u8]) -> Vec<u8> {
    base64(bytes).chunks(76).collect::<Vec<_>>().join(&b'\n')
}

fn base32(bytes: &[u8]) -> Vec<u8> {
    digits(bytes, 5, BASE32)
}

fn each(bytes: &[u8], write: impl Fn(&mut String, u8) -> std::fmt::Result) -> Vec<u8> {
    let mut text = String::new();
    for byte in bytes {
        write(&mut text, *byte).expect("a string takes everything");
    }
    text.into_bytes()
}

fn hex(bytes: &[u8]) -> Vec<u8> {
    each(bytes, |text, byte| write!(text, "{byte:02x}"))
}

fn percent(bytes: &[u8]) -> Vec<u8> {
    each(bytes, |text, byte| write!(text, "%{byte:02X}"))
}

fn backslash(bytes: &[u8]) -> Vec<u8> {
    each(bytes, |text, byte| write!(text, "\\u{byte:04x}"))
}

fn entities(bytes: &[u8]) -> Vec<u8> {
    each(bytes, |text, byte| write!(text, "&#{byte};"))
}

fn little_endian(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| [*byte, 0]).collect()
}

fn big_endian(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| [0, *byte]).collect()
}

/// One member (RFC 1952) without a name; its sums are not looked at.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    [&b"\x1f\x8b\x08\0\0\0\0\0\0\xff"[..], &compress_to_vec(bytes, 6), &[0; 8]].concat()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec_zlib(bytes, 6)
}

/// Whether bytes are printed in ASCII: no encoder writes zeros as escapes or in UTF-16.
fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

fn encoded(mut bytes: Vec<u8>, chain: &[u8]) -> Vec<u8> {
    for choice in chain.iter().map(|choice| usize::from(*choice) % (OF_BYTES.len() + OF_TEXT.len() + 1)) {
        if let Some(encode) = OF_BYTES.get(choice) {
            bytes = encode(&bytes);
        } else if let Some(encode) = OF_TEXT.get(choice - OF_BYTES.len()).filter(|_| is_text(&bytes)) {
            bytes = encode(&bytes);
        }
    }
    bytes
}

fn check(chain: &[u8], inner: &[u8], outer: &[u8]) {
    let before: Vec<u8> = inner.iter().map(|byte| b' ' + byte % 95).collect();
    let text = encoded([&before, &b"\nkey "[..], KEY.concat().as_bytes(), b" end\n"].concat(), chain);
    let (ahead, behind) = outer.split_at(outer.len() / 2);
    let whole = [ahead, b"\n\n", &text, b"\n\n", behind].concat();
    let mut scan = Scan::default();
    scan.look_at(Source::new(Place::Artifact, "x"), &whole);
    let findings = scan.into_findings();
    let mut codes = findings.list().iter().map(|finding| finding.rule.class);
    assert!(
        codes.any(|code| matches!(code, Code::Secret | Code::BudgetExceeded)),
        "{:?}",
        String::from_utf8_lossy(&whole)
    );
}

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    /// The rules are compiled with the first text.
    static RULES: Once = Once::new();
    RULES.call_once(|| check(&[], b"x", b"x"));
    let Some((&[first, second, third, inner], rest)) = input.split_first_chunk() else { return };
    let (inner, outer) = rest.split_at(usize::from(inner).min(rest.len()));
    bounded(|| check(&[first, second, third], inner, outer));
});
