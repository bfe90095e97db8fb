//! The targets of a call, and the decision of the site's scope on them.

use gatepost_contract::manifest::{Arguments, Manifest};
use gatepost_contract::request::Request;
use gatepost_contract::scope::Scope;
use gatepost_documents::destination::Host;
use gatepost_documents::evidence::{NOT_ENFORCED_MAX, NotEnforced};
use gatepost_documents::text::without_quotations;
use gatepost_sandbox::network::{Destination, TargetScope};

use super::{Interaction, Part};

/// The scope for addresses of the names that a call and its interactions target.
pub(super) fn target_scope(
    (manifest, arguments): (&Manifest, &Arguments),
    interactions: &[Interaction],
    (request, part): (&Request, &Part),
    scope: &Scope,
) -> TargetScope {
    let mut target_scope = manifest.target_scope(arguments, scope);
    for one in interactions {
        target_scope.names.extend(one.manifest(manifest).target_scope(&one.arguments, scope).names);
    }
    // The targets of a kept-open session are unknown yet: use all reachable destinations.
    if *part == Part::Opens && manifest.commands().values().any(Manifest::can_target) {
        let name = |destination: &Destination| match &destination.host {
            Host::Name(name) => Some(name.clone()),
            Host::Address(_) => None,
        };
        target_scope.names.extend(request.network.destinations().iter().filter_map(name));
    }
    target_scope
}

/// The arguments of a call and its interactions out of the site's scope; none if binding them enforced the scope.
pub(super) fn out_of_scope(
    (manifest, arguments): (&Manifest, &Arguments),
    interactions: &[Interaction],
    scope: &Scope,
) -> Vec<NotEnforced> {
    let calls = interactions.iter().map(|one| (one.manifest(manifest), &one.arguments));
    let numbered = (0..).zip(std::iter::once((manifest, arguments)).chain(calls));
    let refusals = numbered.flat_map(|(number, (own, arguments))| {
        let interaction = (number > 0).then_some(number);
        own.out_of_scope(arguments, scope).into_iter().map(move |(name, reason)| NotEnforced {
            code: reason.code,
            argument: Some(name.to_owned()),
            interaction,
            message: without_quotations(&reason.message),
        })
    });
    // The policies may add one more.
    refusals.take(NOT_ENFORCED_MAX - 1).collect()
}
