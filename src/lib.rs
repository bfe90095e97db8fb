//! TOOL-EXEC and the command line of gatepost.

pub mod manifest;
pub mod parser;
pub mod scope;
