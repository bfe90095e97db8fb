//! The end-to-end benchmark: gatepost, the floor below it, and the alternatives, side by side in one run.
//!
//! ```text
//! cargo build --release                       the programs that gatepost starts
//! cargo bench --bench end_to_end              some minutes
//! cargo bench --bench end_to_end -- --full    more rounds and requests
//! ```
//!
//! All files are on the file system of the target folder, so fsync is real; set `GATEPOST_BENCH_DIR` for another.
//! Rounds of the floor and of gatepost alternate and medians are compared, so that other load affects both equally.

#![allow(clippy::disallowed_methods, reason = "a benchmark is its own world")]
#![allow(clippy::print_stdout, reason = "it prints its findings")]

#[path = "../bare_clone.rs"]
mod bare_clone;
mod floor;
mod large;
mod mailbox;
mod peers;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use floor::{FLUSHES, Floor};
use mailbox::{GATEPOST, Mailbox};
use peers::PEERS;

/// The size of a measurement.
struct Scale {
    rounds: usize,
    requests: usize,
    latencies: usize,
}

const QUICK: Scale = Scale { rounds: 3, requests: 60, latencies: 60 };
const FULL: Scale = Scale { rounds: 11, requests: 300, latencies: 500 };
/// How many files wait.
const WAITING: [usize; 3] = [100, 10_000, 100_000];
/// Only a sample of the waiting files is run; its cost is enough.
const SAMPLE: usize = 50;

/// The table at the end.
#[derive(Default)]
struct Table(Vec<(String, String)>);

impl Table {
    fn row(&mut self, what: impl Into<String>, figure: String) {
        let what = what.into();
        println!("{what}: {figure}");
        self.0.push((what, figure));
    }
}

fn main() -> io::Result<()> {
    let scale = if std::env::args().any(|argument| argument == "--full") { &FULL } else { &QUICK };
    let parent = std::env::var_os("GATEPOST_BENCH_DIR").unwrap_or_else(|| env!("CARGO_TARGET_TMPDIR").into());
    let folder = tempfile::tempdir_in(PathBuf::from(parent))?;
    let mut table = Table::default();
    throughput(folder.path(), scale, &mut table)?;
    latency(folder.path(), scale, &mut table)?;
    waiting(folder.path(), scale, &mut table)?;
    large::measure(folder.path(), &mut table)?;
    version(scale, &mut table)?;
    println!("\n| measured | figure |\n|---|---|");
    for (what, figure) in &table.0 {
        println!("| {what} | {figure} |");
    }
    Ok(())
}

/// Time per request: the floor, gatepost with one worker and one per core, and the peers, in turn.
fn throughput(folder: &Path, scale: &Scale, table: &mut Table) -> io::Result<()> {
    let cores = thread::available_parallelism()?.get();
    let mut floor = Floor::new(&folder.join("floor"))?;
    let mut sites = [1, cores].map(|workers| (workers, folder.join(format!("workers-{workers}")), Vec::new()));
    let mut floor_times = Vec::new();
    let mut peers = PEERS.each_ref().map(|peer| (peer, Vec::new()));
    for round in 0..scale.rounds {
        floor_times.push(floor_round(&mut floor, round, scale.requests)?);
        for (workers, site, times) in &mut sites {
            times.push(gatepost_round(&site.join(round.to_string()), *workers, scale.requests)?);
        }
        for (number, (peer, times)) in peers.iter_mut().enumerate().filter(|(_, (peer, _))| peer.missing().is_none()) {
            times.push(peer.run(&folder.join(format!("peer-{number}-{round}")), scale.requests)?);
        }
    }
    let per_request = |times: Vec<Duration>| median(times) / u32::try_from(scale.requests).unwrap_or(u32::MAX);
    let floor = per_request(floor_times);
    table.row(format!("floor: {FLUSHES} flushes and a bare namespaced program"), format!("{floor:.2?} a request"));
    let mut best = Duration::MAX;
    for (workers, _, times) in sites {
        let time = per_request(times);
        best = best.min(time);
        table.row(
            format!("gatepost, {workers} worker(s)"),
            format!("{time:.2?} a request, {} floor", times_of(time, floor)),
        );
    }
    for (peer, times) in peers {
        let figure = if let Some(program) = peer.missing() {
            format!("{program} is not installed: {}", peer.install)
        } else {
            let time = per_request(times);
            format!("{time:.2?} a request, {} gatepost at its best", times_of(time, best))
        };
        table.row(format!("{} (no flush, no verdict)", peer.name), figure);
    }
    Ok(())
}

fn floor_round(floor: &mut Floor, round: usize, requests: usize) -> io::Result<Duration> {
    for number in 0..requests {
        let id = format!("TR-20260209-160501Z-r{round}-{number:06}");
        floor.drop(&id, mailbox::request(&id, "nothing").as_bytes())?;
    }
    timed(|| floor.drain())
}

/// Both watchers run; measures from the first drop to the last accepted result.
fn gatepost_round(site: &Path, workers: usize, requests: usize) -> io::Result<Duration> {
    let mut mailbox = Mailbox::new(site, workers)?;
    let _watchers = mailbox.start("up")?;
    mailbox.drop("nothing")?;
    mailbox.await_results("core/inbound", 1)?;
    timed(|| {
        (0..requests).try_for_each(|_| mailbox.drop("nothing"))?;
        mailbox.await_results("core/inbound", requests + 1).map(drop)
    })
}

/// The time from the rename of one drop to its accepted result on an idle site.
fn latency(folder: &Path, scale: &Scale, table: &mut Table) -> io::Result<()> {
    let mut mailbox = Mailbox::new(&folder.join("latency"), 0)?;
    let _watchers = mailbox.start("up")?;
    mailbox.drop("nothing")?;
    mailbox.await_results("core/inbound", 1)?;
    let mut times = Vec::new();
    for number in 0..scale.latencies {
        times.push(timed(|| {
            mailbox.drop("nothing")?;
            mailbox.await_results("core/inbound", number + 2).map(drop)
        })?);
    }
    times.sort();
    let percentile = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    table.row("drop to accepted", format!("p50 {:.2?}, p99 {:.2?}", percentile(50), percentile(99)));
    Ok(())
}

/// The cost of a request for TOOL-EXEC while many others wait.
fn waiting(folder: &Path, scale: &Scale, table: &mut Table) -> io::Result<()> {
    let mut times = WAITING.map(|count| (count, Vec::new(), 0));
    for round in 0..scale.rounds {
        for (count, times, memory_bytes) in &mut times {
            let mut mailbox = Mailbox::new(&folder.join(format!("waiting-{count}-{round}")), 1)?;
            mailbox.fill(*count)?;
            let exec = mailbox.start("exec")?;
            let first = mailbox.await_results("outbox", 10)?;
            let last = mailbox.await_results("outbox", 10 + SAMPLE)?;
            *memory_bytes = exec.memory_bytes_peak()?.max(*memory_bytes);
            times.push((last - first) / u32::try_from(SAMPLE).unwrap_or(u32::MAX));
        }
    }
    let mut fewest = None;
    for (count, times, memory_bytes) in times {
        let time = median(times);
        let ratio = times_of(time, *fewest.get_or_insert(time));
        let figure = format!("{time:.2?} a request, {ratio} that with {}, {} MiB", WAITING[0], memory_bytes >> 20);
        table.row(format!("TOOL-EXEC with {count} waiting files"), figure);
    }
    Ok(())
}

fn version(scale: &Scale, table: &mut Table) -> io::Result<()> {
    let run = || Command::new(GATEPOST).arg("version").stdout(Stdio::null()).status().map(drop);
    let times = (0..scale.latencies).map(|_| timed(run)).collect::<io::Result<_>>()?;
    table.row("gatepost version", format!("{:.2?}", median(times)));
    Ok(())
}

fn timed(work: impl FnOnce() -> io::Result<()>) -> io::Result<Duration> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn times_of(time: Duration, base: Duration) -> String {
    format!("{:.2} ×", time.as_secs_f64() / base.as_secs_f64())
}
