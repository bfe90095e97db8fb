//! The mailbox as an MCP server: a requester like any other.
//!
//! ```text
//! tools/call ──check──▶ note ──▶ inbox/TR-… ──TOOL-EXEC, the gate──▶ core/inbound/TS-… ──▶ result, or task
//! ```
//!
//! It writes `inbox/`, its own notes in `var/mcp/` and cancellations, and reads `core/` and, as far as its user may, `var/`. It never runs a
//! tool, and never decides: neither who may run what, nor what a client may see. *Security*: every id, name and text of a client is hostile;
//! every text to a client comes out of an accepted bundle, or is a sentence of the server's own that quotes. *Standards*: MCP 2026-07-28 with
//! the tasks extension, MCP 2025-11-25, JSON-RPC 2.0.

#![forbid(unsafe_code)]

pub mod answer;
pub mod arguments;
pub mod artifact;
pub mod call;
pub mod cancel;
pub mod catalog;
pub mod context;
pub mod dialect;
pub mod drop;
pub mod note;
pub mod own_tools;
pub mod pages;
pub mod principal;
pub mod serve;
pub mod task;
mod wanted;
