//! Every process of a fleet killed, or stopped for longer than the lease, at moments all along the way of requests.

use std::collections::BTreeMap;
use std::time::Duration;

use super::machines::{AGAIN, Fleet, LEASE, ONCE};
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
}

const VICTIMS: [Victim; 8] = [
    Victim::HomeExec,
    Victim::Gate,
    Victim::HomeCarrier,
    Victim::NodeExec,
    Victim::NodeCarrier,
    Victim::Server,
    Victim::WipedServer,
    Victim::StoppedNode,
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
    }
}

/// Drops requests, lets each victim fail at a later moment each time, and holds what came against what may come.
fn sweep(servers: usize, moments: usize) {
    let mut fleet = Fleet::start(servers, &["n1", "n2"]);
    let (mut outcomes, mut started_twice) = (BTreeMap::<(String, String), usize>::new(), 0);
    for moment in 0..moments {
        for (number, victim) in VICTIMS.into_iter().enumerate() {
            let slug = |what: &str, count: usize| format!("{what}-{moment}-{number}-{count}");
            let once: Vec<String> = (0..3).map(|count| fleet.request(ONCE, &slug("once", count))).collect();
            let again: Vec<String> = (0..2).map(|count| fleet.request(AGAIN, &slug("again", count))).collect();
            let span = 400;
            let after = span * u64::try_from(moment).unwrap() / u64::try_from(moments).unwrap();
            std::thread::sleep(Duration::from_millis(after));
            fail(&mut fleet, victim, moment);
            for id in once.iter().chain(&again) {
                fleet.is_answered(id);
            }
            let effects = fleet.effects();
            for id in &once {
                let starts = effects.iter().filter(|effect| *effect == id).count();
                assert!(starts <= 1, "{victim:?} after {after} ms: {id} was started {starts} times");
                let bundle = fleet.home.result(id);
                let outcome = bundle.evidence()["error"]["code"].as_str().unwrap_or("success").to_owned();
                assert!(["success", "INTERRUPTED"].contains(&outcome.as_str()), "{id}: {outcome}");
                // A success that nothing did would be a lie.
                assert!(outcome != "success" || starts == 1, "{id}: {outcome} with {starts} starts");
                *outcomes.entry((format!("{victim:?}"), outcome)).or_default() += 1;
            }
            for id in &again {
                let starts = effects.iter().filter(|effect| *effect == id).count();
                started_twice += usize::from(starts > 1);
                assert_eq!(text(&fleet.home.result(id).evidence()["status"]), "success", "{id}");
            }
            for id in once.iter().chain(&again) {
                assert_eq!(fleet.home.results(id).len(), 1, "{id}");
            }
        }
    }
    fleet.ends();
    println!("{} requests, {started_twice} idempotent ones started twice: {outcomes:#?}", moments * VICTIMS.len() * 5);
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
