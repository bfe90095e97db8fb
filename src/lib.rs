//! gatepost: a filesystem mailbox with a gate. The command line, which starts the other programs.

pub mod cli;

pub use gatepost_contract::{argument_value, config, manifest, nearest, parser, request, scope};
pub use gatepost_exec::{
    artifact, authorize, bag, bundle, catalog, context, coordinator, dialogue, environment, evidence, excerpt,
    expectation, file_system, in_force, inputs, lane, log, mailbox, metrics, pins, pipeline, policies, policy,
    program_version, redaction, result_document, results_file, scan_id, secrets, sessions, shell, signature, stamp,
    step_error, toolbox, transcript, user, wiped,
};
pub use gatepost_sandbox::{self as sandbox, cancel, network, process};
