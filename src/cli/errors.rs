//! `gatepost errors`: lists every failure code with its meaning and general advice.
//!
//! All content comes from the table in `error_code.rs`. *Standards*: CLI Agent Spec, failure mode 18.

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
    code: ErrorCode,
    exit_code: u8,
    meaning: &'static str,
    advice: &'static str,
    docs: String,
}

impl Explained {
    pub(super) fn of(code: ErrorCode) -> Self {
        let (meaning, advice) = (code.meaning(), code.advice());
        Self { code, exit_code: code.exit(), meaning, advice, docs: code.docs() }
    }
}

impl View for Errors {
    fn text(&self) -> String {
        let row =
            |one: &Explained| vec![one.code.as_str().to_owned(), one.exit_code.to_string(), one.meaning.to_owned()];
        table(&["code", "status", "meaning"], &self.errors.iter().map(row).collect::<Vec<_>>())
    }
}

pub(super) fn run() -> Outcome {
    Outcome::done(&Errors { errors: ErrorCode::ALL.iter().copied().map(Explained::of).collect() })
}
