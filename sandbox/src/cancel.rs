//! A switch with which another thread stops a run.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};

/// Once fired it stays fired for every run that uses it, including later ones.
#[derive(Debug)]
pub struct Cancel(OwnedFd);

impl Cancel {
    /// A switch that is not fired.
    pub fn new() -> io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    /// Fires it. Firing again changes nothing.
    pub fn fire(&self) {
        // This fails only if the counter is full: then the switch was fired before.
        let _ = rustix::io::write(&self.0, &1u64.to_ne_bytes());
    }

    /// Whether it was fired.
    pub fn is_fired(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&now)).is_ok_and(|fired| fired > 0)
    }
}

impl AsFd for Cancel {
    /// Readable once fired.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
