//! The beginning of a tool's output, and the artifact with all of it.
//!
//! Only for an accepted result, or a call outside the mailbox. Reads only the first few KiB. *Security*: the output may
//! imitate other text, so it is escaped as in the result document (`src/excerpt.rs`), in JSON too.

use std::io::Read as _;
use std::path::Path;

use gatepost_exec::bundle::{STDERR, STDOUT};
use gatepost_exec::excerpt;
use gatepost_mailbox::life::Progress;
use gatepost_mailbox::regular_file;

use crate::cli::prelude::*;

/// The most lines of a stream that are shown.
const LINES_MAX: usize = 10;
/// The most bytes that are read for them.
const BYTES_MAX: u64 = 8 * 1024;

/// The streams of a tool; absent if the request has no accepted result, or the tool printed nothing.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(super) struct Streams {
    #[serde(skip_serializing_if = "Option::is_none")]
    stdout: Option<Beginning>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr: Option<Beginning>,
}

/// The beginning of a stream.
#[derive(Debug, Serialize, JsonSchema)]
struct Beginning {
    /// A tool printed it.
    _trusted: bool,
    /// The file that holds all of it, within the bundle.
    artifact: String,
    /// Its total size in bytes.
    bytes: u64,
    /// The first lines, escaped.
    excerpt: String,
    /// Whether there is more than the excerpt shows.
    truncated: bool,
}

impl Streams {
    /// Reads them from the bundle of an accepted result.
    pub(super) fn read(progress: &Progress) -> Self {
        if !progress.is_in_core() || progress.foreign {
            return Self::default();
        }
        Self::of(&progress.path)
    }

    /// Reads them from a bundle that nobody else can change.
    pub(super) fn of(bundle: &Path) -> Self {
        let read = |name| Beginning::read(bundle, name);
        Self { stdout: read(STDOUT), stderr: read(STDERR) }
    }

    /// For a person; `request_id`, if any, is for the command that shows everything.
    pub(super) fn text(&self, request_id: Option<&str>) -> String {
        let streams = [("Stdout", STDOUT, &self.stdout), ("Stderr", STDERR, &self.stderr)];
        let described = streams.into_iter().filter_map(|(title, name, stream)| {
            let Beginning { artifact, bytes, excerpt, truncated, .. } = stream.as_ref()?;
            let mut text = format!("\n{title} ({artifact}, {}):\n", counted(*bytes, "byte"));
            text.extend(excerpt.lines().map(|line| format!("  | {line}\n")));
            if let Some(request_id) = request_id.filter(|_| *truncated) {
                text += &format!("  all of it: gatepost cat {request_id} {name}\n");
            }
            Some(text)
        });
        described.collect()
    }
}

impl Beginning {
    fn read(bundle: &Path, name: &str) -> Option<Self> {
        let artifact = format!("artifacts/{name}");
        let file = regular_file::open_beneath(bundle, Path::new(&artifact)).ok()?;
        let bytes = file.metadata().ok()?.len();
        let mut start = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut start).ok()?;
        if start.is_empty() {
            return None;
        }
        let lines = start.split_inclusive(|byte| *byte == b'\n').take(LINES_MAX);
        let (mut excerpt, mut shown, mut has_cut_line) = (String::new(), 0, false);
        for line in lines {
            shown += line.len() as u64;
            let (text, is_cut) = excerpt::visible_line(line.strip_suffix(b"\n").unwrap_or(line));
            excerpt.push_str(&text);
            excerpt.push('\n');
            has_cut_line |= is_cut;
        }
        Some(Self { _trusted: false, artifact, bytes, excerpt, truncated: has_cut_line || shown < bytes })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn beginning(bytes: &[u8]) -> Option<Beginning> {
        let bundle = tempfile::tempdir().unwrap();
        fs::create_dir(bundle.path().join("artifacts")).unwrap();
        fs::write(bundle.path().join("artifacts/stdout.txt"), bytes).unwrap();
        Beginning::read(bundle.path(), "stdout.txt")
    }

    #[test]
    fn a_short_stream_is_shown_whole_and_a_long_one_says_that_there_is_more() {
        let short = beginning(b"one\n\x1b[31mtwo").unwrap();
        assert_eq!((short.excerpt.as_str(), short.truncated, short.bytes), ("one\n\u{241b}[31mtwo\n", false, 12));
        let many = beginning(&b"x\n".repeat(LINES_MAX + 1)).unwrap();
        assert_eq!((many.excerpt.lines().count(), many.truncated), (LINES_MAX, true));
        let wide = beginning(&vec![b'y'; 1 << 20]).unwrap();
        assert!(wide.truncated && wide.excerpt.len() < 3_000, "{}", wide.excerpt.len());
        assert!(beginning(b"").is_none());
    }
}
