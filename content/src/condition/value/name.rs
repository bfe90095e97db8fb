//! What the name of a value says about it: a password, a token, perhaps a key, or nothing.
//!
//! A name is split at `_`, `-`, `.` and case changes: `DB_PASSWORD`, `app.apiKey`, `clientSecret`. A word after the
//! keyword can cancel it (`password_length`), and so can one before it (`public_key`, `next_page_token`). The words are
//! in `words/secret-names.txt`. *Security*: linear in a name of bounded length.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::fact::word_list::lines;

/// The kind of value that belongs to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Perhaps made by a person.
    Password,
    /// Made by a machine, mostly.
    Token,
    /// A key of some kind; only a value that is random through and through counts, and only as weak.
    Key,
}

/// The words by their meaning.
static WORDS: LazyLock<BTreeMap<&str, BTreeSet<&str>>> = LazyLock::new(|| {
    let mut words = BTreeMap::<_, BTreeSet<_>>::new();
    for (kind, listed) in lines(include_str!("../../../words/secret-names.txt")).filter_map(|line| line.split_once(':'))
    {
        words.entry(kind).or_default().extend(listed.split_whitespace());
    }
    words
});

fn is(kind: &str, word: &str) -> bool {
    WORDS.get(kind).is_some_and(|words| words.contains(word))
}

fn ends_as(kind: &str, word: &str) -> bool {
    WORDS.get(kind).is_some_and(|endings| endings.iter().any(|ending| word.ends_with(ending)))
}

/// The kind of value that belongs to a name, if it is one to be kept.
pub(super) fn kind(name: &[u8]) -> Option<Kind> {
    let text = String::from_utf8_lossy(name);
    let words = words(&text);
    let kind_at = |(at, word): (usize, &String)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at)).map_or("", String::as_str);
        word_kind(word, before).map(|kind| (at, kind))
    };
    let (at, kind) = words.iter().enumerate().rev().find_map(kind_at)?;
    let (word, behind) = words.get(at..)?.split_first()?;
    let is_public = words.get(..at)?.iter().any(|word| is("public", word));
    // A `secret_id` is the secret half of a pair.
    let is_role = word == "secret" && behind.first().is_some_and(|next| next == "id");
    let is_about = behind.iter().any(|word| is("about", word)) && !is_role;
    let is_loose = is("loose", word) && !behind.is_empty();
    (!is_public && !is_about && !is_loose).then_some(kind)
}

fn word_kind(word: &str, before: &str) -> Option<Kind> {
    if is("password", word) || ends_as("password-end", word) {
        Some(Kind::Password)
    } else if is("token", word) || ends_as("token-end", word) || word == "key" && is("key-of", before) {
        Some(Kind::Token)
    } else {
        is("key", word).then_some(Kind::Key)
    }
}

/// The words of a name, in lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for character in name.chars() {
        if !character.is_alphanumeric() || character.is_uppercase() && was_small {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| character.is_alphanumeric()) {
            word.extend(character.to_lowercase());
        }
        was_small = character.is_lowercase() || character.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_distinguished_from_names_about_them() {
        let of = |name: &str| kind(name.as_bytes());
        for name in ["DB_PASSWORD", "spring.datasource.password", "keystorePassword", "mysql-pwd", "rootpassword"] {
            assert_eq!(of(name), Some(Kind::Password), "{name}");
        }
        for name in ["apiKey", "clientSecret", "X-Auth-Token", "aws_secret_access_key", "TF_TOKEN_app_terraform_io"] {
            assert_eq!(of(name), Some(Kind::Token), "{name}");
        }
        for name in
            ["password_min_length", "publicKey", "next_page_token", "secretName", "token_count", "passed", "keyboard"]
        {
            assert_eq!(of(name), None, "{name}");
        }
        assert_eq!(of("stripe_key"), Some(Kind::Key));
    }
}
