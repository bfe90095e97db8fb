//! The configuration that TOOL-EXEC uses: its note from the start, compared with `gatepost.toml` as it is now.
//!
//! TOOL-EXEC writes a digest of its values to `var/exec/config.sha256`, so that other processes can compare. An edit of comments
//! changes no value. *Security*: TOOL-EXEC writes the file, and no decision depends on it.

use gatepost_contract::config::Config;
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::{CONFIG_FILE, Site};

use crate::context::Context;

/// Larger than a digest, and larger than any handwritten configuration.
const NOTE_BYTES_MAX: u64 = 128;
const CONFIG_BYTES_MAX: u64 = 1024 * 1024;

/// How to apply an edit.
pub const REMEDY: &str = "Send SIGHUP to `gatepost exec` or `gatepost up` (`systemctl reload gatepost-exec`).";

/// Records the configuration that TOOL-EXEC uses from now on.
pub fn note(site: &Site, config: &Config) -> Result<(), Fault> {
    durable::replace(&site.exec_config(), digest(config).as_bytes())
}

/// Whether TOOL-EXEC runs with another configuration than this one.
pub fn is_other(site: &Site, now: &Config) -> bool {
    let noted = regular_file::read(&site.exec_config(), NOTE_BYTES_MAX);
    noted.is_ok_and(|noted| noted != digest(now).as_bytes()) && Lock::holder(&site.exec_lock()).is_some()
}

/// The reasons of a refusal, with a hint if the configuration was edited since TOOL-EXEC read it.
pub fn with_edit_hint(context: &Context, mut reasons: Vec<Reason>) -> Vec<Reason> {
    let bytes = regular_file::read(&context.site.config_file(), CONFIG_BYTES_MAX).unwrap_or_default();
    let now = Config::parse(&String::from_utf8_lossy(&bytes), CONFIG_FILE);
    if now.is_ok_and(|now| now != context.config)
        && let Some(last) = reasons.last_mut()
    {
        last.hint += &format!(" TOOL-EXEC has not read {CONFIG_FILE} since it was edited. {REMEDY}");
    }
    reasons
}

fn digest(config: &Config) -> String {
    Digest::of(&serde_json::to_vec(config).unwrap_or_default()).to_string()
}
