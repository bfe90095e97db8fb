//! The host of a URL, if every reader finds the same one.
//!
//! A URL library is lenient: it reads `http:\\2130706433` as `http://127.0.0.1/`. The tool gets the text and not the library's reading,
//! so a text that the library had to repair is refused.
//!
//! Standards: RFC 3986; WHATWG URL.

use crate::scope::{Target, bracketed};

/// The host of a URL, if every reader agrees on it.
pub(super) fn url_host(text: &str, schemes: &[String]) -> Result<Target, String> {
    if !text.is_ascii() || text.contains([' ', '\\']) {
        return Err("is not a URL in plain ASCII without spaces and backslashes".into());
    }
    let parsed = url::Url::parse(text).map_err(|error| format!("is not a URL: {error}"))?;
    if !schemes.iter().any(|scheme| scheme == parsed.scheme()) {
        return Err(format!("has a scheme other than: {}", schemes.join(", ")));
    }
    let rest = text.split_once("://").map_or("", |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') || !parsed.username().is_empty() || parsed.password().is_some() {
        return Err("carries a user name or password".into());
    }
    let host = match authority.rfind(']') {
        Some(end) => authority.split_at(end + 1).0,
        None => authority.split(':').next().unwrap_or_default(),
    };
    let target = match bracketed(host) {
        Some(address) => Target::Address(address.into()),
        None => Target::parse_host(host).map_err(|fault| format!("names a host that {fault}"))?,
    };
    let same = match (&target, parsed.host()) {
        (Target::Address(address), Some(url::Host::Ipv4(other))) => *address == other,
        (Target::Address(address), Some(url::Host::Ipv6(other))) => *address == other,
        (Target::Address(address), Some(url::Host::Domain(other))) => other.parse() == Ok(*address),
        (Target::Host(host), Some(url::Host::Domain(other))) => host.eq_ignore_ascii_case(other),
        _ => false,
    };
    same.then_some(target).ok_or_else(|| "names a host that programs read differently".into())
}
