//! Compares values that both the document and the evidence state, or both the evidence and the files.

use std::collections::BTreeSet;

use super::{HINT, MANIFEST_FILE, Page};
use crate::bundle::STDERR_HEAD_BYTES;
use crate::consistency;
use crate::manifest::Manifest;
use crate::request::Request;
use crate::shape::Whole;
use gatepost_documents::evidence::{Evidence, HTTP_BODY_BYTES_MAX, Status, is_signature_path};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// The ids and the time in the document's front matter equal those in the folder's name.
pub(super) fn ids(whole: Whole<'_>, page: Page<'_>) -> Vec<Reason> {
    let id = whole.id;
    let front_matter = page.front_matter;
    let expected = [
        ("result_id", front_matter.result_id.as_str(), id.to_string()),
        ("request_id", front_matter.request_id.as_str(), id.request().to_string()),
        ("created_utc", &front_matter.created_utc, id.created().format("%Y-%m-%dT%H:%M:%SZ").to_string()),
    ];
    let differing = expected.into_iter().filter(|(_, found, expected)| found != expected);
    let reason = |(key, found, expected): (&str, &str, String)| {
        let message = format!("The value of {key} is \"{found}\", but the folder name says \"{expected}\".");
        page.at_key(key, Code::IdMismatch, message)
    };
    differing.map(reason).collect()
}

/// The values of the front matter equal those of the evidence.
pub(super) fn values(page: Page<'_>, evidence: &Evidence) -> Vec<Reason> {
    let front_matter = page.front_matter;
    let approved_by = evidence.approvals.first().map_or("", |approval| approval.approved_by.as_str());
    let pairs = [
        ("backend", front_matter.backend.clone(), evidence.backend.to_string()),
        ("exit_code", front_matter.exit_code.to_string(), evidence.exit_code.to_string()),
        ("runtime_sec", format!("{:.3}", front_matter.runtime_sec), seconds(evidence.duration_ms)),
        ("network_used", front_matter.network_used.clone(), evidence.network.used.to_string()),
        ("network_destinations", list(&front_matter.network_destinations), list(&evidence.network.destinations)),
        ("requested_by", front_matter.requested_by.clone(), evidence.requested_by.clone()),
        ("status", front_matter.status.as_str().to_owned(), evidence.status.as_str().to_owned()),
        ("tool", front_matter.tool.clone(), evidence.tool.clone()),
        ("tool_version", front_matter.tool_version.clone(), evidence.tool_version.clone()),
        ("manifest_sha256", front_matter.manifest_sha256.clone(), text(evidence.manifest_sha256)),
        ("request_sha256", front_matter.request_sha256.to_string(), evidence.request_sha256.to_string()),
        ("sandbox", front_matter.sandbox.clone(), evidence.sandbox.level.to_string()),
        ("approved_by", front_matter.approved_by.clone(), approved_by.to_owned()),
    ];
    let differing = pairs.into_iter().filter(|(_, found, expected)| found != expected);
    let reason = |(key, found, expected): (&str, String, String)| {
        let message = format!("The value of {key} is {}, but the evidence says {}.", quoted(&found), quoted(&expected));
        page.at_key(key, Code::EvidenceMismatch, message)
    };
    differing.map(reason).collect()
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1_000, milliseconds % 1_000)
}

fn list(items: &[String]) -> String {
    items.join("\n")
}

fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// Purpose, requester and declared approvals equal the request's. A request may be refused because they were unreadable.
pub(super) fn request(evidence: &Evidence, request: Option<&Request>) -> Vec<Reason> {
    let own = |text: fn(&Request) -> &str| request.map_or("", text);
    let words = [
        ("purpose", evidence.purpose.as_str(), own(|request| &request.purpose)),
        ("requester", &evidence.requested_by, own(|request| &request.requested_by)),
    ];
    let unread = |stated: &str| stated.is_empty() && consistency::is_refusal(evidence);
    let other = words.into_iter().filter(|(_, stated, own)| stated != own && !unread(stated));
    let words = other
        .map(|(name, stated, own)| format!("The {name} is {}, but the request says {}.", quoted(stated), quoted(own)));
    let declared = evidence.approvals.iter().filter(|approval| approval.proof.is_none());
    let undeclared = declared.filter(|approval| !request.is_some_and(|own| own.declares(approval)));
    let approvals = undeclared.map(|approval| {
        let (by, utc) = (quoted(&approval.approved_by), quoted(&approval.approved_utc));
        format!("The request does not declare that {by} approved it at {utc}.")
    });
    let messages = words.chain(approvals);
    messages.map(|message| Reason::new(Code::EvidenceMismatch, message, HINT).in_file(consistency::FILE)).collect()
}

/// The evidence names exactly the signatures in the bundle.
pub(super) fn signatures(whole: Whole<'_>, evidence: &Evidence) -> Vec<Reason> {
    let proofs = evidence.approvals.iter().filter_map(|approval| approval.proof.as_ref());
    let named: BTreeSet<&str> = proofs.chain(&evidence.requester_proof).map(|proof| proof.signature.as_str()).collect();
    let there: BTreeSet<&str> = whole.bundle.signatures.keys().map(String::as_str).collect();
    let paths = whole.bundle.files().map(|(path, ..)| path).filter(|path| is_signature_path(path));
    let unread = paths.filter(|path| !there.contains(path));
    let differing = named.symmetric_difference(&there).copied().chain(unread);
    let message =
        |path| format!("The evidence names {} but the bundle has no such file, or the reverse.", quoted(path));
    differing.map(|path| Reason::new(Code::EvidenceMismatch, message(path), HINT).in_file(consistency::FILE)).collect()
}

/// The manifest, if the run used one, is that of the tool in the evidence.
pub(super) fn manifest(evidence: &Evidence, manifest: Option<&Option<Manifest>>) -> Option<Reason> {
    let message = match manifest? {
        None => "Cannot read the tool name, version, output schema and sandbox in the manifest.".to_owned(),
        Some(manifest) if manifest.http.as_ref().map(|http| &http.method) != evidence.http_method.as_ref() => {
            "The manifest and the evidence name different HTTP methods.".to_owned()
        }
        Some(manifest) if manifest.name == evidence.tool && manifest.version == evidence.tool_version => return None,
        Some(Manifest { name, version, .. }) => {
            format!(
                "The manifest is for {} version {}, but the evidence names another tool or version.",
                quoted(name),
                quoted(version)
            )
        }
    };
    Some(Reason::new(Code::EvidenceMismatch, message, HINT).in_file(MANIFEST_FILE))
}

/// The exit code and HTTP status of a success mean success in the manifest.
pub(super) fn exit_code(evidence: &Evidence, manifest: Option<&Manifest>) -> Option<Reason> {
    let status = evidence.http_status.map(|status| format!(" and the HTTP status {status}")).unwrap_or_default();
    let message = format!("The status is success although the exit code is {}{status}.", evidence.exit_code);
    manifest
        .filter(|manifest| !manifest.takes_for_success(evidence))
        .map(|_| Reason::new(Code::EvidenceInvalid, message, HINT).in_file(consistency::FILE))
}

/// A run to which the network refused anything is a success only if the manifest allows it.
pub(super) fn refused_network(evidence: &Evidence, manifest: Option<&Manifest>) -> Option<Reason> {
    let is_wrong = evidence.status == Status::Success && evidence.network.has_refused();
    let message = "The status is success although the network refused something.";
    manifest
        .filter(|manifest| is_wrong && manifest.refusal_is_error)
        .map(|_| Reason::new(Code::EvidenceInvalid, message, HINT).in_file(consistency::FILE))
}

/// The beginning of stderr in the evidence equals that of the artifact.
pub(super) fn stderr(whole: Whole<'_>, evidence: &Evidence) -> Option<Reason> {
    let holds = is_beginning(&evidence.stderr, &whole.bundle.stderr_head, STDERR_HEAD_BYTES);
    let message = "The stderr in the evidence differs from the artifact.";
    (!holds).then(|| Reason::new(Code::EvidenceMismatch, message, HINT).in_file(consistency::FILE))
}

/// The beginning of the response body equals that of the artifact, and exists exactly when the status is an error.
pub(super) fn http_body(whole: Whole<'_>, evidence: &Evidence) -> Option<Reason> {
    let head = if evidence.is_http_error() { whole.bundle.stdout_head.as_slice() } else { &[] };
    let body = evidence.http_body.as_deref();
    let holds = body != Some("") && is_beginning(body.unwrap_or_default(), head, HTTP_BODY_BYTES_MAX);
    let message = "The response body in the evidence differs from the artifact, or has no error for its status.";
    (!holds).then(|| Reason::new(Code::EvidenceMismatch, message, HINT).in_file(consistency::FILE))
}

/// Whether a text is the beginning of a stream: its first `bytes_max` bytes, without a character that was cut.
fn is_beginning(text: &str, head: &[u8], bytes_max: usize) -> bool {
    let cut = head.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
    let whole = if head.len() == bytes_max { &head[..head.len() - cut] } else { head };
    String::from_utf8_lossy(whole) == text
}

/// The sizes of the streams equal those of the artifacts.
pub(super) fn sizes(whole: Whole<'_>, evidence: &Evidence) -> Vec<Reason> {
    let (bundle, usage) = (whole.bundle, &evidence.usage);
    let streams = [
        ("stdout", usage.stdout_bytes, bundle.stdout.bytes_total),
        ("stderr", usage.stderr_bytes, bundle.stderr.bytes_total),
    ];
    let differing = streams.into_iter().filter(|(_, stated, found)| stated != found);
    let reason = |(stream, stated, found)| {
        let message = format!("The evidence states {stated} bytes of {stream}, but the artifact has {found}.");
        Reason::new(Code::EvidenceMismatch, message, HINT).in_file(consistency::FILE)
    };
    differing.map(reason).collect()
}
