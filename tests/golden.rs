//! Golden files: answers of the program without what differs from run to run, as they were read and found good.
//!
//! `GATEPOST_TESTS_WRITE=1` has them written anew, to be read before they are kept.

use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde_json::Value;

/// An answer without times, the ids that are made of times and random numbers, what the release is, and the `places` of this run, each with
/// what stands for it.
pub(crate) fn masked(places: &[(&Path, &str)], mut answer: Value) -> Value {
    let patterns = [
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
        (r"TS-\d{8}-\d{6}Z-TR-\d{8}-\d{6}Z", "<result>"),
        (r"TS-\d{8}-\d{6}Z", "<result>"),
        (r"TR-\d{8}-\d{6}Z", "<request>"),
        (r"-[0-9a-f]{8}\b", "-<random>"),
        (r"\b127\.0\.0\.1:\d+", "<address>"),
        (r"\b\d+\.\d+\.\d+(\.\d+)?\b", "<version>"),
        (r"\bprocess \d+", "process <number>"),
        (r"\.import-[0-9a-f]{16}", ".import-<digest>"),
        (r"gatepost/[0-9a-f]{16}\+[0-9a-f]{8}\+[\w/+]+=*", "<key>"),
        (r"gatepost/[0-9a-f]{16}\b", "<log>"),
        (r"\bbundle [0-9a-f]{64}\b", "bundle <digest>"),
    ]
    .map(|(pattern, mask)| (Regex::new(pattern).unwrap(), mask));
    let mut mask = |found: &str| {
        let place = |found: String, (path, mask): &(&Path, &str)| found.replace(path.to_str().unwrap(), mask);
        let found = places.iter().fold(found.to_owned(), place);
        patterns.iter().fold(found, |found, (pattern, mask)| pattern.replace_all(&found, *mask).into_owned())
    };
    each_text(&mut answer, &mut mask);
    answer
}

/// Changes every text of a document but the version of the contract.
pub(crate) fn each_text(value: &mut Value, change: &mut impl FnMut(&str) -> String) {
    match value {
        Value::String(text) if text != "1.0" => *text = change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| each_text(item, change)),
        Value::Object(members) => members.values_mut().for_each(|member| each_text(member, change)),
        _ => {}
    }
}

/// A folder of golden files.
pub(crate) fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/look").join(name)
}

/// Holds a masked answer against its golden file; what is wrong, if anything is.
pub(crate) fn differs(path: &Path, answer: &Value) -> Option<String> {
    let found = format!("{answer:#}\n");
    if std::env::var_os("GATEPOST_TESTS_WRITE").is_some() {
        fs::write(path, &found).unwrap();
    }
    let golden = fs::read_to_string(path).unwrap_or_default();
    (golden != found).then(|| format!("{} is now\n{found}", path.display()))
}
