//! Learn mode: the refusals that were not enforced agree with the policy decision and with the arguments.

use gatepost_documents::evidence::{Evidence, INTERACTIONS_MAX, Learn, NOT_ENFORCED_MAX, NotEnforced, PolicyDecision};
use gatepost_documents::reason::Code;

use super::is_refusal;

pub(super) fn faults(evidence: &Evidence) -> Vec<&'static str> {
    let Some(Learn { not_enforced }) = &evidence.learn else { return Vec::new() };
    let (of_policies, of_scope): (Vec<_>, Vec<_>) = not_enforced.iter().partition(|one| one.code != Code::OutOfScope);
    let codes: Vec<Code> = of_policies.iter().map(|one| one.code).collect();
    let expected: &[Code] = match evidence.policy.as_ref().map(|policy| policy.decision) {
        Some(PolicyDecision::Denied) => &[Code::PolicyDenied],
        Some(PolicyDecision::NeedsApproval) => &[Code::ApprovalMissing],
        Some(PolicyDecision::Permitted) | None => &[],
    };
    let is_first = not_enforced.iter().skip(codes.len()).all(|one| one.code == Code::OutOfScope);
    let rules = [
        (
            codes == expected && is_first,
            "The refusals that were not enforced differ from the decision of the policies.",
        ),
        (
            of_policies.iter().all(|one| one.argument.is_none() && one.interaction.is_none())
                && of_scope.iter().all(|one| has_argument(evidence, one)),
            "A refusal that was not enforced names an argument that the evidence does not have.",
        ),
        (not_enforced.len() <= NOT_ENFORCED_MAX, "The evidence has more than 1000 refusals that were not enforced."),
    ];
    rules.into_iter().filter(|(holds, _)| !holds).map(|(_, fault)| fault).collect()
}

/// Whether the out-of-scope argument is in the evidence. A refusal may leave arguments out, and so may an interaction
/// that did not begin.
fn has_argument(evidence: &Evidence, NotEnforced { argument, interaction, .. }: &NotEnforced) -> bool {
    let Some(name) = argument else { return false };
    match interaction {
        None => is_refusal(evidence) || evidence.arguments.contains_key(name),
        Some(number) => {
            let begun = evidence.own_interactions().nth((*number as usize).saturating_sub(1));
            (1..=INTERACTIONS_MAX).contains(&(*number as usize))
                && begun.is_none_or(|one| one.arguments.contains_key(name))
        }
    }
}
