//! Watches one run to its end: one `ppoll` over everything that can happen, until the next deadline.
//! Another thread does the measurements. All threads are made before the program may start: if one cannot start, nothing has happened.
//!
//! ```text
//!            time up, cancelled: SIGTERM            grace over: SIGKILL
//! Running ───────────────────────────▶ Terminating ─────────────────────▶ Killed
//!    └──────────── a stream, memory, processes or files over their limit: SIGKILL ─▲
//! ```
//!
//! If a console wants its program to end, the deadline becomes the end of the grace period.
//!
//! In each state the end is the first process's report, or its own death. A pipe that a process still holds open delays nothing: after
//! the end the available bytes of the pipes are read, without a wait for their end.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use super::capture::{CHUNK_BYTES, Capture};
use super::console::{Conversation, End};
use super::metering::{Metering, Meters};
use super::uplink::Uplink;
use super::{Cause, Job, ProcessError};
use crate::network::{Connectivity, Proxy, Record, Route};
use crate::{Message, Tree, TreeUsage};

/// The most reads of one stream before all other events are checked again.
const READS_PER_TURN: usize = 16;

/// The state of the run, with the time of its next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Running { deadline: Option<Instant> },
    Terminating { kill_at: Option<Instant> },
    Killed,
}

/// A run in progress.
pub(super) struct Run<'a> {
    tree: Tree,
    streams: [Capture; 2],
    conversation: Option<Conversation<'a>>,
    output: Option<OwnedFd>,
    proxy: Option<Proxy>,
    uplink: Option<Uplink>,
    metering: Metering,
    job: &'a Job<'a>,
    stage: Stage,
    cause: Cause,
    started: Instant,
}

/// A run at its end.
pub(super) struct Finished {
    pub(super) wait_status: i32,
    pub(super) killed: u32,
    /// Something outside killed the first process.
    pub(super) vanished: bool,
    pub(super) cause: Cause,
    pub(super) duration: Duration,
    pub(super) usage: TreeUsage,
    pub(super) streams: [Capture; 2],
    pub(super) output: Option<OwnedFd>,
    pub(super) network: Option<Record>,
    /// None if their thread panicked.
    pub(super) meters: Option<Meters>,
}

/// The result of a poll.
#[derive(Debug, Clone, Copy)]
struct Polled {
    control: bool,
    cancelled: bool,
}

impl<'a> Run<'a> {
    /// A run that has just started. `streams` are stdout and stderr.
    pub(super) fn new(
        tree: Tree,
        (streams, conversation): ([Capture; 2], Option<Conversation<'a>>),
        proxy: Option<Proxy>,
        metering: Metering,
        started: Instant,
        job: &'a Job<'a>,
    ) -> Self {
        let deadline = started.checked_add(Duration::from_millis(job.limits.time_ms));
        Self {
            tree,
            streams,
            conversation,
            output: None,
            proxy,
            uplink: None,
            metering,
            job,
            stage: Stage::Running { deadline },
            cause: Cause::Own,
            started,
        }
    }

    /// Watches it to its end.
    pub(super) fn watch(mut self, program: &Path) -> Result<Finished, ProcessError> {
        let failed = |source| ProcessError::Wait { program: program.to_owned(), source };
        let had_started = self.job.started.get();
        let mut buffer = Vec::with_capacity(CHUNK_BYTES);
        let (wait_status, killed, vanished) = loop {
            self.step_in_time();
            self.check_meters();
            let awake = self.sleep().map_err(|errno| failed(errno.into()))?;
            if awake.control {
                match self.tree.receive().map_err(|errno| failed(errno.into()))? {
                    Some(Message::Ready) => {
                        self.metering.watch(self.tree.first_pid());
                        let unserved = |source| ProcessError::Network { program: program.to_owned(), source };
                        let open = |route| Uplink::open(self.tree.first_pid(), route);
                        self.uplink = self.route().map(open).transpose().map_err(unserved)?;
                        self.go().map_err(failed)?;
                    }
                    Some(Message::Output(folder)) => self.output = Some(folder),
                    Some(Message::Listener(socket)) => {
                        let unserved = |source| ProcessError::Network { program: program.to_owned(), source };
                        let serve = |proxy: &Proxy| proxy.serve(socket.into());
                        self.proxy.as_ref().map_or(Ok(()), serve).map_err(unserved)?;
                    }
                    Some(Message::Failed(failure)) => {
                        self.job.started.set(had_started);
                        return Err(ProcessError::not_started(failure, program, self.job.work_dir));
                    }
                    Some(Message::Ended { wait_status, killed }) => break (wait_status, killed, false),
                    None => break (libc::SIGKILL, 0, self.stage != Stage::Killed),
                }
            } else if awake.cancelled {
                self.terminate(Cause::Cancelled);
            }
            self.capture(|stream| stream.pump(&mut buffer, READS_PER_TURN))?;
            self.converse();
        };
        let duration = self.started.elapsed();
        self.capture(|stream| stream.drain(&mut buffer))?;
        self.fall_silent();
        self.converse();
        let route = self.route();
        let Self { tree, cause, streams, output, proxy, uplink, metering, .. } = self;
        // Before the first process's id can be reused.
        let meters = metering.stop();
        let usage = tree.reap().map_err(failed)?;
        let routed = uplink.zip(route).map(|(uplink, route)| uplink.close(route));
        let network = proxy.map(Proxy::stop).or(routed);
        Ok(Finished { wait_status, killed, vanished, cause, duration, usage, streams, output, network, meters })
    }

    fn route(&self) -> Option<&'a Route> {
        match self.job.confinement.network() {
            Connectivity::Route(route) => Some(route),
            Connectivity::None | Connectivity::Proxy(_) => None,
        }
    }

    /// The tool may start.
    fn go(&mut self) -> io::Result<()> {
        self.tree.go()?;
        self.job.started.set(true);
        Ok(())
    }

    fn step_in_time(&mut self) {
        let passed = |instant: Option<Instant>| instant.is_some_and(|instant| Instant::now() >= instant);
        match self.stage {
            Stage::Running { deadline } if passed(deadline) => {
                let is_over = self.conversation.as_ref().is_some_and(Conversation::is_over);
                self.terminate(if is_over { Cause::Closed } else { Cause::TimeLimit });
            }
            Stage::Terminating { kill_at } if passed(kill_at) => self.kill(),
            _ => {}
        }
    }

    /// Kills a tool that exceeds a limit, even if its end has begun.
    fn check_meters(&mut self) {
        if self.stage != Stage::Killed
            && let Some(cause) = self.metering.over()
        {
            if self.cause == Cause::Own {
                self.cause = cause;
            }
            self.kill();
        }
    }

    /// Exchanges output and input with the console.
    fn converse(&mut self) {
        let [stdout, _] = &mut self.streams;
        let end = self.conversation.as_mut().and_then(|conversation| conversation.go_on(&stdout.take_received()));
        match (&mut self.stage, end) {
            (Stage::Running { deadline }, Some(End::OfInput)) => {
                *deadline = Instant::now().checked_add(self.job.grace).into_iter().chain(*deadline).min();
            }
            (Stage::Running { .. }, Some(End::AtOnce)) => self.terminate(Cause::Closed),
            _ => {}
        }
    }

    /// Stops sending input to a program that is ending or has ended.
    fn fall_silent(&mut self) {
        self.conversation.iter_mut().for_each(Conversation::fall_silent);
    }

    fn terminate(&mut self, cause: Cause) {
        self.cause = cause;
        self.fall_silent();
        self.tree.terminate();
        self.stage = Stage::Terminating { kill_at: Instant::now().checked_add(self.job.grace) };
    }

    fn kill(&mut self) {
        self.fall_silent();
        self.tree.kill();
        self.stage = Stage::Killed;
    }

    /// Sleeps until an event or the deadline of the stage.
    fn sleep(&self) -> Result<Polled, Errno> {
        let mut awaited = vec![PollFd::from_borrowed_fd(self.tree.control(), PollFlags::IN)];
        let cancel = self.job.cancel.filter(|_| matches!(self.stage, Stage::Running { .. }));
        awaited.extend(cancel.map(|cancel| PollFd::from_borrowed_fd(cancel.as_fd(), PollFlags::IN)));
        if self.stage != Stage::Killed {
            let streams = self.streams.iter().filter_map(Capture::awaited);
            awaited.extend(streams.map(|pipe| PollFd::from_borrowed_fd(pipe, PollFlags::IN)));
            awaited.push(PollFd::from_borrowed_fd(self.metering.as_fd(), PollFlags::IN));
            let unsent = self.conversation.as_ref().and_then(Conversation::unsent);
            awaited.extend(unsent.map(|terminal| PollFd::from_borrowed_fd(terminal, PollFlags::OUT)));
            let bell = self.conversation.as_ref().and_then(Conversation::bell);
            awaited.extend(bell.map(|bell| PollFd::from_borrowed_fd(bell, PollFlags::IN)));
        }
        let step = match self.stage {
            Stage::Running { deadline: until } | Stage::Terminating { kill_at: until } => until,
            Stage::Killed => None,
        };
        let asks_at = self.conversation.as_ref().and_then(Conversation::asks_at);
        let asks_at = asks_at.filter(|_| matches!(self.stage, Stage::Running { .. }));
        let timeout = step.into_iter().chain(asks_at).min().map(remaining);
        match poll(&mut awaited, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
        let fired = |index: usize| awaited.get(index).is_some_and(|entry| !entry.revents().is_empty());
        Ok(Polled { control: fired(0), cancelled: cancel.is_some() && fired(1) })
    }

    /// Reads both streams. A stream over its limit ends the run, unless its end has begun.
    fn capture(&mut self, mut read: impl FnMut(&mut Capture) -> Result<(), ProcessError>) -> Result<(), ProcessError> {
        for (stream, limit) in self.streams.iter_mut().zip([Cause::StdoutLimit, Cause::StderrLimit]) {
            read(stream)?;
            if stream.truncated() && self.cause == Cause::Own {
                self.cause = limit;
                self.stage = Stage::Killed;
                self.tree.kill();
            }
        }
        Ok(())
    }
}

fn remaining(until: Instant) -> Timespec {
    let remaining = until.saturating_duration_since(Instant::now());
    Timespec {
        tv_sec: i64::try_from(remaining.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(remaining.subsec_nanos()),
    }
}
