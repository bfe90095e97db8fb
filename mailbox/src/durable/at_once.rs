//! Flushes many files at once: a file system's journal commits together the files that are flushed together.
//!
//! A few threads of the process do it. The first caller with files to flush starts them, and they get its rights: a process that gives
//! up rights does so before. *Security*: an item with very many files delays other items by no more than a few.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvError, SendError, Sender};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use super::NOFOLLOW;
use crate::fault::{Fault, OnPath};

/// How many files are flushed at a time, and how many of one caller are next.
const THREADS: usize = 8;
const STACK_BYTES: usize = 256 * 1024;

/// One file, and the channel for its result.
struct Job {
    path: PathBuf,
    done: Sender<Result<(), Fault>>,
}

/// Syncs regular files. It tries all of them before it returns; of several errors it returns one.
pub(super) fn flush(files: Vec<PathBuf>) -> Result<(), Fault> {
    let (done, outcomes) = mpsc::channel();
    let (mut files, mut waiting, mut result) = (files.into_iter(), 0, Ok(()));
    loop {
        while waiting < THREADS
            && let Some(path) = files.next()
        {
            waiting += 1;
            // Where no thread is to be had it is done here.
            if let Err(SendError(job)) = queue().send(Job { path, done: done.clone() }) {
                job.carry_out();
            }
        }
        if waiting == 0 {
            return result;
        }
        // Never disconnected: this end holds one of the senders.
        result = result.and(outcomes.recv().unwrap_or(Ok(())));
        waiting -= 1;
    }
}

impl Job {
    fn carry_out(self) {
        let Self { path, done } = self;
        // The caller waits for it.
        let _ = done.send(flush_one(&path));
    }
}

fn flush_one(path: &Path) -> Result<(), Fault> {
    let file = OpenOptions::new().read(true).custom_flags(NOFOLLOW).open(path).on("open", path)?;
    file.sync_all().on("flush", path)
}

fn queue() -> &'static Sender<Job> {
    static QUEUE: OnceLock<Sender<Job>> = OnceLock::new();
    QUEUE.get_or_init(|| {
        let (queue, jobs) = mpsc::channel();
        let jobs = Arc::new(Mutex::new(jobs));
        for _ in 0..THREADS {
            let jobs = Arc::clone(&jobs);
            // A machine that has no room for so many has it for fewer.
            let _ = thread::Builder::new().name("flush".to_owned()).stack_size(STACK_BYTES).spawn(move || {
                while let Ok(job) = next(&jobs) {
                    job.carry_out();
                }
            });
        }
        queue
    })
}

fn next(jobs: &Mutex<Receiver<Job>>) -> Result<Job, RecvError> {
    jobs.lock().unwrap_or_else(PoisonError::into_inner).recv()
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn every_file_is_tried_and_any_fault_is_returned() {
        let folder = tempfile::tempdir().unwrap();
        let files: Vec<_> = (0..3 * THREADS).map(|number| folder.path().join(number.to_string())).collect();
        for file in &files {
            std::fs::write(file, "x").unwrap();
        }
        flush(files.clone()).unwrap();
        flush(Vec::new()).unwrap();
        for missing in [0, THREADS, 3 * THREADS - 1] {
            std::fs::remove_file(&files[missing]).unwrap();
            let fault = flush(files.clone()).unwrap_err();
            assert_eq!((fault.path, fault.source.kind()), (files[missing].clone(), io::ErrorKind::NotFound));
            std::fs::write(&files[missing], "x").unwrap();
        }
    }
}
