//! The pages of a site: what became of each request, in one file or served on loopback.
//!
//! It reads the site with the rights of its user, and writes no file. *Security*: what it shows was said by strangers. All of it is shown as
//! text, no page runs a script, and of a result that the gate did not accept nothing is shown that a tool said.

#![forbid(unsafe_code)]

pub mod answer;
mod page;
mod quarantine;
pub mod report;
pub mod serve;
