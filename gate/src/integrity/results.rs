//! Results that are too large for the evidence lie in a file of their own, which the evidence names.
//!
//! *Security*: the file is a tool's output; it is read as strictly, and within the same bounds, as the evidence.

use serde_json::Value;

use super::HINT;
use crate::bundle::{Bundle, Role};
use crate::consistency;
use gatepost_documents::evidence::{Evidence, RESULTS_FILE};
use gatepost_documents::json;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// The results in the file, if there is one.
pub(super) fn read(bundle: &Bundle, evidence: &Evidence) -> Result<Option<Value>, Reason> {
    let file = bundle.bytes.get(&Role::Results);
    if evidence.results_file.as_deref() != file.map(|_| RESULTS_FILE) {
        let message = format!("The evidence does not name {RESULTS_FILE} exactly when it is there.");
        return Err(Reason::new(Code::EvidenceMismatch, message, HINT).in_file(consistency::FILE));
    }
    file.map(|bytes| json::read(bytes)).transpose().map_err(|error| {
        let message = format!("The results cannot be read: {}.", quoted(&error.to_string()));
        Reason::new(Code::EvidenceInvalid, message, HINT).in_file(RESULTS_FILE)
    })
}
