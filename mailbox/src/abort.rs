//! A thread that panics ends the process: what it had begun is read off the folders by the next one.

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
