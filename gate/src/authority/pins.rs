//! A tool that the operator pinned must have run as it was pinned, and where the gate requires it every tool is pinned.
//!
//! Which files ran is TOOL-EXEC's word, and this makes sure that it gave its word; the manifest is there to be hashed.

use super::Claim;
use crate::consistency;
use crate::facts::SiteFacts;
use gatepost_documents::pins::Demand;
use gatepost_documents::reason::{Code, Reason};

/// What does not fit the pin of the tool, or its absence. The evidence's manifest is that of the bundle: that was checked.
pub(super) fn changed(claim: Claim<'_>, site: &SiteFacts) -> Option<Reason> {
    let evidence = &claim.confirmed.evidence;
    let manifest = evidence.manifest_sha256.filter(|_| !consistency::is_refusal(evidence))?;
    let tool = &evidence.tool;
    let (code, message) = match site.pins.tool.get(tool) {
        None if site.policy.policy.tools.pins == Demand::Accepted => return None,
        None => (Code::ToolUnpinned, format!("The tool {tool} is not pinned, and the gate requires it.")),
        Some(pin) if pin.manifest_sha256 != manifest => {
            (Code::ToolChanged, format!("The tool {tool} ran with another manifest than the pinned one."))
        }
        Some(pin) if pin.programs != evidence.programs => {
            (Code::ToolChanged, format!("The tool {tool} ran with other programs or scripts than the pinned ones."))
        }
        Some(_) => return None,
    };
    let hint =
        "Look at the change, and run `gatepost tools pin` if it is right; results of runs before that stay refused.";
    Some(Reason::new(code, message, hint).in_file(consistency::FILE))
}
