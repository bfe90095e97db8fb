//! Collects the decoded bytes of decoders, within the remaining budget.
//!
//! Does not decode.

use std::ops::Range;

use super::inflate::{Form, Inflate};
use super::{Extent, Layer, Layers};

/// The layers found up to now, and the room for more.
pub(super) struct Found {
    layers: Vec<Layer>,
    room: usize,
    exceeded: bool,
    /// Where in the view the bytes begin that are looked at.
    start: usize,
    inflate: Option<Inflate>,
}

impl Found {
    /// Nothing found yet; `room` is the most decoded bytes in total.
    pub(super) const fn new(room: usize) -> Self {
        Self { layers: Vec::new(), room, exceeded: false, start: 0, inflate: None }
    }

    /// From now on ranges are those of bytes that begin there in the view.
    pub(super) const fn within(&mut self, start: usize) {
        self.start = start;
    }

    /// The decoded bytes that still fit.
    pub(super) const fn room(&self) -> usize {
        self.room
    }

    /// Notes that something could not be decoded for want of room or work.
    pub(super) const fn exceed(&mut self) {
        self.exceeded = true;
    }

    /// A decompressor, made when it is first needed.
    pub(super) fn inflate(&mut self) -> &mut Inflate {
        self.inflate.get_or_insert_with(|| Inflate::new(Form::Deflate))
    }

    /// Keeps a layer, or as much of it as fits.
    pub(super) fn add(&mut self, range: Range<usize>, bytes: Vec<u8>, encoding: &'static str) {
        self.add_to(range, bytes, encoding, Extent::Whole);
    }

    /// Adds a layer; `extent` says how far it was decoded.
    pub(super) fn add_to(&mut self, range: Range<usize>, mut bytes: Vec<u8>, encoding: &'static str, extent: Extent) {
        if bytes.len() > self.room {
            bytes.truncate(self.room);
            self.exceeded = true;
        }
        self.room -= bytes.len();
        if !bytes.is_empty() || extent != Extent::Whole {
            let range = self.start + range.start..self.start + range.end;
            self.layers.push(Layer { range, bytes, encoding, extent });
        }
    }

    /// The layers, in the order of their places.
    pub(super) fn finish(mut self) -> Layers {
        self.layers.sort_by_key(|layer| (layer.range.start, layer.range.end));
        Layers { layers: self.layers, exceeded: self.exceeded }
    }
}
