//! How many pages each user may get in an hour.
//!
//! A URL can carry data out, so the number of pages bounds how much. *Known weakness*: the count is in memory, and begins anew with
//! TOOL-EXEC.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gatepost_documents::reason::{Code, Reason};

const HOUR: Duration = Duration::from_hours(1);

/// The pages of the last hour, by the owner of their requests.
#[derive(Debug, Default)]
pub struct Quota {
    taken: Mutex<HashMap<u32, VecDeque<(Instant, u64)>>>,
}

impl Quota {
    /// Counts pages for a user; the refusal if they are too many. `most` 0 means no limit. Code: `limit_exceeded`.
    pub fn take(&self, uid: u32, pages: u64, most: u64, now: Instant) -> Option<Reason> {
        if most == 0 {
            return None;
        }
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let own = taken.entry(uid).or_default();
        while own.front().is_some_and(|(at, _)| now.duration_since(*at) >= HOUR) {
            own.pop_front();
        }
        let count: u64 = own.iter().map(|(_, pages)| pages).sum();
        if count + pages <= most {
            own.push_back((now, pages));
            return None;
        }
        let message = format!(
            "Requests of this user asked for {count} pages in the last hour, and this one asks for {pages}; the site allows {most}."
        );
        let wait = own.front().map(|(at, _)| HOUR.saturating_sub(now.duration_since(*at)).as_secs().div_ceil(60));
        let hint = match wait {
            Some(minutes) if pages <= most => {
                format!("Drop a new request in {minutes} min, or ask the operator for [fetch] pages_per_hour.")
            }
            _ => "Ask for fewer pages, or the operator for [fetch] pages_per_hour.".to_owned(),
        };
        Some(Reason::new(Code::LimitExceeded, message, hint))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_has_its_own_hour_and_what_is_refused_does_not_count() {
        let (quota, start) = (Quota::default(), Instant::now());
        let is_taken = |uid, pages, minutes| quota.take(uid, pages, 4, start + Duration::from_mins(minutes)).is_none();
        assert!(is_taken(1, 3, 0) && !is_taken(1, 2, 1) && is_taken(1, 1, 2), "up to the limit");
        assert!(!is_taken(1, 1, 59) && is_taken(2, 4, 59), "another user");
        assert!(is_taken(1, 3, 60) && !is_taken(1, 1, 61) && is_taken(1, 1, 62), "an hour later");
        assert!(!is_taken(3, 5, 0), "more than ever");
        assert!((0..9).all(|_| quota.take(1, 8, 0, start).is_none()), "no limit");
    }
}
