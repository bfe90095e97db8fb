//! How TOOL-EXEC ends: running tools may finish, waiting requests stay claimed, and another signal stops the tools.

use std::time::{Duration, Instant};

use gatepost_mailbox::wake::Stop;

use super::{Coordinator, Ended, Mode};
use crate::mailbox::record::State;
use crate::pipeline::{self, Left};
use gatepost_mailbox::log::Event;

/// Signals within this time after the first are the same wish to stop: a supervisor may signal a whole group, and the parent passes
/// its own on.
const ONE_WISH: Duration = Duration::from_secs(1);
/// How long a run that ends by itself waits for its notifications.
const NOTIFYING_MAX: Duration = Duration::from_secs(30);
const NOTIFYING_LOOK: Duration = Duration::from_millis(50);

impl Coordinator<'_> {
    /// Lets running tools finish; a second signal stops them.
    pub(super) fn stop(mut self, stop: &Stop) -> Ended {
        let message = "Stopping: running tools may finish; send another signal to stop them at once.".to_owned();
        self.log.event(&Event::new("stopping", "", message));
        self.next_config = None;
        self.finish(Some(stop));
        self.leave()
    }

    /// Closes the queue and waits for running tools. The first signal (possibly received already) requests the end; a second stops them.
    pub(super) fn finish(&mut self, stop: Option<&Stop>) {
        self.tally.signal = stop.map(|stop| stop.signal);
        let waiting = self.queue.close() + self.give_up_sessions();
        let (mut running, mut stops) = (self.in_flight.len() - waiting, stop.map_or(0, |stop| stop.count));
        let mut since = Instant::now();
        while running > 0 {
            // Includes sessions that were about to open.
            self.context.sessions.close_all();
            self.take_decisions();
            let again = self.wake.wait(ONE_WISH).stop;
            let count = again.as_ref().map_or(stops, |stop| stop.count);
            if let Some(first) = again.filter(|_| self.tally.signal.is_none()) {
                (self.tally.signal, self.next_config, since) = (Some(first.signal), None, Instant::now());
            } else if count > stops && since.elapsed() >= ONE_WISH {
                self.tally.is_cut_short = true;
                self.context.runs.stop_all();
            }
            stops = count;
            while let Ok(done) = self.reports.try_recv() {
                self.note(done);
                running -= 1;
            }
        }
    }

    /// Resumes requests whose tool did not start: only this process knows that.
    pub(super) fn leave(mut self) -> Ended {
        self.write_metrics();
        // A run that ends by itself waits for its notifications; a stop does not.
        if let Some(notifier) = self.notifier.take() {
            let until = Instant::now() + if self.mode == Mode::Once { NOTIFYING_MAX } else { Duration::ZERO };
            notifier.finish(&self.context.site, *self.log, || {
                self.wake.wait(NOTIFYING_LOOK).stop.is_none() && Instant::now() < until
            });
        }
        for id in self.stranded.unstarted() {
            if self.context.site.running().join(id.as_str()).exists() {
                // A second failure cannot be handled here.
                let _ = pipeline::resume(self.context, id, State::Running, Left::Unstarted, |_| false);
            }
        }
        match (self.next_config, self.wake.into_stops()) {
            (Some(config), Some(stops)) => Ended::Reload(self.tally, config, stops),
            _ => Ended::Whole(self.tally),
        }
    }
}
