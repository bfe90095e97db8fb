//! The schema by which a server describes the arguments of its tool: one spelling, its digest, and whether it takes a call's.
//!
//! *Security*: the schema is the server's. References to anywhere else are not followed. *Standards*: JSON Schema, the draft that it
//! names, else 2020-12.

use gatepost_documents::digest::Digest;
use serde_json::{Map, Value};

use super::Failure;

/// The most faults of arguments that are told.
const FAULTS_MAX: usize = 10;

/// The schema as JSON with sorted keys: the same whatever order the server happens to write.
pub(super) fn canonical(schema: &Map<String, Value>) -> String {
    let mut schema = Value::Object(schema.clone());
    schema.sort_all_objects();
    format!("{schema:#}\n")
}

/// Whether it is the one that is expected, and takes the arguments.
pub(super) fn check(schema: &str, expected: Option<Digest>, arguments: &Map<String, Value>) -> Result<(), Failure> {
    let found = Digest::of(schema.as_bytes());
    if let Some(expected) = expected.filter(|expected| *expected != found) {
        return Err(Failure::Changed { found, expected });
    }
    let schema: Value = serde_json::from_str(schema).map_err(|error| Failure::Listing(error.to_string()))?;
    let validator = jsonschema::validator_for(&schema)
        .map_err(|error| Failure::Arguments(format!("it is no JSON Schema that can be used here: {error}")))?;
    // Masked, for an argument may be a secret.
    let arguments = Value::Object(arguments.clone());
    let faults = validator.iter_errors(&arguments).take(FAULTS_MAX);
    let faults: Vec<String> =
        faults.map(|error| format!("{} at {:?}", error.masked(), error.instance_path().to_string())).collect();
    if faults.is_empty() { Ok(()) } else { Err(Failure::Arguments(faults.join("; "))) }
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
            let said = checked(own.clone(), arguments.clone()).unwrap_err().to_string();
            assert!(!said.contains("s3cret"), "{said}");
        }
    }

    #[test]
    fn a_schema_that_is_none_or_leads_elsewhere_takes_nothing() {
        for own in [json!({"type": 1}), json!({"$ref": "http://127.0.0.1:1/x"}), json!({"$ref": "file:///etc/passwd"})]
        {
            assert!(matches!(checked(own, json!({})), Err(Failure::Arguments(_))));
        }
    }
}
