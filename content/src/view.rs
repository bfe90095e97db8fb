//! What a detector looks at: one window of a source, or of a layer that was decoded out of it.

use std::cell::OnceCell;

use super::keyword::{Detector, Mark, Marks};
use super::place::Place;
use super::survey::Survey;

/// Some consecutive bytes, with what a detector may want to know about where they come from.
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
    marks: OnceCell<Marks>,
    survey: OnceCell<Survey>,
}

impl<'a> View<'a> {
    /// A view of a part of a source.
    pub(crate) fn new(bytes: &'a [u8], at_start: bool, at_end: bool, depth: u8, place: Place) -> Self {
        Self { bytes, at_start, at_end, depth, place, marks: OnceCell::new(), survey: OnceCell::new() }
    }

    /// A view of a source that is looked at whole.
    #[cfg(test)]
    pub(crate) fn whole(bytes: &'a [u8], place: Place) -> Self {
        Self::new(bytes, true, true, 0, place)
    }

    /// Where the keywords of a detector stand, by their end.
    pub(crate) fn marks(&self, detector: Detector) -> &[Mark] {
        self.marks.get_or_init(|| Marks::of(self.bytes)).of_detector(detector)
    }

    /// The classes of its bytes.
    pub(crate) fn survey(&self) -> &Survey {
        self.survey.get_or_init(|| Survey::of(self.bytes))
    }
}
