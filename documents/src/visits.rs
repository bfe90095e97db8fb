//! The hosts that a browser may visit: `[browser.scope]` of a manifest.
//!
//! *Standards*: ToolClad, "Browser-Specific Scope Enforcement".

use crate::destination::Host;

/// Lists of hosts; `*.` matches one label or more. Without any, no host is permitted.
#[derive(Debug, Clone, Default)]
pub struct Visits {
    allowed: Vec<String>,
    blocked: Vec<String>,
    allow_external: bool,
}

impl Visits {
    /// To the hosts of `allowed`, or with `allow_external` to any, and in no case to those of `blocked`.
    pub fn new<'a>(
        allowed: impl IntoIterator<Item = &'a str>,
        blocked: impl IntoIterator<Item = &'a str>,
        allow_external: bool,
    ) -> Self {
        let allowed = allowed.into_iter().map(str::to_ascii_lowercase).collect();
        Self { allowed, blocked: blocked.into_iter().map(str::to_ascii_lowercase).collect(), allow_external }
    }

    /// Whether a host is listed, or need not be; a blocked host is never permitted.
    pub fn permit(&self, host: &Host) -> bool {
        let host = match host {
            Host::Name(name) => name.clone(),
            Host::Address(address) => address.to_string(),
        };
        let is_in = |listed: &[String]| listed.iter().any(|pattern| covers(pattern, &host));
        !is_in(&self.blocked) && (self.allow_external || is_in(&self.allowed))
    }
}

fn covers(pattern: &str, host: &str) -> bool {
    let Some(parent) = pattern.strip_prefix("*.") else { return pattern == host };
    host.strip_suffix(parent).is_some_and(|labels| labels.len() > 1 && labels.ends_with('.'))
}
