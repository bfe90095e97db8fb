//! What a run costs above its floor: `/bin/true` through the process runner, beside a bare clone into the same
//! namespaces and exec. Both alternate in one process; medians and their ratio are printed.
//!
//! ```text
//! cargo bench --bench spawn
//! ```

mod bare_clone;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use gatepost::process::{Job, run};
use gatepost_gate::evidence::Limits;

use bare_clone::{PROGRAM, bare};

const ROUNDS: usize = 400;

fn through_the_runner(folder: &Path) {
    let (stdout, stderr) = (folder.join("stdout"), folder.join("stderr"));
    let limits = Limits {
        time_ms: 60_000,
        cpu_seconds: 60,
        memory_bytes: 1 << 30,
        files: 256,
        processes: 64,
        file_bytes: 1 << 30,
        stdout_bytes: 1 << 20,
    };
    let job = Job {
        argv: &[PROGRAM.to_str().expect("it is ASCII").into()],
        environment: &[],
        work_dir: Path::new("/"),
        limits: &limits,
        grace: Duration::from_secs(2),
        stdout: &stdout,
        stderr: &stderr,
        cancel: None,
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
    for ballast_mib in [0, 64] {
        let ballast = vec![1u8; ballast_mib << 20];
        let (floor, ours): (Vec<_>, Vec<_>) =
            (0..ROUNDS).map(|_| (timed(bare), timed(|| through_the_runner(folder.path())))).unzip();
        std::hint::black_box(&ballast);
        let (floor, ours) = (median(floor), median(ours));
        let ratio = ours.as_secs_f64() / floor.as_secs_f64();
        println!("{ballast_mib:>3} MiB in use: bare clone and exec {floor:?}, runner {ours:?}, ratio {ratio:.2}");
    }
}
