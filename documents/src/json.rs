//! JSON from a stranger, read strictly: no duplicate key at any level, bounded depth, a bounded number of values.
//!
//! Does not know what the value means. Bounding the number of values bounds the memory: a value takes far more than the
//! two bytes that it may have in the text.
//!
//! Security: hostile bytes. Standards: RFC 8259, and I-JSON (RFC 7493, §2.3) for duplicate keys.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The most values in a text, containers and their members counted alike.
pub const VALUES_MAX: usize = 200_000;

/// The most levels of nesting.
pub const DEPTH_MAX: usize = 64;

/// Begins the error of a text with too many values.
const TOO_MANY: &str = "too many values";

/// Begins the error of a text with too many levels.
const TOO_DEEP: &str = "nested too deep";

/// Reads one JSON text. An error carries its place.
pub fn read(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    read_within(bytes, &mut { VALUES_MAX }, DEPTH_MAX)
}

/// Reads one JSON text among others, which together have at most `values_left` values, each at most `depth_max` levels.
pub fn read_within(bytes: &[u8], values_left: &mut usize, depth_max: usize) -> Result<Value, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict { values_left, depth_left: depth_max }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Whether a text was refused for its values or levels alone.
pub fn is_too_complex(error: &serde_json::Error) -> bool {
    let text = error.to_string();
    text.starts_with(TOO_MANY) || text.starts_with(TOO_DEEP)
}

/// Reads one value within what is left.
struct Strict<'a> {
    values_left: &'a mut usize,
    depth_left: usize,
}

impl Strict<'_> {
    fn member<E: serde::de::Error>(&mut self) -> Result<Strict<'_>, E> {
        let depth_left = self.depth_left.checked_sub(1).ok_or_else(|| E::custom(TOO_DEEP))?;
        Ok(Strict { values_left: self.values_left, depth_left })
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        *self.values_left = self.values_left.checked_sub(1).ok_or_else(|| D::Error::custom(TOO_MANY))?;
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number out of range"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self.member()?)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut entries: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let value = entries.next_value_seed(self.member()?)?;
            if map.insert(key, value).is_some() {
                return Err(A::Error::custom("a key stands twice in one object"));
            }
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_readers_could_read_differently_is_refused() {
        let deep = format!("{}1{}", "[".repeat(DEPTH_MAX + 1), "]".repeat(DEPTH_MAX + 1));
        let many = format!("[{}0]", "0,".repeat(VALUES_MAX));
        for (text, error) in [
            (r#"{"a":1,"a":2}"#, "stands twice"),
            (r#"{"results":[{"b":{"c":1,"\u0063":1}}]}"#, "stands twice"),
            (&deep, "nested too deep"),
            (&many, "too many values"),
            ("{} {}", "trailing characters"),
            ("{\"a\":NaN}", "expected value"),
            ("[1,]", "trailing comma"),
            ("1e999", "out of range"),
            ("\u{feff}{}", "expected value"),
        ] {
            let message = read(text.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(error), "{message}");
        }
    }

    #[test]
    fn an_accepted_text_means_what_serde_json_reads() {
        let text = r#"{"b":[1,-2,3.5,true,null,"\ud83d\ude00"],"a":{"x":18446744073709551615}}"#;
        assert_eq!(read(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert!(read(format!("{}1{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX)).as_bytes()).is_ok());
    }
}
