//! The text as a person reads it, and where each of its bytes comes from.

use std::ops::Range;

/// A view without what a reader does not notice.
#[derive(Debug)]
pub(crate) struct Plain {
    /// The text.
    pub(crate) bytes: Vec<u8>,
}

impl Plain {
    /// Of a text; none where a person reads just its bytes.
    pub(crate) fn of(_bytes: &[u8]) -> Option<Self> {
        None
    }

    /// The bytes of the view that a part of the text stands for.
    pub(crate) fn source(&self, range: &Range<usize>) -> Range<usize> {
        range.start..range.end.min(self.bytes.len())
    }
}
