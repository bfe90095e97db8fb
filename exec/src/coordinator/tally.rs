//! Counts the results of a watcher, and makes its outcome from them.

use super::Mode;

/// What was done.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub struct Tally {
    /// Requests that were answered, refusals among them.
    pub answered: u64,
    /// Requests among them that were refused.
    pub refused: u64,
    /// Drops of requests that were known already.
    pub known: u64,
    /// Drops that were no request.
    pub quarantined: u64,
    /// Faults of the world.
    pub faults: u64,
    /// The signal that ended it, if one did.
    pub signal: Option<i32>,
    /// Whether another signal stopped what was running.
    pub is_cut_short: bool,
}

/// What the end of a watcher comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It did what was asked of it.
    Done,
    /// So many faults kept items where they are.
    Faults(u64),
    /// A signal ended it before it was done.
    CutShort(i32),
}

impl Tally {
    /// The end of a watcher in this mode. One that serves until a signal ends as it was asked to, unless another signal stopped
    /// what was running.
    pub fn end(&self, mode: Mode) -> End {
        match self.signal {
            Some(signal) if self.is_cut_short || mode == Mode::Once => End::CutShort(signal),
            None if self.faults > 0 => End::Faults(self.faults),
            _ => End::Done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_cuts_short_what_was_to_be_done_once_and_ends_in_order_what_serves_until_then() {
        let tally = |faults, signal, is_cut_short| Tally { faults, signal, is_cut_short, ..Tally::default() };
        for (tally, mode, expected) in [
            (tally(0, None, false), Mode::Once, End::Done),
            (tally(2, None, false), Mode::Once, End::Faults(2)),
            (tally(2, None, false), Mode::Forever, End::Faults(2)),
            (tally(2, Some(15), false), Mode::Once, End::CutShort(15)),
            (tally(2, Some(15), false), Mode::Forever, End::Done),
            (tally(0, Some(2), true), Mode::Forever, End::CutShort(2)),
        ] {
            assert_eq!(tally.end(mode), expected, "{tally:?} {mode:?}");
        }
    }
}
