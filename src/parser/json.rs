//! `builtin:json`: JSON as it is, bounded in depth and number of values; a key twice in one object is refused, because readers
//! disagree which one counts.
//!
//! Standards: RFC 8259; RFC 7493 §2.3 (unique names).

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{DEPTH_MAX, ParseError, VALUES_MAX};

/// Marks the error of our own bounds among those of the JSON reader.
const TOO_COMPLEX: &str = "too many values or levels";

/// The values that may still come.
pub(super) struct Budget(Cell<usize>);

impl Budget {
    pub(super) fn new() -> Self {
        Self(Cell::new(VALUES_MAX))
    }

    /// Takes one value; false when none is left.
    pub(super) fn take(&self) -> bool {
        let left = self.0.get();
        self.0.set(left.saturating_sub(1));
        left > 0
    }
}

pub(super) fn parse(raw: &[u8]) -> Result<Value, ParseError> {
    parse_within(raw, &Budget::new())
}

/// One whole document, its values taken from a budget.
pub(super) fn parse_within(raw: &[u8], budget: &Budget) -> Result<Value, ParseError> {
    let mut reader = serde_json::Deserializer::from_slice(raw);
    let value = Bounded { budget, depth: DEPTH_MAX }.deserialize(&mut reader);
    value.and_then(|value| reader.end().map(|()| value)).map_err(|error| {
        if error.to_string().starts_with(TOO_COMPLEX) {
            return ParseError::TooComplex;
        }
        let fault = match error.classify() {
            serde_json::error::Category::Eof => "it ends too early",
            serde_json::error::Category::Data => "a key stands twice in one object",
            _ => "its syntax is broken",
        };
        ParseError::Malformed { format: "JSON", fault, line: error.line().max(1), column: error.column().max(1) }
    })
}

#[derive(Clone, Copy)]
struct Bounded<'b> {
    budget: &'b Budget,
    depth: usize,
}

impl Bounded<'_> {
    fn below<E: Error>(self) -> Result<Self, E> {
        let depth = self.depth.checked_sub(1).ok_or_else(|| E::custom(TOO_COMPLEX))?;
        Ok(Self { depth, ..self })
    }
}

impl<'de> DeserializeSeed<'de> for Bounded<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        if !self.budget.take() {
            return Err(D::Error::custom(TOO_COMPLEX));
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Bounded<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let below = self.below()?;
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(below)? {
            array.push(item);
        }
        Ok(Value::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let below = self.below()?;
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if object.insert(key, members.next_value_seed(below)?).is_some() {
                return Err(A::Error::custom("duplicate key"));
            }
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_comes_through_as_it_is() {
        let text = r#"{"b": [1, -2, 0.5, 1e3, 18446744073709551615, true, null, "é\u0000"], "a": {}}"#;
        assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
    }

    #[test]
    fn deep_and_wide_json_is_refused_before_it_costs_anything() {
        let nested = |levels: usize| [vec![b'['; levels], vec![b']'; levels]].concat();
        assert!(parse(&nested(DEPTH_MAX)).is_ok());
        assert_eq!(parse(&nested(DEPTH_MAX + 1)), Err(ParseError::TooComplex));
        assert_eq!(parse(&vec![b'['; 1_000_000]), Err(ParseError::TooComplex));
        assert_eq!(parse(format!("[{}0]", "0,".repeat(VALUES_MAX)).as_bytes()), Err(ParseError::TooComplex));
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (text, fault, line) in [
            ("", "it ends too early", 1),
            ("{\n\"a\": 1,\n\"a\": 2}", "a key stands twice in one object", 3),
            ("{}\n{}", "its syntax is broken", 2),
            ("NaN", "its syntax is broken", 1),
            ("1e999", "its syntax is broken", 1),
            ("\"\u{1}\"", "its syntax is broken", 1),
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
