//! `gatepost policy`: who may run what in this site, and why.

mod check;
mod explain;
mod foresee;
mod learn;

use std::path::Path;
use std::sync::Arc;

use crate::cli::prelude::*;
use gatepost_exec::policy::PolicySet;
use gatepost_exec::watch;

pub(super) use foresee::{Brought, Declared, foresee, secrets_missing};

/// The commands of `gatepost policy`.
pub(super) const DECLARATIONS: [Declaration; 3] = [
    Declaration::safe("policy.check", data::<check::Checked>).fails(&[ErrorCode::ConfigInvalid]),
    Declaration::safe("policy.explain", data::<explain::Explained>)
        .writes(&[Write::CONTROL_GROUPS, Write::PRIVATE_ROOT])
        .takes_ids()
        .fails(&[
            ErrorCode::ConfigInvalid,
            ErrorCode::SchemaViolation,
            ErrorCode::RequestNotFound,
            ErrorCode::OutOfScope,
        ]),
    Declaration::mutating("policy.learn", data::<learn::Learned>)
        .needs_to_list(&["core/inbound", "quarantine"])
        .writes(&[Write::argument("out")])
        .fails(&[ErrorCode::ConfigInvalid, ErrorCode::AlreadyExists]),
];

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {
    /// Check the policies of the site, and list them.
    Check,
    /// Show what the policies see of a request, what they decide, and what approvals would change; run nothing.
    Explain(explain::Arguments),
    /// Draft policies that would permit what no policy permits, from the evidence of results; never into policies/.
    Learn(learn::Arguments),
}

pub(super) fn run(at: Option<&Path>, command: &Command) -> Result<Outcome, Failure> {
    let open = site::open(at)?;
    match command {
        Command::Check => check::run(&open),
        Command::Explain(arguments) => explain::run(open, arguments),
        Command::Learn(arguments) => learn::run(&open, arguments),
    }
}

/// The policies of a site, if they are valid.
pub(super) fn valid(open: &Open) -> Result<Arc<PolicySet>, Failure> {
    Ok(watch::policies(&open.site, &open.config)?)
}
