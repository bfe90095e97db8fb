//! Forms with values filled in, images of a pixel, network shares in links, and formulas that fetch.
//!
//! *Security*: hostile bytes; looks a bounded way ahead of each keyword. *Standards*: HTML, sections 4.10 and 4.8.4; `OpenFormula`
//! 1.2, section 6 (HYPERLINK).

use std::ops::Range;

use memchr::memmem;

use super::carried::{Carried, carried, encoded_text, escapes_letters, words};
use super::naming::is_private;
use super::placeholder::{Gap, gap};
use super::rule;
use super::setting::{Setting, setting};
use crate::rule::Hit;
use crate::rule::Strength::{Addressed, Mentioned};

/// How far a form or a formula is read, bytes.
const AHEAD_BYTES_MAX: usize = 2048;

/// The beginnings of formulas that fetch something, or make a link of what they are given.
pub(super) const FORMULAS: [&str; 9] = [
    "hyperlink(",
    "webservice(",
    "importxml(",
    "importdata(",
    "importhtml(",
    "importfeed(",
    "importrange(",
    "image(",
    "filterxml(",
];

/// A form that leads elsewhere and has values in it already.
pub(super) fn form(bytes: &[u8], tag: Range<usize>) -> Option<Hit> {
    let ahead = ahead(bytes, tag.end);
    let low = ahead.to_ascii_lowercase();
    let end = memmem::find(&low, b"</form").or_else(|| memmem::find(low.get(1..)?, b"<form")).unwrap_or(low.len());
    let form = low.get(..end)?;
    let action = memmem::find(form, b"action=").and_then(|at| form.get(at + 7..))?;
    let target =
        action.iter().position(|byte| !matches!(byte, b'"' | b'\'' | b'\\' | b' ')).and_then(|at| action.get(at..))?;
    if !["http", "//", "mailto:", "ftp"].iter().any(|start| target.starts_with(start.as_bytes())) {
        return None;
    }
    let values = memmem::find_iter(form, b"value=").filter_map(|at| ahead.get(at + 6..end)).map(attribute_value);
    let asks = memmem::find(form, b"type=\"password").is_some()
        || memmem::find_iter(form, b"name=").filter_map(|at| form.get(at + 5..)).map(attribute_value).any(is_private);
    // What a page puts into a field is sent with it, unseen.
    let areas = memmem::find_iter(form, b"<textarea").filter_map(|at| ahead.get(at..end)).filter_map(|area| {
        let text = area.get(area.iter().position(|byte| *byte == b'>')? + 1..)?;
        text.split(|byte| *byte == b'<').next()
    });
    let is_filled = areas.take(16).any(|text| gap(&[b"=", text.trim_ascii()].concat()) == Some(Gap::Confidential));
    let worst = values
        .filter_map(|value| match carried(value) {
            Carried::Encoded => Some(Addressed),
            Carried::Words { count, fields } if fields || count >= 3 => Some(Addressed),
            Carried::Opaque(length) if length >= 32 => Some(Mentioned),
            _ if words(value) >= 4 || gap(value) == Some(Gap::Confidential) => Some(Addressed),
            _ => None,
        })
        .min()
        .or_else(|| is_filled.then_some(Addressed))
        .or_else(|| asks.then_some(Mentioned))?;
    Some(Hit { rule: rule::FORM, range: tag.start..tag.end + end, strength: worst })
}

/// A base that is an address of its own: what the page loads from its own place comes from there.
pub(super) fn base(bytes: &[u8], tag: Range<usize>) -> Option<Hit> {
    let attributes = ahead(bytes, tag.end).split(|byte| *byte == b'>').next()?.to_ascii_lowercase();
    let target = attribute_value(attributes.get(memmem::find(&attributes, b"href=")? + 5..)?);
    let leads_out = ["http://", "https://", "//"].iter().any(|start| target.starts_with(start.as_bytes()));
    let range = tag.start..tag.end + attributes.len();
    leads_out.then_some(Hit { rule: rule::BASE, range, strength: Mentioned })
}

fn attribute_value(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"\\").unwrap_or(text);
    match text.first() {
        Some(quote @ (b'"' | b'\'')) => text.get(1..).and_then(|rest| rest.split(|byte| byte == quote).next()),
        _ => text.split(|byte| matches!(byte, b' ' | b'>')).next(),
    }
    .unwrap_or_default()
}

/// Whether the tag around an address makes an image of at most one pixel.
pub(super) fn is_pixel(bytes: &[u8], address: &Range<usize>) -> bool {
    let from = address.start.saturating_sub(256);
    let before = bytes.get(from..address.start).unwrap_or_default();
    let Some(open) = before.iter().rposition(|byte| *byte == b'<') else { return false };
    let tail = ahead(bytes, address.end);
    let close = tail.iter().take(256).position(|byte| *byte == b'>').unwrap_or_default();
    let parts = [before.get(open..).unwrap_or_default(), tail.get(..close).unwrap_or_default()].concat();
    let mut tag = parts.to_ascii_lowercase();
    tag.retain(|byte| !matches!(byte, b' ' | b'"' | b'\'' | b'\\'));
    let tiny = |name: &str| {
        memmem::find(&tag, name.as_bytes()).and_then(|at| tag.get(at + name.len()..)).is_some_and(|value| {
            matches!(value.first(), Some(b'0' | b'1' | b':'))
                && !matches!(value.get(1), Some(b'0'..=b'9' | b'.' | b'%'))
        })
    };
    tag.starts_with(b"<img") && (tiny("width=") || tiny("width:")) && (tiny("height=") || tiny("height:"))
}

/// `\\host\share` where a link or image leads there.
pub(super) fn share(bytes: &[u8], slashes: Range<usize>) -> Option<Hit> {
    let rest = bytes.get(slashes.end..)?;
    // Both slashes may be escaped once more, as they are in JSON and Markdown.
    let more = rest.iter().take(6).take_while(|byte| **byte == b'\\').count();
    let rest = rest.get(more..)?;
    let host = rest
        .iter()
        .take(64)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'@'))
        .count();
    let at = setting(bytes, slashes.start);
    let name = rest.get(..host).unwrap_or_default();
    let before = bytes.get(slashes.start.saturating_sub(6)..slashes.start).unwrap_or_default().to_ascii_lowercase();
    // Browsers take these slashes for the others.
    let is_web = (before.ends_with(b"http:") || before.ends_with(b"https:"))
        && name.contains(&b'.')
        && name.last().is_some_and(u8::is_ascii_alphabetic);
    if is_web && matches!(rest.get(host), Some(b'\\' | b'/' | b'?')) {
        return Some(Hit { rule: rule::OBSCURED, range: slashes.start..slashes.end + host, strength: Addressed });
    }
    // A port, or WebDAV, which leads out of the own network.
    let is_far = name.contains(&b'@');
    if name.contains(&b'.') && told(rest.get(host..).unwrap_or_default()) {
        return Some(Hit { rule: rule::LOCAL, range: slashes.start..slashes.end + host, strength: Addressed });
    }
    let is_share = host >= 2
        && rest.get(host) == Some(&b'\\')
        && rest.get(host + 1).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'\\');
    let end = slashes.end + host + 1;
    (is_share && (at != Setting::Bare || is_far)).then_some(Hit {
        rule: rule::LOCAL,
        range: slashes.start..end,
        strength: Addressed,
    })
}

/// Whether a part of a share's path carries text.
fn told(path: &[u8]) -> bool {
    let path = path.get(..path.len().min(256)).unwrap_or_default();
    let path = path.split(|byte| byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b')' | b'>')).next();
    let path = path.unwrap_or_default();
    let low = path.to_ascii_lowercase();
    if ["%username%", "%computername%", "%userdomain%", "$env:"]
        .iter()
        .any(|own| memmem::find(&low, own.as_bytes()).is_some())
    {
        return true;
    }
    let parts = path.split(|byte| *byte == b'\\').filter(|part| part.len() > 8);
    parts.take(16).any(|part| escapes_letters(part) || encoded_text(part).is_some())
}

/// A formula that fetches an address, or puts other cells into one.
pub(super) fn formula(bytes: &[u8], name: Range<usize>) -> Option<Hit> {
    let before = name.start.checked_sub(1).and_then(|at| bytes.get(at))?;
    if !matches!(before, b'=' | b'+' | b'-' | b'@' | b'(' | b',' | b';' | b'&') {
        return None;
    }
    let ahead = ahead(bytes, name.end);
    let line = ahead.split(|byte| *byte == b'\n').next()?;
    let line = line.get(..line.len().min(512))?;
    let leads_out =
        ["http://", "https://", "ftp://", "//"].iter().any(|start| memmem::find(line, start.as_bytes()).is_some());
    let builds = line.contains(&b'&')
        && line.windows(2).any(|two| matches!(two, [b'&', b'A'..=b'Z' | b'a'..=b'z' | b'$'] | [b'"', b'&']));
    let joins = ["concat", "textjoin", "encodeurl"]
        .iter()
        .any(|word| memmem::find(&line.to_ascii_lowercase(), word.as_bytes()).is_some());
    let word = bytes.get(name.clone())?.to_ascii_lowercase();
    let fetches = !matches!(word.as_slice(), b"hyperlink(" | b"image(" | b"filterxml(");
    let works = leads_out && (builds || joins || fetches);
    works.then(|| Hit { rule: rule::FORMULA, range: name.start..name.end + line.len(), strength: Addressed })
}

fn ahead(bytes: &[u8], from: usize) -> &[u8] {
    let rest = bytes.get(from..).unwrap_or_default();
    rest.get(..rest.len().min(AHEAD_BYTES_MAX)).unwrap_or_default()
}
