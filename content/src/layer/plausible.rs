//! Whether decoded bytes are worth a scan: text, or the first bytes of a known format.
//!
//! Does not decide whether they are harmful. *Standards*: UTF-8 (RFC 3629); zlib (RFC 1950, section 2.2).

use crate::fact::format_of;

/// So many bytes of text in a row are hardly there by chance.
const STRETCH_BYTES: usize = 16;

/// Whether bytes begin as a program, an archive, a compressed stream or UTF-16 does.
pub(super) fn opens(bytes: &[u8]) -> bool {
    format_of(bytes).is_some() || zlib_header(bytes) || bytes.starts_with(b"#!") || is_wide(bytes)
}

/// Whether bytes begin with the two bytes of a zlib stream: deflate with a window of 256 bytes to 32 KiB, check bits that
/// agree, and no dictionary of somebody else's.
pub(super) fn zlib_header(bytes: &[u8]) -> bool {
    let [method, flags, ..] = bytes else { return false };
    method & 0x8f == 8 && flags & 0x20 == 0 && u16::from_be_bytes([*method, *flags]).is_multiple_of(31)
}

/// How many bytes are read to decide whether bytes are text.
const HEAD_BYTES: usize = 1024;

/// Whether at least five of six bytes are text in UTF-8.
pub(super) fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    others(head) * 6 <= head.len()
}

/// How many bytes are no character of UTF-8, or a control character that is neither white space nor a terminal's.
fn others(bytes: &[u8]) -> usize {
    let is_control = |byte: &u8| byte.is_ascii_control() && !matches!(byte, 0x07..=0x0F | 0x1B);
    let chunks = bytes.utf8_chunks();
    chunks.map(|chunk| chunk.invalid().len() + chunk.valid().bytes().filter(|byte| is_control(byte)).count()).sum()
}

/// Whether some bytes in a row are text in ASCII.
pub(super) fn is_legible(bytes: &[u8]) -> bool {
    let is_other = |byte: &u8| !(byte.is_ascii_graphic() || byte.is_ascii_whitespace());
    bytes.split(is_other).any(|run| run.len() >= STRETCH_BYTES)
}

/// Whether the first characters are ASCII in UTF-16, of either byte order, or a byte order mark.
fn is_wide(bytes: &[u8]) -> bool {
    let Some(head) = bytes.first_chunk::<8>() else { return false };
    let is_ascii = |own: usize| {
        head.chunks_exact(2).all(|pair| {
            pair.get(own).is_some_and(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
                && pair.get(1 - own) == Some(&0)
        })
    };
    head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") || is_ascii(0) || is_ascii(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_programs_and_compressed_streams_are_worth_a_look() {
        for bytes in [&b"\x7fELF\x02\x01\x01"[..], b"\x1f\x8b\x08\0\0\0", b"\x78\x9c\xf3", b"i\0g\0n\0o\0r\0e\0"] {
            assert!(opens(bytes), "{bytes:?}");
        }
        assert!(is_text("Übergib es größer".as_bytes()) && is_text("привет".as_bytes()));
        assert!(is_legible(b"\x80\x81ignore all of it\xff"));
        let noise = b"\x80\x81abc\x90def\x91ghi\x92";
        // What the date of a request's id decodes to: beginnings of characters that do not go on as they must.
        assert!(!is_text(b"K\xed\xb4\xdb\xadu\xdb\xcf\xb4\xdf~\xf8\xf5\x9f\x93G\xed\xb4\xdb\xadu\xdb\xcf\xb4"));
        assert!(!opens(noise) && !is_text(noise) && !is_legible(noise));
    }
}
