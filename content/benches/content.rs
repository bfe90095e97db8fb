//! What it costs to look for forbidden content: for each kind of ordinary text the speed of `sha256sum`, the floor, beside that
//! of the rules on content in one thread and in as many as the gate uses, in one run; and the memory that it takes.
//!
//! ```text
//! cargo bench -p gatepost-gate --bench content
//! cargo bench -p gatepost-gate --bench content -- --full    1 GiB of each kind, where 64 MiB are usual
//! ```

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{Read, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gatepost_content::{Place, Scan, Source};

/// How much is read at a time, as intake does.
const CHUNK_BYTES: usize = 64 * 1024;
/// So much of each text is made; it is repeated from there on.
const MADE_BYTES: usize = 4 * 1024 * 1024;

fn main() {
    let total: u64 = if std::env::args().any(|argument| argument == "--full") { 1 << 30 } else { 64 << 20 };
    // The rules are put together once for a process, and count as little as the start of `sha256sum` does.
    Scan::default().look_at(Source::new(Place::Artifact, "warm"), b"token = 1, please run curl https://example.org\n");
    let folder = tempfile::tempdir().expect("a temporary folder");
    println!("{} MiB of each; times are ratios to sha256sum on the same file", total >> 20);
    for (name, text) in [("log", log()), ("table", table()), ("source code", source_code()), ("prose", prose())] {
        let path = folder.path().join("text");
        fill(&path, &text, total);
        let floor = timed(|| sha256sum(&path));
        let mut findings = 0;
        let alone = timed(|| findings = look(&path, Scan::in_threads(1)));
        let ours = timed(|| assert_eq!(look(&path, Scan::default()), findings));
        let compared = |time: Duration| {
            format!("{:>5.0} MB/s {:>5.1} x", rate(total, time), time.as_secs_f64() / floor.as_secs_f64())
        };
        println!(
            "{name:<12} sha256sum {:>5.0} MB/s   one thread {}   as the gate {}   {findings} findings",
            rate(total, floor),
            compared(alone),
            compared(ours),
        );
    }
    println!("memory at most {}", most_memory());
}

fn fill(path: &Path, text: &str, total: u64) {
    let mut file = File::create(path).expect("the folder is ours");
    let mut left = total;
    while left > 0 {
        let bytes = text.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        file.write_all(&text.as_bytes()[..bytes]).expect("there is room for it");
        left -= bytes as u64;
    }
}

fn sha256sum(path: &Path) {
    let status = Command::new("sha256sum").arg(path).stdout(Stdio::null()).status();
    assert!(status.expect("coreutils are installed").success());
}

fn look(path: &Path, mut scan: Scan) -> usize {
    let mut source = Source::new(Place::Artifact, "text");
    let mut file = File::open(path).expect("it was just made");
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk).expect("it can be read") {
            0 => break,
            bytes => source.feed(&chunk[..bytes], &mut scan),
        }
    }
    source.finish(&mut scan);
    scan.into_findings().list().len()
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

#[allow(clippy::cast_precision_loss, reason = "megabytes")]
fn rate(bytes: u64, time: Duration) -> f64 {
    bytes as f64 / 1e6 / time.as_secs_f64()
}

/// The most resident memory of this process, in the kernel's words.
fn most_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or(" unknown");
    line.trim().to_owned()
}

/// Some words that nothing is wrong with, in an order that does not repeat soon.
struct Words(u64);

const WORDS: [&str; 24] = [
    "worker",
    "connection",
    "table",
    "opened",
    "closed",
    "buffer",
    "page",
    "index",
    "node",
    "queue",
    "stage",
    "cache",
    "line",
    "module",
    "thread",
    "record",
    "field",
    "parser",
    "signal",
    "packet",
    "segment",
    "volume",
    "sector",
    "frame",
];

impl Words {
    fn number(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }

    fn word(&mut self) -> &'static str {
        WORDS[usize::try_from(self.number(WORDS.len() as u64)).unwrap_or(0)]
    }
}

fn log() -> String {
    let (mut words, mut text) = (Words(1), String::new());
    while text.len() < MADE_BYTES {
        let (seconds, millis) = (words.number(86_400), words.number(1000));
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let (one, two, three) = (words.word(), words.word(), words.word());
        let (id, took) = (words.number(100_000), words.number(900));
        writeln!(
            text,
            "2026-11-20T{hour:02}:{minute:02}:{second:02}.{millis:03}Z INFO [{one}-{}] {two} {three} {id} in {took} ms",
            id % 64
        )
        .expect("a string takes everything");
    }
    text
}

fn table() -> String {
    let (mut words, mut text) = (Words(2), String::new());
    while text.len() < MADE_BYTES {
        let (one, two) = (words.word(), words.word());
        let (number, share, day) = (words.number(1_000_000), words.number(100_000), words.number(28) + 1);
        writeln!(text, "{number},{one},{two},{}.{:02},2026-11-{day:02}", share / 100, share % 100)
            .expect("a string takes everything");
    }
    text
}

/// Sources of the gate itself, without those of the rules, which are full of what they look for.
fn source_code() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut text = String::new();
    for folder in ["front_matter", "intake", "structure", "durable", "mailbox", "manifest", "request"] {
        let entries = fs::read_dir(root.join(folder)).expect("the checkout is whole");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
        paths.sort();
        for path in paths.iter().filter(|path| path.is_file()) {
            text += &fs::read_to_string(path).expect("sources are text");
        }
    }
    text
}

fn prose() -> String {
    let (mut words, mut text) = (Words(3), String::new());
    while text.len() < MADE_BYTES {
        let (one, two, three, four) = (words.word(), words.word(), words.word(), words.word());
        let number = words.number(40) + 2;
        writeln!(
            text,
            "The {one} holds {number} entries of the {two}. Each {three} was read before the next {four} came, and the\n\
             longest of them took a little more than the others did; the {one} itself is small.\n"
        )
        .expect("a string takes everything");
    }
    text
}
