//! Notifies the operator's program of requests that wait for people: `[approval] notify`.
//!
//! ```text
//! {"event":"waiting","request_id":"TR-…","requested_by":"alice","dropped_by":"alice","tool":"nmap_scan","purpose":"…",
//!  "waits_for":["…"],"until":"2026-02-16T16:05:01Z","summary":"…"}                                on standard input
//! ```
//!
//! One thread starts one program at a time, and the coordinator never waits for it. A request is marked when its program has ended: after a
//! crash before that it is notified again, and if the queue is full, at a later scan. *Security*: names and purposes are hostile
//! input: the summary is one line of visible characters, in which they are quoted. The program runs as TOOL-EXEC's user, without the
//! site, its privileges, its environment and its descriptors, and is killed with its process group when its time is up.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use gatepost_contract::config::{Approval, Notify};
use gatepost_documents::escape::visible;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::life;
use gatepost_mailbox::log::{Event, Level, Log};
use gatepost_mailbox::site::Site;
use rustix::fs::{MemfdFlags, memfd_create};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use serde::Serialize;

use crate::mailbox::pending::Waiting;

/// The file in a waiting request's folder with the events that were notified, a line each.
const MARK: &str = "notified";
/// The capacity of the queue of notifications.
const QUEUED_MAX: usize = 256;
/// The time limit of a program.
const TIME_MAX: Duration = Duration::from_secs(30);
/// The most bytes of a program's stderr that are logged.
const STDERR_BYTES_MAX: usize = 512;
/// The second notification comes when a quarter of the longest wait is left, at most a day before the end.
const EXPIRING_MAX: TimeDelta = TimeDelta::days(1);
const PURPOSE_CHARACTERS_MAX: usize = 200;

/// An event of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Happened {
    /// It begins to wait.
    Waiting,
    /// The end of its wait is near.
    Expiring,
}

impl Happened {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Expiring => "expiring",
        }
    }
}

/// The program's input.
#[derive(Debug, Serialize)]
struct Notice {
    event: Happened,
    request_id: RequestId,
    requested_by: String,
    dropped_by: String,
    tool: String,
    purpose: String,
    waits_for: Vec<String>,
    until: String,
    summary: String,
}

impl Notice {
    fn of(site: &Site, event: Happened, id: &RequestId, waiting: &Waiting) -> Option<Self> {
        let (request, dropped_by) = life::request_summary(site, id)?;
        let until = waiting.until.to_rfc3339_opts(SecondsFormat::Secs, true);
        let purpose: String =
            request.purpose.replace('"', "'").chars().take(PURPOSE_CHARACTERS_MAX).flat_map(visible).collect();
        let state = match event {
            Happened::Waiting => "waits for approval",
            Happened::Expiring => "still waits for approval",
        };
        let (by, tool) = (life::shown_name(&request.requested_by), life::shown_name(&request.tool));
        let summary = format!("{id} {state} until {until}: {by} asks for {tool}: \"{purpose}\"");
        Some(Self {
            event,
            request_id: id.clone(),
            requested_by: request.requested_by,
            dropped_by,
            tool: request.tool,
            purpose: request.purpose,
            waits_for: waiting.missing.iter().map(|reason| reason.message.clone()).collect(),
            until,
            summary,
        })
    }
}

/// Hands notices to the thread that starts the program.
#[derive(Debug)]
pub(super) struct Notifier {
    sender: SyncSender<Notice>,
    /// The requests for which the program was started.
    sent: Receiver<RequestId>,
    thread: JoinHandle<()>,
    program: Arc<Program>,
    expiring: TimeDelta,
    /// For which events each request was queued, or marked before.
    queued: HashMap<RequestId, Sent>,
    has_ended: bool,
}

/// The events of a request that were notified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sent {
    of_waiting: bool,
    of_expiring: bool,
}

impl Sent {
    /// Reads the record of an earlier process.
    fn read(site: &Site, id: &RequestId) -> Self {
        let sent = fs::read_to_string(mark(site, id)).unwrap_or_default();
        let has = |event: Happened| sent.lines().any(|line| line == event.as_str());
        Self { of_waiting: has(Happened::Waiting), of_expiring: has(Happened::Expiring) }
    }

    fn write(self, site: &Site, id: &RequestId) -> Result<(), Fault> {
        let events = [(self.of_waiting, Happened::Waiting), (self.of_expiring, Happened::Expiring)];
        let sent = events.iter().filter(|(is_sent, _)| *is_sent).map(|(_, event)| event.as_str());
        let sent = sent.collect::<Vec<_>>().join("\n");
        durable::replace(&mark(site, id), sent.as_bytes())
    }
}

fn mark(site: &Site, id: &RequestId) -> PathBuf {
    site.pending().join(id.as_str()).join(MARK)
}

impl Notifier {
    /// Starts the thread, if the site has a program.
    pub(super) fn start(site: &Site, approval: &Approval, log: Log) -> Option<Self> {
        approval.notify.program()?;
        let (sender, receiver) = mpsc::sync_channel(QUEUED_MAX);
        let (report, sent) = mpsc::channel();
        let (site, notify) = (site.clone(), approval.notify.clone());
        let program = Arc::new(Program::default());
        let started = Arc::clone(&program);
        let work = move || serve(&site, (&notify, &started), (&receiver, &report), log);
        match thread::Builder::new().name("notify".to_owned()).spawn(work) {
            Ok(thread) => Some(Self {
                sender,
                sent,
                thread,
                program,
                expiring: (approval.max_age() / 4).min(EXPIRING_MAX),
                queued: HashMap::new(),
                has_ended: false,
            }),
            Err(error) => {
                let message = format!("Approvers are not notified: no thread can be started: {error}.");
                log.event(&Event::new("fault", "", message).at(Level::Error));
                None
            }
        }
    }

    /// Notifies the approvers of each waiting request: once, and once more when the end of its wait is near.
    pub(super) fn notify_all(
        &mut self,
        site: &Site,
        waiting: &HashMap<RequestId, Waiting>,
        now: DateTime<Utc>,
        log: Log,
    ) {
        mark_sent(site, (&self.sent, &self.queued), log);
        self.queued.retain(|id, _| waiting.contains_key(id));
        for (id, waiting) in waiting {
            let queued = *self.queued.entry(id.clone()).or_insert_with(|| Sent::read(site, id));
            let is_near = waiting.until - now <= self.expiring;
            let event = match (queued.of_waiting, queued.of_expiring) {
                (false, _) => Happened::Waiting,
                (true, false) if is_near => Happened::Expiring,
                _ => continue,
            };
            match self.send(site, event, id, waiting) {
                // A short wait gets one notification.
                Ok(()) => _ = self.queued.insert(id.clone(), Sent { of_waiting: true, of_expiring: is_near }),
                // Retry at a later scan.
                Err(TrySendError::Full(_)) => return,
                Err(TrySendError::Disconnected(_)) => return self.report_end(log),
            }
        }
    }

    /// Logs once that the thread has ended.
    fn report_end(&mut self, log: Log) {
        if !std::mem::replace(&mut self.has_ended, true) {
            let message = "Cannot notify approvers until TOOL-EXEC starts again: see the fault before.".to_owned();
            log.event(&Event::new("fault", "", message).at(Level::Error));
        }
    }

    fn send(
        &self,
        site: &Site,
        event: Happened,
        id: &RequestId,
        waiting: &Waiting,
    ) -> Result<(), TrySendError<Notice>> {
        // An unreadable request is refused, without a notification.
        Notice::of(site, event, id, waiting).map_or(Ok(()), |notice| self.sender.try_send(notice))
    }

    /// Waits until all queued notifications are sent, as long as `wait` returns true; then the program is killed.
    pub(super) fn finish(self, site: &Site, log: Log, mut wait: impl FnMut() -> bool) {
        let Self { sender, thread, program, sent, queued, .. } = self;
        drop(sender);
        while !thread.is_finished() && wait() {}
        program.end();
        mark_sent(site, (&sent, &queued), log);
    }
}

/// The program that runs now. Its process group is known from its start until it is waited for: then another process may get the id.
#[derive(Debug, Default)]
struct Program(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    group: Option<Pid>,
    has_ended: bool,
}

impl State {
    fn kill(&self) {
        if let Some(group) = self.group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

impl Program {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts it, unless TOOL-EXEC ends.
    fn start(&self, command: &mut Command) -> Result<Child, String> {
        let mut state = self.state();
        if state.has_ended {
            return Err("does not start, because TOOL-EXEC ends.".to_owned());
        }
        let child = command.spawn().map_err(|error| format!("does not start: {error}."))?;
        state.group = Pid::from_raw(child.id().cast_signed());
        Ok(child)
    }

    /// Forgets a program that is waited for next; one that has not ended is killed.
    fn forget(&self, is_over: bool) {
        let mut state = self.state();
        if !is_over {
            state.kill();
        }
        state.group = None;
    }

    /// Kills it, and lets no other start.
    fn end(&self) {
        let mut state = self.state();
        state.has_ended = true;
        state.kill();
    }
}

/// Records the requests for which the program was started.
fn mark_sent(site: &Site, (sent, queued): (&Receiver<RequestId>, &HashMap<RequestId, Sent>), log: Log) {
    for id in sent.try_iter() {
        if let Some(Err(fault)) = queued.get(&id).map(|events| events.write(site, &id)) {
            let message = format!("Cannot note that approvers were notified: failed to {fault}");
            log.event(&Event::new("fault", id.as_str(), message).at(Level::Error));
        }
    }
}

fn serve(
    site: &Site,
    (notify, program): (&Notify, &Program),
    (notices, report): (&Receiver<Notice>, &Sender<RequestId>),
    log: Log,
) {
    if let Err(error) = gatepost_sandbox::seclude_this_thread(site.root()) {
        let message = format!("Cannot notify approvers: the program cannot be kept from the site: {error}.");
        return log.event(&Event::new("fault", "", message).at(Level::Error));
    }
    for notice in notices {
        let id = notice.request_id.as_str();
        let sent = send(notify, &notice, program);
        if program.state().has_ended {
            // The next start of TOOL-EXEC notifies of it.
            return;
        }
        let event = match sent {
            Ok(()) => Event::new(
                "notified",
                id,
                format!("The program of [approval] notify heard: {}.", notice.event.as_str()),
            ),
            Err(why) => Event::new("fault", id, format!("The program of [approval] notify {why}")).at(Level::Error),
        };
        log.event(&event);
        // The receiver is closed when TOOL-EXEC ends.
        let _ = report.send(notice.request_id);
    }
}

/// Runs the program with a notice; the error completes the sentence "The program …".
#[allow(clippy::disallowed_methods, reason = "the operator's own program, on a thread that has lost the site")]
fn send(notify: &Notify, notice: &Notice, program: &Program) -> Result<(), String> {
    let path = notify.program().unwrap_or(Path::new("/"));
    let output = memfd_create("notify", MemfdFlags::CLOEXEC).map(File::from);
    let output = output.map_err(|errno| format!("cannot be given standard error: {errno}."))?;
    let mut command = Command::new(path);
    command.args(notify.arguments()).env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LANG", "C.UTF-8");
    command
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(output.try_clone().map_err(|error| format!("cannot be given standard error: {error}."))?);
    let mut child = program.start(&mut command)?;
    if let Some(mut stdin) = child.stdin.take() {
        // A pipe's capacity is far larger. The program need not read it.
        let _ = serde_json::to_vec(notice).map(|line| stdin.write_all(&[line, b"\n".to_vec()].concat()));
    }
    let is_over = waits(&child, TIME_MAX);
    program.forget(is_over);
    let status = child.wait().map_err(|error| format!("cannot be waited for: {error}."))?;
    match (is_over, status.success()) {
        (true, true) => Ok(()),
        (true, false) => Err(format!("failed ({status}){}.", stderr_line(&output))),
        (false, _) => Err(format!("was killed after {} s{}.", TIME_MAX.as_secs(), stderr_line(&output))),
    }
}

/// Whether a program ends within a time.
fn waits(child: &Child, time: Duration) -> bool {
    let Some(pid) = Pid::from_raw(child.id().cast_signed()) else { return true };
    let Ok(ended) = pidfd_open(pid, PidfdFlags::empty()) else { return true };
    let deadline = Instant::now() + time;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let mut polled = [rustix::event::PollFd::new(&ended, rustix::event::PollFlags::IN)];
        match rustix::event::poll(&mut polled, left.try_into().ok().as_ref()) {
            Ok(0) if left.is_zero() => return false,
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            _ => return true,
        }
    }
}

/// The beginning of a program's stderr, as one line.
fn stderr_line(output: &File) -> String {
    let mut bytes = [0; STDERR_BYTES_MAX];
    let count = output.read_at(&mut bytes, 0).unwrap_or(0);
    let text = String::from_utf8_lossy(&bytes[..count]);
    let line: String = text.trim().chars().flat_map(visible).collect();
    if line.is_empty() { line } else { format!(": {line}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice() -> Notice {
        Notice {
            event: Happened::Waiting,
            request_id: RequestId::parse("TR-20260209-160501Z-a").unwrap(),
            requested_by: String::new(),
            dropped_by: String::new(),
            tool: String::new(),
            purpose: "p".repeat(1_000),
            waits_for: Vec::new(),
            until: String::new(),
            summary: String::new(),
        }
    }

    fn sent(script: &str) -> Result<(), String> {
        let words = ["/bin/sh", "-c", script].map(str::to_owned);
        send(&Notify::try_from(words.to_vec()).unwrap(), &notice(), &Program::default())
    }

    #[test]
    fn a_program_that_does_not_read_or_fails_is_no_obstacle() {
        assert_eq!(sent("exit 0"), Ok(()));
        assert_eq!(sent("read line; test ${#line} -gt 1000"), Ok(()));
        let why = sent("echo 'no route\x1b[2J' >&2; exit 3").unwrap_err();
        assert!(why.contains("exit status: 3") && why.contains("no route") && !why.contains('\x1b'), "{why}");
        assert!(sent("head -c 300000 /dev/zero >&2; exit 1").unwrap_err().starts_with("failed"), "it prints much");
        assert!(sent("sleep 60 & exit 1").unwrap_err().starts_with("failed"), "a child of it holds stderr open");
        let missing = Notify::try_from(vec!["/nonexistent".to_owned()]).unwrap();
        assert!(send(&missing, &notice(), &Program::default()).unwrap_err().starts_with("does not start"));
    }
}
