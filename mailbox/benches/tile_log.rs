//! Costs of the gate's log: a decision as a leaf and as a line, startup with a million leaves, and a proof among them.
//!
//! `cargo bench -p gatepost-mailbox --bench tile_log`. Everything is on the file system of the target folder, so every fsync is real.

#![allow(clippy::unwrap_used, reason = "a measurement fails by panicking")]

use std::fs;
use std::io::Write as _;
use std::time::Instant;

use gatepost_ledger::{Checkpoint, is_included, leaf_hash, prove};
use gatepost_mailbox::durable;
use gatepost_mailbox::site::Site;
use gatepost_mailbox::tile_log::{self, LogFolder, Place, TileLog};

/// So many decisions are added.
const ADDED: u32 = 2_000;
/// So many are in the large log.
const MANY: u64 = 1_000_000;
/// The bytes of a decision.
const LEAF_BYTES: usize = 520;

fn leaf(number: u64) -> Vec<u8> {
    format!("{{\"number\":\"{number:0>width$}\"}}", width = LEAF_BYTES - 13).into_bytes()
}

fn site(name: &str) -> (tempfile::TempDir, Site) {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let site = Site::at(folder.path().join(name));
    fs::create_dir_all(site.gate_audit()).unwrap();
    (folder, site)
}

fn open(site: &Site) -> TileLog {
    TileLog::open(&Place::of_gate(site), |_| Ok(())).unwrap()
}

fn main() {
    let (_folder, small) = site("small");
    let path = small.gate_audit().join("record");
    let mut lines = fs::OpenOptions::new().create(true).append(true).open(&path).unwrap();
    let began = Instant::now();
    for number in 0..ADDED {
        lines.write_all(&[leaf(number.into()), b"\n".to_vec()].concat()).unwrap();
        durable::flush(&lines, &path).unwrap();
    }
    println!("a line in a file, flushed       {:>10.1?}", began.elapsed() / ADDED);
    tile_log::begin(&Place::of_gate(&small), &[]).unwrap();
    let log = open(&small);
    let began = Instant::now();
    for number in 0..ADDED {
        log.add(&leaf(number.into())).unwrap();
    }
    println!("a leaf in the log, flushed      {:>10.1?}", began.elapsed() / ADDED);

    let (_folder, large) = site("large");
    tile_log::begin(&Place::of_gate(&large), &(0..MANY).map(leaf).collect::<Vec<_>>()).unwrap();
    drop(open(&large));
    let began = Instant::now();
    drop(open(&large));
    println!("the start over {MANY} leaves  {:>10.1?}", began.elapsed());
    let reading = LogFolder::at(&large.gate_log());
    let checkpoint = Checkpoint::open(&reading.checkpoint().unwrap(), &reading.verifier().unwrap()).unwrap();
    let began = Instant::now();
    let proofs = 100;
    for index in (0..MANY).step_by(usize::try_from(MANY / proofs).unwrap()) {
        let hashes = prove(index, checkpoint.size, |tile| reading.row(tile)).unwrap().unwrap();
        assert!(is_included(&leaf_hash(&leaf(index)), index, checkpoint.size, &hashes, &checkpoint.root));
    }
    println!("a proof among {MANY}, checked {:>10.1?}", began.elapsed() / u32::try_from(proofs).unwrap());
}
