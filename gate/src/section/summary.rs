//! The section Summary: what was asked and what became of it, why it was asked, the reasons of a refusal, the outputs.

use super::phrase::{counted, list, seconds, span};
use super::refused;
use crate::bundle::Bundle;
use crate::consistency;
use gatepost_documents::evidence::{Evidence, Failure, Status};
use gatepost_documents::reason::Reason;

/// The lines that the section must have.
pub(crate) fn expected(bundle: &Bundle, evidence: &Evidence) -> Vec<String> {
    let mut lines = vec![format!("{} {}", asked(evidence), outcome(evidence)), String::new()];
    lines.extend(evidence.error.iter().flat_map(next));
    lines.push(match evidence.purpose.as_str() {
        "" => "Purpose: none given.".to_owned(),
        purpose => format!("Purpose, in the requester's words: {}.", span(purpose)),
    });
    lines.push(String::new());
    if evidence.network.has_refused() {
        lines.extend([format!("Refused by the network: {}.", refused(&evidence.network)), String::new()]);
    }
    let files = bundle.files().filter(|(path, ..)| path.starts_with("artifacts/out/")).count() as u64;
    let [stdout, stderr] = [evidence.usage.stdout_bytes, evidence.usage.stderr_bytes].map(|size| counted(size, "byte"));
    let files = counted(files, "file");
    lines.push(format!("Outputs: {files} in artifacts/out/, {stdout} on stdout, {stderr} on stderr."));
    lines
}

fn asked(evidence: &Evidence) -> String {
    let by = match evidence.requested_by.as_str() {
        "" => String::new(),
        name => format!(" by {}", span(name)),
    };
    let approvers: Vec<String> = evidence.approvals.iter().map(|approval| approval.approved_by.clone()).collect();
    let approved = if approvers.is_empty() { String::new() } else { format!(", approved by {},", list(&approvers)) };
    let tool = match evidence.tool.as_str() {
        "" => "names no tool".to_owned(),
        tool => format!("asked for {}", span(tool)),
    };
    format!("Request `{}`{by}{approved} {tool}.", evidence.request_id)
}

fn outcome(evidence: &Evidence) -> String {
    let after = format!("after {}", seconds(evidence.duration_ms));
    if evidence.status == Status::Delegated {
        return "It was checked and not carried out: that is the caller's to do.".to_owned();
    }
    let Some(error) = &evidence.error else {
        return format!("It ran and succeeded: exit code {} {after}.", evidence.exit_code);
    };
    let message = span(&error.message);
    if consistency::is_refusal(evidence) {
        format!("It was refused, and nothing ran. Reasons: {}.", error.reasons.len())
    } else if evidence.status == Status::Timeout {
        format!("It was stopped at its time limit {after}: {message}")
    } else {
        format!("It failed with `{}` {after}: {message}", error.code)
    }
}

/// The reasons of a refusal, or what to do about any other failure.
fn next(error: &Failure) -> Vec<String> {
    let mut lines = Vec::new();
    for reason in &error.reasons {
        lines.push(format!("- `{}`{}: {}", reason.code, place(reason), span(&reason.message)));
        lines.push(format!("  Hint: {}", span(&reason.hint)));
    }
    if lines.is_empty() {
        let again = if error.retryable { " The same request under another id may succeed." } else { "" };
        lines.push(format!("What to do next: {}{again}", span(&error.hint)));
    }
    lines.push(String::new());
    lines
}

fn place(Reason { file, line, column, pointer, .. }: &Reason) -> String {
    let parts = [
        file.as_ref().map(|file| format!(" in {}", span(file))),
        line.map(|line| format!(", line {line}")),
        column.map(|column| format!(", column {column}")),
        pointer.as_ref().map(|pointer| format!(", at {}", span(pointer))),
    ];
    parts.into_iter().flatten().collect()
}
