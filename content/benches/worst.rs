//! Looks for the text that costs most: for each rule its keywords and examples, and short patterns of signs that open something,
//! each repeated to 256 KiB. Prints the dearest of each family of rules, as a multiple of `sha256sum` of as many bytes.
//!
//! ```text
//! cargo bench -p gatepost-content --bench worst
//! cargo bench -p gatepost-content --bench worst -- --full    1 MiB of each
//! cargo bench -p gatepost-content --bench worst -- hidden    one family alone
//! ```
//!
//! What grows with the length is shown by the second length: twice the bytes at twice the time a byte would be quadratic.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a benchmark reads files and the clock, and starts what it compares with"
)]
#![allow(clippy::unwrap_used, reason = "a bench fails by panicking")]
#![allow(clippy::print_stdout, clippy::cast_precision_loss, reason = "it prints its findings")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use gatepost_content::{Place, Scan, Source};

/// The text between two repetitions.
const GAPS: [&str; 4] = ["", " ", "\n", "=\"a\" "];
/// Tokens that open a construct somewhere if two or three follow each other.
const SIGNS: [&str; 20] =
    ["a", "A", "1", "\\", "/", "<", ">", "\"", "'", "=", "%", "&", "#", ".", "-", "_", "{", "(", "\u{1b}[", "\u{e9}"];
/// How many of the dearest are measured again, with twice the length.
const AGAIN: usize = 3;
const CHUNK_BYTES: usize = 64 * 1024;

fn main() {
    let bytes = if std::env::args().any(|argument| argument == "--full") { 1 << 20 } else { 256 << 10 };
    look("warm", 1 << 10);
    let floor = sha256sum();
    println!("sha256sum: {:.0} MB/s; {} KiB of each pattern", 1.0 / floor / 1e6, bytes >> 10);
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    for (family, patterns) in families().into_iter().filter(|(family, _)| named.is_empty() || named.contains(family)) {
        let mut costs: Vec<(f64, &String)> = patterns
            .iter()
            .map(|pattern| (look(pattern, bytes).as_secs_f64() / bytes as f64 / floor, pattern))
            .collect();
        costs.sort_by(|one, other| other.0.total_cmp(&one.0));
        for (cost, pattern) in costs.into_iter().take(AGAIN) {
            let doubled = look(pattern, 2 * bytes).as_secs_f64() / (2 * bytes) as f64 / floor;
            println!("{family:<14} {cost:>7.1} x   {doubled:>7.1} x of twice as much   {pattern:.60?}");
        }
    }
}

/// The patterns by the file of rules that they come from.
fn families() -> BTreeMap<String, BTreeSet<String>> {
    let mut families: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    for path in fs::read_dir(rules).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let file: toml::Table = fs::read_to_string(&path).unwrap().parse().unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let patterns = families.entry(name).or_default();
        for rule in file["rule"].as_array().unwrap() {
            let texts = |key: &str| rule.get(key).and_then(toml::Value::as_array).cloned().unwrap_or_default();
            for keyword in texts("keywords") {
                let keyword = keyword.as_str().unwrap().to_owned();
                patterns.extend(GAPS.map(|gap| format!("{keyword}{gap}")));
            }
            for example in texts("positive") {
                let parts = example.as_array().unwrap().iter().map(|part| part.as_str().unwrap());
                patterns.insert(parts.collect());
            }
        }
    }
    let signs = families.entry("(signs)".to_owned()).or_default();
    for one in SIGNS {
        for other in SIGNS {
            signs.extend(["", "\n", " "].map(|gap| format!("{one}{other}{gap}")));
        }
    }
    families
}

/// How long it takes to look at so many bytes of a repeated pattern.
fn look(pattern: &str, bytes: usize) -> Duration {
    let text: Vec<u8> = pattern.bytes().cycle().take(bytes).collect();
    let started = Instant::now();
    let (mut scan, mut source) = (Scan::default(), Source::new(Place::Artifact, "text"));
    for chunk in text.chunks(CHUNK_BYTES) {
        source.feed(chunk, &mut scan);
    }
    source.finish(&mut scan);
    drop(scan.into_findings());
    started.elapsed()
}

/// Seconds a byte.
fn sha256sum() -> f64 {
    const BYTES: u64 = 256 << 20;
    let file = tempfile::NamedTempFile::new().unwrap();
    file.as_file().set_len(BYTES).unwrap();
    let time = || {
        let started = Instant::now();
        assert!(Command::new("sha256sum").arg(file.path()).stdout(Stdio::null()).status().unwrap().success());
        started.elapsed()
    };
    time().min(time()).as_secs_f64() / BYTES as f64
}
