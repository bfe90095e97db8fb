//! Events of folders, by the crate `notify`: they wake a watcher that looks at the folders anyway.
//!
//! ```text
//! notify's thread ──▶ filter ──▶ bounded queue ──▶ Events::take
//!                                     └─ bell ──▶ gatepost_mailbox::wake::Wake::wait
//! ```
//!
//! If there is no thread or no watch, or the file system has no events, none arrive, and the regular scan sees everything. If events
//! were lost, a scan must follow at once.
//!
//! *Security*: names in events are hostile input. The gate does not use this crate, because it gives up the right to start threads.
//!
//! Known weakness: `notify` 8.2 ignores that its thread could not start, and then panics in `watch` and when it is dropped. The filter
//! is dropped with that thread, and reports its end before `notify` is used.

use std::ffi::OsString;
use std::fs;
use std::mem;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Weak};

use gatepost_mailbox::wake::{Bell, Change, Changes};
use notify::event::{AccessKind, AccessMode, ModifyKind, RenameMode};
use notify::{Config, Event, EventHandler, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

/// The capacity of the queue of changes. Further changes are lost, and the loss is noted.
const QUEUE: usize = 4_096;

/// The folders that are watched, and what happened in them.
#[derive(Debug)]
pub struct Events {
    watcher: Option<Watcher>,
    folders: Vec<Watched>,
    changes: Receiver<Change>,
    lost: Arc<AtomicBool>,
}

/// The changes since the last call of [`Events::take`].
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Happened {
    /// What changed in the folders.
    pub changes: Vec<Change>,
    /// Whether changes were lost.
    pub has_lost_events: bool,
}

/// A watched path, and the folder that is watched there.
#[derive(Debug)]
struct Watched {
    folder: PathBuf,
    /// Device and inode of the watched folder.
    current: Option<(u64, u64)>,
}

/// `notify`, and whether its thread is alive.
#[derive(Debug)]
struct Watcher {
    notify: Option<RecommendedWatcher>,
    thread: Weak<()>,
}

/// What runs on the thread of `notify`.
struct Filter {
    folders: Vec<(PathBuf, Changes)>,
    changes: SyncSender<Change>,
    lost: Arc<AtomicBool>,
    bell: Bell,
    /// Dropped with the thread.
    _thread: Arc<()>,
}

impl Events {
    /// Watches these folders as far as possible, and rings the bell for each change in them.
    pub fn new(folders: impl IntoIterator<Item = (PathBuf, Changes)>, bell: Bell) -> Self {
        let folders: Vec<_> = folders.into_iter().collect();
        let (sender, changes) = sync_channel(QUEUE);
        let lost = Arc::new(AtomicBool::new(false));
        let unseen = |(folder, _): &(PathBuf, _)| Watched { folder: folder.clone(), current: None };
        let own = folders.iter().map(unseen).collect();
        let filter = |thread| Filter { folders, changes: sender, lost: Arc::clone(&lost), bell, _thread: thread };
        let watcher = Watcher::new(filter);
        let mut events = Self { watcher, folders: own, changes, lost };
        events.renew();
        events
    }

    /// Watches again each path that names another folder now. Call this before each scan, so that
    /// no change falls between a scan and its watch.
    pub fn renew(&mut self) {
        let Some(watcher) = &mut self.watcher else { return };
        for watched in &mut self.folders {
            let identity = fs::metadata(&watched.folder).ok().map(|found| (found.dev(), found.ino()));
            if watched.current != identity {
                let is_watched = watcher.watch(&watched.folder, watched.current.is_some());
                watched.current = identity.filter(|_| is_watched);
            }
        }
    }

    /// The changes since the last call.
    pub fn take(&mut self) -> Happened {
        let has_lost_events = self.lost.swap(false, Ordering::AcqRel);
        if has_lost_events {
            // A new folder may reuse the inode of the removed one.
            self.folders.iter_mut().for_each(|watched| watched.current = None);
        }
        Happened { changes: self.changes.try_iter().take(QUEUE).collect(), has_lost_events }
    }
}

impl Watcher {
    fn new(filter: impl FnOnce(Arc<()>) -> Filter) -> Option<Self> {
        let alive = Arc::new(());
        let thread = Arc::downgrade(&alive);
        let notify = RecommendedWatcher::new(filter(alive), Config::default()).ok()?;
        let watcher = Self { notify: Some(notify), thread };
        watcher.is_alive().then_some(watcher)
    }

    fn is_alive(&self) -> bool {
        self.thread.strong_count() > 0
    }

    /// Watches the folder that the path names now, instead of the earlier one.
    fn watch(&mut self, folder: &Path, again: bool) -> bool {
        if !self.is_alive() {
            return false;
        }
        let Some(notify) = &mut self.notify else { return false };
        if again {
            // If the folder is gone, its watch is gone too.
            let _ = notify.unwatch(folder);
        }
        notify.watch(folder, RecursiveMode::NonRecursive).is_ok()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        if !self.is_alive() {
            // Dropping it would send a message to its thread.
            mem::forget(self.notify.take());
        }
    }
}

impl EventHandler for Filter {
    fn handle_event(&mut self, event: notify::Result<Event>) {
        match event {
            Ok(event) if !event.need_rescan() => event.paths.iter().for_each(|path| self.happened(event.kind, path)),
            _ => self.lose(),
        }
    }
}

impl Filter {
    fn happened(&self, kind: EventKind, path: &Path) {
        if self.folders.iter().any(|(folder, _)| folder == path) {
            if let EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) = kind {
                self.lose();
            }
            return;
        }
        let is_renamed_in = match kind {
            EventKind::Modify(ModifyKind::Name(RenameMode::To)) => true,
            EventKind::Access(AccessKind::Close(AccessMode::Write))
            | EventKind::Create(_)
            | EventKind::Modify(ModifyKind::Data(_) | ModifyKind::Metadata(_)) => false,
            _ => return,
        };
        let is_whole = is_renamed_in || matches!(kind, EventKind::Access(_));
        let Some(name) = path.file_name() else { return };
        for (number, (folder, changes)) in self.folders.iter().enumerate() {
            if path.parent() == Some(folder) && (is_whole || *changes == Changes::All) {
                self.send(Change { folder: number, name: OsString::from(name), is_renamed_in });
            }
        }
    }

    fn send(&self, change: Change) {
        match self.changes.try_send(change) {
            Ok(()) => self.bell.ring(),
            Err(_) => self.lose(),
        }
    }

    fn lose(&self) {
        self.lost.store(true, Ordering::Release);
        self.bell.ring();
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests arrange the world, and start themselves")]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    use gatepost_mailbox::wake::Wake;

    fn wake() -> Wake {
        Wake::new([], None).unwrap()
    }

    /// The changes, once there are any.
    fn next(wake: &mut Wake, events: &mut Events) -> Happened {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let happened = events.take();
            if happened != Happened::default() {
                return happened;
            }
            assert!(Instant::now() < until, "nothing happened");
            wake.wait(Duration::from_secs(30));
        }
    }

    #[test]
    fn what_is_renamed_in_or_written_wakes_and_a_folder_made_anew_is_watched_again() {
        let folder = tempfile::tempdir().unwrap();
        let [outbox, orders, staged] = ["outbox", "orders", "staged"].map(|name| folder.path().join(name));
        for folder in [&outbox, &orders, &staged] {
            fs::create_dir(folder).unwrap();
        }
        let mut wake = wake();
        let folders = [(outbox.clone(), Changes::Whole), (orders.clone(), Changes::Whole)];
        let mut events = Events::new(folders, wake.bell());
        let publish = || {
            fs::create_dir(staged.join("TS-x")).unwrap();
            fs::rename(staged.join("TS-x"), outbox.join("TS-x")).unwrap();
        };
        let published = Change { folder: 0, name: "TS-x".into(), is_renamed_in: true };
        // Listing a folder or creating an unfinished file there wakes no watcher.
        outbox.read_dir().unwrap().for_each(drop);
        let begun = fs::File::create(orders.join("begun")).unwrap();
        publish();
        assert_eq!(next(&mut wake, &mut events).changes, std::slice::from_ref(&published));
        drop(begun);
        let written = Change { folder: 1, name: "begun".into(), is_renamed_in: false };
        assert_eq!(next(&mut wake, &mut events).changes, [written]);
        fs::remove_dir_all(&outbox).unwrap();
        fs::create_dir(&outbox).unwrap();
        assert!(next(&mut wake, &mut events).has_lost_events, "the watch is gone with its folder");
        events.renew();
        publish();
        assert_eq!(next(&mut wake, &mut events).changes, [published]);
    }

    #[test]
    fn what_grows_wakes_where_that_is_asked_for_and_too_much_is_noted_as_lost() {
        let folder = tempfile::tempdir().unwrap();
        let mut wake = wake();
        let mut events = Events::new([(folder.path().to_owned(), Changes::All)], wake.bell());
        fs::write(folder.path().join("a"), "x").unwrap();
        assert_eq!(next(&mut wake, &mut events).changes[0].name, "a");
        for number in 0..=QUEUE {
            fs::write(folder.path().join(number.to_string()), "x").unwrap();
        }
        let until = Instant::now() + Duration::from_secs(30);
        while !events.lost.load(Ordering::Acquire) {
            assert!(Instant::now() < until, "nothing was lost");
            std::thread::sleep(Duration::from_millis(5));
        }
        let happened = events.take();
        assert!(happened.has_lost_events && happened.changes.len() == QUEUE, "{}", happened.changes.len());
    }

    /// Set in the child process of the next test, which runs short of memory.
    const SHORT: &str = "GATEPOST_EVENTS_SHORT";
    const NAME: &str = "tests::where_no_thread_can_be_had_there_are_no_events_and_nothing_panics";

    #[test]
    fn where_no_thread_can_be_had_there_are_no_events_and_nothing_panics() {
        if std::env::var_os(SHORT).is_none() {
            let own = std::env::current_exe().unwrap();
            let output = std::process::Command::new(own).args(["--exact", NAME]).env(SHORT, "1").output().unwrap();
            assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let bell = wake().bell();
        let pages: u64 = fs::read_to_string("/proc/self/statm").unwrap().split(' ').next().unwrap().parse().unwrap();
        let limit = Some(pages * rustix::param::page_size() as u64 + (64 << 10));
        // Less than a thread's stack is left.
        rustix::process::setrlimit(
            rustix::process::Resource::As,
            rustix::process::Rlimit { current: limit, maximum: limit },
        )
        .unwrap();
        assert!(std::thread::Builder::new().spawn(|| ()).is_err(), "a thread can be had");
        let mut events = Events::new([(folder.path().to_owned(), Changes::All)], bell);
        assert!(events.watcher.is_none());
        events.renew();
        fs::write(folder.path().join("a"), "x").unwrap();
        assert_eq!(events.take(), Happened::default());
    }
}
