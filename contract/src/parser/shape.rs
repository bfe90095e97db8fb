//! Elements of XML in the types of the output schema: XML has no types, and cannot distinguish one child from a list of one.
//!
//! *Security*: recursion is as deep as the value, which is bounded.

use serde_json::{Map, Value};

use super::scalar::{typed, types};

/// The text of an element among its members.
pub(super) const TEXT: &str = "#text";

/// The value in the schema's form, if possible; otherwise unchanged, for the schema to refuse.
///
/// An element becomes a list where the schema requires an array, and a text, number, boolean or null where it requires
/// one and the element has only text. A required list without elements is empty.
pub(super) fn shaped(value: Value, schema: &Value) -> Value {
    let wanted = types(schema);
    let wants = |name| wanted.contains(&name);
    match value {
        Value::Array(items) => Value::Array(items.into_iter().map(|item| element(item, schema)).collect()),
        one if wants("array") && !wants("object") => Value::Array(vec![element(one, schema)]),
        Value::Object(members) => match text_alone(&members) {
            Some(text) if !wanted.is_empty() && !wants("object") => typed(text, &wanted),
            _ => Value::Object(shaped_members(members, schema)),
        },
        Value::String(text) => typed(&text, &wanted),
        other => other,
    }
}

/// An element of the list for which the schema is.
fn element(value: Value, schema: &Value) -> Value {
    shaped(value, schema.get("items").unwrap_or(&Value::Null))
}

fn shaped_members(members: Map<String, Value>, schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let of = |name: &str| properties.and_then(|properties| properties.get(name)).or(schema.get("additionalProperties"));
    let shape = |(name, value): (String, Value)| {
        let value = shaped(value, of(&name).unwrap_or(&Value::Null));
        (name, value)
    };
    let mut members: Map<String, Value> = members.into_iter().map(shape).collect();
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for name in required.filter(|name| of(name).is_some_and(|schema| types(schema) == ["array"])) {
        members.entry(name).or_insert_with(|| Value::Array(Vec::new()));
    }
    members
}

/// The text of an element that has neither attributes nor children.
fn text_alone(members: &Map<String, Value>) -> Option<&str> {
    match members.len() {
        0 => Some(""),
        1 => members.get(TEXT)?.as_str(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "properties": {"scan": {"type": "object", "required": ["host", "note"], "properties": {
            "@took": {"type": "number"},
            "host": {"type": "array", "items": {"type": "object", "properties": {
                "port": {"type": "array", "items": {"type": "integer"}}, "up": {"type": "boolean"}, "name": {"type": "string"},
                "#text": {"type": "integer"},
            }}},
            "note": {"type": "array"},
            "seen": {"type": ["integer", "null"]},
        }}}})
    }

    #[test]
    fn elements_have_the_types_of_the_schema() {
        let value = json!({"scan": {
            "@took": "1.50",
            "host": {"port": {"#text": "80"}, "up": {"#text": "true"}, "name": {}},
            "seen": {},
            "other": {"#text": "x"},
        }});
        let expected = r##"{"scan":{"@took":1.50,"host":[{"port":[80],"up":true,"name":""}],"seen":null,"other":{"#text":"x"},"note":[]}}"##;
        assert_eq!(shaped(value, &schema()).to_string(), expected);
        let value = json!({"scan": {"host": [{"port": [{"#text": "80"}, {"#text": "443"}]}, {"#text": "7"}]}});
        assert_eq!(shaped(value, &schema())["scan"]["host"], json!([{"port": [80, 443]}, {"#text": 7}]));
    }

    #[test]
    fn what_does_not_fit_stays_as_it_is() {
        for (value, schema) in [
            (json!({"@id": "1", "#text": "80"}), json!({"type": "integer"})),
            (json!({"#text": "80"}), json!({})),
            (json!({"#text": "80"}), json!({"type": ["object", "string"]})),
            (json!({"a": {}}), json!({"type": ["array", "object"]})),
        ] {
            assert_eq!(shaped(value.clone(), &schema), value);
        }
        assert_eq!(shaped(json!({"#text": "many"}), &json!({"type": "integer"})), json!("many"));
    }
}
