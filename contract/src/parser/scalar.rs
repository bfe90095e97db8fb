//! Values that a format writes as text, converted to the types of the output schema.
//!
//! Text that is not a value of its type stays text, and the schema refuses it.

use gatepost_documents::json;
use serde_json::Value;

/// The types that a schema names for a value.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// The text as a value of the first of these types that it is one of.
pub(super) fn typed(text: &str, types: &[impl AsRef<str>]) -> Value {
    let of = |name: &str| match name {
        "integer" => text.parse::<i64>().map(Value::from).ok().or_else(|| number(text).filter(|_| is_whole(text))),
        "number" => number(text),
        "boolean" => text.parse::<bool>().ok().map(Value::from),
        "null" => text.is_empty().then_some(Value::Null),
        _ => None,
    };
    types.iter().find_map(|name| of(name.as_ref())).unwrap_or_else(|| text.into())
}

/// A number as JSON spells one, with all of its digits.
fn number(text: &str) -> Option<Value> {
    json::read(text.as_bytes()).ok().filter(|value| value.is_number() && text.trim_ascii() == text)
}

fn is_whole(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_takes_the_first_type_that_it_fits_and_keeps_its_digits() {
        for (text, types, expected) in [
            ("30", &["integer"][..], "30"),
            ("-30", &["number"], "-30"),
            ("1.50", &["number"], "1.50"),
            ("123456789012345678901234567890", &["integer"], "123456789012345678901234567890"),
            ("0.12345678901234567890", &["number"], "0.12345678901234567890"),
            ("1e400", &["number"], "1e+400"),
            ("1e3", &["integer"], "\"1e3\""),
            ("1.0", &["integer"], "\"1.0\""),
            (" 1", &["number"], "\" 1\""),
            ("0x10", &["number", "integer"], "\"0x10\""),
            ("true", &["boolean"], "true"),
            ("True", &["boolean"], "\"True\""),
            ("", &["integer", "null"], "null"),
            ("", &["integer"], "\"\""),
            ("007", &["string"], "\"007\""),
        ] {
            assert_eq!(typed(text, types).to_string(), expected, "{text:?} as {types:?}");
        }
        assert_eq!(types(&json!({"type": ["string", "null"]})), ["string", "null"]);
        assert!(types(&json!({})).is_empty());
    }
}
