//! Every single-byte change of an accepted bundle is refused: content, name, mode, one file more, one file less.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use gatepost_documents::verdict::{Decision, Verdict};
use gatepost_gate::limits::Limits;

use crate::bundle_folder::{BundleFolder, Files, judged};

fn is_refused(verdict: &Verdict) -> bool {
    verdict.verdict == Decision::Reject
}

fn with_byte_changed(files: &Files, path: &str, bytes: &[u8], at: usize) -> Files {
    let mut mutant = files.clone();
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 1;
    mutant.put(path, bytes);
    mutant
}

#[test]
fn every_changed_byte_of_every_file_is_refused() {
    let files = Files::of("success");
    assert!(!is_refused(&files.judge()));
    for (path, bytes) in &files.bytes {
        for at in 0..bytes.len() {
            let mutant = with_byte_changed(&files, path, bytes, at);
            assert!(is_refused(&mutant.judge()), "{path}: byte {at} changed");
        }
    }
}

#[test]
fn every_byte_that_is_left_out_or_doubled_is_refused() {
    let files = Files::of("refusal");
    for (path, bytes) in &files.bytes {
        for at in 0..bytes.len() {
            let (mut shorter, mut longer) = (files.clone(), files.clone());
            shorter.put(path, [&bytes[..at], &bytes[at + 1..]].concat());
            longer.put(path, [&bytes[..=at], &bytes[at..]].concat());
            assert!(is_refused(&shorter.judge()), "{path}: byte {at} left out");
            assert!(is_refused(&longer.judge()), "{path}: byte {at} doubled");
        }
    }
}

#[test]
fn every_byte_of_the_document_follows_from_the_other_files() {
    for base in ["success", "refusal", "timeout", "not_started", "session", "browser"] {
        let files = Files::of(base);
        let document = files.document();
        let text = String::from_utf8(files.bytes[&document].clone()).unwrap();
        for (at, _) in text.char_indices().filter(|(_, character)| character.is_ascii()) {
            let mut mutant = with_byte_changed(&files, &document, text.as_bytes(), at);
            mutant.seal();
            assert!(is_refused(&mutant.judge()), "{base}: byte {at} of the document changed, and all sealed again");
        }
    }
}

#[test]
fn every_file_more_or_less_or_under_another_name_is_refused() {
    for base in ["success", "refusal", "timeout", "not_started", "session", "browser"] {
        let files = Files::of(base);
        for (path, bytes) in &files.bytes {
            let mut fewer = files.clone();
            fewer.remove(path);
            assert!(is_refused(&fewer.judge()), "{path} removed");
            for at in 0..path.len() {
                let mut other = path.clone().into_bytes();
                other[at] ^= 1;
                let mut renamed = fewer.clone();
                renamed.put(&String::from_utf8(other).unwrap(), bytes.clone());
                assert!(is_refused(&renamed.judge()), "{path}: byte {at} of the name changed");
            }
            let mut more = files.clone();
            more.put(&format!("{path}2"), bytes.clone());
            assert!(is_refused(&more.judge()), "{path}2 added");
        }
        for at in 0..files.name().len() {
            let mut renamed = files.clone();
            let mut name = files.name().as_bytes().to_vec();
            name[at] ^= 1;
            let document = renamed.remove(&files.document());
            renamed.rename(std::str::from_utf8(&name).unwrap());
            renamed.put(&renamed.document(), document);
            renamed.seal();
            assert!(is_refused(&renamed.judge()), "byte {at} of the bundle's name changed");
        }
    }
}

/// A folder gets it from the one in which it is made.
const SETGID: u32 = 0o2000;

#[test]
fn every_changed_bit_of_a_mode_is_refused_but_the_one_that_a_folder_inherits() {
    let folder = BundleFolder::of("success");
    let limits = Limits::default();
    let paths: Vec<_> = folder.take_in_bundle().entries.into_keys().chain([String::new()]).collect();
    for path in paths {
        let path = folder.path().join(path);
        let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
        // Without its owner's read and search bits a folder cannot be read by the test either.
        for bit in (0..12).map(|bit| 1 << bit).filter(|bit| bit & 0o500 == 0) {
            fs::set_permissions(&path, Permissions::from_mode(mode ^ bit)).unwrap();
            let verdict = judged(&folder.take_in(&limits), None);
            let is_inherited = path.is_dir() && bit == SETGID;
            assert_eq!(is_refused(&verdict), !is_inherited, "{}: bit {bit:o} of the mode changed", path.display());
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        }
    }
    assert!(!is_refused(&judged(&folder.take_in(&limits), None)));
}
