//! The program `gatepost-gate`: its lines and its exit status.

use std::process::{Command, Output};

use gatepost_documents::verdict::{Decision, Verdict};

use crate::bundle_folder::BundleFolder;

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gatepost-gate")).args(arguments).output().unwrap()
}

fn verdicts(output: &Output) -> Vec<Decision> {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str::<Verdict>(line).unwrap().verdict).collect()
}

#[test]
fn each_bundle_has_its_line_and_the_worst_is_the_exit_status() {
    let (sound, broken) = (BundleFolder::of("success"), BundleFolder::of("refusal"));
    std::fs::remove_file(broken.path().join("SHA256SUMS")).unwrap();
    let (sound, broken) = (sound.path(), broken.path());
    let (sound, broken) = (sound.to_str().unwrap(), broken.to_str().unwrap());
    for (bundles, expected, status) in [
        (vec![sound], vec![Decision::Accept], 0),
        (vec![broken, sound], vec![Decision::Reject, Decision::Accept], 79),
        (vec![broken, "/nowhere/TS-x", sound], vec![Decision::Reject, Decision::Accept], 1),
    ] {
        let output = run(&[&["judge"], bundles.as_slice()].concat());
        assert_eq!((verdicts(&output), output.status.code()), (expected, Some(status)), "{bundles:?}");
    }
}

#[test]
fn a_judge_without_a_site_confines_itself_to_the_bundles_it_was_given_and_says_so() {
    let folder = BundleFolder::of("success");
    let output = run(&["judge", folder.path().to_str().unwrap()]);
    let verdict: Verdict = serde_json::from_slice(&output.stdout).unwrap();
    let held = verdict.confinement.unwrap();
    assert!(held.landlock_abi.is_some() && held.seccomp && held.no_new_privs && held.limits.is_some(), "{held:?}");
}

#[test]
fn a_bundle_is_found_from_within_itself() {
    let folder = BundleFolder::of("success");
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost-gate"));
    let output = command.args(["judge", "."]).current_dir(folder.path()).output().unwrap();
    assert_eq!(verdicts(&output), [Decision::Accept]);
}

#[test]
fn arguments_that_make_no_sense_are_refused_before_anything_is_read() {
    for arguments in [&[][..], &["judge"], &["jugde", "x"]] {
        let output = run(arguments);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
        assert!(output.stderr.starts_with(b"usage: "), "{arguments:?}");
    }
}
