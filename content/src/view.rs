//! The input of rules: one window of a source, or of a layer that was decoded from it.

use std::cell::OnceCell;
use std::ops::Range;

use crate::extent::extents;
use crate::place::Place;
use crate::plain::Plain;

/// Some consecutive bytes, with their origin for readers of facts.
#[derive(Debug)]
pub(crate) struct View<'a> {
    pub(crate) bytes: &'a [u8],
    /// Whether the source (a file, a string, a decoded layer) begins with these bytes.
    pub(crate) at_start: bool,
    /// Whether the source ends with these bytes.
    pub(crate) at_end: bool,
    /// How many encodings were undone: 0 for the source itself.
    pub(crate) depth: u8,
    pub(crate) place: Place,
    extents: OnceCell<Vec<Range<usize>>>,
    plain: OnceCell<Option<Plain>>,
}

impl<'a> View<'a> {
    /// A view of a part of a source.
    pub(crate) fn new(bytes: &'a [u8], at_start: bool, at_end: bool, depth: u8, place: Place) -> Self {
        Self { bytes, at_start, at_end, depth, place, extents: OnceCell::new(), plain: OnceCell::new() }
    }

    /// A view of a source that is looked at whole.
    #[cfg(test)]
    pub(crate) fn whole(bytes: &'a [u8], place: Place) -> Self {
        Self::new(bytes, true, true, 0, place)
    }

    /// Where there is text, in order.
    pub(crate) fn extents(&self) -> &[Range<usize>] {
        self.extents.get_or_init(|| extents(self.bytes))
    }

    /// The text as a person reads it, where that is not just its bytes.
    pub(crate) fn plain(&self) -> Option<&Plain> {
        self.plain.get_or_init(|| Plain::of(self.bytes, self.extents())).as_ref()
    }
}
