//! Whether a value is a secret or only resembles one: placeholders, names, words, references.
//!
//! ```text
//! DB_PASSWORD=…   "apiKey": "…"   --token …   postgres://app:…@db      what a rule's pattern captures: name, between, value
//! ────name────  between  value
//! ```
//!
//! A rule names how its value is judged (`value = "token"`); this file is that condition. Words are in `words/*.txt`.
//! Does not search: patterns do. *Security*: hostile bytes, in time linear in a value that the rule's window bounds.
//! *Standards*: RFC 7519, RFC 7617, RFC 3986 section 3.2.1.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gatepost_documents::digest::Digest;
use gatepost_documents::reason::Severity;
use memchr::memmem;

use super::{Checksum, Value, entropy};
use crate::fact::word_list::lines;
use letters::word_bytes;
use name::Kind;
use reference::{is_name, is_reference};

mod letters;
mod name;
mod reference;
mod token;

/// The text that a pattern captured; absent groups are empty.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Captured<'a> {
    /// The group `name`: the name that the value is assigned to.
    pub(crate) name: &'a [u8],
    /// The text between the two, quotation marks and wrappers included.
    pub(crate) between: &'a [u8],
    /// The group `value`, or the whole match.
    pub(crate) value: &'a [u8],
}

/// The severity of a captured value of its kind: `None` if it is not of that kind, a flag if that is doubtful.
pub(super) fn judged(kind: Value, captured: &Captured<'_>) -> Option<Severity> {
    let value = captured.value;
    let certain = |is_one: bool| is_one.then_some(Severity::Reject);
    let found = match kind {
        Value::Raw => certain(true),
        Value::Token => certain(is_made_by_machine(value)),
        Value::Password => password(value),
        Value::Jwt => certain(token::is_jwt(value)),
        Value::Basic => certain(token::is_basic(value)),
        Value::Assigned => assigned(captured),
        Value::UrlPassword => url_password(captured),
    };
    found.filter(|_| !is_documented(value))
}

/// Whether the digits at the end of a value are those that its other characters demand.
pub(super) fn has_checksum(checksum: Checksum, value: &[u8]) -> bool {
    match checksum {
        Checksum::Crc32Base62 => token::has_checksum(value),
    }
}

/// Whether a vendor's manual publishes exactly this value; nothing else is ever passed over.
fn is_documented(value: &[u8]) -> bool {
    static KNOWN: LazyLock<BTreeSet<Digest>> = LazyLock::new(|| {
        let digests =
            lines(include_str!("../../words/documented-secrets.txt")).filter_map(|line| line.split(' ').next());
        digests.filter_map(|text| Digest::parse(text).ok()).collect()
    });
    KNOWN.contains(&Digest::of(value))
}

/// A value that is given to a name.
fn assigned(captured: &Captured<'_>) -> Option<Severity> {
    let Captured { name, between, value } = *captured;
    let kind = name::kind(name)?;
    let is_quoted = matches!(between.last(), Some(b'"' | b'\'' | b'`' | b';')) || between.ends_with(b"%22");
    let wrapper = between.rsplit(|byte| matches!(byte, b'=' | b':' | b' ')).find(|word| word.contains(&b'('));
    if wrapper.is_some_and(reference::is_lookup) || !is_quoted && reference::is_call(value) {
        return None;
    }
    // The expansion of a variable is a placeholder for it: `${DB_PASSWORD:+given}`, `${DB_PASSWORD:?missing}`.
    let is_stand_in = between == b":" && matches!(value.first(), Some(b'+' | b'?'));
    let found = match kind {
        Kind::Password => password(value),
        Kind::Token => token_strength(value),
        Kind::Key => token_strength(value).filter(|_| value.len() >= 20 && is_mixed(value)).map(|_| Severity::Flag),
    };
    // A token in UUID form may also be a serial number; a test prints PASS; `pass` is a verb.
    let is_vague = is_uuid(value) && is_single(name) || name.eq_ignore_ascii_case(b"pass") && !is_noise(value);
    found.filter(|_| !is_stand_in || is_noise(value)).map(|severity| if is_vague { Severity::Flag } else { severity })
}

/// Whether a name is one word.
fn is_single(name: &[u8]) -> bool {
    name.iter().all(u8::is_ascii_lowercase) || name.iter().all(u8::is_ascii_uppercase)
}

/// The password of `scheme://user:password@host`.
fn url_password(captured: &Captured<'_>) -> Option<Severity> {
    const FORMS: &str = "pass secret word pwd token user guest admin key name postgres root";
    let Captured { name: user, value, .. } = *captured;
    if value == user {
        return None;
    }
    if user.len() >= 20 && is_made_by_machine(user) {
        return Some(Severity::Reject);
    }
    let plain = || {
        let lower = value.to_ascii_lowercase();
        let is_plain = value.len() >= 5 && value.iter().all(u8::is_ascii_alphanumeric) && !is_placeholder(value);
        (is_plain && !FORMS.split(' ').any(|form| memmem::find(&lower, form.as_bytes()).is_some()))
            .then_some(Severity::Flag)
    };
    password(value).or_else(plain)
}

/// Bits a byte that a machine-made value has at least: sixteen hexadecimal digits at random nearly always have more.
const ENTROPY_MIN: f64 = 2.5;

/// Whether it is random enough to come from a machine: no filler, no placeholder and no words.
fn is_made_by_machine(value: &[u8]) -> bool {
    // A prefix or a host name may well be words: the end is what has to be random.
    let end = value.get(value.len() / 2..).unwrap_or_default();
    !is_filler(value) && !is_placeholder(value) && word_bytes(end) * 10 < end.len() * 6
}

/// Whether a part of it is noise that a machine made, which nothing around it excuses: letters of both cases and digits, or
/// many of them, and hardly a word.
fn is_noise(value: &[u8]) -> bool {
    let is_noise = |run: &[u8]| {
        let letters = run.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        (run.len() >= 16 || run.len() >= 7 && is_mixed(run)) && word_bytes(run) * 2 < letters
    };
    value.split(|byte| !byte.is_ascii_alphanumeric()).any(is_noise)
}

/// The strength of a possible password: words and truncated values are weak.
fn password(value: &[u8]) -> Option<Severity> {
    let is_doubtful = is_spelt_out(value) || is_broken_off(value);
    let strength = password_of(value)?;
    Some(if is_doubtful { Severity::Flag } else { strength })
}

fn password_of(value: &[u8]) -> Option<Severity> {
    let count = |class: fn(&u8) -> bool| value.iter().filter(|byte| class(byte)).count();
    let (lower, upper) = (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase));
    let (digits, letters) = (count(u8::is_ascii_digit), lower + upper);
    let joints = value.iter().filter(|byte| b"_-./:\\".contains(byte)).count();
    // Letters of other languages are no signs in words: `Contraseña` is what a password is called.
    let foreign = if digits > 0 { 0 } else { count(|byte| !byte.is_ascii()) };
    let special = value.len().saturating_sub(letters + digits + joints + foreign);
    let is_number = special == 0 && letters * 5 < value.len() || value.starts_with(b"0x") && value.len() <= 18;
    let is_spaced = value.iter().any(u8::is_ascii_whitespace);
    if value.len() < 6 || letters == 0 || is_number || is_spaced {
        return None;
    }
    if is_placeholder(value)
        || is_reference(value)
        || value.iter().collect::<BTreeSet<_>>().len() < 4
        || is_filler(value)
    {
        return None;
    }
    let only_words = word_bytes(value) * 10 >= letters * 7;
    let classes = [lower, upper, digits, special].iter().filter(|count| **count > 0).count();
    if special == 0 && (digits == 0 || joints > 0 && only_words) {
        // Letters and joints: noise, or names.
        let is_noise =
            !only_words && (upper > 0 && lower > 0 && value.len() >= 8 || word_bytes(value) == 0 && value.len() >= 10);
        return is_noise.then_some(Severity::Reject);
    }
    let is_strong =
        classes >= 3 && value.len() >= 7 || special > 0 && value.len() >= 7 || value.len() >= 9 && !only_words;
    Some(if is_strong { Severity::Reject } else { Severity::Flag })
}

/// The strength of a possible token.
fn token_strength(value: &[u8]) -> Option<Severity> {
    let has_digit = value.iter().any(u8::is_ascii_digit);
    let is_plausible = !is_reference(value)
        && !is_spelt_out(value)
        && !value.iter().any(u8::is_ascii_whitespace)
        && !reference::is_identifier(value);
    if value.len() >= 16 && is_plausible && is_made_by_machine(value) && word_bytes(value) * 10 < value.len() * 5 {
        let is_number = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count() * 6 < value.len();
        let has_noise = has_digit || is_mixed(value) || value.len() >= 24;
        let strength = if is_broken_off(value) { Severity::Flag } else { Severity::Reject };
        return (has_noise && !is_number).then_some(strength);
    }
    let is_strong = value.len() >= 8 && is_plausible && password_of(value) == Some(Severity::Reject);
    let is_special = !is_broken_off(value) && value.iter().any(|byte| b"!#$%^&*@?".contains(byte));
    is_strong.then_some(if is_special { Severity::Reject } else { Severity::Flag })
}

/// Whether it has small letters, capitals and digits.
fn is_mixed(value: &[u8]) -> bool {
    [u8::is_ascii_lowercase, u8::is_ascii_uppercase, u8::is_ascii_digit].iter().all(|class| value.iter().any(class))
}

/// Whether it has the form of a UUID (RFC 9562, section 4).
fn is_uuid(value: &[u8]) -> bool {
    let is_dash = |at: usize| matches!(at, 8 | 13 | 18 | 23);
    value.len() == 36
        && value.iter().enumerate().all(|(at, byte)| if is_dash(at) { *byte == b'-' } else { byte.is_ascii_hexdigit() })
}

/// Whether the text is only a placeholder.
fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_percent = lower.first() == Some(&b'%') && (lower.len() < 4 || lower.last() == Some(&b'%'));
    lines(include_str!("../../words/placeholders.txt")).any(|word| memmem::find(&lower, word.as_bytes()).is_some())
        || is_variable(&lower)
        || is_percent
        || lower.ends_with(b"...") && lower.len() < 11
        || is_own_name(&lower)
        || is_bracketed(value)
}

/// Whether it is truncated here: `eyJhbGciOi...`. Truncated noise is still long enough.
fn is_broken_off(value: &[u8]) -> bool {
    value.ends_with(b"...") && !is_noise(value)
}

/// Whether it is a name in brackets, which a person or a program puts the value in place of: `{db_password}`, `[password]`.
fn is_bracketed(value: &[u8]) -> bool {
    let [b'{' | b'[' | b'(', name @ .., b'}' | b']' | b')'] = value else { return false };
    let name = without_number(name);
    is_name(name) && !name.iter().any(u8::is_ascii_digit) && (name.len() <= 4 || reference::has_plain_name(name))
}

/// Whether it is the name of a variable behind its mark: of a shell, of a makefile (`$$TOKEN`), of a macro (`#token`).
fn is_variable(lower: &[u8]) -> bool {
    let macro_name = || lower.strip_prefix(b"#").filter(|name| !name.iter().any(u8::is_ascii_digit));
    let name = lower.strip_prefix(b"$$").or_else(|| lower.strip_prefix(b"$")).or_else(macro_name);
    name.is_some_and(is_name)
}

/// Whether it is the name of such a thing, with a number of up to two digits: `password2`.
fn is_own_name(lower: &[u8]) -> bool {
    let names: [&[u8]; 9] =
        [b"password", b"passwd", b"passphrase", b"secret", b"token", b"pass", b"user", b"none", b"null"];
    names.contains(&without_number(lower))
}

/// A name without a number of up to two digits at its end.
fn without_number(name: &[u8]) -> &[u8] {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count().min(2);
    name.get(..name.len() - digits).unwrap_or_default()
}

/// Whether it is put together from words and small numbers as names are, and not from noise: `test-api-key-123`.
fn is_spelt_out(value: &[u8]) -> bool {
    let is_part = |part: &[u8]| {
        part.len() < 4 || part.len() == 4 && part.iter().all(u8::is_ascii_digit) || word_bytes(part) == part.len()
    };
    let mut parts = value.split(|byte| matches!(byte, b'_' | b'-' | b'.'));
    word_bytes(value) > 0 && parts.clone().count() >= 2 && parts.all(is_part)
}

/// Whether it only fills the place: few different characters, or the alphabet in its order.
fn is_filler(value: &[u8]) -> bool {
    let next = value.windows(2).filter(|pair| pair.first().map(|byte| byte.wrapping_add(1)) == pair.last().copied());
    // Zeroes in a row are the padding of a binary that was encoded; some tokens begin with them.
    let run =
        value.get(24..).unwrap_or_default().windows(6).any(|run| run.iter().all(|byte| Some(byte) == run.first()));
    (value.len() >= 12 && entropy(value) < ENTROPY_MIN) || next.count() * 2 > value.len() || run
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: Value, name: &str, between: &str, value: &str) -> Option<Severity> {
        let captured = Captured { name: name.as_bytes(), between: between.as_bytes(), value: value.as_bytes() };
        judged(kind, &captured)
    }

    #[test]
    fn a_value_counts_as_its_name_wants_it() {
        let noise = ["kJ3Hd92mZp", "Qw7XbT4vLs0R"].concat();
        assert_eq!(of(Value::Assigned, "api_secret", "=", &noise), Some(Severity::Reject));
        assert_eq!(of(Value::Assigned, "stripe_key", ": \"", &noise), Some(Severity::Flag));
        assert_eq!(of(Value::Assigned, "public_key", "=", &noise), None);
        assert_eq!(of(Value::Assigned, "db_password", "=", "Summer2024!x"), Some(Severity::Reject));
        assert_eq!(of(Value::Assigned, "token", "=", "test-api-key-123"), None);
    }

    #[test]
    fn a_placeholder_for_a_secret_is_none() {
        for (between, value) in [
            ("=", "${DB_PASSWORD}"),
            ("=", "changeme123"),
            ("=os.getenv(\"", "kJ3Hd92mZpQw"),
            ("=", "get_password(x"),
            (": ", "xxxxxxxxxxxx"),
            ("=", "config.db.password"),
            (":", "+kept.from4"),
            ("=", "{db_password}"),
        ] {
            assert_eq!(of(Value::Assigned, "DB_PASSWORD", between, value), None, "{between}{value}");
        }
    }

    #[test]
    fn the_password_of_a_url_is_distinguished_from_its_description() {
        assert_eq!(of(Value::UrlPassword, "app", ":", "kJ3-Hd92mZp"), Some(Severity::Reject));
        assert_eq!(of(Value::UrlPassword, "app", ":", "sunshine"), Some(Severity::Flag));
        assert_eq!(of(Value::UrlPassword, "user", ":", "password"), None);
        assert_eq!(of(Value::UrlPassword, "app", ":", "app"), None);
    }

    #[test]
    fn the_example_of_a_manual_is_known_and_one_character_more_is_not() {
        let example = ["AKIA", "IOSFODNN7", "EXAMPLE"].concat();
        assert!(is_documented(example.as_bytes()));
        assert!(!is_documented(format!("{example}A").as_bytes()));
    }
}
