//! What a machine has too little of, taken away and given back under load: threads, processes, descriptors, inotify instances,
//! disk space, inodes, memory. Everything is answered once, nothing becomes final that was only passing, and SIGTERM
//! ends the watchers also while it lasts.
//!
//! ```text
//! cargo test --test scarcity                     two minutes or so
//! cargo test --test scarcity -- --full           every limit
//! cargo test --test scarcity -- --only inodes    only what has this in its name
//! ```
//!
//! Root and everybody else may run it; where namespaces are forbidden it says so and proves nothing.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "it prints its findings")]

#[path = "scarcity/cases.rs"]
mod cases;
#[path = "faults/deadline.rs"]
mod deadline;
#[allow(dead_code, unused_imports, reason = "shared with the other tests, which use more of it")]
mod oracle;
#[allow(dead_code, reason = "shared with the other tests, which use more of it")]
#[path = "power_cut/scratch.rs"]
mod scratch;
#[allow(dead_code, unused_imports, reason = "shared with the other tests, which use more of it")]
mod site;
#[path = "scarcity/stand.rs"]
mod stand;

use std::process::ExitCode;
use std::time::Instant;

use cases::CASES;
use oracle::arguments;
use stand::Stand;

fn main() -> ExitCode {
    if let Some(why) = scratch::forbidden() {
        println!("scarcity: NOT RUN, nothing was proved: {why}");
        return ExitCode::SUCCESS;
    }
    let folder = scratch::enter("scarcity");
    let (is_full, only) = (arguments::has("--full"), arguments::value("--only"));
    let (mut failed, mut held) = (0, 0);
    for case in CASES.iter().filter(|case| only.as_ref().is_none_or(|only| case.name.contains(only.as_str()))) {
        for (walled, level) in [(false, "none"), (true, "full")] {
            let started = Instant::now();
            let place = folder.join(format!("{}-{level}", case.name.replace(' ', "-")));
            let mut stand = Stand::new(&place, case.place, walled);
            let mut complaints = (case.run)(&mut stand, is_full);
            complaints.extend(stand.verify());
            let drops = stand.drops();
            let outcome = if complaints.is_empty() { "ok" } else { "FAILED" };
            let seconds = started.elapsed().as_secs_f64();
            println!("scarcity: {}, tools at level {level}: {outcome}, {drops} drops, {seconds:.1} s", case.name);
            for complaint in &complaints {
                println!("scarcity: {}, tools at level {level}: {complaint}", case.name);
            }
            (failed, held) = (failed + usize::from(!complaints.is_empty()), held + usize::from(complaints.is_empty()));
        }
    }
    println!("scarcity: {}: {held} held, {failed} did not", if failed == 0 { "ok" } else { "FAILED" });
    if failed == 0 && held > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
