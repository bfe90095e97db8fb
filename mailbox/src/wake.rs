//! The events that wake a watcher: changes in folders, requests to stop, and its own threads, through one poll.
//!
//! An event is only a hint. If the file system raises none, as on a network, the regular scan sees everything; if events were lost, a
//! scan follows at once. It starts no thread, so it works without one. *Security*: all descriptors are made before the first wait; a
//! name in an event is a stranger's. *Standards*: Linux `inotify(7)`.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, ReadFlags, WatchFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

use crate::stops::Stops;

/// Which changes of a folder are worth a wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    /// Files that were renamed in, or closed after a write.
    Whole,
    /// Also files that are created or grow.
    All,
}

impl Changes {
    fn flags(self) -> WatchFlags {
        let whole = WatchFlags::MOVED_TO | WatchFlags::CLOSE_WRITE | WatchFlags::ONLYDIR;
        match self {
            Self::Whole => whole,
            Self::All => whole | WatchFlags::CREATE | WatchFlags::MODIFY | WatchFlags::ATTRIB,
        }
    }
}

/// Everything that the watcher waits for.
#[derive(Debug)]
pub struct Wake {
    events: Option<OwnedFd>,
    folders: Vec<Watched>,
    bell: OwnedFd,
    ring: Arc<OwnedFd>,
    stops: Option<Stops>,
    /// The signals that came, one after the other.
    came: Vec<i32>,
}

/// A folder that is watched, whichever has the path.
#[derive(Debug)]
struct Watched {
    folder: PathBuf,
    changes: Changes,
    /// Device and inode, and the number of the watch.
    current: Option<((u64, u64), i32)>,
}

/// Why it woke up.
#[derive(Debug, Default)]
pub struct Woken {
    /// The changes in the folders.
    pub changes: Vec<Change>,
    /// Events were lost.
    pub has_lost_events: bool,
    /// A stop is requested.
    pub stop: Option<Stop>,
    /// A reload of the configuration is requested.
    pub is_hung_up: bool,
}

/// A change in a folder.
#[derive(Debug, PartialEq, Eq)]
pub struct Change {
    /// The place of the folder among those that are watched.
    pub folder: usize,
    /// The name that changed.
    pub name: OsString,
    /// Whether it was renamed in.
    pub is_renamed_in: bool,
}

/// The sources of a stop request.
#[derive(Debug)]
pub struct Stop {
    /// The first signal.
    pub signal: i32,
    /// How many came so far.
    pub count: usize,
}

/// Wakes the watcher up.
#[derive(Debug, Clone)]
pub struct Bell(Arc<OwnedFd>);

impl Bell {
    /// From any thread.
    pub fn ring(&self) {
        // A pipe that is full has woken it already.
        let _ = rustix::io::write(&self.0, b"r");
    }
}

impl Wake {
    /// Opens everything that is needed to watch these folders. Without `stops`, signals have their default effect.
    pub fn new(folders: impl IntoIterator<Item = (PathBuf, Changes)>, stops: Option<Stops>) -> io::Result<Self> {
        let (bell, ring) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let watched = |(folder, changes)| Watched { folder, changes, current: None };
        let folders: Vec<_> = folders.into_iter().map(watched).collect();
        // A user has few of these.
        let events = (!folders.is_empty())
            .then(|| inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK).ok())
            .flatten();
        let mut wake = Self { events, folders, bell, ring: Arc::new(ring), stops, came: Vec::new() };
        wake.renew();
        Ok(wake)
    }

    /// The bell with which other threads wake it up.
    pub fn bell(&self) -> Bell {
        Bell(Arc::clone(&self.ring))
    }

    /// Makes sure that it watches the folders that have the paths now. Call it before each scan, so that no file can
    /// arrive unseen between a scan and its watch.
    pub fn renew(&mut self) {
        let Some(events) = &self.events else { return };
        for watched in &mut self.folders {
            let identity = fs::metadata(&watched.folder).ok().map(|found| (found.dev(), found.ino()));
            if watched.current.map(|(current, _)| current) != identity {
                let number = inotify::add_watch(events, &watched.folder, watched.changes.flags()).ok();
                watched.current = identity.zip(number);
            }
        }
    }

    /// Passes on the source of stop requests, for a watcher that replaces it.
    pub fn into_stops(self) -> Option<Stops> {
        self.stops
    }

    /// Waits for one of all these, or until the time is over.
    pub fn wait(&mut self, timeout: Duration) -> Woken {
        let timeout = Timespec::try_from(timeout).unwrap_or(Timespec { tv_sec: 3_600, tv_nsec: 0 });
        let own = self.stops.iter().flat_map(Stops::pipes).chain([&self.bell]).chain(&self.events);
        let mut descriptors: Vec<PollFd<'_>> = own.map(|descriptor| PollFd::new(descriptor, PollFlags::IN)).collect();
        match poll(&mut descriptors, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            // Waiting is impossible: the regular scan goes on, at its usual rate.
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
        while let Ok(1..) = rustix::io::read(&self.bell, &mut [0; 64]) {}
        self.came.extend(self.stops.iter_mut().flat_map(Stops::take));
        let stop = self.came.first().map(|signal| Stop { signal: *signal, count: self.came.len() });
        let is_hung_up = self.stops.as_mut().is_some_and(Stops::take_hang_up);
        Woken { stop, is_hung_up, ..self.read_events() }
    }

    fn read_events(&mut self) -> Woken {
        let (mut woken, mut ended) = (Woken::default(), Vec::new());
        let Some(events) = &self.events else { return woken };
        let mut buffer = [MaybeUninit::uninit(); 16 * 1024];
        let mut reader = inotify::Reader::new(events.as_fd(), &mut buffer);
        while let Ok(event) = reader.next() {
            let is_of = |watched: &Watched| watched.current.is_some_and(|(_, number)| number == event.wd());
            if event.events().intersects(ReadFlags::QUEUE_OVERFLOW | ReadFlags::IGNORED) {
                woken.has_lost_events = true;
                ended.push(event.wd());
            } else if let Some(folder) = self.folders.iter().position(is_of) {
                let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned());
                let is_renamed_in = event.events().contains(ReadFlags::MOVED_TO);
                woken.changes.extend(name.map(|name| Change { folder, name, is_renamed_in }));
            }
        }
        // A folder made anew may have the inode of the one that went.
        for watched in &mut self.folders {
            watched.current = watched.current.filter(|(_, number)| !ended.contains(number));
        }
        woken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn wake(folders: [&Path; 2]) -> Wake {
        let folders = folders.map(|folder| (folder.to_owned(), Changes::Whole));
        Wake::new(folders, None).unwrap()
    }

    fn published() -> Change {
        Change { folder: 0, name: "TS-x".into(), is_renamed_in: true }
    }

    #[test]
    fn what_is_published_or_ordered_wakes_it_and_a_folder_made_anew_is_watched_again() {
        let folder = tempfile::tempdir().unwrap();
        let [outbox, orders, staged] = ["outbox", "orders", "staged"].map(|name| folder.path().join(name));
        for folder in [&outbox, &orders, &staged] {
            fs::create_dir(folder).unwrap();
        }
        let mut wake = wake([&outbox, &orders]);
        let mut woken_by = |change: &dyn Fn()| {
            wake.renew();
            change();
            wake.wait(Duration::from_secs(30))
        };
        let publish = || {
            fs::create_dir(staged.join("TS-x")).unwrap();
            fs::rename(staged.join("TS-x"), outbox.join("TS-x")).unwrap();
        };
        assert_eq!(woken_by(&publish).changes, [published()]);
        let written = Change { folder: 1, name: "x.order".into(), is_renamed_in: false };
        assert_eq!(woken_by(&|| fs::write(orders.join("x.order"), "x").unwrap()).changes, [written]);
        fs::remove_dir_all(&outbox).unwrap();
        fs::create_dir(&outbox).unwrap();
        assert!(woken_by(&|| ()).has_lost_events, "the watch is gone with its folder");
        assert_eq!(woken_by(&publish).changes, [published()]);
    }

    #[test]
    fn a_bell_that_is_rung_often_wakes_it_once_and_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut wake = wake([folder.path(), folder.path()]);
        let bell = wake.bell();
        (0..100_000).for_each(|_| bell.ring());
        let woken = wake.wait(Duration::from_secs(30));
        assert!(woken.stop.is_none() && !woken.has_lost_events && woken.changes.is_empty(), "{woken:?}");
    }
}
