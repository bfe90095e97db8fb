//! The names that a call targets, and the addresses to which they may lead.
//!
//! A name in scope may lead to a public address, and to any other only if that address is in scope itself. An excluded address stays
//! excluded under every name. Targets that are addresses were checked against the scope before.

use std::collections::BTreeSet;
use std::net::IpAddr;

use super::Host;
use super::address::is_public;
use crate::scope::{Narrowing, Scope, Target};

/// Names in scope, and the scope. The default restricts nothing.
#[derive(Debug, Clone, Default)]
pub struct TargetScope {
    /// Host names, as destinations spell them.
    pub names: BTreeSet<String>,
    /// The site's scope.
    pub scope: Scope,
    /// The part of it that the manifest allows.
    pub narrowing: Narrowing,
}

impl TargetScope {
    /// Whether a host may be reached at this address.
    pub fn permit(&self, host: &Host, address: IpAddr) -> bool {
        let Host::Name(name) = host else { return true };
        if !self.names.contains(name) {
            return true;
        }
        let target = Target::Address(address);
        let is_excluded = self.scope.excludes(&target) || self.narrowing.excludes(&target);
        let is_target = self.scope.permits(&target) && self.narrowing.permits(&target);
        !is_excluded && (is_public(address) || is_target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_scope_leads_inward_only_to_what_is_in_scope_and_never_to_what_is_excluded() {
        let scope = "[scope]\ntargets=['10.0.0.0/8']\ndomains=['a.org']\nexclude=['10.0.0.1', '8.8.8.8']";
        let target_scope = TargetScope {
            names: ["a.org".to_owned()].into(),
            scope: Scope::parse(scope, "scope.toml").unwrap(),
            narrowing: Narrowing::default(),
        };
        for (address, expected) in [
            ("9.9.9.9", true),
            ("8.8.8.8", false),
            ("10.0.0.2", true),
            ("10.0.0.1", false),
            ("::ffff:10.0.0.1", false),
            ("192.168.0.1", false),
            ("169.254.169.254", false),
        ] {
            let address = address.parse().unwrap();
            assert_eq!(target_scope.permit(&Host::Name("a.org".into()), address), expected, "{address}");
            assert!(target_scope.permit(&Host::Name("b.org".into()), address), "nobody targets it");
            assert!(TargetScope::default().permit(&Host::Name("a.org".into()), address));
        }
    }
}
