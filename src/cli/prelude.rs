//! What almost every command shares: its declaration, its outcome, its failures, the site, and the words of documents.

pub use gatepost_documents::digest::Digest;
pub use gatepost_documents::id::RequestId;
pub use gatepost_documents::reason::{Code, Reason, Severity};
pub use gatepost_documents::text::quoted;
pub use gatepost_mailbox::fault::{Fault, OnPath};
pub use gatepost_mailbox::site::Site;
pub use schemars::JsonSchema;
pub use serde::Serialize;

pub use super::bounds::Bounds;
pub use super::counted::counted;
pub use super::declaration::{Danger, Declaration, data, either};
pub use super::effect::Effect;
pub use super::failure::Failure;
pub use super::failure_kind::FailureKind;
pub use super::outcome::{Outcome, View};
pub use super::show::visible_text;
pub use super::side_effect::{Subprocess, Write};
pub use super::site::Open;
pub use super::summary::{Each, Summary};
pub use super::table::table;
pub(super) use super::{exit, identifier, site};
