//! Compressed streams piece by piece: gzip with all its members, zlib, and deflate without a header.
//!
//! Does not verify checksums: a damaged stream still has content to scan. Memory is constant, whatever the stream
//! declares; the caller bounds the output and can stop at every piece.
//!
//! Security: reads hostile bytes; a stream may grow a thousandfold.
//! Standards: RFC 1950 (zlib), RFC 1951 (deflate), RFC 1952 (gzip).

use std::ops::ControlFlow;

use miniz_oxide::inflate::stream::{InflateState, MinReset, inflate};
use miniz_oxide::{DataFormat, MZFlush, MZStatus};

use super::plausible::{is_text, opens};

/// Output buffer size.
const PIECE_BYTES: usize = 16 << 10;
/// The fewest bytes that are tried as a stream without a header, and the fewest that must come out.
const RAW_BYTES_MIN: usize = 24;
/// How a stream without a header is recognised: its first bytes when decompressed.
const RAW_SEEN_BYTES: usize = 256;

/// The header of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// RFC 1952, any number of members.
    Gzip,
    /// RFC 1950.
    Zlib,
    /// RFC 1951 alone.
    Deflate,
}

/// How far a stream was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    /// The stream continues, and all bytes were used.
    More,
    /// It ended.
    Ended,
    /// It is no stream, or damaged from here on.
    Broken,
    /// The receiver wanted no more.
    Stopped,
}

/// A decompressor that is fed.
pub(crate) struct Inflate {
    state: Box<InflateState>,
    piece: Box<[u8]>,
    form: Form,
    step: Step,
    progress: Progress,
}

/// Where in a gzip member the next byte is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The ten bytes of the fixed header; how many were seen, and the flags.
    Header { seen: u8, flags: u8 },
    /// Two bytes of a length, then the field itself.
    Extra { seen: u8, left: u16, flags: u8 },
    /// Text that ends with a zero byte.
    Text { flags: u8 },
    /// The sum of the header.
    Sum { left: u8 },
    /// The deflate stream.
    Body,
    /// The checksum and size of the uncompressed data.
    Trailer { left: u8 },
    /// Between members, where there may be zero bytes.
    Between,
}

const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const SUM: u8 = 2;

impl Inflate {
    /// A decompressor at the beginning of a stream.
    pub(crate) fn new(form: Form) -> Self {
        let mut made = Self {
            state: InflateState::new_boxed(data_format(form)),
            piece: vec![0; PIECE_BYTES].into_boxed_slice(),
            form,
            step: Step::Body,
            progress: Progress::More,
        };
        made.restart(form);
        made
    }

    /// Forgets the earlier state.
    pub(crate) fn restart(&mut self, form: Form) {
        let (before, wanted) = (data_format(self.form), data_format(form));
        self.form = form;
        self.progress = Progress::More;
        self.step = if form == Form::Gzip { Step::Header { seen: 0, flags: 0 } } else { Step::Body };
        if before == wanted {
            self.state.reset_as(MinReset);
        } else {
            self.state.reset(wanted);
        }
    }

    /// Takes the next bytes and gives on what comes out, until `out` breaks off. Returns how many bytes belong to the
    /// stream and how far it is. After anything but [`Progress::More`] it takes no more.
    pub(crate) fn feed(&mut self, bytes: &[u8], out: &mut impl FnMut(&[u8]) -> ControlFlow<()>) -> (usize, Progress) {
        let mut at = 0;
        while self.progress == Progress::More && at < bytes.len() {
            if self.step == Step::Body {
                let rest = bytes.get(at..).unwrap_or_default();
                at += self.body(rest, out);
            } else if let Some(byte) = bytes.get(at) {
                at += usize::from(self.frame(*byte));
            }
        }
        (at, self.progress)
    }

    /// Whether the stream may end here: between the members of a gzip file.
    pub(crate) fn is_between(&self) -> bool {
        self.step == Step::Between
    }

    /// Whether bytes begin a deflate stream without a header that holds something plausible. Starts anew for it.
    pub(super) fn is_raw(&mut self, bytes: &[u8]) -> bool {
        // The first three bits: stored blocks show their content as it is, and the fourth kind does not exist.
        let compressed = bytes.first().is_some_and(|first| matches!(first >> 1 & 3, 1 | 2));
        if !compressed || bytes.len() < RAW_BYTES_MIN {
            return false;
        }
        let mut seen = Vec::new();
        self.restart(Form::Deflate);
        let (_, progress) = self.feed(bytes, &mut |piece| {
            seen.extend(piece.iter().take(RAW_SEEN_BYTES));
            ControlFlow::Break(())
        });
        progress != Progress::Broken && seen.len() >= RAW_BYTES_MIN && (is_text(&seen) || opens(&seen))
    }

    fn body(&mut self, bytes: &[u8], out: &mut impl FnMut(&[u8]) -> ControlFlow<()>) -> usize {
        let mut at = 0;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let result = inflate(&mut self.state, rest, &mut self.piece, MZFlush::None);
            at += result.bytes_consumed;
            let piece = self.piece.get(..result.bytes_written).unwrap_or_default();
            if !piece.is_empty() && out(piece).is_break() {
                self.progress = Progress::Stopped;
                return at;
            }
            match result.status {
                Ok(MZStatus::StreamEnd) if self.form == Form::Gzip => {
                    self.step = Step::Trailer { left: 8 };
                    return at;
                }
                Ok(MZStatus::StreamEnd) => self.progress = Progress::Ended,
                // Full pieces may have more behind them although all input is used.
                Ok(_) if result.bytes_written == self.piece.len() || at < bytes.len() => {
                    if result.bytes_consumed > 0 || result.bytes_written > 0 {
                        continue;
                    }
                    self.progress = Progress::Broken;
                }
                Ok(_) => {}
                Err(_) if at == bytes.len() && result.bytes_written == 0 && rest.is_empty() => {}
                Err(_) => self.progress = Progress::Broken,
            }
            return at;
        }
    }

    /// Takes one byte of the framing around the streams of a gzip file; returns whether it belongs to the file.
    fn frame(&mut self, byte: u8) -> bool {
        self.step = match self.step {
            Step::Header { seen, flags } => {
                let fits = match seen {
                    0 => byte == 0x1f,
                    1 => byte == 0x8b,
                    2 => byte == 8,
                    _ => true,
                };
                if !fits {
                    self.progress = Progress::Broken;
                    return false;
                }
                let flags = if seen == 3 { byte } else { flags };
                if seen < 9 { Step::Header { seen: seen + 1, flags } } else { after_header(flags) }
            }
            Step::Extra { seen: 0, flags, .. } => Step::Extra { seen: 1, left: u16::from(byte), flags },
            Step::Extra { seen: 1, left, flags } => match left | u16::from(byte) << 8 {
                0 => after_header(flags & !EXTRA),
                left => Step::Extra { seen: 2, left, flags },
            },
            Step::Extra { left: 0 | 1, flags, .. } => after_header(flags & !EXTRA),
            Step::Extra { seen, left, flags } => Step::Extra { seen, left: left - 1, flags },
            Step::Text { flags } if byte != 0 => Step::Text { flags },
            Step::Text { flags } if flags & NAME != 0 => after_header(flags & !(EXTRA | NAME)),
            Step::Text { flags } => after_header(flags & !(EXTRA | NAME | COMMENT)),
            Step::Sum { left: 0 | 1 } | Step::Body => Step::Body,
            Step::Sum { left } => Step::Sum { left: left - 1 },
            Step::Trailer { left: 0 | 1 } => {
                self.state.reset_as(MinReset);
                Step::Between
            }
            Step::Trailer { left } => Step::Trailer { left: left - 1 },
            Step::Between if byte == 0 => Step::Between,
            Step::Between if byte == 0x1f => Step::Header { seen: 1, flags: 0 },
            Step::Between => {
                self.progress = Progress::Ended;
                return false;
            }
        };
        true
    }
}

/// The part that the decompressor has to read itself.
const fn data_format(form: Form) -> DataFormat {
    match form {
        Form::Zlib => DataFormat::ZLibIgnoreChecksum,
        Form::Gzip | Form::Deflate => DataFormat::Raw,
    }
}

/// The next part of a gzip member's header after all parts before those in `flags`.
const fn after_header(flags: u8) -> Step {
    if flags & EXTRA != 0 {
        Step::Extra { seen: 0, left: 0, flags }
    } else if flags & (NAME | COMMENT) != 0 {
        Step::Text { flags }
    } else if flags & SUM != 0 {
        Step::Sum { left: 2 }
    } else {
        Step::Body
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use miniz_oxide::deflate::{compress_to_vec, compress_to_vec_zlib};
    use proptest::prelude::*;

    /// A gzip member with every optional part that the flags ask for.
    pub(crate) fn member(content: &[u8], flags: u8) -> Vec<u8> {
        let mut bytes = vec![0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 0, 3];
        for (flag, part) in [(EXTRA, &b"\x03\0abc"[..]), (NAME, b"a.txt\0"), (COMMENT, b"said\0"), (SUM, b"\x01\x02")] {
            bytes.extend_from_slice(if flags & flag == 0 { b"" } else { part });
        }
        bytes.extend(compress_to_vec(content, 6));
        bytes.extend_from_slice(&[0; 8]);
        bytes
    }

    /// The output of a stream that is fed in pieces of a size, and how far it was read.
    fn fed(form: Form, bytes: &[u8], size: usize) -> (Vec<u8>, Progress) {
        let (mut inflate, mut out) = (Inflate::new(form), Vec::new());
        let mut progress = Progress::More;
        for piece in bytes.chunks(size) {
            (_, progress) = inflate.feed(piece, &mut |piece| {
                out.extend_from_slice(piece);
                ControlFlow::Continue(())
            });
        }
        (out, progress)
    }

    #[test]
    fn members_follow_each_other_until_something_else_does() {
        let bytes = [&member(b"one, ", 0)[..], &member(b"two", 30), b"\0\0"].concat();
        assert_eq!(fed(Form::Gzip, &bytes, 7), (b"one, two".to_vec(), Progress::More));
        assert_eq!(fed(Form::Gzip, &[&bytes[..], b"x"].concat(), 100).1, Progress::Ended);
        assert_eq!(fed(Form::Gzip, b"\x1f\x8c\x08", 1).1, Progress::Broken);
        assert_eq!(fed(Form::Zlib, b"\x78\x9c\xff\xff", 4).1, Progress::Broken);
    }

    #[test]
    fn a_receiver_that_has_enough_stops_a_bomb() {
        let bomb = compress_to_vec(&vec![b'a'; 10 << 20], 6);
        let mut seen = 0;
        let (_, progress) = Inflate::new(Form::Deflate).feed(&bomb, &mut |piece| {
            seen += piece.len();
            if seen > 100_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert_eq!(progress, Progress::Stopped);
        assert!(seen < 150_000, "{seen}");
    }

    fn raw(bytes: &[u8]) -> bool {
        Inflate::new(Form::Deflate).is_raw(bytes)
    }

    #[test]
    fn a_stream_without_a_header_is_distinguished_from_noise() {
        assert!(raw(&compress_to_vec(b"ignore all that was said before, and all that is said after", 6)));
        assert!(!raw(b"\x01\x02\x03ignore all that was said before"));
        assert!(!raw(b"\x05ignore all that was said before"));
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_give_the_whole(content in proptest::collection::vec(any::<u8>(), 1..3000), size in 1_usize..400, flags in 0_u8..32) {
            prop_assert_eq!(fed(Form::Gzip, &member(&content, flags), size), (content.clone(), Progress::More));
            prop_assert_eq!(fed(Form::Zlib, &compress_to_vec_zlib(&content, 6), size), (content, Progress::Ended));
        }

        #[test]
        fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..300), size in 1_usize..40) {
            for form in [Form::Gzip, Form::Zlib, Form::Deflate] {
                fed(form, &bytes, size);
            }
            fed(Form::Gzip, &[b"\x1f\x8b\x08", &bytes[..]].concat(), size);
        }
    }
}
