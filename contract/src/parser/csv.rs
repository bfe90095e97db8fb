//! `builtin:csv`: a header row and records of the same length, as an array of objects.
//!
//! Values stay text, unless the output schema says that a column holds integers, numbers or booleans and the text is one. Other text
//! stays text, and the schema refuses it.
//!
//! Standards: RFC 4180; the delimiter is the comma, semicolon, tab or vertical bar that the header has most of.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::scalar::{typed, types};
use super::{ParseError, RAW_BYTES_MAX, VALUES_MAX, malformed};

/// Between fields: of those that a header has as many of, the first.
const DELIMITERS: [u8; 4] = *b",;\t|";

/// The types of the columns in the output schema.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns(BTreeMap<String, Vec<String>>);

impl Columns {
    /// Takes the types from `items.properties.NAME.type` of a schema.
    pub fn from_schema(schema: &Value) -> Self {
        let own = |column| types(column).into_iter().map(str::to_owned).collect();
        let columns = schema.pointer("/items/properties").and_then(Value::as_object);
        Self(columns.into_iter().flatten().map(|(name, column)| (name.clone(), own(column))).collect())
    }

    fn value(&self, column: &str, text: &str) -> Value {
        typed(text, self.0.get(column).map_or(&[], Vec::as_slice))
    }
}

/// The delimiter that the header has most of, outside quotation marks.
fn delimiter(text: &str) -> u8 {
    let (mut counts, mut is_quoted) = ([0_usize; DELIMITERS.len()], false);
    for byte in text.bytes() {
        match byte {
            b'"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            b'\n' | b'\r' => break,
            _ => {
                if let Some(place) = DELIMITERS.iter().position(|delimiter| *delimiter == byte) {
                    counts[place] += 1;
                }
            }
        }
    }
    let most = (1..DELIMITERS.len()).fold(0, |most, place| if counts[place] > counts[most] { place } else { most });
    DELIMITERS[most]
}

pub(super) fn parse(text: &str, columns: &Columns) -> Result<Value, ParseError> {
    let fault = |fault, at| Err(malformed("CSV", fault, text.as_bytes(), at));
    // In RFC 4180 quotation marks come in pairs; the reader would take an open one to the end of the output.
    if text.bytes().filter(|byte| *byte == b'"').count() % 2 == 1 {
        return fault("a quotation mark is not closed", text.len());
    }
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter(text)).from_reader(text.as_bytes());
    let Ok(header) = reader.headers().cloned() else { return fault("the header cannot be read", 0) };
    let names: BTreeSet<&str> = header.iter().collect();
    if header.is_empty() || names.contains("") || names.len() != header.len() {
        return fault("the header is missing, or a name in it is empty or occurs twice", 0);
    }
    let names_bytes: usize = header.iter().map(str::len).sum();
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    loop {
        let at = usize::try_from(reader.position().byte()).unwrap_or(text.len());
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => return Ok(Value::Array(rows)),
            Err(_) => return fault("a record does not have as many fields as the header", at),
        }
        let count = rows.len() + 1;
        if count.saturating_mul(header.len() + 1) > VALUES_MAX || count.saturating_mul(names_bytes) > RAW_BYTES_MAX {
            return Err(ParseError::TooComplex);
        }
        let row: Map<String, Value> =
            header.iter().zip(&record).map(|(name, text)| (name.to_owned(), columns.value(name, text))).collect();
        rows.push(Value::Object(row));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rows(text: &str) -> Result<Value, ParseError> {
        parse(text, &Columns::default())
    }

    #[test]
    fn quoting_is_that_of_the_standard() {
        let text = "name,note\r\nAlice,\"hello, world\"\r\nBob,\"he said \"\"hi\"\"\nand left\"\r\n";
        let expected =
            json!([{"name": "Alice", "note": "hello, world"}, {"name": "Bob", "note": "he said \"hi\"\nand left"}]);
        assert_eq!(rows(text).unwrap(), expected);
        assert_eq!(rows("a,b").unwrap(), json!([]));
    }

    #[test]
    fn the_delimiter_is_the_one_that_the_header_has_most_of() {
        for (text, expected) in [
            ("a\tb c\n1\t2,3\n", json!([{"a": "1", "b c": "2,3"}])),
            ("host;port\r\nlocalhost;80\r\n", json!([{"host": "localhost", "port": "80"}])),
            ("host;price,EUR;n\nx;1,5;2\n", json!([{"host": "x", "price,EUR": "1,5", "n": "2"}])),
            ("a,b;c,d\n1,2,3\n", json!([{"a": "1", "b;c": "2", "d": "3"}])),
            ("\"a;b;c\",d\n1,2\n", json!([{"a;b;c": "1", "d": "2"}])),
            ("a|b\n1|2\n", json!([{"a": "1", "b": "2"}])),
            ("a;b,c\n1;2,3\n", json!([{"a;b": "1;2", "c": "3"}])),
            ("only\n1;2\n", json!([{"only": "1;2"}])),
        ] {
            assert_eq!(rows(text).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn a_long_name_of_a_column_is_not_repeated_without_end() {
        let text = format!("{}\n{}", "n".repeat(RAW_BYTES_MAX / 1000), "1\n".repeat(1001));
        assert_eq!(rows(&text), Err(ParseError::TooComplex));
    }

    #[test]
    fn values_are_text_unless_the_schema_types_their_column() {
        let schema = json!({"type": "array", "items": {"properties": {
            "n": {"type": "integer"}, "x": {"type": "number"}, "ok": {"type": "boolean"}, "m": {"type": ["integer", "null"]},
        }}});
        let text = "n,x,ok,m,s\n30,0,true,,007\nmany,1x,yes,4,\n";
        let expected = json!([
            {"n": 30, "x": 0, "ok": true, "m": null, "s": "007"},
            {"n": "many", "x": "1x", "ok": "yes", "m": 4, "s": ""},
        ]);
        assert_eq!(parse(text, &Columns::from_schema(&schema)).unwrap(), expected);
    }

    #[test]
    fn what_is_no_table_is_refused_with_its_line() {
        for (text, line) in
            [("", 1), ("a,a\n1,2", 1), ("a,\n1,2", 1), ("a,b\n1,2\n3", 3), ("a,b\n1,2,3", 2), ("a\n\"b", 2)]
        {
            match rows(text) {
                Err(ParseError::Malformed { line: found, .. }) => assert_eq!(found, line, "{text:?}"),
                other => panic!("{text:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn endless_tables_are_refused_before_they_cost_anything() {
        let wide: Vec<String> = (0..VALUES_MAX).map(|index| index.to_string()).collect();
        assert_eq!(rows(&format!("{0}\n{0}", wide.join(","))), Err(ParseError::TooComplex));
        assert_eq!(rows(&format!("a\n{}", "1\n".repeat(VALUES_MAX))), Err(ParseError::TooComplex));
    }
}
