//! gatepost: a filesystem mailbox with a gate.

pub mod argument_value;
pub mod artifact;
pub mod bundle;
pub mod cli;
pub mod config;
pub mod environment;
pub mod evidence;
pub mod excerpt;
pub mod exec;
pub mod inputs;
pub mod lane;
pub mod log;
pub mod mailbox;
pub mod manifest;
mod nearest;
pub mod parser;
pub mod pipeline;
pub mod policy;
pub mod process;
pub mod redaction;
pub mod request;
pub mod result_document;
pub mod sandbox;
pub mod scope;
pub mod shell;
pub mod site_layout;
pub mod toolbox;
