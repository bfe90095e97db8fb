//! The front matter of a document: a YAML block between two lines of three dashes, read in a subset so small that every
//! YAML parser agrees on what it accepts.
//!
//! ```text
//! ---
//! request_id: "TR-20260209-160501Z-python-stats"     # a key, a colon, a space, a value, a comment
//! inputs:
//!   - name: data.csv                                 # block lists and maps
//! constraints: [offline, "two lines: at most"]       # flow lists and maps, on one line
//! ---
//! ```
//!
//! Keys are ASCII. A plain scalar is text, `true`, `false`, a decimal integer or a decimal number with a point; one that two YAML
//! readers could type differently (`yes`, `010`, `1_000`, `1:30`, `2026-02-09`) is refused and needs quotes. Also refused:
//! anchors, aliases, tags, merge keys, complex keys, tabs outside quotes, directives and further documents; in results, values of
//! several lines, which a request may have (see `several_lines.rs`). Keys have no meaning here.
//!
//! Security: reads hostile text that has passed [`crate::text::check`]; linear time, recursion bounded by [`DEPTH_MAX`],
//! at most [`FAULTS_MAX`] reasons. Standards: YAML 1.2.2 and YAML 1.1 where they agree.

mod block;
mod cursor;
mod flow;
mod scalar;
mod several_lines;

use crate::reason::{Code, Reason};

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A request, which any writer of YAML may have written.
    Request,
    /// A result, which has one line a value, and names every artifact.
    Result,
}

impl Kind {
    /// The most bytes between the two fences.
    pub const fn bytes_max(self) -> usize {
        match self {
            Self::Request => 16 * 1024,
            Self::Result => 512 * 1024,
        }
    }
}

/// The most levels of nesting; the entries of the document are the first.
pub const DEPTH_MAX: usize = 8;
/// The most faults that are listed; reading stops at the last.
pub const FAULTS_MAX: usize = 32;

/// The line that begins front matter, and the one that ends it.
pub const FENCE: &str = "---";

/// A value with the place of its first character (line and column in characters, from 1, in the whole document).
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Line of its first character.
    pub line: u32,
    /// Column of its first character.
    pub column: u32,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing after the colon.
    Null,
    /// A scalar; `text` is its decoded content.
    Scalar {
        /// Decoded content.
        text: String,
        /// The type of a plain scalar; a quoted one is always text.
        kind: ScalarKind,
    },
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the document, without duplicates.
    Map(Vec<Entry>),
}

impl Value {
    fn text(text: String) -> Self {
        Self::Scalar { text, kind: ScalarKind::Text }
    }
}

/// How a scalar is typed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScalarKind {
    /// Quoted, or plain without another type.
    Text,
    /// A plain decimal integer without leading zeros or plus.
    Integer(i64),
    /// A plain decimal number with a point.
    Float(f64),
    /// Plain `true` or `false`.
    Boolean(bool),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Line of the key.
    pub line: u32,
    /// Column of the key.
    pub column: u32,
    /// The value.
    pub node: Node,
}

/// A document taken apart.
#[derive(Debug, Clone, PartialEq)]
pub struct Document<'a> {
    /// The front matter's entries.
    pub entries: Vec<Entry>,
    /// All after the closing fence line.
    pub body: &'a str,
    /// The line on which the body begins, from 1.
    pub body_line: u32,
}

/// Takes a document apart. All faults found are reported, with their places; `file` names the document in them.
pub fn read<'a>(text: &'a str, file: &str, kind: Kind) -> Result<Document<'a>, Vec<Reason>> {
    match read_in_part(text, file, kind) {
        (Some(document), faults) if faults.is_empty() => Ok(document),
        (_, faults) => Err(faults),
    }
}

/// Like [`read`], but also returns the readable parts of a faulty document, so that a caller can add further faults and
/// report them all at once. A value that could not be read is the text on its line.
pub fn read_in_part<'a>(text: &'a str, file: &str, kind: Kind) -> (Option<Document<'a>>, Vec<Reason>) {
    let (document, faults) = match split(text, kind.bytes_max()) {
        Ok(Parts { front_matter, body, body_line }) => {
            let (entries, faults) = block::read(front_matter, kind);
            (Some(Document { entries, body, body_line }), faults)
        }
        Err(faults) => (None, faults),
    };
    (document, faults.into_iter().map(|fault| fault.in_file(file)).collect())
}

struct Parts<'a> {
    front_matter: &'a str,
    body: &'a str,
    body_line: u32,
}

fn split(text: &str, bytes_max: usize) -> Result<Parts<'_>, Vec<Reason>> {
    let fault = |code, line, message: &str, hint| Err(vec![Reason::new(code, message, hint).at(line, 1)]);
    let mut lines = text.split_inclusive('\n');
    if lines.next() != Some("---\n") {
        let hint = "Begin the file with a line of exactly three dashes.";
        return fault(Code::FrontMatterMissing, 1, "The document does not begin with front matter.", hint);
    }
    let start = FENCE.len() + 1;
    let mut end = start;
    for (line, number) in lines.zip(2..) {
        if line.strip_suffix('\n').unwrap_or(line) != FENCE {
            end += line.len();
        } else if end - start > bytes_max {
            let message = format!("The front matter has {} bytes, {bytes_max} are allowed.", end - start);
            return fault(Code::FrontMatterTooLarge, 2, &message, "Move long text into the body of the document.");
        } else {
            let body = &text[end + line.len()..];
            return Ok(Parts { front_matter: &text[start..end], body, body_line: number + 1 });
        }
    }
    let hint = "End it with a line of exactly three dashes.";
    fault(Code::FrontMatterUnclosed, 1, "The front matter has no end.", hint)
}
