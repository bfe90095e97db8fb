//! The runs of this process, and the switches that stop them.
//!
//! A run ends early if it is cancelled, or if TOOL-EXEC ends at once. [`crate::coordinator`] decides about both.

use std::collections::HashMap;
use std::io;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gatepost_documents::id::RequestId;
use gatepost_sandbox::cancel::Cancel;

/// The runs in progress.
#[derive(Debug)]
pub struct Runs {
    all: Cancel,
    each: Mutex<Each>,
}

#[derive(Debug, Default)]
struct Each {
    switches: HashMap<RequestId, Arc<Cancel>>,
    is_stopped: bool,
}

/// The switch of one run. The run is over once this is dropped.
#[derive(Debug)]
pub struct Run<'a> {
    runs: &'a Runs,
    id: RequestId,
    cancel: Arc<Cancel>,
}

impl Runs {
    /// No runs.
    pub fn new() -> io::Result<Self> {
        Ok(Self { all: Cancel::new()?, each: Mutex::default() })
    }

    /// The switch of programs that belong to no run. Only [`Runs::stop_all`] fires it.
    pub const fn all(&self) -> &Cancel {
        &self.all
    }

    /// Begins the run of a request. Its switch is fired already if all runs were stopped.
    pub fn begin(&self, id: &RequestId) -> io::Result<Run<'_>> {
        let cancel = Arc::new(Cancel::new()?);
        let mut each = self.each();
        if each.is_stopped {
            cancel.fire();
        }
        each.switches.insert(id.clone(), Arc::clone(&cancel));
        drop(each);
        Ok(Run { runs: self, id: id.clone(), cancel })
    }

    /// Stops the run of a request; false if it has none.
    pub fn stop(&self, id: &RequestId) -> bool {
        self.each().switches.get(id).map(|cancel| cancel.fire()).is_some()
    }

    /// Stops every run, now and later.
    pub fn stop_all(&self) {
        self.all.fire();
        let mut each = self.each();
        each.is_stopped = true;
        each.switches.values().for_each(|cancel| cancel.fire());
    }

    fn each(&self) -> MutexGuard<'_, Each> {
        self.each.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for Run<'_> {
    type Target = Cancel;

    fn deref(&self) -> &Cancel {
        &self.cancel
    }
}

impl Drop for Run<'_> {
    fn drop(&mut self) {
        self.runs.each().switches.remove(&self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_stopped_alone_or_with_all_and_none_begins_after_that() {
        let runs = Runs::new().unwrap();
        let [a, b, c] = ["a", "b", "c"].map(|end| RequestId::parse(&format!("TR-20260101-000000Z-{end}")).unwrap());
        let (first, second) = (runs.begin(&a).unwrap(), runs.begin(&b).unwrap());
        assert!(runs.stop(&a) && !runs.stop(&c));
        assert!(first.is_fired() && !second.is_fired() && !runs.all().is_fired());
        drop(first);
        let again = runs.begin(&a).unwrap();
        assert!(!again.is_fired(), "a run that is over has no switch");
        runs.stop_all();
        assert!(again.is_fired() && second.is_fired() && runs.all().is_fired());
        assert!(runs.begin(&c).unwrap().is_fired());
    }
}
