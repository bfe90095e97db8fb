//! Compares the outputs that a request expects in `/out` with the tool's files. Pure.
//!
//! *Security*: the names that a tool chose come here percent-encoded, those of a request as plain paths.

use std::collections::{BTreeMap, BTreeSet};

use gatepost_contract::request::ExpectedOutput;
use gatepost_documents::text::quoted;

use crate::artifact::artifact_name;

/// The most files that are named one by one.
const NAMED_MAX: usize = 20;

/// The path of an expected output below `artifacts/`: `/out/x`, `out/x` and `x` name one file.
fn carried_path(expected: &str) -> String {
    let relative = expected.strip_prefix("/out/").or(expected.strip_prefix("out/")).unwrap_or(expected);
    let components: Vec<String> = relative.split('/').map(|part| artifact_name(part.as_bytes())).collect();
    format!("out/{}", components.join("/"))
}

/// The descriptions of expected outputs by their paths below `artifacts/`; of two for one file the last one wins.
pub(crate) fn descriptions(expected: &[ExpectedOutput]) -> BTreeMap<String, &str> {
    expected.iter().map(|output| (carried_path(&output.path), output.description.as_str())).collect()
}

/// A sentence for each expected file that is not in `carried` and, if any file is expected, for each carried file that
/// is not expected. An expected folder covers all its files. `carried` are the paths of files below `artifacts/`; `own` are
/// those that the lane itself wrote.
pub(crate) fn differences(expected: &[ExpectedOutput], carried: &[String], own: &[&str]) -> Vec<String> {
    if expected.is_empty() {
        return Vec::new();
    }
    let expected = descriptions(expected);
    let left = || carried.iter().filter(|path| path.starts_with("out/")).map(String::as_str);
    let there: BTreeSet<&str> = left().flat_map(with_folders).collect();
    let missing = expected.keys().map(String::as_str).filter(|path| !there.contains(path));
    let surplus =
        left().filter(|path| !own.contains(path) && !with_folders(path).any(|path| expected.contains_key(path)));
    let mut sentences =
        named(missing, |path| format!("The expected output {path} is missing."), "expected outputs are missing");
    sentences.extend(named(
        surplus,
        |path| format!("The output {path} was not expected."),
        "outputs were not expected",
    ));
    sentences
}

/// A path, and each folder on the way to it.
fn with_folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(end, _)| path.split_at(end).0).chain([path])
}

fn named<'a>(paths: impl Iterator<Item = &'a str>, sentence: impl Fn(String) -> String, further: &str) -> Vec<String> {
    let mut paths = paths.map(|path| quoted(&format!("/{path}")));
    let mut sentences: Vec<String> = paths.by_ref().take(NAMED_MAX).map(sentence).collect();
    match paths.count() {
        0 => {}
        count => sentences.push(format!("{count} more {further}.")),
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(expected: &[&str], carried: &[&str], own: &[&str]) -> Vec<String> {
        let output = |path: &&str| ExpectedOutput { path: (*path).to_owned(), description: "It".to_owned() };
        let expected: Vec<_> = expected.iter().map(output).collect();
        let carried: Vec<_> = carried.iter().map(|path| (*path).to_owned()).collect();
        differences(&expected, &carried, own)
    }

    #[test]
    fn every_spelling_of_an_expected_path_is_one_file_and_a_folder_is_all_that_is_in_it() {
        let carried = ["out/a", "out/b.json", "out/plots/1.png", "out/plots/2/3.png", "stderr.txt", "stdout.txt"];
        assert_eq!(compared(&["/out/a", "out/b.json", "plots"], &carried, &[]), [""; 0]);
        assert_eq!(compared(&[], &carried, &[]), [""; 0]);
    }

    #[test]
    fn what_is_missing_and_what_was_not_expected_is_named() {
        let found = compared(&["a", "plot"], &["out/a%20b", "out/own.json", "out/plots/1"], &["out/own.json"]);
        assert_eq!(
            found,
            [
                "The expected output \"/out/a\" is missing.",
                "The expected output \"/out/plot\" is missing.",
                "The output \"/out/a%20b\" was not expected.",
                "The output \"/out/plots/1\" was not expected.",
            ]
        );
    }

    #[test]
    fn many_differences_are_counted() {
        let many: Vec<String> = (0..1_000).map(|number| format!("out/{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        let found = compared(&["0"], &many, &[]);
        assert_eq!(found.len(), NAMED_MAX + 1);
        assert_eq!(found.last().unwrap(), "979 more outputs were not expected.");
    }
}
