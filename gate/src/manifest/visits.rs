//! `[browser.scope]` of a manifest: the hosts that a browser may visit.

use gatepost_documents::visits::Visits;
use toml::Value;

/// Reads it from `[browser]`; without it no host is permitted.
pub(super) fn read(browser: &Value) -> Visits {
    let of = |key| browser.get("scope").and_then(|scope| scope.get(key));
    let hosts = |key| of(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let allow_external = of("allow_external").and_then(Value::as_bool).unwrap_or(false);
    Visits::new(hosts("allowed_domains"), hosts("blocked_domains"), allow_external)
}

#[cfg(test)]
mod tests {
    use gatepost_documents::destination::Host;

    use super::*;

    #[test]
    fn a_host_is_permitted_that_is_listed_and_not_blocked() {
        let scope = "[scope]\nallowed_domains = ['a.org', '*.B.org', '10.0.0.7']\nblocked_domains = ['x.b.org']\n";
        let permits = |text: &str, host: &str| {
            let host = host.parse().map_or_else(|_| Host::Name(host.to_owned()), Host::Address);
            read(&toml::from_str(text).unwrap()).permit(&host)
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
