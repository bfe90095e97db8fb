//! Compares the list in Outputs with the artifacts of the front matter: the same paths with the same digests.
//!
//! The layout of the list is free, in a fence or not; the check looks for words that are a path or a digest. Linear in
//! the section and in the list. *Standards*: `ThreeGate` tool-result schema, "Required Sections", 3.

use std::collections::{BTreeMap, BTreeSet};

use super::Page;
use crate::result_document::Artifact;
use crate::structure::Title;
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// Every difference; empty if the front matter lists no artifacts.
pub(super) fn faults(page: Page<'_>) -> Vec<Reason> {
    let Some(artifacts) = &page.keys.artifacts else { return Vec::new() };
    let of_path: BTreeMap<&str, Digest> =
        artifacts.iter().map(|Artifact { path, sha256 }| (path.as_str(), *sha256)).collect();
    let known: BTreeSet<Digest> =
        of_path.values().copied().chain(page.keys.stdout_sha256).chain(page.keys.stderr_sha256).collect();
    let (mut reasons, mut paths, mut digests) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let section = page.sections.get(Title::Outputs);
    for (line, number) in section.lines.iter().zip(section.line..) {
        let named: BTreeSet<&str> = words(line).map(plain).filter(|word| of_path.contains_key(word)).collect();
        let stated: BTreeSet<Digest> = named.iter().filter_map(|path| of_path.get(path).copied()).collect();
        for digest in words(line).filter_map(|word| Digest::parse(word).ok()) {
            digests.insert(digest);
            if !known.contains(&digest) {
                let message = format!("Outputs states the digest {digest}, but the front matter does not.");
                reasons.push(page.at_line(number, Code::HashMismatch, message));
            } else if let Some(path) = named.first().filter(|_| !stated.contains(&digest)) {
                let message =
                    format!("The digest of {} in Outputs differs from the one in the front matter.", quoted(path));
                reasons.push(page.at_line(number, Code::HashMismatch, message));
            }
        }
        paths.extend(named);
    }
    for Artifact { path, sha256 } in artifacts {
        if !paths.contains(path.as_str()) {
            let message = format!("Outputs does not name the artifact {}.", quoted(path));
            reasons.push(page.at_line(section.line, Code::ArtifactUnlisted, message));
        } else if !digests.contains(sha256) {
            let message = format!("Outputs does not state the digest of the artifact {}.", quoted(path));
            reasons.push(page.at_line(section.line, Code::HashMismatch, message));
        }
    }
    reasons
}

/// The words of a line that could be paths or digests.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let is_border = |character: char| character.is_whitespace() || "`'\"*()[]|:;,".contains(character);
    line.split(is_border).filter(|word| !word.is_empty())
}

/// A path as the front matter has it; the list may show it relative to the sandbox's root or to the bundle.
fn plain(word: &str) -> &str {
    ["/out/", "artifacts/", "/"].iter().find_map(|root| word.strip_prefix(root)).unwrap_or(word)
}
