//! Values that are taken from a machine or a person and stand in an address as they are: keys, paths, card numbers, inner addresses.
//!
//! Names of parameters count only together: an address with a user's name is a profile, one with the name, the host and the
//! session is a report. *Security*: hostile bytes; each value is looked at a fixed number of times. *Standards*: ISO/IEC 7812-1
//! (check digit), RFC 1918.

use memchr::memmem;

use super::carried::{Carried, carried, decoded, percent_decoded};
use super::host::{draws, is_known};
use super::naming::is_private;
use super::rule;
use super::setting::Setting;
use super::url::Url;
use crate::rule::Rule;
use crate::rule::Strength::{self, Addressed, Mentioned};

/// The beginnings of keys that services give out, and how much follows at least.
const KEYS: [(&str, usize); 18] = [
    ("AIza", 12),
    ("sk-", 8),
    ("sk_live_", 6),
    ("rk_live_", 6),
    ("ghp_", 8),
    ("gho_", 8),
    ("ghs_", 8),
    ("github_pat_", 8),
    ("glpat-", 6),
    ("AKIA", 8),
    ("ASIA", 8),
    ("xoxb-", 8),
    ("xoxp-", 8),
    ("npm_", 12),
    ("hvs.", 8),
    ("sk-live-", 6),
    ("dop_v1_", 8),
    ("pypi-", 12),
];

/// Files and beginnings of texts that no address has a use for.
const TAKEN: [&str; 22] = [
    "root:x:0:0",
    ".env/",
    "/.env",
    ".bash_history",
    ".pgpass",
    ".docker/config",
    "/etc/passwd",
    "/etc/shadow",
    "/etc/hosts",
    ".aws/cred",
    ".ssh/",
    "id_rsa",
    "id_ed25519",
    "/run/secrets",
    ".kube/config",
    ".netrc",
    ".npmrc",
    "begin private key",
    "begin rsa private",
    "begin openssh",
    "wallet.dat",
    "document.cookie",
];

/// Parameters for who somebody is and where they are logged in.
const SESSION: [&str; 17] = [
    "sess",
    "session",
    "sessionid",
    "session_id",
    "sid",
    "phpsessid",
    "jsessionid",
    "jwt",
    "auth",
    "bearer",
    "pw",
    "pwd",
    "pass",
    "cred",
    "creds",
    "card",
    "ssn",
];

/// Parameters for what a machine or its user is called.
const FACTS: [&str; 19] = [
    "user", "username", "usr", "login", "uid", "host", "hostname", "machine", "computer", "ip", "mail", "email",
    "tenant", "upn", "cwd", "repo", "branch", "phone", "u",
];

/// The names of what a value says of a machine or its user, in whole or as the end of a longer one: `PGPASSWORD=`.
const TOLD: [&str; 26] = [
    "jwt",
    "seed",
    "prompt",
    "contacts",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "jsessionid",
    "phpsessid",
    "session",
    "sessionid",
    "cookie",
    "otp",
    "pin",
    "ssn",
    "iban",
    "cvv",
    "api_key",
    "apikey",
    "access_key",
    "private_key",
    "uid",
    "hostname",
    "credential",
];

/// What an address takes along as it is.
pub(super) fn taken(url: &Url, setting: Setting) -> Option<(&'static Rule, Strength)> {
    let name = url.host_name();
    if url.host.split(|byte| *byte == b'.').any(has_key) {
        return Some((rule::NAMED, Addressed));
    }
    if draws(&name) || is_known(&name) {
        return None;
    }
    let is_sure = |value: &[u8]| {
        let plain = percent_decoded(value);
        has_private_key(&plain)
            || has_key(&plain)
            || plain.len() == 19 && is_grouped(&plain) && is_card(&plain)
            || plain.len() < value.len() && tells(&plain)
    };
    if parts(url).any(|part| part.len() > 6 && is_sure(part)) {
        return Some((rule::NAMED, Addressed));
    }
    let plain = || parts(url).map(percent_decoded);
    let segments = url.path.split(|byte| *byte == b'/').filter(|segment| segment.len() > 8).map(percent_decoded);
    let values = || url.parameters().map(|(_, value)| percent_decoded(value));
    let is_taken = values().any(|value| is_loot(&value))
        || segments.chain(url.user.clone()).any(|value| is_card(&value))
        || names_file(&url.path.to_ascii_lowercase())
        || plain().any(|value| has_grouped(&value));
    let counted = url.parameters().filter(|(_, value)| !value.is_empty());
    let (mut session, mut facts, mut is_told) = (0, 0, false);
    let (mut is_owner, mut is_project) = (false, false);
    for (key, value) in counted.take(32) {
        let key = key.to_ascii_lowercase();
        let is = |list: &[&str]| list.iter().any(|word| word.as_bytes() == key);
        session += usize::from(is(&SESSION) && value.len() > 2);
        is_told |=
            memmem::find(value, b"internal").is_some() || (value.len() > 6 && is_private(&value.to_ascii_lowercase()));
        session += usize::from(is(&SESSION) && value.len() >= 8 && value.iter().any(u8::is_ascii_digit));
        facts += usize::from(is(&FACTS) || is_inner(value));
        let is_name = !matches!(carried(value), Carried::Opaque(_));
        is_owner |= key == b"user" && is_name;
        is_project |= key == b"repo" && is_name;
    }
    // Whose project it is tells hardly more than its name.
    let is_project = is_owner && is_project;
    facts -= usize::from(is_project);
    match setting {
        Setting::Bare if is_taken || session > 1 => Some((rule::NAMED, Mentioned)),
        Setting::Bare => None,
        _ if is_taken || session > 1 || (session == 1 && facts > 0) => Some((rule::NAMED, Addressed)),
        Setting::Loaded if facts > 1 => Some((rule::NAMED, Addressed)),
        Setting::Loaded => (session == 1 || is_told || is_project).then_some((rule::NAMED, Mentioned)),
        Setting::Offered => (session == 1).then_some((rule::NAMED, Mentioned)),
    }
}

/// Everything in an address that may hold a value: the user's name and password, segments with what hangs on them by
/// semicolons, values of parameters, and the fragment.
fn parts(url: &Url) -> impl Iterator<Item = &[u8]> {
    let user = url.user.as_deref().unwrap_or_default().split(|byte| *byte == b':');
    let path = url.path.split(|byte| matches!(byte, b'/' | b';'));
    let fragment = url.fragment.as_deref().unwrap_or_default();
    user.chain(path).chain(url.parameters().map(|(_, value)| value)).chain([fragment]).take(64)
}

fn has_private_key(value: &[u8]) -> bool {
    let low = value.to_ascii_lowercase();
    memmem::find(&low, b"begin").is_some() && memmem::find(&low, b"private key").is_some()
}

fn names_file(low: &[u8]) -> bool {
    TAKEN.iter().any(|word| memmem::find(low, word.as_bytes()).is_some())
}

/// Whether a value is a name and a value in its turn, and the name is one of a secret: `otp:428193`.
fn tells(plain: &[u8]) -> bool {
    plain.split(|byte| matches!(byte, b'&' | b';' | b',' | b'|' | b'\n' | b' ')).take(16).any(|field| {
        let Some(at) = field.iter().position(|byte| matches!(byte, b'=' | b':')) else { return false };
        let (name, value) = field.split_at(at);
        let name = name.trim_ascii().to_ascii_lowercase();
        let is_told = TOLD.iter().any(|word| name.ends_with(word.as_bytes())) && name.len() <= 24;
        is_told && value.len() > 3 && value.iter().skip(1).all(|byte| byte.is_ascii_graphic() || *byte == b' ')
    })
}

/// Whether a value holds such groups, or the number of an American's social security.
fn has_grouped(value: &[u8]) -> bool {
    value.starts_with(b"ssn") && value.len() >= 12
        || value.split(|byte| !(byte.is_ascii_digit() || *byte == b'-')).any(is_grouped)
}

/// Whether a value is four groups of four digits, as accounts and codes for recovery are written.
fn is_grouped(value: &[u8]) -> bool {
    let is_group = |group: &[u8]| group.len() == 4 && group.iter().all(u8::is_ascii_digit);
    value.len() == 19 && value.split(|byte| matches!(byte, b'-' | b' ')).filter(|group| is_group(group)).count() == 4
}

fn is_loot(value: &[u8]) -> bool {
    let low = value.to_ascii_lowercase();
    let is_hidden = || (12..=1024).contains(&value.len()) && decoded(value).is_some_and(|text| names_file(&text));
    names_file(&low) || has_key(value) || is_card(value) || is_packed(value) || is_hidden()
}

/// Whether a value is compressed text in base64, by the first bytes of zlib and gzip.
fn is_packed(value: &[u8]) -> bool {
    value.len() >= 24
        && ["eJx", "eJy", "eJz", "eNo", "eNp", "H4sI"].iter().any(|start| value.starts_with(start.as_bytes()))
}

/// Whether a word of a value is a key that some service gave out.
fn has_key(value: &[u8]) -> bool {
    KEYS.iter().any(|(start, more)| {
        memmem::find(value, start.as_bytes()).is_some_and(|at| {
            let begins = at == 0 || value.get(at - 1).is_some_and(|byte| !byte.is_ascii_alphanumeric());
            let rest = value.get(at + start.len()..).unwrap_or_default();
            let is_made = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
            let made = rest.iter().take_while(is_made);
            let marks = made.clone().filter(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()).count();
            begins && marks > 1 && made.count() >= *more
        })
    })
}

/// Whether a value holds the number of a payment card.
fn is_card(value: &[u8]) -> bool {
    let digits = |text: &[u8]| text.iter().filter(|byte| !matches!(byte, b' ' | b'-')).all(u8::is_ascii_digit);
    let is_sign = |byte: &u8| !(byte.is_ascii_digit() || matches!(byte, b' ' | b'-'));
    value.split(is_sign).filter(|part| (15..=19).contains(&part.len()) && digits(part)).any(|part| {
        let number: Vec<u32> = part.iter().filter_map(|byte| char::from(*byte).to_digit(10)).collect();
        let double = |(at, digit): (usize, &u32)| match (at % 2, digit * 2) {
            (0, _) => *digit,
            (_, twice) => twice / 10 + twice % 10,
        };
        matches!(number.first(), Some(3..=6))
            && (15..=16).contains(&number.len())
            && number.iter().rev().enumerate().map(double).sum::<u32>() % 10 == 0
    })
}

/// Whether a value is an address of a network that nobody outside sees.
fn is_inner(value: &[u8]) -> bool {
    let parts: Vec<&[u8]> = value.split(|byte| *byte == b'.').collect();
    let is_number = |part: &&[u8]| (1..=3).contains(&part.len()) && part.iter().all(u8::is_ascii_digit);
    parts.len() == 4
        && parts.iter().all(is_number)
        && (value.starts_with(b"10.") || value.starts_with(b"192.168.") || value.starts_with(b"172."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, setting: Setting) -> Option<Strength> {
        let url = Url::at(text.as_bytes(), text.find("//").unwrap()).unwrap();
        taken(&url, setting).map(|(_, strength)| strength)
    }

    #[test]
    fn keys_cards_and_files_are_loot() {
        for url in [
            "https://h.example/?t=ghp_0123456789abcdefAB",
            "https://h.example/p.png?a=/home/ada/.ssh/known",
            "https://h.example/c/card=4111111111111111;exp=12.gif",
            "https://AKIA0123456789EXAMPLE.h.example/x",
            "https://h.example/i.gif?host=web-3&ip=10.1.2.3",
            "https://h.example/i.gif?user=ada&session=0a1b",
        ] {
            assert_eq!(of(url, Setting::Loaded), Some(Addressed), "{url}");
        }
    }

    #[test]
    fn keys_and_named_secrets_are_loot_in_every_part_and_setting() {
        for url in [
            "https://h.example/x;jsessionid=sk-proj-12ab34cd56ef",
            "https://h.example/#x?glpat-0a1b2c3d4e5f",
            "https://DB_PASSWORD%3Dmarigold@h.example/",
            "see https://h.example/?a=otp%3A135790",
            "https://h.example/a/token%3A0a1b2c/b",
        ] {
            assert_eq!(of(url, Setting::Bare), Some(Addressed), "{url}");
        }
        assert_eq!(of("https://h.example/a?b=https://i.example/9012-3456-7890-1234", Setting::Bare), Some(Mentioned));
        assert_eq!(of("https://h.example/4111-1111-1111-1111/", Setting::Bare), Some(Addressed));
        for url in ["https://h.example/9012-3456-7890-1234", "https://h.example/home/ada/.ssh/id_ed25519"] {
            assert_eq!(of(url, Setting::Bare), Some(Mentioned), "{url}");
        }
        for url in
            ["https://h.example/?a=time%3A1030", "https://h.example/?token=0a1b2c", "https://h.example/2026-03-01"]
        {
            assert_eq!(of(url, Setting::Bare), None, "{url}");
        }
    }

    #[test]
    fn one_name_or_a_number_is_none() {
        for url in [
            "https://h.example/avatar?user=ada",
            "https://h.example/o/1234567890123456?page=2",
            "https://img.shields.io/x?user=ada&repo=table",
            "https://h.example/?ask-me=sk-anything",
        ] {
            assert_eq!(of(url, Setting::Loaded), None, "{url}");
        }
        assert_eq!(of("https://h.example/?user=ada&host=web", Setting::Bare), None);
    }

    #[test]
    fn whose_project_it_is_is_mentioned_unless_a_machine_made_the_name() {
        let of = |text| of(text, Setting::Loaded);
        assert_eq!(of("https://buttons.h.example/star?user=ada&repo=table"), Some(Mentioned));
        assert_eq!(of("https://h.example/p.png?user=ada&repo=q7Rz2Lk9Wm4Tx8Vb1Nc6"), Some(Addressed));
    }
}
