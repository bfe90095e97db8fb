//! What wakes the watcher up: changes in two folders, signals, and its own workers, through one poll.
//!
//! An event is only a hint. Where the file system raises none, the regular scan sees everything; where events were lost, a scan
//! follows at once. *Security*: all descriptors are made before the confinement; a name in an event is a stranger's.
//! *Standards*: Linux `inotify(7)`; the handlers of signals write to a pipe.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use gatepost_mailbox::stops::Stops;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, ReadFlags, WatchFlags};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};

/// What was renamed in, or closed after it was written. What is made or taken away step by step is seen by the regular scan.
const CHANGES: WatchFlags = WatchFlags::MOVED_TO.union(WatchFlags::CLOSE_WRITE).union(WatchFlags::ONLYDIR);

/// Everything that the watcher waits for.
pub(super) struct Wake {
    events: Option<OwnedFd>,
    outbox: Watched,
    orders: Watched,
    bell: OwnedFd,
    ring: Arc<OwnedFd>,
    stops: Stops,
    /// The signals that came, one after the other.
    came: Vec<i32>,
}

/// A folder that is watched, whichever has the path.
struct Watched {
    folder: PathBuf,
    /// Device and inode, and the number of the watch.
    current: Option<((u64, u64), i32)>,
}

/// Why it woke up.
#[derive(Debug, Default)]
pub(super) struct Woken {
    /// Names that were published in the outbox.
    pub(super) published: Vec<OsString>,
    /// Orders came.
    pub(super) has_orders: bool,
    /// Events were lost.
    pub(super) has_lost_events: bool,
    /// It is asked to stop.
    pub(super) stop: Option<Stop>,
}

/// Signals that ask for an end.
#[derive(Debug)]
pub(super) struct Stop {
    /// The signal.
    pub(super) signal: i32,
    /// How many came so far.
    pub(super) count: usize,
}

/// Wakes the watcher up.
pub(super) struct Bell(Arc<OwnedFd>);

impl Bell {
    pub(super) fn ring(&self) {
        // A pipe that is full has woken it already.
        let _ = rustix::io::write(&self.0, b"r");
    }
}

impl Wake {
    /// Makes all that is needed. Starts no thread.
    pub(super) fn new(outbox: &Path, orders: &Path, stops: Stops) -> io::Result<Self> {
        let (bell, ring) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        let events = inotify::init(inotify::CreateFlags::CLOEXEC | inotify::CreateFlags::NONBLOCK).ok();
        let watched = |folder: &Path| Watched { folder: folder.to_owned(), current: None };
        let (outbox, orders, ring) = (watched(outbox), watched(orders), Arc::new(ring));
        let mut wake = Self { events, outbox, orders, bell, ring, stops, came: Vec::new() };
        wake.renew();
        Ok(wake)
    }

    pub(super) fn bell(&self) -> Bell {
        Bell(Arc::clone(&self.ring))
    }

    /// Makes sure that the folders that have the paths now are those that are watched. To be called before each scan, so that
    /// nothing can come in between a scan and its watch.
    pub(super) fn renew(&mut self) {
        let Some(events) = &self.events else { return };
        for watched in [&mut self.outbox, &mut self.orders] {
            let identity = fs::metadata(&watched.folder).ok().map(|found| (found.dev(), found.ino()));
            if watched.current.map(|(current, _)| current) != identity {
                let number = inotify::add_watch(events, &watched.folder, CHANGES).ok();
                watched.current = identity.zip(number);
            }
        }
    }

    /// Waits for one of all these, or until the time is over.
    pub(super) fn wait(&mut self, timeout: Duration) -> Woken {
        let timeout = Timespec::try_from(timeout).unwrap_or(Timespec { tv_sec: 3_600, tv_nsec: 0 });
        let own = self.stops.pipes().chain([&self.bell]).chain(&self.events);
        let mut descriptors: Vec<PollFd<'_>> = own.map(|descriptor| PollFd::new(descriptor, PollFlags::IN)).collect();
        match poll(&mut descriptors, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            // Nothing can be waited for: the regular scan goes on, and not faster than this.
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
        while let Ok(1..) = rustix::io::read(&self.bell, &mut [0; 64]) {}
        self.came.extend(self.stops.take());
        let stop = self.came.first().map(|signal| Stop { signal: *signal, count: self.came.len() });
        Woken { stop, ..self.read_events() }
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
            } else if is_of(&self.orders) {
                woken.has_orders = true;
            } else if is_of(&self.outbox) {
                woken.published.extend(event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()).to_owned()));
            }
        }
        // A folder made anew may have the inode of the one that went.
        for watched in [&mut self.outbox, &mut self.orders] {
            watched.current = watched.current.filter(|(_, number)| !ended.contains(number));
        }
        woken
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use super::*;

    #[test]
    fn what_is_published_or_ordered_wakes_it_and_a_folder_made_anew_is_watched_again() {
        let folder = tempfile::tempdir().unwrap();
        let [outbox, orders, staged] = ["outbox", "orders", "staged"].map(|name| folder.path().join(name));
        for folder in [&outbox, &orders, &staged] {
            fs::create_dir(folder).unwrap();
        }
        let mut wake = Wake::new(&outbox, &orders, Stops::catch().unwrap()).unwrap();
        let mut woken_by = |change: &dyn Fn()| {
            wake.renew();
            change();
            wake.wait(Duration::from_secs(30))
        };
        let publish = || {
            fs::create_dir(staged.join("TS-x")).unwrap();
            fs::rename(staged.join("TS-x"), outbox.join("TS-x")).unwrap();
        };
        assert_eq!(woken_by(&publish).published, ["TS-x"]);
        assert!(woken_by(&|| fs::write(orders.join("x.order"), "x").unwrap()).has_orders);
        fs::remove_dir_all(&outbox).unwrap();
        fs::create_dir(&outbox).unwrap();
        assert!(woken_by(&|| ()).has_lost_events, "the watch is gone with its folder");
        assert_eq!(woken_by(&publish).published, ["TS-x"]);
    }

    #[test]
    fn a_bell_that_is_rung_often_wakes_it_once_and_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let mut wake = Wake::new(folder.path(), folder.path(), Stops::catch().unwrap()).unwrap();
        let bell = wake.bell();
        (0..100_000).for_each(|_| bell.ring());
        let woken = wake.wait(Duration::from_secs(30));
        assert!(woken.stop.is_none() && !woken.has_lost_events && woken.published.is_empty(), "{woken:?}");
    }
}
