//! A dialogue to which several threads send lines, while one thread drives the program.

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use gatepost_sandbox::process::{Console, Turn};
use rustix::event::{EventfdFlags, eventfd};

use super::{Dialogue, Exchange, Trouble};

/// A dialogue with a bell for the driving thread, and a condition variable for threads that wait for answers.
#[derive(Debug)]
pub struct SharedDialogue {
    dialogue: Mutex<Dialogue>,
    answered: Condvar,
    bell: OwnedFd,
}

impl SharedDialogue {
    /// Shares a dialogue.
    pub fn new(dialogue: Dialogue) -> io::Result<Self> {
        let bell = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self { dialogue: Mutex::new(dialogue), answered: Condvar::new(), bell })
    }

    /// Waits until its program has started, or the dialogue is closed.
    pub fn wait_for_start(&self) {
        drop(self.wait_while(|dialogue| !dialogue.has_begun() && !dialogue.is_closed()));
    }

    /// Queues these lines after all others; returns the range of their exchanges.
    pub fn send(&self, lines: Vec<String>) -> Range<usize> {
        let count = lines.len();
        let until = self.lock().send(lines);
        self.ring();
        until - count..until
    }

    /// Waits until these exchanges are complete or the dialogue is closed. Returns them, and why the remaining lines were not sent.
    /// Moves their texts out.
    pub fn answers(&self, range: Range<usize>) -> (Vec<Exchange>, Option<Trouble>) {
        let mut dialogue = self.wait_while(|dialogue| dialogue.exchanges().len() < range.end && !dialogue.is_closed());
        (dialogue.take(range), dialogue.trouble())
    }

    /// Closes it once all lines are answered.
    pub fn close(&self) {
        self.lock().close();
        self.ring();
    }

    /// Whether no further line is sent.
    pub fn is_closed(&self) -> bool {
        self.lock().is_closed()
    }

    /// Whether the program was asked to end.
    pub fn was_closed(&self) -> bool {
        self.lock().was_closed()
    }

    /// Ends the dialogue with its program. Returns all exchanges, and why the remaining lines were not sent.
    pub fn finish(&self) -> (Vec<Exchange>, Option<Trouble>) {
        let mut dialogue = self.lock();
        dialogue.finish();
        self.answered.notify_all();
        (dialogue.exchanges().to_vec(), dialogue.trouble())
    }

    fn wait_while(&self, condition: impl Fn(&Dialogue) -> bool) -> MutexGuard<'_, Dialogue> {
        let waits = |dialogue: &mut Dialogue| condition(dialogue);
        self.answered.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Dialogue> {
        self.dialogue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) {
        // This fails only if the counter is full: then the bell was rung before.
        let _ = rustix::io::write(&self.bell, &1u64.to_ne_bytes());
    }
}

impl Console for SharedDialogue {
    fn receive(&self, bytes: &[u8], now: Instant) {
        self.lock().receive(bytes, now);
    }

    fn turn(&self, now: Instant) -> Turn {
        let _ = rustix::io::read(&self.bell, &mut [0; 8]);
        let mut dialogue = self.lock();
        let turn = dialogue.turn(now);
        self.answered.notify_all();
        turn
    }

    fn bell(&self) -> Option<BorrowedFd<'_>> {
        Some(self.bell.as_fd())
    }
}
