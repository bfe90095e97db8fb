//! A compressed stream within a source: its decompressed bytes are a source of their own, fed like the outer one.
//!
//! *Security*: memory is constant; the decompressed bytes count against the budget of the bundle.

use std::ops::ControlFlow;

use crate::layer::{Form, Inflate, Progress};
use crate::scan::Scan;
use crate::source::Source;

/// A stream that is being undone.
pub(super) struct Stream {
    inflate: Inflate,
    inner: Source,
    progress: Progress,
}

impl Stream {
    pub(super) fn new(form: Form, inner: Source) -> Self {
        Self { inflate: Inflate::new(form), inner, progress: Progress::More }
    }

    /// Takes the next bytes of the outer source.
    pub(super) fn feed(&mut self, bytes: &[u8], scan: &mut Scan) {
        let inner = &mut self.inner;
        let (_, progress) = self.inflate.feed(bytes, &mut |piece| {
            if scan.take_room(piece.len()) {
                inner.feed(piece, scan);
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        });
        self.progress = progress;
        if progress == Progress::Stopped {
            self.inner.exceed(scan);
        }
    }

    /// Whether it takes more.
    pub(super) fn goes_on(&self) -> bool {
        self.progress == Progress::More
    }

    /// Scans the rest. `is_cut` says that the outer source continues where nobody scans it.
    pub(super) fn finish(self, is_cut: bool, scan: &mut Scan) {
        if is_cut && self.goes_on() && !self.inflate.is_between() {
            self.inner.exceed(scan);
        }
        self.inner.finish(scan);
    }
}
