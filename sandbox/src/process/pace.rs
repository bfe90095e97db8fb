//! The time of the next measurement: at least one interval later, and at most a tenth of the time, unless that would leave a gap
//! that is too long.

use std::time::{Duration, Instant};

/// The pause after a measurement, as a multiple of its duration.
const REST: u32 = 9;
/// The longest pause: a tool must not gain time by making a measurement expensive.
const REST_MAX: Duration = Duration::from_millis(200);

/// The pace of one measurement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    interval: Duration,
    next: Instant,
}

impl Pace {
    /// The first measurement is after one interval, so shorter runs cost nothing.
    pub(super) fn new(interval: Duration, started: Instant) -> Self {
        Self { interval, next: started + interval }
    }

    /// When the next measurement is due.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Measures if it is due.
    pub(super) fn measure<T>(&mut self, measure: impl FnOnce() -> Option<T>) -> Option<T> {
        let began = Instant::now();
        if began < self.next {
            return None;
        }
        let measured = measure();
        let ended = Instant::now();
        self.next = ended + self.interval.max((ended - began) * REST).min(REST_MAX.max(self.interval));
        measured
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_measured_early_and_what_takes_long_is_measured_seldom() {
        let interval = Duration::from_millis(1);
        let hour = Duration::from_hours(1);
        assert_eq!(Pace::new(hour, Instant::now()).measure(|| Some(1)), None);
        let mut pace = Pace::new(interval, Instant::now());
        while Instant::now() < pace.next() {}
        let took = Instant::now();
        // The duration starts here: earlier delays are not part of it.
        let work = || {
            let began = Instant::now();
            while began.elapsed() < Duration::from_millis(20) {}
            Some(1)
        };
        assert_eq!(pace.measure(work), Some(1));
        assert!(pace.next() - took >= Duration::from_millis(200));
        assert_eq!(pace.measure(|| Some(1)), None);
    }

    #[test]
    fn what_takes_very_long_is_not_left_unseen_for_as_much_longer() {
        let mut pace = Pace::new(Duration::ZERO, Instant::now());
        pace.measure(|| {
            std::thread::sleep(Duration::from_millis(100));
            Some(1)
        });
        assert!(pace.next() <= Instant::now() + Duration::from_millis(200));
    }
}
