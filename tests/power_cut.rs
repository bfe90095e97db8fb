//! The power fails, again and again: at every flush, rename, removal and new folder of both watchers, at random moments under
//! load, and again while they recover.
//!
//! ```text
//! cargo test --test power_cut                     some hundred cuts, three minutes at most: the first calls of each kind
//! cargo test --test power_cut -- --full           every call, thousands of cuts
//! cargo test --test power_cut -- --seconds 30     a shorter sample
//! cargo test --test power_cut -- --seed 7         other moments
//! ```
//!
//! Sites lie on ext4 and xfs in images of their own. A power cut is the file system's own emergency stop, which lets nothing
//! more reach the disk, then the death of every process, then a mount, which recovers the journal. What the tools did is read off a
//! log on another file system. Everything happens in namespaces of its own, so that no mount, device or process is left behind
//! however this ends.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "it prints its findings")]

#[path = "power_cut/chance.rs"]
mod chance;
#[path = "power_cut/disk.rs"]
mod disk;
#[path = "power_cut/machine.rs"]
mod machine;
#[allow(dead_code, reason = "shared with the other tests, which use more of it")]
mod oracle;
#[path = "power_cut/scratch.rs"]
mod scratch;
#[allow(dead_code, unused_imports, reason = "shared with the other tests, which use more of it")]
mod site;
#[path = "power_cut/sweep.rs"]
mod sweep;

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use disk::KINDS;
use oracle::arguments;
use sweep::{Figures, Scale, Sweep};

fn main() -> ExitCode {
    if let Some(why) = scratch::obstacle() {
        println!("power_cut: NOT RUN, nothing was proved: {why}");
        return ExitCode::SUCCESS;
    }
    let folder = scratch::enter("power_cut");
    let (seed, is_full) = (arguments::seed(), arguments::has("--full"));
    let started = Instant::now();
    let sample = arguments::seconds().unwrap_or(Duration::from_secs(150));
    let scale = |number: usize| {
        if is_full {
            Scale { first: 1, step: 1, rounds: 4, until: None }
        } else {
            // The three of them together make every call as deep as the clock lets them; the last ones are for `--full`.
            Scale { first: 1 + number, step: 3, rounds: 1, until: Some(started + sample) }
        }
    };
    let figures: Vec<Figures> = thread::scope(|scope| {
        let sweeps: Vec<_> = (0..)
            .zip(&KINDS)
            .map(|(number, kind)| {
                let folder = folder.join(kind.name);
                scope.spawn(move || Sweep::new(kind, &folder, scale(number), seed + number as u64).run())
            })
            .collect();
        sweeps.into_iter().map(|sweep| sweep.join().unwrap()).collect()
    });
    let mut has_failed = false;
    for (kind, figures) in KINDS.iter().zip(&figures) {
        println!("power_cut: {}: {figures}", kind.name);
        has_failed |= !figures.complaints.is_empty();
        // A sweep that cut nothing proves nothing.
        has_failed |= figures.at_calls == 0 || figures.at_random == 0 || figures.in_recovery == 0;
    }
    let cuts: usize = figures.iter().map(Figures::cuts).sum();
    let requests: usize = figures.iter().map(|figures| figures.requests).sum();
    let outcome = if has_failed { "FAILED" } else { "ok" };
    println!("power_cut: {outcome}: {cuts} cuts, {requests} drops, seed {seed}, {} s", started.elapsed().as_secs());
    if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
