//! A progress bar: one line on stderr if that is a terminal, otherwise nothing.
//!
//! ```text
//! Verifying  1 234 of 10 000  [####--------------------------]
//! ```

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::{Duration, Instant};

/// Work that ends within this time shows no bar; a visible bar is redrawn at most this often.
const PACE: Duration = Duration::from_millis(250);
const WIDTH: usize = 30;
/// Returns to the start of the line and clears it.
pub(super) const CLEAR: &str = "\r\x1b[K";

/// The same items, with a line that counts them.
pub(super) fn over<I: IntoIterator<IntoIter: ExactSizeIterator>>(
    label: &'static str,
    items: I,
) -> Counted<I::IntoIter> {
    let items = items.into_iter();
    let is_shown = stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    Counted { total: items.len(), items, label, next_at: is_shown.then(|| Instant::now() + PACE), is_drawn: false }
}

/// Items that are counted as they are taken.
pub(super) struct Counted<I> {
    items: I,
    total: usize,
    label: &'static str,
    /// When to draw next; none without a terminal.
    next_at: Option<Instant>,
    is_drawn: bool,
}

impl<I: ExactSizeIterator> Iterator for Counted<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let next = self.items.next();
        if self.next_at.is_some_and(|at| Instant::now() >= at) && next.is_some() {
            let taken = self.total - self.items.len() - 1;
            let _ = write!(stderr(), "{CLEAR}{}", line(self.label, taken, self.total));
            (self.next_at, self.is_drawn) = (Some(Instant::now() + PACE), true);
        }
        next
    }
}

impl<I> Drop for Counted<I> {
    fn drop(&mut self) {
        if self.is_drawn {
            let _ = write!(stderr(), "{CLEAR}");
        }
    }
}

fn line(label: &str, done: usize, total: usize) -> String {
    let filled = (done * WIDTH).checked_div(total).unwrap_or_default();
    format!("{label}  {done} of {total}  [{}{}]", "#".repeat(filled), "-".repeat(WIDTH - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_full_as_the_work_is_done() {
        assert_eq!(line("Verifying", 0, 0), format!("Verifying  0 of 0  [{}]", "-".repeat(WIDTH)));
        assert_eq!(line("Verifying", 1, 2), format!("Verifying  1 of 2  [{}{}]", "#".repeat(15), "-".repeat(15)));
    }

    #[test]
    fn counted_items_are_all_there() {
        assert_eq!(over("Counting", [1, 2, 3]).collect::<Vec<_>>(), [1, 2, 3]);
    }
}
