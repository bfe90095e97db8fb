//! What the end of a run means for its evidence: exit code, stop reason, and the failure in words.

use gatepost_documents::evidence::{Evidence, Failure, Limits, Network, Status, StopReason};

use crate::process::{Cause, Ended, Excess, Exit, ProcessError};

/// Records how the run of the tool `name` ended; without a failure the evidence's error stays as it is.
pub(super) fn record(evidence: &mut Evidence, ended: &Ended, name: &str) {
    evidence.duration_ms = u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX);
    evidence.usage = ended.usage.clone();
    evidence.limits = ended.limits.clone();
    evidence.sandbox = ended.enforced.clone();
    evidence.anomalies.extend(ended.anomalies.iter().cloned());
    if let Some(record) = &ended.network {
        evidence.network =
            Network { used: "allowlist".to_owned(), destinations: record.destinations(), refused: record.refused() };
        evidence.anomalies.extend(record.anomalies());
    }
    evidence.exit_code = match (ended.exit, ended.cause) {
        (Exit::Code(code), Cause::Own) => code,
        _ => -1,
    };
    evidence.stop_reason = match ended.cause {
        Cause::Own => StopReason::Completed,
        Cause::TimeLimit => StopReason::Timeout,
        Cause::StdoutLimit
        | Cause::StderrLimit
        | Cause::MemoryLimit { .. }
        | Cause::ProcessLimit
        | Cause::OutLimit(_) => StopReason::MaxBudgetReached,
        Cause::Cancelled => StopReason::Cancelled,
    };
    if let Some(failure) = ended_badly(ended, name) {
        // What a signal ended is said already where the supervisor knows why.
        let is_killed = matches!(ended.exit, Exit::Signal(_)) && ended.anomalies.is_empty();
        if ended.cause != Cause::Own || is_killed {
            evidence.anomalies.push(failure.message.clone());
        }
        fail(evidence, failure);
        if ended.cause == Cause::TimeLimit {
            evidence.status = Status::Timeout;
        }
    }
}

fn ended_badly(ended: &Ended, name: &str) -> Option<Failure> {
    let (code, message, hint) = match (ended.cause, ended.exit) {
        (Cause::Own, Exit::Code(0)) => return None,
        (Cause::Own, Exit::Code(code)) => (
            "TOOL_FAILED",
            format!("The tool ended with exit code {code}."),
            "Read the section Stderr: it holds the tool's own words.",
        ),
        (Cause::Own, Exit::Signal(signal)) => (
            "TOOL_KILLED",
            format!("The tool was killed by signal {signal}."),
            "It may have crashed or reached a limit of memory or processor time.",
        ),
        (cause, _) => stopped(cause, &ended.limits, "The tool"),
    };
    Some(failure(code, "wait", name, message, hint))
}

/// Why `who` was stopped before its own end: a code, a sentence and a hint.
pub(super) fn stopped(cause: Cause, limits: &Limits, who: &str) -> (&'static str, String, &'static str) {
    let set = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
    let (code, what, hint) = match cause {
        Cause::Own | Cause::Cancelled => {
            return ("CANCELLED", "The run was cancelled.".to_owned(), "Drop the request again under a new id.");
        }
        Cause::TimeLimit => {
            let message = format!("{who} was stopped at its time limit of {} ms.", limits.time_ms);
            return ("TIMEOUT", message, "Ask for less work, or have the limit of time raised.");
        }
        Cause::StdoutLimit | Cause::StderrLimit => {
            let stream = if cause == Cause::StdoutLimit { "stdout" } else { "stderr" };
            let what = format!("printed more than {} bytes on {stream}", limits.stdout_bytes);
            ("OUTPUT_LIMIT", what, "Ask for less output, or have the limit stdout_bytes raised.")
        }
        Cause::MemoryLimit { bytes } => {
            let what = format!("took {bytes} bytes of memory, above its limit of {} bytes,", set(limits.memory_bytes));
            ("MEMORY_LIMIT", what, "Ask for less work at a time, or have the limit of memory raised.")
        }
        Cause::ProcessLimit => {
            let what = format!("had more than {} processes and threads at the same time", limits.processes);
            ("PROCESS_LIMIT", what, "Ask for less work at a time, or have the limit of processes raised.")
        }
        Cause::OutLimit(Excess { folder, bytes, names }) => {
            let allowed = format!("{} bytes and {} names", set(limits.out_bytes), set(limits.out_files));
            let what = format!("left {bytes} bytes under {names} names in /{folder}, above its limit of {allowed},");
            ("OUTPUT_LIMIT", what, "Ask for less output, or have the limits out_mb and out_files raised.")
        }
    };
    (code, format!("{who} {what} and was stopped."), hint)
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
