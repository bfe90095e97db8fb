//! Whether TOOL-EXEC can run a tool on this machine, independent of a request.

use gatepost_contract::manifest::{Backend, Command, Manifest, Parser, Runs};
use gatepost_documents::pins::Role;
use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;
use gatepost_sandbox::network::NetworkMode;
use gatepost_sandbox::process;

use super::{backend_fault, browser_fault, own_destinations, server_fault, shown_faults, worker};
use crate::context::Context;
use crate::lane::worker_program;
use crate::pins;
use crate::signature;
use crate::step_error::gather;
use crate::toolbox::{Files, Tool};

/// Why TOOL-EXEC refuses every call of a tool with these files.
pub(super) fn refusals(context: &Context, tool: &Tool, files: &Files) -> Result<Vec<Reason>, Fault> {
    let manifest = &tool.manifest;
    let mut reasons = Vec::new();
    reasons.extend(backend_fault(manifest).or_else(|| browser_fault(&context.config, manifest)));
    reasons.extend(worker(manifest).and_then(worker_program::missing));
    reasons.extend(server_fault(&context.config, manifest));
    reasons.extend(shown_faults(&context.site, &context.config, manifest));
    reasons.extend(signature::refusal(&context.site, tool)?);
    if let Some(pins) = gather(context.pins.read(), &mut reasons)? {
        reasons.extend(pins::state(&pins, tool, &files.listed).refusal(manifest.name(), context.config.tools.pins));
    }
    Ok(reasons)
}

/// Whether the machine has what every call of a tool needs: its files, the worker, the sandbox level and, if it may use a network, a
/// level that can restrict one.
pub fn can_run(context: &Context, tool: &Tool) -> Result<bool, Fault> {
    let manifest = &tool.manifest;
    let files = context.toolbox.files(manifest)?;
    let minimum = manifest.sandbox().minimum.unwrap_or(SandboxLevel::None);
    Ok(context.sandbox_fault.is_none()
        && minimum <= context.sandbox_level
        && has_network(context, manifest)
        && is_whole(manifest, &files)
        && refusals(context, tool, &files)?.is_empty())
}

/// Whether a network that a call may ask for can be had.
fn has_network(context: &Context, manifest: &Manifest) -> bool {
    let own = own_destinations(&context.config, manifest);
    let mode = manifest.network_mode().filter(|_| own.is_none());
    let may_use_one = mode.is_some() || own.is_some_and(|own| !own.is_empty());
    let has_uplink = mode != Some(NetworkMode::Routed) || process::uplink_fault().is_none();
    !may_use_one || (context.network_fault().is_none() && has_uplink)
}

/// Whether the program, executor and parser are there.
fn is_whole(manifest: &Manifest, files: &Files) -> bool {
    let runs_executor = matches!(manifest.backend(), Backend::Command(Command { runs: Runs::Executor(_), .. }));
    let needed = [
        (Role::Binary, manifest.program().is_some()),
        (Role::Executor, runs_executor),
        (Role::Parser, matches!(manifest.parser(), Parser::Script(_))),
    ];
    needed.into_iter().all(|(role, is_needed)| !is_needed || files.listed.iter().any(|file| file.role == role))
}
