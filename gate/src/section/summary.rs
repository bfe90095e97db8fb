//! The section Summary: the outcome, the reasons of a refusal, the first lines of output, the requester and the purpose.

use super::phrase::{counted, list, seconds, sentence, span};
use super::refused;
use crate::bundle::Bundle;
use crate::consistency;
use gatepost_documents::evidence::{Evidence, Failure, Status};
use gatepost_documents::reason::Reason;

/// The required lines of the section.
pub(crate) fn expected(bundle: &Bundle, evidence: &Evidence) -> Vec<String> {
    let mut lines = vec![outcome(evidence), String::new()];
    lines.extend(evidence.error.iter().flat_map(next));
    lines.extend(head(bundle, evidence.error.is_some()));
    if evidence.network.has_refused() {
        lines.extend([format!("Refused by the network: {}.", refused(&evidence.network)), String::new()]);
    }
    lines.extend(asked(evidence));
    let files = bundle.files().filter(|(path, ..)| path.starts_with("artifacts/out/")).count() as u64;
    let [stdout, stderr] = [evidence.usage.stdout_bytes, evidence.usage.stderr_bytes].map(|size| counted(size, "byte"));
    let files = counted(files, "file");
    lines.push(format!("Outputs: {files} in artifacts/out/, {stdout} on stdout, {stderr} on stderr."));
    lines
}

fn outcome(evidence: &Evidence) -> String {
    let after = format!("after {}", seconds(evidence.duration_ms));
    let tool = match evidence.tool.as_str() {
        "" => "The request".to_owned(),
        tool => span(tool),
    };
    if evidence.status == Status::Delegated {
        return format!("{tool} passed all checks and did not run: the caller carries it out.");
    }
    let Some(error) = &evidence.error else {
        return format!("{tool} succeeded: exit code {} {after}.", evidence.exit_code);
    };
    let message = sentence(&error.message);
    if consistency::is_refusal(evidence) {
        format!("{tool} was refused and did not run. Reasons: {}.", error.reasons.len())
    } else if evidence.status == Status::Timeout {
        format!("{tool} was stopped at its time limit {after}: {message}")
    } else {
        format!("{tool} failed with `{}` {after}: {message}", error.code)
    }
}

/// The first lines of stderr for a failure, else of stdout; if that stream is empty, of the other.
fn head(bundle: &Bundle, has_failed: bool) -> Vec<String> {
    let mut streams = [("Stdout", &bundle.stdout), ("Stderr", &bundle.stderr)];
    if has_failed {
        streams.reverse();
    }
    let Some((name, stream)) = streams.into_iter().find(|(_, stream)| stream.bytes_total > 0) else {
        return Vec::new();
    };
    let (fence, is_whole) = stream.head();
    let title = format!("{name}{}:", if is_whole { "" } else { " begins" });
    [title, String::new()].into_iter().chain(fence).chain([String::new()]).collect()
}

fn asked(evidence: &Evidence) -> [String; 4] {
    let purpose = match evidence.purpose.as_str() {
        "" => "Purpose: none given.".to_owned(),
        purpose => format!("Purpose, in the requester's words: {}.", span(purpose)),
    };
    let by = match evidence.requested_by.as_str() {
        "" => String::new(),
        name => format!(" by {}", span(name)),
    };
    let approvers: Vec<String> = evidence.approvals.iter().map(|approval| approval.approved_by.clone()).collect();
    let approved = if approvers.is_empty() { String::new() } else { format!(", approved by {}", list(&approvers)) };
    [purpose, String::new(), format!("Request: `{}`{by}{approved}.", evidence.request_id), String::new()]
}

/// The reasons of a refusal, or the hint for any other failure.
fn next(error: &Failure) -> Vec<String> {
    let mut lines = Vec::new();
    for reason in &error.reasons {
        lines.push(format!("- `{}`{}: {}", reason.code, place(reason), sentence(&reason.message)));
        lines.push(format!("  Hint: {}", sentence(&reason.hint)));
    }
    if lines.is_empty() {
        let again = if error.retryable { " The same request under another id may succeed." } else { "" };
        lines.push(format!("What to do next: {}{again}", sentence(&error.hint)));
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
