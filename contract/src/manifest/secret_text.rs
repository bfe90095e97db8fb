//! A text whose only placeholders are secrets: `Bearer {_secret:token}`. For the site's configuration.
//!
//! `{{` and `}}` stand for the braces themselves, as in manifests.

use std::fmt;

use gatepost_documents::text::quoted;
use zeroize::Zeroizing;

use super::argument::is_name;
use super::filling::SecretValues;
use super::placeholder::Part;
use super::template::{Piece, scan};

/// A text whose placeholders are resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretText(Vec<Part>);

impl SecretText {
    /// Reads it. The error fits after the name of the text.
    pub fn read(text: &str) -> Result<Self, String> {
        let part = |piece: Piece<'_>| match piece {
            Piece::Literal(text) => Ok(Part::Literal(text.to_owned())),
            Piece::Placeholder(name) => match name.strip_prefix("_secret:").filter(|name| is_name(name)) {
                Some(secret) => Ok(Part::Secret(secret.to_owned())),
                None => Err(format!(
                    "has {}, which is not a secret; write {{_secret:name}}, or {{{{ for a brace",
                    quoted(name)
                )),
            },
        };
        let pieces = scan(text).map_err(|error| error.to_string())?;
        pieces.into_iter().map(part).collect::<Result<_, _>>().map(Self)
    }

    /// The secrets that it names.
    pub fn secrets(&self) -> impl Iterator<Item = String> {
        self.0.iter().filter_map(|part| if let Part::Secret(name) = part { Some(name.clone()) } else { None })
    }

    /// The text with the values of its secrets, from `values`.
    pub fn fill(&self, values: &SecretValues) -> Zeroizing<String> {
        let mut filled = Zeroizing::new(String::new());
        for part in &self.0 {
            match part {
                Part::Secret(name) => filled.push_str(values.get(name).map_or("", |value| value)),
                Part::Literal(text) => filled.push_str(text),
                _ => {}
            }
        }
        filled
    }
}

impl fmt::Display for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|part| match part {
            Part::Secret(name) => write!(f, "{{_secret:{name}}}"),
            Part::Literal(text) => f.write_str(&text.replace('{', "{{").replace('}', "}}")),
            _ => Ok(()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_filled_in_and_the_text_itself_never_shows_them() {
        let text = SecretText::read("a {{ {_secret:key} }}").unwrap();
        let values = SecretValues::from([("key".to_owned(), "{_secret:key}".to_owned().into())]);
        assert_eq!(*text.fill(&values), "a { {_secret:key} }");
        assert_eq!(text.to_string(), "a {{ {_secret:key} }}");
        assert_eq!(text.secrets().collect::<Vec<_>>(), ["key"]);
    }

    #[test]
    fn a_secret_text_contains_only_secrets() {
        for (text, fault) in [
            ("{x}", "is not a secret"),
            ("{_secret:a b}", "is not a secret"),
            ("{", "without its"),
            ("}", "without its"),
        ] {
            assert!(SecretText::read(text).unwrap_err().contains(fault), "{text}");
        }
    }
}
