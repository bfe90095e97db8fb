//! From a tool's raw output to results: the five built-in parsers.
//!
//! Runs no script, and does not check results against their schema. The digest of the output is over the raw bytes, and made elsewhere.
//!
//! Security: the bytes are hostile. Every parser is bounded in bytes, depth and number of values, takes linear time, and
//! answers with an error where it cannot read; none guesses, and none fetches anything.
//! Standards: ToolClad, Output Parsers.

mod csv;
mod encoding;
mod json;
mod jsonl;
mod scalar;
mod shape;
mod text;
mod xml;

use gatepost_documents::json as json_bounds;
use serde_json::Value;

pub use csv::Columns;

/// Raw bytes that become results, at most.
pub const RAW_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The maximum depth of nesting: evidence, which contains the results, has a few more levels.
pub const DEPTH_MAX: usize = json_bounds::DEPTH_MAX - 4;
/// Values in the results, at most: evidence has a few more.
pub const VALUES_MAX: usize = json_bounds::VALUES_MAX - 10_000;

/// UTF-8's byte order mark.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// A built-in parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Builtin {
    /// JSON, as it is.
    Json,
    /// XML: attributes as `@name`, text as `#text`, repeated elements as an array.
    Xml,
    /// CSV with a header row: an array of objects.
    Csv,
    /// One JSON object a line: an array.
    Jsonl,
    /// Anything: `{"raw_output": "…"}`.
    Text,
}

/// Why raw output has no results. Lines and columns from 1; nothing of the output is quoted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// Larger than results may be.
    #[error("the output has {bytes} bytes, but at most {RAW_BYTES_MAX} can be parsed")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// Too many values or levels, or names of columns that repeated in each row are too much.
    #[error(
        "the output has more than {VALUES_MAX} values, {DEPTH_MAX} levels or {RAW_BYTES_MAX} bytes of column names in its rows"
    )]
    TooComplex,
    /// Not text.
    #[error("the output is not valid UTF-8 at byte {at}")]
    NotUtf8 {
        /// Offset of the first bad byte, from 0.
        at: usize,
    },
    /// Not the format.
    #[error("the output is not {format}: {fault} at line {line}, column {column}")]
    Malformed {
        /// `JSON`, `XML`, …
        format: &'static str,
        /// The fault.
        fault: &'static str,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
    },
}

impl Builtin {
    /// Every parser and its name: `[output] format`, and the part after `builtin:`.
    pub const FORMATS: [(&'static str, Self); 5] =
        [("json", Self::Json), ("xml", Self::Xml), ("csv", Self::Csv), ("jsonl", Self::Jsonl), ("text", Self::Text)];

    /// Whether the raw output is empty: only white space, or a byte order mark. Text is always a value.
    pub fn is_empty(self, raw: &[u8]) -> bool {
        self != Self::Text && raw.strip_prefix(BOM).unwrap_or(raw).trim_ascii().is_empty()
    }

    /// Parses raw output; `schema` is the output schema, from which CSV and XML take the types of their values.
    pub fn parse(self, raw: &[u8], schema: &Value) -> Result<Value, ParseError> {
        if raw.len() > RAW_BYTES_MAX {
            return Err(ParseError::TooLarge { bytes: raw.len() });
        }
        match self {
            Self::Json => json::parse(raw),
            Self::Xml => xml::parse(raw, schema),
            Self::Csv => csv::parse(utf8(raw)?, &Columns::from_schema(schema)),
            Self::Jsonl => jsonl::parse(raw),
            Self::Text => Ok(text::parse(raw)),
        }
    }
}

/// The text without its byte order mark.
fn utf8(raw: &[u8]) -> Result<&str, ParseError> {
    let raw = raw.strip_prefix(BOM).unwrap_or(raw);
    std::str::from_utf8(raw).map_err(|error| ParseError::NotUtf8 { at: error.valid_up_to() })
}

/// A fault at a byte offset of a text.
fn malformed(format: &'static str, fault: &'static str, text: &[u8], at: usize) -> ParseError {
    let before = text.get(..at).unwrap_or(text);
    let line = before.split(|byte| *byte == b'\n').count();
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
    ParseError::Malformed { format, fault, line, column }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_parser_refuses_what_is_too_large() {
        let raw = vec![b' '; RAW_BYTES_MAX + 1];
        for (_, parser) in Builtin::FORMATS {
            assert_eq!(parser.parse(&raw, &Value::Null), Err(ParseError::TooLarge { bytes: raw.len() }));
        }
    }

    #[test]
    fn a_parser_of_values_finds_nothing_in_white_space() {
        for (_, parser) in Builtin::FORMATS {
            for raw in ["", "\n", " \t\r\n", "\u{feff}"] {
                assert_eq!(parser.is_empty(raw.as_bytes()), parser != Builtin::Text, "{parser:?}: {raw:?}");
            }
            assert!(!parser.is_empty(b"0"));
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_a_parser_panic(raw in proptest::collection::vec(any::<u8>(), 0..200)) {
            for (_, parser) in Builtin::FORMATS {
                let _ = parser.parse(&raw, &Value::Null);
            }
        }

        #[test]
        fn no_text_of_the_formats_own_characters_makes_a_parser_panic(raw in "[<>/a\"'=!&;#x?\\[\\]{},:\n\r -]{0,60}") {
            for (_, parser) in Builtin::FORMATS {
                let _ = parser.parse(raw.as_bytes(), &Value::Null);
            }
        }
    }
}
