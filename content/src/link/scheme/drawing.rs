//! Drawings (SVG) that an address holds, of which those that neither act nor load anything are told from the others.
//!
//! A drawing is read whole or not at all: what acts may stand behind any number of lines. *Security*: hostile bytes; a drawing is
//! read up to the next `data:` at most, so that all of them together are read once. *Standards*: RFC 2397, SVG 2.

use memchr::memmem;

use crate::link::carried::{from_base64, percent_decoded};

/// The longest drawing that is read, bytes.
const DRAWING_BYTES_MAX: usize = 64 << 10;

/// How the kind of a drawing begins.
const KIND: &[u8] = b"image/svg";

/// What every drawing names and none loads.
const NAMESPACE: &str = "http://www.w3.org/";

/// What acts, loads, or stands for letters that nobody sees.
const ACTS: [&str; 8] = ["//", "http", "&", "<!", "<?xml-s", "script", "foreignobject", "\\"];

/// Whether the address that begins at `start`, with its kind at `kind`, is a drawing that does nothing but be seen.
pub(super) fn is_inert(bytes: &[u8], start: usize, kind: usize) -> bool {
    let Some((kind, body)) = whole(bytes, start, kind).and_then(|address| {
        let comma = address.iter().take(64).position(|byte| *byte == b',')?;
        Some((address.get(..comma)?.to_ascii_lowercase(), address.get(comma + 1..)?))
    }) else {
        return false;
    };
    let mut parts = kind.split(|byte| *byte == b';');
    // Where letters were joined, a plus is lost.
    let is_kind = matches!(parts.next(), Some(b"image/svg+xml" | b"image/svgxml"));
    let is_plain = |part: &[u8]| matches!(part, b"base64" | b"utf8" | b"charset=utf8" | b"charset=utf-8");
    if !is_kind || !parts.all(is_plain) {
        return false;
    }
    let plain = percent_decoded(body);
    let drawing = if kind.ends_with(b";base64") { undone(&plain) } else { Some(plain) };
    drawing.is_some_and(|drawing| is_seen_only(&drawing.to_ascii_lowercase()))
}

/// All of an address behind its scheme, to the end of what was opened before it: a quotation mark, a bracket, a tag.
fn whole(bytes: &[u8], start: usize, behind: usize) -> Option<&[u8]> {
    let rest = bytes.get(behind..)?;
    if !rest.get(..KIND.len())?.eq_ignore_ascii_case(KIND) {
        return None;
    }
    let before = bytes.get(start.saturating_sub(8)..start)?.trim_ascii_end().last();
    let mut depth = 0_usize;
    for (at, byte) in rest.iter().enumerate().take(DRAWING_BYTES_MAX) {
        let ends = match before {
            Some(quote @ (b'"' | b'\'')) => byte == quote,
            Some(b'<') => *byte == b'>',
            Some(b'(') => *byte == b')' && depth == 0,
            _ => byte.is_ascii_whitespace() || matches!(byte, b'"' | b'<' | b'>' | b'`'),
        };
        let head = rest.get(..at)?;
        if ends {
            return Some(head);
        }
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b':' if head.len() >= 4 && head.get(at - 4..)?.eq_ignore_ascii_case(b"data") => return None,
            _ => {}
        }
    }
    (rest.len() <= DRAWING_BYTES_MAX).then_some(rest)
}

/// What base64 stands for, unless digits may hide behind its end.
fn undone(digits: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = digits.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let end = digits.iter().position(|byte| !is_digit(byte)).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at(end);
    let hides = !matches!(rest, b"\\" | b"=\\" | b"==\\") && rest.iter().any(|byte| matches!(byte, b'&' | b'\\'));
    if hides && !rest.trim_ascii_start().starts_with(b"&quot;") { None } else { from_base64(digits) }
}

/// Whether a drawing, in lower case, neither acts nor loads.
fn is_seen_only(low: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(low).map(|text| text.replace(NAMESPACE, "")) else { return false };
    (text.starts_with("<svg") || text.starts_with("<?xml"))
        && !ACTS.iter().any(|word| text.contains(word))
        && !memmem::find_iter(text.as_bytes(), b"on").any(|at| is_handler(text.as_bytes(), at))
}

/// Whether the name of what is done on an event stands there, as an attribute or as the value of one.
fn is_handler(text: &[u8], at: usize) -> bool {
    let (before, name) = text.split_at(at);
    let begins = before.last().is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'"' | b'\''));
    let length = name.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let ends = name.get(length..).unwrap_or_default().trim_ascii_start().first();
    begins && matches!(ends, Some(b'=' | b'"' | b'\''))
}

#[cfg(test)]
mod tests {
    fn is_inert(text: &str) -> bool {
        let start = text.find("data:").unwrap();
        super::is_inert(text.as_bytes(), start, start + 5)
    }

    fn in_base64(text: &str) -> String {
        const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let digits = text.as_bytes().chunks(3).flat_map(|three| {
            let bits =
                three.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte)) << (24 - 8 * three.len());
            (0..=three.len()).map(move |at| char::from(DIGITS[bits >> (18 - 6 * at) & 63]))
        });
        digits.collect()
    }

    #[test]
    fn a_drawing_that_acts_or_loads_is_not_inert_in_any_encoding() {
        let long = format!("<svg><path d=\"{}\"/><g onclick='a()'/></svg>", "M0 0h9 ".repeat(200));
        for drawing in [
            "<svg\nonload=\"fetch(1)\"/>",
            "<svg/onload='a()'/>",
            "<svg><image href=\"//e.example/a.png?d=secret\"/></svg>",
            "<svg style='fill:url(\"https:e.example/a\")'/>",
            "<svg><image href = \"http://e.example/a\"/></svg>",
            "<svg><a href=\"&#104;ttp:e\"/></svg>",
            "<?xml version=\"1.0\"?><?xml-stylesheet href=\"//e.example/a\"?><svg/>",
            "<svg><set attributeName=\"onclick\" to=\"a()\"/></svg>",
            "<svg><foreignObject/></svg>",
            &long,
        ] {
            let escaped = drawing.bytes().map(|byte| format!("%{byte:02X}")).collect::<Vec<_>>().concat();
            for text in [
                format!("![x](data:image/svg+xml;base64,{})", in_base64(drawing)),
                format!("<a href=\"data:image/svg+xml;base64,{}\">", in_base64(drawing)),
                format!("[open](data:image/svg+xml,{escaped})"),
            ] {
                assert!(!is_inert(&text), "{drawing} {text}");
            }
        }
        for text in [
            "<a href=\"data:image/svg+xml,%3Csvg onload=a()%3E\">",
            "[a](<data:image/svg+xml,%3Csvg%3E %3Cg onclick=a()%3E>)",
            "<a href=\"data:image/svg+xmlx,%3Csvg/%3E\">",
            "<a href=\"data:image/svg+xml;charset=utf-7,%3Csvg/%3E\">",
            "<a href=\"data:image/svg+xml;base64,PHN2Zy8+&#80;HN2Zy8+\">",
        ] {
            assert!(!is_inert(text), "{text}");
        }
    }

    #[test]
    fn a_drawing_that_is_only_seen_is_inert() {
        let drawing = "<svg xmlns=\"http://www.w3.org/2000/svg\"><title>switched on</title><path d=\"M0 0h9\"/></svg>";
        for text in [
            format!("<img src=\"data:image/svg+xml;base64,{}\">", in_base64(drawing)),
            format!("![a](data:image/svg+xml;base64,{}) see https://h.example/", in_base64(drawing)),
            "url(\"data:image/svg+xml,%3csvg xmlns='http://www.w3.org/2000/svg' fill='url(%23a)'/%3e\")".to_owned(),
            "url(data:image/svg+xml;charset=utf8,%3Csvg%20width='1'/%3E)}b{c:url(//h.example/)}".to_owned(),
        ] {
            assert!(is_inert(&text), "{text}");
        }
    }
}
