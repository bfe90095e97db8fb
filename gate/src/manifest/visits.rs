//! `[browser.scope]` of a manifest: the hosts that a browser may visit.

use gatepost_documents::destination::Host;
use toml::Value;

/// Lists of hosts; `*.` stands for one label or more.
#[derive(Debug)]
pub(crate) struct Visits {
    allowed: Vec<String>,
    blocked: Vec<String>,
    allow_external: bool,
}

impl Visits {
    /// Reads it out of `[browser]`; without it no host is permitted.
    pub(super) fn read(browser: &Value) -> Self {
        let of = |key| browser.get("scope").and_then(|scope| scope.get(key));
        let hosts = |key| {
            let listed = of(key).and_then(Value::as_array).into_iter().flatten();
            listed.filter_map(Value::as_str).map(str::to_ascii_lowercase).collect()
        };
        Self {
            allowed: hosts("allowed_domains"),
            blocked: hosts("blocked_domains"),
            allow_external: of("allow_external").and_then(Value::as_bool).unwrap_or(false),
        }
    }

    /// Whether a host is listed, or need not be; what is blocked is not permitted in any case.
    pub(crate) fn permit(&self, host: &Host) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_permitted_that_is_listed_and_not_blocked() {
        let scope = "[scope]\nallowed_domains = ['a.org', '*.B.org', '10.0.0.7']\nblocked_domains = ['x.b.org']\n";
        let permits = |text: &str, host: &str| {
            let host = host.parse().map_or_else(|_| Host::Name(host.to_owned()), Host::Address);
            Visits::read(&toml::from_str(text).unwrap()).permit(&host)
        };
        for (host, listed, external) in [
            ("a.org", true, true),
            ("www.a.org", false, true),
            ("c.b.org", true, true),
            ("d.c.b.org", true, true),
            ("b.org", false, true),
            (".b.org", false, true),
            ("evilb.org", false, true),
            ("x.b.org", false, false),
            ("10.0.0.7", true, true),
            ("10.0.0.8", false, true),
        ] {
            assert_eq!(permits(scope, host), listed, "{host}");
            assert_eq!(permits(&format!("{scope}allow_external = true"), host), external, "{host}");
        }
        assert!(!permits("", "a.org"));
    }
}
