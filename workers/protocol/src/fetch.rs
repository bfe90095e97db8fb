//! `gatepost-worker-http fetch`: gets pages through the proxy of the run, one after the other.
//!
//! ```text
//! stdin: Assignment   ▶   out/sources.json out/responses.warc   stdout: the text of the pages   stderr: why there is nothing
//! ```
//!
//! It succeeds for any answer of the servers: its list has the outcome of each URL ([`gatepost_documents::sources`]).

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use super::http::WORKER;

/// The argument after the program's name.
pub const ARGUMENT: &str = "fetch";

/// The pages, and their limits. The proxy enforces the destinations too.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Assignment {
    /// The URLs.
    pub urls: Vec<String>,
    /// `host:port` of every destination that a page or a redirect may lead to.
    pub destinations: Vec<String>,
    /// Whether `http://` is permitted besides `https://`.
    pub plain_http: bool,
    /// Whether robots.txt is obeyed.
    pub robots: bool,
    /// The most bytes of a body.
    pub body_bytes_max: u64,
    /// The longest that one page may take, with its redirects, milliseconds.
    pub page_ms: u64,
    /// A PEM file of certificates that replace the machine's roots.
    pub ca_file: Option<PathBuf>,
    /// The proxy's URL; without one the servers are reached directly.
    pub proxy: Option<String>,
}
