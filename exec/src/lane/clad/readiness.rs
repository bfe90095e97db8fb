//! Whether TOOL-EXEC can run a tool on this machine, independent of a request.

use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::Fault;

use super::{backend_fault, browser_fault, own_destinations, server_fault, shown_faults, worker};
use crate::context::Context;
use crate::lane::worker_program;
use crate::signature;
use crate::toolbox::Tool;

/// Why TOOL-EXEC refuses every call of a tool.
pub(super) fn refusals(context: &Context, tool: &Tool) -> Result<Vec<Reason>, Fault> {
    let manifest = &tool.manifest;
    let mut reasons = Vec::new();
    reasons.extend(backend_fault(manifest).or_else(|| browser_fault(&context.config, manifest)));
    reasons.extend(worker(manifest).and_then(worker_program::missing));
    reasons.extend(server_fault(&context.config, manifest));
    reasons.extend(shown_faults(&context.site, &context.config, manifest));
    reasons.extend(signature::refusal(&context.site, tool)?);
    Ok(reasons)
}

/// Whether the machine has what every call of a tool needs: programs, worker, sandbox level and, if it may use a network, a level that
/// can restrict one.
pub fn can_run(context: &Context, tool: &Tool) -> Result<bool, Fault> {
    let manifest = &tool.manifest;
    let own = own_destinations(&context.config, manifest);
    let may_use_network = own.map_or(manifest.network_mode().is_some(), |own| !own.is_empty());
    let minimum = manifest.sandbox().minimum.unwrap_or(SandboxLevel::None);
    Ok(context.sandbox_fault.is_none()
        && minimum <= context.sandbox_level
        && !(may_use_network && context.network_fault().is_some())
        && context.toolbox.files(manifest).is_ok()
        && refusals(context, tool)?.is_empty())
}
