//! The value of one argument as a request gives it: text, an integer, a number or a boolean, nothing else.
//!
//! A manifest's type decides whether it accepts the value.

use std::fmt;

/// One argument's value.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum ArgumentValue {
    /// Text, which may be empty and may contain tabs and newlines.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A finite number.
    Float(f64),
    /// `true` or `false`.
    Boolean(bool),
}

impl ArgumentValue {
    /// The same value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Text(text) => text.as_str().into(),
            Self::Integer(number) => (*number).into(),
            Self::Float(number) => (*number).into(),
            Self::Boolean(boolean) => (*boolean).into(),
        }
    }
}

/// The value as a tool gets it; a number never has an exponent, and no fraction that is zero.
impl fmt::Display for ArgumentValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number}"),
            Self::Boolean(boolean) => write!(f, "{boolean}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_printed_canonically() {
        for (value, text, json) in [
            (ArgumentValue::Text("a b".into()), "a b", "\"a b\""),
            (ArgumentValue::Integer(-3), "-3", "-3"),
            (ArgumentValue::Float(2.0), "2", "2.0"),
            (ArgumentValue::Float(1e-7), "0.0000001", "1e-7"),
            (ArgumentValue::Boolean(true), "true", "true"),
        ] {
            assert_eq!(value.to_string(), text);
            assert_eq!(value.to_json().to_string(), json);
            assert_eq!(serde_json::to_string(&value).unwrap(), json);
        }
    }
}
