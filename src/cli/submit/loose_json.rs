//! JSON as people and models write it: comments, trailing commas and bare keys are taken for what they mean; what could mean something
//! else is refused, with what was probably meant.
//!
//! Only text is mended here, and what comes out is read strictly. Pure. *Standards*: RFC 8259; what is tolerated is a part of JSON5.

use std::iter::Peekable;
use std::str::Chars;

use serde::de::IgnoredAny;

/// A text that is not JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// What is wrong and where, as a clause.
    pub(super) why: String,
    /// What was probably meant, if that can be told.
    pub(super) corrected: Option<String>,
}

/// The text as strict JSON.
pub(super) fn strict(text: &str) -> Result<String, Malformed> {
    let Err(error) = serde_json::from_str::<IgnoredAny>(text) else { return Ok(text.to_owned()) };
    let mut mending =
        Mending { rest: text.chars().peekable(), made: String::with_capacity(text.len()), is_certain: true };
    mending.mend();
    let Mending { made, is_certain, .. } = mending;
    let is_json = serde_json::from_str::<IgnoredAny>(&made).is_ok();
    if is_json && is_certain {
        return Ok(made);
    }
    let why = format!("it goes wrong at line {}, column {}", error.line(), error.column());
    Err(Malformed { why, corrected: is_json.then_some(made) })
}

struct Mending<'a> {
    rest: Peekable<Chars<'a>>,
    made: String,
    /// Whether nothing had to be guessed.
    is_certain: bool,
}

impl Mending<'_> {
    fn mend(&mut self) {
        while let Some(character) = self.rest.next() {
            match character {
                '"' => self.copy_string(),
                '\'' => self.requote(),
                '/' if matches!(self.rest.peek(), Some('/' | '*')) => self.skip_comment(),
                '}' | ']' => {
                    let kept = self.made.trim_end();
                    if let Some(without) = kept.strip_suffix(',') {
                        self.made.truncate(without.len());
                    }
                    self.made.push(character);
                }
                letter if letter.is_ascii_alphabetic() || letter == '_' => self.word(letter),
                other => self.made.push(other),
            }
        }
    }

    fn copy_string(&mut self) {
        self.made.push('"');
        while let Some(character) = self.rest.next() {
            self.made.push(character);
            match character {
                '"' => return,
                '\\' => self.made.extend(self.rest.next()),
                _ => {}
            }
        }
    }

    /// A string in single quotes: a guess, for JSON has none.
    fn requote(&mut self) {
        self.is_certain = false;
        self.made.push('"');
        while let Some(character) = self.rest.next() {
            match character {
                '\'' => break,
                '"' => self.made.push_str("\\\""),
                '\\' if self.rest.peek() == Some(&'\'') => self.made.extend(self.rest.next()),
                '\\' => {
                    self.made.push('\\');
                    self.made.extend(self.rest.next());
                }
                other => self.made.push(other),
            }
        }
        self.made.push('"');
    }

    fn skip_comment(&mut self) {
        if self.rest.next() == Some('/') {
            while self.rest.next_if(|character| *character != '\n').is_some() {}
            return;
        }
        let mut before = ' ';
        for character in self.rest.by_ref() {
            if (before, character) == ('*', '/') {
                return;
            }
            before = character;
        }
    }

    /// A key without quotes, or a constant; one of Python's is a guess.
    fn word(&mut self, first: char) {
        let mut word = String::from(first);
        while let Some(next) = self.rest.next_if(|next| next.is_ascii_alphanumeric() || *next == '_' || *next == '-') {
            word.push(next);
        }
        let is_key = self.rest.clone().find(|next| !next.is_whitespace()) == Some(':');
        let constant = match word.as_str() {
            "True" => Some("true"),
            "False" => Some("false"),
            "None" => Some("null"),
            _ => None,
        };
        if is_key {
            self.made.push_str(&format!("\"{word}\""));
        } else if let Some(constant) = constant {
            self.is_certain = false;
            self.made.push_str(constant);
        } else {
            self.made.push_str(&word);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_mean_but_one_thing_is_taken_for_it() {
        for (text, expected) in [
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            (r#"{"a": [1, 2,], }"#, r#"{"a": [1, 2]}"#),
            ("{\"a\": 1 // one\n}", "{\"a\": 1 \n}"),
            (r#"{/* x, */"a": "//, }", b-c: true,}"#, r#"{"a": "//, }", "b-c": true}"#),
            (r#"{"a": "\",}", b: null}"#, r#"{"a": "\",}", "b": null}"#),
        ] {
            assert_eq!(strict(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_guessed_is_refused_with_the_guess() {
        for (text, guess) in [
            ("{'a': 'it\\'s \"x\"'}", Some(r#"{"a": "it's \"x\""}"#)),
            (r#"{"a": True, "b": None}"#, Some(r#"{"a": true, "b": null}"#)),
            (r#"{"a": yes}"#, None),
            (r#"{"a": 1"#, None),
            ("", None),
        ] {
            assert_eq!(strict(text).unwrap_err().corrected.as_deref(), guess, "{text}");
        }
    }
}
