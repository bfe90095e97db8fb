//! What the host of an address says: a service that records requests, a bare number, or a name that feigns another.
//!
//! *Standards*: RFC 3986, section 3.2.2; WHATWG URL, section 3.5 (numbers as hosts); UTS 39, section 4 (look-alikes). The list of
//! services is of public ones; whoever runs a collector of their own is found by what their addresses carry.

use crate::hidden::alike;

/// Services that show their owner every request that reaches them, and tunnels to a machine that does.
const COLLECTORS: [&str; 66] = [
    "webhook.site",
    "webhook.cool",
    "webhook-test.com",
    "webhookinbox.com",
    "typedwebhook.tools",
    "requestbin.com",
    "requestbin.net",
    "requestcatcher.com",
    "requestinspector.com",
    "requestrepo.com",
    "pipedream.net",
    "hookbin.com",
    "hookdeck.com",
    "hookb.in",
    "putsreq.com",
    "ptsv2.com",
    "ptsv3.com",
    "postb.in",
    "mockbin.org",
    "mockbin.io",
    "smee.io",
    "beeceptor.com",
    "interact.sh",
    "oast.pro",
    "oast.live",
    "oast.site",
    "oast.online",
    "oast.fun",
    "oast.me",
    "oastify.com",
    "burpcollaborator.net",
    "canarytokens.com",
    "dnslog.cn",
    "dnslog.pw",
    "ceye.io",
    "bxss.me",
    "bxss.in",
    "xss.ht",
    "xss.report",
    "r87.me",
    "ezxss.com",
    "iplogger.org",
    "iplogger.com",
    "grabify.link",
    "2no.co",
    "yip.su",
    "ngrok.io",
    "ngrok.app",
    "ngrok.dev",
    "ngrok-free.app",
    "ngrok-free.dev",
    "loca.lt",
    "localtunnel.me",
    "serveo.net",
    "localhost.run",
    "lhr.life",
    "trycloudflare.com",
    "tunnelto.dev",
    "bore.pub",
    "pagekite.me",
    "telebit.io",
    "webhookrelay.com",
    "extendsclass.com",
    "pingb.in",
    "dnsbin.zhack.ca",
    "log4shell.tools",
];

/// Addresses of chat services and paste sites under which a post is accepted from anybody who knows them.
const POSTS: [(&str, &str); 14] = [
    ("hooks.slack.com", "/services/"),
    ("hooks.slack.com", "/workflows/"),
    ("discord.com", "/api/webhooks/"),
    ("discordapp.com", "/api/webhooks/"),
    ("api.telegram.org", "/bot"),
    ("outlook.office.com", "/webhook/"),
    ("webhook.office.com", "/webhookb2/"),
    ("hooks.zapier.com", "/hooks/"),
    ("maker.ifttt.com", "/trigger/"),
    ("hook.eu1.make.com", "/"),
    ("docs.google.com", "/forms/d/e/"),
    ("pastebin.com", "/api/"),
    ("chat.googleapis.com", "/v1/spaces/"),
    ("ntfy.sh", "/"),
];

/// Names of services whose addresses stand in every document: code, packages, references, badges, searches.
const KNOWN: [&str; 46] = [
    "github.com",
    "githubusercontent.com",
    "github.io",
    "gitlab.com",
    "bitbucket.org",
    "codeberg.org",
    "shields.io",
    "badgen.net",
    "codecov.io",
    "travis-ci.org",
    "travis-ci.com",
    "circleci.com",
    "docs.rs",
    "crates.io",
    "rust-lang.org",
    "npmjs.com",
    "npmjs.org",
    "pypi.org",
    "python.org",
    "readthedocs.io",
    "wikipedia.org",
    "wikimedia.org",
    "mozilla.org",
    "w3.org",
    "ietf.org",
    "rfc-editor.org",
    "microsoft.com",
    "apple.com",
    "google.com",
    "googleapis.com",
    "gstatic.com",
    "gravatar.com",
    "stackoverflow.com",
    "debian.org",
    "ubuntu.com",
    "kernel.org",
    "apache.org",
    "gnu.org",
    "openstreetmap.org",
    "jsdelivr.net",
    "unpkg.com",
    "cloudflare.com",
    "schema.org",
    "purl.org",
    "youtube.com",
    "amazonaws.com",
];

/// Words by which hosts call themselves that take what is sent to them.
const TAKERS: [&str; 34] = [
    "collect",
    "collector",
    "exfil",
    "leak",
    "drop",
    "beacon",
    "webhook",
    "hook",
    "hooks",
    "sink",
    "evil",
    "attacker",
    "malicious",
    "callback",
    "c2",
    "steal",
    "grab",
    "grabber",
    "harvest",
    "catcher",
    "capture",
    "oob",
    "canary",
    "tunnel",
    "log",
    "logger",
    "exfiltrate",
    "rogue",
    "phish",
    "phishing",
    "stealer",
    "spy",
    "loot",
    "dnslog",
];

/// Services that draw what their address says, or show what it looks for, and tell nobody else.
const DRAWING: [&str; 11] = [
    "shields.io",
    "badgen.net",
    "badge.fury.io",
    "codecov.io",
    "coveralls.io",
    "travis-ci.org",
    "travis-ci.com",
    "circleci.com",
    "github.com",
    "wikipedia.org",
    "wikimedia.org",
];

/// Whether words in an address of this host are what it is to show.
pub(super) fn draws(name: &str) -> bool {
    DRAWING.iter().any(|service| name.strip_suffix(service).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// Whether the host is of a service whose addresses stand in every document.
pub(super) fn is_known(name: &str) -> bool {
    KNOWN.iter().any(|service| name.strip_suffix(service).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
}

/// Whether the name of a host says that it takes what is sent to it.
pub(super) fn takes(name: &str) -> bool {
    name.split(['.', '-', '_']).any(|word| TAKERS.contains(&word))
        || ["attacker", "exfil", "dnslog"].iter().any(|word| name.contains(word))
}

/// What a host is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    Collector,
    /// A network address; `plain` in the usual form, else one that hides it (`0x7f.1`, `3221226061`).
    Number {
        plain: bool,
        private: bool,
    },
    /// Letters of other scripts among Latin ones, or nothing but letters that look Latin.
    LookAlike,
    Name,
}

/// What the host `name` (lower case, no port) is, with the path that is asked of it.
pub(super) fn host(name: &str, path: &[u8]) -> Host {
    let is_of = |service: &str| name.strip_suffix(service).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    let is_post =
        |(service, start): &(&str, &str)| is_of(service) && path.starts_with(start.as_bytes()) && path.len() > 1;
    if COLLECTORS.iter().any(|service| is_of(service)) || POSTS.iter().any(is_post) {
        return Host::Collector;
    }
    if let Some(number) = number(name) {
        return number;
    }
    if !name.is_ascii() && (name.split('.').any(looks_latin) || is_compatible(name)) {
        return Host::LookAlike;
    }
    Host::Name
}

fn number(name: &str) -> Option<Host> {
    if name.starts_with('[') {
        return Some(Host::Number { plain: true, private: name.starts_with("[::1") || name.starts_with("[f") });
    }
    let parts: Vec<&str> = name.split('.').collect();
    let values: Option<Vec<u64>> = parts.iter().map(|part| value(part)).collect();
    let values = values.filter(|values| values.len() <= 4)?;
    let is_decimal =
        |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit()) && (part.len() == 1 || !part.starts_with('0'));
    let plain = parts.len() == 4 && parts.iter().all(is_decimal) && values.iter().all(|value| *value <= 255);
    // A small number alone is a port, a date or a name in a list.
    if !plain && parts.len() == 1 && values.first().is_none_or(|value| *value < 1 << 24) {
        return None;
    }
    let private = match values.as_slice() {
        [127 | 10 | 0, ..] | [192, 168, ..] | [169, 254, ..] => true,
        [172, second, ..] => (16..32).contains(second),
        _ => false,
    };
    Some(Host::Number { plain, private })
}

fn value(part: &str) -> Option<u64> {
    match part.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse().ok()).flatten(),
    }
}

/// Whether a name has signs that browsers replace by letters, digits or dots: `ⓐb.example`.
fn is_compatible(name: &str) -> bool {
    let replaced = |sign: char| {
        matches!(
            u32::from(sign),
            0x2024 | 0x2100..=0x214F | 0x2160..=0x217F | 0x2460..=0x24FF | 0xFF0E | 0xFF10..=0xFF5A | 0x1D400..=0x1D7FF
        )
    };
    let is_plain = |label: &str| label.len() >= 2 && label.bytes().all(|byte| byte.is_ascii_alphanumeric());
    // A full stop of Chinese text that follows an address ends a sentence; one within a name parts it.
    let is_parted = || {
        let is_dot = |sign: char| matches!(sign, '\u{3002}' | '\u{ff61}');
        name.rsplit_once(is_dot).is_some_and(|(before, last)| {
            is_plain(last) && before.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '-' || is_dot(sign))
        })
    };
    name.chars().any(replaced) || is_parted()
}

fn looks_latin(label: &str) -> bool {
    let mut others = label.chars().filter(|character| !character.is_ascii());
    if label.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return others.any(|character| alike::latin(character).is_some());
    }
    !label.is_empty() && others.clone().count() > 0 && others.all(alike::is_double)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collectors_are_known_by_their_domain_and_posts_by_their_path() {
        for (name, path) in
            [("x.oast.fun", "/"), ("webhook.site", "/1"), ("discord.com", "/api/webhooks/1/a"), ("a.b.ngrok.io", "")]
        {
            assert_eq!(host(name, path.as_bytes()), Host::Collector, "{name}");
        }
        for (name, path) in [("notwebhook.site", "/"), ("discord.com", "/invite/x"), ("example.com", "/webhook.site")] {
            assert_eq!(host(name, path.as_bytes()), Host::Name, "{name}");
        }
    }

    #[test]
    fn a_number_is_a_host_in_every_form_that_browsers_accept() {
        assert_eq!(host("192.0.2.7", b""), Host::Number { plain: true, private: false });
        assert_eq!(host("10.0.0.5", b""), Host::Number { plain: true, private: true });
        for name in ["3221226061", "0xc0000207", "0300.0.2.7", "127.1"] {
            assert!(matches!(host(name, b""), Host::Number { plain: false, .. }), "{name}");
        }
        assert_eq!(host("42", b""), Host::Name);
        assert_eq!(host("1.2.example", b""), Host::Name);
    }

    #[test]
    fn look_alike_letters_feign_a_latin_name_and_other_scripts_do_not() {
        assert_eq!(host("\u{441}oll\u{435}ct.example", b""), Host::LookAlike);
        assert_eq!(host("\u{430}\u{440}\u{440}.com", b""), Host::LookAlike);
        for name in [
            "\u{24d0}b.example",
            "a\u{2024}example",
            "\u{ff41}b.example",
            "collect\u{3002}example",
            "a\u{3002}collect\u{3002}example",
        ] {
            assert_eq!(host(name, b""), Host::LookAlike, "{name}");
        }
        assert_eq!(host("a.example\u{3002}\u{7136}", b""), Host::Name);
        assert_eq!(host("\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.com", b""), Host::Name);
        assert_eq!(host("m\u{fc}nchen.example", b""), Host::Name);
    }
}
