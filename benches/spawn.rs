//! The cost of a run above its floor: `/bin/true` through the process runner at each level, beside a bare clone into
//! the same namespaces and exec. They alternate in one process; it prints medians and ratios to the floor.
//!
//! ```text
//! cargo bench --bench spawn
//! ```

#![allow(clippy::disallowed_methods, reason = "a benchmark is its own world")]

mod bare_clone;

use std::cell::Cell;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost_documents::evidence::Limits;
use gatepost_sandbox::process::{Job, run};
use gatepost_sandbox::{Confinement, View};

use bare_clone::{PROGRAM, bare};

const ROUNDS: usize = 400;

fn through_the_runner(folder: &Path, confinement: Confinement<'_>) {
    let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
    let limits = Limits {
        time_ms: 60_000,
        cpu_seconds: 60,
        cpus: None,
        memory_bytes: None,
        address_space_bytes: 1 << 30,
        files: 256,
        processes: 64,
        file_bytes: 1 << 30,
        out_bytes: None,
        out_files: None,
        stdout_bytes: 1 << 20,
    };
    let job = Job {
        argv: &[PROGRAM.to_str().expect("it is ASCII").into()],
        environment: &[],
        input: None,
        console: None,
        work_dir: Path::new("/"),
        confinement,
        limits: &limits,
        grace: Duration::from_secs(2),
        stdout: &stdout,
        stderr: &stderr,
        cancel: None,
        started: &Cell::new(false),
    };
    run(&job).expect("the sandbox works here");
    fs::remove_file(stdout).and_then(|()| fs::remove_file(stderr)).expect("the files are there");
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let view = View { input: folder.path(), output: folder.path(), read_only: &[] };
    for ballast_mib in [0, 64] {
        let ballast = vec![1u8; ballast_mib << 20];
        let rounds = (0..ROUNDS).map(|_| {
            let runner = |confinement| timed(|| through_the_runner(folder.path(), confinement));
            let landlock = Confinement::landlock(view, folder.path());
            (timed(bare), runner(Confinement::none()), runner(landlock), runner(Confinement::full(view)))
        });
        let rounds: Vec<_> = rounds.collect();
        std::hint::black_box(&ballast);
        let floor = median(rounds.iter().map(|(floor, ..)| *floor).collect());
        let none = rounds.iter().map(|(_, none, ..)| *none).collect();
        let landlock = rounds.iter().map(|(_, _, landlock, _)| *landlock).collect();
        let full = rounds.iter().map(|(.., full)| *full).collect();
        println!("{ballast_mib:>3} MiB in use: bare clone and exec {floor:?}");
        for (level, times) in [("none", none), ("landlock", landlock), ("full", full)] {
            let time = median(times);
            println!("    level {level}: {time:?}, ratio {:.2}", time.as_secs_f64() / floor.as_secs_f64());
        }
    }
}
