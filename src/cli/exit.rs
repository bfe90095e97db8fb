//! Exit statuses, as both programs have them.

pub use gatepost_documents::exit::*;
