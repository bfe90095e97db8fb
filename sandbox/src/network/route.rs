//! The network of a tool that speaks TCP, UDP or ICMP itself: packets to its granted destinations and to nothing else.
//!
//! ```text
//! names, each looked up once ▶ /etc/hosts of the tool
//! their addresses and ports  ▶ nftables rules in its network namespace, a counter each ▶ reached and refused destinations
//! targets of the call        ▶ a set of addresses, permitted on every port             ▶ the same, by address
//! ```
//!
//! Pure except for the look-ups: `src/process/uplink.rs` installs the rules and reads them again. A destination counts as reached once
//! a packet was sent to it, even without an answer.
//!
//! Security: the tool is hostile, but cannot change its rules, and sends no raw packet. Names and addresses have a form of ours before
//! they get into a rule. *Standards*: `nft(8)`, `libnftables-json(5)`, `hosts(5)`.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use gatepost_documents::destination::{Destination, Host, Peer};
use serde_json::Value;

use super::Access;
use super::deadline::Deadline;
use super::egress::Egress;
use super::record::Record;
use crate::cancel::Cancel;
use gatepost_contract::network::plain;

/// The IPv4 address of a tool with a route, which no machine has. *Source*: RFC 7335.
pub const OWN_V4: Ipv4Addr = Ipv4Addr::new(192, 0, 0, 2);

/// Its address in IPv6. *Source*: RFC 4193.
pub const OWN_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0, 0, 1, 0, 0, 0, 2);

/// The time limit for resolving all names of a run: a worker waits for them before the tool starts.
const LOOKUPS: Duration = Duration::from_mins(1);

/// The sets that record a run: the reached targets, the refused packets by port and by ICMP, and closed ports.
const SETS: &str = "table inet gatepost {
set reached4 { type ipv4_addr; size 1024; flags dynamic; }
set reached6 { type ipv6_addr; size 1024; flags dynamic; }
set refused4 { type ipv4_addr . inet_proto . inet_service; size 100; flags dynamic; }
set refused6 { type ipv6_addr . inet_proto . inet_service; size 100; flags dynamic; }
set pinged4 { type ipv4_addr; size 100; flags dynamic; }
set pinged6 { type ipv6_addr; size 100; flags dynamic; }
set closed4 { type ipv4_addr . inet_service; size 1024; timeout 3s; flags dynamic; }
set closed6 { type ipv6_addr . inet_service; size 1024; timeout 3s; flags dynamic; }
";

/// The packets that every tool may send: to itself, and IPv6 neighbour discovery, which reaches only the next hop. Packets of the
/// kernel about a closed connection are not the tool's.
///
/// A tool receives answers only: `pasta` before 2024 binds the tool's UDP source port on every address of the machine, and
/// forwards packets from any sender.
///
/// `pasta` before 2024-11 reports a closed port by an RST without ACK, which Linux ignores while it connects. So the port is noted,
/// and the next attempt gets the answer that the host would have sent.
const BEGIN: &str = "chain input {
type filter hook input priority filter; policy drop;
tcp flags & (rst | ack) == rst update @closed4 { ip saddr . tcp sport }
tcp flags & (rst | ack) == rst update @closed6 { ip6 saddr . tcp sport }
iif lo accept
ct state { established, related } accept
icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
}
chain output {
type filter hook output priority filter; policy drop;
oif lo accept
icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
ip6 daddr ff00::/8 drop
icmp type destination-unreachable drop
icmpv6 type destination-unreachable drop
tcp flags & (syn | ack) == syn ip daddr . tcp dport @closed4 reject with tcp reset
tcp flags & (syn | ack) == syn ip6 daddr . tcp dport @closed6 reject with tcp reset
meta l4proto { tcp, udp, icmp } ip daddr @targets4 add @reached4 { ip daddr } accept
meta l4proto { tcp, udp, ipv6-icmp } ip6 daddr @targets6 add @reached6 { ip6 daddr } accept
";

/// A refused packet is noted if there is room, and rejected at once.
const END: &str = "meta l4proto icmp add @pinged4 { ip daddr } reject with icmpx admin-prohibited
meta l4proto ipv6-icmp add @pinged6 { ip6 daddr } reject with icmpx admin-prohibited
meta l4proto { tcp, udp } add @refused4 { ip daddr . meta l4proto . th dport } reject with icmpx admin-prohibited
meta l4proto { tcp, udp } add @refused6 { ip6 daddr . meta l4proto . th dport } reject with icmpx admin-prohibited
counter reject with icmpx admin-prohibited comment \"unnamed\"
}
}
";

/// Whether an address is the tool itself: the loopback, the unspecified address, or its own.
pub fn is_own(address: IpAddr) -> bool {
    let address = plain(address);
    address.is_loopback() || address.is_unspecified() || address == OWN_V4 || address == OWN_V6
}

/// The destinations of one run with their addresses.
#[derive(Debug, Clone)]
pub struct Route {
    ends: Vec<(Destination, SocketAddr)>,
    targets: Vec<(Host, IpAddr)>,
    /// The record of names that did not resolve.
    record: Record,
}

impl Route {
    /// The route to the granted destinations. Resolves names, each within the limits of a connection, all within a minute.
    pub fn find(access: &Access, stop: &Cancel) -> Self {
        let egress = Egress::new(access);
        let deadline = Deadline::none(stop).at_most(LOOKUPS);
        let mut ends = Vec::new();
        for destination in &access.allowed {
            let addresses = egress.addresses(destination, deadline).unwrap_or_default();
            if addresses.is_empty() {
                egress.record().fail(destination);
            }
            ends.extend(
                addresses.iter().map(|address| (destination.clone(), SocketAddr::new(*address, destination.port))),
            );
        }
        let mut targets = Vec::new();
        for host in &access.targets {
            let (own, others): (Vec<IpAddr>, Vec<IpAddr>) =
                egress.addresses_of_target(host, deadline).into_iter().partition(|address| is_own(*address));
            // A scan of itself would report every port as closed.
            if others.is_empty() && !own.is_empty() {
                egress.record().refuse_inward(host);
            }
            targets.extend(others.iter().map(|address| (host.clone(), address.to_canonical())));
        }
        let record = std::mem::take(&mut *egress.record());
        Self { ends, targets, record }
    }

    /// The hosts file in which the tool finds its names.
    pub fn hosts(&self) -> String {
        let mut lines = vec!["127.0.0.1 localhost".to_owned(), "::1 localhost".to_owned()];
        let ends = self.ends.iter().map(|(destination, address)| (&destination.host, address.ip()));
        for (host, address) in ends.chain(self.targets.iter().map(|(host, address)| (host, *address))) {
            if let Host::Name(name) = host {
                let line = format!("{address} {name}");
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines.join("\n") + "\n"
    }

    /// The rules, as `nft -f` reads them.
    pub fn rules(&self) -> String {
        let mut rules = SETS.to_owned();
        for (name, kind, is_ipv4) in [("targets4", "ipv4_addr", true), ("targets6", "ipv6_addr", false)] {
            let own = self.targets.iter().filter(|(_, address)| address.is_ipv4() == is_ipv4);
            let own: BTreeSet<String> = own.map(|(_, address)| address.to_string()).collect();
            let elements = own.into_iter().collect::<Vec<_>>().join(", ");
            let elements = if elements.is_empty() { elements } else { format!(" elements = {{ {elements} }};") };
            let _ = writeln!(rules, "set {name} {{ type {kind};{elements} }}");
        }
        rules += BEGIN;
        for (index, (_, address)) in self.ends.iter().enumerate() {
            let family = if address.is_ipv4() { "ip" } else { "ip6" };
            let (ip, port) = (address.ip(), address.port());
            let _ = writeln!(
                rules,
                "{family} daddr {ip} meta l4proto {{ tcp, udp }} th dport {port} counter accept comment \"{index}\""
            );
        }
        rules + END
    }

    /// The record, from the rules as `nft -j` lists them after the run, or every granted destination if they cannot be read; whether the
    /// route existed to the end.
    pub fn record(&self, listing: Option<&str>, is_whole: bool) -> Record {
        let mut record = self.record.clone();
        if !is_whole {
            record.break_off();
        }
        let listing = listing.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let objects = listing.as_ref().and_then(|listing| listing.get("nftables")?.as_array());
        let objects: Vec<&Value> = objects.into_iter().flatten().collect();
        let of = |comment: &str| {
            objects.iter().find(|object| object["rule"]["comment"] == *comment).and_then(|object| packets(object))
        };
        let unnamed = of("unnamed");
        if unnamed.is_none() {
            record.fail_to_read();
        }
        record.refuse_further(unnamed.unwrap_or(0));
        for (index, (destination, address)) in self.ends.iter().enumerate() {
            if of(&index.to_string()) != Some(0) {
                record.reach(destination, address.ip());
            }
        }
        let reached: Vec<IpAddr> = noted(&objects, ["reached4", "reached6"]).filter_map(address).collect();
        for (host, address) in &self.targets {
            if unnamed.is_none() || reached.contains(address) {
                record.reach(host, *address);
            }
        }
        for element in noted(&objects, ["refused4", "refused6"]).filter_map(port) {
            record.refuse(Peer::Port(element));
        }
        for element in noted(&objects, ["pinged4", "pinged6"]).filter_map(address) {
            record.refuse(Peer::Host(element.into()));
        }
        record
    }
}

/// The elements of these sets: each a plain value, or the `val` of an `elem` with attributes.
fn noted<'a>(objects: &[&'a Value], sets: [&str; 2]) -> impl Iterator<Item = &'a Value> {
    let is_one = |object: &&&Value| sets.iter().any(|name| object["set"]["name"] == *name);
    let own: Vec<&'a Value> = objects.iter().filter(is_one).map(|object| &object["set"]["elem"]).collect();
    own.into_iter()
        .filter_map(Value::as_array)
        .flatten()
        .map(|element| element.get("elem").map_or(element, |element| &element["val"]))
}

/// The counter of a rule.
fn packets(object: &Value) -> Option<u64> {
    object["rule"]["expr"].as_array()?.iter().find_map(|part| part["counter"]["packets"].as_u64())
}

/// `"192.0.2.9"`
fn address(element: &Value) -> Option<IpAddr> {
    element.as_str()?.parse().ok()
}

/// `{"concat": ["192.0.2.9", "tcp", 22]}`
fn port(element: &Value) -> Option<Destination> {
    let parts = &element["concat"];
    let port = parts[2].as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port != 0)?;
    Some(Destination { host: address(&parts[0])?.into(), port })
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU8, Ordering};

    use super::super::resolver::Resolve;
    use super::*;

    /// To listed destinations with a port, and to targets, which have none.
    fn route(granted: &[&str]) -> Route {
        let mut access = Access::to(Vec::new());
        for text in granted {
            match Peer::parse(text).unwrap() {
                Peer::Port(destination) => access.allowed.push(destination),
                Peer::Host(host) => access.targets.push(host),
            }
        }
        Route::find(&access, &Cancel::new().unwrap())
    }

    fn listing(rules: &[(&str, u64)], refused: &Value) -> String {
        let rule = |(comment, packets): &(&str, u64)| serde_json::json!({"rule": {"comment": comment, "expr": [{"counter": {"packets": packets, "bytes": 0}}]}});
        let mut objects: Vec<Value> = rules.iter().map(rule).collect();
        objects.push(serde_json::json!({"set": {"name": "refused4", "elem": refused}}));
        serde_json::json!({ "nftables": objects }).to_string()
    }

    #[test]
    fn each_destination_has_a_rule_and_everything_else_is_refused() {
        let rules = route(&["192.0.2.7:22", "[2001:db8::1]:53"]).rules();
        assert!(
            rules.contains("ip daddr 192.0.2.7 meta l4proto { tcp, udp } th dport 22 counter accept comment \"0\"\n")
        );
        assert!(
            rules
                .contains("ip6 daddr 2001:db8::1 meta l4proto { tcp, udp } th dport 53 counter accept comment \"1\"\n")
        );
        assert_eq!(rules.matches("counter accept").count(), 2, "{rules}");
        assert!(rules.contains("hook output priority filter; policy drop;"));
    }

    #[test]
    fn what_was_counted_was_reached_and_what_was_noted_was_refused() {
        let route = route(&["192.0.2.7:22", "192.0.2.7:80"]);
        let noted = serde_json::json!([
            {"concat": ["192.0.2.9", "tcp", 22]},
            {"elem": {"val": {"concat": ["192.0.2.9", "udp", 53]}, "expires": 1}},
        ]);
        let record = route.record(Some(&listing(&[("0", 3), ("1", 0), ("unnamed", 2)], &noted)), true);
        assert_eq!(record.destinations(), ["192.0.2.7:22"]);
        assert_eq!(record.refused(), ["192.0.2.9:22", "192.0.2.9:53"]);
        assert!(record.anomalies().concat().contains("not named: 2"), "{:?}", record.anomalies());
    }

    #[test]
    fn a_target_is_reached_by_address_and_a_ping_refused_by_host() {
        let route = route(&["192.0.2.7", "192.0.2.8", "2001:db8::1", "::ffff:192.0.2.9"]);
        let rules = route.rules();
        assert!(rules.contains("set targets4 { type ipv4_addr; elements = { 192.0.2.7, 192.0.2.8, 192.0.2.9 }; }\n"));
        assert!(rules.contains("set targets6 { type ipv6_addr; elements = { 2001:db8::1 }; }\n"), "{rules}");
        let noted = serde_json::json!({"nftables": [
            {"rule": {"comment": "unnamed", "expr": [{"counter": {"packets": 0, "bytes": 0}}]}},
            {"set": {"name": "reached4", "elem": ["192.0.2.8", "192.0.2.77"]}},
            {"set": {"name": "reached6", "elem": [{"elem": {"val": "2001:db8::1", "expires": 1}}]}},
            {"set": {"name": "pinged4", "elem": ["192.0.2.200"]}},
            {"set": {"name": "closed4", "elem": [{"concat": ["192.0.2.201", 22]}]}},
        ]});
        let record = route.record(Some(&noted.to_string()), true);
        assert_eq!(record.destinations(), ["192.0.2.8", "2001:db8::1"]);
        assert_eq!((record.refused(), record.refused_unnamed()), (vec!["192.0.2.200".to_owned()], 0));
    }

    /// Resolves to another address each time.
    #[derive(Debug, Default)]
    struct Fickle(AtomicU8);

    impl Resolve for Fickle {
        fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            Ok(vec![IpAddr::from([9, 9, 9, self.0.fetch_add(1, Ordering::Relaxed)])])
        }
    }

    #[test]
    fn a_name_that_changes_its_address_has_one_in_a_run() {
        let allowed = ["a.org:22", "a.org:80"].map(|text| Destination::parse(text).unwrap()).to_vec();
        let targets = vec![Host::parse("a.org").unwrap()];
        let access = Access { targets, resolver: Arc::new(Fickle::default()), ..Access::to(allowed) };
        let route = Route::find(&access, &Cancel::new().unwrap());
        assert_eq!(route.hosts(), "127.0.0.1 localhost\n::1 localhost\n9.9.9.0 a.org\n");
        assert!(route.rules().contains("9.9.9.0") && !route.rules().contains("9.9.9.1"), "{}", route.rules());
    }

    #[derive(Debug)]
    struct Answers(Vec<IpAddr>);

    impl Resolve for Answers {
        fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            Ok(self.0.clone())
        }
    }

    #[test]
    fn a_name_that_leads_to_the_tool_itself_is_refused_and_one_that_also_leads_elsewhere_goes_there() {
        let found = |answers: &[&str]| {
            let answers = answers.iter().map(|answer| answer.parse().unwrap()).collect();
            let targets = vec![Host::parse("a.org").unwrap()];
            let access = Access { targets, resolver: Arc::new(Answers(answers)), ..Access::to(Vec::new()) };
            Route::find(&access, &Cancel::new().unwrap())
        };
        for own in ["127.0.0.1", "127.9.9.9", "::1", "0.0.0.0", "::", "::ffff:127.0.0.1", "192.0.0.2", "fd00:0:0:1::2"]
        {
            let route = found(&[own]);
            assert_eq!(route.hosts(), "127.0.0.1 localhost\n::1 localhost\n", "{own}");
            assert_eq!(route.record(None, true).refused(), ["a.org"], "{own}");
        }
        let route = found(&["127.0.0.1", "192.0.2.7"]);
        assert!(route.hosts().ends_with("192.0.2.7 a.org\n") && route.record(None, true).refused().is_empty());
    }

    #[test]
    fn what_cannot_be_read_counts_as_reached() {
        let route = route(&["192.0.2.7:22", "192.0.2.7:80", "192.0.2.9"]);
        for unread in [None, Some("{"), Some("{\"nftables\": []}")] {
            let record = route.record(unread, true);
            assert_eq!(record.destinations(), ["192.0.2.7:22", "192.0.2.7:80", "192.0.2.9"], "{unread:?}");
            assert!(record.anomalies().concat().contains("could not be read"), "{:?}", record.anomalies());
        }
    }
}
