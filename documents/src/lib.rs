//! The vocabulary that the writer and the reader of a result share: values that cannot be malformed.
//!
//! Ids, digests, reasons, verdicts, evidence, front matter, strict JSON. Pure: no file, clock, environment or process.
//!
//! ```
//! use gatepost_documents::id::ResultId;
//!
//! let id = ResultId::parse("TS-20260209-161030Z-TR-20260209-160501Z-stats").unwrap();
//! assert_eq!(id.request().as_str(), "TR-20260209-160501Z-stats");
//! assert!(ResultId::parse("TS-20260209-161030Z-TR-20260209-160501Z-../stats").is_err());
//! ```

#![forbid(unsafe_code)]

pub mod artifact_name;
pub mod attestation;
pub mod clock;
pub mod decimal;
pub mod destination;
pub mod digest;
pub mod enforced;
pub mod escape;
pub mod evidence;
pub mod exit;
pub mod front_matter;
pub mod id;
pub mod implied_schema;
pub mod json;
pub mod log_proof;
pub mod not_checked;
pub mod pages_answer;
pub mod phrase;
pub mod pins;
pub mod program;
pub mod reason;
pub mod release;
pub mod request_form;
pub mod request_summary;
pub mod sandbox_level;
pub mod sources;
pub mod text;
pub mod verdict;
pub mod visits;
