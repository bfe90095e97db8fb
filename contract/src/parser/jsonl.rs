//! `builtin:jsonl`: one JSON object a line; empty lines are skipped, and so is a byte order mark before the first.

use serde_json::Value;

use super::json::parse_within;
use super::{BOM, ParseError, VALUES_MAX};

pub(super) fn parse(raw: &[u8]) -> Result<Value, ParseError> {
    let raw = raw.strip_prefix(BOM).unwrap_or(raw);
    let mut values_left = VALUES_MAX;
    let mut objects = Vec::new();
    for (index, line) in raw.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match parse_within(line, &mut values_left) {
            Ok(object @ Value::Object(_)) => objects.push(object),
            Ok(_) => {
                let fault = "a line is not a JSON object";
                return Err(ParseError::Malformed { format: "JSON Lines", fault, line: index + 1, column: 1 });
            }
            Err(ParseError::Malformed { fault, column, .. }) => {
                return Err(ParseError::Malformed { format: "JSON Lines", fault, line: index + 1, column });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Value::Array(objects))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_line_is_one_object() {
        assert_eq!(parse(b"{\"a\":1}\r\n\n{\"a\":2}").unwrap(), json!([{"a": 1}, {"a": 2}]));
        assert_eq!(
            parse("\u{feff}{\"n\":12345678901234567890123}".as_bytes()).unwrap()[0]["n"].to_string(),
            "12345678901234567890123"
        );
    }

    #[test]
    fn a_broken_line_is_named() {
        for text in ["{}\n{\"a\":", "{}\n[]", "{}\n1"] {
            assert!(matches!(parse(text.as_bytes()), Err(ParseError::Malformed { line: 2, .. })), "{text:?}");
        }
    }

    #[test]
    fn many_small_lines_share_one_budget() {
        assert_eq!(parse("{\"a\":1}\n".repeat(200_000).as_bytes()), Err(ParseError::TooComplex));
    }
}
