//! What the watchers say while they run.

pub use gatepost_mailbox::log::{Event, LEVEL_VARIABLE, Level, Log};
