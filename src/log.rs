//! What the watchers say while they run.

pub use gatepost_mailbox::log::{Event, Log};
