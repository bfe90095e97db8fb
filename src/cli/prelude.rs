//! Common imports of the commands: declaration, outcome, failures, site, and document types.

pub(super) use gatepost_documents::digest::Digest;
pub(super) use gatepost_documents::id::RequestId;
pub(super) use gatepost_documents::reason::{Code, Reason, Severity};
pub(super) use gatepost_documents::text::quoted;
pub(super) use gatepost_mailbox::fault::{Fault, OnPath};
pub(super) use gatepost_mailbox::site::Site;
pub(super) use schemars::JsonSchema;
pub(super) use serde::Serialize;

pub(super) use super::bounds::Bounds;
pub(super) use super::counted::counted;
pub(super) use super::declaration::{Danger, Declaration, data, either};
pub(super) use super::effect::Effect;
pub(super) use super::error_code::ErrorCode;
pub(super) use super::failure::Failure;
pub(super) use super::failure_kind::FailureKind;
pub(super) use super::outcome::{Outcome, View};
pub(super) use super::show::visible_text;
pub(super) use super::side_effect::{Subprocess, Write};
pub(super) use super::site::Open;
pub(super) use super::summary::{Each, Summary};
pub(super) use super::table::table;
pub(super) use super::{exit, identifier, site};
