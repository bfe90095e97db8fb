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
const BACKLOG: usize = 100_000;

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

/// The median times from the drop to the verdict, in milliseconds, of a request here and of one on a node. Disks change over minutes, so the two take turns.
fn near_and_far(fleet: &Fleet) -> [f64; 2] {
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..REQUESTS {
        for (tool, times) in ["near", "far"].into_iter().zip(&mut times) {
            let begun = Instant::now();
            let id = fleet.request(tool, &format!("{tool}-{round}"));
            fleet.is_answered(&id);
            times.push(begun.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e3
    })
}

/// Makes many requests wait, for a tool that no node can run.
fn fill(fleet: &Fleet) {
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
}

fn main() {
    let fleet = Fleet::start(1, &["n1"]);
    let say = |when: &str, [near, far]: [f64; 2]| {
        println!("one request{when}, here {near:.1} ms; on a node {far:.1} ms, {:.1} ms more", far - near);
    };
    say("", near_and_far(&fleet));
    let begun = Instant::now();
    fill(&fleet);
    println!("{BACKLOG} requests are offered after {:.1?}", begun.elapsed());
    say(" while they wait", near_and_far(&fleet));
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
