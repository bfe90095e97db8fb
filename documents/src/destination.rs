//! A network destination, `example.org:443` or `[2001:db8::1]:80`, in the one spelling that evidence has.
//!
//! Does not resolve names and does not know which destinations are allowed. Security: a stranger's text.
//! Standards: RFC 1123, §2.1 (host names); RFC 5952 (IPv6 addresses).

use std::fmt;
use std::net::Ipv6Addr;

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Destination {
    host: Host,
    port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Host {
    /// A name, or an IPv4 address, in lower case.
    Name(String),
    Address(Ipv6Addr),
}

impl Destination {
    /// Reads `host:port`, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        let (host, port_text) = text.rsplit_once(':')?;
        let port: u16 = port_text.parse().ok()?;
        let host = match host.strip_prefix('[') {
            Some(bracketed) => Host::Address(bracketed.strip_suffix(']')?.parse().ok()?),
            None => Host::Name(Some(host).filter(|host| is_name(host))?.to_ascii_lowercase()),
        };
        (port != 0 && port.to_string() == port_text).then_some(Self { host, port })
    }

    /// Whether a text is a destination, spelled as evidence spells it.
    pub fn is_one(text: &str) -> bool {
        Self::parse(text).is_some_and(|destination| destination.to_string() == text)
    }
}

fn is_name(host: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.len() <= 253 && host.split('.').all(is_label)
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => write!(f, "{name}:{}", self.port),
            Host::Address(address) => write!(f, "[{address}]:{}", self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_has_one_spelling() {
        for text in ["example.org:443", "192.0.2.1:22", "[2001:db8::1]:80", "localhost:1", "a-b.c:65535"] {
            assert!(Destination::is_one(text), "{text}");
        }
        for (other, text) in [
            ("Example.ORG:443", "example.org:443"),
            ("[2001:DB8::1]:80", "[2001:db8::1]:80"),
            ("[2001:db8:0:0::1]:80", "[2001:db8::1]:80"),
        ] {
            assert_eq!(Destination::parse(other), Destination::parse(text));
            assert!(!Destination::is_one(other), "{other}");
        }
    }

    #[test]
    fn what_names_no_host_and_port_is_no_destination() {
        for text in [
            "",
            ":",
            "example.org",
            ":443",
            "a:0",
            "a:65536",
            "a:+1",
            "a:01",
            "-a:1",
            "a-:1",
            "a..b:1",
            "a.:1",
            "a b:1",
            "*:443",
            "http://a:1",
            "2001:db8::1:80",
            "[a]:1",
            "[::1:1",
            "a/b:1",
            "é:1",
            "a:1 ",
            "user@a:1",
        ] {
            assert_eq!(Destination::parse(text), None, "{text}");
        }
        assert_eq!(Destination::parse(&format!("{}:1", "a".repeat(64))), None);
        assert_eq!(Destination::parse(&format!("{}a:1", "a.".repeat(127))), None);
    }
}
