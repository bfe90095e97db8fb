//! A place in one line of the front matter, and the fault that is raised there.

use crate::reason::{Code, Reason};

/// A fault, boxed to keep results small.
pub(super) type Fault = Box<Reason>;

/// The rest of a line, and its position in the document.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub(super) rest: &'a str,
    pub(super) line: u32,
    pub(super) column: u32,
}

impl<'a> Cursor<'a> {
    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Takes the next character.
    pub(super) fn take(&mut self) -> Option<char> {
        let mut characters = self.rest.chars();
        let next = characters.next()?;
        self.rest = characters.as_str();
        self.column += 1;
        Some(next)
    }

    /// Takes the next character if it is this one.
    pub(super) fn eat(&mut self, expected: char) -> bool {
        let found = self.peek() == Some(expected);
        if found {
            self.take();
        }
        found
    }

    /// Takes all characters up to the first that ends it, which stays.
    pub(super) fn take_until(&mut self, mut ends: impl FnMut(&str) -> bool) -> &'a str {
        let start = self.rest;
        while !self.rest.is_empty() && !ends(self.rest) {
            self.take();
        }
        &start[..start.len() - self.rest.len()]
    }

    /// Takes spaces; tabs are no space here.
    pub(super) fn skip_spaces(&mut self) {
        while self.eat(' ') {}
    }

    /// Only a comment is left.
    pub(super) fn at_end(&self) -> bool {
        matches!(self.peek(), None | Some('#'))
    }

    /// A fault at this place.
    pub(super) fn fault(&self, code: Code, message: impl Into<String>, hint: impl Into<String>) -> Fault {
        Box::new(Reason::new(code, message, hint).at(self.line, self.column))
    }
}
