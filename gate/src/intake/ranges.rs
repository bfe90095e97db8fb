//! Digests the parts of stdout that belong to the interactions of a session, or to the pages of a packet, during the
//! one read of stdout.
//!
//! *Security*: the ranges are hostile. The judge finds gaps and overlaps: their digest is missing.

use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::evidence::{Backend, INTERACTIONS_MAX};
use serde::Deserialize;

/// A part of stdout, bytes.
#[derive(Deserialize)]
pub(super) struct Range {
    #[serde(alias = "text_offset")]
    output_offset: u64,
    #[serde(alias = "text_bytes")]
    output_bytes: u64,
}

/// The parts of the evidence that are needed.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    interactions: Vec<Range>,
}

/// The same for a request for pages.
#[derive(Deserialize)]
struct Fetched {
    backend: Backend,
    results: Pages,
}

#[derive(Deserialize)]
struct Pages {
    sources: Vec<Range>,
}

/// The ranges that the evidence names; `None` if it is unreadable, which a later stage reports. A page without text has none.
pub(super) fn named(evidence: &[u8]) -> Vec<Range> {
    let mut ranges = serde_json::from_slice(evidence).map(|Named { interactions }| interactions).unwrap_or_default();
    if let Ok(Fetched { backend: Backend::Fetch, results }) = serde_json::from_slice(evidence) {
        ranges = with_gaps(results.sources);
    }
    ranges.truncate(INTERACTIONS_MAX);
    ranges
}

/// The parts of pages, each with the bytes before it, and the end of the last.
fn with_gaps(pages: Vec<Range>) -> Vec<Range> {
    let (mut ranges, mut end) = (Vec::new(), 0_u64);
    for page in pages.into_iter().filter(|page| page.output_bytes > 0) {
        ranges.push(Range { output_offset: end, output_bytes: page.output_offset.saturating_sub(end) });
        end = page.output_offset.saturating_add(page.output_bytes);
        ranges.push(page);
    }
    if !ranges.is_empty() {
        ranges.push(Range { output_offset: end, output_bytes: 1 });
    }
    ranges
}

/// Digests of consecutive ranges. A range that begins before the end of another, and all later ones, get no digest.
#[derive(Default)]
pub(super) struct Digests {
    ranges: Vec<Range>,
    /// The next byte of the stream.
    at: u64,
    hasher: Hasher,
    /// Bytes of the present range that were hashed.
    hashed: u64,
    done: Vec<Digest>,
}

impl Digests {
    pub(super) fn new(ranges: Vec<Range>) -> Self {
        Self { ranges, ..Self::default() }
    }

    /// The next bytes of the stream.
    pub(super) fn feed(&mut self, mut piece: &[u8]) {
        while let Some(range) = self.ranges.get(self.done.len()) {
            let next = range.output_offset.checked_add(self.hashed);
            let Some(skipped) = next.and_then(|next| next.checked_sub(self.at)) else { break };
            let left = range.output_bytes.saturating_sub(self.hashed);
            if left == 0 {
                self.done.push(std::mem::take(&mut self.hasher).finish());
                self.hashed = 0;
                continue;
            }
            let part = usize::try_from(skipped).ok().and_then(|skipped| piece.get(skipped..)).unwrap_or_default();
            let part = part.get(..usize::try_from(left).unwrap_or(usize::MAX)).unwrap_or(part);
            if part.is_empty() {
                break;
            }
            self.hasher.update(part);
            self.hashed += part.len() as u64;
            let taken = skipped + part.len() as u64;
            self.at += taken;
            piece = piece.get(usize::try_from(taken).unwrap_or(usize::MAX)..).unwrap_or_default();
        }
        self.at += piece.len() as u64;
    }

    /// The digests, one per range, in their order.
    pub(super) fn finish(mut self) -> Vec<Digest> {
        self.feed(&[]);
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(ranges: &[(u64, u64)], pieces: &[&[u8]]) -> Vec<Digest> {
        let range = |&(output_offset, output_bytes): &(u64, u64)| Range { output_offset, output_bytes };
        let mut digests = Digests::new(ranges.iter().map(range).collect());
        for piece in pieces {
            digests.feed(piece);
        }
        digests.finish()
    }

    #[test]
    fn a_range_has_its_digest_however_the_stream_is_cut() {
        let expected = [Digest::of(b""), Digest::of(b"bcd"), Digest::of(b"ef"), Digest::of(b"h"), Digest::of(b"")];
        let ranges = [(0, 0), (1, 3), (4, 2), (7, 1), (8, 0)];
        assert_eq!(digests(&ranges, &[b"abcdefgh"]), expected);
        for cut in 1..8 {
            let (first, rest) = b"abcdefgh".split_at(cut);
            assert_eq!(digests(&ranges, &[first, b"", rest]), expected, "{cut}");
        }
        assert_eq!(digests(&ranges, &b"abcdefgh".iter().map(std::slice::from_ref).collect::<Vec<_>>()), expected);
    }

    #[test]
    fn what_overlaps_or_is_not_there_has_none() {
        assert_eq!(digests(&[(0, 2), (1, 2)], &[b"abcd"]), [Digest::of(b"ab")]);
        assert_eq!(digests(&[(2, 1), (0, 1)], &[b"abcd"]), [Digest::of(b"c")]);
        for beyond in [(0, 5), (5, 1), (u64::MAX, u64::MAX), (1, u64::MAX)] {
            assert_eq!(digests(&[beyond], &[b"abcd"]), []);
        }
    }
}
