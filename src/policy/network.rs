//! Whether the network that a request asks for can be given: every pair allowed by the site, the manifest willing, and a
//! sandbox that bounds it.

use gatepost_documents::reason::{Code, Reason};

use crate::manifest::Manifest;
use crate::network::{Access, Allowlist, Destination};
use crate::request::{Network, Request};

/// The network of one run: none if the request asks for none, whatever its manifest says. `fault` is what keeps tools from
/// getting one here, as a clause.
pub fn network(
    request: &Request,
    manifest: Option<&Manifest>,
    site: &Allowlist,
    fault: Option<&str>,
) -> Result<Option<Access>, Vec<Reason>> {
    let Network::Allowlist(asked) = &request.network else { return Ok(None) };
    let mut reasons: Vec<Reason> = asked.iter().filter(|asked| !site.permits(asked)).map(not_allowed).collect();
    if let Some(manifest) = manifest.filter(|manifest| !manifest.sandbox().network) {
        let message = format!("The manifest of the tool {} does not allow a network.", manifest.name());
        let hint = "Ask for network: none, or have `network = true` written into the [sandbox] of its manifest.";
        reasons.push(Reason::new(Code::NetworkUnavailable, message, hint));
    }
    if let Some(fault) = fault {
        let message = format!("Tools cannot be given a network here: {fault}.");
        let hint = "Ask for network: none, or ask the operator for level full; `gatepost doctor` says what is missing.";
        reasons.push(Reason::new(Code::SandboxUnavailable, message, hint));
    }
    if reasons.is_empty() { Ok(Some(Access::to(asked.clone()))) } else { Err(reasons) }
}

fn not_allowed(destination: &Destination) -> Reason {
    let message = format!("The site does not allow tools to reach {destination}.");
    let hint = "Leave it out, or ask the operator to add it to [network] destinations of gatepost.toml.";
    Reason::new(Code::NetworkUnavailable, message, hint)
}
