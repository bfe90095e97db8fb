//! What policies decide, and how it is told.

use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{self, PolicyDecision};
use gatepost_documents::reason::{Code, Reason};

use super::source::Listed;

/// A decision with the policies that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may be carried out.
    Permitted {
        /// Those that permit it.
        policies: Vec<Listed>,
    },
    /// It may be once more people approved it.
    NeedsApproval {
        /// Those whose approvals would do: the fewest of those who could give one.
        missing: Vec<String>,
        /// Those that would then permit it.
        policies: Vec<Listed>,
    },
    /// It may not, whoever approves it.
    Denied {
        /// Those that forbid it; empty when none permits it.
        policies: Vec<Listed>,
        /// Those that would have permitted it, but for these.
        overruled: Vec<Listed>,
        /// Why policies could not be evaluated, each as a clause.
        errors: Vec<String>,
    },
}

impl Decision {
    /// The policies that decided.
    pub fn policies(&self) -> &[Listed] {
        match self {
            Self::Permitted { policies } | Self::NeedsApproval { policies, .. } | Self::Denied { policies, .. } => {
                policies
            }
        }
    }

    /// How many more approvals it asks for.
    pub fn missing(&self) -> usize {
        if let Self::NeedsApproval { missing, .. } = self { missing.len() } else { 0 }
    }

    /// The decision alone.
    pub fn kind(&self) -> PolicyDecision {
        match self {
            Self::Permitted { .. } => PolicyDecision::Permitted,
            Self::NeedsApproval { .. } => PolicyDecision::NeedsApproval,
            Self::Denied { .. } => PolicyDecision::Denied,
        }
    }

    /// The decision of a set for the evidence.
    pub fn evidence(&self, sha256: Digest) -> evidence::Policy {
        let policies = self.policies().iter().map(|policy| policy.id.clone()).collect();
        evidence::Policy { decision: self.kind(), policies, sha256 }
    }

    /// Why nothing may be run, unless it is permitted. Codes: `policy_denied`, `approval_missing`.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Permitted { .. } => None,
            Self::NeedsApproval { missing, policies } => {
                let count = match missing.len() {
                    1 => "one more approval".to_owned(),
                    count => format!("{count} more approvals"),
                };
                let message = format!("This needs {count}; then {} would permit it.", listed("the policy", policies));
                Some(Reason::new(Code::ApprovalMissing, message, "Have a person read and approve it."))
            }
            Self::Denied { policies, errors, .. } => {
                let message = match (errors.as_slice(), policies.as_slice()) {
                    ([first, ..], _) => format!("This is denied, because {first}."),
                    ([], []) => "This is denied, because no policy permits it.".to_owned(),
                    ([], [_]) => format!("{} forbids this.", listed("The policy", policies)),
                    ([], _) => format!("{} forbid this.", listed("The policies", policies)),
                };
                let hint = "Ask the operator; `gatepost policy explain` shows what the policies see of a request.";
                Some(Reason::new(Code::PolicyDenied, message, hint))
            }
        }
    }
}

/// `The policies a (policies/site.cedar, line 3) and b (policies/site.cedar, line 9)`
fn listed(what: &str, policies: &[Listed]) -> String {
    let names: Vec<String> = policies.iter().map(ToString::to_string).collect();
    format!("{what} {}", names.join(" and "))
}
