//! gatepost: a filesystem mailbox with a gate.

pub mod manifest;
pub mod parser;
pub mod process;
pub mod sandbox;
pub mod scope;
