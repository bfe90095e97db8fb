//! `builtin:json`: JSON unchanged, bounded in depth and number of values. A key twice in one object is refused, because readers
//! disagree which one counts. Numbers keep their digits. A byte order mark is skipped.
//!
//! Standards: RFC 8259, section 8.1 for the mark; RFC 7493 §2.3 (unique names).

use gatepost_documents::json;
use serde_json::Value;

use super::{BOM, DEPTH_MAX, ParseError, VALUES_MAX};

pub(super) fn parse(raw: &[u8]) -> Result<Value, ParseError> {
    parse_within(raw.strip_prefix(BOM).unwrap_or(raw), &mut { VALUES_MAX })
}

/// One whole document; its values are taken from those that are left.
pub(super) fn parse_within(raw: &[u8], values_left: &mut usize) -> Result<Value, ParseError> {
    json::read_within(raw, values_left, DEPTH_MAX).map_err(|error| {
        if json::is_too_complex(&error) {
            return ParseError::TooComplex;
        }
        let fault = match json::fault(&error) {
            json::MORE_TEXT => "more text follows the value (`builtin:jsonl` reads one object a line)",
            fault => fault,
        };
        ParseError::Malformed { format: "JSON", fault, line: error.line().max(1), column: error.column().max(1) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_comes_through_as_it_is() {
        let text = r#"{"b":[1,-2,-0,0.50,18446744073709551616,0.12345678901234567890,true,null,"é\u0000"],"a":{}}"#;
        for text in [text.to_owned(), format!("\u{feff}{text}")] {
            assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text.trim_start_matches('\u{feff}'));
        }
    }

    #[test]
    fn deep_and_wide_json_is_refused_before_it_costs_anything() {
        let nested = |levels: usize| [vec![b'['; levels], vec![b'1'], vec![b']'; levels]].concat();
        assert!(parse(&nested(DEPTH_MAX)).is_ok());
        assert_eq!(parse(&nested(DEPTH_MAX + 1)), Err(ParseError::TooComplex));
        assert_eq!(parse(&vec![b'['; 1_000_000]), Err(ParseError::TooComplex));
        assert_eq!(parse(format!("[{}0]", "0,".repeat(VALUES_MAX)).as_bytes()), Err(ParseError::TooComplex));
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (text, fault, line) in [
            ("", "it ends too early", 1),
            ("{\n\"a\": 1,\n\"a\": 2}", "a key occurs twice in one object", 3),
            ("{}\n{}", "more text follows the value (`builtin:jsonl` reads one object a line)", 2),
            ("NaN", "its syntax is broken", 1),
            ("[\n\"\\ud800\"]", "an escape is a lone surrogate", 2),
            ("\"\u{1}\"", "a string has a control character that is not escaped", 1),
        ] {
            match parse(text.as_bytes()) {
                Err(ParseError::Malformed { fault: found, line: place, .. }) => {
                    assert_eq!((found, place), (fault, line), "{text:?}");
                }
                other => panic!("{text:?}: {other:?}"),
            }
        }
        assert!(parse(b"\"\xff\"").is_err());
    }
}
