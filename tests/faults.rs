//! System calls that fail for a while: a disk that is full or broken, a machine that is out of descriptors or processes. Once
//! that is over everything is answered once, and nothing has become final that was only passing.
//!
//! ```text
//! cargo test --test faults                   a sample of two minutes
//! cargo test --test faults -- --full         every call with every error
//! cargo test --test faults -- --seconds 30   a shorter sample
//! cargo test --test faults -- --seed 7       another sample
//! cargo test --test faults -- --only clone   only these calls
//! ```
//!
//! strace makes the calls fail, in the watchers and in what they fork, up to the moment at which that executes the tool: what
//! a tool meets is its own. Each trial is one failing call, or all calls from one on, in one run of one watcher.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, reason = "it prints its findings")]

#[path = "power_cut/chance.rs"]
mod chance;
#[path = "faults/deadline.rs"]
mod deadline;
#[allow(dead_code, unused_imports, reason = "shared with the other tests, which use more of it")]
mod oracle;
#[allow(dead_code, unused_imports, reason = "shared with the other tests, which use more of it")]
mod site;
#[path = "faults/trial.rs"]
mod trial;

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use chance::Chance;
use oracle::arguments;
use trial::{Bench, Fault, LEVELS, WATCHERS};

/// The calls that can fail, and how.
const FAULTS: [(&str, &[&str]); 16] = [
    ("fsync,fdatasync", &["EIO", "ENOSPC", "EDQUOT"]),
    ("write,pwrite64,writev", &["EIO", "ENOSPC", "EDQUOT"]),
    ("openat", &["EIO", "EMFILE", "ENOSPC", "EDQUOT"]),
    ("rename,renameat,renameat2", &["EIO", "ENOSPC", "EDQUOT"]),
    ("mkdir,mkdirat", &["EIO", "ENOSPC", "EDQUOT"]),
    ("unlink,unlinkat,rmdir", &["EIO"]),
    ("read,pread64", &["EIO"]),
    ("getdents64", &["EIO"]),
    ("statx,newfstatat,fstat", &["EIO"]),
    ("clone,clone3,fork,vfork", &["EAGAIN"]),
    ("pipe,pipe2", &["EMFILE"]),
    ("socketpair,socket", &["EMFILE"]),
    ("memfd_create,eventfd2,epoll_create1", &["EMFILE"]),
    ("inotify_init1,inotify_add_watch", &["EMFILE", "ENOSPC"]),
    ("fcntl", &["EMFILE", "EAGAIN"]),
    ("execve", &["EAGAIN", "EIO"]),
];

/// The deepest call of a kind that a sample tries, and that all of it does.
const DEPTH: u64 = 40;
const DEPTH_FULL: u64 = 400;

fn all_faults(only: Option<&str>, depth: u64) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (calls, errors) in FAULTS.iter().filter(|(calls, _)| only.is_none_or(|only| calls.contains(only))) {
        for error in *errors {
            for (watcher, walled) in WATCHERS.iter().flat_map(|watcher| LEVELS.map(|walled| (watcher, walled))) {
                let at = |nth| [true, false].map(|lasts| Fault { watcher, walled, calls, error, nth, lasts });
                faults.extend((1..=depth).flat_map(at));
            }
        }
    }
    faults
}

fn main() -> ExitCode {
    let (seed, is_full) = (arguments::seed(), arguments::has("--full"));
    let mut faults = all_faults(arguments::value("--only").as_deref(), if is_full { DEPTH_FULL } else { DEPTH });
    let mut chance = Chance(seed);
    if !is_full {
        faults.sort_by_cached_key(|_| chance.below(u64::MAX));
    }
    let started = Instant::now();
    let until = (!is_full).then(|| started + arguments::seconds().unwrap_or(Duration::from_mins(2)));
    let halves: Vec<Vec<Fault>> = (0..2).map(|half| faults.iter().skip(half).step_by(2).cloned().collect()).collect();
    let findings = thread::scope(|scope| {
        let benches: Vec<_> =
            halves.iter().map(|half| scope.spawn(move || Bench::new().try_all(half, until))).collect();
        benches.into_iter().map(|bench| bench.join().unwrap()).collect::<Vec<_>>()
    });
    let hit: usize = findings.iter().map(|findings| findings.hit).sum();
    let tried: usize = findings.iter().map(|findings| findings.tried).sum();
    let complaints: BTreeMap<Fault, String> = findings.into_iter().flat_map(|findings| findings.complaints).collect();
    for (fault, complaint) in &complaints {
        println!("faults: {fault:?}: {complaint}");
    }
    let is_well = complaints.is_empty() && hit > 0;
    let (outcome, wrong) = (if is_well { "ok" } else { "FAILED" }, complaints.len());
    let (known, seconds) = (faults.len(), started.elapsed().as_secs());
    println!(
        "faults: {outcome}: {hit} faults met in {tried} of {known} trials, {wrong} wrong, seed {seed}, {seconds} s"
    );
    if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
