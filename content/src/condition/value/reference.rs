//! Values that only refer to a secret, or to its store: a variable, a call, a path.
//!
//! *Security*: linear in a value of bounded length.

use memchr::memmem;

use super::letters::word_bytes;
use super::{is_noise, name};
use crate::fact::word_list::lines;

/// Whether it names a place where the value is, rather than the value.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let starts = |prefix: &[u8]| value.starts_with(prefix);
    let holds = |part: &&[u8]| memmem::find(value, part).is_some();
    [b"/".as_slice(), b"./", b"~/", b"--", b"@"].iter().any(|prefix| starts(prefix))
        || starts(b"&") && value.len() < 12
        || [b"://".as_slice(), b"()", b"->", b"::", b"]("].iter().any(holds)
        || is_constant(value)
        || is_setting(value)
        || is_path(value)
        || is_member(value)
}

/// Whether it is a call, an index, a composite or a macro without quotes: `get(`, `tokens[0]`, `{`, `Token![`.
pub(super) fn is_call(value: &[u8]) -> bool {
    let Some(at) = value.iter().position(|byte| b"([{".contains(byte)) else { return false };
    let called = value.get(..at).unwrap_or_default();
    let called = called.strip_suffix(b"!").unwrap_or(called);
    called.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$' | b':'))
}

/// Whether a function of this name fetches a value from somewhere else: `os.getenv(`.
pub(super) fn is_lookup(wrapper: &[u8]) -> bool {
    let wrapper = wrapper.to_ascii_lowercase();
    lines(include_str!("../../../words/lookups.txt")).any(|word| memmem::find(&wrapper, word.as_bytes()).is_some())
}

/// Whether it declares itself an id or a digest.
pub(super) fn is_identifier(value: &[u8]) -> bool {
    lines(include_str!("../../../words/identifiers.txt"))
        .any(|prefix| value.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix.as_bytes())))
}

/// Whether it is a member of something: names of words before the dots, and a telling one behind them.
fn is_member(value: &[u8]) -> bool {
    let Some(dot) = value.iter().rposition(|byte| *byte == b'.') else { return false };
    let (owners, member) = value.split_at(dot);
    let is_owner = |part: &[u8]| {
        let letters = part.len() - part.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (name, number) = part.split_at(letters);
        let is_word = word_bytes(name) * 2 > name.len() && number.len() <= 2 || name.len() < 4;
        is_word && !name.iter().any(u8::is_ascii_digit)
    };
    is_name(value) && has_plain_name(value) && !is_noise(member) && owners.split(|byte| *byte == b'.').all(is_owner)
}

/// Whether it is called by words, or as a secret is: `account.Password`, `ed25519.Ed25519PrivateKey`.
pub(super) fn has_plain_name(member: &[u8]) -> bool {
    word_bytes(member) * 2 > member.len() || name::kind(member).is_some()
}

/// Whether it is the name of a constant: `TLS_PSK_WITH_AES_256_GCM_SHA384`.
fn is_constant(value: &[u8]) -> bool {
    value.first().is_some_and(u8::is_ascii_uppercase)
        && value.contains(&b'_')
        && value.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_')
}

/// Whether it sets something else: `verbose=True`, `mode="fast"`, `OUT_DIR=/srv/out`.
fn is_setting(value: &[u8]) -> bool {
    let is_word = |side: &[u8]| is_name(side) && word_bytes(side) * 10 >= side.len() * 7;
    let Some(at) = value.iter().position(|byte| *byte == b'=') else { return false };
    let (name, given) = (value.get(..at).unwrap_or_default(), value.get(at + 1..).unwrap_or_default());
    let is_mark = |byte: &u8| matches!(byte, b'"' | b'\'' | b'\\');
    let start = given.iter().take_while(|byte| is_mark(byte)).count();
    let end = given.iter().rev().take_while(|byte| is_mark(byte)).count().min(given.len() - start);
    let inner = given.get(start..given.len() - end).unwrap_or_default();
    is_name(name) && (is_path(given) || is_word(name) && is_word(inner))
}

/// Whether it is a path of words, relative or not, with an anchor perhaps: `guide/install/#from-source`.
fn is_path(value: &[u8]) -> bool {
    let letters = value.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    memchr::memchr_iter(b'/', value).count() >= 2
        && value.iter().all(|byte| byte.is_ascii_alphanumeric() || b"/_-.#:~@".contains(byte))
        && word_bytes(value) * 10 >= letters * 6
        && letters * 10 >= value.len() * 6
}

/// Letters, digits, `_` and `.`, in the form of an identifier.
pub(super) fn is_name(value: &[u8]) -> bool {
    let Some((first, rest)) = value.split_first() else { return false };
    (first.is_ascii_alphabetic() || *first == b'_')
        && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_to_a_secret_is_no_secret() {
        for value in [
            "/run/secrets/db",
            "vault://kv/db",
            "account.Password",
            "OUT_DIR=/srv/output/archive",
            "guide/install/#from-source",
            "config->token",
            "@secrets.db",
        ] {
            assert!(is_reference(value.as_bytes()), "{value}");
        }
        for value in ["kJ3Hd92mZpQw7XbT4v", "Sum/mer2024!x", "a=b7XqrTz9"] {
            assert!(!is_reference(value.as_bytes()), "{value}");
        }
        for call in ["get(name", "tokens[0]", "{", "Token![", "$this->get(x"] {
            assert!(is_call(call.replace("->", ".").as_bytes()), "{call}");
        }
        assert!(!is_call(b"kJ3#Hd92(mZ"));
        assert!(is_lookup(b"os.getEnv") && !is_lookup(b"String"));
        assert!(is_identifier(b"sha256-AbC") && is_identifier(b"arn:aws:iam"));
    }
}
