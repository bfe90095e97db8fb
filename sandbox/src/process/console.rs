//! A program on a terminal, and the code that talks to it.
//!
//! ```text
//! gatepost ── master ══ slave ── stdin, stdout, stderr and controlling terminal of the program
//! hear: what it printed, as it is stored      turn: what is said to it, how long is waited, when and how it shall end
//! ```
//!
//! The terminal does not echo, changes no output, and knows no interrupt. To end the program, gatepost ends its input, as a person
//! would; a program that goes on then is terminated. *Standards*: POSIX, "General Terminal Interface"; Linux `pty(7)`.

use std::fmt::Debug;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use rustix::fs::OFlags;
use rustix::io::Errno;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, OutputModes, Winsize, tcgetattr, tcsetattr, tcsetwinsize};

/// Lines and columns: nothing is wrapped or paged that a program would not wrap or page in a file.
const SIZE: u16 = 1000;

/// What a terminal takes for the end of input.
const END_OF_INPUT: u8 = 4;

/// What a [`Console`] wants now.
#[derive(Debug, PartialEq, Eq)]
pub enum Turn {
    /// To be asked again when the program has printed something, or at that time.
    Wait(Option<Instant>),
    /// To say this: whole lines of at most [`LINE_BYTES_MAX`](gatepost_contract::manifest::LINE_BYTES_MAX) bytes.
    Say(Vec<u8>),
    /// The program to end with its input, in its own time.
    Close,
    /// The program to be stopped.
    Stop,
}

/// Who talks to a program on a terminal; it is asked by one thread at a time.
pub trait Console: Debug {
    /// The program printed this.
    fn hear(&self, bytes: &[u8], now: Instant);

    /// What is to be done now.
    fn turn(&self, now: Instant) -> Turn;

    /// Readable when it wants to be asked although the program printed nothing; [`Console::turn`] reads it empty.
    fn bell(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

/// How a program ends that its console wants to end.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// Its input has ended, and it has the grace period.
    OfInput,
    /// It is terminated.
    AtOnce,
}

/// The two ends of a terminal.
pub(super) struct Terminal {
    /// Ours; reading and writing never wait.
    pub(super) master: OwnedFd,
    /// The program's.
    pub(super) slave: OwnedFd,
}

impl Terminal {
    /// A new terminal.
    pub(super) fn open() -> io::Result<Self> {
        let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
        let master = openpt(flags)?;
        unlockpt(&master)?;
        let slave = ioctl_tiocgptpeer(&master, flags)?;
        let mut settings = tcgetattr(&slave)?;
        settings.local_modes -= LocalModes::ECHO | LocalModes::ECHONL | LocalModes::ISIG;
        settings.output_modes -= OutputModes::OPOST;
        tcsetattr(&slave, OptionalActions::Now, &settings)?;
        tcsetwinsize(&slave, Winsize { ws_row: SIZE, ws_col: SIZE, ws_xpixel: 0, ws_ypixel: 0 })?;
        rustix::fs::fcntl_setfl(&master, OFlags::RDWR | OFlags::NONBLOCK)?;
        Ok(Self { master, slave })
    }
}

/// A console on its way through a run.
pub(super) struct Conversation<'a> {
    console: &'a dyn Console,
    master: OwnedFd,
    unsaid: Vec<u8>,
    asks_at: Option<Instant>,
    is_closing: bool,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(console: &'a dyn Console, master: OwnedFd) -> Self {
        Self { console, master, unsaid: Vec::new(), asks_at: None, is_closing: false }
    }

    /// Sends nothing more, even if input remains; the program's output is still read.
    pub(super) fn fall_silent(&mut self) {
        (self.asks_at, self.is_closing) = (None, true);
        self.unsaid.clear();
    }

    /// When the console wants to be asked even if the program prints nothing.
    pub(super) fn asks_at(&self) -> Option<Instant> {
        self.asks_at
    }

    /// Whether the console wanted the program to end.
    pub(super) fn is_over(&self) -> bool {
        self.is_closing
    }

    /// Readable when the console wants to be asked; none while it would not be.
    pub(super) fn bell(&self) -> Option<BorrowedFd<'_>> {
        self.console.bell().filter(|_| !self.is_closing)
    }

    /// The terminal, while something could not be said yet.
    pub(super) fn unsaid(&self) -> Option<BorrowedFd<'_>> {
        (!self.unsaid.is_empty()).then(|| self.master.as_fd())
    }

    /// Passes on what was heard and says what the console wants said; returns how it wants the program to end, once it does.
    pub(super) fn go_on(&mut self, heard: &[u8]) -> Option<End> {
        let now = Instant::now();
        let console = self.console;
        if !heard.is_empty() {
            console.hear(heard, now);
        }
        let mut end = None;
        while !self.is_closing {
            match console.turn(now) {
                Turn::Wait(until) => {
                    self.asks_at = until;
                    break;
                }
                Turn::Say(bytes) => {
                    self.asks_at = None;
                    self.unsaid.extend(bytes);
                }
                Turn::Close => {
                    (self.asks_at, self.is_closing, end) = (None, true, Some(End::OfInput));
                    self.unsaid.push(END_OF_INPUT);
                }
                Turn::Stop => (self.asks_at, self.is_closing, end) = (None, true, Some(End::AtOnce)),
            }
            self.say();
        }
        self.say();
        end
    }

    /// Says what the terminal takes of it. One that takes nothing any more has no program.
    fn say(&mut self) {
        while !self.unsaid.is_empty() {
            match rustix::io::write(&self.master, &self.unsaid) {
                Ok(count) => drop(self.unsaid.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => self.unsaid.clear(),
            }
        }
    }
}
