//! The contract of TOOL-EXEC: requests, manifests, scope, the configuration of a site, and the parsers of raw output.
//!
//! Pure: bytes in, values out. *Security*: requests and output are a stranger's; every reader is bounded and reports every fault.

pub mod argument_value;
pub mod config;
pub mod environment;
pub mod manifest;
pub mod nearest;
pub mod network;
pub mod parser;
pub mod request;
pub mod sandbox_root;
pub mod scope;
mod toml_source;
