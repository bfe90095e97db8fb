//! Results that are too large for the evidence are in a file of their own, which the evidence names.
//!
//! *Security*: the file is a tool's output. It is parsed as strictly as the evidence, within the same bounds, and after
//! all other checks pass: then the evidence is as small as the document that repeats it, and both fit in memory.

use serde_json::Value;

use super::HINT;
use crate::bundle::{Bundle, Role};
use crate::consistency;
use gatepost_documents::evidence::{Evidence, RESULTS_FILE};
use gatepost_documents::json;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// The results in the file, if it exists and is not larger than the gate reads.
pub(super) fn read(bundle: &Bundle, evidence: &Evidence) -> Result<Option<Value>, Reason> {
    let is_there = bundle.digest_of(RESULTS_FILE).is_some();
    if evidence.results_file.as_deref() != is_there.then_some(RESULTS_FILE) {
        let message = format!("The evidence names {RESULTS_FILE} but the bundle lacks it, or the reverse.");
        return Err(Reason::new(Code::EvidenceMismatch, message, HINT).in_file(consistency::FILE));
    }
    bundle.bytes.get(&Role::Results).map(|bytes| json::read(bytes)).transpose().map_err(|error| {
        let message = format!("Cannot read the results: {}.", quoted(&error.to_string()));
        Reason::new(Code::EvidenceInvalid, message, HINT).in_file(RESULTS_FILE)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Entry;
    use gatepost_documents::digest::Digest;

    fn evidence(results_file: Option<&str>) -> Evidence {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/vectors/base/success/TS-20260209-161030Z-TR-20260209-160501Z-line-count/evidence.json"
        );
        let evidence: Evidence = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        Evidence { results: Value::Null, results_file: results_file.map(str::to_owned), ..evidence }
    }

    fn bundle(file: Option<&str>) -> Bundle {
        let mut bundle = Bundle::default();
        for bytes in file.into_iter().map(str::as_bytes) {
            let entry = Entry::File { bytes: bytes.len() as u64, digest: Digest::of(bytes) };
            bundle.entries.insert(RESULTS_FILE.to_owned(), entry);
            bundle.bytes.insert(Role::Results, bytes.to_owned());
        }
        bundle
    }

    #[test]
    fn a_file_of_results_is_there_exactly_when_the_evidence_names_it() {
        assert_eq!(read(&bundle(None), &evidence(None)), Ok(None));
        assert_eq!(read(&bundle(Some("[1]")), &evidence(Some(RESULTS_FILE))), Ok(Some(serde_json::json!([1]))));
        for (file, named) in [
            (Some("[1]"), None),
            (None, Some(RESULTS_FILE)),
            (Some("[1]"), Some("artifacts/out/results.json")),
            (Some("[1]"), Some("../results.json")),
        ] {
            let reason = read(&bundle(file), &evidence(named)).unwrap_err();
            assert_eq!(reason.code, Code::EvidenceMismatch, "{file:?} {named:?}");
        }
    }

    #[test]
    fn results_that_readers_would_take_differently_are_refused() {
        for text in ["{\"a\": 1, \"a\": 2}", "[1", "", "[1] [2]"] {
            let reason = read(&bundle(Some(text)), &evidence(Some(RESULTS_FILE))).unwrap_err();
            assert_eq!(reason.code, Code::EvidenceInvalid, "{text}");
        }
    }
}
