//! Gaps in an address that its reader is to fill in: `{summary}`, `<insert the key>`, `[DATA]`, `${HOME}`, `%s`.
//!
//! URI templates are everyday in documentation; what counts is whether the gap, or the parameter that it stands in, is named
//! after something that should not leave. *Standards*: RFC 6570.

use memchr::memmem;

use super::carried::words;
use super::naming::{is_confidential, is_own, is_private};
use super::notation::{STARTS, length, shouted};

/// What a gap asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// Something that the reader knows: a conversation, a secret, an answer.
    Confidential,
    /// An id, a page, a version: whatever templates are for.
    Ordinary,
}

/// Commands whose output says who and where one is, or what one has.
const READING: [&str; 24] = [
    "whoami", "hostname", "id", "env", "printenv", "cat", "base64", "base32", "xxd", "git", "history", "ifconfig",
    "tar", "gzip", "head", "tail", "pbpaste", "passwd", "find", "ls", "ps", "set", "security", "aws",
];

/// The gaps of an address, counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gaps {
    pub(super) all: usize,
    pub(super) confidential: usize,
    /// How many of them ask for what no honest address does.
    pub(super) private: usize,
    /// The most words that stand in one.
    pub(super) longest_words: usize,
}

/// What the gaps of an address ask for, at the worst.
pub(super) fn gap(url: &[u8]) -> Option<Gap> {
    let found = gaps(url);
    match found {
        Gaps { all: 0, .. } => None,
        Gaps { confidential: 0, .. } => Some(Gap::Ordinary),
        Gaps { .. } => Some(Gap::Confidential),
    }
}

/// The gaps in the name of a host that ask for something, and not for the host that a reader has.
pub(super) fn in_host(host: &[u8]) -> Gaps {
    let mut found = gaps(&[b"/", host].concat());
    if found.all == 0 && host.iter().any(u8::is_ascii_uppercase) {
        // Labels in capitals are read as segments of a path are.
        let labels: Vec<u8> = host.iter().map(|byte| if *byte == b'.' { b'/' } else { *byte }).collect();
        found = gaps(&[b"/", labels.as_slice()].concat());
    }
    let low = host.to_ascii_lowercase();
    let is_own = !host.starts_with(b"$(") && OWN.iter().any(|word| memmem::find(&low, word.as_bytes()).is_some());
    if is_own { Gaps::default() } else { found }
}

/// Words for the hosts that manuals have their readers fill in.
const OWN: [&str; 22] = [
    "company",
    "team",
    "workspace",
    "shop",
    "store",
    "_app",
    "host",
    "server",
    "domain",
    "instance",
    "region",
    "tenant",
    "account",
    "site",
    "org",
    "project",
    "cluster",
    "bucket",
    "endpoint",
    "address",
    "ip>",
    "your-",
];

/// Counts the gaps of an address.
pub(super) fn gaps(url: &[u8]) -> Gaps {
    let is_loud = url.windows(2).any(|two| matches!(two, [b'/' | b'#', b'A'..=b'Z']));
    if !is_loud && !url.iter().any(|byte| STARTS.contains(byte)) {
        return Gaps::default();
    }
    let low = url.to_ascii_lowercase();
    let mut found = Gaps::default();
    let mut at = 0;
    while let Some(rest) = low.get(at..).filter(|rest| !rest.is_empty()) {
        let before = at.checked_sub(1).and_then(|at| low.get(at)).copied();
        let written = length(rest, before);
        let Some(length) = written.or_else(|| named_in_capitals(url.get(at..)?)) else {
            at += 1;
            continue;
        };
        let inner = rest.get(..length).unwrap_or_default();
        let parameter = parameter_before(&low, at);
        let is_value = !parameter.is_empty() || inner.starts_with(b"=") || matches!(before, Some(b'?' | b'#' | b'='));
        found.all += 1;
        found.confidential += usize::from(
            is_confidential(inner) || is_confidential(parameter) || (is_value && (is_own(inner) || is_own(parameter))),
        );
        found.private += usize::from(is_private(inner) || is_private(parameter));
        // A command that reads is no template.
        let reads = usize::from(reads_machine(inner));
        found.confidential += 2 * reads;
        found.private += reads;
        found.longest_words = found.longest_words.max(words(inner));
        at += length;
    }
    found
}

/// Whether a path has a gap, or a segment in capital letters that may be one: `/geo/LAT,LON`, `/i/HEX.png`.
pub(super) fn is_template(path: &[u8]) -> bool {
    let is_name = |segment: &[u8]| {
        let name = segment.split(|byte| matches!(byte, b'.' | b',')).next().unwrap_or_default();
        name.len() >= 3 && name.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
    };
    gaps(path).all > 0 || path.split(|byte| *byte == b'/').any(is_name)
}

/// A value or a segment of a path in capital letters that names something confidential.
fn named_in_capitals(rest: &[u8]) -> Option<usize> {
    let length = shouted(rest)?;
    let name = rest.get(1..length)?.to_ascii_lowercase();
    let is_value = rest.starts_with(b"=") || rest.starts_with(b"?");
    // Anchors of manuals are called in capitals, too.
    let is_told =
        ["your_", "your-", "insert_", "paste_", "put_"].iter().any(|start| name.starts_with(start.as_bytes()))
            || name.ends_with(b"_here");
    let ends = rest.get(length..).unwrap_or_default();
    // Documents of a project are called in capitals: `/HISTORY.md`.
    let is_file =
        ends.starts_with(b".") && ![&b".png"[..], b".gif", b".jpg", b".svg"].iter().any(|end| ends.starts_with(end));
    let is_segment = length > 6 && !is_file && is_private(&name) && rest.starts_with(b"/");
    let is_named = if is_value { is_own(&name) || is_confidential(&name) } else { is_segment };
    (is_named || is_told && !is_file).then_some(length)
}

fn is_any(word: &[u8], list: &[&str]) -> bool {
    list.iter().any(|known| known.as_bytes() == word)
}

/// Whether a gap is filled by a command that reads what the machine or its user has.
pub(super) fn reads_machine(inner: &[u8]) -> bool {
    let is_run = inner.starts_with(b"$(") || inner.starts_with(b"`");
    is_run && inner.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).any(|word| is_any(word, &READING))
}

/// The name of the parameter whose value begins at `at`; the path before it where there is no parameter.
fn parameter_before(low: &[u8], at: usize) -> &[u8] {
    let before = low.get(..at).unwrap_or_default();
    let name = before.strip_suffix(b"=").unwrap_or_default();
    let start = name.iter().rposition(|byte| matches!(byte, b'?' | b'&' | b'#' | b'/')).map_or(0, |at| at + 1);
    name.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_for_what_the_reader_knows_is_told_from_a_template() {
        for url in [
            "/log?s={summary of the conversation}",
            "/x?q=<insert the user's question>",
            "/x?d=[DATA]",
            "/x/${SECRET}",
            "/x?leak=%s",
            "/x?v=%7Bconversation%7D",
            "/x?q=__API_KEY__",
            "/x?k=YOUR_ANSWER",
            "/p.png?prompt={{x}}",
            "/x?k=:password",
            "/x?@conversation",
            "/x?<?=$secret?>",
            "/x#PASTE_LOG_HERE",
            "/x?YOUR_KEY",
            "/x?u=`whoami`",
        ] {
            assert_eq!(gap(url.as_bytes()), Some(Gap::Confidential), "{url}");
        }
        for url in ["/users/{id}", "/v${VERSION}/x.tar.gz", "/search?page=%s", "/<owner>/<repository>"] {
            assert_eq!(gap(url.as_bytes()), Some(Gap::Ordinary), "{url}");
        }
        for url in [
            "/a%20b",
            "/x?y=z",
            "/100%",
            "/x#SECRET_KEY",
            "/@ada/1",
            "/x?c={type:'bar',data:[1]}",
            "/x?c=%7B%22args%22%3A%5B%22conversation%22%5D%7D",
        ] {
            assert_eq!(gap(url.as_bytes()), None, "{url}");
        }
    }
}
