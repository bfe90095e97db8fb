//! Wake-ups: events of a folder, signals, and what other threads have to say, in one channel.
//!
//! An event is only a hint that a scan is worth the while; the one thing that is believed of it is that a name was renamed
//! in. A watch that breaks, overflows or was never possible costs time until the next regular scan, nothing else. On network
//! file systems, which raise no events, there is no watch at all.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use gatepost_mailbox::stops::Stops;
use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::file_system::FileSystem;

/// Why a loop wakes up.
#[derive(Debug)]
pub enum Wake<T> {
    /// A name was renamed into the watched folder.
    RenamedIn(OsString),
    /// Something changed there, or events were lost.
    Changed,
    /// A signal asks it to stop, or the end of its parent, which counts as SIGTERM.
    Stop(i32),
    /// Another thread has something to say.
    Message(T),
}

/// A watch on one folder that outlives the folder's being removed and made again.
pub struct Watch<T> {
    folder: PathBuf,
    sender: Sender<Wake<T>>,
    watcher: Option<(RecommendedWatcher, (u64, u64))>,
}

impl<T: Send + 'static> Watch<T> {
    /// Watches `folder` from the first [`Self::renew`] on.
    pub fn new(folder: PathBuf, sender: Sender<Wake<T>>) -> Self {
        Self { folder, sender, watcher: None }
    }

    /// Makes sure that the folder that has the name now is the one that is watched. To be called before each scan, so that
    /// nothing can come in between a scan and its watch.
    pub fn renew(&mut self) {
        let Ok(metadata) = fs::metadata(&self.folder) else {
            self.watcher = None;
            return;
        };
        let identity = (metadata.dev(), metadata.ino());
        if self.watcher.as_ref().is_none_or(|(_, watched)| *watched != identity) {
            self.watcher = self.start().map(|watcher| (watcher, identity));
        }
    }

    fn start(&self) -> Option<RecommendedWatcher> {
        if FileSystem::at(&self.folder).is_silent() {
            return None;
        }
        let sender = self.sender.clone();
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if let Some(wake) = wake(event) {
                // The receiver is gone only when the loop has ended.
                let _ = sender.send(wake);
            }
        })
        .ok()?;
        watcher.watch(&self.folder, RecursiveMode::NonRecursive).ok()?;
        Some(watcher)
    }
}

/// What an event says, if anything: that something was opened, read or taken away is no news, and mostly our own doing.
fn wake<T>(event: notify::Result<Event>) -> Option<Wake<T>> {
    let Ok(event) = event else { return Some(Wake::Changed) };
    match event.kind {
        _ if event.need_rescan() => Some(Wake::Changed),
        EventKind::Modify(ModifyKind::Name(RenameMode::To)) => {
            let name = event.paths.first().and_then(|path| path.file_name());
            Some(name.map_or(Wake::Changed, |name| Wake::RenamedIn(name.to_owned())))
        }
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => Some(Wake::Changed),
        EventKind::Access(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => None,
        _ => Some(Wake::Changed),
    }
}

/// Waits for what asks this process to stop, so long at most; without a time, until something does.
pub fn wait_for(stops: &mut Stops, time: Option<Duration>) -> Vec<i32> {
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    let mut awaited: Vec<_> = stops.pipes().map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
    if poll(&mut awaited, time.as_ref()).is_err() {
        // Interrupted, or short of memory: the signals stay in their pipes.
        thread::sleep(Duration::from_millis(10));
    }
    stops.take()
}

/// Sends each into a channel, also those that came since they are caught.
pub fn forward<T: Send + 'static>(mut stops: Stops, sender: Sender<Wake<T>>) -> io::Result<()> {
    let forward = move || {
        loop {
            for signal in wait_for(&mut stops, None) {
                if sender.send(Wake::Stop(signal)).is_err() {
                    return;
                }
            }
        }
    };
    thread::Builder::new().name("stops".to_owned()).spawn(forward).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scan_does_not_wake_the_watcher_that_makes_it() {
        let wakes = |kind| wake::<()>(Ok(Event::new(kind))).is_some();
        for looked in [AccessKind::Open(AccessMode::Any), AccessKind::Read, AccessKind::Close(AccessMode::Read)] {
            assert!(!wakes(EventKind::Access(looked)), "{looked:?}");
        }
        assert!(wakes(EventKind::Access(AccessKind::Close(AccessMode::Write))));
        assert!(wakes(EventKind::Other) && wakes(EventKind::Any), "events may have been lost");
        assert!(wake::<()>(Err(notify::Error::generic("broken"))).is_some());
    }
}
