//! Parses the control sequences and control strings of a terminal.
//!
//! *Security*: hostile bytes; the length read is bounded. *Standards*: ECMA-48, sections 5.4 and 5.6.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr;

use super::{ESCAPE, TEXT_BYTES_MAX};

/// The longest parameters of a sequence that are read, bytes.
const PARAMETER_BYTES_MAX: usize = 64;

/// One control sequence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sequence<'a> {
    /// Of all of it, bytes.
    pub(super) length: usize,
    pub(super) parameters: &'a [u8],
    /// Its final byte, which determines its function.
    pub(super) last: u8,
}

impl<'a> Sequence<'a> {
    /// The one that a text begins with.
    pub(super) fn at(text: &'a [u8]) -> Option<Self> {
        let inner = text.strip_prefix(b"\x1B[")?;
        let end = inner.iter().take(PARAMETER_BYTES_MAX).position(|byte| (0x40..=0x7E).contains(byte))?;
        Some(Self { length: end + 3, parameters: &inner[..end], last: inner[end] })
    }
}

/// The text of the control string at `at`, up to its end.
pub(super) fn control_string(bytes: &[u8], at: usize) -> Option<Range<usize>> {
    let rest = bytes.get(at + 2..)?;
    let end = rest.iter().take(TEXT_BYTES_MAX).position(|byte| matches!(*byte, 0x07 | ESCAPE))?;
    Some(at + 2..at + 2 + end)
}

/// The first number of some parameters; one if there is none.
pub(super) fn number(parameters: &[u8]) -> usize {
    std::str::from_utf8(parameters).ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// A text as it is read: without its sequences.
pub(super) fn without_sequences(text: &[u8]) -> Cow<'_, [u8]> {
    if memchr(ESCAPE, text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(ESCAPE, rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let string = || control_string(rest, 0).filter(|_| rest.get(1) == Some(&b']')).map(|text| text.end + 1);
        let length = Sequence::at(rest).map(|sequence| sequence.length).or_else(string).unwrap_or(2);
        rest = rest.get(length..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Cow::Owned(out)
}
