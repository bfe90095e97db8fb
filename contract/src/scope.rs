//! The targets of the site's tools: `scope/scope.toml`.
//!
//! ```toml
//! [scope]
//! targets = ["10.0.1.0/24", "2001:db8::/32", "192.0.2.7"]   # addresses and networks
//! domains = ["example.com", "*.example.com"]                # host names; `*.` stands for one label or more
//! exclude = ["10.0.1.1", "admin.example.com"]               # always wins
//! ```
//!
//! Fails closed: without a file nothing is in scope. Never resolves a name: the addresses of a host name in scope are checked against
//! the scope when a run gets its network (`src/network/target_scope.rs`).
//!
//! Security: targets are a stranger's text; a text that readers could take for different hosts is refused.
//! Standards: RFC 1123 §2.1 (host names), RFC 4291, RFC 4632 (CIDR).

mod cidr;
mod host;

use std::net::{IpAddr, Ipv6Addr};

use gatepost_documents::reason::{Code, Reason};

use crate::toml_source::{Located, Section, Source};
use gatepost_documents::text::quoted;

pub use cidr::Cidr;
use host::{HostPattern, host_name};

/// A target in its only form for all readers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// One address.
    Address(IpAddr),
    /// A network.
    Network(Cidr),
    /// A host name as in the DNS, lower case.
    Host(String),
}

impl Target {
    /// Reads an address, a network or a host name; the error is the end of a sentence.
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

impl Target {
    /// Whether it is the unspecified address, or a network that begins with it and is not a question of scope.
    pub fn is_unspecified(&self) -> bool {
        self.as_network().is_ok_and(|network| network.is_unspecified() || network.plain().is_unspecified())
    }

    /// As a network, or the name of a host.
    fn as_network(&self) -> Result<Cidr, &str> {
        match self {
            Self::Address(address) => Ok(Cidr::single(*address)),
            Self::Network(network) => Ok(*network),
            Self::Host(host) => Err(host),
        }
    }
}

/// Hosts and networks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Area {
    /// Whether it contains everything.
    is_all: bool,
    networks: Vec<Cidr>,
    hosts: Vec<HostPattern>,
}

/// The allowed targets. The default allows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    allowed: Area,
    excluded: Area,
}

/// A manifest's restriction of the site's scope for its tool: `[tool.scope]`, with the same keys. Without `targets` and
/// `domains` it removes only its exclusions. The default removes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Narrowing {
    allowed: Option<Area>,
    excluded: Area,
}

impl Area {
    /// Adds a network, and the IPv6 networks that lead into it. Which addresses of Teredo do is no network: all of them are added.
    fn exclude(&mut self, network: Cidr) {
        self.networks.extend([network, network.plain()]);
        self.networks.extend(network.plain().carriers());
        if network.plain().is_ipv4() {
            self.networks.extend(Cidr::parse("2001::/32"));
        }
    }

    /// Whether it contains the whole target.
    fn holds(&self, target: &Target) -> bool {
        if self.is_all {
            return true;
        }
        match target.as_network() {
            Ok(network) => self.networks.iter().any(|own| own.contains(network)),
            Err(host) => self.hosts.iter().any(|pattern| pattern.matches(host)),
        }
    }

    /// Whether it contains any part of a target.
    fn touches(&self, target: &Target) -> bool {
        match target.as_network() {
            Ok(network) => {
                let overlap = |own: &Cidr| own.overlaps(network) || own.overlaps(network.plain());
                self.networks.iter().any(overlap)
            }
            Err(host) => self.hosts.iter().any(|pattern| pattern.matches(host)),
        }
    }
}

impl Narrowing {
    /// Reads `[tool.scope]`.
    pub(crate) fn read(section: Section<'_>) -> Self {
        let is_narrowed = section.has("targets") || section.has("domains");
        let Scope { allowed, excluded } = read(section);
        Self { allowed: is_narrowed.then_some(allowed), excluded }
    }

    /// Whether a target in the site's scope is also in the tool's.
    pub fn permits(&self, target: &Target) -> bool {
        self.allowed.as_ref().is_none_or(|allowed| allowed.holds(target)) && !self.excludes(target)
    }

    /// Whether any part of a target is taken out again.
    pub fn excludes(&self, target: &Target) -> bool {
        self.excluded.touches(target)
    }
}

impl Scope {
    /// Permits every target that any scope can permit.
    pub fn unbounded() -> Self {
        Self { allowed: Area { is_all: true, ..Area::default() }, excluded: Area::default() }
    }

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

    /// Whether a target is in scope: allowed as a whole, and no part of it excluded. The unspecified address never is,
    /// not even as a network: programs that get `0.0.0.0` or `::` connect to their own machine.
    pub fn permits(&self, target: &Target) -> bool {
        !target.is_unspecified() && self.allowed.holds(target) && !self.excludes(target)
    }

    /// Whether any part of a target is taken out again.
    pub fn excludes(&self, target: &Target) -> bool {
        self.excluded.touches(target)
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
            Ok(Target::Address(address)) => scope.excluded.exclude(Cidr::single(address)),
            Ok(Target::Network(network)) => scope.excluded.exclude(network),
            Ok(Target::Host(_)) | Err(_) => scope.excluded.hosts.extend(pattern(&section, text)),
        }
    }
    section.close();
    scope
}

fn network(section: &Section<'_>, text: Located<&str>) -> Option<Cidr> {
    let network = Cidr::parse(text.value).or_else(|| text.value.parse().ok().map(Cidr::single));
    if network.is_none() {
        let message = format!(
            "{} has {}, which is neither an address nor a network.",
            section.path("targets"),
            quoted(text.value)
        );
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
            let message = format!("[{}]: the host {} {fault}.", section.name, quoted(text.value));
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
             domains = ['example.org', '*.example.com', 'München.example']\nexclude = ['10.0.1.9', '172.16.5.0/24', 'admin.example.com']",
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
            ("::ffff:10.0.1.0/121", false),
            ("::ffff:10.0.1.128/121", true),
            ("münchen.example", true),
            ("MÜNCHEN.example", true),
            ("munchen.example", false),
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
    fn an_address_of_the_own_machine_is_never_in_scope() {
        let scope = scope("[scope]\ntargets = ['0.0.0.0/0', '::/0']");
        for (targets, expected) in [
            (
                "0.0.0.0 :: ::ffff:0.0.0.0 0.0.0.0/32 ::/128 ::ffff:0.0.0.0/128 0.0.0.0/31 0.0.0.1/31 0.0.0.0/8 ::/64",
                false,
            ),
            ("0.0.0.1 0.0.0.1/32 ::1 0.0.0.0/0 0.0.0.0/7 ::/0", true),
        ] {
            for target in targets.split(' ') {
                assert_eq!(scope.permits(&Target::parse(target).unwrap()), expected, "{target}");
            }
        }
    }

    #[test]
    fn an_excluded_ipv4_address_stays_excluded_inside_of_an_ipv6_address() {
        let scope = scope("[scope]\ntargets = ['::/0']\nexclude = ['127.0.0.0/8', '10.0.0.0/8', '169.254.169.254']");
        for (targets, expected) in [
            (
                "::127.0.0.1 ::10.0.0.1 ::ffff:10.0.0.1 64:ff9b::a9fe:a9fe 64:ff9b::7f00:1 2002:7f00:1:: 2002:a00::/24 2002::/16 \
                 64:ff9b:1::10.0.0.1 ::ffff:0:10.0.0.1 2001:0:808:808::f5ff:fffe 2001::/64 2001:db8::5efe:10.0.0.1",
                false,
            ),
            ("::1 ::11.0.0.1 64:ff9b::a9fe:a9ff 64:ff9b::808:808 2002:808:808::1 2001:db8::7f00:1", true),
        ] {
            for target in targets.split(' ') {
                assert_eq!(scope.permits(&Target::parse(target).unwrap()), expected, "{target}");
            }
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
