//! The destinations that a tool asked for, and the outcome of each.
//!
//! Security: the tool chooses the names. Only destinations of the one valid form are kept as such; of others the number and one escaped
//! example. All of it is bounded.

use std::net::IpAddr;

use gatepost_documents::destination::Peer;
use gatepost_documents::text::quoted;

/// The most refused destinations that are named; further ones are counted.
const REFUSED_MAX: usize = 100;

/// The note if counters are missing.
const UNREAD: &str =
    "The destinations that the tool reached could not be read; every granted destination counts as reached.";

/// The note if the route broke.
const BROKEN: &str = "The route to the network ended before the tool did; later packets were lost.";

/// The note if the machine lacked descriptors.
const SHORT: &str =
    "The machine was out of descriptors while the tool used the network; connections were late or failed.";

/// The most destinations in one sentence.
const NAMED_MAX: usize = 5;

/// The network record of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    reached: Vec<(Peer, IpAddr)>,
    refused: Vec<Peer>,
    refused_further: u64,
    inward: Vec<Peer>,
    out_of_scope: Vec<Peer>,
    unreachable: Vec<Peer>,
    malformed: u64,
    malformed_example: Option<String>,
    is_unread: bool,
    is_broken: bool,
    was_short: bool,
}

impl Record {
    /// A connection was made, or a packet sent.
    pub(super) fn reach(&mut self, peer: impl Into<Peer>, address: IpAddr) {
        let peer = peer.into();
        if !self.reached.iter().any(|(known, _)| *known == peer) {
            self.reached.push((peer, address));
        }
    }

    /// The destination is not listed.
    pub(super) fn refuse(&mut self, peer: impl Into<Peer>) {
        let peer = peer.into();
        if self.refused.contains(&peer) {
            return;
        }
        if self.refused.len() < REFUSED_MAX {
            self.refused.push(peer);
        } else {
            self.refused_further += 1;
        }
    }

    /// More refusals than can be named.
    pub(super) fn refuse_further(&mut self, count: u64) {
        self.refused_further += count;
    }

    /// The reached destinations are unknown, so every granted one is reported as reached.
    pub(super) fn fail_to_read(&mut self) {
        self.is_unread = true;
    }

    /// The route ended before the tool. Later packets count as refused, because their destinations are unknown.
    pub(super) fn break_off(&mut self) {
        self.is_broken = true;
        self.refused_further += 1;
    }

    /// The machine was out of something that a connection needs.
    pub(super) fn run_short(&mut self) {
        self.was_short = true;
    }

    /// Whether a connection may have failed because the machine was out of something.
    pub const fn was_short(&self) -> bool {
        self.was_short
    }

    /// A listed name resolves to no public address.
    pub(super) fn refuse_inward(&mut self, peer: impl Into<Peer>) {
        let peer = peer.into();
        note(&mut self.inward, &peer);
        self.refuse(peer);
    }

    /// A listed name that the call targets resolves out of scope.
    pub(super) fn refuse_out_of_scope(&mut self, peer: impl Into<Peer>) {
        let peer = peer.into();
        note(&mut self.out_of_scope, &peer);
        self.refuse(peer);
    }

    /// The destination is listed, and no server answers there.
    pub(super) fn fail(&mut self, peer: impl Into<Peer>) {
        note(&mut self.unreachable, &peer.into());
    }

    /// The tool asked for an invalid destination.
    pub(super) fn refuse_malformed(&mut self, text: &str) {
        self.malformed += 1;
        self.malformed_example.get_or_insert_with(|| text.to_owned());
    }

    /// Removes destinations and texts that contain a secret; they are only counted.
    pub fn withhold(&mut self, holds_secret: impl Fn(&str) -> bool) {
        let before = self.refused.len();
        self.refused.retain(|peer| !holds_secret(&peer.to_string()));
        self.refused_further += (before - self.refused.len()) as u64;
        self.malformed_example.take_if(|text| holds_secret(text));
    }

    /// The reached destinations, each once, as `host:port` or `host`, sorted by bytes.
    pub fn destinations(&self) -> Vec<String> {
        sorted(self.reached.iter().map(|(peer, _)| peer))
    }

    /// The same with the first reached address of each.
    pub fn reached(&self) -> &[(Peer, IpAddr)] {
        &self.reached
    }

    /// The refused destinations in the same form, each once, at most 100.
    pub fn refused(&self) -> Vec<String> {
        sorted(self.refused.iter())
    }

    /// The number of other refusals.
    pub fn refused_unnamed(&self) -> u64 {
        self.refused_further.saturating_add(self.malformed)
    }

    /// The anomalies, a sentence each.
    pub fn anomalies(&self) -> Vec<String> {
        let is_listed = |peer: &&Peer| self.inward.contains(peer) || self.out_of_scope.contains(peer);
        let unlisted: Vec<&Peer> = self.refused.iter().filter(|peer| !is_listed(peer)).collect();
        let mut sentences = Vec::new();
        if !unlisted.is_empty() {
            sentences.push(format!(
                "The tool was refused network destinations that its request does not list: {}.",
                names(&unlisted)
            ));
        }
        if self.is_unread {
            sentences.push(UNREAD.to_owned());
        }
        if self.is_broken {
            sentences.push(BROKEN.to_owned());
        }
        if self.was_short {
            sentences.push(SHORT.to_owned());
        }
        if self.refused_further > 0 {
            sentences.push(format!("Further refusals, not named: {}.", self.refused_further));
        }
        if !self.inward.is_empty() {
            let inward: Vec<&Peer> = self.inward.iter().collect();
            sentences.push(format!("Listed names resolve to no public address and were refused: {}.", names(&inward)));
        }
        if !self.out_of_scope.is_empty() {
            let strange: Vec<&Peer> = self.out_of_scope.iter().collect();
            sentences.push(format!("Names in scope resolve out of scope and were refused: {}.", names(&strange)));
        }
        if self.malformed > 0 {
            let example = self.malformed_example.as_ref().map(|text| format!(", first for {}", quoted(text)));
            sentences.push(format!(
                "Requested by the tool, but not a host and port: {}{}.",
                self.malformed,
                example.unwrap_or_default()
            ));
        }
        if !self.unreachable.is_empty() {
            let unreachable: Vec<&Peer> = self.unreachable.iter().collect();
            sentences.push(format!("Listed destinations could not be reached: {}.", names(&unreachable)));
        }
        sentences
    }
}

fn sorted<'a>(peers: impl Iterator<Item = &'a Peer>) -> Vec<String> {
    let mut texts: Vec<String> = peers.map(ToString::to_string).collect();
    texts.sort_unstable();
    texts
}

/// The lists hold only granted destinations, so they are bounded.
fn note(list: &mut Vec<Peer>, peer: &Peer) {
    if !list.contains(peer) {
        list.push(peer.clone());
    }
}

fn names(peers: &[&Peer]) -> String {
    let named: Vec<String> = peers.iter().take(NAMED_MAX).map(ToString::to_string).collect();
    let named = named.join(", ");
    match peers.len().saturating_sub(NAMED_MAX) {
        0 => named,
        further => format!("{named} and {further} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(text: &str) -> Peer {
        Peer::parse(text).unwrap()
    }

    #[test]
    fn each_destination_is_told_once() {
        let mut record = Record::default();
        for _ in 0..3 {
            record.reach(peer("a.org:443"), "192.0.2.1".parse().unwrap());
            record.refuse(peer("b.org:443"));
            record.refuse_inward(peer("c.org:443"));
            record.fail(peer("d.org:443"));
            record.refuse_malformed("127.1:80");
        }
        assert_eq!(record.destinations(), ["a.org:443"]);
        assert_eq!(record.refused(), ["b.org:443", "c.org:443"]);
        assert_eq!(
            record.anomalies(),
            [
                "The tool was refused network destinations that its request does not list: b.org:443.",
                "Listed names resolve to no public address and were refused: c.org:443.",
                "Requested by the tool, but not a host and port: 3, first for \"127.1:80\".",
                "Listed destinations could not be reached: d.org:443.",
            ]
        );
        assert_eq!(Record::default().anomalies(), [""; 0]);
    }

    #[test]
    fn a_tool_that_asks_for_everything_fills_no_record() {
        let mut record = Record::default();
        for port in 1..=10_000 {
            record.refuse(peer(&format!("a.org:{port}")));
            record.refuse_malformed(&"\n".repeat(300));
        }
        assert_eq!(record.refused().len(), REFUSED_MAX);
        let text = record.anomalies().concat();
        assert!(text.contains("and 95 more") && text.contains("not named: 9900") && text.contains("port: 10000"));
        assert!(text.len() < 1_000 && !text.contains('\n'), "{text}");
    }

    #[test]
    fn what_holds_a_secret_is_counted_and_not_named() {
        let mut record = Record::default();
        record.refuse(peer("secret.a.org:443"));
        record.refuse(peer("b.org:443"));
        record.refuse_malformed("secret/:443");
        record.withhold(|text| text.contains("secret"));
        assert_eq!(record.refused(), ["b.org:443"]);
        assert_eq!(
            record.anomalies(),
            [
                "The tool was refused network destinations that its request does not list: b.org:443.",
                "Further refusals, not named: 1.",
                "Requested by the tool, but not a host and port: 1.",
            ]
        );
    }
}
