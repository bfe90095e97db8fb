//! The end of a run and its meaning: exit code, stop reason, and failure text.

use gatepost_documents::evidence::{Failure, FailureCode, FailureKind, Limits, Network, NetworkUse, StopReason};
use gatepost_sandbox::network::Record;
use gatepost_sandbox::process::{Cause, Ended, Excess, Exit, ProcessError};

use crate::lane::run::Program;
use crate::lane::run_outcome::Ending;

/// The end of the run.
pub(super) fn ending(ended: &Ended) -> Ending {
    let (used, record) =
        (if ended.network.is_some() { NetworkUse::Allowlist } else { NetworkUse::None }, &ended.network);
    Ending {
        exit_code: match (ended.exit, ended.cause) {
            (Exit::Code(code), Cause::Own) => code,
            _ => -1,
        },
        stop_reason: match ended.cause {
            Cause::Own | Cause::Closed => StopReason::Completed,
            Cause::TimeLimit => StopReason::Timeout,
            Cause::StdoutLimit
            | Cause::StderrLimit
            | Cause::MemoryLimit { .. }
            | Cause::ProcessLimit
            | Cause::OutLimit(_) => StopReason::MaxBudgetReached,
            Cause::Cancelled => StopReason::Cancelled,
        },
        duration_ms: u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX),
        usage: ended.usage.clone(),
        limits: ended.limits.clone(),
        sandbox: ended.enforced.clone(),
        network: Network {
            used,
            destinations: record.as_ref().map(Record::destinations).unwrap_or_default(),
            refused: record.as_ref().map(Record::refused).unwrap_or_default(),
            refused_unnamed: record.as_ref().map(Record::refused_unnamed).unwrap_or_default(),
        },
    }
}

/// The anomalies of the run; `failure` is its failure, if any.
pub(super) fn anomalies(ended: &Ended, failure: Option<&Failure>) -> Vec<String> {
    let mut anomalies = ended.anomalies.clone();
    anomalies.extend(ended.network.iter().flat_map(Record::anomalies));
    // If the supervisor knows the cause of a signal, its anomaly is there already.
    let is_killed = matches!(ended.exit, Exit::Signal(_)) && ended.anomalies.is_empty();
    let is_unusual = ended.cause != Cause::Own || is_killed;
    anomalies.extend(failure.filter(|_| is_unusual).map(|failure| failure.message.clone()));
    anomalies
}

/// The failure of a program's run, if any. For a program with a console, the console's code reports its success.
pub(super) fn ended_badly(ended: &Ended, program: &Program<'_>) -> Option<Failure> {
    let (code, message, hint) = match (ended.cause, ended.exit) {
        (Cause::Closed, _) | (Cause::Own, Exit::Code(_)) if program.console.is_some() => return None,
        (Cause::Own, Exit::Code(code)) if program.success_exit_codes.contains(&code) => return None,
        (Cause::Own, Exit::Code(code)) => (
            FailureCode::ToolFailed,
            format!("The tool ended with exit code {code}."),
            "See the section Stderr for the tool's own message.",
        ),
        (Cause::Own, Exit::Signal(signal)) => (
            FailureCode::ToolKilled,
            format!("The tool was killed by signal {signal}."),
            "It may have crashed or reached its limit of memory or CPU time.",
        ),
        (cause, _) => stopped(cause, &ended.limits, "The tool"),
    };
    Some(failure(code, "wait", program.name, message, hint))
}

/// The failure of a run that was cancelled.
pub(super) fn cancelled(name: &str, limits: &Limits) -> Failure {
    let (code, message, hint) = stopped(Cause::Cancelled, limits, "");
    failure(code, "wait", name, message, hint)
}

/// Why `who` was stopped: a code, a sentence and a hint.
pub(super) fn stopped(cause: Cause, limits: &Limits, who: &str) -> (FailureCode, String, &'static str) {
    let set = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
    let (code, what, hint) = match cause {
        Cause::Own | Cause::Closed | Cause::Cancelled => {
            return (
                FailureCode::Cancelled,
                "The run was cancelled.".to_owned(),
                "Drop the request again under a new id.",
            );
        }
        Cause::TimeLimit => {
            let message = format!("{who} was stopped at its time limit of {} ms.", limits.time_ms);
            return (FailureCode::Timeout, message, "Ask for less work, or for a higher time limit.");
        }
        Cause::StdoutLimit | Cause::StderrLimit => {
            let stream = if cause == Cause::StdoutLimit { "stdout" } else { "stderr" };
            let what = format!("printed more than {} bytes on {stream}", limits.stdout_bytes);
            (FailureCode::OutputLimit, what, "Ask for less output, or for a higher limit stdout_bytes.")
        }
        Cause::MemoryLimit { bytes } => {
            let what =
                format!("used {bytes} bytes of memory, more than its limit of {} bytes,", set(limits.memory_bytes));
            (FailureCode::MemoryLimit, what, "Ask for less work at a time, or for a higher memory limit.")
        }
        Cause::ProcessLimit => {
            let what = format!("had more than {} processes and threads at the same time", limits.processes);
            (FailureCode::ProcessLimit, what, "Ask for less work at a time, or for a higher process limit.")
        }
        Cause::OutLimit(Excess { folder, bytes, names }) => {
            let allowed = format!("{} bytes and {} names", set(limits.out_bytes), set(limits.out_files));
            let what =
                format!("left {bytes} bytes under {names} names in /{folder}, more than its limit of {allowed},");
            (FailureCode::OutputLimit, what, "Ask for less output, or for higher limits out_mb and out_files.")
        }
    };
    (code, format!("{who} {what} and was stopped."), hint)
}

/// The failure of a tool that did not start.
pub(super) fn not_started(name: &str, error: &ProcessError) -> Failure {
    let message = format!("The tool did not start: {error}.");
    failure(FailureCode::SpawnFailed, "spawn", name, message, "Ask the operator to install it or to fix its manifest.")
}

/// A failure that would occur again for the identical request.
pub(super) fn failure(code: FailureCode, operation: &str, target: &str, message: String, hint: &str) -> Failure {
    Failure {
        code,
        kind: if operation == "parse" { FailureKind::Parse } else { FailureKind::Runtime },
        operation: operation.to_owned(),
        target: target.to_owned(),
        retryable: false,
        message,
        hint: hint.to_owned(),
        reasons: Vec::new(),
    }
}
