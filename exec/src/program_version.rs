//! The versions of programs: the first line of each one's version output.
//!
//! Each is queried once per process. *Security*: only a short, printable ASCII part of the answer is kept.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

const LINE_CHARS_MAX: usize = 128;

/// The answers so far, by program.
#[derive(Debug, Default)]
pub struct Versions(Mutex<HashMap<String, String>>);

impl Versions {
    /// The version of a program, queried on the first call; empty without an answer.
    pub fn known_or_ask(&self, program: &str, ask: impl FnOnce() -> Result<Vec<u8>, String>) -> String {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(version) = known().get(program) {
            return version.clone();
        }
        // No lock during the query: parallel queries give the same answer.
        let Ok(answer) = ask() else { return String::new() };
        let version = first_line(&answer);
        known().insert(program.to_owned(), version.clone());
        version
    }
}

fn first_line(answer: &[u8]) -> String {
    let text = String::from_utf8_lossy(answer);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.chars().filter(|character| matches!(character, ' '..='~')).take(LINE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_the_first_line_as_plain_text() {
        for (answer, version) in [
            (&b"Python 3.11.2\n"[..], "Python 3.11.2"),
            (b"\n  v22.1.0 \nmore\n", "v22.1.0"),
            (b"\x1b[1mgo\xff\xe2\x80\xae`1`\r\n", "[1mgo`1`"),
            (b"", ""),
        ] {
            assert_eq!(first_line(answer), version);
        }
        assert_eq!(first_line("x".repeat(500).as_bytes()).len(), LINE_CHARS_MAX);
    }

    #[test]
    fn a_program_is_asked_until_it_answers_and_then_no_more() {
        let versions = Versions::default();
        assert_eq!(versions.known_or_ask("python3", || Err("The question was stopped.".to_owned())), "");
        assert_eq!(versions.known_or_ask("python3", || Ok(b"Python 3\n".to_vec())), "Python 3");
        assert_eq!(versions.known_or_ask("python3", || unreachable!("it was asked again")), "Python 3");
    }
}
