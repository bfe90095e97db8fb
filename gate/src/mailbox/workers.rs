//! The threads that judge, each one submission at a time, and their reports.
//!
//! *Security*: a worker that panics outside of a judgement hit a bug of the gate's own, and ends the process: the next
//! gate reads its progress from the folders.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt as _;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use chrono::{DateTime, Utc};

use super::queue::{Item, Job};
use super::{Gate, Judged, attempt, names_in, size};
use gatepost_mailbox::abort::AbortOnPanic;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::order::Answer;
use gatepost_mailbox::quarantine::plain_name;

/// A worker's report.
#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "made once a submission, and few are under way")]
pub(crate) enum Report {
    /// The outcome of the submission of this name.
    Judged(OsString, Result<Judged, Fault>),
    /// The outcome of an order, for one item.
    Ordered(Result<Answer, Fault>),
}

/// The workers of a gate, while they run.
pub(crate) struct Workers<'a> {
    gate: &'a Gate,
    reports: Receiver<Report>,
}

impl<'a> Workers<'a> {
    /// Starts the workers of a gate, or as many as possible, and lets them finish their jobs once `body` returns. Calls
    /// `ring` after each report.
    pub(crate) fn serve<T>(
        gate: &'a Gate,
        clock: fn() -> DateTime<Utc>,
        ring: impl Fn() + Sync,
        body: impl FnOnce(&Self) -> T,
    ) -> Result<T, Fault> {
        let (sender, reports) = mpsc::channel();
        gate.queue.reopen();
        thread::scope(|scope| {
            let _close = CloseOnDrop(gate);
            for number in 0..gate.queue.workers() {
                let (sender, ring) = (sender.clone(), &ring);
                let worker = thread::Builder::new().spawn_scoped(scope, move || {
                    let _end = AbortOnPanic;
                    while let Some(job) = gate.queue.take() {
                        work(gate, &job, clock, &|report| {
                            // The receiver is gone only after everything is over.
                            let _ = sender.send(report);
                            ring();
                        });
                    }
                });
                if number == 0 {
                    worker.on("start a thread for", &gate.site.outbox())?;
                }
            }
            Ok(body(&Self { gate, reports }))
        })
    }

    /// Judges everything in the outbox, once each.
    pub(super) fn drain(&self, report: &mut impl FnMut(&OsStr, Result<Judged, Fault>)) -> Result<(), Fault> {
        let mut seen = HashSet::new();
        loop {
            let names = names_in(&self.gate.site.outbox())?;
            let fresh = names.into_iter().filter(|name| !seen.contains(name)).collect::<Vec<_>>();
            let offered: Vec<_> = fresh.into_iter().filter(|name| self.offer(name)).collect();
            for _ in 0..offered.len() {
                if let Ok(Report::Judged(name, judged)) = self.reports.recv() {
                    report(&name, judged);
                }
            }
            seen.extend(offered);
            if !self.gate.queue.take_held_back() {
                return Ok(());
            }
        }
    }

    /// Queues everything in the outbox that is not known yet.
    pub(crate) fn offer_all(&self) -> Result<(), Fault> {
        for name in names_in(&self.gate.site.outbox())? {
            self.offer(&name);
        }
        Ok(())
    }

    /// Queues a name in the outbox; returns whether it was not known yet.
    pub(crate) fn offer(&self, name: &OsStr) -> bool {
        if name.as_bytes().starts_with(b".") || !self.gate.queue.is_new(name) {
            return false;
        }
        let bytes = size::bytes_at(&self.gate.site.outbox().join(name));
        let workspace = self.gate.workspace(&plain_name(name.as_bytes()));
        let is_suspect = attempt::is_suspect(&workspace, &self.gate.boot);
        self.gate.queue.offer(Item { name: name.to_owned(), bytes, is_suspect })
    }

    /// Queues the waiting orders.
    pub(crate) fn offer_orders(&self) {
        self.gate.queue.offer_orders();
    }

    /// The reports so far, without waiting.
    pub(crate) fn reports(&self) -> impl Iterator<Item = Report> {
        self.reports.try_iter()
    }

    /// Whether a skipped submission may be queued again by now.
    pub(crate) fn take_held_back(&self) -> bool {
        self.gate.queue.take_held_back()
    }

    /// Starts no more jobs.
    pub(crate) fn close(&self) {
        self.gate.queue.close();
    }

    /// The number of busy workers.
    pub(crate) fn running(&self) -> usize {
        self.gate.queue.running()
    }
}

fn work(gate: &Gate, job: &Job, clock: fn() -> DateTime<Utc>, report: &dyn Fn(Report)) {
    match job {
        Job::Judge(item) => {
            let judged = gate.judge(&item.name, clock());
            // Before the report: the submissions skipped for it may then be queued.
            gate.queue.finish(job);
            report(Report::Judged(item.name.clone(), judged));
        }
        Job::CarryOutOrders => {
            let done = gate.carry_out(clock, |answer| report(Report::Ordered(answer)));
            gate.queue.finish(job);
            if let Err(fault) = done {
                report(Report::Ordered(Err(fault)));
            }
        }
    }
}

struct CloseOnDrop<'a>(&'a Gate);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.queue.close();
    }
}
