//! What the end of a run means for its evidence: exit code, stop reason, and the failure in words.

use gatepost_gate::evidence::{Evidence, Failure, Status, StopReason};

use crate::process::{Cause, Ended, Exit, ProcessError};

/// Records how the run of the tool `name` ended; without a failure the evidence's error stays as it is.
pub(super) fn record(evidence: &mut Evidence, ended: &Ended, name: &str) {
    evidence.duration_ms = u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX);
    evidence.usage = ended.usage.clone();
    evidence.limits = ended.limits.clone();
    evidence.sandbox = ended.enforced.clone();
    evidence.anomalies.extend(ended.anomalies.iter().cloned());
    evidence.exit_code = match (ended.exit, ended.cause) {
        (Exit::Code(code), Cause::Own) => code,
        _ => -1,
    };
    evidence.stop_reason = match ended.cause {
        Cause::Own => StopReason::Completed,
        Cause::TimeLimit => StopReason::Timeout,
        Cause::StdoutLimit | Cause::StderrLimit => StopReason::MaxBudgetReached,
        Cause::Cancelled => StopReason::Cancelled,
    };
    if let Some(failure) = ended_badly(ended, name) {
        fail(evidence, failure);
        if ended.cause == Cause::TimeLimit {
            evidence.status = Status::Timeout;
        }
    }
}

fn ended_badly(ended: &Ended, name: &str) -> Option<Failure> {
    let stopped = |code: &str, message: String, hint: &str| Some(failure(code, "wait", name, message, hint));
    match (ended.cause, ended.exit) {
        (Cause::Own, Exit::Code(0)) => None,
        (Cause::Own, Exit::Code(code)) => {
            let message = format!("The tool ended with exit code {code}.");
            stopped("TOOL_FAILED", message, "Read the section Stderr: it holds the tool's own words.")
        }
        (Cause::Own, Exit::Signal(signal)) => {
            let message = format!("The tool was killed by signal {signal}.");
            stopped("TOOL_KILLED", message, "It may have crashed or reached a limit of memory or processor time.")
        }
        (Cause::TimeLimit, _) => {
            let message = format!("The tool was stopped at its time limit of {} ms.", ended.limits.time_ms);
            stopped("TIMEOUT", message, "Ask for less work, or have the limit of time raised.")
        }
        (Cause::StdoutLimit | Cause::StderrLimit, _) => {
            let stream = if ended.cause == Cause::StdoutLimit { "stdout" } else { "stderr" };
            let message =
                format!("The tool printed more than {} bytes on {stream} and was stopped.", ended.limits.stdout_bytes);
            stopped("OUTPUT_LIMIT", message, "Ask for less output, or have the limit stdout_bytes raised.")
        }
        (Cause::Cancelled, _) => {
            stopped("CANCELLED", "The run was cancelled.".to_owned(), "Drop the request again under a new id.")
        }
    }
}

/// The failure of a tool that did not start.
pub(super) fn not_started(name: &str, error: &ProcessError) -> Failure {
    let message = format!("The tool did not start: {error}.");
    failure("SPAWN_FAILED", "spawn", name, message, "Ask the operator to install it or to mend its manifest.")
}

/// A failure that the identical request would meet again.
pub(super) fn failure(code: &str, operation: &str, target: &str, message: String, hint: &str) -> Failure {
    Failure {
        code: code.to_owned(),
        kind: if operation == "parse" { "parse" } else { "runtime" }.to_owned(),
        operation: operation.to_owned(),
        target: target.to_owned(),
        retryable: false,
        message,
        hint: hint.to_owned(),
        reasons: Vec::new(),
    }
}

/// Makes the evidence that of a failure.
pub(super) fn fail(evidence: &mut Evidence, failure: Failure) {
    evidence.status = Status::Error;
    evidence.error = Some(failure);
}
