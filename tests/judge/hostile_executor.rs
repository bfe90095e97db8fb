//! An executor that was taken over: what it does to the outbox while the gate looks at it costs nobody else's result, and nothing
//! is accepted that was not judged.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rustix::fs::{CWD, FileType, Mode, RenameFlags};

use crate::judge::gate_program::Watching;
use crate::site::{Request, Site, until};

const LIES: &str = "TS-20260209-161030Z-TR-20260209-160501Z-lies";

/// Has a request executed; the name of its result in the outbox.
fn executed(site: &Site, slug: &str) -> String {
    site.copy_in(&Request::folder(slug));
    site.gatepost(&["exec", "--once"]).succeeds();
    let mut names = site.names("outbox");
    names.retain(|name| name.ends_with(slug));
    names.pop().unwrap()
}

#[test]
fn a_hundred_thousand_names_are_refused_and_the_result_beside_them_is_judged() {
    let site = Site::steady();
    let good = executed(&site, "good");
    let staged = site.path("outbox/.tmp").join(LIES);
    fs::create_dir_all(staged.join("artifacts/out")).unwrap();
    let folder = fs::File::open(staged.join("artifacts/out")).unwrap();
    for number in 0..100_000 {
        rustix::fs::mknodat(&folder, number.to_string(), FileType::RegularFile, Mode::RUSR, 0).unwrap();
    }
    fs::rename(staged, site.path("outbox").join(LIES)).unwrap();
    let _gate = Watching::start(&site);
    until("the verdict on the good one", || site.path("core/inbound").join(&good).exists());
    until("the refusal", || site.path("quarantine").join(LIES).join("REASONS.md").exists());
    let reasons = fs::read_to_string(site.path("quarantine").join(LIES).join("REASONS.md")).unwrap();
    assert!(reasons.contains("too_many_files"), "{reasons}");
}

#[test]
fn what_is_accepted_is_what_was_judged_however_often_the_folder_is_swapped() {
    let site = Site::steady();
    let name = executed(&site, "swapped");
    let published = site.path("outbox").join(&name);
    let (good, twin) = (site.path("good"), site.path("outbox/.tmp/twin"));
    for copy in [&good, &twin] {
        assert!(Command::new("cp").arg("-a").args([&published, copy]).status().unwrap().success());
    }
    fs::write(twin.join("artifacts/planted"), "planted\n").unwrap();
    rustix::fs::mknodat(CWD, twin.join("artifacts/pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    std::os::unix::fs::symlink("/etc", twin.join("artifacts/link")).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = rustix::fs::renameat_with(CWD, &twin, CWD, &published, RenameFlags::EXCHANGE);
            }
        });
        let _gate = Watching::start(&site);
        until("a verdict", || site.path("core/inbound").join(&name).exists() || !site.names("quarantine").is_empty());
        stop.store(true, Ordering::Relaxed);
    });
    let accepted = site.path("core/inbound").join(&name);
    if accepted.exists() {
        for file in ["verdict.json", "attestation.intoto.jsonl", "SHA256SUMS.sig"] {
            fs::remove_file(accepted.join(file)).unwrap();
        }
        let same = Command::new("diff").arg("-r").args([&good, &accepted]).status().unwrap();
        assert!(same.success(), "something else was accepted than what is sound");
    }
}
