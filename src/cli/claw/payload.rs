//! The payload of a call: a JSON object of arguments, or `name=value` words. Pure.
//!
//! ```text
//! {"file": "report.txt", "unique": true}        file=report.txt unique=true title='Two words'
//! ```
//!
//! Both become `NAME=VALUE`, whose meaning the types of the manifest define.

use crate::cli::prelude::*;
use gatepost_documents::json;
use serde_json::Value;

const HINT: &str = "Write a JSON object, as in '{\"name\": \"value\"}', or words, as in name=value.";

/// The arguments of a payload, `NAME=VALUE` each; none if it is empty.
pub(super) fn arguments(payload: &str) -> Result<Vec<String>, Failure> {
    if payload.trim_start().starts_with(['{', '[', '"']) { of_json(payload) } else { of_words(payload) }
}

/// The `name=value` words of a text; other words are ignored.
pub(super) fn named_values(text: &str) -> Vec<String> {
    let words = shlex::split(text).unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect());
    words.into_iter().filter(|word| is_named_value(word)).collect()
}

fn of_json(payload: &str) -> Result<Vec<String>, Failure> {
    let value = json::read(payload.as_bytes()).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = format!("The payload is not valid JSON: error at line {line}, column {column}.");
        Failure { code: ErrorCode::InvalidJson, kind: FailureKind::Parse, ..failure(message) }
    })?;
    let Value::Object(members) = value else {
        return Err(Failure {
            kind: FailureKind::Parse,
            ..failure("The payload is JSON, but not an object.".to_owned())
        });
    };
    let argument = |(name, value): (String, Value)| match value {
        Value::String(text) => Ok(format!("{name}={text}")),
        Value::Number(_) | Value::Bool(_) => Ok(format!("{name}={value}")),
        Value::Null | Value::Array(_) | Value::Object(_) => {
            let message = format!("The argument {} of the payload is not a string, number or boolean.", quoted(&name));
            Err(failure(message))
        }
    };
    members.into_iter().map(argument).collect()
}

fn of_words(payload: &str) -> Result<Vec<String>, Failure> {
    let Some(words) = shlex::split(payload) else {
        return Err(failure("The payload has an unclosed quotation mark.".to_owned()));
    };
    match words.iter().find(|word| !is_named_value(word)) {
        Some(word) => Err(failure(format!("{} in the payload is not name=value.", quoted(word)))),
        None => Ok(words),
    }
}

fn is_named_value(word: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

fn failure(message: String) -> Failure {
    Failure::usage(message, HINT).during("parse_payload", "PAYLOAD")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_give_the_same_arguments() {
        for payload in
            ["file=a.txt unique=true title='Two words'", r#"{"file":"a.txt","unique":true,"title":"Two words"}"#]
        {
            let mut arguments = arguments(payload).unwrap();
            arguments.sort();
            assert_eq!(arguments, ["file=a.txt", "title=Two words", "unique=true"], "{payload}");
        }
        assert_eq!(arguments(" ").unwrap(), [""; 0]);
        assert_eq!(arguments(r#"{"text":"a=b\n\"c"}"#).unwrap(), ["text=a=b\n\"c"]);
    }

    #[test]
    fn what_is_neither_form_is_refused_with_its_place() {
        for (payload, code, message) in [
            ("{\"a\": 1,}", ErrorCode::InvalidJson, "line 1, column 9"),
            ("[1]", ErrorCode::ArgError, "not an object"),
            ("{\"a\": [1]}", ErrorCode::ArgError, "argument \"a\""),
            ("{\"a\": null}", ErrorCode::ArgError, "argument \"a\""),
            ("words alone", ErrorCode::ArgError, "\"words\""),
            ("=value", ErrorCode::ArgError, "\"=value\""),
            ("a='b", ErrorCode::ArgError, "unclosed"),
        ] {
            let failure = arguments(payload).unwrap_err();
            assert!(failure.code == code && failure.message.contains(message), "{payload}: {}", failure.message);
        }
    }

    #[test]
    fn named_values_are_found_among_other_words() {
        assert_eq!(named_values("sort the lines, file=a.txt order=desc it's"), ["file=a.txt", "order=desc"]);
        assert_eq!(named_values("say text='two words'"), ["text=two words"]);
    }
}
