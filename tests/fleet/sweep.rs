//! Every process of a fleet killed, stopped or cut off for longer than the lease, at moments all along the way of requests; and networks
//! that lose, repeat or damage messages.

use std::collections::BTreeMap;
use std::time::Duration;

use super::link::Way;
use super::machines::{AGAIN, Fleet, LEASE, Network, ONCE};
use super::site::text;

/// Who fails in a trial, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    HomeExec,
    Gate,
    HomeCarrier,
    NodeExec,
    NodeCarrier,
    Server,
    /// One that loses what it stored.
    WipedServer,
    /// Both processes of a node, stopped past the lease.
    StoppedNode,
    /// A node that reaches no server until the lease is over.
    CutNode,
    /// The home, the same.
    CutHome,
}

const VICTIMS: [Victim; 10] = [
    Victim::HomeExec,
    Victim::Gate,
    Victim::HomeCarrier,
    Victim::NodeExec,
    Victim::NodeCarrier,
    Victim::Server,
    Victim::WipedServer,
    Victim::StoppedNode,
    Victim::CutNode,
    Victim::CutHome,
];

fn fail(fleet: &mut Fleet, victim: Victim, number: usize) {
    let pause = || std::thread::sleep(Duration::from_millis(200));
    let one = number % fleet.nodes.len();
    match victim {
        Victim::HomeExec => {
            fleet.exec.kill();
            pause();
            fleet.exec.start();
        }
        Victim::Gate => {
            fleet.gate.kill();
            pause();
            fleet.gate.start();
        }
        Victim::HomeCarrier => {
            fleet.carrier.kill();
            pause();
            fleet.carrier.start();
        }
        Victim::NodeExec => {
            fleet.nodes[one].exec.kill();
            pause();
            fleet.nodes[one].exec.start();
        }
        Victim::NodeCarrier => {
            fleet.nodes[one].carrier.kill();
            pause();
            fleet.nodes[one].carrier.start();
        }
        Victim::Server | Victim::WipedServer => {
            let one = number % fleet.servers.len();
            fleet.servers[one].kill();
            if victim == Victim::WipedServer {
                fleet.servers[one].wipe();
            }
            pause();
            fleet.servers[one].start();
        }
        Victim::StoppedNode => {
            fleet.nodes[one].exec.pause();
            fleet.nodes[one].carrier.pause();
            std::thread::sleep(Duration::from_secs(LEASE + 1));
            fleet.nodes[one].exec.go_on();
            fleet.nodes[one].carrier.go_on();
        }
        Victim::CutNode => {
            fleet.nodes[one].set_way(Way::Cut);
            std::thread::sleep(Duration::from_secs(LEASE + 1));
            fleet.nodes[one].set_way(Way::Sound);
        }
        Victim::CutHome => {
            fleet.set_way(Way::Cut);
            std::thread::sleep(Duration::from_secs(LEASE + 1));
            fleet.set_way(Way::Sound);
        }
    }
}

/// What came of requests.
#[derive(Debug, Default)]
struct Tally {
    outcomes: BTreeMap<(String, String), usize>,
    started_twice: usize,
}

impl Tally {
    /// Waits for the answers of requests, and compares what came with what may come.
    fn check(&mut self, fleet: &Fleet, failed: &str, once: &[String], again: &[String], cancelled: &[String]) {
        for id in once.iter().chain(again).chain(cancelled) {
            fleet.is_answered(id);
        }
        let effects = fleet.effects();
        for id in cancelled {
            let starts = effects.iter().filter(|effect| *effect == id).count();
            let outcome = fleet.home.result(id).evidence()["error"]["code"].as_str().unwrap_or("success").to_owned();
            let may = match outcome.as_str() {
                "success" => starts == 1,
                "REQUEST_REFUSED" => starts == 0,
                "CANCELLED" | "INTERRUPTED" => starts <= 1,
                _ => false,
            };
            assert!(may, "{failed}: {id}: {outcome} with {starts} starts");
            *self.outcomes.entry((format!("{failed}, cancelled"), outcome)).or_default() += 1;
        }
        for id in once {
            let starts = effects.iter().filter(|effect| *effect == id).count();
            assert!(starts <= 1, "{failed}: {id} was started {starts} times");
            let bundle = fleet.home.result(id);
            let outcome = bundle.evidence()["error"]["code"].as_str().unwrap_or("success").to_owned();
            assert!(["success", "INTERRUPTED"].contains(&outcome.as_str()), "{failed}: {id}: {outcome}");
            // A success without a start would be a lie.
            assert!(outcome != "success" || starts == 1, "{failed}: {id}: {outcome} with {starts} starts");
            *self.outcomes.entry((failed.to_owned(), outcome)).or_default() += 1;
        }
        for id in again {
            self.started_twice += usize::from(effects.iter().filter(|effect| *effect == id).count() > 1);
            assert_eq!(text(&fleet.home.result(id).evidence()["status"]), "success", "{failed}: {id}");
        }
        for id in once.iter().chain(again).chain(cancelled) {
            assert_eq!(fleet.home.results(id).len(), 1, "{failed}: {id}");
        }
    }
}

/// Drops requests, and lets each victim fail at a later moment each time.
fn sweep(servers: usize, moments: usize) {
    let mut fleet = Fleet::on(Network::Links, servers, &["n1", "n2"]);
    let mut tally = Tally::default();
    for moment in 0..moments {
        for (number, victim) in VICTIMS.into_iter().enumerate() {
            let slug = |what: &str, count: usize| format!("{what}-{moment}-{number}-{count}");
            let once: Vec<String> = (0..3).map(|count| fleet.request(ONCE, &slug("once", count))).collect();
            let again: Vec<String> = (0..2).map(|count| fleet.request(AGAIN, &slug("again", count))).collect();
            let cancelled = [fleet.request("wait", &slug("cancelled", 0))];
            let span = 400;
            let after = span * u64::try_from(moment).unwrap() / u64::try_from(moments).unwrap();
            std::thread::sleep(Duration::from_millis(after));
            // It may still be in the inbox, or answered.
            let _ = fleet.home.gatepost(&["cancel", &cancelled[0]]);
            fail(&mut fleet, victim, moment);
            tally.check(&fleet, &format!("{victim:?}"), &once, &again, &cancelled);
        }
    }
    fleet.ends();
    println!("{} requests: {tally:#?}", moments * VICTIMS.len() * 6);
}

#[test]
fn no_request_is_lost_started_twice_or_answered_twice_if_a_process_fails() {
    let is_whole = std::env::var("GATEPOST_SWEEPS").is_ok_and(|value| value == "whole");
    sweep(1, if is_whole { 60 } else { 4 });
}

#[test]
fn the_same_with_three_servers() {
    let is_whole = std::env::var("GATEPOST_SWEEPS").is_ok_and(|value| value == "whole");
    sweep(3, if is_whole { 30 } else { 3 });
}

#[test]
fn a_network_that_repeats_loses_and_damages_messages_costs_time_and_no_result() {
    let is_whole = std::env::var("GATEPOST_SWEEPS").is_ok_and(|value| value == "whole");
    let (fleet, mut tally) = (Fleet::on(Network::PlainLinks, 1, &["n1", "n2"]), Tally::default());
    for way in [Way::Twice, Way::Flipped, Way::Lost] {
        for machine in &fleet.nodes {
            machine.set_way(way);
        }
        fleet.set_way(way);
        let count = if is_whole { 100 } else { 10 };
        let requests = |tool: &str| -> Vec<String> {
            (0..count).map(|number| fleet.request(tool, &format!("{tool}-{way:?}-{number}").to_lowercase())).collect()
        };
        let (once, again) = (requests(ONCE), requests(AGAIN));
        tally.check(&fleet, &format!("{way:?}"), &once, &again, &[]);
    }
    fleet.ends();
    println!("{tally:#?}");
}
