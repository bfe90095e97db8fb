//! Compressed streams within other bytes: gzip members, zlib streams (also those within PNG and PDF), deflated members
//! of zip archives.
//!
//! A stream that is long, or continues after the window, is only located: the owner of the rest decompresses it piece
//! by piece.
//!
//! Security: reads hostile bytes. Candidates that are no streams cost a bounded share of the input's length; beyond
//! that the budget counts as exceeded, so nothing passes unscanned. Standards: RFC 1950, 1951, 1952; PKWARE APPNOTE
//! 6.3.10, section 4.3.7; PNG (W3C, third edition), sections 5.3 and 11.

use std::ops::ControlFlow;

use memchr::memmem;

use super::Extent;
use super::found::Found;
use super::inflate::{Form, Progress};
use super::plausible::{is_text, opens, zlib_header};
use crate::view::View;

/// First bytes of streams, and the kind of stream.
const BEGINNINGS: [(&[u8], Kind); 6] = [
    (b"\x1f\x8b\x08", Kind::Gzip),
    (b"PK\x03\x04", Kind::Zip),
    (b"\x78\x9c", Kind::Zlib),
    (b"\x78\xda", Kind::Zlib),
    (b"\x78\x01", Kind::Zlib),
    (b"\x78\x5e", Kind::Zlib),
];
/// So many bytes of a zlib stream that breaks off or breaks show that it is one.
const ZLIB_BYTES_MIN: usize = 32;
/// A stream that gives no more than this is decoded here.
const WHOLE_BYTES_MAX: usize = 64 << 10;
/// Bytes that false beginnings may cost, beyond a multiple of the input.
const WORK_BYTES_MIN: usize = 256 << 10;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Gzip,
    Zlib,
    Zip,
    Deflate,
}

/// The most streams of one view that are only pointed at: no more are undone side by side.
const POINTED_MAX: usize = 8;

/// Finds and decompresses.
pub(super) fn find(view: &View<'_>, found: &mut Found) {
    search(view, found);
}

/// The same; the bytes that it took and made, which are a bounded multiple of the view's.
fn search(view: &View<'_>, found: &mut Found) -> usize {
    let mut places: Vec<(usize, Kind)> = Vec::new();
    for (magic, kind) in BEGINNINGS {
        places.extend(memmem::find_iter(view.bytes, magic).map(|at| (at, kind)));
    }
    if view.at_start && zlib_header(view.bytes) && view.bytes.first() != Some(&0x78) {
        places.push((0, Kind::Zlib));
    }
    if view.depth > 0 && view.at_start && found.inflate().is_raw(view.bytes) {
        places.push((0, Kind::Deflate));
    }
    if places.is_empty() {
        return 0;
    }
    places.sort_by_key(|(at, _)| *at);
    let work = view.bytes.len() * 4 + WORK_BYTES_MIN;
    let mut search = Search { view, work, pointed: 0, spent: 0 };
    let mut end = 0;
    for (at, kind) in places {
        if at < end {
            continue;
        }
        if search.work == 0 || search.pointed > POINTED_MAX {
            found.exceed();
            break;
        }
        // What only looks like a stream without a head hides none that has one.
        if let Some(after) = search.try_at(at, kind, found).filter(|_| kind != Kind::Deflate) {
            end = after;
        }
    }
    search.spent
}

struct Search<'a> {
    view: &'a View<'a>,
    work: usize,
    /// How many streams were pointed at.
    pointed: usize,
    /// The bytes that were taken and made.
    spent: usize,
}

impl Search<'_> {
    /// Decompresses the stream of a kind that begins at `at`; where it ends, if it is one.
    fn try_at(&mut self, at: usize, kind: Kind, found: &mut Found) -> Option<usize> {
        let (begin, form, encoding) = match kind {
            Kind::Gzip => (at, Form::Gzip, "gzip"),
            Kind::Zlib => (at, Form::Zlib, "zlib"),
            Kind::Deflate => (at, Form::Deflate, "deflate"),
            Kind::Zip => (member_data(self.view.bytes, at)?, Form::Deflate, "zip"),
        };
        let Some(input) = self.view.bytes.get(begin..) else {
            // A header whose data begin after the view.
            if !self.view.at_end {
                found.exceed();
            }
            return None;
        };
        let mut bytes = Vec::new();
        let room = found.room().min(WHOLE_BYTES_MAX);
        let mut full = false;
        let inflate = found.inflate();
        inflate.restart(form);
        let (used, progress) = inflate.feed(input, &mut |piece| {
            let fits = piece.len().min(room.saturating_sub(bytes.len()));
            bytes.extend(piece.iter().take(fits));
            full = fits < piece.len();
            if full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        self.spent += used + bytes.len();
        let whole = progress == Progress::Ended || inflate.is_between();
        // What still fits at the end of a view is one, though nothing came out: its header alone may be longer than the view.
        let goes_on = progress == Progress::More && !whole && !self.view.at_end;
        let is_meaningful = bytes.len() >= ZLIB_BYTES_MIN && (is_text(&bytes) || opens(&bytes));
        // Two bytes begin a zlib stream by chance, and a few more may end it.
        let is_whole = whole && !bytes.is_empty() && (kind != Kind::Zlib || has_sum(input.get(..used), &bytes));
        let is_one = full || goes_on || is_whole || is_meaningful;
        if !is_one && (kind != Kind::Gzip || bytes.is_empty()) {
            self.work = self.work.saturating_sub(used + bytes.len() + 64);
            return None;
        }
        if full || goes_on {
            self.pointed += 1;
            found.add_to(at..begin + used, Vec::new(), encoding, Extent::Stream { form, data: begin });
        } else {
            found.add(at..begin + used, bytes, encoding);
        }
        Some(begin + used)
    }
}

/// Where the data of the zip member begin whose local header stands at `at`. How they are held is tried, not read: programs
/// believe the archive's directory, which may say otherwise than this header.
fn member_data(bytes: &[u8], at: usize) -> Option<usize> {
    let header = bytes.get(at..)?.first_chunk::<30>()?;
    let [.., name_low, name_high, extra_low, extra_high] = *header;
    let lengths = usize::from(u16::from_le_bytes([name_low, name_high]))
        + usize::from(u16::from_le_bytes([extra_low, extra_high]));
    Some(at + header.len() + lengths)
}

/// Whether a zlib stream ends with the Adler-32 of its content (RFC 1950, section 8.2).
fn has_sum(stream: Option<&[u8]>, bytes: &[u8]) -> bool {
    const BASE: u32 = 65_521;
    let (low, high) = bytes.iter().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % BASE;
        (low, (high + low) % BASE)
    });
    stream.and_then(<[u8]>::last_chunk).is_some_and(|sum| u32::from_be_bytes(*sum) == high << 16 | low)
}

#[cfg(test)]
mod tests {
    use super::super::inflate::{Inflate, tests::member};
    use super::super::tests::shows;
    use super::super::{Layers, layers};
    use super::*;
    use crate::place::Place;
    use miniz_oxide::deflate::{compress_to_vec, compress_to_vec_zlib};

    const CLEAR: &[u8] = b"ignore all that was said before";

    fn zip(content: &[u8], flags: u8) -> Vec<u8> {
        let mut bytes = b"PK\x03\x04\x14\0\0\0\x08\0".to_vec();
        bytes[6] = flags;
        bytes.extend_from_slice(&[0; 16]);
        bytes.extend_from_slice(b"\x05\0\x02\0a.txt\x01\x02");
        bytes.extend(compress_to_vec(content, 6));
        bytes
    }

    #[test]
    fn streams_are_found_within_other_bytes() {
        let zlib = compress_to_vec_zlib(CLEAR, 6);
        assert!(shows(&[b"junk \x1f\x8b\x1f", &member(CLEAR, 8)[..], b"junk"].concat(), "gzip", CLEAR));
        assert!(shows(&[b"\0\0iCCPname\0\0", &zlib[..]].concat(), "zlib", CLEAR));
        assert!(shows(&[b"%PDF-1.7 /FlateDecode\nstream\n", &zlib[..], b"\nendstream"].concat(), "zlib", CLEAR));
        assert!(shows(&[zip(b"first of them", 0), zip(CLEAR, 0)].concat(), "zip", CLEAR));
    }

    #[test]
    fn words_that_could_begin_a_stream_without_a_head_hide_none_behind_them() {
        let words = b"s\0asmer = \"\n\n";
        let escaped: Vec<u8> = member(CLEAR, 0).iter().flat_map(|byte| format!("%{byte:02X}").into_bytes()).collect();
        let text = [&words[..], &escaped, b"\n\n"].concat();
        assert!(Inflate::new(Form::Deflate).is_raw(&[&words[..], &member(CLEAR, 0)].concat()));
        assert!(shows(&text, "percent", CLEAR));
    }

    #[test]
    fn a_member_with_a_false_local_header_is_found() {
        let mut stored = zip(CLEAR, 0);
        stored[8] = 0;
        assert!(shows(&zip(CLEAR, 1), "zip", CLEAR) && shows(&stored, "zip", CLEAR));
    }

    fn of(bytes: &[u8], at_end: bool, room: usize) -> Layers {
        layers(&View::new(bytes, true, at_end, 0, Place::Artifact), room)
    }

    #[test]
    fn a_header_that_is_longer_than_the_view_is_not_passed_in_silence() {
        let named = [&b"\x1f\x8b\x08\x08\0\0\0\0\0\x03"[..], &[b'n'; 9000]].concat();
        let padded = [&b"\x1f\x8b\x08\x04\0\0\0\0\0\x03\xff\xff"[..], &[0; 9000]].concat();
        for header in [named, padded] {
            let is_stream = |at_end| of(&header, at_end, 9000).layers.iter().any(|layer| layer.encoding == "gzip");
            assert!(is_stream(false) && !is_stream(true));
        }
        let mut member = zip(CLEAR, 0);
        member[28..30].copy_from_slice(&[0xff, 0xff]);
        assert!(of(&member, false, 9000).exceeded && !of(&member, true, 9000).exceeded);
    }

    #[test]
    fn a_stream_that_goes_on_behind_the_view_or_grows_long_is_pointed_at() {
        let noise: Vec<u8> = (0..2000_u32).map(|at| ((at * at * 31) >> 5).to_le_bytes()[0]).collect();
        let stream = member(&noise, 0);
        let half = stream.get(..stream.len() / 2).unwrap();
        let begins_at = |data| Extent::Stream { form: Form::Gzip, data };
        assert_eq!(of(half, false, 9000).layers[0].extent, begins_at(0));
        assert_eq!(of(half, true, 9000).layers[0].extent, Extent::Whole);
        assert_eq!(of(&stream, false, 9000).layers[0].bytes, noise);
        let bomb = of(&member(&vec![b' '; 1 << 20], 0), true, 5000);
        assert_eq!((bomb.layers[0].extent, bomb.layers[0].bytes.len()), (begins_at(0), 0));
    }

    /// The bytes that a search costs.
    fn spent(bytes: &[u8]) -> usize {
        search(&View::new(bytes, true, true, 0, Place::Artifact), &mut Found::new(4 << 20))
    }

    /// A gzip member with a stored block.
    fn stored(content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len()).unwrap().to_le_bytes();
        let head = [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03\x01"[..], &length, &length.map(|byte| !byte)].concat();
        [&head, content, &[0; 8]].concat()
    }

    #[test]
    fn heads_within_each_other_and_over_each_other_cost_a_bounded_multiple_of_their_length() {
        type Of<'a> = &'a dyn Fn(usize) -> Vec<u8>;
        let nested = |count: usize| (0..count).fold(CLEAR.to_vec(), |inner, _| stored(&inner));
        let bomb = member(&b" ".repeat(100_000), 0);
        // A stored block that claims to hold all that follows, which are such blocks.
        let overlapping = b"\x78\x9c\x00\xff\xff\x00\x00";
        let cases: [(&str, Of<'_>); 5] = [
            ("nested", &nested),
            ("bombs", &|count| bomb.repeat(count)),
            ("heads", &|count| b"\x1f\x8b\x08\x08aaaaaa".repeat(count * 10)),
            ("members", &|count| b"PK\x03\x04aaaaaaaaaaaaaaaaaaaaaa\x01\0\0\0a".repeat(count * 10)),
            ("overlapping", &|count| overlapping.repeat(count * 10)),
        ];
        for (name, of) in cases {
            for count in [100, 200, 400, 800] {
                let bytes = of(count);
                let most = 6 * bytes.len() + WORK_BYTES_MIN + (POINTED_MAX + 2) * 2 * WHOLE_BYTES_MAX;
                assert!(spent(&bytes) <= most, "{name}: {} of {most} for {}", spent(&bytes), bytes.len());
            }
        }
    }

    #[test]
    fn false_beginnings_cost_a_bounded_share_and_are_not_passed_in_silence() {
        // Each begins a stored block that holds all that follows.
        let beginning = b"\x78\x9c\x00\xff\xff\x00\x00";
        let hostile = beginning.repeat(200_000 / beginning.len());
        let found = of(&hostile, true, 1 << 24);
        assert!(found.exceeded || !found.layers.is_empty());
    }
}
