//! Addresses that lead to no web page: scripts, documents of their own, local files, messages, other programs.
//!
//! *Security*: hostile bytes; looks a bounded way back and ahead. *Standards*: RFC 2397 (data), RFC 8089 (file), RFC 6068
//! (mailto), RFC 5724 (sms), HTML (javascript).

use std::ops::Range;

use super::carried::{Carried, carried, percent_decoded, words};
use super::placeholder::{Gap, gap, gaps};
use super::rule;
use super::setting::{Setting, setting};
use super::url::invisible;
use crate::rule::Strength::{Addressed, Mentioned};
use crate::rule::{Hit, Rule, Strength};

mod drawing;

/// How far an address of this kind is read, bytes.
const AHEAD_BYTES_MAX: usize = 512;

type Verdict = Option<(&'static Rule, Strength)>;

/// The schemes looked for; each ends in its colon.
pub(super) const SCHEMES: [&str; 82] = [
    "ldap:",
    "ldaps:",
    "rmi:",
    "nfs:",
    "tftp:",
    "dict:",
    "gopher:",
    "tg:",
    "whatsapp:",
    "skype:",
    "sip:",
    "sips:",
    "xmpp:",
    "facetime:",
    "viber:",
    "sgnl:",
    "discord:",
    "mattermost:",
    "callto:",
    "webcal:",
    "magnet:",
    "ms-teams:",
    "ms-outlook:",
    "ms-search:",
    "onenote:",
    "notion:",
    "shortcuts:",
    "android-app:",
    "market:",
    "mhtml:",
    "ms-its:",
    "hcp:",
    "phar:",
    "netdoc:",
    "chrome:",
    "microsoft-edge:",
    "googlechrome:",
    "jetbrains:",
    "windsurf:",
    "zed:",
    "raycast:",
    "dav:",
    "davs:",
    "sandbox:",
    "bitcoin:",
    "ethereum:",
    "wtai:",
    "data:",
    "script:",
    "file:",
    "mailto:",
    "sms:",
    "smsto:",
    "tel:",
    "blob:",
    "filesystem:",
    "view-source:",
    "jar:",
    "ms-msdt:",
    "search-ms:",
    "ms-officecmd:",
    "ms-word:",
    "ms-excel:",
    "ms-powerpoint:",
    "ms-visio:",
    "ms-settings:",
    "ms-appinstaller:",
    "itms-services:",
    "intent:",
    "vscode:",
    "vscode-insiders:",
    "cursor:",
    "slack:",
    "zoommtg:",
    "msteams:",
    "steam:",
    "shell:",
    "smb:",
    "x-apple.systempreferences:",
    "obsidian:",
    "javascript&colon;",
    "php://filter",
];

/// What is wrong with the address whose scheme stands at `scheme`, if anything is.
pub(super) fn judged(bytes: &[u8], scheme: Range<usize>) -> Option<Hit> {
    let name = bytes.get(scheme.clone())?.to_ascii_lowercase();
    let start = if name == b"script:" { script_start(bytes, scheme.start)? } else { scheme.start };
    let before = start.checked_sub(1).and_then(|at| bytes.get(at)).copied();
    if before
        .is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b'$' | b'@'))
    {
        return None;
    }
    let tail = bytes.get(scheme.end..)?;
    let tail = tail.get(..tail.len().min(AHEAD_BYTES_MAX)).unwrap_or_default();
    // A line that breaks behind a question mark or an ampersand goes on.
    let mut last = 0;
    let end = tail.iter().position(|byte| {
        let goes_on = matches!(byte, b'\n' | b'\r') && matches!(last, b'?' | b'&' | b'\r' | b'\n');
        last = *byte;
        matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b'"' | b'<' | b'>' | b'`') && !goes_on
    });
    let rest = tail.get(..end.unwrap_or(tail.len())).unwrap_or_default();
    let at = setting(bytes, start);
    let (rule, strength) = match name.as_slice() {
        b"script:" => script(bytes.get(start..scheme.end)?, rest, at),
        b"javascript&colon;" => Some((rule::SCRIPT, Addressed)),
        b"php://filter" => Some((rule::LOCAL, Addressed)),
        b"data:" => data(rest, tail.get(rest.len()) == Some(&b'<'), drawing::is_inert(bytes, start, scheme.end), at),
        b"file:" => file(rest, at),
        b"mailto:" | b"sms:" | b"smsto:" => message(rest, at),
        b"tel:" => (rest.contains(&b'*') || rest.contains(&b'#')).then_some((rule::HANDLER, Addressed)),
        b"smb:" => rest.starts_with(b"//").then_some((rule::LOCAL, linked(at))),
        _ => program(&name, rest, at),
    }?;
    Some(Hit { rule, range: start..scheme.end + rest.len(), strength })
}

fn linked(at: Setting) -> Strength {
    if at == Setting::Bare { Mentioned } else { Addressed }
}

/// Whether an option of a program stands in the place of a host: `ssh://-oProxyCommand=…`.
pub(super) fn is_option(bytes: &[u8], slashes: &Range<usize>) -> bool {
    let rest = bytes.get(slashes.end..).unwrap_or_default();
    rest.starts_with(b"-o") && slashes.start.checked_sub(1).and_then(|at| bytes.get(at)) == Some(&b':')
}

/// Where `java` or `vb` begins before `script:`, whatever renderers skip between their letters left out.
fn script_start(bytes: &[u8], end: usize) -> Option<usize> {
    let from = end.saturating_sub(48);
    let before = bytes.get(from..end)?;
    ["avaj", "bv"].iter().find_map(|reversed| {
        let mut at = before.len();
        for letter in reversed.bytes() {
            at = skipped(before, at);
            at = at.checked_sub(1)?;
            if before.get(at)?.to_ascii_lowercase() != letter {
                return None;
            }
        }
        Some(from + at)
    })
}

/// Goes back over tabs, line breaks, invisible characters and entities for them.
fn skipped(before: &[u8], mut at: usize) -> usize {
    loop {
        let head = before.get(..at).unwrap_or_default();
        let entity = [
            &b"&tab;"[..],
            b"&newline;",
            b"&#9;",
            b"&#10;",
            b"&#13;",
            b"&#x9;",
            b"&#xa;",
            b"&#x0a;",
            b"&zwnj;",
            b"\\t",
            b"\\n",
        ];
        let taken = entity.iter().find(|entity| head.to_ascii_lowercase().ends_with(entity)).map(|entity| entity.len());
        let unseen =
            head.len().checked_sub(3).and_then(|at| head.get(at..)).map(invisible).filter(|length| *length == 3);
        let control = matches!(head.last(), Some(0..=0x1F)).then_some(1);
        match taken.or(unseen).or(control) {
            Some(length) => at -= length,
            None => return at,
        }
    }
}

fn script(written: &[u8], rest: &[u8], at: Setting) -> Verdict {
    let is_whole = written.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b':');
    let low = rest.to_ascii_lowercase();
    if !is_whole && (rest.contains(&b'(') || at != Setting::Bare) {
        return Some((rule::SCRIPT, Addressed));
    }
    // What pages write where they need a link that leads nowhere.
    let idle = ["void(0", "void 0", ";", "history.", "window.print(", "print()", "window.close(", "//"];
    let is_commented = low.starts_with(b"//") && memchr::memmem::find(&low, b"%0a").is_some();
    if is_commented {
        return Some((rule::SCRIPT, linked(at)));
    }
    if low.is_empty() || idle.iter().any(|start| low.starts_with(start.as_bytes())) {
        return (at != Setting::Bare).then_some((rule::SCRIPT, Mentioned));
    }
    let takes = ["getselection", "cookie", "storage", "innertext", "innerhtml"]
        .iter()
        .any(|word| memchr::memmem::find(&low, word.as_bytes()).is_some());
    let leads_out = memchr::memmem::find(&low, b"//").is_some();
    match at {
        Setting::Bare if takes && leads_out => Some((rule::SCRIPT, Addressed)),
        Setting::Bare => low.iter().any(|byte| matches!(byte, b'(' | b'=' | b'%')).then_some((rule::SCRIPT, Mentioned)),
        _ => Some((rule::SCRIPT, Addressed)),
    }
}

/// Pictures and fonts whose bytes are those of their type, and drawings that do nothing, are flagged only: style sheets and pages are full of them.
fn data(rest: &[u8], has_tag: bool, is_drawing: bool, at: Setting) -> Verdict {
    const HARMLESS: [(&str, &str); 12] = [
        ("image/png;base64,", "iVBORw0KGgo"),
        ("image/gif;base64,", "R0lGOD"),
        ("image/jpeg;base64,", "/9j/"),
        ("image/jpg;base64,", "/9j/"),
        ("image/webp;base64,", "UklGR"),
        ("image/x-icon;base64,", "AAABAA"),
        ("image/vnd.microsoft.icon;base64,", "AAABAA"),
        ("font/woff2;base64,", "d09GMg"),
        ("font/woff;base64,", "d09GRg"),
        ("application/font-woff;base64,", "d09GR"),
        ("application/x-font-woff;base64,", "d09GR"),
        ("font/ttf;base64,", "AAEAAA"),
    ];
    let low = rest.to_ascii_lowercase();
    let comma = low.iter().position(|byte| *byte == b',')?;
    let kind = low.get(..comma)?;
    let is_type = kind.is_empty() || kind.starts_with(b";") || kind.contains(&b'/');
    if !is_type || !kind.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/;=+-._%".contains(byte)) {
        return None;
    }
    let body = rest.get(comma + 1..)?;
    let is_picture =
        HARMLESS.iter().any(|(kind, magic)| low.starts_with(kind.as_bytes()) && body.starts_with(magic.as_bytes()));
    let active = [
        "text/html",
        "application/xhtml",
        "text/xml",
        "application/xml",
        "javascript",
        "ecmascript",
        "image/svg",
        "application/",
    ];
    let is_active = active.iter().any(|word| memchr::memmem::find(kind, word.as_bytes()).is_some());
    // A tag ends an address elsewhere, and begins a document here.
    if is_active && has_tag && body.is_empty() && !kind.starts_with(b"image/") {
        return Some((rule::DATA, linked(at)));
    }
    match at {
        _ if is_picture || is_drawing || body.is_empty() => Some((rule::DATA, Mentioned)),
        Setting::Bare if !is_active => Some((rule::DATA, Mentioned)),
        _ => Some((rule::DATA, Addressed)),
    }
}

fn file(rest: &[u8], at: Setting) -> Verdict {
    let path = rest.strip_prefix(b"//").or_else(|| rest.strip_prefix(b"/"))?;
    let is_doubled = rest.starts_with(b"////")
        && rest.split(|byte| *byte == b'/').find(|part| !part.is_empty()).is_some_and(|host| host.contains(&b'.'));
    let is_share = rest.starts_with(b"//")
        && !path.starts_with(b"/")
        && !path.starts_with(b"localhost/")
        && !path.starts_with(b".")
        && path.contains(&b'/')
        && !path.contains(&b'{')
        && !path.contains(&b'$');
    let tells = path.split(|byte| *byte == b'/').any(|segment| carried(segment) == Carried::Encoded);
    let strength = if is_share || is_doubled || tells { Addressed } else { linked(at) };
    Some((rule::LOCAL, strength))
}

fn message(rest: &[u8], at: Setting) -> Verdict {
    let query = rest.iter().position(|byte| matches!(byte, b'?' | b'&')).and_then(|at| rest.get(at + 1..))?;
    // A command that is put in has brackets of its own.
    let is_run = memchr::memmem::find(query, b"$(").is_some();
    let written = query.split(|byte| *byte == b')' && !is_run).next()?;
    let query = written.to_ascii_lowercase();
    let value = |key: &str| {
        query.split(|byte| *byte == b'&').find_map(|pair| pair.trim_ascii_start().strip_prefix(key.as_bytes()))
    };
    if value("attach=").or_else(|| value("attachment=")).is_some_and(|file| file.len() > 2) {
        return Some((rule::MESSAGE, Addressed));
    }
    let body = value("body=").or_else(|| value("subject="))?;
    let is_body = value("body=").is_some();
    // Digits of base64 are letters whose case counts.
    let is_of = |pair: &&[u8]| pair.len() > 5 && pair.get(..5).is_some_and(|key| key.eq_ignore_ascii_case(b"body="));
    let whole = written.split(|byte| *byte == b'&').find(is_of);
    let is_encoded = whole.and_then(|pair| pair.get(5..)).is_some_and(|body| carried(body) == Carried::Encoded);
    match carried(body) {
        _ if is_encoded => Some((rule::MESSAGE, Addressed)),
        Carried::Encoded => Some((rule::MESSAGE, Addressed)),
        Carried::Words { fields: true, .. } if is_body => Some((rule::MESSAGE, Addressed)),
        // A form letter asks for words; a message that lists values has them.
        Carried::Words { count: 4.., .. } if is_body && lists(body) => Some((rule::MESSAGE, Addressed)),
        _ if is_body
            && (gap(body) == Some(Gap::Confidential)
                || whole.and_then(|pair| gap(pair.get(4..)?)) == Some(Gap::Confidential)) =>
        {
            Some((rule::MESSAGE, Addressed))
        }
        Carried::Words { count, fields } if is_body && (count >= 3 || fields) => Some((rule::MESSAGE, linked(at))),
        Carried::Words { fields: true, .. } => Some((rule::MESSAGE, linked(at))),
        Carried::Words { count: 6.., .. } => Some((rule::MESSAGE, Mentioned)),
        _ if is_body && (words(body) > 0 || body.len() > 8) => Some((rule::MESSAGE, Mentioned)),
        _ => None,
    }
}

fn lists(body: &[u8]) -> bool {
    let plain = percent_decoded(body);
    plain.iter().any(u8::is_ascii_digit) && plain.iter().any(|byte| matches!(byte, b':' | b',' | b';' | b'='))
}

/// Whether an address speaks to a service in its own language: `gopher://h:6379/_SET`, `dict://h:11211/stat:x`.
fn is_forged(name: &[u8], rest: &[u8]) -> bool {
    let start = rest.iter().skip(2).position(|byte| *byte == b'/').map_or(rest.len(), |at| at + 3);
    let path = rest.get(start..).unwrap_or_default();
    match name {
        b"gopher:" => memchr::memmem::find(rest, b"/_").is_some(),
        b"netdoc:" => rest.starts_with(b"///"),
        b"dict:" => path.contains(&b':') && !path.starts_with(b"d:") && !path.starts_with(b"m:"),
        _ => false,
    }
}

fn program(name: &[u8], rest: &[u8], at: Setting) -> Verdict {
    let slashes = rest.starts_with(b"//");
    let address = rest.starts_with(b"http");
    let gaps = gaps(rest);
    let is_sought = gaps.private > 0 || (gaps.confidential > 0 && !name.starts_with(b"ldap"));
    let is_opened = slashes || rest.contains(&b'?') || rest.contains(&b'@');
    if is_opened && is_sought || slashes && is_forged(name, rest) {
        return Some((rule::HANDLER, Addressed));
    }
    match name {
        b"ms-msdt:" | b"ms-appinstaller:" | b"ms-officecmd:" | b"search-ms:" | b"itms-services:" => {
            (rest.len() > 2).then_some((rule::HANDLER, Addressed))
        }
        b"ms-word:" | b"ms-excel:" | b"ms-powerpoint:" | b"ms-visio:" => {
            (rest.contains(&b'|')).then_some((rule::HANDLER, Addressed))
        }
        b"ldap:" | b"ldaps:" | b"rmi:" | b"gopher:" | b"dict:" => slashes.then_some((rule::HANDLER, linked(at))),
        b"view-source:" | b"blob:" | b"filesystem:" | b"jar:" => {
            (address || rest.starts_with(b"file:")).then_some((rule::HANDLER, linked(at)))
        }
        // Pages of the browser itself, to which no page may lead.
        b"chrome:" if slashes => Some((rule::HANDLER, Mentioned)),
        b"shell:" => (at != Setting::Bare && rest.len() > 2).then_some((rule::HANDLER, Addressed)),
        _ if at == Setting::Bare => {
            let asks =
                memchr::memmem::find(rest, b"text=").or_else(|| memchr::memmem::find(rest, b"message=")).is_some();
            (slashes || asks).then_some((rule::HANDLER, Mentioned))
        }
        _ => (slashes || (at != Setting::Bare && rest.len() > 2)).then_some((rule::HANDLER, linked(at))),
    }
}
