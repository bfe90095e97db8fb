//! A pinned tool must have run as pinned; if the gate requires it, every tool must be pinned.
//!
//! TOOL-EXEC alone says which files ran; this stage checks that it stated them. The gate can hash the manifest itself.

use super::Claim;
use crate::consistency;
use crate::facts::SiteFacts;
use gatepost_documents::pins::Demand;
use gatepost_documents::reason::{Code, Reason};

/// A mismatch with the tool's pin, or a missing pin. The manifest in the evidence is the bundle's: an earlier check showed that.
pub(super) fn changed(claim: Claim<'_>, site: &SiteFacts) -> Option<Reason> {
    let evidence = &claim.confirmed.evidence;
    let manifest = evidence.manifest_sha256.filter(|_| !consistency::is_refusal(evidence))?;
    let tool = &evidence.tool;
    let (code, message) = match site.pins.tool.get(tool) {
        None if site.policy.policy.tools.pins == Demand::Accepted => return None,
        None => (Code::ToolUnpinned, format!("The tool {tool} is not pinned, but the gate requires a pin.")),
        Some(pin) if pin.manifest_sha256 != manifest => {
            (Code::ToolChanged, format!("The manifest of the tool {tool} differs from the pinned one."))
        }
        Some(pin) if pin.programs != evidence.programs => {
            (Code::ToolChanged, format!("The programs or scripts of the tool {tool} differ from the pinned ones."))
        }
        Some(_) => return None,
    };
    let hint =
        "Review the change. If it is right, run `gatepost tools pin`; the gate still rejects results of earlier runs.";
    Some(Reason::new(code, message, hint).in_file(consistency::FILE))
}
