//! JSON from a stranger, read strictly: no duplicate key at any level, bounded depth, a bounded number of values.
//!
//! Does not interpret the value. Numbers keep their digits. The limit on values limits the memory: a value takes far
//! more than the two bytes that it may have in the text.
//!
//! Security: hostile bytes. Standards: RFC 8259 (section 6 for numbers, section 8.2 for surrogates), and I-JSON (RFC 7493, §2.3) for
//! duplicate keys.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The maximum number of values in a text, including containers and their members.
pub const VALUES_MAX: usize = 200_000;

/// The most levels of nesting.
pub const DEPTH_MAX: usize = 64;

/// The most characters of one number.
pub const NUMBER_LENGTH_MAX: usize = 1_000;

/// Begins the error of a text with too many values.
const TOO_MANY: &str = "too many values";

/// Begins the error of a text with too many levels.
const TOO_DEEP: &str = "nested too deep";

/// Begins the error of a text in which an object has two members of one name.
const TWICE: &str = "a key stands twice in one object";

/// Begins the error of a text with a number that is too long.
const TOO_LONG: &str = "a number is too long";

/// The key under which `serde_json` hands over the text of a number that is neither `i64` nor `u64`.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// Begins the error of an object that has this key itself.
const RESERVED: &str = "a key is reserved";

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

/// The message of [`fault`] for a text with more than one value.
pub const MORE_TEXT: &str = "more text follows the value";

/// The fault of a text that is no JSON, in a few words that quote nothing of it.
pub fn fault(error: &serde_json::Error) -> &'static str {
    const FAULTS: [(&str, &str); 9] = [
        (TWICE, "a key occurs twice in one object"),
        (TOO_LONG, "a number has more than 1000 characters"),
        (RESERVED, "the key $serde_json::private::Number is reserved"),
        ("EOF while parsing", "it ends too early"),
        ("trailing characters", MORE_TEXT),
        ("lone leading surrogate", "an escape is a lone surrogate"),
        ("unexpected end of hex escape", "an escape is a lone surrogate"),
        ("control character", "a string has a control character that is not escaped"),
        ("invalid unicode code point", "a string is not valid UTF-8"),
    ];
    let text = error.to_string();
    FAULTS.iter().find(|(begin, _)| text.starts_with(begin)).map_or("its syntax is broken", |(_, fault)| fault)
}

/// Reads one value within the remaining budget.
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
            if let Some(number) = number_in(&key, &mut entries)? {
                return Ok(Value::Number(number));
            }
            let value = entries.next_value_seed(self.member()?)?;
            if map.insert(key, value).is_some() {
                return Err(A::Error::custom(TWICE));
            }
        }
        Ok(Value::Object(map))
    }
}

/// The number that `serde_json` hands over as a map with the one entry `key`; `None` if that is the key of an object. For visitors that
/// read JSON by themselves.
pub fn number_in<'de, A: MapAccess<'de>>(key: &str, entries: &mut A) -> Result<Option<Number>, A::Error> {
    if key == NUMBER_KEY { entries.next_value_seed(NumberText).map(Some) } else { Ok(None) }
}

/// Takes the text of a number. `serde_json` passes it as an owned string, and a string of the text itself never so.
struct NumberText;

impl<'de> DeserializeSeed<'de> for NumberText {
    type Value = Number;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Number, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for NumberText {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<Number, E> {
        Err(E::custom(RESERVED))
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Number, E> {
        if text.len() > NUMBER_LENGTH_MAX {
            return Err(E::custom(TOO_LONG));
        }
        text.parse().map_err(E::custom)
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
            (&"9".repeat(NUMBER_LENGTH_MAX + 1), "too long"),
            (r#"{"$serde_json::private::Number":"1"}"#, "reserved"),
            (r#"{"a":{"\u0024serde_json::private::Number":"1"}}"#, "reserved"),
            (r#"{"a":1,"$serde_json::private::Number":1}"#, "expected a number"),
            ("\u{feff}{}", "expected value"),
        ] {
            let message = read(text.as_bytes()).unwrap_err().to_string();
            assert!(message.contains(error), "{message}");
        }
    }

    #[test]
    fn a_number_keeps_its_digits() {
        let long = "9".repeat(NUMBER_LENGTH_MAX);
        for number in [
            "123456789012345678901234567890",
            "-123456789012345678901234567890",
            "18446744073709551616",
            "0.1234567890123456789012345678901234567890",
            "9007199254740993.0",
            "2.50",
            "-0",
            "-0.0",
            "1e+400",
            "1e-400",
            &long,
        ] {
            let text = format!("{{\"a\":[{number}]}}");
            assert_eq!(read(text.as_bytes()).unwrap().to_string(), text);
        }
        assert_eq!(read(b"[1e400,1E-5]").unwrap().to_string(), "[1e+400,1e-5]");
    }

    #[test]
    fn a_fault_is_named_without_a_word_of_the_text() {
        for (text, expected) in [
            (r#"{"a":1,"a":2}"#, "a key occurs twice in one object"),
            (r#""\ud800""#, "an escape is a lone surrogate"),
            (r#""\ud800\u0041""#, "an escape is a lone surrogate"),
            (r#""\udc00""#, "an escape is a lone surrogate"),
            ("[1", "it ends too early"),
            ("{}\n{}", "more text follows the value"),
            ("\"\u{1}\"", "a string has a control character that is not escaped"),
            ("NaN", "its syntax is broken"),
        ] {
            assert_eq!(fault(&read(text.as_bytes()).unwrap_err()), expected, "{text}");
        }
        assert_eq!(fault(&read(b"\"\xff\"").unwrap_err()), "a string is not valid UTF-8");
    }

    #[test]
    fn an_accepted_text_means_what_serde_json_reads() {
        let text = r#"{"b":[1,-2,3.5,true,null,"\ud83d\ude00"],"a":{"x":18446744073709551615}}"#;
        assert_eq!(read(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        assert!(read(format!("{}1{}", "[".repeat(DEPTH_MAX), "]".repeat(DEPTH_MAX)).as_bytes()).is_ok());
    }
}
