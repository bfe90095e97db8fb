//! The policies of a site as one set, and their decisions.
//!
//! ```text
//! policies/*.cedar, manifests ──read──▶ PolicySet ──decide(question, who could approve)──▶ Decision
//! ```
//!
//! A request that no policy permits is denied, and a policy that forbids wins. A policy that cannot be evaluated denies: Cedar itself
//! would skip it, although it may forbid the request. Pure. *Standards*: Cedar 4.

use std::collections::BTreeMap;
use std::str::FromStr;

use cedar_policy::{
    AuthorizationError, Authorizer, Context, Decision as Answer, Effect, Entities, EntityId, EntityTypeName, EntityUid,
    PolicyId, PolicySet as Cedar, Request, RestrictedExpression, Schema, ValidationMode, Validator,
};
use gatepost_contract::manifest::Manifest;
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::Reason;
use miette::Diagnostic;

use super::decision::Decision;
use super::question::{APPROVALS, Question, approvals, expression};
use super::schema::{self, REQUESTER};
use super::source::{self, Listed, invalid};

/// The most people that are tried in all pairs; larger sets are tried in list order only.
const PAIRED_MAX: usize = 16;

/// Policies that parse and validate.
#[derive(Debug)]
pub struct PolicySet {
    cedar: Cedar,
    /// The permitting policies.
    permits: Cedar,
    schema: Schema,
    /// The types of the schema by their names: reading a name takes Cedar longer than a decision.
    types: BTreeMap<String, EntityTypeName>,
    listed: BTreeMap<String, Listed>,
    sha256: Digest,
}

/// A question with its facts in Cedar's terms.
struct Asked {
    principal: EntityUid,
    action: EntityUid,
    resource: EntityUid,
    /// All facts except the approvals.
    facts: Vec<(String, RestrictedExpression)>,
}

/// The set's verdict on one question with one choice of approvals.
struct Verdict {
    permits: bool,
    policies: Vec<Listed>,
    errors: Vec<String>,
}

impl PolicySet {
    /// Reads the files of a site, sorted by name (`policies/site.cedar`), and validates them with its tools and the
    /// interpreters of command lines. Returns every fault with its place; codes `policy_invalid`, and those of hostile bytes.
    pub fn read(files: &[(String, Vec<u8>)], tools: &[&Manifest], interpreters: &[&str]) -> Result<Self, Vec<Reason>> {
        let (mut reasons, mut cedar, mut permits, mut listed) =
            (Vec::new(), Cedar::new(), Cedar::new(), BTreeMap::<String, Listed>::new());
        for (file, bytes) in files {
            let policies = source::read(file, bytes).unwrap_or_else(|faults| {
                reasons.extend(faults);
                Vec::new()
            });
            for (policy, place) in policies {
                if let Some(other) = listed.get(&place.id) {
                    let message = format!("The id {} is that of another policy, {other}.", place.id);
                    reasons.push(invalid(&message, "Give each policy its own @id.").in_file(file).at(place.line, 1));
                    continue;
                }
                let permit = (policy.effect() == Effect::Permit).then(|| policy.clone());
                if let Err(error) = permit.map_or(Ok(()), |permit| permits.add(permit)).and(cedar.add(policy)) {
                    reasons.push(source::fault(&error, "This cannot be added", file, ""));
                } else {
                    listed.insert(place.id.clone(), place);
                }
            }
        }
        let schema = schema::schema(tools, interpreters).map_err(|error| vec![of_manifests(&error)])?;
        let text = |file: &str| {
            let bytes = files.iter().find(|(name, _)| name == file).map(|(_, bytes)| bytes.as_slice());
            String::from_utf8_lossy(bytes.unwrap_or_default())
        };
        let located = |id: &dyn ToString, error: &dyn Diagnostic| {
            let at = listed.get(&id.to_string())?;
            let reason = source::fault(error, "This does not validate", &at.file, &text(&at.file));
            Some(if reason.line.is_some() { reason } else { reason.at(at.line, 1) })
        };
        let result = Validator::new(schema.clone()).validate(&cedar, ValidationMode::Strict);
        reasons.extend(result.validation_errors().filter_map(|error| located(error.policy_id(), error)));
        // A policy that can never apply names a missing tool or argument, or is a mistake.
        if reasons.is_empty() {
            reasons.extend(result.validation_warnings().filter_map(|warning| located(warning.policy_id(), warning)));
        }
        reasons.sort_by(by_place);
        if reasons.is_empty() {
            let named = |name: String| Some((EntityTypeName::from_str(&name).ok()?, name));
            let types = schema::types(tools).into_iter().filter_map(named).map(|(kind, name)| (name, kind)).collect();
            Ok(Self { cedar, permits, schema, types, sha256: digest(files), listed })
        } else {
            Err(reasons)
        }
    }

    /// Every policy, in the order of files and lines.
    pub fn policies(&self) -> Vec<&Listed> {
        let mut all: Vec<&Listed> = self.listed.values().collect();
        all.sort();
        all
    }

    /// The digest of what `sha256sum policies/*.cedar` prints, the names in the order of their bytes.
    pub fn sha256(&self) -> Digest {
        self.sha256
    }

    /// Decides a question. If the present approvals do not suffice, tries further ones of `could_approve`: one, two,
    /// then more, in their order. The smallest sufficient set is the needed approval; without one, the request is denied.
    pub fn decide(&self, question: &Question<'_>, could_approve: &[String]) -> Decision {
        let Some(asked) = Asked::new(question, &self.types) else {
            return Decision::Denied { policies: Vec::new(), overruled: Vec::new(), errors: Verdict::unfit().errors };
        };
        let now = self.ask(&asked, question.approvals, &[]);
        if now.permits {
            return Decision::Permitted { policies: now.policies };
        }
        let more: Vec<&String> = could_approve.iter().filter(|name| !question.approvals.contains(name)).collect();
        let sufficient = choices(&more).find_map(|chosen| {
            let verdict = self.ask(&asked, question.approvals, &chosen);
            verdict.permits.then_some((chosen, verdict.policies))
        });
        if let Some((chosen, policies)) = sufficient {
            let missing = self.needed(&asked, question.approvals, chosen);
            return Decision::NeedsApproval { missing: missing.into_iter().cloned().collect(), policies };
        }
        let overruled = if now.policies.is_empty() {
            Vec::new()
        } else {
            self.ask_of(&self.permits, &asked, question.approvals, &[]).policies
        };
        Decision::Denied { policies: now.policies, overruled, errors: now.errors }
    }

    /// The people in `chosen` who are necessary.
    fn needed<'n>(&self, asked: &Asked, at_hand: &[String], mut chosen: Vec<&'n String>) -> Vec<&'n String> {
        let mut at = 0;
        while chosen.len() > 2 && at < chosen.len() {
            let mut fewer = chosen.clone();
            fewer.remove(at);
            if self.ask(asked, at_hand, &fewer).permits { chosen = fewer } else { at += 1 }
        }
        chosen
    }

    fn ask(&self, asked: &Asked, at_hand: &[String], more: &[&String]) -> Verdict {
        self.ask_of(&self.cedar, asked, at_hand, more)
    }

    fn ask_of(&self, policies: &Cedar, asked: &Asked, at_hand: &[String], more: &[&String]) -> Verdict {
        let names: Vec<String> = at_hand.iter().chain(more.iter().copied()).cloned().collect();
        let approvals = expression(&approvals(&names)).map(|approvals| (APPROVALS.to_owned(), approvals));
        let Asked { principal, action, resource, facts } = asked;
        let context = Context::from_pairs(facts.iter().cloned().chain(approvals)).ok();
        let request = context.and_then(|context| {
            let [principal, action, resource] = [principal, action, resource].map(Clone::clone);
            Request::new(principal, action, resource, context, Some(&self.schema)).ok()
        });
        let Some(request) = request else { return Verdict::unfit() };
        let response = Authorizer::new().is_authorized(&request, policies, &Entities::empty());
        let diagnostics = response.diagnostics();
        let known = |id: &PolicyId| self.listed.get(id.to_string().as_str());
        // Cedar's error text may contain the value of a sensitive argument.
        let failed = diagnostics.errors().map(|AuthorizationError::PolicyEvaluationError(error)| error.policy_id());
        let errors = failed.filter_map(known).map(|policy| format!("the policy {policy} could not be evaluated"));
        let errors: Vec<String> = errors.collect();
        let mut policies: Vec<Listed> = diagnostics.reason().filter_map(known).cloned().collect();
        policies.sort();
        if !errors.is_empty() {
            policies.retain(|policy| policy.effect == "forbid");
        }
        Verdict { permits: response.decision() == Answer::Allow && errors.is_empty(), policies, errors }
    }
}

impl Verdict {
    /// The verdict on a question that does not fit the set: the manifest changed meanwhile.
    fn unfit() -> Self {
        let error = "what is asked for does not fit the schema of the policies".to_owned();
        Self { permits: false, policies: Vec::new(), errors: vec![error] }
    }
}

impl Asked {
    fn new(question: &Question<'_>, types: &BTreeMap<String, EntityTypeName>) -> Option<Self> {
        let uid =
            |kind: &str, id: &str| Some(EntityUid::from_type_name_and_id(types.get(kind)?.clone(), EntityId::new(id)));
        let names = question.subject.names();
        Some(Self {
            principal: uid(REQUESTER, question.requester)?,
            action: uid(&names.action_type(), names.action)?,
            resource: uid(&names.resource_type(), question.subject.tool())?,
            facts: question.facts()?,
        })
    }
}

/// One, two, then more approvals, in their order.
fn choices<'n>(more: &[&'n String]) -> impl Iterator<Item = Vec<&'n String>> {
    let paired = &more[..more.len().min(PAIRED_MAX)];
    let ones = more.iter().map(|one| vec![*one]);
    let pairs = paired.iter().enumerate().flat_map(|(at, one)| paired[at + 1..].iter().map(|other| vec![*one, *other]));
    let rest = (3..=more.len()).map(|count| more[..count].to_vec());
    ones.chain(pairs.collect::<Vec<_>>()).chain(rest).collect::<Vec<_>>().into_iter()
}

fn digest(files: &[(String, Vec<u8>)]) -> Digest {
    let lines: Vec<String> = files.iter().map(|(file, bytes)| format!("{}  {file}\n", Digest::of(bytes))).collect();
    Digest::of(lines.concat().as_bytes())
}

fn of_manifests(error: &cedar_policy::SchemaError) -> Reason {
    let message =
        format!("The names in [tool.cedar] of the manifests make no valid schema: {error}.").replace('\n', " ");
    invalid(&message, "Correct [tool.cedar] in the manifest; `gatepost tools check` shows what is wrong with it.")
}

fn by_place(one: &Reason, other: &Reason) -> std::cmp::Ordering {
    let place = |reason: &Reason| (reason.file.clone(), reason.line, reason.column);
    place(one).cmp(&place(other))
}

#[cfg(test)]
mod tests;
