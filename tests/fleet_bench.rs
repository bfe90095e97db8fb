//! What a fleet costs a request, and how many its nodes answer: `cargo build --release --workspace && cargo bench --bench fleet`.
//!
//! All machines are this one, and the tools wait, so that its cores are not the limit. Needs `tests/fleet/install`.

#![allow(clippy::disallowed_methods, reason = "a bench arranges the world, and measures it")]
#![allow(clippy::unwrap_used, reason = "a bench ends by panicking")]

#[path = "fleet/certificates.rs"]
mod certificates;
#[path = "fleet/machines.rs"]
#[allow(dead_code, reason = "the tests use the rest of it")]
mod machines;
#[allow(dead_code, unused_imports, reason = "the tests use the rest of it")]
mod site;

use std::time::{Duration, Instant};

use machines::Fleet;

const REQUESTS: usize = 40;
const WAITING: u32 = 120;

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

/// How long it takes until all of many are answered.
fn together(fleet: &Fleet) -> Duration {
    let begun = Instant::now();
    let ids: Vec<String> = (0..WAITING).map(|number| fleet.request("wait", &format!("wait-{number}"))).collect();
    for id in &ids {
        fleet.is_answered(id);
    }
    begun.elapsed()
}

fn main() {
    let fleet = Fleet::start(1, &["n1"]);
    let (local, far) = (alone(&fleet, "near"), alone(&fleet, "far"));
    let (local, far) = (local.as_secs_f64() * 1e3, far.as_secs_f64() * 1e3);
    println!("one request, here {local:.1} ms; on a node {far:.1} ms, {:.1} ms more", far - local);
    drop(fleet);
    let mut first = None;
    for nodes in [&["n1"][..], &["n1", "n2"], &["n1", "n2", "n3", "n4"]] {
        let fleet = Fleet::start(1, nodes);
        let time = together(&fleet);
        let first = *first.get_or_insert(time);
        println!(
            "{} nodes of 8 slots, {WAITING} tools that wait 0.5 s: {:.2} s, {:.1} a second, {:.2} times one node",
            nodes.len(),
            time.as_secs_f64(),
            f64::from(WAITING) / time.as_secs_f64(),
            first.as_secs_f64() / time.as_secs_f64()
        );
    }
}
