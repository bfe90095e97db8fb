//! TOOL-EXEC: it claims requests, decides whether they may run, runs them, and seals the results.
//!
//! *Security*: it executes, and the gate does not trust it: the gate judges every result. It never names the gate.

mod artifact;
pub mod authorize;
pub mod bag;
pub mod bundle;
pub mod catalog;
pub mod context;
pub mod coordinator;
pub mod dialogue;
mod environment;
pub mod evidence;
pub mod excerpt;
mod expectation;
pub mod file_system;
mod file_version;
pub mod fleet;
pub mod in_force;
pub mod inputs;
pub mod lane;
pub mod layout;
pub mod mailbox;
mod metrics;
pub mod packet_document;
pub mod pins;
pub mod pipeline;
pub mod policies;
pub mod policy;
mod program_version;
pub mod quota;
pub mod redaction;
pub mod result_document;
mod results_file;
pub mod review;
pub mod runs;
mod scan_id;
pub mod secrets;
mod sessions;
pub mod shell;
pub mod signature;
pub mod stage;
pub mod step_error;
pub mod toolbox;
mod transcript;
pub mod watch;
mod zeroizing;
