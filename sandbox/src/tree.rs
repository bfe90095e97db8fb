//! A running sandbox as gatepost sees it: the first process and with it the whole tree.
//!
//! Dropping it kills the tree and waits for its end: no zombie and no descriptor is left on any path.

use std::io::{self, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Signal, pidfd_send_signal};

use super::control::Message;
use super::system_call;

/// A running sandbox. It must stay with the thread that made it: the kernel kills the tree when that thread ends.
#[derive(Debug)]
pub struct Tree {
    first: OwnedFd,
    first_pid: u32,
    control: UnixStream,
    death_signal: Signal,
    reaped: bool,
}

/// The usage of a whole tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeUsage {
    /// Processor time, user and system, of all processes that were waited for.
    pub cpu: Duration,
    /// Peak resident memory of the largest process, bytes. Never below gatepost's own private memory at the start: the
    /// kernel counts the memory of a process before it executed its program.
    pub memory_bytes_peak: u64,
}

impl Tree {
    /// `death_signal` makes the first process end the tree.
    pub(super) fn new(first: OwnedFd, first_pid: u32, control: UnixStream, death_signal: Signal) -> Self {
        Self { first, first_pid, control, death_signal, reaped: false }
    }

    /// The first process's id, until it is reaped.
    pub fn first_pid(&self) -> u32 {
        self.first_pid
    }

    /// Becomes readable when [`Tree::receive`] has a message.
    pub fn control(&self) -> BorrowedFd<'_> {
        self.control.as_fd()
    }

    /// The next message; none if the first process has ended.
    pub fn receive(&mut self) -> Result<Option<Message>, Errno> {
        Message::receive(self.control())
    }

    /// Answers [`Message::Ready`]: the tool may start.
    pub fn go(&mut self) -> io::Result<()> {
        match self.control.write_all(&[1]) {
            // It was killed meanwhile; the next message reports that.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result,
        }
    }

    /// Sends SIGTERM to every process of the tree but the first.
    pub fn terminate(&self) {
        // It can only fail if the first process is gone, and the tree with it.
        let _ = pidfd_send_signal(&self.first, Signal::TERM);
    }

    /// Sends SIGKILL to the whole tree.
    pub fn kill(&self) {
        // A first process that kills the tree itself may still be waiting for `Go`.
        let _ = self.control.shutdown(Shutdown::Write);
        let _ = pidfd_send_signal(&self.first, self.death_signal);
    }

    /// Waits until the first process, and with it the tree, is gone.
    pub fn reap(mut self) -> io::Result<TreeUsage> {
        self.reaped = true;
        let usage = system_call::reap(self.first.as_fd())?;
        Ok(TreeUsage {
            cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
            memory_bytes_peak: u64::try_from(usage.ru_maxrss).unwrap_or(0).saturating_mul(1024),
        })
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
            let _ = system_call::reap(self.first.as_fd());
        }
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let microseconds = u64::try_from(time.tv_usec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(microseconds)
}
