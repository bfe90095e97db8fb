//! The published schemas in `schemas/*.schema.json`, generated from the program's own types and tables.
//!
//! They define the keys of a document and the type of each value; the prose beside each has the rest. Readers judge
//! documents without these schemas, which serve editors and programs that write or read our documents.
//!
//! Standards: JSON Schema 2020-12.

use gatepost_contract::config::Config;
use gatepost_documents::attestation::Statement;
use gatepost_documents::evidence::Evidence;
use gatepost_documents::verdict::Verdict;
use gatepost_exec::catalog::Catalog;
use gatepost_gate::policy::Policy;
use gatepost_gate::result_document::ResultDocument;
use gatepost_mailbox::quarantine::Refusal;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::envelope;
use gatepost_contract::{manifest, request};

/// Every published schema: its file name and its content.
pub fn published() -> Vec<(&'static str, Value)> {
    vec![
        (
            "attestation.schema.json",
            of_type::<Statement>(
                "attestation.intoto.jsonl",
                "The statement of a gate on an accepted result: the payload of its envelope.",
            ),
        ),
        (
            "catalog.schema.json",
            of_type::<Catalog>(
                "catalog.json",
                "What may be asked of a site, and how a request is written and dropped.",
            ),
        ),
        ("config.schema.json", of_type::<Config>("gatepost.toml", "What an operator decides about a site, as JSON.")),
        ("envelope.schema.json", envelope::schema()),
        (
            "evidence.schema.json",
            of_type::<Evidence>("evidence.json", "The ToolClad evidence envelope of one execution."),
        ),
        ("gate.schema.json", of_type::<Policy>("gate.toml", "What an operator demands of results, as JSON.")),
        ("manifest.schema.json", manifest::schema()),
        ("refusal.schema.json", of_type::<Refusal>("reasons.json", "Why TOOL-EXEC refused an item.")),
        ("request.schema.json", request::schema()),
        ("result.schema.json", of_type::<ResultDocument>("TS-….md", "The front matter of a result document.")),
        ("verdict.schema.json", of_type::<Verdict>("verdict.json", "The gate's verdict on one result bundle.")),
    ]
}

/// The text of a schema's file.
pub fn file_text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

/// The schema of a type, titled like its document.
fn of_type<T: JsonSchema>(title: &str, description: &str) -> Value {
    let generated = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
    let mut schema = Map::new();
    for key in ["$schema", "title", "description"] {
        schema.insert(key.to_owned(), generated.get(key).cloned().unwrap_or_default());
    }
    if let Value::Object(rest) = generated.to_value() {
        schema.extend(rest);
    }
    schema.insert("title".to_owned(), title.into());
    schema.insert("description".to_owned(), description.into());
    Value::Object(schema)
}
