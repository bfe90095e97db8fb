//! `gatepost errors`: every code that a failure can have, with what it means and what to do.
//!
//! It tells the table of `failure_code.rs`, and knows nothing of its own. *Standards*: CLI Agent Spec, failure mode 18.

use super::failure_code::{FailureCode, TABLE};
use crate::cli::prelude::*;

/// `gatepost errors`
pub(super) const DECLARATION: Declaration =
    Declaration::safe("errors", data::<Errors>).anywhere().lists("errors", "code");

#[derive(Serialize, JsonSchema)]
struct Errors {
    errors: Vec<Explained>,
}

/// A code, explained.
#[derive(Serialize, JsonSchema)]
pub(super) struct Explained {
    code: &'static str,
    exit_code: u8,
    meaning: &'static str,
    advice: &'static str,
    docs: String,
}

impl Explained {
    pub(super) fn of(code: &FailureCode) -> Self {
        let FailureCode { code: name, exit, meaning, advice } = *code;
        Self { code: name, exit_code: exit, meaning, advice, docs: code.docs() }
    }
}

impl View for Errors {
    fn text(&self) -> String {
        let row = |one: &Explained| vec![one.code.to_owned(), one.exit_code.to_string(), one.meaning.to_owned()];
        table(&["code", "status", "meaning"], &self.errors.iter().map(row).collect::<Vec<_>>())
    }
}

pub(super) fn run() -> Outcome {
    Outcome::done(&Errors { errors: TABLE.iter().map(Explained::of).collect() })
}
