//! All measurements of a running tool, in a thread of their own: no deadline and no kill waits for a measurement, however expensive the
//! tool makes it.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use super::Cause;
use super::disk::DiskMeter;
use super::memory::MemoryMeter;
use super::unattributed::UnattributedMeter;
use super::unnamed::UnnamedMeter;
use crate::cancel::Cancel;

/// The meters of a run.
#[derive(Debug)]
pub(super) struct Meters {
    pub(super) memory: MemoryMeter,
    pub(super) unnamed: UnnamedMeter,
    pub(super) unattributed: UnattributedMeter,
    /// Only where the kernel does not bound the folders.
    pub(super) disk: Option<DiskMeter>,
}

impl Meters {
    /// When the next measurement is due.
    pub(super) fn next(&self) -> Instant {
        let always = self.memory.next().min(self.unnamed.next()).min(self.unattributed.next());
        self.disk.as_ref().map_or(always, |disk| always.min(disk.next()))
    }

    fn measure(&mut self, first: u32) -> Option<Cause> {
        self.unattributed.measure();
        let unnamed = &mut self.unnamed;
        self.memory.measure(first).or_else(|| unnamed.measure(first)).or_else(|| self.disk.as_mut()?.measure())
    }
}

/// The thread that measures one tree. Dropping it waits for the current measurement.
#[derive(Debug)]
pub(super) struct Metering {
    first: Option<Sender<u32>>,
    over: Receiver<Cause>,
    signal: Arc<Cancel>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Meters>>,
}

impl Metering {
    /// Starts the thread, which waits for [`Self::watch`].
    pub(super) fn start(mut meters: Meters) -> io::Result<Self> {
        let ((sender, over), (first, of_thread)) = (mpsc::channel(), mpsc::channel());
        let (signal, stop) = (Arc::new(Cancel::new()?), Arc::new(AtomicBool::new(false)));
        let (fired, stopped) = (Arc::clone(&signal), Arc::clone(&stop));
        let thread = thread::Builder::new().name("metering".to_owned()).spawn(move || {
            let Ok(first) = of_thread.recv() else { return meters };
            loop {
                thread::park_timeout(meters.next().saturating_duration_since(Instant::now()));
                if stopped.load(Ordering::Acquire) {
                    return meters;
                }
                if let Some(cause) = meters.measure(first) {
                    // The send fails if the run is over.
                    let _ = sender.send(cause);
                    fired.fire();
                    return meters;
                }
            }
        })?;
        Ok(Self { first: Some(first), over, signal, stop, thread: Some(thread) })
    }

    /// Measures the tree below the process `first`, from the first due measurement until it exceeds a limit or this
    /// is stopped.
    pub(super) fn watch(&mut self, first: u32) {
        if let Some(sender) = self.first.take() {
            // The thread ends earlier only if it panicked.
            let _ = sender.send(first);
        }
    }

    /// The exceeded limit, returned once.
    pub(super) fn over(&self) -> Option<Cause> {
        self.over.try_recv().ok()
    }

    /// The final state of the meters; none if their thread panicked.
    pub(super) fn stop(mut self) -> Option<Meters> {
        self.join()
    }

    fn join(&mut self) -> Option<Meters> {
        let thread = self.thread.take()?;
        self.first = None;
        self.stop.store(true, Ordering::Release);
        thread.thread().unpark();
        thread.join().ok()
    }
}

impl AsFd for Metering {
    /// Readable once the tree exceeds a limit.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.signal.as_fd()
    }
}

impl Drop for Metering {
    fn drop(&mut self) {
        self.join();
    }
}
