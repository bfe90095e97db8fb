//! Copies bytes both ways between two sockets until both have ended, one was idle for too long, or the run is over.
//!
//! The end of one direction is forwarded, so either side may end first. It inspects no byte.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::time::Duration;

use rustix::event::PollFlags;

use super::deadline::Deadline;

/// The most buffered bytes of one direction, beyond its initial bytes.
const BUFFER_BYTES: usize = 16 * 1024;

/// One direction.
#[derive(Debug)]
struct Direction<'a> {
    from: &'a TcpStream,
    to: &'a TcpStream,
    /// Read and not yet written, from `written` on.
    waiting: Vec<u8>,
    written: usize,
    /// Bytes that may still be read.
    allowance: u64,
    ended: bool,
    closed: bool,
}

impl<'a> Direction<'a> {
    fn new(from: &'a TcpStream, to: &'a TcpStream, waiting: Vec<u8>, allowance: u64) -> Self {
        Self { from, to, waiting, written: 0, allowance, ended: false, closed: false }
    }

    fn is_empty(&self) -> bool {
        self.written == self.waiting.len()
    }

    fn reads(&self) -> bool {
        self.is_empty() && !self.ended && self.allowance > 0
    }

    /// Moves what can be moved without waiting; whether anything could.
    fn advance(&mut self) -> io::Result<bool> {
        let mut moved = false;
        if self.reads() {
            let room = usize::try_from(self.allowance).unwrap_or(usize::MAX).min(BUFFER_BYTES);
            self.waiting.resize(room, 0);
            self.written = 0;
            let read = if_ready((&mut &*self.from).read(&mut self.waiting));
            self.waiting.truncate(read.as_ref().ok().copied().flatten().unwrap_or(0));
            if let Some(read) = read? {
                self.ended = read == 0;
                self.allowance -= read as u64;
                moved = true;
            }
        }
        if !self.is_empty()
            && let Some(written) =
                if_ready((&mut &*self.to).write(self.waiting.get(self.written..).unwrap_or_default()))?
        {
            self.written += written;
            moved = true;
        }
        if self.ended && self.is_empty() && !self.closed {
            // The peer may have closed; the other direction notices that.
            let _ = self.to.shutdown(Shutdown::Write);
            self.closed = true;
        }
        Ok(moved)
    }

    /// The events that it waits for.
    fn awaited(&self) -> Option<(&dyn AsFd, PollFlags)> {
        if !self.is_empty() {
            return Some((self.to, PollFlags::OUT));
        }
        self.reads().then_some((self.from, PollFlags::IN))
    }
}

fn if_ready(result: io::Result<usize>) -> io::Result<Option<usize>> {
    match result {
        Ok(count) => Ok(Some(count)),
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The part of a client's bytes that is forwarded.
#[derive(Debug)]
pub(super) struct Outbound {
    /// The first bytes for the server.
    pub(super) first: Vec<u8>,
    /// The most bytes of the client that follow. After them, the server's end of stream ends the relay.
    pub(super) further: u64,
}

/// Copies between non-blocking sockets. `deadline` bounds the whole, `idle` the time without a transfer.
pub(super) fn relay(
    client: &TcpStream,
    server: &TcpStream,
    outbound: Outbound,
    deadline: Deadline<'_>,
    idle: Duration,
) -> io::Result<()> {
    let mut out = Direction::new(client, server, outbound.first, outbound.further);
    let mut back = Direction::new(server, client, Vec::new(), u64::MAX);
    loop {
        let moved = [out.advance()?, back.advance()?];
        if back.closed && (out.closed || out.awaited().is_none()) {
            return Ok(());
        }
        if moved == [false, false] {
            let awaited: Vec<_> = [out.awaited(), back.awaited()].into_iter().flatten().collect();
            deadline.at_most(idle).wait(&awaited)?;
        } else if !deadline.is_ahead() {
            // A peer that always sends must not delay the end of the run.
            return Err(io::ErrorKind::TimedOut.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;
    use crate::cancel::Cancel;

    /// Both ends of a connection.
    fn pair() -> [TcpStream; 2] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        [one, listener.accept().unwrap().0]
    }

    /// Relays between two socket pairs; `talk` uses the far ends.
    fn relayed(outbound: Outbound, idle: Duration, talk: impl FnOnce(TcpStream, TcpStream) + Send) -> io::Result<()> {
        let ([client, ours], [theirs, server]) = (pair(), pair());
        for stream in [&ours, &theirs] {
            stream.set_nonblocking(true).unwrap();
        }
        let stop = Cancel::new().unwrap();
        thread::scope(|scope| {
            scope.spawn(|| talk(client, server));
            let result = relay(&ours, &theirs, outbound, Deadline::none(&stop), idle);
            drop((ours, theirs));
            result
        })
    }

    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn every_byte_arrives_both_ways_and_either_side_may_end_first() {
        let data: Vec<u8> = (0..3_000_000u32).map(|number| number.to_le_bytes()[1]).collect();
        let expected = data.clone();
        relayed(Outbound { first: b"early ".to_vec(), further: u64::MAX }, LONG, move |mut client, mut server| {
            thread::scope(|scope| {
                scope.spawn(|| {
                    let mut client = &client;
                    client.write_all(&expected).unwrap();
                    client.shutdown(Shutdown::Write).unwrap();
                });
                let mut received = Vec::new();
                server.read_to_end(&mut received).unwrap();
                assert!(received == [b"early ".as_slice(), &expected].concat());
            });
            thread::scope(|scope| {
                scope.spawn(move || server.write_all(&data).unwrap());
                let mut received = Vec::new();
                client.read_to_end(&mut received).unwrap();
                assert!(received == expected);
            });
        })
        .unwrap();
    }

    #[test]
    fn no_more_is_passed_on_than_allowed() {
        let outbound = Outbound { first: b"head ".to_vec(), further: 4 };
        relayed(outbound, LONG, |mut client, mut server| {
            client.write_all(b"bodyGET http://other/").unwrap();
            let mut received = [0; 9];
            server.read_exact(&mut received).unwrap();
            server.write_all(b"answer").unwrap();
            server.set_nonblocking(true).unwrap();
            assert_eq!(server.read(&mut [0; 1]).unwrap_err().kind(), io::ErrorKind::WouldBlock);
            drop(server);
            let mut answer = Vec::new();
            // The connection discards unforwarded bytes, which may reset it.
            let _ = client.read_to_end(&mut answer);
            assert_eq!((&received, answer.as_slice()), (b"head body", b"answer".as_slice()));
        })
        .unwrap();
    }

    #[test]
    fn two_that_say_nothing_are_parted() {
        let outbound = Outbound { first: Vec::new(), further: u64::MAX };
        let result = relayed(outbound, Duration::from_millis(20), |mut client, _server| {
            let _ = client.read(&mut [0; 1]);
        });
        assert_eq!(result.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
