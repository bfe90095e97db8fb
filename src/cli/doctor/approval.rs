//! Who may approve: the list of keys, and whether both sides of the site mean the same by an approval.

use chrono::{DateTime, Utc};
use gatepost_documents::evidence::ApprovalMode;
use gatepost_gate::policy::Policy;
use gatepost_mailbox::site::{CONFIG_FILE, GATE_CONFIG_FILE, Site};
use gatepost_signatures::Namespace;

use super::Finding;
use crate::authorize::proofs::Signatories;
use crate::cli::counted::counted;
use crate::config::Config;

const CHECK: &str = "site.approval";

/// What keeps requests from being approved, or lets anybody approve them.
pub(super) fn examine(site: &Site, config: &Config, policy: Option<&Policy>, now: DateTime<Utc>) -> Finding {
    let signatories = match Signatories::read(site) {
        Ok(signatories) => signatories,
        Err(fault) => {
            let fix = "Correct it: `ssh-keygen` knows the format as allowed_signers; only its owner may write to it.";
            return Finding::failure(CHECK, "a list of keys cannot be used", format!("Failed to {fault}."), fix);
        }
    };
    let demanded = policy.map(|policy| policy.approval.mode);
    let people = counted(signatories.able(Namespace::Approval, now).len(), "approver");
    match (config.approval.mode, demanded) {
        (ApprovalMode::Declared, Some(ApprovalMode::Signature)) => {
            let why = format!(
                "{CONFIG_FILE} lets requests declare their approvals, and {GATE_CONFIG_FILE} does not: the gate rejects their results."
            );
            let fix = "Say the same in both; \"signature\" is the one that proves something.";
            Finding::failure(CHECK, "declared in one file, signature in the other", why, fix)
        }
        (ApprovalMode::Declared, _) => {
            let why =
                "Approvals that requests declare of themselves are believed: whoever writes to the inbox approves.";
            let fix =
                "Set [approval] mode = \"signature\" in both configurations, and list approvers in keys/approvers.";
            Finding::warning(CHECK, format!("declared; {people} listed"), why, fix)
        }
        (ApprovalMode::Signature, _) if signatories.able(Namespace::Approval, now).is_empty() => {
            let why = "What needs an approval is refused: nobody is listed who could give one.";
            let fix =
                "Add a line `NAME KEY` for each approver to keys/approvers, KEY being the content of their id_….pub.";
            Finding::warning(CHECK, "signature; nobody listed", why, fix)
        }
        (ApprovalMode::Signature, _) => Finding::ok(CHECK, format!("signature; {people} listed")),
    }
}
