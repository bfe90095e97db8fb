//! Waits for sockets: no longer than the deadline, and never after the end of the run.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::cancel::Cancel;

/// The time limit of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadline<'a> {
    stop: &'a Cancel,
    until: Option<Instant>,
}

impl<'a> Deadline<'a> {
    /// Until the switch is fired.
    pub(super) fn none(stop: &'a Cancel) -> Self {
        Self { stop, until: None }
    }

    /// The earlier of this deadline and `duration` from now.
    pub(super) fn at_most(self, duration: Duration) -> Self {
        let until = Instant::now().checked_add(duration);
        Self { until: [self.until, until].into_iter().flatten().min(), ..self }
    }

    /// Waits until one of them is ready. The error is `TimedOut`, `ConnectionAborted` if the run is over, or the kernel's.
    pub(super) fn wait(self, awaited: &[(&dyn AsFd, PollFlags)]) -> io::Result<()> {
        let mut entries = vec![PollFd::new(self.stop, PollFlags::IN)];
        entries.extend(awaited.iter().map(|(socket, flags)| PollFd::from_borrowed_fd(socket.as_fd(), *flags)));
        loop {
            let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
            if left == Some(Duration::ZERO) {
                return Err(io::ErrorKind::TimedOut.into());
            }
            // A timeout too large for the kernel means no timeout.
            let timeout = left.and_then(|left| Timespec::try_from(left).ok());
            match poll(&mut entries, timeout.as_ref()) {
                Ok(0) | Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
                Ok(_) if entries.first().is_some_and(|stop| !stop.revents().is_empty()) => {
                    return Err(io::ErrorKind::ConnectionAborted.into());
                }
                Ok(_) => return Ok(()),
            }
        }
    }

    /// Whether time remains and the run continues.
    pub(super) fn is_ahead(self) -> bool {
        let is_late = self.until.is_some_and(|until| Instant::now() >= until);
        !is_late && !self.is_over()
    }

    /// Whether the run is over.
    pub(super) fn is_over(self) -> bool {
        let mut stop = [PollFd::new(self.stop, PollFlags::IN)];
        poll(&mut stop, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) != Ok(0)
    }

    /// Waits until the socket is ready and attempts a non-blocking operation; retries if the socket was not ready.
    pub(super) fn retry<T>(
        self,
        socket: &dyn AsFd,
        flags: PollFlags,
        mut attempt: impl FnMut() -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            self.wait(&[(socket, flags)])?;
            match attempt() {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                result => return result,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_ends_with_its_time_and_with_the_run() {
        let stop = Cancel::new().unwrap();
        let kind = |result: io::Result<()>| result.unwrap_err().kind();
        let short = Deadline::none(&stop).at_most(Duration::from_millis(1));
        assert_eq!(kind(short.wait(&[])), io::ErrorKind::TimedOut);
        assert_eq!(kind(short.at_most(Duration::MAX).wait(&[])), io::ErrorKind::TimedOut);
        assert!(Deadline::none(&stop).is_ahead() && !short.at_most(Duration::ZERO).is_ahead());
        stop.fire();
        assert!(!Deadline::none(&stop).is_ahead());
        assert_eq!(kind(Deadline::none(&stop).wait(&[])), io::ErrorKind::ConnectionAborted);
    }
}
