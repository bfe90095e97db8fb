//! The limits in force are at most those of the request and its manifest. The site's own limits are unknown here.

use super::HINT;
use crate::consistency;
use crate::manifest::Manifest;
use crate::request::Request;
use gatepost_documents::evidence::{Evidence, Status};
use gatepost_documents::reason::{Code, Reason};

/// How far a run may exceed its time limit, because a busy machine notices its end late.
const TIME_SLACK_MS: u64 = 10_000;

/// Every limit that is too high, and a success that took too long.
pub(super) fn faults(evidence: &Evidence, request: &Request, manifest: Option<&Manifest>) -> Vec<Reason> {
    let (asked, limits) = (&request.limits, &evidence.limits);
    let declared = manifest.map(|manifest| &manifest.limits);
    let mebibytes = |count: u64| count.saturating_mul(1 << 20);
    let milliseconds = |count: u64| count.saturating_mul(1_000);
    let rules = [
        ("time_ms", Some(limits.time_ms), asked.time_seconds.map(milliseconds), "the request"),
        ("time_ms", Some(limits.time_ms), declared.map(|own| milliseconds(own.timeout_seconds)), "the manifest"),
        ("cpus", limits.cpus, asked.cpu_cores.map(whole), "the request"),
        (
            "cpu_seconds",
            Some(limits.cpu_seconds),
            asked.cpu_cores.map(|cores| busy(cores, limits.time_ms)),
            "the request",
        ),
        ("cpu_seconds", Some(limits.cpu_seconds), declared.and_then(|own| own.cpu_seconds), "the manifest"),
        ("memory_bytes", limits.memory_bytes, asked.memory_mb.map(mebibytes), "the request"),
        ("memory_bytes", limits.memory_bytes, declared.and_then(|own| own.memory_mb).map(mebibytes), "the manifest"),
        ("files", Some(limits.files), declared.and_then(|own| own.files), "the manifest"),
        ("stdout_bytes", Some(limits.stdout_bytes), declared.and_then(|own| own.stdout_bytes), "the manifest"),
    ];
    let message = |(name, found, allowed, who): (&str, Option<u64>, Option<u64>, &str)| {
        let (found, allowed) = (found?, allowed?);
        (found > allowed).then(|| format!("The limit {name} is {found}, but {who} allows {allowed}."))
    };
    let reason = |message| Reason::new(Code::LimitExceeded, message, HINT).in_file(consistency::FILE);
    rules.into_iter().filter_map(message).chain(overtime(evidence)).map(reason).collect()
}

fn overtime(evidence: &Evidence) -> Option<String> {
    let (took, allowed) = (evidence.duration_ms, evidence.limits.time_ms);
    let is_over = evidence.status == Status::Success && took > allowed.saturating_add(TIME_SLACK_MS);
    is_over.then(|| format!("The status is success although the run took {took} ms of {allowed} ms allowed."))
}

/// The processor time that a number of cores have in an interval, seconds.
#[expect(clippy::cast_precision_loss, reason = "a time that long is no longer exact to the second")]
fn busy(cores: f64, time_ms: u64) -> u64 {
    // The kernel's limit has whole seconds.
    whole(cores * time_ms.div_ceil(1_000) as f64)
}

/// Rounds up to a whole number, at least 1.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast from a float saturates")]
fn whole(number: f64) -> u64 {
    number.ceil().max(1.0) as u64
}
