//! Limits the concurrent calls of a principal. It has no durable state.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::principal::Name;

/// The running calls, by principal.
#[derive(Debug)]
pub(super) struct InFlight {
    most: usize,
    counts: Mutex<HashMap<Name, usize>>,
}

/// The slot of one call; freed on drop.
#[derive(Debug)]
pub(super) struct Place {
    of: Arc<InFlight>,
    name: Name,
}

impl InFlight {
    /// At most this many for each principal.
    pub(super) fn of(most: u32) -> Self {
        Self { most: usize::try_from(most).unwrap_or(usize::MAX), counts: Mutex::default() }
    }

    /// The most for each principal.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// Takes a slot; none if all are taken.
    pub(super) fn enter(self: &Arc<Self>, name: &Name) -> Option<Place> {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(name.clone()).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Place { of: Arc::clone(self), name: name.clone() })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.of.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.name) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_principal_has_so_many_places_and_gets_them_back() {
        let in_flight = Arc::new(InFlight::of(2));
        let [alice, bob] = ["alice", "bob"].map(|name| Name::parse(name).unwrap());
        let places: Vec<_> = (0..3).map(|_| in_flight.enter(&alice)).collect();
        assert!(places[1].is_some() && places[2].is_none() && in_flight.enter(&bob).is_some());
        drop(places);
        assert!(in_flight.enter(&alice).is_some());
        assert!(in_flight.counts.lock().unwrap().is_empty());
    }
}
