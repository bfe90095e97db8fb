//! The time of the next measurement: not before an interval is over, and at most a tenth of the time, unless that would leave a gap
//! that is too long.

use std::time::{Duration, Instant};

/// A measurement that took this long is followed by this many times as long without one.
const REST: u32 = 9;
/// And never longer: who makes a measurement dear shall not gain time by it.
const REST_MAX: Duration = Duration::from_millis(200);

/// The pace of one measurement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    interval: Duration,
    next: Instant,
}

impl Pace {
    /// Measures for the first time after one interval: what ends before that pays nothing.
    pub(super) fn new(interval: Duration, started: Instant) -> Self {
        Self { interval, next: started + interval }
    }

    /// When it is time to measure.
    pub(super) fn next(&self) -> Instant {
        self.next
    }

    /// Measures if it is time.
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
        // By its own clock: what passes before it begins is no part of it.
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
