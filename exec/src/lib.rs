//! TOOL-EXEC: it claims requests, decides whether they may run, runs them, and seals what came of it.
//!
//! *Security*: it executes, and nobody believes it: the gate judges all that it seals. It never names the gate.

pub mod artifact;
pub mod authorize;
pub mod bag;
pub mod bundle;
pub mod catalog;
pub mod context;
pub mod coordinator;
pub mod dialogue;
pub mod environment;
pub mod evidence;
pub mod excerpt;
pub mod expectation;
pub mod file_system;
pub mod in_force;
pub mod inputs;
pub mod lane;
pub mod layout;
pub mod log;
pub mod mailbox;
pub mod metrics;
pub mod pins;
pub mod pipeline;
pub mod policies;
pub mod policy;
pub mod program_version;
pub mod redaction;
pub mod result_document;
pub mod results_file;
pub mod scan_id;
pub mod secrets;
pub mod sessions;
pub mod shell;
pub mod signature;
pub mod stage;
pub mod stamp;
pub mod step_error;
pub mod toolbox;
pub mod transcript;
pub mod user;
pub mod watch;
pub mod wiped;
