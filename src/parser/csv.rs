//! `builtin:csv`: a header row and records of the same length, as an array of objects.
//!
//! Values stay text, unless the output schema says that a column holds integers, numbers or booleans and the text is one;
//! a text that is none stays a text, for the schema to refuse.
//!
//! Standards: RFC 4180, and its tab-separated sister when the header has tabs and no comma.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{ParseError, RAW_BYTES_MAX, VALUES_MAX, malformed};

/// What the output schema says about columns: the types of each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns(BTreeMap<String, Vec<String>>);

impl Columns {
    /// Takes the types from `items.properties.NAME.type` of a schema.
    pub fn from_schema(schema: &Value) -> Self {
        let types = |column: &Value| match column.get("type") {
            Some(Value::String(name)) => vec![name.clone()],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let columns = schema.pointer("/items/properties").and_then(Value::as_object);
        Self(columns.into_iter().flatten().map(|(name, column)| (name.clone(), types(column))).collect())
    }

    fn value(&self, column: &str, text: &str) -> Value {
        let typed = |name: &String| match name.as_str() {
            "integer" => text.parse::<i64>().ok().map(Value::from),
            "number" => serde_json::from_str::<serde_json::Number>(text).ok().map(Value::from),
            "boolean" => text.parse::<bool>().ok().map(Value::from),
            "null" => text.is_empty().then_some(Value::Null),
            _ => None,
        };
        self.0.get(column).into_iter().flatten().find_map(typed).unwrap_or_else(|| text.into())
    }
}

/// A comma; a tab where the header has tabs and no comma, as many programs print tables.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    if header.contains('\t') && !header.contains(',') { b'\t' } else { b',' }
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
        assert_eq!(rows("a\tb c\n1\t2,3\n").unwrap(), json!([{"a": "1", "b c": "2,3"}]));
    }

    #[test]
    fn values_are_text_unless_the_schema_types_their_column() {
        let schema = json!({"type": "array", "items": {"properties": {
            "n": {"type": "integer"}, "x": {"type": "number"}, "ok": {"type": "boolean"}, "m": {"type": ["integer", "null"]},
        }}});
        let text = "n,x,ok,m,s\n30,1.50,true,,007\nmany,1e400,yes,4,\n";
        let expected = json!([
            {"n": 30, "x": 1.5, "ok": true, "m": null, "s": "007"},
            {"n": "many", "x": "1e400", "ok": "yes", "m": 4, "s": ""},
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
