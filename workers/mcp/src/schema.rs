//! The schemas by which a server describes its tool: of the arguments, in one spelling with its digest, and whether the arguments of a
//! call satisfy it; and of the result, and whether the result satisfies it.
//!
//! A keyword that is null is read as absent, because servers in some languages cannot omit a keyword.
//!
//! *Security*: the schema is the server's. References to anywhere else are not followed. *Standards*: JSON Schema, the draft that it
//! names, else 2020-12.

use gatepost_documents::digest::Digest;
use jsonschema::{PatternOptions, Validator};
use serde_json::{Map, Value};

use super::Failure;
use super::answer::Answer;

/// The most faults of arguments in a message.
const FAULTS_MAX: usize = 10;

/// The schema as JSON with sorted keys, independent of the server's order.
pub(super) fn canonical(schema: &Map<String, Value>) -> String {
    let mut schema = Value::Object(schema.clone());
    schema.sort_all_objects();
    format!("{schema:#}\n")
}

/// Checks that it is the expected one, and accepts the arguments.
pub(super) fn check(schema: &str, expected: Option<Digest>, arguments: &Map<String, Value>) -> Result<(), Failure> {
    let found = Digest::of(schema.as_bytes());
    if let Some(expected) = expected.filter(|expected| *expected != found) {
        return Err(Failure::Changed { found, expected });
    }
    let mut schema: Value = serde_json::from_str(schema).map_err(|error| Failure::Schema(error.to_string()))?;
    leave_out_nulls(&mut schema);
    let validator = jsonschema::validator_for(&schema)
        .map_err(|error| Failure::Schema(format!("it is not a usable JSON Schema: {error}")))?;
    let faults = faults(&validator, &Value::Object(arguments.clone()));
    if faults.is_empty() { Ok(()) } else { Err(Failure::Arguments(faults)) }
}

/// Why the result of a call does not fit the server's own schema, if it has one. Quotes no part of the result.
pub(super) fn unfit(schema: &Value, answer: &Answer) -> Option<String> {
    if schema.is_null() || answer.is_error() {
        return None;
    }
    let content = answer.value.get("structuredContent").filter(|content| !content.is_null());
    let Some(content) = content else { return Some("it has no structured content".to_owned()) };
    let mut schema = schema.clone();
    leave_out_nulls(&mut schema);
    // Linear-time patterns: the server chose both the patterns and the values.
    match jsonschema::options().with_pattern_options(PatternOptions::regex()).build(&schema) {
        Ok(validator) => Some(faults(&validator, content)).filter(|faults| !faults.is_empty()),
        Err(error) => Some(format!("that is not a usable JSON Schema: {error}")),
    }
}

/// Every fault, up to ten. Masked, because a value may be a secret.
fn faults(validator: &Validator, value: &Value) -> String {
    let faults = validator.iter_errors(value).take(FAULTS_MAX);
    let lines = faults.map(|error| format!("{} at {:?}", error.masked(), error.instance_path().to_string()));
    lines.collect::<Vec<_>>().join("; ")
}

/// Removes null keywords from a schema; data values may be null. The depth of a message is bounded.
fn leave_out_nulls(schema: &mut Value) {
    const DATA: [&str; 4] = ["const", "default", "enum", "examples"];
    match schema {
        Value::Object(members) => {
            members.retain(|name, value| !value.is_null() || matches!(name.as_str(), "const" | "default"));
            let schemas = members.iter_mut().filter(|(name, _)| !DATA.contains(&name.as_str()));
            schemas.for_each(|(_, value)| leave_out_nulls(value));
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_nulls),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema(schema: Value) -> String {
        let Value::Object(schema) = schema else { panic!() };
        canonical(&schema)
    }

    fn checked(own: Value, arguments: Value) -> Result<(), Failure> {
        let Value::Object(arguments) = arguments else { panic!() };
        check(&schema(own), None, &arguments)
    }

    #[test]
    fn the_order_of_keys_makes_no_other_schema_and_everything_else_does() {
        let one = schema(json!({"type": "object", "properties": {"b": {"type": "string"}, "a": {}}}));
        let same = schema(json!({"properties": {"a": {}, "b": {"type": "string"}}, "type": "object"}));
        let other = schema(json!({"properties": {"a": {}, "b": {"type": "number"}}, "type": "object"}));
        assert_eq!(one, same);
        let expected = Some(Digest::of(one.as_bytes()));
        assert!(check(&same, expected, &Map::new()).is_ok());
        assert!(matches!(check(&other, expected, &Map::new()), Err(Failure::Changed { .. })));
    }

    #[test]
    fn arguments_that_the_server_would_refuse_are_refused_before_and_not_repeated() {
        let own = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": false});
        assert!(checked(own.clone(), json!({"n": 1})).is_ok());
        for arguments in [json!({}), json!({"n": "s3cret"}), json!({"n": 1, "m": "s3cret"})] {
            let text = checked(own.clone(), arguments.clone()).unwrap_err().to_string();
            assert!(!text.contains("s3cret"), "{text}");
        }
    }

    #[test]
    fn a_schema_that_is_none_or_leads_elsewhere_takes_nothing() {
        for own in [json!({"type": 1}), json!({"$ref": "http://127.0.0.1:1/x"}), json!({"$ref": "file:///etc/passwd"})]
        {
            assert!(matches!(checked(own, json!({})), Err(Failure::Schema(_))));
        }
    }

    #[test]
    fn a_keyword_that_is_null_is_absent() {
        let own = json!({"type": "object", "required": null, "additionalProperties": null, "properties": {
            "n": {"type": "integer", "enum": null, "description": null}, "m": {"const": null}, "any": null,
        }});
        assert!(checked(own.clone(), json!({"n": 1, "m": null, "any": 1, "more": 1})).is_ok());
        for arguments in [json!({"n": "x"}), json!({"m": 1})] {
            assert!(matches!(checked(own.clone(), arguments), Err(Failure::Arguments(_))));
        }
    }

    #[test]
    fn a_result_is_held_against_the_servers_own_schema() {
        let answer = |value: Value| Answer { bytes: Vec::new(), value };
        let own = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "title": null}}});
        for (schema, result, expected) in [
            (&own, json!({"structuredContent": {"n": 1}}), None),
            (&Value::Null, json!({}), None),
            (&own, json!({"isError": true}), None),
            (&own, json!({"content": []}), Some("no structured content")),
            (&own, json!({"structuredContent": {"n": "s3cret"}}), Some("at \"/n\"")),
            (&json!({"type": 1}), json!({"structuredContent": {}}), Some("not a usable JSON Schema")),
        ] {
            let unfit = unfit(schema, &answer(result));
            assert_eq!(unfit.is_some(), expected.is_some(), "{unfit:?}");
            assert!(expected.is_none_or(|expected| unfit.as_ref().is_some_and(|text| text.contains(expected))));
            assert!(unfit.is_none_or(|text| !text.contains("s3cret")));
        }
    }
}
