//! JSON as strict as the front matter: no duplicate keys, bounded depth, the same byte rules inside its strings; and the JSON form of a
//! request, with the same entries as front matter.
//!
//! Standards: RFC 8259, without duplicate names; a number is an `i64`, or an `f64` that keeps its digits.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use gatepost_documents::decimal;
use gatepost_documents::front_matter::{DEPTH_MAX, Entry, Node, ScalarKind, Value};
use gatepost_documents::json::number_in;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::{self, quoted};
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// Reads a JSON object as entries. They have no place (line 0): `serde_json` knows places of syntax errors only.
pub(super) fn read_entries(source: &str) -> Result<Vec<Entry>, Box<Reason>> {
    if let Value::Map(entries) = read(source)?.value {
        return Ok(entries);
    }
    let message = "The document is not a JSON object.";
    Err(Box::new(Reason::new(Code::JsonInvalid, message, "Write {\"key\": value}.").at(1, 1)))
}

fn read(source: &str) -> Result<Node, Box<Reason>> {
    let fault = RefCell::new(None);
    let mut deserializer = serde_json::Deserializer::from_str(source);
    let value = Seed { depth: 0, fault: &fault }
        .deserialize(&mut deserializer)
        .and_then(|node| deserializer.end().map(|()| node));
    value.map_err(|error| {
        let reason = fault.take().unwrap_or_else(|| {
            Reason::new(Code::JsonInvalid, "The document is not valid JSON here.", "Check quotes, commas and brackets.")
        });
        let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
        Box::new(reason.at(line.max(1), column(source, &error)))
    })
}

/// The column in characters; `serde_json` counts bytes.
fn column(source: &str, error: &serde_json::Error) -> u32 {
    let line = source.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
    let before = line.char_indices().take_while(|(index, _)| *index < error.column()).count();
    u32::try_from(before).unwrap_or(u32::MAX).max(1)
}

/// Reads one value; the first fault that is not one of syntax is left in `fault`.
#[derive(Clone, Copy)]
struct Seed<'a> {
    depth: usize,
    fault: &'a RefCell<Option<Reason>>,
}

impl Seed<'_> {
    fn refuse<E: serde::de::Error>(&self, code: Code, message: String, hint: &str) -> E {
        self.fault.replace(Some(Reason::new(code, message, hint)));
        E::custom("refused")
    }

    fn deeper<E: serde::de::Error>(self) -> Result<Self, E> {
        if self.depth == DEPTH_MAX {
            let message = format!("Values are nested deeper than {DEPTH_MAX} levels.");
            return Err(self.refuse(Code::FrontMatterTooLarge, message, "Use fewer levels."));
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }

    /// A number that is no `i64`.
    fn number<E: serde::de::Error>(&self, text: &str) -> Result<Node, E> {
        let is_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') && text != "-0";
        let Some(value) = decimal::exact(text).filter(|_| !is_whole) else {
            let message = format!("The number {} has more digits than a number of a request can keep.", quoted(text));
            return Err(self.refuse(Code::ValueInvalid, message, "Write it as text, in quotation marks."));
        };
        Ok(node(Value::Scalar { text: value.to_string(), kind: ScalarKind::Float(value) }))
    }

    fn check<E: serde::de::Error>(&self, content: &str) -> Result<(), E> {
        match text::fault(content) {
            None => Ok(()),
            Some((_, code)) => {
                let message = format!("The text {} contains a character that is not allowed.", quoted(content));
                Err(self.refuse(code, message, "Remove the character."))
            }
        }
    }
}

fn node(value: Value) -> Node {
    Node { value, line: 0, column: 0 }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(node(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(node(Value::Scalar { text: value.to_string(), kind: ScalarKind::Boolean(value) }))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(node(Value::Scalar { text: value.to_string(), kind: ScalarKind::Integer(value) }))
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Node, E> {
        i64::try_from(value).map_or_else(|_| self.number(&value.to_string()), |signed| self.visit_i64(signed))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Node, E> {
        self.check(value)?;
        Ok(node(Value::Scalar { text: value.to_owned(), kind: ScalarKind::Text }))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let inner = self.deeper()?;
        let mut nodes = Vec::new();
        while let Some(item) = items.next_element_seed(inner)? {
            nodes.push(item);
        }
        Ok(node(Value::List(nodes)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let inner = self.deeper()?;
        let mut entries = Vec::new();
        let mut seen = HashSet::new();
        while let Some(key) = map.next_key::<String>()? {
            if let Some(number) = number_in(&key, &mut map)? {
                return self.number(number.as_str());
            }
            self.check(&key)?;
            if !seen.insert(key.clone()) {
                let message = format!("The key {} occurs twice in one object.", quoted(&key));
                return Err(self.refuse(Code::YamlDuplicateKey, message, "Keep one of them."));
            }
            entries.push(Entry { key, line: 0, column: 0, node: map.next_value_seed(inner)? });
        }
        Ok(node(Value::Map(entries)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_that_hides_something_is_refused_by_its_code_and_place() {
        for (source, code, place) in [
            ("{\"a\": 1,\n \"a\": 2}", Code::YamlDuplicateKey, (2, 4)),
            ("{\"m\": {\"a\": 1, \"\\u0061\": 2}}", Code::YamlDuplicateKey, (1, 23)),
            ("{\"a\": \"\\u0000\"}", Code::ControlCharacter, (1, 14)),
            ("{\"a\": \"\\u202e\"}", Code::BidiControl, (1, 14)),
            ("{\"a\": 18446744073709551615}", Code::ValueInvalid, (1, 26)),
            ("[1]", Code::JsonInvalid, (1, 1)),
            ("{\"\u{e9}\": }", Code::JsonInvalid, (1, 7)),
            ("{} {}", Code::JsonInvalid, (1, 4)),
            ("{\"a\": 1e999}", Code::ValueInvalid, (1, 11)),
            ("{\"a\": 0.12345678901234567890}", Code::ValueInvalid, (1, 28)),
            ("{\"a\": -9223372036854775809}", Code::ValueInvalid, (1, 26)),
            ("{\"a\": 123456789012345678901234567890}", Code::ValueInvalid, (1, 36)),
        ] {
            let reason = read_entries(source).unwrap_err();
            assert_eq!((reason.code, (reason.line.unwrap(), reason.column.unwrap())), (code, place), "{source}");
        }
        let deep = format!("{{\"a\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(read_entries(&deep).unwrap_err().code, Code::FrontMatterTooLarge);
    }
}
