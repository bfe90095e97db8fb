//! gatepost: a filesystem mailbox with a gate.

pub mod argument_value;
pub mod manifest;
pub mod parser;
pub mod process;
pub mod request;
pub mod sandbox;
pub mod scope;
