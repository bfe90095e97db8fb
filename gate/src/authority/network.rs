//! What a tool reached must be what its request listed, through a sandbox that can bound it.

use super::Claim;
use super::sandbox::Held;
use crate::consistency;
use gatepost_documents::destination::Destination;
use gatepost_documents::evidence::NetworkUse;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;

const HINT: &str =
    "Ask the operator how the tool came to have this network; a network is what the request lists, at level full.";

/// Every use of the network that nothing allows. The request is the one in the bundle, whose digest the site knows.
pub(super) fn not_allowed(claim: Claim<'_>) -> Vec<Reason> {
    let Claim { confirmed, policy, .. } = claim;
    let evidence = &confirmed.evidence;
    if evidence.network.used == NetworkUse::None {
        return Vec::new();
    }
    let mut faults = Vec::new();
    let listed = confirmed.request.as_ref().and_then(|request| request.allowlist.as_ref());
    match listed {
        None => faults.push("The tool had a network, and the request asks for none.".to_owned()),
        Some(listed) => {
            let reached = evidence.network.destinations.iter();
            let strange =
                reached.filter(|text| !Destination::parse(text).is_some_and(|reached| listed.contains(&reached)));
            faults.extend(strange.map(|text| format!("The tool reached {text}, which the request does not list.")));
        }
    }
    let visits = confirmed.manifest.as_ref().and_then(|manifest| manifest.visits.as_ref());
    let outside =
        listed.into_iter().flatten().filter(|listed| visits.is_some_and(|visits| !visits.permit(&listed.host)));
    faults.extend(outside.map(|listed| format!("Its manifest does not permit the browser to visit {listed}.")));
    // Without a manifest the request alone decides.
    if confirmed.manifest.as_ref().is_some_and(|manifest| !manifest.needs_network) {
        faults.push("The tool had a network, and its manifest does not ask for one.".to_owned());
    }
    if Held::stated(evidence, policy).is_below(SandboxLevel::Full) {
        faults.push("The tool had a network outside of a sandbox that bounds it.".to_owned());
    }
    let reason = |fault| Reason::new(Code::NetworkNotAllowed, fault, HINT).in_file(consistency::FILE);
    faults.into_iter().map(reason).collect()
}
