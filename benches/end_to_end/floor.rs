//! The floor of a request: the renames and fsyncs of the state table, one bare namespaced program, and nothing else.
//!
//! ```text
//! claim    request, claim record, folder; word to the gate; claimed, claimed/.tmp; inbox     8 flushes
//! start    start record, folder; running, claimed                                           4
//! run      bare clone and exec
//! publish  7 files, 2 folders; outbox, outbox/.tmp                                         11
//! finish   done, running                                                                    2
//! judge    9 files, 3 folders; ledger; core/inbound, the workspace                         15
//! ```
//!
//! It reads no document, hashes nothing and checks nothing. Its files have about the sizes that gatepost writes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::bare_clone::bare;

/// The fsyncs of a request that runs alone; concurrent requests share some.
pub(crate) const FLUSHES: usize = 43;

/// The files of a bundle in the outbox and their sizes in bytes; the streams are empty.
const BUNDLE: [(&str, usize); 7] = [
    ("artifacts/stderr.txt", 0),
    ("artifacts/stdout.txt", 0),
    ("evidence.json", 2_400),
    ("manifest.clad.toml", 300),
    ("request.md", 320),
    ("result.md", 2_700),
    ("SHA256SUMS", 560),
];
const FOLDERS: [&str; 12] = [
    "inbox",
    "inbox/.tmp",
    "claimed",
    "claimed/.tmp",
    "exchange",
    "running",
    "done",
    "outbox",
    "outbox/.tmp",
    "judging",
    "inbound",
    "judged",
];

/// A site of the floor.
pub(crate) struct Floor {
    root: PathBuf,
    ledger: File,
}

impl Floor {
    /// Creates its folders in `root`.
    pub(crate) fn new(root: &Path) -> io::Result<Self> {
        for folder in FOLDERS {
            fs::create_dir_all(root.join(folder))?;
        }
        let ledger = OpenOptions::new().create(true).append(true).open(root.join("ledger"))?;
        Ok(Self { root: root.to_owned(), ledger })
    }

    /// Drops a request, as a requester would.
    pub(crate) fn drop(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        fs::write(self.at("inbox/.tmp").join(name), bytes)?;
        fs::rename(self.at("inbox/.tmp").join(name), self.at("inbox").join(name))
    }

    /// Runs every request, one after the other.
    pub(crate) fn drain(&mut self) -> io::Result<()> {
        for entry in fs::read_dir(self.at("inbox"))? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if !name.starts_with('.') {
                self.carry_out(&name)?;
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, name: &str) -> io::Result<()> {
        self.claim(name)?;
        let claimed = self.at("claimed").join(name);
        write(&claimed.join("start.json"), 2_200)?;
        flush(&claimed)?;
        self.rename(name, "claimed", "running")?;
        bare();
        self.publish(name)?;
        self.rename(name, "running", "done")?;
        self.judge(name)
    }

    fn claim(&self, name: &str) -> io::Result<()> {
        let drop = self.at("inbox").join(name);
        let staging = self.at("claimed/.tmp").join(name);
        fs::create_dir(&staging)?;
        write(&staging.join("request.md"), fs::read(&drop)?.len())?;
        write(&staging.join("claim.json"), 250)?;
        flush(&staging)?;
        write(&self.at("exchange").join(name), 65)?;
        flush(&self.at("exchange"))?;
        self.rename(name, "claimed/.tmp", "claimed")?;
        let aside = self.at("inbox/.tmp").join(name);
        fs::rename(&drop, &aside)?;
        fs::remove_file(&aside)?;
        flush(&self.at("inbox"))
    }

    fn publish(&self, name: &str) -> io::Result<()> {
        let staging = self.at("outbox/.tmp").join(name);
        fs::create_dir_all(staging.join("artifacts"))?;
        for (file, bytes) in BUNDLE {
            write(&staging.join(file), bytes)?;
        }
        flush(&staging.join("artifacts"))?;
        flush(&staging)?;
        self.rename(name, "outbox/.tmp", "outbox")
    }

    fn judge(&mut self, name: &str) -> io::Result<()> {
        let (original, desk) = (self.at("outbox").join(name), self.at("judging").join(name));
        let copy = desk.join(name);
        fs::create_dir_all(copy.join("artifacts"))?;
        for (file, _) in BUNDLE {
            write(&copy.join(file), fs::read(original.join(file))?.len())?;
        }
        write(&copy.join("verdict.json"), 1_200)?;
        write(&desk.join("verdict.json"), 1_200)?;
        write(&copy.join("SHA256SUMS.sig"), 310)?;
        let mut attestation = File::create_new(copy.join("attestation.intoto.jsonl"))?;
        attestation.sync_all()?;
        for folder in [&copy.join("artifacts"), &copy, &desk] {
            flush(folder)?;
        }
        self.ledger.write_all(&[b'x'; 300])?;
        self.ledger.sync_data()?;
        attestation.write_all(&[b'x'; 4_500])?;
        attestation.sync_data()?;
        fs::rename(&copy, self.at("inbound").join(name))?;
        flush(&self.at("inbound"))?;
        flush(&desk)?;
        fs::remove_dir_all(&desk)?;
        let aside = self.at("judged").join(name);
        fs::rename(&original, &aside)?;
        fs::remove_dir_all(&aside)
    }

    fn at(&self, folder: &str) -> PathBuf {
        self.root.join(folder)
    }

    fn rename(&self, name: &str, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.at(from).join(name), self.at(to).join(name))?;
        flush(&self.at(to))?;
        flush(&self.at(from))
    }
}

fn write(path: &Path, bytes: usize) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(&vec![b'x'; bytes])?;
    file.sync_all()
}

fn flush(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}
