//! The refusals in the evidence: calls that no policy permits, and refusals that are only reported.

use std::collections::{BTreeMap, BTreeSet};

use gatepost_documents::escape::ascii_json;
use gatepost_documents::evidence::{Backend, Evidence, FailureCode, NetworkUse, Policy, PolicyDecision};
use gatepost_documents::id::RequestId;
use gatepost_exec::policy::NONE_PERMITS;
use gatepost_exec::policy::draft::{Observed, listed};
use serde_json::{Map, Value};

use crate::cli::prelude::*;

/// Why a refusal is not drafted away.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Why {
    /// A policy forbids it.
    Forbidden,
    /// A policy could not be evaluated.
    NotEvaluated,
    /// A policy permits it after more approvals.
    NeedsApproval,
    /// An argument is not in the site's scope.
    OutOfScope,
}

/// A refusal that is not drafted away.
#[derive(Serialize, JsonSchema)]
pub(super) struct Reported {
    why: Why,
    tool: String,
    /// The policies that decided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    policies: Vec<String>,
    /// The argument that is out of scope.
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<String>,
    /// Its value, if the evidence has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    requests: Vec<String>,
}

impl Reported {
    /// One line for people.
    pub(super) fn line(&self) -> String {
        let tool = ascii_json(&self.tool);
        let policies = self.policies.iter().map(ascii_json).collect::<Vec<_>>().join(", ");
        let what = match self.why {
            Why::Forbidden => format!("{tool} is forbidden by {policies}"),
            Why::NotEvaluated => format!("{tool} is denied, because policies could not be evaluated"),
            Why::NeedsApproval => format!("{tool} needs more approvals by {policies}"),
            Why::OutOfScope => {
                let argument = self.argument.as_deref().unwrap_or_default();
                let value = self.value.as_ref().map(|value| format!(" = {}", ascii_json(value))).unwrap_or_default();
                format!("{tool}: {}{value} is not in scope/scope.toml", ascii_json(&argument))
            }
        };
        format!("{what}: {}", listed(self.requests.iter().map(String::as_str)))
    }
}

type Key = (Why, String, Vec<String>, Option<String>, Option<String>);

/// The findings in a site's evidence.
pub(super) struct Findings {
    /// Calls that no policy permits.
    pub unpermitted: Vec<Observed>,
    /// Every call of a manifest.
    pub calls: Vec<Observed>,
    /// The other refusals.
    pub reported: Vec<Reported>,
}

impl Findings {
    pub(super) fn of(evidence: &[Evidence]) -> Self {
        let (mut unpermitted, mut calls) = (Vec::new(), Vec::new());
        let mut reported: BTreeMap<Key, BTreeSet<RequestId>> = BTreeMap::new();
        for one in evidence {
            let own = observed(one, None, &one.arguments);
            if one.backend == Backend::Clad && one.manifest_sha256.is_some() {
                calls.push(own.clone());
            }
            let why = one.policy.as_ref().and_then(|policy| why(one, policy));
            if let (Some(why), Some(policy)) = (why, &one.policy) {
                let key = (why, one.tool.clone(), policy.policies.clone(), None, None);
                reported.entry(key).or_default().insert(one.request_id.clone());
            } else if one.policy.as_ref().is_some_and(|policy| policy.decision == PolicyDecision::Denied) {
                unpermitted.push(own);
                unpermitted.extend(interactions(one));
            }
            for (argument, value) in out_of_scope(one) {
                let key = (Why::OutOfScope, one.tool.clone(), Vec::new(), Some(argument), value);
                reported.entry(key).or_default().insert(one.request_id.clone());
            }
        }
        let report = |((why, tool, policies, argument, value), requests): (Key, BTreeSet<RequestId>)| Reported {
            why,
            tool,
            policies,
            argument,
            value,
            requests: requests.iter().map(ToString::to_string).collect(),
        };
        Self { unpermitted, calls, reported: reported.into_iter().map(report).collect() }
    }
}

/// Why a refusal by the policies is not drafted away; none if no policy permits the call, or if they permit it.
fn why(evidence: &Evidence, policy: &Policy) -> Option<Why> {
    let reasons = evidence.error.iter().flat_map(|error| &error.reasons).map(|reason| (reason.code, &reason.message));
    let learned = evidence.learn.iter().flat_map(|learn| &learn.not_enforced).map(|one| (one.code, &one.message));
    let is_unpermitted = |(code, message): (Code, &String)| code == Code::PolicyDenied && message == NONE_PERMITS;
    match policy.decision {
        PolicyDecision::Permitted => None,
        PolicyDecision::NeedsApproval => Some(Why::NeedsApproval),
        PolicyDecision::Denied if !policy.policies.is_empty() => Some(Why::Forbidden),
        PolicyDecision::Denied => (!reasons.chain(learned).any(is_unpermitted)).then_some(Why::NotEvaluated),
    }
}

fn observed(evidence: &Evidence, command: Option<&str>, arguments: &Map<String, Value>) -> Observed {
    let text = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    let has_run = evidence.error.as_ref().is_none_or(|error| error.code != FailureCode::RequestRefused);
    Observed {
        request_id: evidence.request_id.clone(),
        requester: evidence.requested_by.clone(),
        requester_proved: evidence.requester_proof.is_some(),
        tool: evidence.tool.clone(),
        command: command.map(str::to_owned),
        arguments: arguments.iter().filter_map(text).collect(),
        approvals: evidence.approvals.len(),
        is_offline: has_run && evidence.network.used == NetworkUse::None,
    }
}

/// The request's own interactions that no policy permits.
fn interactions(evidence: &Evidence) -> impl Iterator<Item = Observed> {
    let is_unpermitted = |policy: &Policy| policy.decision == PolicyDecision::Denied && policy.policies.is_empty();
    let own = evidence.own_interactions().filter(move |one| is_unpermitted(&one.policy));
    own.map(|one| observed(evidence, Some(&one.command), &one.arguments))
}

/// The arguments that the scope refuses, with their values.
fn out_of_scope(evidence: &Evidence) -> impl Iterator<Item = (String, Option<String>)> {
    let refusals = evidence.learn.iter().flat_map(|learn| &learn.not_enforced);
    refusals.filter(|one| one.code == Code::OutOfScope).filter_map(|one| {
        let name = one.argument.clone()?;
        let arguments = match one.interaction {
            None => Some(&evidence.arguments),
            Some(number) => {
                evidence.own_interactions().nth((number as usize).saturating_sub(1)).map(|one| &one.arguments)
            }
        };
        let value = arguments.and_then(|arguments| Some(arguments.get(&name)?.as_str()?.to_owned()));
        Some((name, value))
    })
}
