//! The requests to stop a watcher: SIGTERM and SIGINT, which no longer kill the process, and the end of its parent. SIGHUP asks it to
//! read its configuration again, and does not end it either.
//!
//! Each is a pipe, so a caller can poll it beside other descriptors. *Standards*: the handlers of signals write to a pipe, which
//! `signal-safety(7)` allows.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::pipe::{PipeFlags, pipe_with};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The first descriptor that is not one of the three standard ones.
const FIRST_OWN: i32 = 3;

/// The pipes.
#[derive(Debug)]
pub struct Stops {
    signals: Vec<(i32, OwnedFd)>,
    /// SIGHUP came, and nobody has taken it yet.
    is_hung_up: bool,
    parent: Option<OwnedFd>,
}

impl Stops {
    /// Catches all three signals, and watches for the parent's end if `with_parent` is set. Starts no thread.
    pub fn catch(with_parent: bool) -> io::Result<Self> {
        let parent = with_parent.then(parent).transpose()?;
        Ok(Self { signals: caught(&[SIGTERM, SIGINT, SIGHUP])?, is_hung_up: false, parent })
    }

    /// Catches only SIGTERM and SIGINT: this program has no configuration to read again, so a lost terminal ends it,
    /// except under `nohup`.
    pub fn catch_ends() -> io::Result<Self> {
        Ok(Self { signals: caught(&[SIGTERM, SIGINT])?, is_hung_up: false, parent: None })
    }

    /// Waits for some of them, so long at most; without a time, until something comes.
    pub fn wait(&mut self, time: Option<Duration>) -> Vec<i32> {
        let time = time.and_then(|time| Timespec::try_from(time).ok());
        let mut awaited: Vec<_> = self.pipes().map(|pipe| PollFd::new(pipe, PollFlags::IN)).collect();
        if poll(&mut awaited, time.as_ref()).is_err() {
            // Interrupted, or out of memory: the signals stay in their pipe.
            std::thread::sleep(Duration::from_millis(10));
        }
        self.take()
    }

    /// One of these becomes readable when there is something to take.
    pub fn pipes(&self) -> impl Iterator<Item = &OwnedFd> {
        self.signals.iter().map(|(_, pipe)| pipe).chain(&self.parent)
    }

    /// The signals to end since the last call, each as often as it came; the parent's end counts as SIGTERM, once.
    pub fn take(&mut self) -> Vec<i32> {
        let mut came = Vec::new();
        for (signal, pipe) in &self.signals {
            let mut buffer = [0; 64];
            while let Ok(count @ 1..) = rustix::io::read(pipe, &mut buffer) {
                if *signal == SIGHUP {
                    self.is_hung_up = true;
                } else {
                    came.extend(std::iter::repeat_n(*signal, count));
                }
            }
        }
        let is_gone = |parent: &mut OwnedFd| rustix::io::read(parent, &mut [0; 64]) == Ok(0);
        came.extend(self.parent.take_if(is_gone).map(|_| SIGTERM));
        came
    }

    /// Whether a SIGHUP came since the last call of this function.
    pub fn take_hang_up(&mut self) -> bool {
        std::mem::take(&mut self.is_hung_up)
    }
}

/// The pipe whose other end the parent holds, as standard input here. Unlike the parent-death signal it signals once,
/// and only when the whole parent is gone, not a thread of it.
fn parent() -> io::Result<OwnedFd> {
    let parent = fcntl_dupfd_cloexec(io::stdin(), FIRST_OWN)?;
    fcntl_setfl(&parent, OFlags::NONBLOCK)?;
    Ok(parent)
}

/// Signals, each with the pipe that its handler writes to.
fn caught(signals: &[i32]) -> io::Result<Vec<(i32, OwnedFd)>> {
    let caught = |signal: &i32| {
        let (pipe, end) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        signal_hook::low_level::pipe::register(*signal, end)?;
        Ok((*signal, pipe))
    };
    signals.iter().map(caught).collect()
}
