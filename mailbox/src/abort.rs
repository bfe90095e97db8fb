//! A thread that panics ends the process: the next process reads its unfinished work off the folders.

/// Held by a thread while it works.
#[derive(Debug)]
pub struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}
