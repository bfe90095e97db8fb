//! One flush for all that wait for it: of a folder into which several items were moved, or of a record that got several lines.
//!
//! ```text
//! A: rename ▶ flush ···················· ends ▶ A goes on
//!       B: rename ▶ waits: it began too early ▶ flush ··············· ends ▶ B and C go on
//!              C: rename ▶ waits ···············└ serves it too
//! ```
//!
//! Each caller is served by a flush that began after its call, and so after its own writes; no flush is skipped. If a flush fails, it
//! fails for every caller that it served and for every caller that waits when it ends: it may have covered their writes.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::io::Errno;

/// Device and inode.
pub(crate) type Identity = (u64, u64);

/// The fsyncs that callers wait for at present.
static UNDER_WAY: Mutex<BTreeMap<Identity, Arc<Group>>> = Mutex::new(BTreeMap::new());

/// Syncs the file or folder with this identity, by `flush` or by another caller's that began later.
pub(crate) fn flush(identity: Identity, flush: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let group = Arc::clone(lock(&UNDER_WAY).entry(identity).or_default());
    let outcome = group.commit(&[], 1, |_| flush().map(|()| 0)).map(drop);
    let mut under_way = lock(&UNDER_WAY);
    drop(group);
    if under_way.get(&identity).is_some_and(|left| Arc::strong_count(left) == 1) {
        under_way.remove(&identity);
    }
    outcome
}

/// Those that wait for flushes of one folder or record.
#[derive(Debug, Default)]
pub(crate) struct Group {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug, Default)]
struct State {
    is_running: bool,
    /// The next fsync, and what must be written before it.
    next: Arc<Outcome>,
    bytes: Vec<u8>,
    callers: u64,
}

/// The result of one fsync, for all that share it: a number for the first of them.
type Outcome = OnceLock<Result<u64, Errno>>;

impl Group {
    /// Waits for an fsync that begins after this call, and runs it if nobody else does. The caller that runs it gets
    /// the items of all callers, in their order. `flush` returns a number for the first item; each caller gets the
    /// number of its own first item, counted from there.
    pub(crate) fn commit(
        &self,
        bytes: &[u8],
        count: u64,
        flush: impl FnOnce(&[u8]) -> io::Result<u64>,
    ) -> io::Result<u64> {
        let mut state = lock(&self.state);
        state.bytes.extend_from_slice(bytes);
        let before = state.callers;
        state.callers += count;
        let own = Arc::clone(&state.next);
        while state.is_running && own.get().is_none() {
            state = self.ended.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if own.get().is_none() {
            let bytes = begin(&mut state);
            drop(state);
            let outcome = flush(&bytes).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO));
            state = lock(&self.state);
            state.is_running = false;
            let _ = own.set(outcome);
            if outcome.is_err() {
                // Their writes may have been among the lost ones, and the next fsync would not report that.
                let _ = state.next.set(outcome);
                begin_none(&mut state);
            }
            self.ended.notify_all();
        }
        Ok((*own.wait())? + before)
    }
}

/// The flush after this one serves every caller from now on.
fn begin(state: &mut State) -> Vec<u8> {
    state.is_running = true;
    begin_none(state)
}

fn begin_none(state: &mut State) -> Vec<u8> {
    state.next = Arc::default();
    state.callers = 0;
    std::mem::take(&mut state.bytes)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    /// Runs one fsync until `followers` wait for the next, whose number is 7; returns the result of the first, those of
    /// the others, and how many fsyncs they took with which items.
    fn shared(followers: usize, first: io::Result<u64>) -> (io::Result<u64>, Vec<io::Result<u64>>, usize, Vec<u8>) {
        let (group, flushes, given) = (Group::default(), AtomicUsize::new(0), Mutex::new(Vec::new()));
        let (begun, has_begun) = mpsc::channel();
        thread::scope(|scope| {
            let leader = scope.spawn(|| {
                group.commit(b"0", 1, |_| {
                    begun.send(()).unwrap();
                    // The next result is held by the group and by each waiting caller.
                    while Arc::strong_count(&lock(&group.state).next) <= followers {
                        thread::yield_now();
                    }
                    first
                })
            });
            has_begun.recv().unwrap();
            let follow = || {
                group.commit(b"1", 1, |bytes| {
                    flushes.fetch_add(1, Ordering::Relaxed);
                    lock(&given).extend_from_slice(bytes);
                    Ok(7)
                })
            };
            let waiting: Vec<_> = (0..followers).map(|_| scope.spawn(follow)).collect();
            let first = leader.join().unwrap();
            let others = waiting.into_iter().map(|follower| follower.join().unwrap()).collect();
            (first, others, flushes.load(Ordering::Relaxed), lock(&given).clone())
        })
    }

    #[test]
    fn those_that_come_while_a_flush_runs_share_the_next_one() {
        let (first, others, flushes, given) = shared(5, Ok(3));
        let mut numbers: Vec<u64> = others.into_iter().map(Result::unwrap).collect();
        numbers.sort_unstable();
        assert_eq!((first.unwrap(), numbers), (3, (7..12).collect()));
        assert_eq!((flushes, given.as_slice()), (1, &b"11111"[..]));
    }

    #[test]
    fn a_flush_that_fails_has_failed_for_those_that_it_served_and_those_that_wait() {
        let (first, others, flushes, _) = shared(3, Err(Errno::NOSPC.into()));
        assert_eq!(first.unwrap_err().raw_os_error(), Some(Errno::NOSPC.raw_os_error()));
        assert!(others.iter().all(Result::is_err));
        assert_eq!(flushes, 0);
    }

    #[test]
    fn callers_after_a_flush_get_one_of_their_own() {
        let mut flushes = 0;
        for outcome in [Err(Errno::IO.into()), Ok(()), Ok(())] {
            let is_lost = Result::<(), io::Error>::is_err(&outcome);
            let result = flush((1, 1), || {
                flushes += 1;
                outcome
            });
            assert_eq!(result.is_err(), is_lost);
        }
        assert_eq!(flushes, 3);
        assert!(!lock(&UNDER_WAY).contains_key(&(1, 1)), "nobody waits");
    }
}
