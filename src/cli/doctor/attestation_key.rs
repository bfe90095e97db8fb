//! Access to the gate's attestation key: who can read it, or use the agent that holds it.

use gatepost_gate::policy::Attestation;
use gatepost_mailbox::attestation_key;
use gatepost_mailbox::site::Site;

use super::{Finding, log_key};

const CHECK: &str = "site.attestation_key";

/// Whether only the gate's own user can, according to the files.
pub(super) fn examine(site: &Site, policy: &Attestation) -> Finding {
    let why = "Anyone who can use this key can attest results that the gate never accepted. Only the gate's log reveals that.";
    let signing = match policy.agent.as_str() {
        "" => attestation_key::read(&site.root().join(&policy.key)).ok().map(|key| key.public().fingerprint()),
        agent => Some(agent.to_owned()),
    };
    // After the key: a gate writes it on its first start, and a missing file misleads nobody.
    let is_published = site.gate_attestation_public_key().symlink_metadata().is_ok();
    let public = attestation_key::public(site).map(|key| key.fingerprint());
    // Not everybody may read the key.
    if let Some(signing) = signing.filter(|signing| is_published && public.as_ref().ok() != Some(signing)) {
        let found = format!("var/gate/attestation.pub is not the key {signing}, which attests");
        let why = "Anyone who took that file as the key of this gate trusts a wrong key.";
        let fix = "Restart the gate, which rewrites the file. Find out who could write to var/gate.";
        return Finding::failure(CHECK, found, why, fix);
    }
    if !policy.agent.is_empty() {
        let found = format!("{} in an ssh-agent: anyone who may use its socket can attest", policy.agent);
        return Finding::ok(CHECK, found);
    }
    let path = site.root().join(&policy.key);
    if path.symlink_metadata().is_err() && public.is_ok() {
        let fix = "Restore it from a backup, or move var/gate/attestation.pub aside so that the gate makes a new key.";
        return Finding::failure(CHECK, "gone", "Without it the gate does not start.", fix);
    }
    let fix = "Make it readable by its owner alone. If anyone else read it, have the gate sign with a new key, and tell your auditors.";
    log_key::of_gate(site, CHECK, &path, why, fix)
}
