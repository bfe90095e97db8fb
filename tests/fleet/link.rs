//! The way from a machine to a NATS server, which a test cuts, or on which messages come twice, not at all, or damaged.
//!
//! *Standards*: the client protocol of NATS, of which each message of a client is one line, after `PUB` and `HPUB` with a payload.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// What becomes of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Way {
    Sound,
    /// Nothing comes through, and no connection ends, as when a network is partitioned.
    Cut,
    /// Every message between home and nodes, and every acknowledgement, is sent twice.
    Twice,
    /// No acknowledgement of an offer arrives, and about a third of the messages between home and nodes is lost.
    Lost,
    /// About a third of the messages between home and nodes, and of the parts of objects, has a wrong bit.
    Flipped,
}

/// A way to one server.
pub(crate) struct Link {
    /// Where a machine reaches the server.
    pub(crate) port: u16,
    way: Arc<AtomicU8>,
}

impl Link {
    /// One to a port of loopback. Messages can be told apart only without TLS.
    pub(crate) fn to(server: u16, is_plain: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, way) = (listener.local_addr().unwrap().port(), Arc::new(AtomicU8::new(Way::Sound as u8)));
        let link = Self { port, way: Arc::clone(&way) };
        let count = Arc::new(AtomicUsize::new(0));
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(("127.0.0.1", server)) else { continue };
                let (back, to_client) = (far.try_clone().unwrap(), near.try_clone().unwrap());
                let (one, other, count) = (Arc::clone(&way), Arc::clone(&way), Arc::clone(&count));
                thread::spawn(move || ended(&back, &to_client, copy(&back, &to_client, &one)));
                thread::spawn(move || {
                    let copied = if is_plain { mangle(&near, &far, &other, &count) } else { copy(&near, &far, &other) };
                    ended(&near, &far, copied);
                });
            }
        });
        link
    }

    pub(crate) fn set(&self, way: Way) {
        self.way.store(way as u8, Ordering::SeqCst);
    }
}

/// The end of one direction is that of both.
fn ended(one: &TcpStream, other: &TcpStream, _copied: io::Result<()>) {
    for stream in [one, other] {
        let _ = stream.shutdown(std::net::Shutdown::Both);
    }
}

fn wait(way: &AtomicU8) {
    while way.load(Ordering::SeqCst) == Way::Cut as u8 {
        thread::sleep(Duration::from_millis(10));
    }
}

fn copy(mut from: &TcpStream, mut to: &TcpStream, way: &AtomicU8) -> io::Result<()> {
    let mut buffer = [0; 16 << 10];
    loop {
        let count = from.read(&mut buffer)?;
        wait(way);
        if count == 0 {
            return Ok(());
        }
        to.write_all(&buffer[..count])?;
    }
}

/// Forwards what a client sends, message by message.
fn mangle(from: &TcpStream, mut to: &TcpStream, way: &AtomicU8, count: &AtomicUsize) -> io::Result<()> {
    let mut from = BufReader::new(from);
    loop {
        let mut message = Vec::new();
        if from.read_until(b'\n', &mut message)? == 0 {
            return Ok(());
        }
        let line = String::from_utf8_lossy(&message).into_owned();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let is_message = matches!(words.first(), Some(&("PUB" | "HPUB")));
        let head = message.len();
        if is_message {
            let bytes: u64 = words.last().and_then(|word| word.parse().ok()).ok_or(io::ErrorKind::InvalidData)?;
            (&mut from).take(bytes + 2).read_to_end(&mut message)?;
        }
        wait(way);
        let way = way.load(Ordering::SeqCst);
        let subject = words.get(1).copied().unwrap_or_default();
        let is_ack = subject.starts_with("$JS.ACK.");
        let is_ours = subject.starts_with("gatepost.") || subject.starts_with("_INBOX.");
        let is_part = subject.starts_with("$O.") && subject.contains(".C.");
        let is_third = || {
            // Every third would hit the same step each time that it is repeated: a third at random (SplitMix64), the same in each run.
            let next = count.fetch_add(1, Ordering::SeqCst) as u64 + 1;
            let mixed = next.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (mixed ^ (mixed >> 31)).is_multiple_of(3)
        };
        if !is_message || way == Way::Sound as u8 {
            to.write_all(&message)?;
        } else if way == Way::Twice as u8 {
            to.write_all(&message)?;
            if is_ack || is_ours {
                to.write_all(&message)?;
            }
        } else if way == Way::Lost as u8 {
            if !(is_ack || is_ours && is_third()) {
                to.write_all(&message)?;
            }
        } else {
            let at = head + (message.len() - 2 - head) / 2;
            if (is_ours || is_part) && at < message.len() - 2 && is_third() {
                message[at] ^= 1;
            }
            to.write_all(&message)?;
        }
    }
}
