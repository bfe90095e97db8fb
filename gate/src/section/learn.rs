//! The text about learn mode in a result.

use super::phrase::{counted, span};
use gatepost_documents::evidence::{Learn, NotEnforced};

/// The text after the policies' decision.
pub(super) fn remark(learn: Option<&Learn>) -> String {
    let count = |learn: &Learn| counted(learn.not_enforced.len() as u64, "refusal");
    learn.map(|learn| format!("; learn mode, {} not enforced", count(learn))).unwrap_or_default()
}

/// The lines of the list in Safety Notes: the mode, and one for each refusal.
pub(super) fn notes(learn: Option<&Learn>) -> Vec<String> {
    let Some(Learn { not_enforced }) = learn else { return Vec::new() };
    let mut lines = vec!["- A result of learn mode: the item Policy counts the refusals.".to_owned()];
    for NotEnforced { code, argument, interaction, message } in not_enforced {
        let mut line = format!("- Not enforced: `{code}`");
        if let Some(name) = argument {
            line += &format!(", argument {}", span(name));
        }
        if let Some(number) = interaction {
            line += &format!(" of interaction {number}");
        }
        lines.push(line + &format!(": {}", span(message)));
    }
    lines
}
