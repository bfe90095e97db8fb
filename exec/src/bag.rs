//! Bags: folders with a manifest of their content, for transport across a gap on a medium.
//!
//! ```text
//! bagit.txt                 BagIt-Version: 1.0, Tag-File-Character-Encoding: UTF-8
//! bag-info.txt              time, maker and size
//! manifest-sha256.txt       the digest of each file below data/
//! tagmanifest-sha256.txt    those of the files beside it
//! data/requests/TR-…/       TR-….md or TR-….json, in/ and approvals/: each as it is dropped into an inbox
//! data/results/TS-…/        as in core/inbound/
//! data/proofs/TS-….json     that the gate's log holds the decision that accepted it
//! data/log/                 checkpoint and key.pub of that log
//! data/keys/                the lists of keys by which signatures in the results are verified
//! ```
//!
//! *Standards*: RFC 8493. gatepost writes and demands only SHA-256, and never fetches anything. Known weakness: Python's package
//! `bagit` 1.9.0 does not read `%25`, which section 2.1.3 demands for a percent sign, and misses files with one in their names.

use std::fs::File;
use std::path::Path;

use gatepost_documents::digest::{Digest, Hasher};

pub mod manifest;
pub mod reading;
pub mod writing;

/// The folder of the payload.
pub const PAYLOAD: &str = "data/";
/// The folder of requests, in the payload.
pub const REQUESTS: &str = "requests";
/// The folder of results, in the payload.
pub const RESULTS: &str = "results";

/// The most reasons in a report.
pub const REASONS_MAX: usize = 20;

const DECLARATION_FILE: &str = "bagit.txt";
const DECLARATION: &str = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
const INFO_FILE: &str = "bag-info.txt";
const MANIFEST_FILE: &str = "manifest-sha256.txt";
const TAG_MANIFEST_FILE: &str = "tagmanifest-sha256.txt";

/// Whether a file with this digest was copied before.
fn is_there(path: &Path, digest: Digest) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file());
    is_file && File::open(path).and_then(Hasher::read).is_ok_and(|(found, _)| found == digest)
}
