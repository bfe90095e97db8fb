//! A web address, judged by how it stands in the text and by what its parts carry.
//!
//! *Security*: hostile bytes; every part is looked at a fixed number of times.

use super::carried::{Carried, carried, decoded, encoded_text, escapes_letters, percent_decoded, words};
use super::host::{Host, draws, host, is_known, takes};
use super::naming::is_confidential;
use super::placeholder::{Gaps, gaps, in_host};
use super::rule;
use super::setting::Setting;
use super::url::Url;
use crate::rule::Rule;
use crate::rule::Strength::{self, Addressed, Mentioned};

type Verdict = Option<(&'static Rule, Strength)>;

/// Parameters whose values are words in the daily life of the web, or addresses.
pub(super) const ORDINARY: [&str; 38] = [
    "page",
    "entry",
    "q",
    "query",
    "search",
    "s",
    "term",
    "keywords",
    "keyword",
    "kw",
    "title",
    "subject",
    "label",
    "labels",
    "name",
    "filter",
    "sort",
    "tag",
    "topic",
    "category",
    "redirect",
    "redirect_uri",
    "return",
    "returnurl",
    "return_to",
    "next",
    "continue",
    "url",
    "uri",
    "ref",
    "referer",
    "referrer",
    "fq",
    "where",
    "jql",
    "logo",
    "style",
    "response-content-disposition",
];

/// Parameters whose values are long and mean nothing to a reader by design: signatures, cursors, caches.
pub(super) const UNREADABLE: [&str; 38] = [
    "sig",
    "signature",
    "hmac",
    "hash",
    "sha",
    "sha256",
    "md5",
    "digest",
    "checksum",
    "etag",
    "v",
    "ver",
    "version",
    "rev",
    "commit",
    "expires",
    "policy",
    "key-pair-id",
    "jwt",
    "state",
    "nonce",
    "code_challenge",
    "cursor",
    "after",
    "before",
    "page_token",
    "pagetoken",
    "nextpagetoken",
    "continuation",
    "etld",
    "integrity",
    "build",
    "cb",
    "cachebuster",
    "ixid",
    "ixlib",
    "se",
    "etoken",
];

/// Those of them whose values are an encoded text by design.
const READABLE: [&str; 17] = [
    "policy",
    "jwt",
    "state",
    "nonce",
    "cursor",
    "after",
    "before",
    "page_token",
    "pagetoken",
    "nextpagetoken",
    "continuation",
    "etag",
    "etoken",
    "ixid",
    "signature",
    "sig",
    "integrity",
];

/// Parameters that say what they are for.
pub(super) const TELLING: [&str; 24] = [
    "leak",
    "exfil",
    "exfiltrate",
    "stolen",
    "steal",
    "loot",
    "dump",
    "secret",
    "secrets",
    "conversation",
    "chat_history",
    "chathistory",
    "history",
    "system_prompt",
    "systemprompt",
    "prompt",
    "transcript",
    "memory",
    "creds",
    "credentials",
    "password",
    "passwd",
    "cookie",
    "cookies",
];

/// Those of them that no honest page has.
const LEAKING: [&str; 7] = ["leak", "exfil", "exfiltrate", "stolen", "steal", "loot", "dump"];

/// Paths that take what they are given.
pub(super) const TAKING: [&str; 14] = [
    "/upload", "/collect", "/exfil", "/leak", "/log", "/drop", "/hook", "/webhook", "/beacon", "/track", "/submit",
    "/ingest", "/steal", "/capture",
];

/// What is wrong with a web address, if anything is.
pub(super) fn judged(url: &Url, setting: Setting) -> Verdict {
    let name = url.host_name();
    let kind = host(&name, &url.path);
    let verdicts = [
        obscured(url, kind, setting),
        pieces(url, setting),
        filled_in(url, setting),
        hosted(url, kind, setting),
        named(url, setting),
        led_on(url),
    ];
    verdicts.into_iter().flatten().min_by_key(|(_, strength)| *strength)
}

fn obscured(url: &Url, kind: Host, setting: Setting) -> Verdict {
    let escaped_letters = url.host.windows(3).any(|three| match three {
        [b'%', high @ b'2'..=b'7', low] => {
            !matches!((high, low), (b'7', b'B' | b'b' | b'D' | b'd') | (b'5', _)) && low.is_ascii_hexdigit()
        }
        _ => false,
    });
    let feigned = url.user.as_deref().is_some_and(|user| {
        let plain = percent_decoded(user);
        let host_like = plain.split(|byte| *byte == b':').next().unwrap_or_default();
        let ending = host_like.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
        host_like.contains(&b'.') && (2..=6).contains(&ending.len()) && ending.iter().all(u8::is_ascii_alphabetic)
    });
    let numbers = matches!(kind, Host::Number { plain: false, .. });
    let is_obscured = escaped_letters || feigned || numbers || kind == Host::LookAlike || url.was_broken;
    let web = matches!(url.scheme.as_str(), "" | "http" | "https" | "ftp" | "ws" | "wss");
    let strength = if numbers && setting == Setting::Bare && url.query.is_none() { Mentioned } else { Addressed };
    (is_obscured && web).then_some((rule::OBSCURED, strength))
}

/// What stands in the user's name, the labels, the path, the parameters and the fragment.
fn pieces(url: &Url, setting: Setting) -> Verdict {
    let user = url.user.as_deref().unwrap_or_default();
    let plain = percent_decoded(user);
    // A password may have any sign in it; fields of a text are none.
    let is_text = plain.len() < user.len() && words(&plain) >= 2 && plain.iter().any(|byte| b"= \n".contains(byte));
    if is_text || encoded_text(&plain).is_some() || chunked(&url.host) || is_whole(&url.host) {
        return Some((rule::ENCODED, Addressed));
    }
    let parts = [Some(user), Some(&url.path), url.query.as_deref(), url.fragment.as_deref()];
    if parts.into_iter().flatten().any(escapes_letters) {
        return Some((rule::ENCODED, Addressed));
    }
    let mut worst: Verdict = None;
    let mut note = |verdict: Verdict| {
        if let Some((_, strength)) = verdict
            && worst.is_none_or(|(_, before)| strength < before)
        {
            worst = verdict;
        }
    };
    for segment in url.path.split(|byte| *byte == b'/').filter(|segment| segment.len() > 2) {
        note(piece(url, b"", segment, setting));
    }
    for (key, value) in url.parameters() {
        note(piece(url, &key.to_ascii_lowercase(), value, setting));
    }
    if let Some(fragment) = url.fragment.as_deref().filter(|fragment| !fragment.contains(&b'=')) {
        note(piece(url, b"#", fragment, setting));
    }
    // Digits of base64 may hold slashes, which part the path.
    note(
        encoded_text(&percent_decoded(url.path.get(1..).unwrap_or_default()))
            .filter(|text| !text.starts_with(b"http"))
            .map(|_| (rule::ENCODED, Addressed)),
    );
    worst
}

/// Whether labels of a host are the pieces of an encoded text: `a.7468652062.b.616c616e636520.h.example`.
fn chunked(host: &[u8]) -> bool {
    let is_chunk =
        |label: &&[u8]| label.len() >= 4 && label.len().is_multiple_of(2) && label.iter().all(u8::is_ascii_hexdigit);
    let chunks = || host.split(|byte| *byte == b'.').filter(is_chunk);
    chunks().count() > 1 && decoded(&chunks().collect::<Vec<_>>().concat()).is_some()
}

/// Whether the name of something that is no host of the name service is an encoded text.
fn is_whole(host: &[u8]) -> bool {
    host.len() >= 16 && !host.contains(&b'.') && decoded(host).is_some()
}

fn piece(url: &Url, key: &[u8], value: &[u8], setting: Setting) -> Verdict {
    let is = |list: &[&str]| {
        list.iter().any(|word| word.as_bytes() == key) || key.starts_with(b"x-amz-") || key.starts_with(b"x-goog-")
    };
    let in_path = key.is_empty() || key == b"#";
    match carried(value) {
        Carried::Encoded if is(&READABLE) && setting != Setting::Loaded => Some((rule::ENCODED, Mentioned)),
        Carried::Encoded => Some((rule::ENCODED, Addressed)),
        Carried::Words { count, fields } => {
            let named = in_path && has_ending(value);
            let taken =
                numeric(url) || TAKING.iter().any(|start| url.path.to_ascii_lowercase().starts_with(start.as_bytes()));
            let strong = match setting {
                Setting::Loaded => fields || (count >= 3 && !named),
                Setting::Offered => {
                    (fields || count >= 3) && !named && !in_path && !is(&ORDINARY) && key != b"text" && key != b"body"
                }
                Setting::Bare => {
                    fields && !is(&ORDINARY) && !(in_path && is_mailbox(value))
                        || taken && !named && count >= 3
                        || is(&TELLING)
                }
            };
            let weak = match setting {
                Setting::Bare => !named && !is(&ORDINARY) && count >= 4,
                _ => count >= 2 && !named && !is(&ORDINARY),
            };
            match (strong, weak) {
                (true, _) if draws(&url.host_name()) => Some((rule::WORDS, Mentioned)),
                (true, _) => Some((rule::WORDS, Addressed)),
                (false, true) => Some((rule::WORDS, Mentioned)),
                (false, false) => None,
            }
        }
        Carried::Opaque(length) if !is(&UNREADABLE) => {
            let carries = is(&TELLING)
                || matches!(
                    key,
                    b"d" | b"data"
                        | b"payload"
                        | b"b64"
                        | b"base64"
                        | b"c"
                        | b"x"
                        | b"p"
                        | b"msg"
                        | b"info"
                        | b"ctx"
                        | b"context"
                );
            match setting {
                Setting::Loaded if carries && length >= 24 => Some((rule::OPAQUE, Addressed)),
                Setting::Loaded if !in_path && length >= 48 || length >= 100 => Some((rule::OPAQUE, Mentioned)),
                _ if carries && length >= 32 => Some((rule::OPAQUE, Mentioned)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a piece is the address of a mailbox or the number of a message, and nothing more.
fn is_mailbox(piece: &[u8]) -> bool {
    let plain = percent_decoded(piece);
    memchr::memchr_iter(b'@', &plain).count() == 1
        && plain.iter().all(|byte| byte.is_ascii_alphanumeric() || b"@._-+".contains(byte))
}

/// Whether a segment of a path is the name of a file.
pub(super) fn has_ending(segment: &[u8]) -> bool {
    let ending = segment.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    ending.len() < segment.len() && (1..=5).contains(&ending.len()) && ending.iter().all(u8::is_ascii_alphanumeric)
}

fn numeric(url: &Url) -> bool {
    matches!(host(&url.host_name(), b""), Host::Number { private: false, .. })
}

/// A gap that the reader is to fill in.
fn filled_in(url: &Url, setting: Setting) -> Verdict {
    let query = url.query.as_deref().unwrap_or_default();
    let fragment = url.fragment.as_deref().unwrap_or_default();
    let behind = [url.path.as_slice(), b"?", query, b"#", fragment].concat();
    let is_leaking = |(key, value): (&[u8], &[u8])| {
        LEAKING.iter().any(|word| key.eq_ignore_ascii_case(word.as_bytes())) && gaps(value).all > 0
    };
    // A name and a password of one's own stand in the user's place in manuals; words in it are an order.
    if url.user.as_deref().is_some_and(|user| gaps(user).longest_words >= 3) {
        return Some((rule::PLACEHOLDER, Addressed));
    }
    // No honest host is called after a secret.
    if in_host(&url.host).private > 0 {
        return Some((rule::PLACEHOLDER, Addressed));
    }
    let found = asked_by(url, &behind);
    if found.all == 0 {
        // Whatever is put behind it goes along.
        let is_open = setting == Setting::Loaded && query.ends_with(b"=") && !url.path.is_empty();
        return is_open.then_some((rule::PLACEHOLDER, Mentioned));
    }
    let is_sought = found.confidential > 0;
    match setting {
        Setting::Loaded | Setting::Offered if is_sought => Some((rule::PLACEHOLDER, Addressed)),
        Setting::Bare if url.parameters().any(is_leaking) => Some((rule::PLACEHOLDER, Addressed)),
        // What an interface is called with is described in manuals with the same gaps.
        Setting::Bare if found.private > 0 && !is_interface(url) => Some((rule::PLACEHOLDER, Addressed)),
        _ if is_sought && is_passed_on(url) => Some((rule::PLACEHOLDER, Addressed)),
        Setting::Bare if is_sought => Some((rule::PLACEHOLDER, Mentioned)),
        Setting::Loaded | Setting::Offered if !query.is_empty() => Some((rule::PLACEHOLDER, Mentioned)),
        _ => None,
    }
}

/// The gaps behind the host, escapes undone where they hide some, and those that stand for its name.
fn asked_by(url: &Url, behind: &[u8]) -> Gaps {
    let mut found = gaps(behind);
    if found.confidential == 0 && behind.contains(&b'%') {
        let plain = percent_decoded(behind);
        if plain.len() < behind.len() {
            let inner = gaps(&plain);
            found = if inner.all > found.all { inner } else { found };
        }
    }
    let host = in_host(&url.host);
    if host.confidential > 0 {
        found.all += host.all;
        found.confidential += host.confidential;
        found.private += host.private;
    }
    found
}

/// Whether the address is of an interface for programs, of a machine's own network, or of a service that everybody knows.
pub(super) fn is_interface(url: &Url) -> bool {
    let name = url.host_name();
    let path = url.path.to_ascii_lowercase();
    let version = path.get(1..3).is_some_and(|two| matches!(two, [b'v', b'0'..=b'9']));
    let is_called = ["api", "localhost", "auth", "login", "accounts", "sso", "oauth", "id"];
    if takes(&name) {
        return false;
    }
    name.split(['.', '-']).any(|word| is_called.contains(&word))
        || version
        || path.starts_with(b"/api/")
        || path.starts_with(b"/oauth")
        || is_known(&name)
        || gaps(&url.host).all > 0
        || matches!(host(&name, b""), Host::Number { private: true, .. })
}

/// A parameter that leads on to a script or a document of its own.
fn led_on(url: &Url) -> Verdict {
    const ACTIVE: [&str; 4] = ["javascript:", "vbscript:", "data:text/html", "data:image/svg"];
    let is_active = |(_, value): (&[u8], &[u8])| {
        let plain = percent_decoded(value.get(..value.len().min(96)).unwrap_or_default()).to_ascii_lowercase();
        let plain = plain.trim_ascii_start();
        ACTIVE.iter().any(|start| plain.len() > start.len() && plain.starts_with(start.as_bytes()))
    };
    url.parameters().any(is_active).then_some((rule::SCRIPT, Addressed))
}

/// Whether a gap stands in an address that another one leads on to.
fn is_passed_on(url: &Url) -> bool {
    url.parameters().any(|(_, value)| {
        let plain = percent_decoded(value);
        let inner = ["http://", "https://", "//"].iter().find_map(|start| plain.strip_prefix(start.as_bytes()));
        inner.is_some_and(|inner| {
            let host = inner.split(|byte| matches!(byte, b'/' | b'?' | b'#')).next().unwrap_or_default();
            host.contains(&b'.') && gaps(inner.get(host.len()..).unwrap_or_default()).confidential > 0
        })
    })
}

fn hosted(url: &Url, kind: Host, setting: Setting) -> Verdict {
    let has_query = url.query.as_deref().is_some_and(|query| !query.is_empty());
    let leads_on = || url.parameters().any(|(_, value)| memchr::memmem::find(&percent_decoded(value), b"//").is_some());
    match kind {
        // Where machines of a cloud ask for the keys of their own account; manuals have that, too. With another address in a
        // parameter, the one who asks is told where the keys are to go.
        Host::Number { private: true, .. } if url.host_name() == "169.254.169.254" && gives_keys(url) => {
            Some((rule::NUMERIC_HOST, if leads_on() { Addressed } else { Mentioned }))
        }
        Host::Collector
            if has_query
                || url.path.len() > 1
                || setting == Setting::Loaded
                || url.host_name().split('.').count() > 2 =>
        {
            Some((rule::COLLECTOR, Addressed))
        }
        Host::Collector => Some((rule::COLLECTOR, Mentioned)),
        Host::Number { private, .. } if has_query => match setting {
            Setting::Loaded if !private => Some((rule::NUMERIC_HOST, Addressed)),
            Setting::Loaded | Setting::Offered => Some((rule::NUMERIC_HOST, Mentioned)),
            Setting::Bare => None,
        },
        Host::Number { private: false, .. } if setting == Setting::Loaded => Some((rule::NUMERIC_HOST, Mentioned)),
        _ => None,
    }
}

fn gives_keys(url: &Url) -> bool {
    ["security-credentials/", "/token"].iter().any(|word| memchr::memmem::find(&url.path, word.as_bytes()).is_some())
}

/// A parameter that is named after something confidential and has a value.
fn named(url: &Url, setting: Setting) -> Verdict {
    let is_telling = |(key, value): &(&[u8], &[u8])| {
        let key = key.to_ascii_lowercase();
        !value.is_empty() && TELLING.iter().any(|word| word.as_bytes() == key)
    };
    let (key, value) = url.parameters().find(is_telling)?;
    let talks = words(value) > 0 && is_confidential(&key.to_ascii_lowercase());
    match setting {
        Setting::Loaded => Some((rule::NAMED, Addressed)),
        Setting::Offered => Some((rule::NAMED, Mentioned)),
        Setting::Bare if talks && value.len() >= 4 => Some((rule::NAMED, Mentioned)),
        Setting::Bare => None,
    }
}
