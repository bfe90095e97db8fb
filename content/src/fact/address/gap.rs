//! Gaps in an address for its reader to fill in: `{summary}`, `<insert the key>`, `[DATA]`, `${HOME}`, `$(whoami)`, `%s`.
//!
//! URI templates are common in documentation. A gap has weight only if it, or its parameter, is named after something
//! that should not leave. Shapes and names are data (`words/address-gaps.txt`). *Security*: hostile bytes, read once.
//! *Standards*: RFC 6570 for one shape; the others are those of shells, templates and manuals.

use std::sync::LazyLock;

use memchr::memmem;
use regex_automata::meta::Regex;

use super::Data;
use super::host;
use super::url::Url;
use crate::fact::html::words;
use crate::fact::word_list::{of_kind, regex};

/// The weights of gaps: those of templates, those that ask for something confidential in the path of an address or elsewhere, and those
/// for what no honest address asks for.
const ORDINARY: i32 = 1;
const IN_PATH: i32 = 3;
const CONFIDENTIAL: i32 = 4;
const PRIVATE: i32 = 6;

/// The minimum number of words of a sentence; a name has fewer.
const SENTENCE_WORDS_MIN: usize = 3;

const LIST: &str = include_str!("../../../words/address-gaps.txt");

static SHAPE: LazyLock<Regex> = LazyLock::new(|| regex(&of_kind(LIST, "shape").join("|")));

/// Words that are private, whole words that are, words that are confidential, and commands that read.
static NAMES: LazyLock<[Vec<&str>; 4]> =
    LazyLock::new(|| ["private", "code", "confidential", "reads"].map(|kind| of_kind(LIST, kind)));

/// The heaviest gap of an address.
pub(super) fn heaviest(url: &Url) -> Option<Data> {
    let behind = [
        url.path.as_slice(),
        b"?",
        url.query.as_deref().unwrap_or_default(),
        b"#",
        url.fragment.as_deref().unwrap_or_default(),
    ]
    .concat();
    let in_host = SHAPE.find_iter(&url.host).map(|gap| gap_data(&url.host[gap.range()], b"", false));
    let query = url.path.len();
    let others = SHAPE
        .find_iter(&behind)
        .map(|gap| gap_data(&behind[gap.range()], parameter(&behind[..=gap.start()]), gap.start() < query));
    let found = in_host.filter(|gap| gap.weight == PRIVATE).chain(others).max_by_key(|gap| gap.weight)?;
    let is_known = matches!(host::kind(url), host::Kind::Known | host::Kind::Draws);
    Some(if is_known { Data { weight: found.weight.min(ORDINARY), ..found } } else { found })
}

fn gap_data(gap: &[u8], key: &[u8], in_path: bool) -> Data {
    let (low, name) = (gap.to_ascii_lowercase(), key.to_ascii_lowercase());
    let [private, codes, confidential, reads] = &*NAMES;
    let has = |list: &[&str]| {
        list.iter().any(|word| [&low, &name].iter().any(|text| memmem::find(text, word.as_bytes()).is_some()))
    };
    let has_word = |text: &[u8], list: &[&str]| {
        text.split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
            .any(|part| list.iter().any(|word| word.as_bytes() == part))
    };
    let is_run = low.starts_with(b"$(") || low.starts_with(b"`");
    let weight = match () {
        () if is_run && has_word(&low, reads) => PRIVATE,
        () if has(private) || has_word(&low, codes) || has_word(&name, codes) => PRIVATE,
        () if !in_path && words(&low) >= SENTENCE_WORDS_MIN && low.contains(&b' ') => PRIVATE,
        () if has(confidential) && in_path => IN_PATH,
        () if has(confidential) => CONFIDENTIAL,
        () => ORDINARY,
    };
    Data { form: "gap", key: key.to_vec(), text: gap.to_vec(), weight }
}

/// The name of the parameter whose value a text ends in.
fn parameter(head: &[u8]) -> &[u8] {
    let start = head.iter().rposition(|byte| matches!(byte, b'?' | b'&' | b'#' | b'/')).map_or(0, |at| at + 1);
    let pair = &head[start..];
    pair.iter().position(|byte| *byte == b'=').map_or(&[][..], |end| &pair[..end])
}
