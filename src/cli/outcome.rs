//! The typed outcome of a command; text and JSON are views of it.
//!
//! It does not depend on its presentation: `envelope.rs` prints JSON, and `records.rs` prints lists as lines.
//! *Standards*: CLI Agent Spec, chapter 2.

use std::fs::File;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::exit;
use super::failure::Failure;
use super::pagination::Pagination;

/// A command's data: serializable, with a text for people.
pub(super) trait View: Serialize + JsonSchema {
    /// The text for a person, ending in a newline unless it is empty.
    fn text(&self) -> String;
}

/// The outcome of a command.
#[derive(Debug)]
pub(super) struct Outcome {
    /// An object, or null if there is only an error.
    pub data: Value,
    text: String,
    /// Every view prints the text: it is a document of another standard.
    pub is_document: bool,
    /// A file that every view prints.
    pub file: Option<File>,
    /// Why it failed.
    pub error: Option<Failure>,
    /// Warnings on a success or failure, each `CODE: text`.
    pub warnings: Vec<String>,
    /// The data is truncated.
    pub is_cut: bool,
    /// Nothing was done; the data previews the effect.
    pub is_preview: bool,
    /// The part of a list in the data, if the command selected it itself.
    pub pagination: Option<Pagination>,
}

impl Outcome {
    /// Success.
    pub(super) fn done(view: &impl View) -> Self {
        Self { text: view.text(), ..Self::of(to_value(view), None) }
    }

    /// Success, or failure with partial data.
    pub(super) fn ended(view: &impl View, error: Option<Failure>) -> Self {
        Self { error, ..Self::done(view) }
    }

    /// Failure with partial data.
    pub(super) fn failed(view: &impl View, failure: Failure) -> Self {
        Self::ended(view, Some(failure))
    }

    /// A JSON document of another standard, which all views print unchanged.
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

    /// Adds the pagination of a partial list.
    #[must_use]
    pub(super) fn on_page(self, pagination: Pagination) -> Self {
        Self { pagination: Some(pagination), ..self }
    }

    /// A file that is printed unchanged.
    pub(super) fn file(file: File) -> Self {
        Self { file: Some(file), ..Self::of(Value::Null, None) }
    }

    /// A text for another program, which both views print unchanged.
    pub(super) fn verbatim(text: String) -> Self {
        Self { text, is_document: true, ..Self::of(Value::Null, None) }
    }

    /// Replaces the failure, if it has one.
    #[must_use]
    pub(super) fn failing(self, change: impl FnOnce(Failure) -> Failure) -> Self {
        Self { error: self.error.map(change), ..self }
    }

    /// The exit status.
    pub(super) fn exit(&self) -> u8 {
        self.error.as_ref().map_or(exit::SUCCESS, |failure| failure.exit)
    }

    /// The data and the failure, for a command that ran another.
    pub(super) fn into_parts(self) -> (Value, Option<Failure>) {
        (self.data, self.error)
    }

    /// The text for people, or the document.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The messages for people on stderr.
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

/// A value as JSON; all of our types can be serialized.
pub(super) fn to_value(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}
