//! The network of a tool that speaks TCP or UDP itself: packets to its granted destinations and to nothing else.
//!
//! ```text
//! names, each looked up once ▶ /etc/hosts of the tool
//! their addresses and ports  ▶ nftables rules in its network namespace, a counter each ▶ what it reached, and what it was refused
//! ```
//!
//! Pure but for the look-ups: who puts the rules in force and reads them again is `src/process/uplink.rs`. What was sent counts as
//! reached, whoever answered.
//!
//! Security: the tool is hostile, but cannot change its rules, and sends no raw packet. Names and addresses are of a form of ours when they
//! get into a rule. Known weakness: it knows no ICMP. *Standards*: `nft(8)`, `libnftables-json(5)`, `hosts(5)`.

use std::fmt::Write;
use std::net::{IpAddr, SocketAddr};

use gatepost_documents::destination::{Destination, Host};
use serde_json::Value;

use super::deadline::Deadline;
use super::egress::Egress;
use super::record::Record;
use super::{Access, Road};
use crate::cancel::Cancel;

/// What every tool may send: to itself, and what finds the next hop of IPv6, which goes no further than that.
///
/// `pasta` before 2024-11 tells of a closed port by an RST without ACK, which Linux passes over while it connects; so the port is noted,
/// and the next attempt is answered as the host would have answered the first.
const BEGIN: &str = "table inet gatepost {
set refused4 { type ipv4_addr . inet_proto . inet_service; size 100; flags dynamic; }
set refused6 { type ipv6_addr . inet_proto . inet_service; size 100; flags dynamic; }
set closed4 { type ipv4_addr . inet_service; size 1024; timeout 3s; flags dynamic; }
set closed6 { type ipv6_addr . inet_service; size 1024; timeout 3s; flags dynamic; }
chain input {
type filter hook input priority filter; policy accept;
tcp flags & (rst | ack) == rst update @closed4 { ip saddr . tcp sport }
tcp flags & (rst | ack) == rst update @closed6 { ip6 saddr . tcp sport }
}
chain output {
type filter hook output priority filter; policy drop;
oif lo accept
icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept
ip6 daddr ff00::/8 drop
tcp flags & (syn | ack) == syn ip daddr . tcp dport @closed4 reject with tcp reset
tcp flags & (syn | ack) == syn ip6 daddr . tcp dport @closed6 reject with tcp reset
";

/// A refused packet is noted where there is room, and the tool hears of it at once.
const END: &str = "add @refused4 { ip daddr . meta l4proto . th dport } reject with icmpx admin-prohibited
add @refused6 { ip6 daddr . meta l4proto . th dport } reject with icmpx admin-prohibited
counter reject with icmpx admin-prohibited comment \"unnamed\"
}
}
";

/// The destinations of one run with their addresses.
#[derive(Debug, Clone)]
pub struct Route {
    ends: Vec<(Destination, SocketAddr)>,
    /// What became of names that lead nowhere.
    record: Record,
}

impl Route {
    /// The route to what was granted, if it is to be reached by one. Looks its names up, each within the bounds of a connection.
    pub fn find(access: &Access, stop: &Cancel) -> Option<Self> {
        if access.road != Road::Routed {
            return None;
        }
        let egress = Egress::new(access);
        let mut ends = Vec::new();
        for destination in &access.allowed {
            let addresses = egress.addresses(destination, Deadline::none(stop)).unwrap_or_default();
            if addresses.is_empty() {
                egress.record().fail(destination);
            }
            ends.extend(
                addresses.iter().map(|address| (destination.clone(), SocketAddr::new(*address, destination.port))),
            );
        }
        let record = std::mem::take(&mut *egress.record());
        Some(Self { ends, record })
    }

    /// The hosts file in which the tool finds its names.
    pub fn hosts(&self) -> String {
        let mut lines = vec!["127.0.0.1 localhost".to_owned(), "::1 localhost".to_owned()];
        for (destination, address) in &self.ends {
            if let Host::Name(name) = &destination.host {
                let line = format!("{} {name}", address.ip());
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
        lines.join("\n") + "\n"
    }

    /// The rules, as `nft -f` reads them.
    pub fn rules(&self) -> String {
        let mut rules = BEGIN.to_owned();
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

    /// What happened, by the rules as `nft -j` lists them after the run; everything that was granted where that cannot be read.
    pub fn record(&self, listing: Option<&str>) -> Record {
        let mut record = self.record.clone();
        let listing = listing.and_then(|text| serde_json::from_str::<Value>(text).ok());
        let objects = listing.as_ref().and_then(|listing| listing.get("nftables")?.as_array());
        let rules = |object: &Value| Some((object["rule"]["comment"].as_str()?.to_owned(), packets(object)?));
        let counted: Vec<(String, u64)> = objects.into_iter().flatten().filter_map(rules).collect();
        let of = |comment: &str| counted.iter().find(|(own, _)| own == comment).map(|(_, packets)| *packets);
        let unnamed = of("unnamed");
        if unnamed.is_none() {
            record.fail_to_read();
        }
        record.refuse_further(unnamed.unwrap_or(0));
        for (index, (destination, address)) in self.ends.iter().enumerate() {
            if of(&index.to_string()) != Some(0) {
                record.reach(destination, *address);
            }
        }
        for element in objects.into_iter().flatten().filter_map(noted).flatten() {
            if let Some(refused) = refused(element) {
                record.refuse(&refused);
            }
        }
        record
    }
}

/// The elements of a set of refused destinations.
fn noted(object: &Value) -> Option<&Vec<Value>> {
    let set = object.get("set")?;
    set["elem"].as_array().filter(|_| matches!(set["name"].as_str(), Some("refused4" | "refused6")))
}

/// The counter of a rule.
fn packets(object: &Value) -> Option<u64> {
    object["rule"]["expr"].as_array()?.iter().find_map(|part| part["counter"]["packets"].as_u64())
}

/// `{"concat": ["192.0.2.9", "tcp", 22]}`, perhaps as the `val` of an `elem` that has more to say.
fn refused(element: &Value) -> Option<Destination> {
    let value = if element["concat"].is_array() { element } else { &element["elem"]["val"] };
    let address: IpAddr = value["concat"][0].as_str()?.parse().ok()?;
    let port = value["concat"][2].as_u64().and_then(|port| u16::try_from(port).ok()).filter(|port| *port != 0)?;
    Some(Destination { host: address.into(), port })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(allowed: &[&str]) -> Route {
        let allowed = allowed.iter().map(|text| Destination::parse(text).unwrap()).collect();
        let access = Access { road: Road::Routed, ..Access::to(allowed) };
        Route::find(&access, &Cancel::new().unwrap()).unwrap()
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
        let record = route.record(Some(&listing(&[("0", 3), ("1", 0), ("unnamed", 2)], &noted)));
        assert_eq!(record.destinations(), ["192.0.2.7:22"]);
        assert_eq!(record.refused(), ["192.0.2.9:22", "192.0.2.9:53"]);
        assert!(record.anomalies().concat().contains("not named here: 2"), "{:?}", record.anomalies());
    }

    #[test]
    fn what_cannot_be_read_counts_as_reached() {
        let route = route(&["192.0.2.7:22", "192.0.2.7:80"]);
        for unread in [None, Some("{"), Some("{\"nftables\": []}")] {
            let record = route.record(unread);
            assert_eq!(record.destinations(), ["192.0.2.7:22", "192.0.2.7:80"], "{unread:?}");
            assert!(record.anomalies().concat().contains("could not be read"), "{:?}", record.anomalies());
        }
    }
}
