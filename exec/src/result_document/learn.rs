//! Learn mode in a result: the refusals of policies and scope that were not enforced.
//!
//! *Standards*: `schemas/result.schema.md`, Provenance and Safety Notes.

use gatepost_documents::evidence::{Learn, NotEnforced};

use super::phrase::{counted, span};

/// The end of the item Policy.
pub(super) fn remark(learn: &Learn) -> String {
    format!("; learn mode, {} not enforced", counted(learn.not_enforced.len() as u64, "refusal"))
}

/// The notes, a sentence each: the mode, and then every refusal.
pub(super) fn notes(learn: &Learn) -> Vec<String> {
    let mode = "A result of learn mode: the item Policy counts the refusals.".to_owned();
    std::iter::once(mode).chain(learn.not_enforced.iter().map(note)).collect()
}

fn note(NotEnforced { code, argument, interaction, message }: &NotEnforced) -> String {
    let argument = argument.as_ref().map(|name| format!(", argument {}", span(name))).unwrap_or_default();
    let interaction = interaction.map(|number| format!(" of interaction {number}")).unwrap_or_default();
    format!("Not enforced: `{code}`{argument}{interaction}: {}", span(message))
}
