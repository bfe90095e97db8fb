//! A program on a terminal, and the code that drives it.
//!
//! ```text
//! gatepost ── master ══ slave ── stdin, stdout, stderr and controlling terminal of the program
//! receive: its output, as it is stored      turn: the input to send, the time to wait, when and how to end it
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

/// The next action of a [`Console`].
#[derive(Debug, PartialEq, Eq)]
pub enum Turn {
    /// Wait until the program prints something, or until that time.
    Wait(Option<Instant>),
    /// Send this: whole lines of at most [`LINE_BYTES_MAX`](gatepost_contract::manifest::LINE_BYTES_MAX) bytes.
    Send(Vec<u8>),
    /// End the program's input, and let it exit.
    Close,
    /// Stop the program.
    Stop,
}

/// The driver of a program on a terminal. One thread at a time calls it.
pub trait Console: Debug {
    /// Receives output of the program.
    fn receive(&self, bytes: &[u8], now: Instant);

    /// The next action.
    fn turn(&self, now: Instant) -> Turn;

    /// Readable if [`Console::turn`] should run although the program printed nothing; `turn` drains it.
    fn bell(&self) -> Option<BorrowedFd<'_>> {
        None
    }
}

/// How a console ends its program.
#[derive(Clone, Copy)]
pub(super) enum End {
    /// Its input has ended, and it has the grace period.
    OfInput,
    /// It is terminated.
    AtOnce,
}

/// The two ends of a terminal.
pub(super) struct Terminal {
    /// Ours; non-blocking.
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

/// A console during a run.
pub(super) struct Conversation<'a> {
    console: &'a dyn Console,
    master: OwnedFd,
    unsent: Vec<u8>,
    asks_at: Option<Instant>,
    is_closing: bool,
}

impl<'a> Conversation<'a> {
    pub(super) fn new(console: &'a dyn Console, master: OwnedFd) -> Self {
        Self { console, master, unsent: Vec::new(), asks_at: None, is_closing: false }
    }

    /// Sends nothing more, even if input remains; the program's output is still read.
    pub(super) fn fall_silent(&mut self) {
        (self.asks_at, self.is_closing) = (None, true);
        self.unsent.clear();
    }

    /// When to call the console even if the program prints nothing.
    pub(super) fn asks_at(&self) -> Option<Instant> {
        self.asks_at
    }

    /// Whether the console has ended the program.
    pub(super) fn is_over(&self) -> bool {
        self.is_closing
    }

    /// The console's bell; none once the console has ended the program.
    pub(super) fn bell(&self) -> Option<BorrowedFd<'_>> {
        self.console.bell().filter(|_| !self.is_closing)
    }

    /// The terminal, while unsent input remains.
    pub(super) fn unsent(&self) -> Option<BorrowedFd<'_>> {
        (!self.unsent.is_empty()).then(|| self.master.as_fd())
    }

    /// Passes output to the console and sends its input; returns how the console ends the program, once it does.
    pub(super) fn go_on(&mut self, received: &[u8]) -> Option<End> {
        let now = Instant::now();
        let console = self.console;
        if !received.is_empty() {
            console.receive(received, now);
        }
        let mut end = None;
        while !self.is_closing {
            match console.turn(now) {
                Turn::Wait(until) => {
                    self.asks_at = until;
                    break;
                }
                Turn::Send(bytes) => {
                    self.asks_at = None;
                    self.unsent.extend(bytes);
                }
                Turn::Close => {
                    (self.asks_at, self.is_closing, end) = (None, true, Some(End::OfInput));
                    self.unsent.push(END_OF_INPUT);
                }
                Turn::Stop => (self.asks_at, self.is_closing, end) = (None, true, Some(End::AtOnce)),
            }
            self.flush();
        }
        self.flush();
        end
    }

    /// Writes as much as the terminal accepts. If the write fails, the program has ended.
    fn flush(&mut self) {
        while !self.unsent.is_empty() {
            match rustix::io::write(&self.master, &self.unsent) {
                Ok(count) => drop(self.unsent.drain(..count)),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => break,
                Err(_) => self.unsent.clear(),
            }
        }
    }
}
