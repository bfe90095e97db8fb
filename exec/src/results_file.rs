//! Results that are too large for the evidence: compact JSON in `artifacts/results.json`.
//!
//! *Standards*: `schemas/evidence.schema.md`.

use std::io::Write;
use std::path::Path;

use gatepost_documents::evidence::{Evidence, RESULTS_FILE};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use serde_json::Value;

/// The most bytes of results as compact JSON in the evidence.
const EVIDENCE_BYTES_MAX: usize = 1 << 20;

/// Moves too large results from the evidence into the staging folder `folder`. Removes the file of an earlier
/// attempt.
pub(crate) fn set_aside(evidence: &mut Evidence, folder: &Path) -> Result<(), Fault> {
    let path = folder.join(RESULTS_FILE);
    durable::remove_tree(&path)?;
    let json = serde_json::to_vec(&evidence.results).map_err(std::io::Error::from).on("write", &path)?;
    if json.len() > EVIDENCE_BYTES_MAX {
        durable::create_new(&path)?.write_all(&json).on("write", &path)?;
        evidence.results = Value::Null;
        evidence.results_file = Some(RESULTS_FILE.to_owned());
    }
    Ok(())
}
