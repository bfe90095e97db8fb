//! The folders of a site, and the only code that flushes and renames: durable moves, locks, faults, items of the quarantine.
//!
//! A requester stages a drop, flushes it and renames it into the inbox; a name is used once:
//!
//! ```
//! use std::io::Write as _;
//!
//! use gatepost_mailbox::drop_folder;
//! use gatepost_mailbox::folder::Folder;
//!
//! let inbox = tempfile::tempdir()?;
//! std::fs::create_dir(inbox.path().join(".tmp"))?;
//! let (inbox, staging) = (Folder::open(inbox.path())?, Folder::open(&inbox.path().join(".tmp"))?);
//! let drop = |text: &[u8]| -> Result<bool, Box<dyn std::error::Error>> {
//!     let staged = staging.stage("drop", 0o755)?;
//!     staged.folder().create("TR-20260209-160501Z-stats.md", 0o644)?.write_all(text)?;
//!     Ok(drop_folder::publish(&staged, &inbox, "TR-20260209-160501Z-stats")?)
//! };
//! assert!(drop(b"first")?);
//! assert!(!drop(b"second")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
