//! Checks `evidence.json` by itself: one strict JSON object of the published form, whose fields agree.
//!
//! Standards: ToolClad, "Output & Evidence"; `gate/src/evidence.rs` for the fields.

use chrono::{DateTime, Utc};

use gatepost_documents::evidence::{
    self, Approval, ApprovalMode, Backend, Evidence, FailureCode, NetworkUse, Policy, PolicyDecision, Proof, Status,
    StopReason, Usage,
};
use gatepost_documents::json;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

mod extent;
mod learn;
mod network;
mod sandbox;

/// The file's name, in a bundle and in reasons.
pub(crate) const FILE: &str = "evidence.json";

/// Reads the evidence.
pub(crate) fn read(bytes: &[u8]) -> Result<Evidence, Vec<Reason>> {
    // Parsed again from the bytes: an intermediate value would spell some numbers differently.
    let read = json::read(bytes).and_then(|_| serde_json::from_slice(bytes));
    read.map_err(|error| vec![invalid(format!("Cannot read the evidence: {}.", quoted(&error.to_string())))])
}

/// Evidence has one spelling: the one that the writer prints. `evidence` is the parsed form of the bytes.
pub(crate) fn other_spelling(bytes: &[u8], evidence: &Evidence) -> Option<Reason> {
    let canonical = serde_json::to_vec_pretty(evidence).unwrap_or_default();
    let is_canonical = bytes.strip_suffix(b"\n") == Some(&canonical);
    (!is_canonical).then(|| invalid("The evidence is not indented JSON with ordered keys and one newline at the end."))
}

/// Whether the evidence reports a request that was refused and never ran.
pub(crate) fn is_refusal(evidence: &Evidence) -> bool {
    evidence.error.as_ref().is_some_and(|error| error.code == FailureCode::RequestRefused)
}

/// Whether the evidence has no fields of a manifest's call. A refusal may state only which policies decided.
pub(crate) fn is_without_call(evidence: &Evidence) -> bool {
    is_refusal(evidence) && evidence.manifest_sha256.is_none()
}

/// When the tool started.
pub(crate) fn started(evidence: &Evidence) -> Option<DateTime<Utc>> {
    time(&evidence.timestamp)
}

/// A UTC time written with a `Z`.
pub(crate) fn time(text: &str) -> Option<DateTime<Utc>> {
    let plain = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b':' | b'.' | b'T' | b'Z'));
    DateTime::parse_from_rfc3339(text).ok().filter(|_| plain && text.ends_with('Z')).map(|time| time.to_utc())
}

/// Every contradiction within the evidence.
pub(crate) fn faults(evidence: &Evidence) -> Vec<Reason> {
    let Evidence { status, exit_code, error, stop_reason, results, backend, .. } = evidence;
    let [success, delegated] = [Status::Success, Status::Delegated].map(|other| *status == other);
    let refusal = is_refusal(evidence);
    let is_clad_run = *backend == Backend::Clad && !refusal;
    let rules = [
        // A manifest may define other codes as success; a later stage checks that with the manifest.
        (!success || *exit_code == 0 || is_clad_run, "The status is success although the exit code is not 0."),
        (!success || *stop_reason == StopReason::Completed, "The status is success although the run did not complete."),
        ((success || delegated) == error.is_none(), "The error does not fit the status."),
        (!delegated || is_untouched(evidence), "The call was delegated to the caller, but something ran."),
        (
            (*status == Status::Timeout) == (*stop_reason == StopReason::Timeout),
            "Status and stop reason contradict each other.",
        ),
        (*status != Status::Timeout || *exit_code == -1, "The status is timeout although the exit code is not -1."),
        (
            refusal == error.as_ref().is_some_and(|error| !error.reasons.is_empty()),
            "The evidence has reasons without a refusal, or a refusal without reasons.",
        ),
        (
            !refusal || (*status == Status::Error && *exit_code == -1),
            "The status of a refusal is not error, or its exit code is not -1.",
        ),
        (!refusal || results.is_null(), "A refusal has results."),
        (
            evidence.results_file.is_none() || (success && results.is_null()),
            "A results file exists beside inline results, or without status success.",
        ),
        (
            !refusal || (evidence.argv.is_empty() && evidence.command.is_empty() && evidence.interactions.is_empty()),
            "A refusal has a command, an argument vector or interactions.",
        ),
        (
            !refusal
                || if is_without_call(evidence) { evidence.arguments.is_empty() } else { evidence.policy.is_some() },
            "A refusal has arguments without a manifest, or a manifest without a policy decision.",
        ),
        (*backend != Backend::None || evidence.tool.is_empty(), "The evidence names a tool but no lane."),
        (!is_clad_run || evidence.manifest_sha256.is_some(), "The lane clad ran without a manifest."),
        (
            evidence.programs.is_empty() || evidence.manifest_sha256.is_some(),
            "Files of a tool are listed without a manifest.",
        ),
        // An unreadable request asked for no lane.
        (refusal || *backend != Backend::None, "The backend is not a lane."),
        (
            is_http(evidence, *backend == Backend::Clad && !is_without_call(evidence)),
            "The HTTP fields of the evidence contradict each other, or have no manifest.",
        ),
        (!is_run_without_permission(evidence), "The tool ran without the policies' permission, and not in learn mode."),
        (is_executor(&evidence.executor), "The executor is not a short printable name."),
        (is_scan_id(&evidence.scan_id), "The scan id is not seconds, a dash and 16 hexadecimal digits."),
        (started(evidence).is_some(), "The timestamp is not RFC 3339 in UTC."),
        (time(&evidence.dropped.utc).is_some(), "The time of the drop is not RFC 3339 in UTC."),
        (
            evidence.approvals.iter().all(is_approval),
            "An approval has no time in UTC, or no proof in the form of its mode.",
        ),
        (evidence.requester_proof.as_ref().is_none_or(is_proof), "The proof of the requester has an invalid form."),
        (
            !refusal || (evidence.approvals.is_empty() && evidence.requester_proof.is_none()),
            "A refusal has an approval or a proof, although a refusal needs neither.",
        ),
    ];
    let mut reasons: Vec<_> = rules.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| invalid(fault)).collect();
    reasons.extend(extent::faults(evidence).into_iter().map(invalid));
    reasons.extend(learn::faults(evidence).into_iter().map(invalid));
    reasons.extend(sandbox::faults(&evidence.sandbox).into_iter().map(invalid));
    reasons.extend(network::faults(&evidence.network).into_iter().map(invalid));
    reasons
}

/// Whether nothing ran.
pub(crate) fn is_untouched(evidence: &Evidence) -> bool {
    let Evidence { results, exit_code, usage, duration_ms, network, argv, anomalies, .. } = evidence;
    let has_nothing = results.is_null() && argv.is_empty() && anomalies.is_empty() && *usage == Usage::default();
    let has_nothing = has_nothing && evidence.http_status.is_none();
    has_nothing && *exit_code == -1 && *duration_ms == 0 && network.used == NetworkUse::None
}

/// Whether the facts about an HTTP call are complete: a method, with which its command begins, and a status if a
/// response came over the network. A success needs a status.
fn is_http(evidence: &Evidence, has_manifest: bool) -> bool {
    let Evidence { http_status, http_method, status, argv, network, .. } = evidence;
    let has_reached = !network.destinations.is_empty();
    let has_status = has_reached && http_status.is_some_and(|code| (100..=599).contains(&code));
    let is_called = *status != Status::Delegated && !is_refusal(evidence);
    if is_called && http_method.is_some() && argv.first() != http_method.as_ref() {
        return false;
    }
    match http_method.as_deref() {
        None => http_status.is_none(),
        Some("GET" | "POST" | "PUT" | "PATCH" | "DELETE") if has_manifest => {
            has_status || (http_status.is_none() && *status != Status::Success)
        }
        Some(_) => false,
    }
}

fn is_approval(approval: &Approval) -> bool {
    let is_signed = approval.mode == ApprovalMode::Signature;
    let has_form = approval.proof.as_ref().is_none_or(is_proof);
    time(&approval.approved_utc).is_some() && is_signed == approval.proof.is_some() && has_form
}

fn is_proof(proof: &Proof) -> bool {
    evidence::is_fingerprint(&proof.key) && evidence::is_signature_path(&proof.signature)
}

fn is_run_without_permission(evidence: &Evidence) -> bool {
    let is_permitted = |policy: &Policy| policy.decision == PolicyDecision::Permitted || evidence.learn.is_some();
    !is_refusal(evidence) && !evidence.policy.as_ref().is_some_and(is_permitted)
}

/// The evidence shows it unchanged in a code span.
fn is_executor(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'`')
}

/// Whether a text is the id of an execution: seconds, and 16 hexadecimal digits.
pub(crate) fn is_scan_id(text: &str) -> bool {
    let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    text.split_once('-').is_some_and(|(seconds, random)| {
        let decimal = !seconds.is_empty() && seconds.len() <= 12 && seconds.bytes().all(|byte| byte.is_ascii_digit());
        decimal && random.len() == 16 && random.bytes().all(hexadecimal)
    })
}

fn invalid(message: impl Into<String>) -> Reason {
    let hint = "Write the evidence once, after the tool ends, and seal the result again.";
    Reason::new(Code::EvidenceInvalid, message, hint).in_file(FILE)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// The evidence of a run whose tool printed these results, as TOOL-EXEC writes it.
    fn written(results: &str) -> Vec<u8> {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/vectors/base/success/TS-20260209-161030Z-TR-20260209-160501Z-line-count/evidence.json"
        );
        let mut evidence: Evidence = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        evidence.results = serde_json::from_str::<Value>(results).unwrap();
        let mut bytes = serde_json::to_vec_pretty(&evidence).unwrap();
        bytes.push(b'\n');
        bytes
    }

    #[test]
    fn any_number_of_a_tool_is_written_in_the_one_spelling() {
        let fixed = "[1, 1.0, 1e2, 1E-7, -0, -0.0, 0.1, 1e22, 5e-324, 2.2250738585072011e-308, 1.7976931348623157e308,
            18446744073709551615, 18446744073709551616, -9223372036854775809, 0.30000000000000004, 8.589973e9,
            31.245270191439438, 121.48791951161945, 100.78399658203125, 9007199254740993.0]";
        let many: Vec<_> = (1..20_000_u64)
            .map(|n| f64::from_bits(n.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
            .filter(|number| number.is_finite())
            .map(|number| format!("{number:e}"))
            .collect();
        for results in [fixed, "{\"b\": {\"z\": 1, \"a\": []}, \"a\": {}}", &format!("[{}]", many.join(","))] {
            let bytes = written(results);
            assert_eq!(other_spelling(&bytes, &read(&bytes).unwrap()), None);
        }
    }
}
