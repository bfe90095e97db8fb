//! The private copy: what is judged is what was copied, and nothing hostile is carried along.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, thread};

use gatepost_content::RuleSet;
use gatepost_documents::reason::Code;
use gatepost_gate::intake::take_in_bundle;
use gatepost_gate::limits::Limits;
use gatepost_gate::submission::Submission;
use tempfile::TempDir;

use crate::bundle_folder::{BundleFolder, codes, judged};

fn taken_in(outbox: &Path, name: &OsStr, copy_to: Option<&Path>) -> Submission {
    Submission::Bundle(take_in_bundle(outbox, name, copy_to, &Limits::default(), RuleSet::built_in()).unwrap())
}

#[test]
fn a_copy_is_judged_like_its_original() {
    let folder = BundleFolder::of("success");
    let staging = TempDir::new().unwrap();
    let copy = staging.path().join(&folder.name);
    let bundle = taken_in(folder.outbox.path(), folder.name.as_ref(), Some(&copy));
    let again = taken_in(staging.path(), folder.name.as_ref(), None);
    assert_eq!(judged(&bundle, None), judged(&again, None));
    assert_eq!(codes(&judged(&again, None)), [""; 0]);
}

#[test]
fn a_copy_has_plain_modes_and_holds_every_file_but_nothing_else() {
    let folder = BundleFolder::of("success");
    let request = folder.path().join("request.md");
    fs::set_permissions(&request, fs::Permissions::from_mode(0o6755)).unwrap();
    symlink("/etc/passwd", folder.path().join("artifacts/out/link")).unwrap();
    fs::write(folder.path().join("artifacts/out/new\nline"), "x").unwrap();
    let staging = TempDir::new().unwrap();
    let copy = staging.path().join("copy");
    let bundle = taken_in(folder.outbox.path(), folder.name.as_ref(), Some(&copy));
    assert_eq!(codes(&judged(&bundle, None)), ["symlink", "setuid_or_device", "name_hostile"]);
    assert_eq!(fs::metadata(copy.join("request.md")).unwrap().mode() & 0o7777, 0o644);
    assert_eq!(fs::metadata(copy.join("artifacts")).unwrap().mode() & 0o7777, 0o755);
    // The link is left behind; a file with a bad name is not, for a quarantine holds the whole of what came.
    let carried = fs::read_dir(copy.join("artifacts/out")).unwrap().map(|entry| entry.unwrap().file_name());
    let carried: BTreeSet<_> = carried.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(carried, ["na%C3%AFve.txt", "new\nline", "report.csv"].map(str::to_owned).into());
}

#[test]
fn a_setgid_bit_that_folders_inherited_is_left_behind() {
    let folder = BundleFolder::of("success");
    let staging = TempDir::new().unwrap();
    for path in [folder.path(), folder.path().join("artifacts"), staging.path().to_owned()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o2755)).unwrap();
    }
    let copy = staging.path().join("copy");
    let bundle = taken_in(folder.outbox.path(), folder.name.as_ref(), Some(&copy));
    assert_eq!(codes(&judged(&bundle, None)), [""; 0]);
    for path in [copy.clone(), copy.join("artifacts"), copy.join("artifacts/out")] {
        assert_eq!(fs::metadata(path).unwrap().mode() & 0o7777, 0o755);
    }
}

#[test]
fn a_copy_never_writes_over_what_is_there() {
    let folder = BundleFolder::of("refusal");
    let staging = TempDir::new().unwrap();
    let error = take_in_bundle(
        folder.outbox.path(),
        folder.name.as_ref(),
        Some(staging.path()),
        &Limits::default(),
        RuleSet::built_in(),
    )
    .unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
}

#[test]
fn a_bundle_that_is_not_there_is_a_fault_of_the_world() {
    let outbox = TempDir::new().unwrap();
    let error =
        take_in_bundle(outbox.path(), "TS-gone".as_ref(), None, &Limits::default(), RuleSet::built_in()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_file_that_is_written_while_it_is_read_is_refused() {
    let folder = BundleFolder::of("success");
    let path = folder.path().join("artifacts/out/report.csv");
    let file = File::options().write(true).open(&path).unwrap();
    let (writing, done) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut bytes = 64 << 20;
            while !done.load(Ordering::Relaxed) {
                bytes += 1;
                file.set_len(bytes).unwrap();
                writing.store(true, Ordering::Release);
            }
        });
        while !writing.load(Ordering::Acquire) {
            thread::yield_now();
        }
        let bundle = folder.take_in_bundle();
        done.store(true, Ordering::Relaxed);
        assert!(bundle.faults.iter().any(|fault| fault.code == Code::ChangedWhileReading), "{:?}", bundle.faults);
    });
}

#[test]
fn a_quiet_file_is_not_taken_for_a_changing_one() {
    let folder = BundleFolder::of("success");
    assert!(folder.take_in_bundle().faults.is_empty());
}
