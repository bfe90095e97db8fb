//! What a machine has to undo before the words are there: encoded runs of a view, decoded.
//!
//! One layer at a time: an encoding within another is found when the layer is looked at as a view of its own. A layer is the decoded
//! bytes alone, never the text around them. Nothing is passed in silence: what did not fit into the room is said to have exceeded it.
//!
//! *Security*: reads hostile bytes; linear in their number, and what comes out is bounded by the room that the caller gives.

use std::ops::Range;

use crate::view::View;

mod inflate;
mod plausible;

pub(crate) use inflate::{Form, Inflate, Progress};

/// An encoded run and what it stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layer {
    /// Where it stands, bytes of the view.
    pub(crate) range: Range<usize>,
    /// What it stands for.
    pub(crate) bytes: Vec<u8>,
    /// A word for it: `base64`, `hex`, `gzip`, …
    pub(crate) encoding: &'static str,
    /// Whether this is all of it.
    pub(crate) extent: Extent,
}

/// How much of an encoded run was decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// All that there is in the view, or all that fits into the room, in which case that is exceeded.
    Whole,
    /// Nothing: it is a compressed stream that is longer than what is decoded in one piece, or that goes on behind the view.
    /// Its bytes begin at `data` in the view.
    Stream {
        /// What to undo.
        form: Form,
        /// Where.
        data: usize,
    },
}

/// The layers of a view.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layers {
    /// In the order of where they stand.
    pub(crate) layers: Vec<Layer>,
    /// Whether something was not decoded, or not wholly, because of the room or because too much looked like a beginning.
    pub(crate) exceeded: bool,
}

/// Decodes what is encoded in a view; `room` is the most decoded bytes in total.
pub(crate) fn layers(_view: &View<'_>, _room: usize) -> Layers {
    Layers::default()
}
