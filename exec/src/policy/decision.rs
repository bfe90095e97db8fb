//! The decision of the policies, and its sentences.

use std::collections::BTreeSet;

use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{self, PolicyDecision};
use gatepost_documents::reason::{Code, Reason};

use super::source::Listed;

/// The message if no policy permits a request and none forbids it.
pub const NONE_PERMITS: &str = "This is denied, because no policy permits it.";

/// A decision with the policies that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It is permitted.
    Permitted {
        /// The policies that permit it.
        policies: Vec<Listed>,
    },
    /// It needs more approvals.
    NeedsApproval {
        /// A smallest sufficient set of possible approvers.
        missing: Vec<String>,
        /// The policies that would then permit it.
        policies: Vec<Listed>,
    },
    /// It is denied; no approval changes that.
    Denied {
        /// The policies that forbid it; empty if none permits it.
        policies: Vec<Listed>,
        /// The policies that would permit it without these.
        overruled: Vec<Listed>,
        /// Why policies could not be evaluated, each as a clause.
        errors: Vec<String>,
    },
}

impl Decision {
    /// The decision on a whole from those on its parts: denied if one part is, permitted if all are.
    pub fn of_all(parts: impl IntoIterator<Item = Self>) -> Self {
        parts.into_iter().reduce(Self::and).unwrap_or(Self::Denied {
            policies: Vec::new(),
            overruled: Vec::new(),
            errors: Vec::new(),
        })
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (
                Self::Denied { policies, overruled, errors },
                Self::Denied { policies: more, overruled: more_overruled, errors: more_errors },
            ) => Self::Denied {
                policies: union(policies, more),
                overruled: union(overruled, more_overruled),
                errors: union(errors, more_errors),
            },
            (denied @ Self::Denied { .. }, _) | (_, denied @ Self::Denied { .. }) => denied,
            (Self::NeedsApproval { missing, policies }, Self::NeedsApproval { missing: people, policies: more }) => {
                Self::NeedsApproval { missing: union(missing, people), policies: union(policies, more) }
            }
            (waits @ Self::NeedsApproval { .. }, _) | (_, waits @ Self::NeedsApproval { .. }) => waits,
            (Self::Permitted { policies }, Self::Permitted { policies: more }) => {
                Self::Permitted { policies: union(policies, more) }
            }
        }
    }

    /// The policies that decided.
    pub fn policies(&self) -> &[Listed] {
        match self {
            Self::Permitted { policies } | Self::NeedsApproval { policies, .. } | Self::Denied { policies, .. } => {
                policies
            }
        }
    }

    /// The number of further approvals that it needs.
    pub fn missing(&self) -> usize {
        if let Self::NeedsApproval { missing, .. } = self { missing.len() } else { 0 }
    }

    /// The kind of the decision.
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

    /// The reason against a run, unless it is permitted. Codes: `policy_denied`, `approval_missing`.
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
                    ([], []) => NONE_PERMITS.to_owned(),
                    ([], [_]) => format!("{} forbids this.", listed("The policy", policies)),
                    ([], _) => format!("{} forbid this.", listed("The policies", policies)),
                };
                let hint = "Ask the operator; `gatepost policy explain` shows what the policies see of a request.";
                Some(Reason::new(Code::PolicyDenied, message, hint))
            }
        }
    }
}

fn union<T: Ord>(one: Vec<T>, other: Vec<T>) -> Vec<T> {
    one.into_iter().chain(other).collect::<BTreeSet<T>>().into_iter().collect()
}

/// `The policies a (policies/site.cedar, line 3) and b (policies/site.cedar, line 9)`
fn listed(what: &str, policies: &[Listed]) -> String {
    let names: Vec<String> = policies.iter().map(ToString::to_string).collect();
    format!("{what} {}", names.join(" and "))
}
