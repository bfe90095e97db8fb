//! The mailbox as an MCP server: a requester like any other.
//!
//! ```text
//! tools/call ──check──▶ note ──▶ inbox/TR-… ──TOOL-EXEC, the gate──▶ core/inbound/TS-… ──▶ result, or task
//! ```
//!
//! It writes `inbox/`, its own notes in `var/mcp/` and cancellations. It reads `core/` and, within its user's rights,
//! `var/`. It never runs a tool, and never decides who may run what or what a client may see. *Security*: every id,
//! name and text of a client is hostile. Text to a client comes from an accepted bundle, or is the server's own with
//! quotations. *Standards*: MCP 2026-07-28 with the tasks extension, MCP 2025-11-25, JSON-RPC 2.0.

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
