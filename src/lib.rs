//! x
pub mod process;
pub mod redaction;
pub mod sandbox;
