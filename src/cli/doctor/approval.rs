//! The approvers: the list of keys, and whether both configuration files demand the same approvals.

use chrono::{DateTime, Utc};
use gatepost_contract::config::Config;
use gatepost_documents::evidence::{ApprovalMode, Signatures};
use gatepost_exec::authorize::proofs::Signatories;
use gatepost_gate::policy::Policy;
use gatepost_mailbox::site::{CONFIG_FILE, GATE_CONFIG_FILE};
use gatepost_signatures::Namespace;

use super::Finding;
use crate::cli::prelude::*;

const CHECK: &str = "site.approval";

/// Faults that prevent approvals, or let anybody approve.
pub(super) fn examine(site: &Site, config: &Config, policy: Option<&Policy>, now: DateTime<Utc>) -> Finding {
    let signatories = match Signatories::read(site) {
        Ok(signatories) => signatories,
        Err(fault) => {
            let fix = "Correct it: the format is allowed_signers of `ssh-keygen`, and only its owner may write to it.";
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
            let fix = "Set the same mode in both; only \"signature\" proves an approval.";
            Finding::failure(CHECK, "declared in one file, signature in the other", why, fix)
        }
        (ApprovalMode::Declared, _) => {
            let why =
                "TOOL-EXEC trusts approvals that requests declare: anyone who can write to the inbox can approve.";
            let fix =
                "Set [approval] mode = \"signature\" in both configurations, and list approvers in keys/approvers.";
            Finding::warning(CHECK, format!("declared; {people} listed"), why, fix)
        }
        (ApprovalMode::Signature, _) if signatories.able(Namespace::Approval, now).is_empty() => {
            let why = "TOOL-EXEC refuses requests that need an approval: keys/approvers lists no valid approver.";
            let fix =
                "Add a line `NAME KEY` for each approver to keys/approvers, KEY being the content of their id_….pub.";
            Finding::warning(CHECK, "signature; nobody listed", why, fix)
        }
        (ApprovalMode::Signature, _) => Finding::ok(CHECK, format!("signature; {people} listed")),
    }
}

/// Other differences between the two files on approvals. The stricter file wins: TOOL-EXEC's by a refusal, the gate's
/// by rejecting the result after the run.
pub(super) fn differences(config: &Config, policy: &Policy) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut differ = |check, found: String, key, is_gate_stricter| {
        let fix = format!("Set {key} to the same in both files.");
        findings.push(if is_gate_stricter {
            let why = format!(
                "{GATE_CONFIG_FILE} demands more than {CONFIG_FILE}: TOOL-EXEC runs requests whose results the gate rejects."
            );
            Finding::failure(check, found, why, fix)
        } else {
            let why = format!(
                "{CONFIG_FILE} demands more than {GATE_CONFIG_FILE}: the gate does not check that TOOL-EXEC obeys."
            );
            Finding::warning(check, found, why, fix)
        });
    };
    let (ours, gates) = (config.inbox.signatures, policy.inbox.signatures);
    if ours != gates {
        let [own, demanded] = [ours, gates].map(Signatures::as_str);
        let found = format!("{own:?} in {CONFIG_FILE}, {demanded:?} in {GATE_CONFIG_FILE}");
        differ("site.signatures", found, "[inbox] signatures", gates == Signatures::Required);
    }
    let (ours, gates) = (config.approval.max_age_hours, policy.approval.max_age_hours);
    if ours != gates {
        let found = format!("{ours} hours in {CONFIG_FILE}, {gates} in {GATE_CONFIG_FILE}");
        differ("site.approval_age", found, "[approval] max_age_hours", gates < ours);
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::Status;

    #[test]
    fn what_the_two_files_demand_of_people_differently_is_said() {
        let diff = |config: &Config, policy: &Policy| {
            differences(config, policy).into_iter().map(|finding| (finding.check, finding.status)).collect::<Vec<_>>()
        };
        let (mut config, mut policy) = (Config::default(), Policy::default());
        assert_eq!(diff(&config, &policy), []);
        policy.inbox.signatures = Signatures::Required;
        config.approval.max_age_hours = policy.approval.max_age_hours - 1;
        let [signatures, age] = ["site.signatures", "site.approval_age"].map(str::to_owned);
        assert_eq!(diff(&config, &policy), [(signatures.clone(), Status::Failure), (age.clone(), Status::Warning)]);
        config.inbox.signatures = Signatures::Required;
        policy.inbox.signatures = Signatures::Accepted;
        config.approval.max_age_hours = policy.approval.max_age_hours + 1;
        assert_eq!(diff(&config, &policy), [(signatures, Status::Warning), (age, Status::Failure)]);
    }
}
