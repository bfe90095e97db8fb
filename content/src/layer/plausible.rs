//! Whether decoded bytes are worth looking at: text somewhere within them, or the first bytes of a known format.
//!
//! It does not decide what is harmful. A wrong yes costs time, a wrong no hides something: it is generous.
//!
//! Security: reads hostile bytes, in one pass.
//! Standards: UTF-8 (RFC 3629); gzip (RFC 1952, section 2.3.1); zlib (RFC 1950, section 2.2).

/// So many bytes of text in a row are hardly there by chance: about one in 10⁵ places of random bytes.
const STRETCH_BYTES: usize = 12;

/// First bytes of programs, archives and documents.
const MAGIC: &[&[u8]] = &[
    b"\x7fELF",
    b"MZ",
    b"#!",
    b"PK\x03\x04",
    b"\x1f\x8b\x08",
    b"\xca\xfe\xba\xbe",
    b"\xfe\xed\xfa",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"dex\n",
    b"\0asm",
    b"\xd0\xcf\x11\xe0",
    b"%PDF",
    b"{\\rtf",
    b"BZh",
    b"\xfd7zXZ",
    b"\x28\xb5\x2f\xfd",
    b"7z\xbc\xaf",
    b"Rar!",
    b"!<arch>",
    b"\x4c\0\0\0\x01\x14\x02\0",
    b"MSCF",
    b"\x5d\0\0",
    b"LZIP",
    b"\x04\x22\x4d\x18",
    b"\x02\x21\x4c\x18",
    b"\x1f\x9d",
    b"\x89LZO",
    b"hsqs",
    b"\xff\xfe",
    b"\xfe\xff",
    b"\xef\xbb\xbf",
];

/// Whether bytes hold text or begin as a known format does.
pub(super) fn plausible(bytes: &[u8]) -> bool {
    magic(bytes) || legible(bytes) || wide(bytes)
}

/// Whether bytes begin as a program, an archive, a document or a compressed stream does.
pub(super) fn magic(bytes: &[u8]) -> bool {
    let begins = bytes.first().is_some_and(|first| BEGINS.get(usize::from(*first)).is_some_and(|begins| *begins));
    begins && MAGIC.iter().any(|magic| bytes.starts_with(magic)) || zlib_header(bytes)
}

/// The first bytes of [`MAGIC`].
static BEGINS: [bool; 256] = {
    let mut begins = [false; 256];
    let mut at = 0;
    while at < MAGIC.len() {
        begins[MAGIC[at][0] as usize] = true;
        at += 1;
    }
    begins
};

/// Whether bytes begin with the two bytes of a zlib stream: deflate with a window of 256 bytes to 32 KiB, check bits that
/// agree, and no dictionary of somebody else's.
pub(super) fn zlib_header(bytes: &[u8]) -> bool {
    let [method, flags, ..] = bytes else { return false };
    method & 0x8f == 8 && flags & 0x20 == 0 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
}

/// Whether at least [`STRETCH_BYTES`] bytes in a row are text in UTF-8; of fewer bytes, all of at least four.
pub(super) fn legible(bytes: &[u8]) -> bool {
    let wanted = STRETCH_BYTES.min(bytes.len()).max(4);
    let (mut stretch, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let length = match byte {
            b' '..=b'~' | b'\t' | b'\n' | b'\r' => 1,
            0xC3..=0xF4 => sequence(bytes, at),
            _ => 0,
        };
        if length == 0 {
            stretch = 0;
            at += 1;
        } else {
            stretch += length;
            at += length;
        }
        if stretch >= wanted {
            return true;
        }
    }
    false
}

/// Whether at least seven of eight bytes belong to characters of text in UTF-8.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let is_control = |byte: &&u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let other = bytes
        .utf8_chunks()
        .map(|chunk| chunk.invalid().len() + chunk.valid().as_bytes().iter().filter(is_control).count());
    other.sum::<usize>() * 8 <= bytes.len()
}

/// The length of the character of several bytes that begins at `at`; 0 where none does. Overlong forms and halves of
/// surrogates count as characters, which does no harm here.
fn sequence(bytes: &[u8], at: usize) -> usize {
    let continues = |offset: usize| bytes.get(at + offset).is_some_and(|byte| byte & 0xC0 == 0x80);
    match bytes.get(at) {
        Some(0xC3..=0xDF) if continues(1) => 2,
        Some(0xE0..=0xEF) if continues(1) && continues(2) => 3,
        Some(0xF0..=0xF4) if continues(1) && continues(2) && continues(3) => 4,
        _ => 0,
    }
}

/// Whether at least eight ASCII characters in a row stand in UTF-16, of either byte order.
pub(super) fn wide(bytes: &[u8]) -> bool {
    let Some(first) = memchr::memchr(0, bytes) else { return false };
    let mut pairs = 0;
    let mut last_zero = None;
    for (at, byte) in bytes.iter().enumerate().skip(first) {
        match (byte, last_zero) {
            (0, Some(zero)) if at == zero + 2 => {
                pairs += 1;
                last_zero = Some(at);
                if pairs >= 7 {
                    return true;
                }
            }
            (0, _) => {
                pairs = 0;
                last_zero = Some(at);
            }
            (b' '..=b'~' | b'\t' | b'\n' | b'\r', _) => {}
            _ => last_zero = None,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_programs_and_compressed_streams_are_worth_a_look() {
        for bytes in [
            &b"\x80\x81ignore all of it\xff"[..],
            "Übergib es größer".as_bytes(),
            "привет".as_bytes(),
            b"M\0Zxxxxi\0g\0n\0o\0r\0e\0 \0m\0e\0",
            b"\x7fELF\x02\x01\x01",
            b"\x1f\x8b\x08\0\0\0",
            b"\x78\x9c\xf3",
            b"short",
        ] {
            assert!(plausible(bytes), "{bytes:?}");
        }
        for bytes in [
            &b""[..],
            b"a",
            b"\x80\x81abc\x90def\x91ghi\x92",
            b"\x01\0\x02\0\x03\0\x04\0\x05\0\x06\0\x07\0\x08\0\x09\0",
        ] {
            assert!(!plausible(bytes), "{bytes:?}");
        }
    }
}
