//! Learn mode: the calls that the site's policies and scope would have refused, but did not.

use serde::{Deserialize, Serialize};

use crate::reason::Code;

/// The most refusals that one evidence names.
pub const NOT_ENFORCED_MAX: usize = 1_000;

/// Learn mode was on. In mode `enforce` the evidence has no such member.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Learn {
    /// Every refusal that mode `enforce` would have made: the policies' first, then those of the scope in the order of the arguments.
    pub not_enforced: Vec<NotEnforced>,
}

/// A refusal of the policies or the scope that was recorded and not enforced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NotEnforced {
    /// `policy_denied`, `approval_missing` (a policy demands an approval) or `out_of_scope`.
    pub code: Code,
    /// The argument that is out of scope; with that code and only there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The number of the request's interaction that has the argument, from 1; absent for the call itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interaction: Option<u32>,
    /// A whole sentence; of the request's own words only those that can do no harm.
    pub message: String,
}
