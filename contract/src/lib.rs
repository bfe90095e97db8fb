//! What is asked of TOOL-EXEC and what may be asked of it: requests, manifests, scope, the configuration of a site, and how raw output
//! becomes results.
//!
//! Pure: bytes in, values out. *Security*: requests and output are a stranger's; every reader is bounded and names all that is wrong.

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
