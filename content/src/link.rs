//! Links and images that carry data out, and addresses that lead to code, local files or other programs (`exfil_link`).
//!
//! ```text
//! "//" ──▶ url (as a renderer reads it) ──▶ how it stands in the text (setting) × what its parts carry (carried, host, placeholder)
//!      └──▶ what a program puts behind it (continued), what the line beside it asks for (asked, spoken)
//! "curl " and the like ──▶ sent
//! "data:" and the like ──▶ scheme      long labels ──▶ label      "<form", "=WEBSERVICE(" … ──▶ markup      words beside it ──▶ asked
//! "$(", "}}." ──▶ named      ":visited" and the like ──▶ style
//! ```
//!
//! What carries readable text in an encoding is addressed to somebody wherever it stands. What only might (long values, words
//! in a search, gaps in a template) is so where a renderer would fetch it, and is mentioned elsewhere: logs and
//! documentation are full of such addresses. *Security*: hostile bytes; linear in them and in the number of keywords, as each
//! keyword has a bounded neighbourhood. *Standards*: docs/content.md, `exfil_link`.

use std::ops::Range;
use std::sync::LazyLock;

use super::keyword::Detector;
use super::rule::Strength::{Addressed, Mentioned};
use super::rule::{Hit, Rule};
use super::view::View;
use setting::{Setting, setting};
use unfolded::Unfolded;
use url::Url;

mod asked;
mod carried;
mod continued;
mod facts;
mod host;
mod label;
mod loot;
mod markup;
mod named;
mod naming;
mod notation;
mod placeholder;
mod rule;
mod scheme;
mod sent;
mod setting;
mod spoken;
mod style;
mod unfolded;
mod url;
mod web;
mod weighed;

const SLASHES: &str = "//";
const BACKSLASHES: &str = "\\\\";
const FORM: &str = "<form";
const BASE: &str = "<base ";
/// Schemes that a browser reads with no slashes behind them.
const BARE: [&str; 2] = ["http:", "https:"];

/// The entities, escapes and look-alikes that show a disguised address; the others are everyday ones.
const DISGUISES: [&str; 13] = [
    "&#58;",
    "&#x3a;",
    "&colon;",
    "&#47;",
    "&#x2f;",
    "&sol;",
    "\\://",
    "\"\\/\\/",
    "'\\/\\/",
    "(\\/\\/",
    "\u{a789}//",
    "\u{2236}//",
    "\u{2215}\u{2215}",
];

/// The schemes of addresses that are judged as web addresses; an empty one is that of the page.
const WEB: [&str; 35] = [
    "",
    "http",
    "https",
    "ftp",
    "ftps",
    "ws",
    "wss",
    "gopher",
    "hxxp",
    "hxxps",
    "sftp",
    "tftp",
    "telnet",
    "rsync",
    "git",
    "git+https",
    "git+http",
    "git+ssh",
    "svn",
    "svn+ssh",
    "svn+https",
    "ipfs",
    "ipns",
    "rtmp",
    "rtsp",
    "afp",
    "irc",
    "ircs",
    "gemini",
    "finger",
    "coap",
    "mqtt",
    "ldap",
    "ldaps",
    "dict",
];

static WORDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let single = [SLASHES, BACKSLASHES, FORM, BASE];
    let lists = scheme::SCHEMES.into_iter().chain(named::FILLERS).chain(style::TELLING);
    single
        .into_iter()
        .chain(lists)
        .chain(markup::FORMULAS)
        .chain(asked::KEPT)
        .chain(DISGUISES)
        .chain(BARE)
        .chain(sent::SENDERS)
        .collect()
});

/// What is looked for in the shared pass.
pub(crate) fn keywords() -> Vec<&'static str> {
    WORDS.clone()
}

/// Every rule.
pub(crate) fn rules() -> &'static [Rule] {
    rule::ALL
}

/// Finds every link that breaks a rule.
pub(crate) fn find(view: &View<'_>, hits: &mut Vec<Hit>) {
    let words = &*WORDS;
    find_plain(view, words, hits);
    let marks = view.marks(Detector::Link);
    let has_entities = marks.iter().any(|mark| words.get(mark.keyword).is_some_and(|word| DISGUISES.contains(word)));
    if let Some(plain) = Unfolded::of(view.bytes, has_entities) {
        let mut found = Vec::new();
        let plain_view = View::new(&plain.bytes, view.at_start, view.at_end, view.depth, view.place);
        find_plain(&plain_view, words, &mut found);
        // What was not disguised was found before.
        hits.extend(found.into_iter().filter_map(|hit| Some(Hit { range: plain.source_of(&hit.range)?, ..hit })));
    }
}

fn find_plain(view: &View<'_>, words: &[&str], hits: &mut Vec<Hit>) {
    let bytes = view.bytes;
    let marks = view.marks(Detector::Link);
    let kept: Vec<Range<usize>> = marks
        .iter()
        .filter(|mark| words.get(mark.keyword).is_some_and(|word| asked::KEPT.contains(word)))
        .map(|mark| mark.start..mark.end)
        .collect();
    let (mut read, mut judged) = (0, 0);
    for mark in marks {
        let Some(&word) = words.get(mark.keyword) else { continue };
        let place = mark.start..mark.end;
        let hit = match word {
            SLASHES if scheme::is_option(bytes, &place) => {
                Some(Hit { rule: rule::HANDLER, range: place, strength: Addressed })
            }
            SLASHES if mark.start >= read => {
                let Some(url) = Url::at(bytes, mark.start) else { continue };
                let hit = web_address(bytes, &url, &kept, &mut judged);
                // What stands in a query is judged with its address, unless it is long enough to be another trick.
                read = url.range.end.min(mark.end.saturating_add(256));
                hit
            }
            SLASHES => None,
            _ if BARE.contains(&word) && mark.start >= read => {
                let Some(url) = Url::without_slashes(bytes, mark.end) else { continue };
                read = url.range.end.min(mark.end.saturating_add(256));
                web_address(bytes, &url, &kept, &mut judged)
            }
            BACKSLASHES => markup::share(bytes, place),
            FORM => markup::form(bytes, place),
            BASE => markup::base(bytes, place),
            _ if scheme::SCHEMES.contains(&word) => scheme::judged(bytes, place),
            _ if named::FILLERS.contains(&word) => named::filled(bytes, place),
            _ if sent::SENDERS.contains(&word) => sent::sent(bytes, place),
            _ if style::TELLING.contains(&word) => style::telling(bytes, place),
            _ if markup::FORMULAS.contains(&word) => markup::formula(bytes, place),
            _ => None,
        };
        hits.extend(hit);
    }
    let labels = label::labels(view).into_iter();
    hits.extend(labels.map(|(range, strength)| Hit { rule: rule::LABEL, range, strength }));
}

fn web_address(bytes: &[u8], url: &Url, kept: &[Range<usize>], judged: &mut usize) -> Option<Hit> {
    let hit = |rule, strength| Some(Hit { rule, range: url.range.clone(), strength });
    let at = setting(bytes, url.range.start);
    if !WEB.contains(&url.scheme.as_str()) {
        // What another program is to open carries text as well as what a browser does.
        let verdicts = [web::judged(url, at), loot::taken(url, at), facts::told(url, at, false)].into_iter().flatten();
        let kept = |rule: &str| {
            [rule::ENCODED, rule::WORDS, rule::NAMED, rule::COLLECTOR, rule::PLACEHOLDER]
                .iter()
                .any(|kept| kept.name == rule)
        };
        // The address of a key for one-time passwords is nothing but that.
        let verdict = verdicts
            .filter(|_| url.scheme != "otpauth")
            .filter(|(rule, _)| kept(rule.name))
            .min_by_key(|(_, strength)| *strength);
        return verdict.and_then(|(rule, strength)| hit(rule, strength));
    }
    let is_fetched = is_commanded(bytes, url.range.start);
    let verdicts = [
        web::judged(url, at),
        weighed::weighed(url, at, is_fetched),
        loot::taken(url, at),
        facts::told(url, at, is_fetched),
    ];
    let verdict = verdicts.into_iter().flatten().min_by_key(|(_, strength)| *strength);
    if let Some((rule, Addressed)) = verdict {
        return hit(rule, Addressed);
    }
    if url::is_feigned(bytes, url) {
        return hit(rule::OBSCURED, Addressed);
    }
    let continued = continued::continued(bytes, url);
    if continued == Some(Addressed) {
        return hit(rule::PLACEHOLDER, Addressed);
    }
    if at == Setting::Loaded && markup::is_pixel(bytes, &url.range) {
        return hit(rule::PIXEL, if url.query.is_some() { Addressed } else { Mentioned });
    }
    if url.range.start >= *judged
        && let Some(asked) = asked::asked(bytes, &url.range, kept)
    {
        *judged = asked.around.end;
        let has_query = url.query.is_some() || verdict.is_some() || placeholder::is_template(&url.path);
        let is_page = !has_query && host::is_known(&url.host_name());
        let is_met = asked.is_direct && (has_query || at != Setting::Bare || asked.is_sent) && !is_page;
        return hit(rule::ASKED, if is_met { Addressed } else { Mentioned });
    }
    if url.range.start >= *judged
        && let Some(strength) = spoken::asked(bytes, url)
    {
        *judged = url.range.end;
        return hit(rule::ASKED, strength);
    }
    let verdict = verdict.or(continued.map(|strength| (rule::PLACEHOLDER, strength)));
    verdict.and_then(|(rule, strength)| hit(rule, strength))
}

/// Whether a command that fetches stands before an address on its line.
fn is_commanded(bytes: &[u8], start: usize) -> bool {
    let before = bytes.get(start.saturating_sub(64)..start).unwrap_or_default();
    let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let fetches = |word: &str| memchr::memmem::find(line, word.as_bytes()).is_some();
    ["curl ", "wget ", "Invoke-WebRequest", "iwr ", "fetch(", "requests."].iter().any(|word| fetches(word))
}

#[cfg(test)]
mod tests;
