//! A tool may reach only what its request lists or its routed call targets, through a sandbox that can restrict it to that.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::Claim;
use super::sandbox::Isolation;
use crate::consistency;
use crate::integrity::packet;
use crate::manifest::{Manifest, Network};
use gatepost_documents::destination::{Destination, Host, Peer};
use gatepost_documents::evidence::{Evidence, NetworkUse};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;
use serde_json::Value;

const HINT: &str =
    "Ask the operator how the tool got this network; a tool gets only what its request lists, at level full.";

/// Every disallowed use of the network. The request is the one in the bundle, whose digest the site knows.
pub(super) fn not_allowed(claim: Claim<'_>) -> Vec<Reason> {
    let Claim { confirmed, policy, .. } = claim;
    let evidence = &confirmed.evidence;
    if evidence.network.used == NetworkUse::None {
        return Vec::new();
    }
    let mut faults = Vec::new();
    let listed = confirmed.request.as_ref().and_then(|request| request.allowlist.as_ref());
    // TOOL-EXEC decides which redirects a site follows; the document lists each of them.
    let hops = packet::sources(evidence).into_iter().flatten().flat_map(|source| source.hops);
    let redirected: BTreeSet<Destination> = hops.filter_map(|hop| Destination::of_url(&hop.url)).collect();
    match listed {
        None => faults.push("The tool had a network, but the request asks for none.".to_owned()),
        Some(listed) => {
            let is_granted = |text: &&String| match Peer::parse(text) {
                Some(Peer::Port(reached)) => listed.contains(&reached) || redirected.contains(&reached),
                Some(Peer::Host(host)) => {
                    confirmed.manifest.as_ref().is_some_and(|own| is_target(own, evidence, &host))
                }
                None => false,
            };
            let strange = evidence.network.destinations.iter().filter(|text| !is_granted(text));
            faults.extend(
                strange.map(|text| format!("The tool reached {text}, which the request neither lists nor targets.")),
            );
        }
    }
    let visits = confirmed.manifest.as_ref().and_then(|manifest| manifest.visits.as_ref());
    let outside =
        listed.into_iter().flatten().filter(|listed| visits.is_some_and(|visits| !visits.permit(&listed.host)));
    faults.extend(outside.map(|listed| format!("Its manifest does not permit the browser to visit {listed}.")));
    // Without a manifest the request alone decides.
    if confirmed.manifest.as_ref().is_some_and(|manifest| manifest.network == Network::None) {
        faults.push("The tool had a network, but its manifest asks for none.".to_owned());
    }
    if Isolation::stated(evidence, policy).is_below(SandboxLevel::Full) {
        faults.push("The tool had a network in a sandbox that cannot restrict it.".to_owned());
    }
    let reason = |fault| Reason::new(Code::NetworkNotAllowed, fault, HINT).in_file(consistency::FILE);
    faults.into_iter().map(reason).collect()
}

/// Whether the call of a tool with a route targets a host, through an argument in the evidence.
fn is_target(manifest: &Manifest, evidence: &Evidence, host: &Host) -> bool {
    let is_aimed = |(name, value): (&String, &Value)| {
        let argument = manifest.arguments.get(name).filter(|argument| argument.is_target);
        argument.and(value.as_str()).is_some_and(|text| names(text, host))
    };
    manifest.network == Network::Routed && evidence.arguments.iter().any(is_aimed)
}

/// Whether a URL, a network or a host names a host.
fn names(text: &str, host: &Host) -> bool {
    if let Some((_, rest)) = text.split_once("://") {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        return Destination::parse_with_default(authority, 1).is_some_and(|named| named.host == *host);
    }
    match (text.split_once('/'), host) {
        (Some((network, bits)), Host::Address(address)) => contains(network, bits, *address).unwrap_or(false),
        _ => Host::parse(text).as_ref() == Some(host),
    }
}

/// Whether an address is one of `network/bits`.
fn contains(network: &str, bits: &str, address: IpAddr) -> Option<bool> {
    let bits: u32 = bits.parse().ok()?;
    let (difference, width): (u128, u32) = match (network.parse().ok()?, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => (u128::from(network.to_bits() ^ address.to_bits()), 32),
        (IpAddr::V6(network), IpAddr::V6(address)) => (network.to_bits() ^ address.to_bits(), 128),
        _ => return None,
    };
    let ignored = width.checked_sub(bits)?;
    Some(difference.checked_shr(ignored).unwrap_or(0) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_names_hosts_as_a_route_does() {
        for (text, host, expected) in [
            ("192.0.2.7", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.8", false),
            ("192.0.2.77/24", "192.0.2.255", true),
            ("192.0.2.77/24", "192.0.3.0", false),
            ("192.0.2.7/32", "192.0.2.6", false),
            ("0.0.0.0/0", "192.0.2.7", true),
            ("0.0.0.0/33", "192.0.2.7", false),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("2001:db8::/126", "2001:db8::3", true),
            ("2001:db8::/126", "2001:db8::4", false),
            ("::/0", "2001:db8::4", true),
            ("WWW.Example.org", "www.example.org", true),
            ("example.org", "www.example.org", false),
            ("http://www.example.org:8080/192.0.2.7", "www.example.org", true),
            ("http://www.example.org:8080/192.0.2.7", "192.0.2.7", false),
            ("https://[2001:db8::1]/", "2001:db8::1", true),
            ("https://a.org?b.org", "b.org", false),
            ("", "a.org", false),
        ] {
            assert_eq!(names(text, &Host::parse(host).unwrap()), expected, "{text} {host}");
        }
    }
}
