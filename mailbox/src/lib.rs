//! The folders of a site, and the only code that flushes and renames: durable moves, locks, faults, items of the quarantine.

#![forbid(unsafe_code)]

pub mod abort;
pub mod attestation_key;
pub mod decision;
pub mod drop_folder;
pub mod durable;
pub mod exchange;
pub mod fault;
pub mod faults;
pub mod fleet;
pub mod folder;
mod group_commit;
pub mod keys;
pub mod life;
pub mod lock;
pub mod log;
pub mod order;
pub mod outbox;
pub mod owners;
pub mod quarantine;
pub mod record;
pub mod regular_file;
pub mod signature_name;
pub mod signer;
pub mod site;
pub mod stops;
pub mod tile_log;
pub mod user;
pub mod wake;
