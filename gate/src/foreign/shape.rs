//! Stage 1 of a bare document: one regular file that is called as its result.
//!
//! Its kind, mode and size intake has looked at. *Standards*: `ThreeGate` tool-result schema, "File Naming".

use crate::bundle::{Bundle, Entry};
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// Every fault of the shape, or the id in the file's name.
pub(super) fn check(bundle: &Bundle) -> Result<&ResultId, Vec<Reason>> {
    let document = bundle.document_path();
    let mut reasons = bundle.faults.clone();
    let hint = "A bare document stands alone; what lies beside it belongs to a bundle.";
    for path in bundle.entries.keys().filter(|path| **path != document) {
        let message = "Beside a bare document there is nothing else.";
        reasons.push(Reason::new(Code::FileUnlisted, message, hint).in_file(path));
    }
    if reasons.is_empty() && !matches!(bundle.entries.get(&document), Some(Entry::File { .. })) {
        reasons.push(Reason::new(Code::FileMissing, "The document is not there.", hint).in_file(&document));
    }
    match &bundle.id {
        Some(id) if reasons.is_empty() => Ok(id),
        Some(_) => Err(reasons),
        None => {
            reasons.insert(0, no_id(&document));
            Err(reasons)
        }
    }
}

/// The name of a file that is no result's.
pub(super) fn no_id(file: &str) -> Reason {
    let message = format!("The file's name {} is no result id with .md behind it.", quoted(file));
    Reason::new(Code::NameInvalid, message, "A result's file is TS-YYYYMMDD-HHMMSSZ-<request id>.md.").in_file(file)
}
