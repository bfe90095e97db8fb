//! From places in a reading back to the bytes that were read.
//!
//! ```text
//! reading   i g n o r e _ a l l        segments: exact from 0; one character for several bytes at 6; exact from 7
//! bytes     I G N O R E ↵ _ _ a l l
//! ```

use std::ops::Range;

use super::cell::Cell;

/// A part of the reading, up to where the next one begins.
#[derive(Debug, Clone, Copy)]
struct Segment {
    text: usize,
    source: usize,
    /// The bytes that all of it comes from; 0 where byte stands for byte.
    length: usize,
    /// Whether it was written in another way than by case and white space.
    changed: bool,
    /// Whether something was left out before it that belonged to the same word.
    after_gap: bool,
}

/// The segments of a reading, in order.
#[derive(Debug, Default)]
pub(super) struct Map {
    segments: Vec<Segment>,
    /// Whether something was left out at the end.
    gap: bool,
    source_end: usize,
    text_end: usize,
}

impl Map {
    /// What follows at `text` in the reading stands byte for byte at `source`.
    pub(super) fn exact(&mut self, text: usize, source: usize) {
        let goes_on = self
            .segments
            .last()
            .is_some_and(|last| last.length == 0 && !last.changed && last.source + (text - last.text) == source);
        if !goes_on {
            let after_gap = std::mem::take(&mut self.gap);
            self.segments.push(Segment { text, source, length: 0, changed: false, after_gap });
        }
    }

    /// Something was left out within a word.
    pub(super) fn gap(&mut self) {
        self.gap = true;
    }

    /// What follows at `text` in the reading comes from some bytes as a whole.
    pub(super) fn folded(&mut self, text: usize, source: Range<usize>) {
        let length = source.len();
        self.segments.push(Segment { text, source: source.start, length, changed: false, after_gap: false });
    }

    /// What follows at `text` in the reading is a character that was read with care.
    pub(super) fn cell(&mut self, text: usize, cell: &Cell) {
        let length = cell.end - cell.start;
        if length == cell.character.len_utf8() && !cell.changed && !cell.after_gap {
            self.exact(text, cell.start);
        } else {
            let (changed, after_gap) = (cell.changed, cell.after_gap);
            self.segments.push(Segment { text, source: cell.start, length, changed, after_gap });
        }
    }

    /// The reading is taken back to `text`.
    pub(super) fn truncate(&mut self, text: usize) {
        while self.segments.pop_if(|last| last.text >= text).is_some() {}
    }

    /// The reading ends.
    pub(super) fn end(&mut self, text: usize, source: usize) {
        (self.text_end, self.source_end) = (text, source);
    }

    /// The bytes that a part of the reading comes from; beyond its end, no bytes at the end.
    pub(super) fn source(&self, range: Range<usize>) -> Range<usize> {
        let start = self.place(range.start).map_or(self.source_end, |(segment, at)| match segment.length {
            0 => segment.source + (at - segment.text),
            _ => segment.source,
        });
        let last = range.end.checked_sub(1).filter(|last| *last >= range.start);
        let end = last.map_or(start, |last| {
            self.place(last).map_or(self.source_end, |(segment, at)| match segment.length {
                0 => segment.source + (at - segment.text) + 1,
                length => segment.source + length,
            })
        });
        start..end.max(start)
    }

    /// Whether a part of the reading was disguised.
    pub(super) fn disguised(&self, range: Range<usize>) -> bool {
        let first = self.segments.partition_point(|segment| segment.text <= range.start).saturating_sub(1);
        let within = self.segments.iter().skip(first).take_while(|segment| segment.text < range.end);
        within.into_iter().any(|segment| segment.changed || segment.after_gap && segment.text > range.start)
    }

    /// The segment that a byte of the reading belongs to.
    fn place(&self, at: usize) -> Option<(&Segment, usize)> {
        if at >= self.text_end {
            return None;
        }
        let next = self.segments.partition_point(|segment| segment.text <= at);
        self.segments.get(next.checked_sub(1)?).map(|segment| (segment, at))
    }
}
