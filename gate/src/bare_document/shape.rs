//! Stage 1 of a bare document: one regular file with the name of a result.
//!
//! Intake checked its type, mode and size. *Standards*: `ThreeGate` tool-result schema, "File Naming".

use super::BareDocument;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// Every fault of the shape, or the id in the file's name.
pub(super) fn check(document: &BareDocument) -> Result<&ResultId, Vec<Reason>> {
    let mut reasons = document.faults.clone();
    if reasons.is_empty() && !document.is_whole() {
        let hint = "A bare document is one file; publish it again.";
        reasons.push(Reason::new(Code::FileMissing, "The document is missing.", hint).in_file(document.path()));
    }
    match &document.id {
        Some(id) if reasons.is_empty() => Ok(id),
        Some(_) => Err(reasons),
        None => {
            reasons.insert(0, no_id(&document.path()));
            Err(reasons)
        }
    }
}

/// A file name that is not a result's.
pub(super) fn no_id(file: &str) -> Reason {
    let message = format!("The file name {} is not a result id followed by .md.", quoted(file));
    Reason::new(Code::NameInvalid, message, "Name the file TS-YYYYMMDD-HHMMSSZ-<request id>.md.").in_file(file)
}
