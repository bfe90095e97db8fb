//! `measure [--list] DIR…`: how well the content rules do on labelled text, in one table.
//!
//! A folder holds JSON Lines (`tests/content/README.md` describes a line; only the text or bytes must be there) or one folder of
//! files for each class. Printed are recall by class and form, false positives on harmless text with 95 % intervals, speed on
//! clean text, and the slowest input, once the process is warm. `--list` adds the samples that were missed or refused wrongly, with the rules: not for a
//! set that is held out.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a program for the desk: it reads files and the clock"
)]

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use gatepost_content::{Finding, Place, RuleSet, Scan, Source};

mod figures;
mod folder;
mod sample;

use figures::{Count, Counts, count, findings, interval, refuses};
use folder::samples_in;
use sample::{CLASSES, Sample};

/// How much clean text the speed is taken on.
const CLEAN_BYTES: usize = 16 * 1024 * 1024;

/// The forms of harmless samples that are plain text, as logs and documents are.
const PLAIN_FORMS: [&str; 13] = [
    "log",
    "prose",
    "readme",
    "manpage",
    "mail",
    "source",
    "csv",
    "json",
    "listing",
    "packages",
    "help",
    "table",
    "test_report",
];

const USAGE: &str = "\
usage: measure [--list] DIR...

How well the content rules do on labelled text: recall by class and form, false positives with 95 % intervals, speed.

A DIR holds JSON Lines (*.jsonl: a line is an object with class, form and text), or a folder of files for each class:
benign, secret, executable_payload, policy_claim, instruction, exfil_link, hidden_text.

  --list  name the samples that were missed or refused wrongly, with the rules that fired
  --help  print this
";

fn main() -> ExitCode {
    let (options, folders): (Vec<_>, Vec<_>) = std::env::args().skip(1).partition(|word| word.starts_with('-'));
    if options.iter().any(|option| option == "--help" || option == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let with_list = options.iter().any(|option| option == "--list");
    if folders.is_empty() || options.iter().any(|option| option != "--list") {
        eprint!("{USAGE}");
        return ExitCode::from(2);
    }
    warm_up();
    for folder in &folders {
        match samples_in(Path::new(folder)) {
            Ok(samples) if !samples.is_empty() => report(folder, &samples, with_list),
            Ok(_) => {
                eprintln!("{folder}: no *.jsonl and no folder that is called as a class is: {}", CLASSES.join(", "));
                return ExitCode::FAILURE;
            }
            Err(error) => {
                eprintln!("{error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// What is made once for the whole process (tables of keywords, patterns) is no sample's time.
fn warm_up() {
    let text = "The quick brown fox jumps over the lazy dog. https://example.org/?q=1 QUJD <!-- x --> \u{200b}\n";
    for place in [Place::Prose, Place::Rendered, Place::Results, Place::Artifact] {
        let mut scan = Scan::new(RuleSet::built_in());
        scan.look_at(Source::new(place, "warm-up"), text.as_bytes());
    }
}

fn report(folder: &str, samples: &[Sample], with_list: bool) {
    println!("{folder}: {} samples", samples.len());
    let mut counts = Counts::new();
    let mut slowest = (Duration::ZERO, "", 0);
    for sample in samples {
        let (found, took) = findings(sample);
        if took > slowest.0 {
            slowest = (took, &sample.id, sample.bytes.len());
        }
        let count = count(sample, &found);
        counts.entry(sample.class.clone()).or_default().entry(sample.form.clone()).or_default().add(count);
        if with_list {
            list(sample, count, &found);
        }
    }
    for class in CLASSES {
        if let Some(forms) = counts.get(class) {
            table(class, forms);
        }
    }
    speed(samples);
    let (took, id, bytes) = slowest;
    // The name of the sample would reveal a held-out text.
    let id = if with_list { id } else { "one sample" };
    println!("slowest   {:.1} ms for {id} of {bytes} bytes", took.as_secs_f64() * 1_000.0);
    println!("version   {}\n", env!("CARGO_PKG_VERSION"));
}

fn list(sample: &Sample, count: Count, found: &[Finding]) {
    let benign = sample.class == "benign";
    if (benign && count.found > 0) || (!benign && count.refused_as_such == 0) {
        let rule = |finding: &Finding| {
            let mark = if refuses(finding) { "!" } else { "~" };
            let place = format!("{}:{}", finding.line, finding.column);
            let places: Vec<_> = std::iter::once(&*place).chain(finding.encodings.iter().copied()).collect();
            format!("{mark}{} ({})", finding.rule.id, places.join(", "))
        };
        let rules: Vec<_> = found.iter().map(rule).collect();
        println!("  {} [{}] {}", sample.id, sample.form, rules.join(" "));
    }
}

fn table(class: &str, forms: &std::collections::BTreeMap<String, Count>) {
    let heads = if class == "benign" {
        ["flagged or refused", "refused", ""]
    } else {
        ["found", "refused as such", "refused at all"]
    };
    println!("\n{class:<28} {:>7}  {:<30} {:<30} {}", "samples", heads[0], heads[1], heads[2]);
    let mut total = Count::default();
    for (form, count) in forms {
        row(form, *count, class);
        total.add(*count);
    }
    row("all", total, class);
}

fn row(form: &str, count: Count, class: &str) {
    let last = if class == "benign" { String::new() } else { share(count.refused, count.samples) };
    let found = share(count.found, count.samples);
    println!(
        "  {form:<26} {:>7}  {found:<30} {:<30} {last}",
        count.samples,
        share(count.refused_as_such, count.samples)
    );
}

/// `12 of 34` as percent with its interval.
fn share(part: usize, whole: usize) -> String {
    #[allow(clippy::cast_precision_loss, reason = "a few thousand samples")]
    let percent = 100.0 * part as f64 / whole.max(1) as f64;
    let (low, high) = interval(part, whole);
    format!("{part:>4}  {percent:>5.1} % [{low:.1}, {high:.1}]")
}

/// Speed on the harmless samples on which nothing is found: on all of them, of which much is encoded or no text, and on those
/// that are plain text.
fn speed(samples: &[Sample]) {
    let clean: Vec<_> =
        samples.iter().filter(|sample| sample.class == "benign" && findings(sample).0.is_empty()).collect();
    println!();
    rate(clean.iter().copied(), "the clean samples");
    let is_plain = |sample: &&&Sample| PLAIN_FORMS.contains(&sample.form.as_str());
    rate(clean.iter().filter(is_plain).copied(), "the clean samples of plain text");
}

/// Looks at samples, again and again until there is enough of them.
fn rate<'a>(samples: impl Iterator<Item = &'a Sample>, what: &str) {
    let once: Vec<u8> = samples.flat_map(|sample| sample.bytes.iter().copied().chain([b'\n'])).collect();
    if once.is_empty() {
        return;
    }
    let text = once.repeat(CLEAN_BYTES / once.len() + 1);
    let began = Instant::now();
    let mut scan = Scan::new(RuleSet::built_in());
    scan.look_at(Source::new(Place::Artifact, "clean"), &text);
    let seconds = began.elapsed().as_secs_f64();
    #[allow(clippy::cast_precision_loss, reason = "megabytes")]
    let megabytes = text.len() as f64 / 1e6;
    println!("speed     {:.0} MB/s on {megabytes:.0} MB of {what}, one thread", megabytes / seconds);
}
