//! Whether the requested network can be granted: the site allows every pair, the manifest permits it, and a
//! sandbox bounds it.

use gatepost_contract::manifest::Manifest;
use gatepost_contract::request::{DESTINATIONS_MAX, Network, Request};
use gatepost_documents::destination::Host;
use gatepost_documents::reason::{Code, Reason};
use gatepost_sandbox::network::{Access, Allowlist, Destination, NetworkMode, is_own};

/// The kind of network that a run may get.
#[derive(Debug, Clone, Copy)]
pub enum Reach<'a> {
    /// Every destination that its request lists.
    Listed,
    /// The same, if the `[sandbox]` of this manifest permits it.
    Sandbox(&'a Manifest),
    /// Only the destinations of a manifest's backend: the name of the tool, and these.
    Own(&'a str, &'a [Destination]),
}

/// The network of one run; none if the request asks for none. Then a tool with a route, which would mistake silence for an
/// answer, is refused. `targets` are the hosts that it targets, for a tool with a route. `fault` is why tools get no network
/// here, as a clause.
pub fn network(
    request: &Request,
    reach: Reach<'_>,
    targets: Vec<Host>,
    site: &Allowlist,
    fault: Option<&str>,
) -> Result<Option<Access>, Vec<Reason>> {
    let asked = request.network.destinations();
    let is_asked = request.network != Network::None;
    let mut reasons: Vec<Reason> = match reach {
        Reach::Own(tool, own) => not_own(tool, own, asked).into_iter().collect(),
        Reach::Sandbox(manifest) => match manifest.network_mode() {
            None if is_asked => vec![not_willing(manifest)],
            Some(NetworkMode::Routed) if !is_asked => vec![not_requested(manifest)],
            Some(NetworkMode::Routed) => {
                asked.iter().map(|asked| &asked.host).chain(&targets).filter_map(inside).collect()
            }
            _ => Vec::new(),
        },
        Reach::Listed => Vec::new(),
    };
    reasons.extend(asked.iter().filter(|asked| !site.permits(asked)).map(not_allowed));
    if let Some(fault) = fault.filter(|_| is_asked) {
        let message = format!("Tools cannot be given a network here: {fault}.");
        let hint = "Ask for network: none, or ask the operator for level full; `gatepost doctor` says what is missing.";
        reasons.push(Reason::new(Code::SandboxUnavailable, message, hint));
    }
    if asked.len() + targets.len() > DESTINATIONS_MAX {
        reasons.push(too_many(asked.len() + targets.len()));
    }
    match reasons.is_empty() {
        true if is_asked => Ok(Some(Access { targets, ..Access::to(asked.to_vec()) })),
        true => Ok(None),
        false => Err(reasons),
    }
}

/// Missing or extra destinations compared with the tool's own. An address on the port of one of them may be listed too:
/// so a name may resolve to a private address.
fn not_own(tool: &str, own: &[Destination], asked: &[Destination]) -> Option<Reason> {
    let is_beside =
        |asked: &Destination| matches!(asked.host, Host::Address(_)) && own.iter().any(|own| own.port == asked.port);
    let missing: Vec<&Destination> = own.iter().filter(|own| !asked.contains(own)).collect();
    let strange: Vec<&Destination> = asked.iter().filter(|asked| !own.contains(asked) && !is_beside(asked)).collect();
    let message = match (missing.as_slice(), strange.as_slice()) {
        ([], []) => return None,
        ([], strange) => format!("The tool {tool} does not reach {}, which the request lists.", listed(strange)),
        (missing, _) => format!("The tool {tool} reaches {}, which the request does not list.", listed(missing)),
    };
    let hint = match own {
        [] => "Write network: none, and leave network_allowlist out.".to_owned(),
        own => {
            let texts: Vec<String> = own.iter().map(|own| format!("\"{own}\"")).collect();
            format!("Write network: allowlist and network_allowlist: [{}].", texts.join(", "))
        }
    };
    Some(Reason::new(Code::NetworkUnavailable, message, hint))
}

fn listed(destinations: &[&Destination]) -> String {
    destinations.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn not_requested(manifest: &Manifest) -> Reason {
    let name = manifest.name();
    let message = format!("The tool {name} needs a network, and the request asks for none.");
    let listed = if manifest.targets_by_route() { "" } else { "\"HOST:PORT\"" };
    let hint = format!("Write `network: allowlist` and `network_allowlist: [{listed}]` into the request.");
    Reason::new(Code::NetworkNotRequested, message, hint)
}

/// Why a tool with a route does not reach a host: it would reach itself there. *Source*: RFC 6761 section 6.3 for names.
fn inside(host: &Host) -> Option<Reason> {
    let is_inside = match host {
        Host::Address(address) => is_own(*address),
        Host::Name(name) => name == "localhost" || name.ends_with(".localhost"),
    };
    let message = format!("{host} is the loopback of the tool's own network namespace, where nothing listens.");
    let hint = "Name an external address of the machine; a tool with [http], or one with `network = true`, reaches listed \
                pairs of the machine's loopback.";
    is_inside.then(|| Reason::new(Code::NetworkUnavailable, message, hint))
}

fn not_willing(manifest: &Manifest) -> Reason {
    let message = format!("The manifest of the tool {} does not allow a network.", manifest.name());
    let hint = "Ask for network: none, or ask the author to write `network = true` into the [sandbox] of its manifest.";
    Reason::new(Code::NetworkUnavailable, message, hint)
}

fn too_many(count: usize) -> Reason {
    let message = format!("The request lists and targets {count} hosts and ports, more than 256.");
    Reason::new(Code::NetworkUnavailable, message, "Split it into several requests.")
}

fn not_allowed(destination: &Destination) -> Reason {
    let message = format!("The site does not allow tools to reach {destination}.");
    let hint = "Leave it out, or ask the operator to add it to [network] destinations of gatepost.toml.";
    Reason::new(Code::NetworkUnavailable, message, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_with_a_route_is_not_sent_to_its_own_loopback() {
        for host in
            ["127.0.0.1", "127.255.0.9", "::1", "::ffff:127.0.0.1", "0.0.0.0", "192.0.0.2", "localhost", "db.localhost"]
        {
            let reason = inside(&Host::parse(host).unwrap()).unwrap();
            assert_eq!(reason.code, Code::NetworkUnavailable, "{host}");
        }
        for host in ["126.255.255.255", "128.0.0.1", "::2", "10.0.0.1", "localhost.example.org", "mylocalhost"] {
            assert_eq!(inside(&Host::parse(host).unwrap()), None, "{host}");
        }
    }

    #[test]
    fn a_tool_with_destinations_of_its_own_is_given_exactly_these() {
        let read = |texts: &[&str]| -> Vec<Destination> {
            texts.iter().map(|text| Destination::parse(text).unwrap()).collect()
        };
        for (own, asked, fault) in [
            (&["a.org:443"][..], &["a.org:443"][..], None),
            (&["a.org:443"], &["a.org:443", "10.0.0.7:443"], None),
            (&[], &[], None),
            (&["a.org:443"], &[], Some("reaches a.org:443, which the request does not list")),
            (&["a.org:443"], &["a.org:80"], Some("reaches a.org:443")),
            (&["a.org:443"], &["a.org:443", "b.org:443"], Some("does not reach b.org:443")),
            (&["a.org:443"], &["a.org:443", "10.0.0.7:80"], Some("does not reach 10.0.0.7:80")),
            (&[], &["a.org:443"], Some("does not reach a.org:443")),
        ] {
            let reason = not_own("t", &read(own), &read(asked));
            assert_eq!(reason.is_some(), fault.is_some(), "{asked:?}");
            if let (Some(reason), Some(fault)) = (reason, fault) {
                assert!(reason.message.contains(fault), "{reason}");
                let lines = own.iter().all(|own| reason.hint.contains(&format!("network_allowlist: [\"{own}\"]")));
                assert!(lines && (!own.is_empty() || reason.hint.contains("network: none")), "{reason}");
            }
        }
    }
}
