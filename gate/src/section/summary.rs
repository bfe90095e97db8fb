//! The section Summary: what was asked and what became of it, why it was asked, the reasons of a refusal, the outputs.

use super::json_span;
use crate::bundle::Bundle;
use crate::consistency;
use gatepost_documents::evidence::{Evidence, Status};

/// The lines that the section must have.
pub(crate) fn expected(bundle: &Bundle, evidence: &Evidence) -> Vec<String> {
    let (id, tool) = (&evidence.request_id, json_span(&evidence.tool));
    let mut lines = vec![
        format!("Request `{id}` asked for {tool}. {}", outcome(evidence)),
        String::new(),
        format!("Purpose, in the requester's words: {}.", json_span(&evidence.purpose)),
        String::new(),
    ];
    let reasons = evidence.error.iter().flat_map(|error| &error.reasons);
    lines.extend(reasons.map(|reason| format!("- `{}`: {}", reason.code, json_span(&reason.message))));
    if lines.last().is_some_and(|line| !line.is_empty()) {
        lines.push(String::new());
    }
    if evidence.network.has_refused() {
        let unnamed = Some(evidence.network.refused_unnamed).filter(|count| *count > 0);
        let unnamed = unnamed.map(|count| format!(", and {count} not named")).unwrap_or_default();
        lines.push(format!("Refused by the network: {}{unnamed}.", json_span(&evidence.network.refused)));
        lines.push(String::new());
    }
    let files = bundle.files().filter(|(path, ..)| path.starts_with("artifacts/out/")).count();
    lines.push(format!(
        "Outputs: {files} files in artifacts/out/, {} bytes on stdout, {} bytes on stderr.",
        evidence.usage.stdout_bytes, evidence.usage.stderr_bytes
    ));
    lines
}

fn outcome(evidence: &Evidence) -> String {
    let after = format!("after {}.{:03} s", evidence.duration_ms / 1_000, evidence.duration_ms % 1_000);
    if evidence.status == Status::Delegated {
        return "It was checked and not carried out: that is the caller's to do.".to_owned();
    }
    let Some(error) = &evidence.error else {
        return format!("It ran and succeeded: exit code {} {after}.", evidence.exit_code);
    };
    let message = json_span(&error.message);
    if consistency::is_refusal(evidence) {
        format!("It was refused, and nothing ran. Reasons: {}.", error.reasons.len())
    } else if evidence.status == Status::Timeout {
        format!("It was stopped at its time limit {after}: {message}")
    } else {
        format!("It failed with `{}` {after}: {message}", error.code)
    }
}
