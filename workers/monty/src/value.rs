//! Values between JSON and a program.
//!
//! ```text
//! JSON     null   true    1     1.5     "x"   [1]             {"a": 1}
//! Python   None   True    1     1.5     'x'   [1], from (1,)  {'a': 1}
//! ```
//!
//! Nothing is converted to fit: a value without an equal in JSON (NaN, bytes, a set, a key that is not text, an integer beyond 64 bits,
//! a list in itself) is refused with its place, because readers could interpret a stand-in differently.
//! Standards: RFC 8259; RFC 7493 §2.2 (numbers).

use std::fmt;

use monty_types::MontyObject;
use serde_json::{Map, Number, Value};

/// A value within a program's value that JSON cannot hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unsuitable {
    /// Its place: `value[2]["a"]`, shortened.
    pub place: String,
    /// What it is.
    pub what: String,
}

impl fmt::Display for Unsuitable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, which JSON cannot represent", self.place, self.what)
    }
}

/// The interpreter's placeholder for a value below its recursion limit.
const TOO_DEEP: &str = "<deeply nested>";

/// Longest key that a place shows, in characters.
const KEY_SHOWN_CHARS: usize = 40;

/// One step from the whole value to a part of it.
enum Step<'a> {
    Index(usize),
    Key(&'a str),
}

/// The value as Python sees it.
pub(crate) fn from_json(value: &Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(boolean) => MontyObject::Bool(*boolean),
        Value::Number(number) => from_number(number),
        Value::String(text) => MontyObject::String(text.clone()),
        Value::Array(items) => MontyObject::List(items.iter().map(from_json).collect()),
        Value::Object(members) => {
            let pair = |(key, value): (&String, &Value)| (MontyObject::String(key.clone()), from_json(value));
            MontyObject::dict(members.iter().map(pair).collect::<Vec<_>>())
        }
    }
}

fn from_number(number: &Number) -> MontyObject {
    match (number.as_i64(), number.as_u64()) {
        (Some(integer), _) => MontyObject::Int(integer),
        (None, Some(integer)) => MontyObject::BigInt(integer.into()),
        (None, None) => MontyObject::Float(number.as_f64().unwrap_or(f64::NAN)),
    }
}

/// The value as JSON.
pub(crate) fn to_json(object: &MontyObject) -> Result<Value, Unsuitable> {
    convert(object, &mut Vec::new())
}

fn convert<'a>(object: &'a MontyObject, path: &mut Vec<Step<'a>>) -> Result<Value, Unsuitable> {
    let refuse = |path: &[Step<'_>], what: &str| Err(Unsuitable { place: place(path), what: what.to_owned() });
    Ok(match object {
        MontyObject::None => Value::Null,
        MontyObject::Bool(boolean) => Value::Bool(*boolean),
        MontyObject::Int(integer) => Value::Number((*integer).into()),
        MontyObject::BigInt(integer) => match u64::try_from(integer) {
            Ok(integer) => Value::Number(integer.into()),
            Err(_) => return refuse(path, &format!("an integer of {} bits", integer.bits())),
        },
        MontyObject::Float(float) => match Number::from_f64(*float) {
            Some(number) => Value::Number(number),
            None => return refuse(path, if float.is_nan() { "NaN" } else { "an infinite float" }),
        },
        MontyObject::String(text) => Value::String(text.clone()),
        MontyObject::List(items) | MontyObject::Tuple(items) => {
            let mut array = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                path.push(Step::Index(index));
                array.push(convert(item, path)?);
                path.pop();
            }
            Value::Array(array)
        }
        MontyObject::Dict(pairs) => {
            let mut members = Map::with_capacity(pairs.len());
            for (key, value) in pairs {
                let MontyObject::String(key) = key else {
                    return refuse(path, &format!("a dict with a key of the type {}", key.type_name()));
                };
                path.push(Step::Key(key));
                members.insert(key.clone(), convert(value, path)?);
                path.pop();
            }
            Value::Object(members)
        }
        MontyObject::Cycle(..) => return refuse(path, "a container that contains itself"),
        MontyObject::Repr(text) if text == TOO_DEEP => return refuse(path, "nested too deeply"),
        MontyObject::Repr(_) => return refuse(path, "an object"),
        other => return refuse(path, &format!("of the type {}", other.type_name())),
    })
}

/// The first steps of a path, and how many more there are.
fn place(path: &[Step<'_>]) -> String {
    const STEPS_SHOWN: usize = 8;
    let mut place = "value".to_owned();
    for step in path.iter().take(STEPS_SHOWN) {
        match step {
            Step::Index(index) => place.push_str(&format!("[{index}]")),
            Step::Key(key) => {
                let shown: String = key.chars().take(KEY_SHOWN_CHARS).collect();
                let rest = if shown.len() < key.len() { "…" } else { "" };
                place.push_str(&format!("[{shown:?}{rest}]"));
            }
        }
    }
    match path.len().saturating_sub(STEPS_SHOWN) {
        0 => place,
        more => format!("{place} and {more} levels deeper"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_json_holds_comes_back_as_it_was() {
        let all = json!({"a": [null, true, -1, 1.5, 18_446_744_073_709_551_615_u64, i64::MIN, "ü\u{202e}"], "": {}});
        assert_eq!(to_json(&from_json(&all)).unwrap(), all);
        let tuple = MontyObject::Tuple(vec![MontyObject::Int(1)]);
        assert_eq!(to_json(&tuple).unwrap(), json!([1]));
    }

    #[test]
    fn what_json_does_not_hold_is_refused_with_its_place() {
        let text = |text: &str| MontyObject::String(text.to_owned());
        for (object, expected) in [
            (MontyObject::Float(f64::NAN), "value is NaN, which JSON cannot represent"),
            (MontyObject::Float(f64::NEG_INFINITY), "value is an infinite float, which JSON cannot represent"),
            (MontyObject::Bytes(vec![1]), "value is of the type bytes, which JSON cannot represent"),
            (MontyObject::Set(vec![]), "value is of the type set, which JSON cannot represent"),
            (
                MontyObject::Cycle(0, "[...]".to_owned()),
                "value is a container that contains itself, which JSON cannot represent",
            ),
            (
                MontyObject::List(vec![MontyObject::dict(vec![(text("a\n"), MontyObject::Ellipsis)])]),
                "value[0][\"a\\n\"] is of the type ellipsis, which JSON cannot represent",
            ),
            (
                MontyObject::dict(vec![(MontyObject::Int(1), MontyObject::None)]),
                "value is a dict with a key of the type int, which JSON cannot represent",
            ),
        ] {
            assert_eq!(to_json(&object).unwrap_err().to_string(), expected);
        }
    }
}
