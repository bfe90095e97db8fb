//! One connection of the tool to the proxy: protocol, request, answer, then the relay.
//!
//! The first byte distinguishes SOCKS from HTTP. A tool that sends nothing, too much, or too slowly is disconnected.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use rustix::event::PollFlags;

use super::deadline::Deadline;
use super::egress::{Denial, Egress};
use super::relay::{Outbound, relay};
use super::{Bounds, http, socks};

/// The longest head of a request.
const HEAD_BYTES_MAX: usize = 16 * 1024;

const FORBIDDEN: &str = "403 Forbidden";

/// Lingering close: how long, and how many bytes, the proxy still reads after it refused a tool.
const LINGER: Duration = Duration::from_secs(1);
const LINGER_BYTES: usize = 64 * 1024;

/// Serves one client. An error ends only this connection.
pub(super) fn serve(client: TcpStream, egress: &Egress, bounds: &Bounds, deadline: Deadline<'_>) {
    let deadline = deadline.at_most(bounds.total);
    let client = Client { stream: client, received: Vec::new(), deadline: deadline.at_most(bounds.head) };
    let _ = converse(client, egress, bounds, deadline);
}

/// A client whose request is incomplete.
struct Client<'a> {
    stream: TcpStream,
    received: Vec<u8>,
    /// For the whole request.
    deadline: Deadline<'a>,
}

fn converse(mut client: Client<'_>, egress: &Egress, bounds: &Bounds, deadline: Deadline<'_>) -> io::Result<()> {
    client.stream.set_nonblocking(true)?;
    client.stream.set_nodelay(true)?;
    client.receive()?;
    let opened = match client.received.first() {
        Some(&socks::VERSION) => client.open_socks(egress, deadline)?,
        Some(first) if first.is_ascii_uppercase() => client.open_http(egress, deadline)?,
        _ => None,
    };
    match opened {
        Some((server, outbound)) => relay(&client.stream, &server, outbound, deadline, bounds.idle),
        None => client.part(),
    }
}

impl Client<'_> {
    /// Waits for more.
    fn receive(&mut self) -> io::Result<()> {
        let mut buffer = [0; 2048];
        let read = self.deadline.retry(&self.stream, PollFlags::IN, || (&self.stream).read(&mut buffer))?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.received.extend_from_slice(buffer.get(..read).unwrap_or_default());
        Ok(())
    }

    fn send(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            let written = self.deadline.retry(&self.stream, PollFlags::OUT, || (&self.stream).write(bytes))?;
            bytes = bytes.get(written..).unwrap_or_default();
        }
        Ok(())
    }

    /// Reads one whole message.
    fn take<T>(&mut self, parse: impl Fn(&[u8]) -> Option<(T, usize)>) -> io::Result<T> {
        loop {
            if let Some((message, length)) = parse(&self.received) {
                self.received.drain(..length);
                return Ok(message);
            }
            self.receive()?;
        }
    }

    fn open_socks(&mut self, egress: &Egress, deadline: Deadline<'_>) -> io::Result<Option<(TcpStream, Outbound)>> {
        if !self.take(socks::greeting)? {
            self.send(&socks::NO_METHOD)?;
            return Ok(None);
        }
        self.send(&socks::ACCEPTED)?;
        let answer = match self.take(socks::request)? {
            socks::SocksRequest::Connect(destination) => match egress.connect(&destination, deadline) {
                Ok(server) => {
                    self.send(&socks::Reply::Succeeded.encode())?;
                    return Ok(Some((server, self.everything())));
                }
                Err(Denial::NotListed | Denial::Inward | Denial::OutOfScope) => socks::Reply::NotAllowed,
                Err(Denial::Unreachable) => socks::Reply::Unreachable,
            },
            socks::SocksRequest::NoDestination(text) => {
                egress.record().refuse_malformed(&text);
                socks::Reply::NotAllowed
            }
            socks::SocksRequest::Refused(reply) => reply,
        };
        self.send(&answer.encode())?;
        Ok(None)
    }

    fn open_http(&mut self, egress: &Egress, deadline: Deadline<'_>) -> io::Result<Option<(TcpStream, Outbound)>> {
        let Some(head) = self.take_head()? else {
            self.send(&http::answer(
                "431 Request Header Fields Too Large",
                "The head of the request is longer than 16 KiB.",
            ))?;
            return Ok(None);
        };
        let (status, sentence) = match http::parse(&head) {
            Ok(http::ProxyRequest { destination, forward }) => match egress.connect(&destination, deadline) {
                Ok(server) => {
                    let Some(outbound) = forward else {
                        self.send(http::CONNECTED)?;
                        return Ok(Some((server, self.everything())));
                    };
                    return Ok(Some((server, self.body(outbound))));
                }
                Err(denial) => answer(denial),
            },
            Err(http::Fault::NoDestination(text)) => {
                egress.record().refuse_malformed(&text);
                (FORBIDDEN, "This is not a host and port in an unambiguous form.")
            }
            Err(http::Fault::Malformed(what)) => ("400 Bad Request", what),
        };
        self.send(&http::answer(status, sentence))?;
        Ok(None)
    }

    /// The head of a request; none if it is too long.
    fn take_head(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut searched = 0;
        loop {
            if let Some(end) = http::head_end(&self.received, searched).filter(|end| *end <= HEAD_BYTES_MAX) {
                let rest = self.received.split_off(end);
                return Ok(Some(std::mem::replace(&mut self.received, rest)));
            }
            if self.received.len() >= HEAD_BYTES_MAX {
                return Ok(None);
            }
            searched = self.received.len();
            self.receive()?;
        }
    }

    /// All bytes of the client, the received ones first.
    fn everything(&mut self) -> Outbound {
        Outbound { first: std::mem::take(&mut self.received), further: u64::MAX }
    }

    /// The same, up to the length of the body after the head.
    fn body(&mut self, mut outbound: Outbound) -> Outbound {
        let early = usize::try_from(outbound.further).unwrap_or(usize::MAX).min(self.received.len());
        outbound.first.extend(self.received.drain(..early));
        outbound.further -= early as u64;
        outbound
    }

    /// Lets the client read its answer: closing with unread input would reset the connection.
    fn part(&self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)?;
        let deadline = self.deadline.at_most(LINGER);
        let mut buffer = [0; 4096];
        let mut discarded = 0;
        while discarded < LINGER_BYTES {
            match deadline.retry(&self.stream, PollFlags::IN, || (&self.stream).read(&mut buffer))? {
                0 => break,
                read => discarded += read,
            }
        }
        Ok(())
    }
}

/// It does not repeat the name: in another letter case, redaction would miss a secret in it.
fn answer(denial: Denial) -> (&'static str, &'static str) {
    match denial {
        Denial::NotListed => (FORBIDDEN, "The request does not list this destination in network_allowlist."),
        Denial::Inward => {
            (FORBIDDEN, "This name resolves to no public address, and to no other that the request lists.")
        }
        Denial::OutOfScope => (FORBIDDEN, "This name resolves to no address that is in scope."),
        Denial::Unreachable => ("502 Bad Gateway", "This destination cannot be reached."),
    }
}
