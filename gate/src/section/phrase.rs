//! The phrases for values in a result: numbers with their units, foreign text in code spans, links into the bundle.
//!
//! The gate's own rendering, to compare with the document. Security: the values are chosen by strangers. Standards:
//! `schemas/result.schema.md`, Phrases.

use std::fmt::Write as _;

use gatepost_documents::escape::ascii_json;

/// A value as JSON in a code span that it can neither end nor break.
pub(crate) fn json_span(value: &impl serde::Serialize) -> String {
    format!("`{}`", ascii_json(value))
}

/// A text in a code span. It is written as JSON unless it is printable ASCII, differs from any JSON and is not cut.
pub(crate) fn span(text: &str) -> String {
    let mut plain = text.bytes();
    let at_end = |text: Option<char>| matches!(text, None | Some(' '));
    let needs_json = text.starts_with('"') || at_end(text.chars().next()) || at_end(text.chars().next_back());
    if needs_json || plain.any(|byte| byte == b'`' || !(0x20..0x7f).contains(&byte)) {
        return json_span(&text);
    }
    ["`", text, "`"].concat()
}

/// A sentence in a code span, its backticks as apostrophes.
pub(crate) fn sentence(text: &str) -> String {
    span(&text.replace('`', "'"))
}

/// Joins texts.
pub(crate) fn list(texts: &[String]) -> String {
    match texts {
        [] => "nothing".to_owned(),
        texts => texts.iter().map(|text| span(text)).collect::<Vec<_>>().join(", "),
    }
}

/// A text, unless it is empty.
pub(crate) fn or_none(text: &str) -> String {
    if text.is_empty() { "none".to_owned() } else { span(text) }
}

/// A link to a file of the bundle.
pub(crate) fn link(shown: &str, path: &str) -> String {
    let mut link = span(shown);
    link.insert(0, '[');
    link.push_str("](");
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'_' | b'-' | b'+' | b'=' | b'@' | b',' | b'/' => {
                link.push(char::from(byte));
            }
            _ => {
                let _ = write!(link, "%{byte:02X}");
            }
        }
    }
    link.push(')');
    link
}

/// Whether a link could lead into a bundle: a path of valid names, without a scheme, a host or a `..`.
pub(crate) fn is_link_target(target: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+=@,".contains(&byte);
    target.split('/').all(|name| {
        let name = name.replace("%25", "");
        !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_plain)
    })
}

/// A count with its noun.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    match (count, noun.ends_with('s')) {
        (1, _) => format!("1 {noun}"),
        (_, true) => format!("{count} {noun}es"),
        (_, false) => format!("{count} {noun}s"),
    }
}

/// A size in the largest binary unit that it fills, rounded down to a tenth.
pub(crate) fn size(bytes: u64) -> String {
    let unit = ["bytes", "KiB", "MiB", "GiB", "TiB"];
    let power = (bytes.checked_ilog2().unwrap_or_default() / 10).min(4);
    let Some(unit) = unit.get(power as usize).filter(|_| power > 0) else { return counted(bytes, "byte") };
    let tenths = (u128::from(bytes) * 10) >> (10 * power);
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} {unit}"),
        (whole, tenth) => format!("{whole}.{tenth} {unit}"),
    }
}

/// Milliseconds as seconds.
pub(crate) fn seconds(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1_000, milliseconds % 1_000);
    let fraction = if rest == 0 { String::new() } else { format!(".{rest:03}") };
    format!("{seconds}{fraction} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_into_the_bundle_are_linked_to() {
        for target in
            ["request.md", "artifacts/out/a.csv", "artifacts/out/na%25C3%25AFve.txt", "approvals/0.sig", "%2525"]
        {
            assert!(is_link_target(target), "{target}");
        }
        for target in [
            "",
            "/etc/passwd",
            "//host/x",
            "https://host/x",
            "mailto:a@b",
            "../x",
            "a/../b",
            "a//b",
            "%2e%2e/x",
            ".hidden",
            "a%20b",
            "a?b",
            "a#b",
            "a\\b",
            "%25..",
        ] {
            assert!(!is_link_target(target), "{target}");
        }
    }

    #[test]
    fn sizes_and_times_have_units() {
        let sizes = [0, 1, 1023, 1 << 10, 1_500_000, 512 << 20, (8 << 30) - 1, u64::MAX].map(size);
        let shown = ["0 bytes", "1 byte", "1023 bytes", "1 KiB", "1.4 MiB", "512 MiB", "7.9 GiB", "16777215.9 TiB"];
        assert_eq!(sizes, shown);
        assert_eq!([0, 7, 60_000, 3_412].map(seconds), ["0 s", "0.007 s", "60 s", "3.412 s"]);
    }
}
