//! Enforces the deadline of one bundle: when it passes, the process ends itself, and the next gate rejects the bundle.
//!
//! A computing thread cannot be stopped from outside, only its process can. The deadline grows with the bytes copied so
//! far, so that a large bundle does not look like a slow judge. The fsyncs after a verdict do not count: they depend on
//! the disk. A new bundle does not wake the thread: it looks when the shortest deadline passes, and so costs nothing.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use gatepost_mailbox::quarantine;

use super::{attempt, lock};

/// How long a bundle may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline {
    /// For any size. 60 s.
    pub(super) base: Duration,
    /// Each further second allows this many bytes. 512 KiB: even a busy machine scans text several times as fast.
    pub(super) bytes_per_second: u64,
}

impl Default for Deadline {
    fn default() -> Self {
        Self { base: Duration::from_secs(60), bytes_per_second: 512 * 1024 }
    }
}

impl Deadline {
    fn for_bytes(self, bytes: u64) -> Duration {
        self.base.saturating_add(Duration::from_secs(bytes / self.bytes_per_second.max(1)))
    }
}

#[derive(Debug, Default)]
struct State {
    /// The workspaces in which something is read and judged, and since when.
    judging: HashMap<PathBuf, Instant>,
    is_over: bool,
}

type Shared = (Mutex<State>, Condvar);

/// The thread that checks the deadlines.
#[derive(Debug)]
pub(super) struct Watchdog {
    shared: Arc<Shared>,
}

impl Watchdog {
    /// Starts the thread; `boot` is the boot id for attempts.
    pub(super) fn start(deadline: Deadline, boot: String) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        thread::Builder::new().spawn(move || watch(&of_thread, deadline, &boot))?;
        Ok(Self { shared })
    }

    /// Starts a bundle's deadline.
    pub(super) fn begin(&self, workspace: &Path) {
        lock(&self.shared.0).judging.insert(workspace.to_owned(), Instant::now());
    }

    /// It was judged in time.
    pub(super) fn end(&self, workspace: &Path) {
        lock(&self.shared.0).judging.remove(workspace);
    }

    /// The end of the process from here on counts against no bundle.
    pub(super) fn forget_attempts(&self) {
        for workspace in lock(&self.shared.0).judging.keys() {
            // A leftover counts as a death, and one death is forgiven.
            let _ = attempt::end(workspace);
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        lock(&self.shared.0).is_over = true;
        self.shared.1.notify_all();
    }
}

fn watch(shared: &Shared, deadline: Deadline, boot: &str) {
    let mut state = lock(&shared.0);
    while !state.is_over {
        let mut left = deadline.base;
        for (workspace, since) in &state.judging {
            let mut its = deadline.base.saturating_sub(since.elapsed());
            if its.is_zero() {
                its = deadline.for_bytes(quarantine::size(workspace)).saturating_sub(since.elapsed());
            }
            if its.is_zero() {
                end_over(workspace, &state, boot);
            }
            left = left.min(its);
        }
        let waited = shared.1.wait_timeout(state, left.max(Duration::from_millis(1)));
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// Ends the process because of one bundle; those beside it are not to blame.
fn end_over(workspace: &Path, state: &State, boot: &str) -> ! {
    for innocent in state.judging.keys().filter(|other| *other != workspace) {
        let _ = attempt::end(innocent);
    }
    // Whether or not the write succeeded, only the exit is left to do.
    let _ = attempt::exceed(workspace, boot);
    std::process::abort();
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use super::*;

    /// The same test, in the process that must end.
    const WORKSPACE: &str = "GATEPOST_TEST_WORKSPACE";

    #[test]
    fn a_process_that_takes_too_long_ends_itself_and_the_bundle_is_rejected_next_time() {
        use std::os::unix::process::ExitStatusExt;
        if let Some(workspace) = std::env::var_os(WORKSPACE) {
            let deadline = Deadline { base: Duration::ZERO, ..Deadline::default() };
            let watchdog = Watchdog::start(deadline, "boot".to_owned()).unwrap();
            watchdog.begin(Path::new(&workspace));
            loop {
                thread::park();
            }
        }
        let folder = tempfile::tempdir().unwrap();
        let workspace = folder.path().join("workspace");
        assert_eq!(attempt::begin(&workspace, "boot").unwrap(), None);
        let name =
            "mailbox::watchdog::tests::a_process_that_takes_too_long_ends_itself_and_the_bundle_is_rejected_next_time";
        let mut child = std::process::Command::new(std::env::current_exe().unwrap());
        let output = child.args([name, "--exact"]).env(WORKSPACE, &workspace).output().unwrap();
        assert_eq!(output.status.signal(), Some(6), "{output:?}");
        assert!(
            attempt::begin(&workspace, "another boot").unwrap().unwrap().message.contains("exceeded its time limit")
        );
    }

    #[test]
    fn a_bundle_gets_a_minute_and_a_second_for_every_half_mib_that_were_copied() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bundle/artifacts");
        std::fs::create_dir_all(&file).unwrap();
        std::fs::File::create(file.join("large")).unwrap().set_len(5 << 20).unwrap();
        let deadline = Deadline::default();
        assert_eq!(deadline.for_bytes(0).as_secs(), 60);
        assert_eq!(deadline.for_bytes(quarantine::size(folder.path())).as_secs(), 70);
    }
}
