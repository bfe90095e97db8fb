//! The encoding of a page: which one it is, and its text.
//!
//! A byte order mark decides, then the head of the response, then the page itself, then UTF-8. Nothing is replaced: bytes that are not
//! of the encoding refuse the page. Pure. *Standards*: WHATWG Encoding; HTML, section 13.2.3.

use encoding_rs::{Encoding, REPLACEMENT, UTF_8, WINDOWS_1252};
use gatepost_documents::sources::Outcome;

use super::{Stop, stop};

/// The first bytes of a page, which may declare its encoding.
const PRESCAN_BYTES: usize = 1_024;

/// The name of the encoding and the text. `parameter` is the charset in the head of the response.
pub(super) fn decode(body: &[u8], is_html: bool, parameter: Option<&str>) -> Result<(&'static str, String), Stop> {
    let (encoding, body) = match (Encoding::for_bom(body), parameter) {
        (Some((encoding, length)), _) => (encoding, body.get(length..).unwrap_or_default()),
        (None, Some(label)) => (known(label.as_bytes())?, body),
        (None, None) => (own(body, is_html)?, body),
    };
    let is_wide = !encoding.is_ascii_compatible();
    if body.starts_with(b"%PDF-") || (!is_wide && body.contains(&0)) {
        return stop(Outcome::TypeNotText, "The server calls it a text, but it is binary.");
    }
    match encoding.decode_without_bom_handling_and_without_replacement(body) {
        Some(text) => Ok((encoding.name(), text.into_owned())),
        None => stop(
            Outcome::CharsetMismatch,
            format!("The page is said to be {}, and its bytes are not.", encoding.name()),
        ),
    }
}

fn known(label: &[u8]) -> Result<&'static Encoding, Stop> {
    match Encoding::for_label(label).filter(|encoding| *encoding != REPLACEMENT) {
        Some(encoding) => Ok(encoding),
        None => stop(Outcome::CharsetUnknown, "The page names an encoding that is not known."),
    }
}

/// The encoding that the page declares. For HTML without a declaration that is not UTF-8: the browsers' default.
fn own(body: &[u8], is_html: bool) -> Result<&'static Encoding, Stop> {
    if !is_html {
        return Ok(UTF_8);
    }
    match label(body.get(..PRESCAN_BYTES).unwrap_or(body)) {
        // The name was readable as ASCII, so the encoding is not UTF-16 (HTML, section 13.2.3.2).
        Some(label) => known(label).map(|encoding| if encoding.is_ascii_compatible() { encoding } else { UTF_8 }),
        None if std::str::from_utf8(body).is_ok() => Ok(UTF_8),
        None => Ok(WINDOWS_1252),
    }
}

/// The value of `charset=` within a tag `meta`.
fn label(head: &[u8]) -> Option<&[u8]> {
    let lower = head.to_ascii_lowercase();
    let tag = lower.windows(5).position(|window| window == b"<meta")?;
    let at = tag + lower.get(tag..)?.windows(8).position(|window| window == b"charset=")? + 8;
    let rest = head.get(at..)?;
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let end =
        rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b"-_:.".contains(byte))).unwrap_or(rest.len());
    rest.get(..end).filter(|label| !label.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(body: &[u8], is_html: bool, parameter: Option<&str>) -> Result<(&'static str, String), Outcome> {
        decode(body, is_html, parameter).map_err(|stop| stop.outcome)
    }

    #[test]
    fn the_encoding_is_the_one_that_the_page_has_and_nothing_is_replaced() {
        let latin = b"caf\xe9";
        for (body, is_html, parameter, expected) in [
            (&b"caf\xc3\xa9"[..], false, None, Ok(("UTF-8", "caf\u{e9}"))),
            (latin, false, Some("iso-8859-1"), Ok(("windows-1252", "caf\u{e9}"))),
            (latin, true, None, Ok(("windows-1252", "caf\u{e9}"))),
            (
                b"<meta charset='shift_jis'>\x93\xfa",
                true,
                None,
                Ok(("Shift_JIS", "<meta charset='shift_jis'>\u{65e5}")),
            ),
            (b"\xff\xfea\0", false, Some("utf-8"), Ok(("UTF-16LE", "a"))),
            (latin, false, None, Err(Outcome::CharsetMismatch)),
            (latin, true, Some("utf-8"), Err(Outcome::CharsetMismatch)),
            (b"<meta charset=utf-8>\xe9", true, None, Err(Outcome::CharsetMismatch)),
            (b"a", false, Some("utf-7"), Err(Outcome::CharsetUnknown)),
            (b"a", false, Some("iso-2022-kr"), Err(Outcome::CharsetUnknown)),
            (b"a\0b", false, None, Err(Outcome::TypeNotText)),
            (b"%PDF-1.7", false, None, Err(Outcome::TypeNotText)),
        ] {
            let expected = expected.map(|(name, text)| (name, text.to_owned()));
            assert_eq!(decoded(body, is_html, parameter), expected, "{body:?} {parameter:?}");
        }
    }
}
