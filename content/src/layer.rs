//! Decodes the encoded runs of a view.
//!
//! One layer at a time: an encoding within another is found when the layer is scanned as a view of its own. A layer has
//! only the decoded bytes, never the text around them. Nothing is skipped silently: if the decoded bytes exceed the
//! budget, or a stream continues after the view, the result says so.
//!
//! *Security*: reads hostile bytes; linear in their number. The caller's budget bounds the output.
//! *Standards*: named in the file of each encoding.

use std::ops::Range;

use crate::view::View;

mod base64;
mod compressed;
mod escape;
mod found;
mod inflate;
mod number;
mod plausible;
mod wide;

use found::Found;
pub(crate) use inflate::{Form, Inflate, Progress};

/// An encoded run and its decoded text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layer {
    /// Its place, bytes of the view.
    pub(crate) range: Range<usize>,
    /// The decoded bytes.
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
    /// Nothing: it is a compressed stream that is too long to decode in one piece, or that continues after the view.
    /// Its bytes begin at `data` in the view.
    Stream {
        /// The encodings to decode.
        form: Form,
        /// Where.
        data: usize,
    },
}

/// The layers of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layers {
    /// In the order of their places. Several may have the same place, if it can be decoded in several ways.
    pub(crate) layers: Vec<Layer>,
    /// Whether something was not decoded, or not wholly, because of the room or because too much looked like a beginning.
    pub(crate) exceeded: bool,
}

/// Decodes the encoded runs in a view; `room` is the maximum total of decoded bytes.
pub(crate) fn layers(view: &View<'_>, room: usize) -> Layers {
    let mut found = Found::new(room);
    compressed::find(view, &mut found);
    wide::find(view, &mut found);
    for extent in view.extents() {
        let start = extent.start;
        let text = view.bytes.get(extent.clone()).unwrap_or_default();
        found.within(start);
        base64::find(text, &mut found);
        number::find(text, &mut found);
        escape::find(text, &mut found);
    }
    found.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Place;
    use proptest::prelude::*;

    /// The layers of some bytes, which are all there.
    pub(super) fn layers_of(bytes: &[u8]) -> Vec<Layer> {
        let found = layers(&View::whole(bytes, Place::Artifact), 1 << 20);
        assert!(!found.exceeded, "{bytes:?}");
        found.layers
    }

    /// Whether some layer of `bytes`, to a depth of three, contains `wanted` and the first is called `encoding`.
    pub(super) fn shows(bytes: &[u8], encoding: &str, wanted: &[u8]) -> bool {
        layers_of(bytes).iter().any(|layer| layer.encoding == encoding && within(&layer.bytes, wanted, 1))
    }

    fn within(bytes: &[u8], wanted: &[u8], depth: u8) -> bool {
        let view = View::new(bytes, true, true, depth, Place::Artifact);
        memchr::memmem::find(bytes, wanted).is_some()
            || depth < 3 && layers(&view, 1 << 20).layers.iter().any(|layer| within(&layer.bytes, wanted, depth + 1))
    }

    #[test]
    fn ordinary_text_has_no_layers() {
        let text =
            "The parser read 4096 lines in 12 seconds; nothing was wrong with them.\n\nsee docs/index.md, tests/all\n";
        assert!(layers_of(text.as_bytes()).is_empty());
    }

    #[test]
    fn an_encoding_within_an_encoding_is_found_in_its_layer() {
        assert!(shows(b"data: JTY5JTY3JTZlJTZmJTcyJTY1JTIwJTY5JTc0", "base64", b"ignore it"));
    }

    #[test]
    fn what_does_not_fit_into_the_room_exceeds_it() {
        let text = b"69676e6f726520616c6c206f66206974206e6f77";
        let text = [&text[..], b"20"].concat();
        let found = layers(&View::whole(&text, Place::Prose), 8);
        assert_eq!((found.exceeded, &*found.layers[0].bytes), (true, &b"ignore a"[..]));
    }

    proptest! {
        #[test]
        fn any_bytes_give_at_most_the_room_and_layers_within_them(
            bytes in proptest::collection::vec(any::<u8>(), 0..300), room in 0_usize..400, ends in any::<[bool; 2]>(), depth in 0_u8..3,
        ) {
            bounded(&bytes, room, ends, depth)?;
        }

        #[test]
        fn text_full_of_marks_gives_at_most_the_room_and_layers_within_it(
            text in "([%\\\\&=#;xun0-9a-fA-F ,:\n\r.<~>|+-]|chr\\(|PK\u{3}\u{4}){0,120}",
            room in 0_usize..400,
        ) {
            bounded(text.as_bytes(), room, [true, true], 1)?;
        }
    }

    fn bounded(bytes: &[u8], room: usize, [at_start, at_end]: [bool; 2], depth: u8) -> Result<(), TestCaseError> {
        let found = layers(&View::new(bytes, at_start, at_end, depth, Place::Artifact), room);
        prop_assert!(found.layers.iter().map(|layer| layer.bytes.len()).sum::<usize>() <= room);
        for layer in &found.layers {
            prop_assert!(bytes.get(layer.range.clone()).is_some_and(|run| !run.is_empty()), "{layer:?}");
        }
        Ok(())
    }
}
