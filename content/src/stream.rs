//! A compressed stream within a source: what comes out of it is a source of its own, fed as the outer one is.
//!
//! *Security*: memory is constant; what comes out counts against the room of the bundle.

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

    /// Looks at what is left. `is_cut` says that the outer source goes on where nobody looks at it.
    pub(super) fn finish(self, is_cut: bool, scan: &mut Scan) {
        if is_cut && self.goes_on() && !self.inflate.is_between() {
            self.inner.exceed(scan);
        }
        self.inner.finish(scan);
    }
}
