//! What the host of an address says: that everybody knows it, that it takes what is sent to it, or that it is not what it looks like.
//!
//! *Standards*: RFC 3986, section 3.2.2; WHATWG URL, section 3.5 (numbers as hosts); UTS 39, section 5 (scripts in one word).

use std::sync::LazyLock;

use memchr::{memchr, memmem, memrchr};

use super::carried::percent_decoded;
use super::url::Url;
use crate::fact::word_list::of_kind;

/// The smallest number alone that is a host, and no port, date or name in a list.
const NUMBER_MIN: u64 = 1 << 24;

/// How far the words of a link are read, bytes.
const LABEL_BYTES_MAX: usize = 160;

/// What kind of host one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Known,
    /// It draws what its address says.
    Draws,
    /// It takes what is sent to it.
    Takes,
    Other,
}

static LISTS: LazyLock<[Vec<&str>; 4]> = LazyLock::new(|| {
    ["known", "draws", "takes", "path"].map(|kind| of_kind(include_str!("../../../words/address-hosts.txt"), kind))
});

/// The kind of the host of an address.
pub(super) fn kind(url: &Url) -> Kind {
    let name = url.host_name();
    let [known, draws, takes, _] = &*LISTS;
    let is_of = |list: &[&str]| {
        list.iter().any(|service| name.strip_suffix(service).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
    };
    match () {
        () if is_of(draws) => Kind::Draws,
        () if is_of(known) => Kind::Known,
        () if name.split(['.', '-', '_']).any(|word| takes.contains(&word)) => Kind::Takes,
        () => Kind::Other,
    }
}

/// Whether a path begins as those do that take what they are given.
pub(super) fn takes_path(path: &[u8]) -> bool {
    let begins = |start: &&str| path.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()));
    LISTS[3].iter().any(begins)
}

/// How an address hides where it leads, if it does.
pub(super) fn disguise(url: &Url) -> Option<&'static str> {
    if url.was_broken {
        return Some("broken");
    }
    let is_web = matches!(url.scheme.as_str(), "" | "http" | "https" | "ftp" | "ws" | "wss");
    let host = url.host_name();
    let escapes_letter = |three: &[u8]| matches!(three, [b'%', b'3'..=b'6', digit] | [b'%', b'7', digit @ b'0'..=b'9'] if digit.is_ascii_hexdigit());
    match () {
        () if !is_web => None,
        () if url.host.windows(3).any(escapes_letter) => Some("escaped"),
        () if is_odd_number(&host) => Some("number"),
        () if host.split('.').any(is_mixed) => Some("letters"),
        () if url.user.as_deref().is_some_and(is_feigned) => Some("user"),
        () => None,
    }
}

/// A network address in another form than the usual one: `0x7f.1`, `3221226061`.
fn is_odd_number(name: &str) -> bool {
    let value = |part: &str| match part.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten(),
    };
    let parts: Vec<&str> = name.split('.').collect();
    let Some(values) = parts.iter().map(|part| value(part)).collect::<Option<Vec<u64>>>() else { return false };
    let is_decimal = |part: &&str| !part.starts_with("0x") && (part.len() == 1 || !part.starts_with('0'));
    let is_plain = parts.len() == 4 && parts.iter().all(is_decimal);
    !is_plain && parts.len() <= 4 && (parts.len() > 1 || values[0] >= NUMBER_MIN)
}

/// A label with letters of ASCII and of other scripts than Latin.
fn is_mixed(label: &str) -> bool {
    let is_foreign = |it: char| it > '\u{24f}' && it.is_alphabetic();
    label.bytes().any(|byte| byte.is_ascii_alphabetic()) && label.chars().any(is_foreign)
}

/// The name of a user that looks like a host.
fn is_feigned(user: &[u8]) -> bool {
    let plain = percent_decoded(user);
    let name = plain.split(|byte| *byte == b':').next().unwrap_or_default();
    let ending = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    ending.len() < name.len() && (2..=12).contains(&ending.len()) && ending.iter().all(u8::is_ascii_alphabetic)
}

/// Whether the words of a link are the address of another host than it leads to: `[https://a.example](https://b.example)`.
pub(super) fn is_mislabelled(bytes: &[u8], url: &Url) -> bool {
    let before = &bytes[url.range.start.saturating_sub(LABEL_BYTES_MAX)..url.range.start];
    let ahead = &bytes[url.range.end..bytes.len().min(url.range.end + LABEL_BYTES_MAX)];
    let label = match (before.strip_suffix(b"]("), ahead) {
        (Some(head), _) => memrchr(b'[', head).map_or(&[][..], |open| &head[open + 1..]),
        (None, [b'"' | b'\'', b'>', text @ ..]) => &text[..memchr(b'<', text).unwrap_or(0)],
        _ => return false,
    };
    let Some(scheme) = memmem::find(label, b"://") else { return false };
    let shown = label[scheme + 3..].split(|byte| !(byte.is_ascii_alphanumeric() || b".-".contains(byte))).next();
    let shown = String::from_utf8_lossy(shown.unwrap_or_default()).to_lowercase();
    let name = url.host_name();
    !label.starts_with(b"!")
        && shown.contains('.')
        && !shown.ends_with(&name)
        && !name.ends_with(shown.trim_start_matches("www."))
}
