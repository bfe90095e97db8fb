//! The section `Risk Assessment`: four labelled statements that a person needs before approving.
//!
//! ```text
//! - Risk level: low
//! - Justification: Counts lines of one file.
//! - Data sensitivity: public
//! - Network rationale: none needed
//! ```
//!
//! Checks that they are stated, not that they are true. List markers are optional.

use gatepost_documents::reason::{Code, Reason};

use super::field::Faults;
use super::section::Section;

const LABELS: [&str; 4] = ["Risk level:", "Justification:", "Data sensitivity:", "Network rationale:"];

/// Refuses a statement that is absent, empty, given twice or outside its values.
pub(super) fn check(section: &Section<'_>, has_network: bool, faults: &mut Faults) {
    let statements = statements(section);
    for label in LABELS {
        let mut found = statements.iter().filter(|statement| statement.label == label);
        let values: &[&str] = match label {
            "Risk level:" => &["low", "medium", "high"],
            "Data sensitivity:" => &["public", "internal", "confidential"],
            _ => &[],
        };
        let fault = match (found.next(), found.next()) {
            (None, _) if label == "Network rationale:" && !has_network => continue,
            (None, _) => (section.line, format!("The statement `{label}` is missing.")),
            (Some(_), Some(second)) => (second.line, format!("The statement `{label}` occurs twice.")),
            (Some(one), None) if one.text.is_empty() => (one.line, format!("The statement `{label}` is empty.")),
            (Some(one), None) if !values.is_empty() && !values.contains(&one.text.as_str()) => {
                (one.line, format!("The statement `{label}` has an unknown value."))
            }
            _ => continue,
        };
        let hint = match values {
            [] => format!("Write `{label}` and a sentence."),
            values => format!("Write `{label}` and one of {}.", values.join(", ")),
        };
        faults.add((fault.0, 1), Reason::new(Code::RiskStatement, fault.1, hint));
    }
}

struct Statement {
    label: &'static str,
    line: u32,
    text: String,
}

/// Each labelled statement with all of its text, up to the next label.
fn statements(section: &Section<'_>) -> Vec<Statement> {
    let mut statements: Vec<Statement> = Vec::new();
    for line in section.lines.iter().filter(|line| !line.fenced) {
        let text = line.text.trim();
        let text = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).unwrap_or(text);
        let labelled = LABELS.into_iter().find_map(|label| Some((label, text.strip_prefix(label)?.trim())));
        match (labelled, statements.last_mut()) {
            (Some((label, rest)), _) => {
                statements.push(Statement { label, line: line.number, text: rest.to_owned() });
            }
            (None, Some(statement)) if !text.is_empty() => {
                statement.text.push_str(if statement.text.is_empty() { "" } else { " " });
                statement.text.push_str(text);
            }
            _ => {}
        }
    }
    statements
}
