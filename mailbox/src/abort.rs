//! A thread that panics ends the process: the next process reads its unfinished work off the folders.

/// Aborts the process if the thread that owns it panics.
#[derive(Debug)]
pub struct AbortOnPanic;

impl Drop for AbortOnPanic {
    fn drop(&mut self) {
        if std::thread::panicking() {
            std::process::abort();
        }
    }
}
