//! The cost of one invocation, in a new site and in one with 100 000 results. The floors: a program that does nothing, and a bare listing
//! of the folders that `list` needs. They alternate; it prints best, median, and ratios to the floor.
//!
//! ```text
//! cargo bench --bench commands
//! ```

#![allow(clippy::disallowed_methods, reason = "a benchmark is its own world")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};

const ROUNDS: usize = 20;
const RESULTS: i64 = 100_000;
const STAMP: &str = "%Y%m%d-%H%M%SZ";

fn gatepost(site: &Path, words: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost"));
    let ended = command.args(words).arg("--site").arg(site).stdout(Stdio::null()).status().expect("it starts");
    assert!(ended.success(), "{words:?}");
}

fn does_nothing() {
    assert!(Command::new("true").status().expect("it starts").success());
}

/// The id of the request with this number.
fn request(number: i64) -> (DateTime<Utc>, String) {
    let time = DateTime::UNIX_EPOCH + TimeDelta::days(18_262) + TimeDelta::minutes(number);
    (time, format!("TR-{}-{number:06}", time.format(STAMP)))
}

/// Writes the minimum that makes requests count as answered.
fn fill(site: &Path) {
    for number in 0..RESULTS {
        let (time, id) = request(number);
        let claim = site.join("var/exec/done").join(&id);
        fs::create_dir(&claim).and_then(|()| fs::write(claim.join("claim.json"), "{}")).expect("there is space");
        let sealed = (time + TimeDelta::seconds(2)).format(STAMP).to_string();
        fs::create_dir(site.join("core/inbound").join(format!("TS-{sealed}-{id}"))).expect("there is space");
    }
}

fn names(folders: &[PathBuf]) {
    let read = |folder: &PathBuf| folder.read_dir().expect("it is there").count();
    assert!(folders.iter().map(read).sum::<usize>() > 0);
}

/// One row of the table, and its time in each round.
type Row<'a> = (&'a str, Box<dyn Fn() + 'a>, Vec<Duration>);

fn print(rows: &mut [Row<'_>]) {
    for _ in 0..ROUNDS {
        for (_, work, times) in rows.iter_mut() {
            let start = Instant::now();
            work();
            times.push(start.elapsed());
        }
    }
    let mut floor = None;
    for (name, _, times) in rows {
        times.sort_unstable();
        let (best, median) = (times[0], times[times.len() / 2]);
        let floor = *floor.get_or_insert(median);
        let ratio = median.as_secs_f64() / floor.as_secs_f64();
        println!("{name:<34} best {best:>9.1?}  median {median:>9.1?}  {ratio:>6.1} times the floor");
    }
}

fn main() {
    let folder = tempfile::tempdir().expect("there is space");
    let [new, full] = ["new", "full"].map(|name| folder.path().join(name));
    for site in [&new, &full] {
        gatepost(site, &["init"]);
    }
    println!("A new site, beside a program that does nothing:");
    let run = |words: &'static [&str]| Box::new(|| gatepost(&new, words)) as Box<dyn Fn()>;
    print(&mut [
        ("true", Box::new(does_nothing), Vec::new()),
        ("gatepost version", run(&["version"]), Vec::new()),
        ("gatepost list", run(&["list"]), Vec::new()),
        ("gatepost config", run(&["config"]), Vec::new()),
        ("gatepost status", run(&["status"]), Vec::new()),
        ("gatepost manifest", run(&["manifest"]), Vec::new()),
    ]);
    fill(&full);
    println!("{RESULTS} results, beside the bare reading of their two folders:");
    let folders = ["var/exec/done", "core/inbound"].map(|name| full.join(name));
    let (_, middle) = request(RESULTS / 2);
    print(&mut [
        ("readdir", Box::new(|| names(&folders)), Vec::new()),
        ("gatepost list", Box::new(|| gatepost(&full, &["list"])), Vec::new()),
        ("gatepost show ID", Box::new(|| gatepost(&full, &["show", &middle])), Vec::new()),
    ]);
}
