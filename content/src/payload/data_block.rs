//! Script elements that hold data: a browser runs nothing in them.
//!
//! ```text
//! <script type="application/ld+json">{"@context": "https://schema.org"}</script>
//! ```
//!
//! *Security*: hostile markup of one neighbourhood, in one pass; an attribute counts only where a browser sees one, and one
//! element further on that may run keeps the finding. *Standards*: HTML Living Standard, 4.12.1 "The script element", "data block".

use std::ops::Range;

/// The types of data, besides those that end in `+json`.
const DATA: &[&str] =
    &["application/json", "text/json", "text/plain", "text/markdown", "text/x-template", "text/template"];

/// The range if from it on there is an element that may run.
pub(super) fn acts(text: &[u8], found: Range<usize>) -> Option<Range<usize>> {
    let rest = text.get(found.start..)?;
    let may_run = |at: usize| {
        let tag = rest.get(at + 1..).unwrap_or_default();
        let name = tag.iter().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_')).count();
        let (name, attributes) = tag.split_at_checked(name).unwrap_or_default();
        let local = name.rsplit(|byte| *byte == b':').next().unwrap_or_default();
        local.eq_ignore_ascii_case(b"script") && !is_data(attributes)
    };
    memchr::memchr_iter(b'<', rest).any(may_run).then_some(found)
}

/// Whether the first attribute of that name says that the type is one of data.
fn is_data(mut attributes: &[u8]) -> bool {
    loop {
        let start = attributes.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b'/');
        attributes = start.and_then(|start| attributes.get(start..)).unwrap_or_default();
        let length = attributes.iter().position(|byte| byte.is_ascii_whitespace() || b"=/>".contains(byte));
        let Some((name, rest)) = length.filter(|length| *length > 0).and_then(|at| attributes.split_at_checked(at))
        else {
            return false;
        };
        let Some(given) = rest.trim_ascii_start().strip_prefix(b"=") else {
            attributes = rest;
            continue;
        };
        let Some((value, behind)) = value(given.trim_ascii_start()) else { return false };
        if name.eq_ignore_ascii_case(b"type") {
            let value = value.trim_ascii();
            let is_json = value.last_chunk::<5>().is_some_and(|end| end.eq_ignore_ascii_case(b"+json"));
            return is_json || DATA.iter().any(|known| value.eq_ignore_ascii_case(known.as_bytes()));
        }
        attributes = behind;
    }
}

/// A value with its quotation marks or without, and what follows it.
fn value(given: &[u8]) -> Option<(&[u8], &[u8])> {
    if let Some((mark, inner)) = given.split_first().filter(|(mark, _)| matches!(mark, b'"' | b'\'')) {
        let end = inner.iter().position(|byte| byte == mark)?;
        return Some((inner.get(..end)?, inner.get(end + 1..)?));
    }
    given.split_at_checked(given.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?)
}

#[cfg(test)]
mod tests {
    use super::acts;

    fn runs(text: &str) -> bool {
        acts(text.as_bytes(), 0..7).is_some()
    }

    #[test]
    fn a_block_of_data_runs_nothing() {
        for text in [
            "<script type=\"application/ld+json\">{\"url\": \"https://shop.example.net/\"}</script><p>text</p>",
            "<SCRIPT id=state TYPE='application/json'>{\"next\": \"https://example.net/2\"}</SCRIPT>",
            "<script async type=application/geo+json >{}</script>\n<script\n  type = \"text/x-template\">{{ x }}</script>",
        ] {
            assert!(!runs(text), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_block_of_data_runs() {
        for text in [
            "<script>fetch('https://example.net/')</script>",
            "<script data-type=\"application/json\">x()</script>",
            "<script title=' type=application/json '>x()</script>",
            "<script type=\"module\" type=\"application/json\">x()</script>",
            "<script type=\"application/json\">{}</script><script>x()</script>",
            "<script type=\"application/json\">{}</script><svg:script>x()</svg:script>",
            "<script type=\"application/json",
            "<script type=\"text/javascript\">x()</script>",
        ] {
            assert!(runs(text), "{text}");
        }
    }
}
