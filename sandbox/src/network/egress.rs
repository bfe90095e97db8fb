//! From a destination that a tool asks for to a connection: listed? ▶ looked up ▶ public? ▶ in scope? ▶ connected, to that address only.
//!
//! Every protocol of the proxy connects through this file alone. Every decision is recorded where it is made.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_documents::destination::{Destination, Host};
use gatepost_mailbox::fault::is_passing;
use rustix::event::PollFlags;
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, sockopt};

use super::Access;
use super::deadline::Deadline;
use super::record::Record;
use super::resolver::Names;
use gatepost_contract::network::TargetScope;
use gatepost_contract::network::is_public;

/// The most addresses of one name that are tried.
const ADDRESSES_MAX: usize = 4;

/// Why a tool does not get a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Denial {
    /// The request does not list the destination.
    NotListed,
    /// The name resolves to addresses that are neither public nor listed themselves.
    Inward,
    /// The call targets the name, and it resolves to addresses out of scope.
    OutOfScope,
    /// No server answers there, or the name has no address.
    Unreachable,
}

/// The egress of one run.
#[derive(Debug)]
pub(super) struct Egress {
    allowed: Vec<Destination>,
    target_scope: TargetScope,
    names: Names,
    connect: Duration,
    record: Mutex<Record>,
}

impl Egress {
    /// The egress to the granted destinations.
    pub(super) fn new(access: &Access) -> Self {
        Self {
            allowed: access.allowed.clone(),
            target_scope: access.target_scope.clone(),
            names: Names::new(Arc::clone(&access.resolver)),
            connect: access.bounds.connect,
            record: Mutex::default(),
        }
    }

    pub(super) fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A non-blocking connection to the destination.
    pub(super) fn connect(&self, destination: &Destination, deadline: Deadline<'_>) -> Result<TcpStream, Denial> {
        if !self.allowed.contains(destination) {
            self.record().refuse(destination);
            return Err(Denial::NotListed);
        }
        for address in self.addresses(destination, deadline)? {
            let address = SocketAddr::new(address, destination.port);
            match connect(address, deadline.at_most(self.connect)) {
                Ok(stream) => {
                    self.record().reach(destination, address.ip());
                    return Ok(stream);
                }
                Err(error) if is_passing(&error) => self.record().run_short(),
                Err(_) => {}
            }
        }
        Err(self.unreachable(destination, deadline))
    }

    /// The permitted addresses of a listed destination; empty if it has none.
    pub(super) fn addresses(&self, destination: &Destination, deadline: Deadline<'_>) -> Result<Vec<IpAddr>, Denial> {
        let known = self.known(&destination.host, deadline).map_err(|_| self.unreachable(destination, deadline))?;
        let permitted = known.iter().filter(|address| self.permits(**address, destination.port));
        let permitted: Vec<IpAddr> = permitted.take(ADDRESSES_MAX).copied().collect();
        if permitted.is_empty() && !known.is_empty() {
            self.record().refuse_inward(destination);
            return Err(Denial::Inward);
        }
        let in_scope: Vec<IpAddr> = permitted
            .iter()
            .filter(|address| self.target_scope.permit(&destination.host, **address))
            .copied()
            .collect();
        if in_scope.is_empty() && !permitted.is_empty() {
            self.record().refuse_out_of_scope(destination);
            return Err(Denial::OutOfScope);
        }
        Ok(in_scope)
    }

    /// The permitted addresses of a target host of the call; empty if it has none.
    pub(super) fn addresses_of_target(&self, host: &Host, deadline: Deadline<'_>) -> Vec<IpAddr> {
        let known = self.known(host, deadline).unwrap_or_default();
        let in_scope = known.iter().filter(|address| self.target_scope.permit(host, **address));
        let in_scope: Vec<IpAddr> = in_scope.take(ADDRESSES_MAX).copied().collect();
        match (known.is_empty(), in_scope.is_empty()) {
            (true, _) => self.record().fail(host),
            (false, true) => self.record().refuse_out_of_scope(host),
            (false, false) => {}
        }
        in_scope
    }

    fn known(&self, host: &Host, deadline: Deadline<'_>) -> io::Result<Vec<IpAddr>> {
        match host {
            Host::Address(address) => Ok(vec![*address]),
            Host::Name(name) => self.names.addresses(name, deadline.at_most(self.connect)),
        }
    }

    fn unreachable(&self, destination: &Destination, deadline: Deadline<'_>) -> Denial {
        // A connection cut short by the end of the run is no failure of the destination.
        if !deadline.is_over() {
            self.record().fail(destination);
        }
        Denial::Unreachable
    }

    /// An address that is not public is reached only if it is listed as an address.
    fn permits(&self, address: IpAddr, port: u16) -> bool {
        is_public(address) || self.allowed.contains(&Destination { host: Host::Address(address), port })
    }
}

fn connect(address: SocketAddr, deadline: Deadline<'_>) -> io::Result<TcpStream> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(family, SocketType::STREAM, flags, None)?;
    match rustix::net::connect(&socket, &address) {
        Ok(()) => {}
        Err(Errno::INPROGRESS) => {
            deadline.wait(&[(&socket, PollFlags::OUT)])?;
            sockopt::socket_error(&socket)??;
        }
        Err(errno) => return Err(errno.into()),
    }
    let stream = TcpStream::from(socket);
    stream.set_nodelay(true)?;
    Ok(stream)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::TcpListener;

    use super::super::resolver::Resolve;
    use super::*;
    use crate::cancel::Cancel;

    #[derive(Debug)]
    struct Table(BTreeMap<&'static str, Vec<IpAddr>>);

    impl Resolve for Table {
        fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
            self.0.get(name).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
        }
    }

    fn egress(allowed: &[String], names: &[(&'static str, &[&str])]) -> Egress {
        let allowed = allowed.iter().map(|text| Destination::parse(text).unwrap()).collect();
        let address = |text: &&str| text.parse().unwrap();
        let table = names.iter().map(|(name, texts)| (*name, texts.iter().map(address).collect())).collect();
        Egress::new(&Access { resolver: Arc::new(Table(table)), ..Access::to(allowed) })
    }

    #[test]
    fn only_what_is_listed_is_reached_and_a_name_leads_inward_only_to_a_listed_address() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let stop = Cancel::new().unwrap();
        let names: &[(&'static str, &[&str])] = &[
            ("in.org", &["127.0.0.1"]),
            ("mixed.org", &["169.254.169.254", "::1", "127.0.0.1"]),
            ("mapped.org", &["::ffff:127.0.0.1"]),
        ];
        let [address, name] = ["127.0.0.1", "in.org"].map(|host| format!("{host}:{port}"));
        let [mixed, mapped, unknown] = ["mixed.org", "mapped.org", "unknown.org"].map(|host| format!("{host}:{port}"));
        for (allowed, asked, expected) in [
            (vec![], &address, Err(Denial::NotListed)),
            (vec![&name], &address, Err(Denial::NotListed)),
            (vec![&address], &address, Ok(())),
            (vec![&address], &name, Err(Denial::NotListed)),
            (vec![&name], &name, Err(Denial::Inward)),
            (vec![&name, &address], &name, Ok(())),
            (vec![&mixed, &address], &mixed, Ok(())),
            (vec![&mapped, &address], &mapped, Err(Denial::Inward)),
            (vec![&unknown], &unknown, Err(Denial::Unreachable)),
        ] {
            let egress = egress(&allowed.into_iter().cloned().collect::<Vec<_>>(), names);
            let asked = Destination::parse(asked).unwrap();
            let outcome = egress.connect(&asked, Deadline::none(&stop)).map(drop);
            assert_eq!(outcome, expected, "{asked}");
            let record = egress.record().clone();
            assert_eq!(record.destinations().len(), usize::from(expected.is_ok()), "{asked}");
            let refused = matches!(expected, Err(Denial::NotListed | Denial::Inward));
            assert_eq!(record.refused().len(), usize::from(refused), "{asked}");
            if expected.is_ok() {
                assert_eq!(record.reached()[0].1, listener.local_addr().unwrap().ip());
            }
        }
    }

    #[test]
    fn what_the_end_of_the_run_cut_short_is_no_unreachable_destination() {
        let name = "slow.org:443".to_owned();
        let egress = egress(std::slice::from_ref(&name), &[]);
        let stop = Cancel::new().unwrap();
        stop.fire();
        let outcome = egress.connect(&Destination::parse(&name).unwrap(), Deadline::none(&stop));
        assert_eq!(outcome.unwrap_err(), Denial::Unreachable);
        assert_eq!(*egress.record(), Record::default());
    }

    #[test]
    fn a_port_where_nobody_listens_is_unreachable() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let closed = format!("127.0.0.1:{port}");
        let stop = Cancel::new().unwrap();
        let egress = egress(std::slice::from_ref(&closed), &[]);
        let outcome = egress.connect(&Destination::parse(&closed).unwrap(), Deadline::none(&stop));
        assert_eq!(outcome.unwrap_err(), Denial::Unreachable);
        assert!(egress.record().anomalies()[0].contains(&closed));
    }
}
