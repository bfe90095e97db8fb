//! Checks that the network facts in the evidence agree. A later stage checks whether the request allowed them.

use gatepost_documents::destination::Peer;
use gatepost_documents::evidence::{Network, NetworkUse};

/// The most destinations of a list.
const DESTINATIONS_MAX: usize = 256;

/// Every contradiction, as sentences.
pub(super) fn faults(network: &Network) -> Vec<&'static str> {
    let Network { used, destinations, refused, .. } = network;
    let lists = [destinations, refused];
    let rules = [
        (
            *used == NetworkUse::Allowlist || (destinations.is_empty() && !network.has_refused()),
            "The evidence lists destinations without an allow list.",
        ),
        (
            lists.iter().all(|list| list.iter().all(|text| Peer::is_one(text))),
            "A destination is not host:port or a host, in lower case and an IPv6 address in its shortest form.",
        ),
        (
            lists.iter().all(|list| list.is_sorted_by(|left, right| left < right)),
            "The destinations are not in byte order, or one appears twice.",
        ),
        (lists.iter().all(|list| list.len() <= DESTINATIONS_MAX), "A list has more than 256 destinations."),
    ];
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
}
