//! The front matter of a document: a YAML block between two lines of three dashes, read in a subset so small that every
//! YAML parser agrees on what it accepts.
//!
//! Standards: YAML 1.2.2 and 1.1 where they agree; contracts of the request and the result (`schemas/*.schema.md`).

use crate::reason::Reason;

/// The most bytes between the two fences.
pub const FRONT_MATTER_BYTES_MAX: usize = 16 * 1024;
/// The most levels of nesting.
pub const DEPTH_MAX: usize = 8;

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

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing after the colon.
    Null,
    /// A scalar; `text` is its decoded content.
    Scalar {
        /// Decoded content.
        text: String,
        /// What a plain scalar means; a quoted one is always text.
        kind: ScalarKind,
    },
    /// A list.
    List(Vec<Node>),
    /// A map, in the order of the document, without duplicates.
    Map(Vec<Entry>),
}

/// How a scalar is typed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScalarKind {
    /// Quoted, or plain and nothing else.
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
pub fn read<'a>(_text: &'a str, _file: &str) -> Result<Document<'a>, Vec<Reason>> {
    Err(Vec::new())
}
