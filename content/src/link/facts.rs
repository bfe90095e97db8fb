//! Values that an address names after what they are: `?user=ada&pw=lotus3&cwd=/home/ada`, each a sign of its own weight.
//!
//! The names and the values of parameters are weighed together with how the address is met: one fact about a person is
//! everyday, a password beside it is not. Gaps and encodings are the matter of other files. *Security*: hostile bytes; a bounded
//! number of parameters, each looked at a fixed number of times.

use memchr::memmem;

use super::carried::{decoded, percent_decoded};
use super::host::{Host, draws, host, is_known, takes};
use super::naming::is_private;
use super::placeholder::gaps;
use super::rule;
use super::setting::Setting;
use super::url::Url;
use super::web::TAKING;
use crate::rule::Rule;
use crate::rule::Strength::{self, Addressed, Mentioned};

/// From which weight on an address is refused, and from which on it is flagged.
const REFUSED: i32 = 5;
const FLAGGED: i32 = 4;

/// How many parameters are weighed.
const PARAMETERS_MAX: usize = 24;

/// What opens something, or is nobody's but one person's; a part of a parameter's name.
const HARD: [&str; 44] = [
    "pw",
    "pwd",
    "pass",
    "passwd",
    "password",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "senha",
    "parola",
    "parol",
    "heslo",
    "contrasena",
    "pgpass",
    "psk",
    "pwhash",
    "pin",
    "cvv",
    "cvc",
    "otp",
    "ssn",
    "cpf",
    "iban",
    "secret",
    "secrets",
    "cred",
    "creds",
    "credential",
    "credentials",
    "cookie",
    "cookies",
    "mnemonic",
    "privkey",
    "privatekey",
    "clientsecret",
    "netrc",
    "kubeconfig",
    "passport",
    "phpsessid",
    "jsessionid",
    "sshkey",
    "signkey",
    "userpassword",
];

/// What opens something for a while, or is called so in interfaces that everybody uses.
const SOFT: [&str; 18] = [
    "token",
    "tokens",
    "session",
    "sessionid",
    "sess",
    "sid",
    "ses",
    "jwt",
    "bearer",
    "auth",
    "csrf",
    "key",
    "apikey",
    "pat",
    "keys",
    "idtoken",
    "accesstoken",
    "serial",
];

/// Who or what somebody is, or which machine.
const FACTS: [&str; 60] = [
    "user",
    "users",
    "username",
    "usr",
    "uname",
    "login",
    "uid",
    "who",
    "whoami",
    "owner",
    "viewer",
    "reader",
    "employee",
    "emp",
    "requester",
    "speaker",
    "patient",
    "pupil",
    "student",
    "customer",
    "cust",
    "subscriber",
    "holder",
    "rcpt",
    "attendee",
    "buyer",
    "shopper",
    "reporter",
    "acct",
    "bal",
    "balance",
    "saldo",
    "salary",
    "salaries",
    "budget",
    "host",
    "hostname",
    "machine",
    "computer",
    "pc",
    "device",
    "imei",
    "mac",
    "ip",
    "email",
    "mail",
    "mailbox",
    "upn",
    "phone",
    "tel",
    "cwd",
    "home",
    "homedir",
    "gps",
    "dob",
    "tax",
    "badge",
    "grade",
    "grades",
    "health",
];

/// Words of what a company or a person does not publish; a part of a value.
const UNPUBLISHED: [&str; 41] = [
    "internal",
    "intranet",
    "confidential",
    "private",
    "secret",
    "secrets",
    "unreleased",
    "unpublished",
    "undisclosed",
    "stealth",
    "layoff",
    "layoffs",
    "payroll",
    "salary",
    "salaries",
    "merger",
    "acquisition",
    "acquire",
    "severance",
    "dismissal",
    "dismissals",
    "settlement",
    "diagnosis",
    "therapy",
    "depression",
    "bankruptcy",
    "divorce",
    "lawsuit",
    "nda",
    "resign",
    "resignation",
    "restructuring",
    "termination",
    "passwords",
    "password",
    "passwd",
    "whoami",
    "netrc",
    "vpn",
    "unpatched",
    "debts",
];

/// Names of those who may do everything, as values.
const RULERS: [&str; 7] = ["root", "admin", "administrator", "ceo", "cfo", "sysop", "batch"];

/// The beginnings of keys, shorter than is needed to tell them by themselves.
const KEYS: [&str; 22] = [
    "sk-",
    "sk_",
    "ghp_",
    "gho_",
    "ghs_",
    "glpat-",
    "akia",
    "asia",
    "xoxb-",
    "xoxp-",
    "hvs.",
    "npm_",
    "pypi-",
    "ya29.",
    "gocspx-",
    "aiza",
    "-----begin",
    "postgres://",
    "mysql://",
    "mongodb://",
    "redis://",
    "eyj",
];

/// Beginnings of paths of somebody's own files.
const PATHS: [&str; 7] = ["/home/", "/users/", "/root/", "c:\\", "d:\\", "~/", "\\users\\"];

/// Names that only machines of one's own network have.
const INNER: [&str; 6] = [".corp", ".internal", ".local", ".lan", ".intra", "intranet"];

/// What the named values of an address amount to; `is_commanded` says that a command beside it fetches it.
pub(super) fn told(url: &Url, setting: Setting, is_commanded: bool) -> Option<(&'static Rule, Strength)> {
    let name = url.host_name();
    if draws(&name) || is_known(&name) || is_own(&name) {
        return None;
    }
    let values = url.parameters().take(PARAMETERS_MAX).map(|(key, value)| weight(key, value));
    let segments = url.path.split(|byte| *byte == b'/').filter(|segment| segment.len() > 6).take(16);
    let in_path = segments.map(|segment| match segment.iter().position(|byte| *byte == b'=') {
        Some(at) => weight(segment.get(..at).unwrap_or_default(), segment.get(at + 1..).unwrap_or_default()),
        None => {
            if is_numbered(segment) {
                REFUSED
            } else {
                0
            }
        }
    });
    let carried: i32 = values.chain(in_path).sum();
    if carried < 2 {
        return None;
    }
    let met = match setting {
        Setting::Loaded => 3,
        Setting::Offered => 1,
        Setting::Bare => i32::from(is_commanded),
    };
    let low = url.path.to_ascii_lowercase();
    let taking = i32::from(TAKING.iter().any(|start| low.starts_with(start.as_bytes())));
    // Whoever is invited to a talk gets its password with the address.
    let invites = if low.starts_with(b"/j/") { 2 } else { 0 };
    match met + carried + taking + if takes(&name) { 2 } else { 0 } - invites {
        REFUSED.. => Some((rule::NAMED, Addressed)),
        FLAGGED => Some((rule::NAMED, Mentioned)),
        _ => None,
    }
}

/// Whether the host is the reader's own machine.
fn is_own(name: &str) -> bool {
    name == "localhost" || name.ends_with(".localhost") || matches!(host(name, b""), Host::Number { private: true, .. })
}

/// The weight of a parameter: that of its name, and that of its value.
fn weight(key: &[u8], value: &[u8]) -> i32 {
    let key = key.strip_prefix(b"amp;").unwrap_or(key);
    let key = percent_decoded(key);
    // What a store of objects signs its addresses with.
    if key.get(..6).is_some_and(|start| start.eq_ignore_ascii_case(b"x-amz-") || start.eq_ignore_ascii_case(b"x-goog"))
    {
        return 0;
    }
    let plain = percent_decoded(value);
    let plain = plain.trim_ascii();
    if plain.len() < 2 || gaps(&[b"=", plain].concat()).all > 0 || is_filler(plain) {
        return 0;
    }
    if let Some(inner) = inner(plain) {
        return inner;
    }
    let named = name_weight(&key, plain);
    let low = plain.to_ascii_lowercase();
    let is_path = PATHS.iter().any(|start| memmem::find(&low, start.as_bytes()).is_some() && !low.starts_with(b"http"));
    let has_key = KEYS.iter().any(|start| low.starts_with(start.as_bytes()) && low.len() > start.len() + 3);
    let words = || low.split(|byte| !byte.is_ascii_alphanumeric());
    let is_unpublished = |word: &[u8]| UNPUBLISHED.iter().any(|known| known.as_bytes() == word);
    // A word alone is a choice of a menu; in a name or a sentence it is about something.
    let unpublished = i32::from(words().any(is_unpublished)) * if words().nth(1).is_some() { 2 } else { 1 };
    let signs = [
        (is_path, 3),
        (has_key, 3),
        (is_numbered(plain), REFUSED),
        (is_account(plain), 3),
        (unpublished > 0, unpublished),
        (INNER.iter().any(|end| memmem::find(&low, end.as_bytes()).is_some()), 2),
        (is_inner(plain), 1),
        (is_mailbox(plain), 1),
        (is_person(value), 1),
        (RULERS.iter().any(|ruler| ruler.as_bytes() == low), 1),
    ];
    let valued: i32 = signs.iter().filter(|(is_met, _)| *is_met).map(|(_, weight)| *weight).sum();
    named + valued.min(REFUSED)
}

/// The weight of what the address in a value tells in its turn, and that it is passed on.
fn inner(value: &[u8]) -> Option<i32> {
    let encoded = if (12..=1024).contains(&value.len()) { decoded(value) } else { None };
    let address = encoded.as_deref().unwrap_or(value);
    let is_address = ["http://", "https://", "//"].iter().any(|start| address.starts_with(start.as_bytes()));
    let query =
        address.iter().position(|byte| *byte == b'?').and_then(|at| address.get(at + 1..)).filter(|_| is_address)?;
    let weights = query.split(|byte| *byte == b'&').take(8).filter_map(|pair| {
        let at = pair.iter().position(|byte| *byte == b'=')?;
        let (key, value) = (pair.get(..at)?, pair.get(at + 1..)?);
        let is_gap = gaps(&[b"=", value].concat()).all > 0 || is_filler(value);
        (!is_gap).then(|| name_weight(key, value))
    });
    Some(weights.sum::<i32>()).map(|sum| if sum > 1 { sum + 1 } else { 0 })
}

/// The weight of a parameter's name.
fn name_weight(key: &[u8], value: &[u8]) -> i32 {
    let parts = parts(key);
    let joined: Vec<u8> = parts.concat();
    let is_of = |list: &[&str]| {
        parts.iter().chain([&joined]).any(|part| list.iter().any(|known| known.as_bytes() == part.as_slice()))
    };
    let is_long = value.len() >= 3;
    match () {
        () if is_of(&HARD) && is_long => 4,
        () if joined.len() > 8 && is_private(&joined) && is_long => 3,
        () if is_of(&SOFT) && is_long => 2,
        () if is_of(&FACTS) => 1,
        () => 0,
    }
}

/// The words of a name, in lower case: `userPassword`, `api_key` and `dsn-host` have two.
fn parts(key: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = vec![Vec::new()];
    let mut was_small = false;
    for byte in key.iter().take(48) {
        let is_word = byte.is_ascii_alphanumeric() || !byte.is_ascii();
        if (!is_word || (was_small && byte.is_ascii_uppercase())) && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(Vec::new());
        }
        if is_word && let Some(last) = parts.last_mut() {
            last.push(byte.to_ascii_lowercase());
        }
        was_small = byte.is_ascii_lowercase();
    }
    parts
}

/// Whether a value says only yes or no, or stands for any other.
fn is_filler(value: &[u8]) -> bool {
    let low = value.to_ascii_lowercase();
    ["true", "false", "yes", "no", "on", "off", "none", "null", "string", "value"]
        .iter()
        .any(|word| word.as_bytes() == low)
        || low.iter().all(|byte| matches!(byte, b'x' | b'.' | b'*' | b'_' | b'-'))
}

/// Whether a value is the number of an American's social security: `078-05-1120`.
fn is_numbered(value: &[u8]) -> bool {
    value.len() == 11
        && value
            .iter()
            .enumerate()
            .all(|(at, byte)| if matches!(at, 3 | 6) { *byte == b'-' } else { byte.is_ascii_digit() })
}

/// Whether a value is the number of an account: two letters, two digits, and digits after them. *Standards*: ISO 13616.
fn is_account(value: &[u8]) -> bool {
    let digits = value.iter().filter(|byte| byte.is_ascii_digit()).count();
    matches!(value, [b'A'..=b'Z', b'A'..=b'Z', b'0'..=b'9', b'0'..=b'9', ..])
        && (15..=34).contains(&value.len())
        && digits >= 12
        && value.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

/// Whether a value is a network address that nobody outside sees.
fn is_inner(value: &[u8]) -> bool {
    std::str::from_utf8(value).is_ok_and(|name| matches!(host(name, b""), Host::Number { private: true, .. }))
}

fn is_mailbox(value: &[u8]) -> bool {
    let mut parts = value.split(|byte| *byte == b'@');
    let (Some(name), Some(host), None) = (parts.next(), parts.next(), parts.next()) else { return false };
    !name.is_empty()
        && host.contains(&b'.')
        && host.iter().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(byte))
}

/// Whether a value as written is two or three names in a row: `Eun+Park`.
fn is_person(value: &[u8]) -> bool {
    let plain = percent_decoded(value);
    let names = plain.split(|byte| matches!(byte, b'+' | b' '));
    let is_name = |name: &[u8]| matches!(name, [b'A'..=b'Z', rest @ ..] if rest.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'.' || !byte.is_ascii()));
    (2..=3).contains(&names.clone().count()) && names.clone().all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, setting: Setting) -> Option<Strength> {
        let url = Url::at(text.as_bytes(), text.find("//").unwrap()).unwrap();
        told(&url, setting, false).map(|(_, strength)| strength)
    }

    #[test]
    fn a_secret_beside_a_fact_is_told_wherever_it_stands() {
        for url in [
            "https://h.example/a?pin=4471&acct=00912345",
            "https://h.example/a?subscriber=eve@corp.example&pw=tulip3",
            "https://h.example/a?tenant=acme&clientSecret=8Q~x1y2&user=eve",
            "https://h.example/a?gitUser=otto&cwd=/home/otto/clients",
            "https://h.example/jane/078-05-1120",
            "https://h.example/go?u=//c.example/%3Fcookie%3DSID77",
            "https://h.example/a?u=root&amp;password=tulip&amp;host=db7",
            "https://h.example/p?dbPassword=tulip&path=~/contracts",
        ] {
            assert_eq!(of(url, Setting::Bare), Some(Addressed), "{url}");
        }
    }

    #[test]
    fn what_is_loaded_tells_with_fewer_signs() {
        for url in [
            "https://h.example/i.gif?rcpt=eve@firm.example&ip=10.2.3.4",
            "https://h.example/i.css?site=intranet.corp.example&emp=88213",
            "https://h.example/i.png?org=Halden+Legal&matter=confidential-1182",
            "https://h.example/i.png?api_key=0a1b2c3d",
        ] {
            assert_eq!(of(url, Setting::Loaded), Some(Addressed), "{url}");
        }
    }

    #[test]
    fn addresses_of_every_day_tell_nothing() {
        for url in [
            "https://h.example/avatar?user=ada&size=40",
            "https://h.example/j/8812345?pwd=ZXhhbXBsZQ",
            "https://h.example/search?q=reset+password",
            "https://h.example/v1/users?page=2&sort=name",
            "https://api.dicebear.example/7/svg?seed=Felix",
            "https://img.shields.io/badge?user=ada&host=web&token=0a1b2c",
            "http://localhost:8888/tree?token=0a1b2c&path=/home/ada",
            "https://h.example/?password={password}&user={user}",
            "https://h.example/map?lat=59.91&lon=10.75",
            "https://h.example/a?auth=true&key=1",
            "https://h.example/2024-05-01/report",
            "https://h.example/login?next=https%3A%2F%2Fh.example%2Fa%3Fpage%3D2",
        ] {
            assert_eq!(of(url, Setting::Offered), None, "{url}");
        }
        assert_eq!(of("https://h.example/j/8812345?pwd=ZXhhbXBsZQ", Setting::Bare), None);
    }
}
