//! Wake-ups: events of a folder, signals, and what other threads have to say, in one channel.
//!
//! An event is only a hint that a scan is worth the while; the one thing that is believed of it is that a name was renamed
//! in. A watch that breaks, overflows or was never possible costs time until the next regular scan, nothing else. On network
//! file systems, which raise no events, there is no watch at all.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::thread;

use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::file_system::FileSystem;

/// Why a loop wakes up.
#[derive(Debug)]
pub enum Wake<T> {
    /// A name was renamed into the watched folder.
    RenamedIn(OsString),
    /// Something changed there, or events were lost.
    Changed,
    /// A signal asks it to stop.
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

/// SIGTERM and SIGINT, of which the process no longer dies.
pub struct Stops(Signals);

impl Stops {
    /// Catches them. Starts no thread.
    pub fn catch() -> std::io::Result<Self> {
        Signals::new([SIGTERM, SIGINT]).map(Self)
    }

    /// Sends them into a channel, also those that came since they are caught.
    pub fn forward<T: Send + 'static>(mut self, sender: Sender<Wake<T>>) {
        thread::spawn(move || {
            for signal in self.0.forever() {
                if sender.send(Wake::Stop(signal)).is_err() {
                    break;
                }
            }
        });
    }
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
