//! What the site's tools may aim at: `scope/scope.toml`.
//!
//! ```toml
//! [scope]
//! targets = ["10.0.1.0/24", "2001:db8::/32", "192.0.2.7"]   # addresses and networks
//! domains = ["example.com", "*.example.com"]                # host names; `*.` stands for one label or more
//! exclude = ["10.0.1.1", "admin.example.com"]               # always wins
//! ```
//!
//! Fails closed: without a file nothing is in scope. Never resolves a name: what a host name in scope points to is the
//! business of the network limits of the sandbox.
//!
//! Security: targets are a stranger's text; a text that different readers take for different hosts is refused.
//! Standards: RFC 1123 §2.1 (host names), RFC 4291, RFC 4632 (CIDR).

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};

use gatepost_documents::reason::{Code, Reason};

use crate::toml_source::{Located, Section, Source};
use gatepost_documents::text::quoted;

/// A network: an address and the number of its leading bits that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    address: IpAddr,
    prefix_bits: u8,
}

impl Cidr {
    /// Reads `10.0.0.0/8` or `2001:db8::/32`. Host bits may be set; they do not count.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let address: IpAddr = address.parse().ok()?;
        let bits: u8 = prefix.parse().ok()?;
        let bits_max = if address.is_ipv4() { 32 } else { 128 };
        (bits <= bits_max && bits.to_string() == prefix).then_some(Self { address, prefix_bits: bits })
    }

    /// The network of one address.
    fn single(address: IpAddr) -> Self {
        Self { address, prefix_bits: if address.is_ipv4() { 32 } else { 128 } }
    }

    /// As 128 bits, in which IPv4 stands for its IPv6-mapped form, so that both spellings are one target.
    fn mapped(self) -> (u128, u32) {
        match self.address {
            IpAddr::V4(address) => (address.to_ipv6_mapped().to_bits(), 96 + u32::from(self.prefix_bits)),
            IpAddr::V6(address) => (address.to_bits(), u32::from(self.prefix_bits)),
        }
    }

    /// Whether every address of `other` is one of this network.
    pub fn contains(self, other: Self) -> bool {
        let ((network, bits), (address, address_bits)) = (self.mapped(), other.mapped());
        bits <= address_bits && (network ^ address).checked_shr(128 - bits).unwrap_or(0) == 0
    }

    /// With the bits that do not count cleared, and IPv4 in its own form.
    fn canonical(self) -> Self {
        let (bits, prefix) = self.mapped();
        let address = Ipv6Addr::from_bits(bits & u128::MAX.checked_shl(128 - prefix).unwrap_or(0));
        match u8::try_from(prefix).unwrap_or(128).checked_sub(96).zip(address.to_ipv4_mapped()) {
            Some((prefix_bits, address)) => Self { address: address.into(), prefix_bits },
            None => Self { address: address.into(), prefix_bits: u8::try_from(prefix).unwrap_or(128) },
        }
    }

    fn overlaps(self, other: Self) -> bool {
        self.contains(other) || other.contains(self)
    }
}

/// `10.0.0.0/8`: the one spelling of a network.
impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, prefix_bits } = self.canonical();
        write!(f, "{address}/{prefix_bits}")
    }
}

/// A target in the one form in which every reader understands it alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// One address.
    Address(IpAddr),
    /// A network.
    Network(Cidr),
    /// A host name, lower case.
    Host(String),
}

impl Target {
    /// Reads an address, a network or a host name; the error says what is wrong as the end of a sentence.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if let Some(network) = Cidr::parse(text) {
            return Ok(Self::Network(network));
        }
        Self::parse_host(text)
    }

    /// Reads an address or a host name.
    pub fn parse_host(text: &str) -> Result<Self, &'static str> {
        match text.parse() {
            Ok(address) => Ok(Self::Address(address)),
            Err(_) => host_name(text).map(Self::Host),
        }
    }
}

/// Checks a host name; lower case out.
fn host_name(text: &str) -> Result<String, &'static str> {
    if text.is_empty() {
        return Err("is empty");
    }
    if text.chars().any(char::is_whitespace) {
        return Err("contains whitespace");
    }
    if !text.is_ascii() {
        return Err("contains non-ASCII characters");
    }
    if text.len() > 253 {
        return Err("is longer than 253 characters");
    }
    if let Some(fault) = forbidden_mark(text) {
        return Err(fault);
    }
    let name = text.to_ascii_lowercase();
    let last = name.rsplit('.').next().unwrap_or_default();
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x");
    if is_number && !last.is_empty() {
        return Err("ends in a number but is not a valid IPv4 address");
    }
    name.split('.').try_for_each(label)?;
    Ok(name)
}

fn forbidden_mark(text: &str) -> Option<&'static str> {
    [
        ("..", "contains a path traversal `..`"),
        ("/", "contains '/' but is not a valid network"),
        ("\\", "contains a backslash"),
        ("*", "contains a wildcard"),
        (":", "contains ':' but is not a valid IPv6 address"),
    ]
    .into_iter()
    .find_map(|(mark, fault)| text.contains(mark).then_some(fault))
}

fn label(label: &str) -> Result<(), &'static str> {
    if label.is_empty() || label.len() > 63 {
        return Err("has a label that is empty or longer than 63 characters");
    }
    if label.starts_with("xn--") {
        return Err("contains a punycode label, which may look like another name");
    }
    if label.starts_with('-') || label.ends_with('-') {
        return Err("has a label that begins or ends with a hyphen");
    }
    if !label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return Err("contains a character that is not allowed in host names");
    }
    Ok(())
}

/// A host name, or with `*.` every name below it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct HostPattern {
    name: String,
    below: bool,
}

impl HostPattern {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let (name, below) = text.strip_prefix("*.").map_or((text, false), |name| (name, true));
        Ok(Self { name: host_name(name)?, below })
    }

    fn matches(&self, host: &str) -> bool {
        if !self.below {
            return host == self.name;
        }
        host.strip_suffix(self.name.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
    }
}

/// Hosts and networks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Area {
    networks: Vec<Cidr>,
    hosts: Vec<HostPattern>,
}

/// What may be aimed at. The default allows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    allowed: Area,
    excluded: Area,
}

impl Scope {
    /// Reads `scope/scope.toml`; `file` is its name in messages. Code of every reason: `value_invalid`.
    pub fn parse(text: &str, file: &str) -> Result<Self, Vec<Reason>> {
        let source = Source::new(text, file, Code::ValueInvalid);
        let table = source.table();
        let scope = table.as_ref().map(|table| {
            let document = Section::document(&source, table);
            let scope = document.section("scope").map(|section| read(section)).unwrap_or_default();
            if !document.has("scope") {
                document.missing("scope");
            }
            document.close();
            scope
        });
        source.finish(scope)
    }

    /// Whether a target lies within the scope: allowed as a whole, and no part of it excluded.
    pub fn permits(&self, target: &Target) -> bool {
        match target {
            Target::Address(address) => self.permits_network(Cidr::single(*address)),
            Target::Network(network) => self.permits_network(*network),
            Target::Host(host) => {
                self.allowed.hosts.iter().any(|pattern| pattern.matches(host))
                    && !self.excluded.hosts.iter().any(|pattern| pattern.matches(host))
            }
        }
    }

    fn permits_network(&self, network: Cidr) -> bool {
        self.allowed.networks.iter().any(|allowed| allowed.contains(network))
            && !self.excluded.networks.iter().any(|excluded| excluded.overlaps(network))
    }
}

fn read(section: Section<'_>) -> Scope {
    let mut scope = Scope::default();
    for text in section.texts("targets").unwrap_or_default() {
        scope.allowed.networks.extend(network(&section, text));
    }
    for text in section.texts("domains").unwrap_or_default() {
        scope.allowed.hosts.extend(pattern(&section, text));
    }
    for text in section.texts("exclude").unwrap_or_default() {
        match Target::parse(text.value) {
            Ok(Target::Address(address)) => scope.excluded.networks.push(Cidr::single(address)),
            Ok(Target::Network(network)) => scope.excluded.networks.push(network),
            Ok(Target::Host(_)) | Err(_) => scope.excluded.hosts.extend(pattern(&section, text)),
        }
    }
    section.close();
    scope
}

fn network(section: &Section<'_>, text: Located<&str>) -> Option<Cidr> {
    let network = Cidr::parse(text.value).or_else(|| text.value.parse().ok().map(Cidr::single));
    if network.is_none() {
        let message = format!("[scope] targets: {} is neither an address nor a network.", quoted(text.value));
        section.fault(
            text.at,
            message,
            "Write addresses and networks such as 10.0.1.0/24; host names go into `domains`.",
        );
    }
    network
}

fn pattern(section: &Section<'_>, text: Located<&str>) -> Option<HostPattern> {
    HostPattern::parse(text.value)
        .inspect_err(|fault| {
            let message = format!("[scope]: the host {} {fault}.", quoted(text.value));
            section.fault(text.at, message, "Write a host name such as example.com or *.example.com.");
        })
        .ok()
}

/// The IPv6 address inside the brackets of a URL's host.
pub(crate) fn bracketed(text: &str) -> Option<Ipv6Addr> {
    text.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(text: &str) -> Scope {
        Scope::parse(text, "scope.toml").unwrap()
    }

    #[test]
    fn a_target_is_in_scope_when_it_is_allowed_as_a_whole_and_no_part_is_excluded() {
        let scope = scope(
            "[scope]\ntargets = ['10.0.1.0/24', '2001:db8::/32', '192.0.2.7', '172.16.0.0/12']\n\
             domains = ['example.org', '*.example.com']\nexclude = ['10.0.1.9', '172.16.5.0/24', 'admin.example.com']",
        );
        for (target, expected) in [
            ("10.0.1.5", true),
            ("10.0.1.255", true),
            ("10.0.2.5", false),
            ("10.0.1.9", false),
            ("10.0.1.0/25", false),
            ("10.0.1.128/25", true),
            ("10.0.0.0/16", false),
            ("::ffff:10.0.1.5", true),
            ("::ffff:10.0.1.9", false),
            ("2001:db8::1", true),
            ("2001:db9::1", false),
            ("192.0.2.7", true),
            ("192.0.2.8", false),
            ("172.16.5.1", false),
            ("172.16.0.0/12", false),
            ("example.org", true),
            ("EXAMPLE.org", true),
            ("www.example.org", false),
            ("example.com", false),
            ("deep.sub.example.com", true),
            ("evil-example.com", false),
            ("admin.example.com", false),
            ("example.com.evil.net", false),
        ] {
            assert_eq!(scope.permits(&Target::parse(target).unwrap()), expected, "{target}");
        }
    }

    #[test]
    fn without_a_scope_nothing_is_in_scope() {
        for target in ["127.0.0.1", "::1", "localhost", "0.0.0.0/0"] {
            assert!(!Scope::default().permits(&Target::parse(target).unwrap()), "{target}");
        }
    }

    #[test]
    fn the_whole_address_space_can_be_named() {
        let scope = scope("[scope]\ntargets = ['::/0']");
        assert!(scope.permits(&Target::parse("10.0.0.1").unwrap()));
        assert!(scope.permits(&Target::parse("::/0").unwrap()));
    }

    #[test]
    fn texts_that_readers_take_for_different_hosts_are_refused() {
        for text in [
            "",
            " a",
            "a ",
            "2130706433",
            "0x7f.1",
            "0x7f000001",
            "010.0.0.1",
            "999.1.1.1",
            "1.2.3",
            "a.1",
            "1.2.3.4.",
            "a..b",
            ".a",
            "a.",
            "-a",
            "a-",
            "xn--80ak6aa92e.com",
            "a.XN--b.c",
            "ex\u{430}mple.com",
            "*.a",
            "a/b",
            "10.0.0.0/33",
            "10.0.0.0/08",
            "10.0.0.0/+8",
            "fe80::1%eth0",
            "a_b",
            "a\\b",
            "[::1]",
            "a:80",
            "10.0.0.1/",
            "/8",
        ] {
            assert!(Target::parse(text).is_err(), "{text:?}");
        }
        assert!(Target::parse(&format!("{}.com", "a".repeat(63))).is_ok());
        assert!(Target::parse(&format!("{}.com", "a".repeat(64))).is_err());
        assert!(Target::parse(&["a"; 127].join(".")).is_ok());
        assert!(Target::parse(&["a"; 128].join(".")).is_err());
    }

    #[test]
    fn a_broken_scope_file_reports_every_fault() {
        let text = "[scope]\ntargets = ['example.com']\ndomain = []\nexclude = ['*.*']\n[scop]";
        let faults = Scope::parse(text, "scope/scope.toml").unwrap_err();
        let places: Vec<_> = faults.iter().map(|fault| fault.line.unwrap()).collect();
        assert_eq!(places, [2, 3, 4, 5], "{faults:#?}");
        assert!(Scope::parse("", "scope/scope.toml").is_err());
    }
}
