//! What a command has to say: one typed outcome, of which text and JSON are views.
//!
//! It knows nothing of how it is shown: that is for `envelope.rs` (JSON) and `records.rs` (lists as lines). *Standards*: CLI Agent
//! Spec, chapter 2.

use std::fs::File;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::exit;
use super::failure::Failure;
use super::pagination::Pagination;

/// A command's data: it can be serialized, and it can be told to a person.
pub(super) trait View: Serialize + JsonSchema {
    /// The text for a person, ending in a newline unless it is empty.
    fn text(&self) -> String;
}

/// How a command ended.
#[derive(Debug)]
pub(super) struct Outcome {
    /// An object, or null where there is nothing to tell but the error.
    pub data: Value,
    text: String,
    /// The text is the outcome in any view: a document of another standard.
    pub is_document: bool,
    /// A file that is the outcome in any view.
    pub file: Option<File>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// What is worth knowing of a success or failure, each `CODE: text`.
    pub warnings: Vec<String>,
    /// The data has only the beginning of something.
    pub is_cut: bool,
    /// Nothing was done, and the data says what would be.
    pub is_preview: bool,
    /// Which part of a list the data has, where the command took it out itself.
    pub pagination: Option<Pagination>,
}

impl Outcome {
    /// Success.
    pub(super) fn done(view: &impl View) -> Self {
        Self { text: view.text(), ..Self::of(to_value(view), None) }
    }

    /// Success, or failure with what was achieved or found all the same.
    pub(super) fn ended(view: &impl View, error: Option<Failure>) -> Self {
        Self { error, ..Self::done(view) }
    }

    /// Failure with what was achieved or found all the same.
    pub(super) fn failed(view: &impl View, failure: Failure) -> Self {
        Self::ended(view, Some(failure))
    }

    /// A JSON document of another standard, which all views print as it is.
    pub(super) fn document(document: &Value, error: Option<Failure>) -> Self {
        Self { text: format!("{document:#}\n"), is_document: true, ..Self::of(Value::Null, error) }
    }

    fn of(data: Value, error: Option<Failure>) -> Self {
        Self {
            data,
            text: String::new(),
            is_document: false,
            file: None,
            error,
            warnings: Vec::new(),
            is_cut: false,
            is_preview: false,
            pagination: None,
        }
    }

    /// The same, of a part of a list.
    #[must_use]
    pub(super) fn on_page(self, pagination: Pagination) -> Self {
        Self { pagination: Some(pagination), ..self }
    }

    /// A file that is printed as it comes.
    pub(super) fn file(file: File) -> Self {
        Self { file: Some(file), ..Self::of(Value::Null, None) }
    }

    /// A text for another program, which both views print as it is.
    pub(super) fn verbatim(text: String) -> Self {
        Self { text, is_document: true, ..Self::of(Value::Null, None) }
    }

    /// The same with another failure in place of the one that it has, if it has one.
    #[must_use]
    pub(super) fn failing(self, change: impl FnOnce(Failure) -> Failure) -> Self {
        Self { error: self.error.map(change), ..self }
    }

    /// The exit status.
    pub(super) fn exit(&self) -> u8 {
        self.error.as_ref().map_or(exit::SUCCESS, |failure| failure.exit)
    }

    /// What was achieved or found, and why it failed, if it did: for a command that carried out another.
    pub(super) fn into_parts(self) -> (Value, Option<Failure>) {
        (self.data, self.error)
    }

    /// The text for people, or the document.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// What goes to stderr, for people.
    pub(super) fn messages(&self) -> String {
        let mut messages = String::new();
        messages.extend(self.warnings.iter().map(|warning| format!("warning: {warning}\n")));
        messages.extend(self.error.as_ref().map(Failure::to_text));
        messages
    }
}

impl From<Failure> for Outcome {
    fn from(failure: Failure) -> Self {
        Self::of(Value::Null, Some(failure))
    }
}

/// A value as JSON; all that is serialized here can be.
pub(super) fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
