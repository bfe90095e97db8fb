//! The addresses of names: each name is resolved once a run, and keeps its addresses.
//!
//! If a name points elsewhere a moment later (DNS rebinding), that has no effect. A name that did not resolve is not resolved again, so
//! a tool cannot make gatepost send queries. Only listed names come here.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use rustix::event::PollFlags;

use super::RETRY_DELAY;
use super::deadline::Deadline;
use crate::cancel::Cancel;

/// Resolves names.
pub trait Resolve: fmt::Debug + Send + Sync {
    /// The addresses of a host name, best first. May block without limit.
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver, with its hosts file and its servers.
#[derive(Debug, Clone, Copy)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let mut addresses: Vec<IpAddr> = (name, 0).to_socket_addrs()?.map(|address| address.ip()).collect();
        addresses.dedup();
        Ok(addresses)
    }
}

/// One lookup, possibly in progress.
#[derive(Debug)]
struct Lookup {
    found: OnceLock<Vec<IpAddr>>,
    answered: Cancel,
}

/// The resolved names of one run.
#[derive(Debug)]
pub(super) struct Names {
    resolver: Arc<dyn Resolve>,
    lookups: Mutex<BTreeMap<String, Arc<Lookup>>>,
}

impl Names {
    pub(super) fn new(resolver: Arc<dyn Resolve>) -> Self {
        Self { resolver, lookups: Mutex::default() }
    }

    /// The addresses of a name; none if it has none, or if the lookup exceeds the deadline.
    pub(super) fn addresses(&self, name: &str, deadline: Deadline<'_>) -> io::Result<Vec<IpAddr>> {
        let lookup = loop {
            match self.lookup(name) {
                // The machine is out of threads.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock && deadline.is_ahead() => {
                    let _ = deadline.at_most(RETRY_DELAY).wait(&[]);
                }
                lookup => break lookup?,
            }
        };
        deadline.wait(&[(&lookup.answered, PollFlags::IN)])?;
        Ok(lookup.found.get().cloned().unwrap_or_default())
    }

    fn lookup(&self, name: &str) -> io::Result<Arc<Lookup>> {
        let mut lookups = self.lookups.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lookup) = lookups.get(name) {
            return Ok(Arc::clone(lookup));
        }
        let lookup = Arc::new(Lookup { found: OnceLock::new(), answered: Cancel::new()? });
        let (resolver, theirs, asked) = (Arc::clone(&self.resolver), Arc::clone(&lookup), name.to_owned());
        // The system's resolver cannot be interrupted: the waiting thread gives up, and this thread ends later.
        thread::Builder::new().name("resolver".to_owned()).spawn(move || {
            let _ = theirs.found.set(resolver.resolve(&asked).unwrap_or_default());
            theirs.answered.fire();
        })?;
        lookups.insert(name.to_owned(), Arc::clone(&lookup));
        Ok(lookup)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use super::*;

    /// Answers with the addresses that it receives, and blocks until then.
    #[derive(Debug)]
    struct Scripted(Mutex<Receiver<io::Result<Vec<IpAddr>>>>);

    impl Resolve for Scripted {
        fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            self.0.lock().unwrap().recv().unwrap()
        }
    }

    fn scripted() -> (Sender<io::Result<Vec<IpAddr>>>, Names) {
        let (sender, receiver) = channel();
        (sender, Names::new(Arc::new(Scripted(Mutex::new(receiver)))))
    }

    #[test]
    fn a_name_keeps_the_addresses_that_it_had_at_first() {
        let (answers, names) = scripted();
        let stop = Cancel::new().unwrap();
        let [first, second] = ["192.0.2.1", "127.0.0.1"].map(|text| text.parse::<IpAddr>().unwrap());
        answers.send(Ok(vec![first])).unwrap();
        answers.send(Ok(vec![second])).unwrap();
        for _ in 0..3 {
            assert_eq!(names.addresses("a.org", Deadline::none(&stop)).unwrap(), [first]);
        }
        assert_eq!(names.addresses("b.org", Deadline::none(&stop)).unwrap(), [second]);
    }

    #[test]
    fn a_name_without_an_answer_is_asked_for_once_and_waited_for_no_longer_than_allowed() {
        let (answers, names) = scripted();
        let stop = Cancel::new().unwrap();
        let short = Deadline::none(&stop).at_most(Duration::from_millis(1));
        assert_eq!(names.addresses("a.org", short).unwrap_err().kind(), io::ErrorKind::TimedOut);
        answers.send(Err(io::ErrorKind::NotFound.into())).unwrap();
        for _ in 0..3 {
            assert!(names.addresses("a.org", Deadline::none(&stop)).unwrap().is_empty());
        }
    }

    #[test]
    fn the_systems_resolver_knows_this_machine() {
        let addresses = SystemResolver.resolve("localhost").unwrap();
        assert!(addresses.iter().all(IpAddr::is_loopback) && !addresses.is_empty(), "{addresses:?}");
    }
}
