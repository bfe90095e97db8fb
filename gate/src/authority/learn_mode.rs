//! Accepts a result of learn mode only if `gate.toml` says so: policies and scope were not enforced on its tool.

use crate::consistency;
use crate::policy::Accept;
use gatepost_documents::evidence::Evidence;
use gatepost_documents::reason::{Code, Reason};

/// Reports learn mode if the gate does not accept it. `accept` is absent for an auditor, who reads the mode in the document.
pub(super) fn not_accepted(evidence: &Evidence, accept: Option<Accept>) -> Option<Reason> {
    let is_refused = evidence.learn.is_some() && accept.is_some_and(|accept| !accept.learn_mode);
    let message = "TOOL-EXEC was in learn mode: it did not enforce policies and scope.";
    let hint = "Set [policy] mode = \"enforce\" in gatepost.toml, or, to accept such results, [accept] learn_mode = true in \
                gate.toml.";
    is_refused.then(|| Reason::new(Code::LearnMode, message, hint).in_file(consistency::FILE))
}
