//! A network destination: a host and a port. Every reader parses it by this module.
//!
//! ```text
//! api.example.org:443      192.0.2.7:80      [2001:db8::1]:8080
//! ```
//!
//! The only parser of destinations: allowed, reached and reported. Resolves nothing. Names are ASCII, lower case, without a final dot.
//!
//! Security: reads the choices of tools and requesters. A text that some programs take for an IPv4 address and others for a name
//! is rejected. *Standards*: RFC 1123 §2.1 (host names), RFC 3986 §3.2.2 (brackets), RFC 5952 (IPv6 as text).

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

/// A host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// A name by RFC 1123, lower case, without a final dot.
    Name(String),
    /// An address.
    Address(IpAddr),
}

impl Host {
    /// Reads a host name, with or without a final dot, or an address, an IPv6 address without brackets.
    pub fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse() {
            return Some(Self::Address(address));
        }
        let name = text.strip_suffix('.').unwrap_or(text).to_ascii_lowercase();
        is_name(&name).then_some(Self::Name(name))
    }

    /// The same where brackets mark an IPv6 address, as next to a port.
    fn parse_bracketed(text: &str) -> Option<Self> {
        match text.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']')?.parse().ok().map(|address: Ipv6Addr| Self::Address(address.into())),
            None => Self::parse(text).filter(|_| !text.contains(':')),
        }
    }
}

impl From<IpAddr> for Host {
    fn from(address: IpAddr) -> Self {
        Self::Address(address)
    }
}

/// The form of the last label decides whether a program may take the whole for a number.
fn is_name(name: &str) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.starts_with("0x") || last.bytes().all(|byte| byte.is_ascii_digit());
    name.len() <= 253 && name.split('.').all(label) && !is_number
}

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Destination {
    /// The host.
    pub host: Host,
    /// The port, 1 to 65535.
    pub port: u16,
}

impl Destination {
    /// Reads `host:port`, an IPv6 address in brackets; without a final dot, as lists are written.
    pub fn parse(text: &str) -> Option<Self> {
        Self::parse_asked(text).filter(|_| !text.contains(".:"))
    }

    /// The same as programs ask for it, perhaps with a final dot.
    pub fn parse_asked(text: &str) -> Option<Self> {
        let (host, port_text) = text.rsplit_once(':')?;
        let port: u16 = port_text.parse().ok()?;
        let host = Host::parse_bracketed(host)?;
        (port != 0 && port.to_string() == port_text).then_some(Self { host, port })
    }

    /// The same, or `host` alone for the port that its scheme implies.
    pub fn parse_with_default(text: &str, port: u16) -> Option<Self> {
        Host::parse_bracketed(text).map(|host| Self { host, port }).or_else(|| Self::parse_asked(text))
    }

    /// The destination of an http or https URL with an explicit host: no user, no placeholder, nothing ambiguous.
    pub fn of_url(url: &str) -> Option<Self> {
        let after = |(scheme, port)| url.strip_prefix(scheme).map(|rest| (rest, port));
        let (rest, port) = [("https://", 443), ("http://", 80)].into_iter().find_map(after)?;
        let authority = rest.split(['/', '?', '#']).next()?;
        Self::parse_with_default(authority, port)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(address) => address.fmt(f),
        }
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Address(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
            host => write!(f, "{host}:{}", self.port),
        }
    }
}

/// Whom a tool reached or was refused: `host:port`, or `host` alone, an IPv6 address then without brackets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Peer {
    /// One port of a host.
    Port(Destination),
    /// A host, with any port, or with ICMP, which has none.
    Host(Host),
}

impl Peer {
    /// Reads either.
    pub fn parse(text: &str) -> Option<Self> {
        Destination::parse(text).map(Self::Port).or_else(|| Host::parse(text).map(Self::Host))
    }

    /// Whether a text is one, spelled as evidence spells it.
    pub fn is_one(text: &str) -> bool {
        Self::parse(text).is_some_and(|peer| peer.to_string() == text)
    }
}

impl From<&Destination> for Peer {
    fn from(destination: &Destination) -> Self {
        Self::Port(destination.clone())
    }
}

impl From<&Host> for Peer {
    fn from(host: &Host) -> Self {
        Self::Host(host.clone())
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Port(destination) => destination.fmt(f),
            Self::Host(host) => host.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_leads_to_its_host() {
        for (url, expected) in [
            ("https://API.Example.com/x?y", Some("api.example.com:443")),
            ("http://a.org", Some("a.org:80")),
            ("https://a.org?x:1/", Some("a.org:443")),
            ("https://127.0.0.1:8443/", Some("127.0.0.1:8443")),
            ("http://[::1]:8080/", Some("[::1]:8080")),
            ("https://user@a.org/", None),
            ("https://{host}/", None),
            ("https://a.org\\b/", None),
            ("https://127.1/", None),
            ("https:///x", None),
            ("HTTPS://a.org/", None),
            ("ftp://a.org/", None),
        ] {
            assert_eq!(Destination::of_url(url).map(|found| found.to_string()).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn a_destination_has_one_form() {
        for (text, form) in [
            ("api.example.org:443", "api.example.org:443"),
            ("API.Example.ORG:443", "api.example.org:443"),
            ("xn--bcher-kva.example:443", "xn--bcher-kva.example:443"),
            ("10.0.0.1:80", "10.0.0.1:80"),
            ("[::1]:8080", "[::1]:8080"),
            ("[0:0:0::1]:8080", "[::1]:8080"),
            ("[::ffff:127.0.0.1]:1", "[::ffff:127.0.0.1]:1"),
            ("localhost:65535", "localhost:65535"),
        ] {
            let destination = Destination::parse(text).unwrap();
            assert_eq!(destination.to_string(), form, "{text}");
            assert_eq!(Destination::parse(form), Some(destination));
            assert!(Peer::is_one(form) && Peer::is_one(text) == (text == form), "{text}");
        }
        let asked = "API.Example.org.:443";
        assert_eq!(Destination::parse_asked(asked).unwrap().to_string(), "api.example.org:443");
        assert_eq!(Destination::parse(asked), None, "a list has one spelling");
    }

    #[test]
    fn a_peer_is_a_destination_or_a_host_and_never_both() {
        for text in ["a.org", "192.0.2.7", "::1", "2001:db8::80"] {
            assert_eq!(Peer::parse(text).unwrap(), Peer::Host(Host::parse(text).unwrap()));
            assert!(Peer::is_one(text), "{text}");
        }
        for text in ["A.org", "a.org.", "[::1]", "0:0::1", "192.0.2.0/24", "127.1", ""] {
            assert!(!Peer::is_one(text), "{text}");
        }
    }

    #[test]
    fn a_text_that_readers_could_take_for_different_hosts_is_none() {
        for host in [
            "127.1",
            "0x7f.1",
            "0x7f000001",
            "2130706433",
            "017700000001",
            "010.0.0.1",
            "999.1.1.1",
            "1.2.3.4.",
            "a.1",
            "a.0x",
            "*",
            "*.example.org",
            "a b",
            "a\nb",
            "a\0",
            "-a",
            "a-",
            "a..b",
            ".a",
            "",
            ".",
            "a_b",
            "a@b",
            "a/b",
            "b\u{fc}cher.example",
            "[::1",
            "[x]",
            "[127.0.0.1]",
            "[fe80::1%eth0]",
            "::1",
        ] {
            assert_eq!(Destination::parse(&format!("{host}:80")), None, "{host:?}");
        }
        for text in ["host", "host:", "host:0", "host:65536", "host:080", "host:+1", ":80"] {
            assert_eq!(Destination::parse(text), None, "{text}");
        }
        assert!(Host::parse(&format!("{}.org", "a".repeat(63))).is_some());
        assert!(Host::parse(&format!("{}.org", "a".repeat(64))).is_none());
        assert!(Host::parse(&["a"; 128].join(".")).is_none());
    }

    #[test]
    fn a_port_may_be_left_to_the_scheme() {
        for (text, form) in
            [("a.org", "a.org:80"), ("a.org:81", "a.org:81"), ("[::1]", "[::1]:80"), ("10.0.0.1", "10.0.0.1:80")]
        {
            assert_eq!(Destination::parse_with_default(text, 80).unwrap().to_string(), form);
        }
        assert_eq!(Destination::parse_with_default("a.org:", 80), None);
        assert_eq!(Destination::parse_with_default("::1", 80), None);
    }
}
