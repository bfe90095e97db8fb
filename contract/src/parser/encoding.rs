//! Decodes an XML document from its own encoding.
//!
//! ```text
//! byte order mark ▶ first bytes ▶ the encoding that the declaration names ▶ text
//! ```
//!
//! *Security*: hostile bytes; bytes that do not fit the encoding are an error and never replaced. *Standards*: XML 1.0, section 4.3.3
//! and appendix F; the labels are those of the WHATWG Encoding Standard, except the two that it maps to windows-1252.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::{BOM, ParseError, malformed};

/// The bytes in which a declaration is looked for.
const DECLARATION_BYTES_MAX: usize = 1_024;

/// The document as text, without its byte order mark.
pub(super) fn decode(raw: &[u8]) -> Result<Cow<'_, str>, ParseError> {
    let fault = |fault| malformed("XML", fault, raw, 0);
    let (family, rest) = match raw {
        [0xfe, 0xff, rest @ ..] => (UTF_16BE, rest),
        [0xff, 0xfe, rest @ ..] => (UTF_16LE, rest),
        [0, b'<', 0, ..] => (UTF_16BE, raw),
        [b'<', 0, next, ..] if *next != 0 => (UTF_16LE, raw),
        _ => (UTF_8, raw.strip_prefix(BOM).unwrap_or(raw)),
    };
    let is_marked = rest.len() < raw.len();
    let declared = if family == UTF_8 {
        label(rest)
    } else {
        label(family.decode_without_bom_handling(&rest[..rest.len().min(DECLARATION_BYTES_MAX)]).0.as_bytes())
    };
    let declared = declared.map(|label| Declared::read(&label).ok_or_else(|| fault("its encoding is not supported")));
    let encoding = match declared.transpose()? {
        None => Declared::Label(family),
        Some(declared) if is_marked || family != UTF_8 => {
            if !declared.agrees(family) {
                return Err(fault("its first bytes contradict the encoding that it declares"));
            }
            Declared::Label(family)
        }
        Some(Declared::Label(encoding)) if encoding == UTF_16BE || encoding == UTF_16LE => {
            return Err(fault("its first bytes contradict the encoding that it declares"));
        }
        Some(declared) => declared,
    };
    let text = match encoding {
        Declared::Ascii => rest.is_ascii().then(|| String::from_utf8_lossy(rest)),
        Declared::Latin1 => Some(encoding_rs::mem::decode_latin1(rest)),
        Declared::Label(encoding) if encoding == UTF_8 => {
            let at =
                |error: std::str::Utf8Error| ParseError::NotUtf8 { at: raw.len() - rest.len() + error.valid_up_to() };
            return std::str::from_utf8(rest).map(Cow::Borrowed).map_err(at);
        }
        Declared::Label(encoding) => encoding.decode_without_bom_handling_and_without_replacement(rest),
    };
    text.ok_or_else(|| fault("its bytes are not valid in its encoding"))
}

/// An encoding that a declaration names.
enum Declared {
    Ascii,
    Latin1,
    Label(&'static Encoding),
}

impl Declared {
    fn read(label: &[u8]) -> Option<Self> {
        match label.to_ascii_lowercase().as_slice() {
            b"us-ascii" | b"ascii" => Some(Self::Ascii),
            b"iso-8859-1" | b"latin1" => Some(Self::Latin1),
            _ => Encoding::for_label_no_replacement(label).map(Self::Label),
        }
    }

    /// Whether a document whose first bytes are of this family may declare this encoding.
    fn agrees(&self, family: &'static Encoding) -> bool {
        let is_utf16 = |encoding: &'static Encoding| encoding == UTF_16BE || encoding == UTF_16LE;
        matches!(self, Self::Label(encoding) if *encoding == family || is_utf16(encoding) && is_utf16(family))
    }
}

/// The encoding that the declaration at the beginning of a document names.
fn label(text: &[u8]) -> Option<Vec<u8>> {
    let text = &text[..text.len().min(DECLARATION_BYTES_MAX)];
    let declaration = text.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memmem::find(declaration, b"?>")?];
    let value = &declaration[memchr::memmem::find(declaration, b"encoding")? + b"encoding".len()..];
    let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first().filter(|(quote, _)| matches!(quote, b'"' | b'\''))?;
    Some(value[..memchr::memchr(*quote, value)?].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(encoding: &str, rest: &[u8]) -> Vec<u8> {
        [format!("<?xml version='1.0' encoding=\"{encoding}\"?>").as_bytes(), rest].concat()
    }

    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn a_document_is_read_in_its_encoding() {
        for (raw, expected) in [
            ("<é/>".into(), "<é/>"),
            ("\u{feff}<é/>".into(), "<é/>"),
            (declared("utf-8", "<é/>".as_bytes()), "<é/>"),
            (declared("US-ASCII", b"<a/>"), "<a/>"),
            (declared("ISO-8859-1", b"<a>\xe9\x80</a>"), "<a>é\u{80}</a>"),
            (declared("windows-1252", b"<a>\xe9\x80</a>"), "<a>é€</a>"),
            (declared("ISO-8859-15", b"<a>\xa4</a>"), "<a>€</a>"),
            (declared("Shift_JIS", b"<a>\x93\xfa\x96{</a>"), "<a>日本</a>"),
            (utf16("\u{feff}<é>😀</é>", u16::to_le_bytes), "<é>😀</é>"),
            (utf16("\u{feff}<é/>", u16::to_be_bytes), "<é/>"),
            (utf16("<?xml version='1.0' encoding='UTF-16LE'?><é/>", u16::to_le_bytes), "<é/>"),
            (utf16("<?xml version='1.0' encoding='utf-16'?><é/>", u16::to_be_bytes), "<é/>"),
        ] {
            let text = decode(&raw).unwrap();
            assert_eq!(text.split("?>").last(), Some(expected));
        }
    }

    #[test]
    fn bytes_that_are_not_in_the_encoding_are_refused() {
        for raw in [
            b"<a>\xe9</a>".to_vec(),
            declared("utf-8", b"<a>\xe9</a>"),
            declared("us-ascii", "<é/>".as_bytes()),
            declared("Shift_JIS", b"<a>\x93</a>"),
            declared("utf-16", b"<a/>"),
            declared("utf-32", b"<a/>"),
            declared("no-such", b"<a/>"),
            declared("iso-2022-kr", b"<a/>"),
            [BOM, &declared("iso-8859-1", b"<a/>")].concat(),
            utf16("\u{feff}<?xml version='1.0' encoding='utf-8'?><a/>", u16::to_le_bytes),
            b"\xff\xfe<\0a".to_vec(),
            b"\xff\xfe\x00\xd8<\0".to_vec(),
            b"\0\0\xfe\xff\0\0\0<".to_vec(),
        ] {
            // Text may still be invalid XML: the parser reports that.
            let text = decode(&raw);
            assert!(
                text.as_ref().is_err() || text.as_ref().is_ok_and(|text| !text.ends_with("/a>")),
                "{raw:?}: {text:?}"
            );
        }
    }
}
