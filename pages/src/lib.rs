//! The pages of a site: the outcome of each request, in one file or served on loopback.
//!
//! It reads the site with the rights of its user and writes no file. *Security*: it shows strangers' words. It shows
//! them as text only, runs no script, and shows nothing of a rejected result that a tool said.

#![forbid(unsafe_code)]

mod page;
mod quarantine;
pub mod report;
pub mod serve;

use gatepost_documents::pages_answer::Answer;
use gatepost_mailbox::fault::Fault;

/// The answer of a program that cannot read its site.
pub fn fault(Fault { operation, path, source }: Fault) -> Answer {
    Answer::Fault { operation: operation.to_owned(), path, errno: source.raw_os_error(), message: source.to_string() }
}
