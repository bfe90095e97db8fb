//! `SHA256SUMS`: one line for every other file of the bundle.
//!
//! ```text
//! e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  artifacts/stderr.txt
//! ```
//!
//! Security: hostile bytes, read line by line. Standards: coreutils `sha256sum -c`, `schemas/result.schema.md`.

use std::collections::BTreeMap;

use crate::bundle::{Bundle, Role};
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::REASONS_MAX;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// The file's name, in a bundle and in reasons.
pub(crate) const FILE: &str = "SHA256SUMS";

/// The hint for a bundle that changed after it was sealed.
pub(crate) const HINT: &str = "Do not edit a sealed bundle. Use the original, or have the request run again.";

/// Paths that would lead `sha256sum -c` out of the bundle.
pub(crate) fn escaping_paths(bytes: &[u8]) -> Vec<Reason> {
    let lines = std::str::from_utf8(bytes).unwrap_or_default().split('\n');
    let places = lines.zip(1..).filter_map(|(line, number)| Some((line.split_once("  ")?.1, number)));
    let escaping = places.filter(|(path, _)| path.starts_with('/') || path.split('/').any(|part| part == ".."));
    let reason = |(path, number)| {
        let message = format!("The path {} points outside the bundle.", quoted(path));
        Reason::new(Code::PathEscapes, message, "List only the files of the bundle.").in_file(FILE).at(number, 67)
    };
    escaping.map(reason).take(REASONS_MAX).collect()
}

/// Every difference between the list and the bundle.
pub(crate) fn check(bundle: &Bundle) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let listed = listed(bundle.bytes_of(Role::Sums), &mut reasons);
    for (path, _, digest) in bundle.files().filter(|(path, ..)| *path != FILE) {
        match listed.get(path) {
            None => reasons.push(mismatch(format!("SHA256SUMS does not list the file {}.", quoted(path)))),
            Some((stated, line)) if *stated != digest => {
                let message = format!("The file {} has the digest {digest}, not {stated}.", quoted(path));
                reasons.push(mismatch(message).at(*line, 1));
            }
            Some(_) => {}
        }
    }
    for (path, (_, line)) in &listed {
        if *path == FILE || bundle.digest_of(path).is_none() {
            let message = format!("SHA256SUMS names {}, which is not another file of the bundle.", quoted(path));
            reasons.push(mismatch(message).at(*line, 67));
        }
    }
    reasons
}

/// The well-formed lines, by their paths, with their numbers.
fn listed<'a>(bytes: &'a [u8], reasons: &mut Vec<Reason>) -> BTreeMap<&'a str, (Digest, u32)> {
    let mut listed = BTreeMap::new();
    let Some(text) = std::str::from_utf8(bytes).ok().and_then(|text| text.strip_suffix('\n')) else {
        reasons.push(mismatch("SHA256SUMS is not UTF-8 text that ends in a newline."));
        return listed;
    };
    let mut previous = "";
    for (line, number) in text.split('\n').zip(1..) {
        if reasons.len() > REASONS_MAX {
            break;
        }
        let Some((digest, path)) = entry(line) else {
            reasons.push(mismatch("The line is not a digest, two spaces and a path.").at(number, 1));
            continue;
        };
        if path <= previous {
            let message = format!("The path {} appears twice or out of order.", quoted(path));
            reasons.push(mismatch(message).at(number, 67));
        }
        previous = path;
        listed.insert(path, (digest, number));
    }
    listed
}

fn entry(line: &str) -> Option<(Digest, &str)> {
    let (digest, path) = line.split_once("  ")?;
    Some((Digest::parse(digest).ok()?, path)).filter(|(_, path)| !path.is_empty())
}

fn mismatch(message: impl Into<String>) -> Reason {
    Reason::new(Code::SumsMismatch, message, HINT).in_file(FILE)
}
