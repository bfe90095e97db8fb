//! If judging fails, the bundle is rejected.
//!
//! The gate attributes every failure during a judgement to the bundle: a panic, the death of the process, an exceeded deadline.
//! Each is an ordinary reason, so the whole bundle goes to quarantine and the gate judges the next one. *Security*: a panic
//! message may contain a stranger's bytes; the gate never shows it.

use std::io::Write as _;
use std::panic::{self, AssertUnwindSafe};

use gatepost_documents::reason::{Code, Reason};

const HINT: &str =
    "Keep the bundle for the maintainers of the gate: it reveals a bug. Run the tool again under a new request id.";

/// Returns the result of `work`. If it panics, returns the reason to reject its bundle.
pub(crate) fn survived<T>(work: impl FnOnce() -> T) -> Result<T, Reason> {
    // After a panic only the verdict uses the state that `work` was changing, and it rejects whatever that state is.
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        Reason::new(
            Code::JudgeFailed,
            "The gate panicked while it judged this bundle: this is a bug in the gate.",
            HINT,
        )
    })
}

/// The gate died each time it judged the bundle.
pub(crate) fn died(times: u32) -> Reason {
    let message = format!("The gate died {times} times while it read or judged this bundle, and rejects it unread.");
    Reason::new(Code::JudgeFailed, message, HINT)
}

/// The gate exceeded the bundle's deadline.
pub(crate) fn exceeded() -> Reason {
    let message = "The gate exceeded its time limit while it read and judged this bundle, and stopped itself.";
    Reason::new(Code::JudgeFailed, message, "Have the tool write less, or find out what slows the gate's disk.")
}

/// From now on a panic of this process reports only where it was raised.
pub fn hide_words_of_panics() {
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!(" at {}:{}", place.file(), place.line())).unwrap_or_default();
        let _ = writeln!(std::io::stderr(), "gatepost: bug in the program: panic{place}");
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_reason_without_its_words() {
        let reason = survived(|| assert_eq!("a stranger's words", "")).unwrap_err();
        assert_eq!(reason.code, Code::JudgeFailed);
        assert!(!format!("{reason:?}").contains("stranger"), "{reason:?}");
        assert_eq!(survived(|| 1).unwrap(), 1);
    }
}
