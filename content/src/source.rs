//! A source of text, scanned while it passes: a file, a section, a string, or the decoded form of a part of one.
//!
//! ```text
//! …────────┬── lead ──┬──────────── body ────────────┬── tail ──┬────────…
//!          └──────────────────── one view ──────────────────────┘
//! ```
//!
//! Bodies follow each other without a gap, and a match belongs to the body in which it begins: a match that fits into
//! the tail is neither missed at a border nor found twice. Encoded text is a source within the source. Memory is one
//! view per level, whatever the length of the source.
//!
//! *Security*: three levels of encodings are decoded, within the budget of the bundle. Anything deeper is reported.

use std::ops::Range;
use std::sync::Arc;

use gatepost_documents::reason::Severity;

use crate::application;
use crate::fact::FactKind;
use crate::finding::{Finding, digest};
use crate::layer::{self, Extent, Layer};
use crate::place::Place;
use crate::scan::{Scan, TEXT_COST};
use crate::stream::Stream;
use crate::view::View;

/// How far a rule may look before and after its match.
const LEAD_BYTES: usize = 4 * 1024;
const BODY_BYTES: usize = 256 * 1024;
const TAIL_BYTES: usize = 8 * 1024;
/// The most streams of one source that are undone side by side.
const STREAMS_MAX: usize = 8;
/// How many encodings within each other are undone.
const DEPTH_MAX: usize = 3;
/// The decoded bytes of one view that are held at a time.
const VIEW_ROOM_BYTES: usize = 4 * 1024 * 1024;

/// One source that is being fed.
pub struct Source {
    place: Place,
    file: Arc<str>,
    /// The decoded layers, the outermost first.
    encodings: Vec<&'static str>,
    /// The place of the outermost encoded run, and its length, if anything was decoded.
    origin: Option<(Position, usize)>,
    /// Whether the source continues where nobody scans it.
    is_cut: bool,
    buffer: Vec<u8>,
    /// Where in the buffer the next body begins; the bytes before were scanned and are the lead.
    body: usize,
    at_start: bool,
    /// The place of the buffer's first byte.
    position: Position,
    streams: Vec<Stream>,
}

impl Source {
    /// A source that begins at line 1.
    pub fn new(place: Place, file: &str) -> Self {
        Self {
            place,
            file: file.into(),
            encodings: Vec::new(),
            origin: None,
            is_cut: false,
            buffer: Vec::new(),
            body: 0,
            at_start: true,
            position: Position { line: 1, column: 1 },
            streams: Vec::new(),
        }
    }

    /// The same, for a part of a file that begins at a line.
    #[must_use]
    pub fn from_line(mut self, line: u32) -> Self {
        self.position.line = line;
        self
    }

    /// The source that a layer at `position` is, which may go on where the view ends.
    fn within(&self, layer: &Layer, position: Position, is_cut: bool) -> Self {
        Self {
            encodings: self.encodings.iter().copied().chain([layer.encoding]).collect(),
            origin: self.origin.or(Some((position, layer.range.len()))),
            is_cut,
            file: Arc::clone(&self.file),
            ..Self::new(self.place, "")
        }
    }

    /// Takes the next bytes.
    pub fn feed(&mut self, bytes: &[u8], scan: &mut Scan) {
        let mut rest = bytes;
        while !rest.is_empty() && !scan.is_spent() {
            let room = (self.body + BODY_BYTES + TAIL_BYTES).saturating_sub(self.buffer.len());
            let (now, later) = rest.split_at(room.min(rest.len()));
            self.buffer.extend_from_slice(now);
            rest = later;
            for stream in &mut self.streams {
                stream.feed(now, scan);
            }
            self.end_streams(scan);
            if now.len() == room {
                self.examine(self.body + BODY_BYTES, false, scan);
            }
        }
    }

    /// Passes over bytes that an earlier stage verified by their form: digests, ids, times, numbers. They are not looked at, and
    /// what stands before them does not go on behind them; lines and columns count on.
    pub fn pass_over(&mut self, bytes: &[u8], scan: &mut Scan) {
        self.end(scan);
        self.position.advance(&std::mem::take(&mut self.buffer));
        self.position.advance(bytes);
        (self.body, self.at_start) = (0, true);
    }

    /// Scans the rest.
    pub fn finish(mut self, scan: &mut Scan) {
        self.end(scan);
    }

    fn end(&mut self, scan: &mut Scan) {
        if self.body < self.buffer.len() && !scan.is_spent() {
            self.examine(self.buffer.len(), true, scan);
        }
        for stream in std::mem::take(&mut self.streams) {
            stream.finish(self.is_cut, scan);
        }
    }

    /// Reports that a part could not be scanned.
    pub(crate) fn exceed(&self, scan: &mut Scan) {
        for rule in scan.rules().clone().on_fact(FactKind::Exceeded) {
            self.add((*rule, Severity::Reject), b"", (self.position, 0), scan);
        }
    }

    fn end_streams(&mut self, scan: &mut Scan) {
        let (going_on, ended) = std::mem::take(&mut self.streams).into_iter().partition(Stream::goes_on);
        self.streams = going_on;
        for stream in ended {
            stream.finish(false, scan);
        }
    }

    /// Scans the body up to `end`, and keeps in the buffer the beginning of the next view.
    fn examine(&mut self, end: usize, at_end: bool, scan: &mut Scan) {
        if self.encodings.is_empty() {
            scan.begin_view(end - self.body, self.at_start);
        }
        let buffer = std::mem::take(&mut self.buffer);
        let view = View::new(&buffer, self.at_start, at_end && !self.is_cut, self.depth(), self.place);
        let body = self.body..end;
        let found = application::found(scan.rules(), &view, &body, scan.work());
        if !scan.take_work(found.work) || found.is_cut {
            self.exceed(scan);
        }
        let mut reader = Reader::new(&buffer, self.position);
        for hit in found.hits {
            let matched = buffer.get(hit.range.clone()).unwrap_or_default();
            let at = (reader.at(hit.range.start), hit.range.len());
            self.add((hit.rule, hit.severity), matched, at, scan);
        }
        let streams = self.undo(&view, &body, scan);
        self.streams.extend(streams);
        self.end_streams(scan);
        self.buffer = buffer;
        let keep_from = end.saturating_sub(LEAD_BYTES);
        self.position.advance(self.buffer.get(..keep_from).unwrap_or_default());
        self.buffer.drain(..keep_from);
        self.body = end - keep_from;
        self.at_start = false;
    }

    /// Looks at the layers that reach into the body; streams that may go on behind the view come back.
    fn undo(&self, view: &View<'_>, body: &Range<usize>, scan: &mut Scan) -> Vec<Stream> {
        let mut streams = Vec::new();
        if self.encodings.len() >= DEPTH_MAX {
            return streams;
        }
        let found = layer::layers(view, (scan.room() / TEXT_COST).min(VIEW_ROOM_BYTES));
        if found.exceeded {
            self.exceed(scan);
        }
        let mut reader = Reader::new(view.bytes, self.position);
        for layer in found.layers.iter().filter(|layer| layer.range.start < body.end && layer.range.end > body.start) {
            let is_cut = !view.at_end && layer.range.end >= view.bytes.len();
            let mut inner = self.within(layer, reader.at(layer.range.start), is_cut);
            match layer.extent {
                // What began in the lead is being undone since then.
                Extent::Stream { .. } if !body.contains(&layer.range.start) => {}
                Extent::Stream { .. } if self.streams.len() + streams.len() >= STREAMS_MAX => inner.exceed(scan),
                Extent::Stream { form, data } => {
                    let mut stream = Stream::new(form, inner);
                    stream.feed(view.bytes.get(data..).unwrap_or_default(), scan);
                    streams.push(stream);
                }
                Extent::Whole if !scan.take_room(layer.bytes.len() * TEXT_COST) => inner.exceed(scan),
                Extent::Whole => {
                    inner.feed(&layer.bytes, scan);
                    inner.finish(scan);
                }
            }
        }
        streams
    }

    fn depth(&self) -> u8 {
        u8::try_from(self.encodings.len()).unwrap_or(u8::MAX)
    }

    fn add(&self, (rule, severity): (usize, Severity), matched: &[u8], at: (Position, usize), scan: &mut Scan) {
        let Some(rule) = scan.rules().rule(rule).cloned() else { return };
        if !scan.wants(&rule, severity, self.place) {
            return;
        }
        let (position, bytes) = self.origin.unwrap_or(at);
        scan.add(Finding {
            rule,
            severity,
            place: self.place,
            file: Arc::clone(&self.file),
            pointer: None,
            line: position.line,
            column: position.column,
            bytes,
            encodings: self.encodings.clone(),
            excerpt_sha256: digest(matched),
        });
    }
}

/// A line and a column, both from 1; a column counts characters.
#[derive(Debug, Clone, Copy)]
struct Position {
    line: u32,
    column: u32,
}

impl Position {
    fn advance(&mut self, bytes: &[u8]) {
        let newlines = memchr::memchr_iter(b'\n', bytes).count();
        let last_line = match memchr::memrchr(b'\n', bytes) {
            Some(end) => {
                self.column = 1;
                bytes.get(end + 1..).unwrap_or_default()
            }
            None => bytes,
        };
        // Every byte but those that continue a UTF-8 sequence begins a character.
        let characters = last_line.iter().filter(|byte| **byte & 0xC0 != 0x80).count();
        self.line = self.line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
        self.column = self.column.saturating_add(u32::try_from(characters).unwrap_or(u32::MAX));
    }
}

/// Converts non-decreasing offsets to positions, in one pass.
struct Reader<'a> {
    bytes: &'a [u8],
    read: usize,
    position: Position,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8], position: Position) -> Self {
        Self { bytes, read: 0, position }
    }

    fn at(&mut self, offset: usize) -> Position {
        self.position.advance(self.bytes.get(self.read..offset).unwrap_or_default());
        self.read = offset;
        self.position
    }
}
