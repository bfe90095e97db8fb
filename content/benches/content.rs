//! What it costs to look for forbidden content: for each kind of text the speed of `sha256sum`, the floor, beside that of the rules
//! in one thread, in one run; and the memory that it takes. Prints the ratio that the contract of the gate allows beside each.
//!
//! ```text
//! cargo bench -p gatepost-content --bench content
//! cargo bench -p gatepost-content --bench content -- --full    1 GiB of each kind, where 32 MiB are usual
//! cargo bench -p gatepost-content --bench content -- random escapes
//! ```

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark reads files and the clock, and starts what it compares with"
)]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]

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

type Text = fn() -> Vec<u8>;

/// Each kind of text, and the most that it may cost as a multiple of `sha256sum`.
const KINDS: [(&str, Text, f64); 12] = [
    ("log", log, 4.0),
    ("prose", prose, 10.0),
    ("source code", source_code, 10.0),
    ("JSON", json, 10.0),
    ("HTML", html, 10.0),
    ("digests", digests, 10.0),
    ("zeros", zeros, 2.0),
    ("random", random, 2.0),
    ("keywords", keywords, 60.0),
    ("openers", openers, 60.0),
    ("encoded", encoded, 60.0),
    ("escapes", escapes, 60.0),
];

fn main() {
    let total: u64 = if std::env::args().any(|argument| argument == "--full") { 1 << 30 } else { 32 << 20 };
    // The rules are put together once for a process, and count as little as the start of `sha256sum` does.
    let started = Instant::now();
    Scan::default().look_at(Source::new(Place::Artifact, "warm"), b"token = 1, please run curl https://example.org\n");
    println!("rules put together in {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    let folder = tempfile::tempdir().unwrap();
    println!("{} MiB of each; times are ratios to sha256sum on the same file", total >> 20);
    let chosen: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (name, text, most) in
        KINDS.into_iter().filter(|(name, ..)| chosen.is_empty() || chosen.iter().any(|one| one == name))
    {
        let path = folder.path().join("text");
        fill(&path, &text(), total);
        look(&path, MADE_BYTES as u64);
        let floor = timed(|| sha256sum(&path)).min(timed(|| sha256sum(&path)));
        let mut findings = (0, 0);
        let ours = timed(|| findings = look(&path, total));
        let ratio = ours.as_secs_f64() / floor.as_secs_f64();
        let verdict = if ratio <= most { "" } else { "   TOO SLOW" };
        println!(
            "{name:<12} sha256sum {:>5.0} MB/s   rules {:>5.0} MB/s {ratio:>5.1} x of {most:>2.0} x   {} findings, {} refuse{verdict}",
            rate(total, floor),
            rate(total, ours),
            findings.0,
            findings.1,
        );
    }
    println!("memory at most {}", most_memory());
}

fn fill(path: &Path, text: &[u8], total: u64) {
    let mut file = File::create(path).unwrap();
    let mut left = usize::try_from(total).unwrap();
    while left > 0 {
        let bytes = text.len().min(left);
        file.write_all(&text[..bytes]).unwrap();
        left -= bytes;
    }
}

fn sha256sum(path: &Path) {
    let status = Command::new("sha256sum").arg(path).stdout(Stdio::null()).status();
    assert!(status.expect("coreutils are installed").success());
}

/// Looks at the beginning of a file; how many findings there are, and how many of those listed refuse.
fn look(path: &Path, most: u64) -> (u64, usize) {
    let (mut scan, mut source) = (Scan::default(), Source::new(Place::Artifact, "text"));
    let mut file = File::open(path).unwrap().take(most);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut chunk).unwrap() {
            0 => break,
            bytes => source.feed(&chunk[..bytes], &mut scan),
        }
    }
    source.finish(&mut scan);
    let findings = scan.into_findings();
    let refuse =
        findings.list().iter().filter(|finding| finding.severity == gatepost_documents::reason::Severity::Reject);
    (findings.total(), refuse.count())
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

/// Numbers that do not repeat soon.
struct Numbers(u64);

const WORDS: &str = "worker connection table opened closed buffer page index node queue stage cache line module thread record \
                     field parser signal packet segment volume sector frame";

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }

    fn word(&mut self) -> &'static str {
        WORDS.split(' ').nth(usize::try_from(self.below(24)).unwrap()).unwrap()
    }
}

/// A text made of lines.
fn lines(seed: u64, mut line: impl FnMut(&mut Numbers, &mut String)) -> Vec<u8> {
    let (mut numbers, mut text) = (Numbers(seed), String::new());
    while text.len() < MADE_BYTES {
        line(&mut numbers, &mut text);
        text.push('\n');
    }
    text.into_bytes()
}

fn log() -> Vec<u8> {
    lines(1, |numbers, text| {
        let (seconds, millis) = (numbers.below(86_400), numbers.below(1000));
        let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let (one, two, three) = (numbers.word(), numbers.word(), numbers.word());
        let (id, took) = (numbers.below(100_000), numbers.below(900));
        write!(
            text,
            "2026-11-20T{hour:02}:{minute:02}:{second:02}.{millis:03}Z INFO [{one}-{}] {two} {three} {id} in {took} ms",
            id % 64
        )
        .unwrap();
    })
}

fn prose() -> Vec<u8> {
    lines(3, |numbers, text| {
        let (one, two, three, four) = (numbers.word(), numbers.word(), numbers.word(), numbers.word());
        let number = numbers.below(40) + 2;
        write!(
            text,
            "The {one} holds {number} entries of the {two}. Each {three} was read before the next {four} came, and the\n\
             longest of them took a little more than the others did; the {one} itself is small."
        )
        .unwrap();
    })
}

/// Sources of the other crates of this repository, which are not full of what rules look for.
fn source_code() -> Vec<u8> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../");
    let mut text = Vec::new();
    for folder in ["documents/src", "mailbox/src", "gate/src", "gate/src/intake", "gate/src/structure"] {
        let entries = fs::read_dir(root.join(folder)).expect("the checkout is whole");
        let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()).collect();
        paths.sort();
        text.extend(paths.iter().flat_map(|path| fs::read(path).unwrap()));
    }
    text
}

fn json() -> Vec<u8> {
    lines(4, |numbers, text| {
        let (one, two, three) = (numbers.word(), numbers.word(), numbers.word());
        let (id, size) = (numbers.below(1 << 30), numbers.below(1 << 20));
        write!(
            text,
            "{{\"id\": {id}, \"name\": \"{one}-{two}\", \"path\": \"/srv/{one}/{two}/{three}.json\", \"size\": {size}, \
             \"tags\": [\"{two}\", \"{three}\"], \"url\": \"https://{one}.example.org/{two}/{id}\", \"ok\": true}},"
        )
        .unwrap();
    })
}

fn html() -> Vec<u8> {
    lines(5, |numbers, text| {
        let (one, two, three) = (numbers.word(), numbers.word(), numbers.word());
        let number = numbers.below(1000);
        write!(
            text,
            "<div class=\"{one} row\" id=\"{one}-{number}\"><h2>The {one}</h2>\n<p>It holds <b>{number}</b> entries of the \
             <a href=\"/{two}/{three}.html\">{two}</a> &amp; its {three}.</p>\n<img src=\"/img/{three}.png\" alt=\"{three}\"></div>"
        )
        .unwrap();
    })
}

fn digests() -> Vec<u8> {
    lines(6, |numbers, text| {
        (0..8).for_each(|_| write!(text, "{:08x}", numbers.below(1 << 31)).unwrap());
        write!(text, "  {}.{}", numbers.word(), numbers.below(1000)).unwrap();
    })
}

fn zeros() -> Vec<u8> {
    vec![0; MADE_BYTES]
}

fn random() -> Vec<u8> {
    let mut numbers = Numbers(7);
    (0..MADE_BYTES).map(|_| u8::try_from(numbers.below(256)).unwrap()).collect()
}

/// Nothing but words that rules and sentences wait for.
fn keywords() -> Vec<u8> {
    const KEYWORDS: &str = "password= token: secret= api_key= curl wget bash -c | sh http:// https:// ignore previous instructions \
                            eyJ ghp_ AKIA sk- -----BEGIN xoxb- powershell -enc eval( system( base64 -d you must approved policy";
    let words: Vec<&str> = KEYWORDS.split(' ').collect();
    lines(8, |numbers, text| {
        for _ in 0..12 {
            let word = usize::try_from(numbers.below(words.len() as u64)).unwrap();
            write!(text, "{} ", words[word]).unwrap();
        }
    })
}

/// Nothing but what begins something that never ends.
fn openers() -> Vec<u8> {
    b"<!--<a href=\"<script <img src='![](\x1b[8m\x1b]0;{{${<div style=\"&#x&#\\u\\x%%=?UTF-8?B?\n".repeat(50_000)
}

/// Base64 of text, in runs of all lengths.
fn encoded() -> Vec<u8> {
    lines(9, |numbers, text| {
        for _ in 0..=numbers.below(12) {
            text.push_str("dGhlIHdvcmtlciBob2xkcyB0aGUgdGFibGUg");
        }
    })
}

fn escapes() -> Vec<u8> {
    lines(10, |numbers, text| {
        for _ in 0..16 {
            let byte = 97 + numbers.below(26);
            write!(text, "\\x{byte:02x}%{byte:02x}&#{byte};={byte:02X}\\u{byte:04x}").unwrap();
        }
    })
}
