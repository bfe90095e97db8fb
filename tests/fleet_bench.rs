//! What a fleet costs a request, and how many its nodes answer: `cargo build --release --workspace && cargo bench --bench fleet`.
//!
//! All machines are this one, and the tools wait, so that its cores are not the limit. Needs `tests/fleet/install`.

#![allow(clippy::disallowed_methods, reason = "a bench arranges the world, and measures it")]
#![allow(clippy::unwrap_used, reason = "a bench ends by panicking")]

#[path = "fleet/certificates.rs"]
mod certificates;
#[allow(dead_code, reason = "the tests use it")]
#[path = "fleet/link.rs"]
mod link;
#[path = "fleet/machines.rs"]
#[allow(dead_code, reason = "the tests use the rest of it")]
mod machines;
#[allow(dead_code, unused_imports, reason = "the tests use the rest of it")]
mod site;

use std::fs;
use std::time::{Duration, Instant};

use machines::{Fleet, Process};
use site::until;

const REQUESTS: usize = 40;
const WAITING: u32 = 120;
/// Requests that wait while one is timed.
const BACKLOG: usize = 10_000;

/// The median time from the drop to the verdict, one request after the other.
fn alone(fleet: &Fleet, tool: &str) -> Duration {
    let mut times: Vec<Duration> = (0..REQUESTS)
        .map(|number| {
            let begun = Instant::now();
            let id = fleet.request(tool, &format!("{tool}-{number}"));
            fleet.is_answered(&id);
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// How long it takes until all of many are answered, and how many seconds of a processor the home needs for that.
fn together(fleet: &Fleet) -> (Duration, f64) {
    let home = || [&fleet.exec, &fleet.gate, &fleet.carrier].map(Process::processor).iter().sum::<f64>();
    let (begun, before) = (Instant::now(), home());
    let ids: Vec<String> = (0..WAITING).map(|number| fleet.request("wait", &format!("wait-{number}"))).collect();
    for id in &ids {
        fleet.is_answered(id);
    }
    (begun.elapsed(), home() - before)
}

/// The time of one request on a node while many others wait, for a tool that no node can run.
fn behind(fleet: &Fleet) -> Duration {
    let node = &fleet.nodes[0].site;
    fs::remove_file(node.path("tools/wait.clad.toml")).unwrap();
    let listed = || fs::read_to_string(node.path("var/exec/fleet/tools.json")).unwrap();
    until("the list of the node", || !listed().contains("wait"));
    for number in 0..BACKLOG {
        fleet.request("wait", &format!("backlog-{number}"));
    }
    let offers = fleet.home.path("var/exec/fleet/offers");
    while offers.read_dir().unwrap().count() < BACKLOG {
        std::thread::sleep(Duration::from_millis(100));
    }
    alone(fleet, "far")
}

fn main() {
    let fleet = Fleet::start(1, &["n1"]);
    let [local, far] = ["near", "far"].map(|tool| alone(&fleet, tool).as_secs_f64() * 1e3);
    println!("one request, here {local:.1} ms; on a node {far:.1} ms, {:.1} ms more", far - local);
    let begun = Instant::now();
    let behind = behind(&fleet).as_secs_f64() * 1e3;
    println!(
        "the same while {BACKLOG} wait: {behind:.1} ms, {:.2} times; all took {:.1?}",
        behind / far,
        begun.elapsed()
    );
    drop(fleet);
    let mut first = None;
    for nodes in [&["n1"][..], &["n1", "n2"], &["n1", "n2", "n3", "n4"]] {
        let fleet = Fleet::start(1, nodes);
        let (time, home) = together(&fleet);
        let first = *first.get_or_insert(time);
        println!(
            "{} nodes of 8 slots, {WAITING} tools that wait 0.5 s: {:.2} s, {:.1} a second, {:.2} times one node; the home uses {:.1} ms of a \
             processor each",
            nodes.len(),
            time.as_secs_f64(),
            f64::from(WAITING) / time.as_secs_f64(),
            first.as_secs_f64() / time.as_secs_f64(),
            home * 1e3 / f64::from(WAITING)
        );
    }
}
