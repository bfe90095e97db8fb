//! Networks: an address and the number of its leading bits that count.
//!
//! IPv4 and its IPv6-mapped form are one. *Standards*: RFC 4291, RFC 4632; for IPv6 addresses that carry an IPv4 address RFC 4291
//! section 2.5.5.1 (compatible), RFC 6052 section 2.1 (NAT64) and RFC 3056 section 2 (6to4).

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::network::plain;

/// Networks whose addresses embed an IPv4 address: the bits before it, and their number.
const CARRIERS: [(Ipv6Addr, u8); 3] = [
    (Ipv6Addr::UNSPECIFIED, 96),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
];

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

    /// Each of its addresses, unless they are more than `most`.
    pub fn addresses(self, most: u32) -> Option<Vec<IpAddr>> {
        let bits: u32 = if self.address.is_ipv4() { 32 } else { 128 };
        let count = 1_u32.checked_shl(bits - u32::from(self.prefix_bits)).filter(|count| *count <= most)?;
        let mask = u128::from(count - 1);
        let address = |index: u32| -> IpAddr {
            match self.address {
                IpAddr::V4(address) => Ipv4Addr::from_bits(address.to_bits() & !(count - 1) | index).into(),
                IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & !mask | u128::from(index)).into(),
            }
        };
        Some((0..count).map(address).collect())
    }

    /// The IPv4 network that all of it leads to; itself if there is none.
    #[must_use]
    pub fn plain(self) -> Self {
        let own = self.canonical();
        let IpAddr::V6(address) = own.address else { return own };
        if own.prefix_bits == 128 {
            return Self::single(plain(address.into()));
        }
        let is_within = |(carrier, bits): &(Ipv6Addr, u8)| {
            let carrier = Self { address: (*carrier).into(), prefix_bits: *bits };
            carrier.contains(own)
        };
        CARRIERS.iter().find(|carrier| is_within(carrier)).map_or(own, |(_, bits)| {
            let [a, b, c, d, ..] = (address.to_bits() << bits).to_be_bytes();
            Self { address: Ipv4Addr::new(a, b, c, d).into(), prefix_bits: (own.prefix_bits - bits).min(32) }
                .canonical()
        })
    }

    /// The network of one address.
    pub(super) fn single(address: IpAddr) -> Self {
        Self { address, prefix_bits: if address.is_ipv4() { 32 } else { 128 } }
    }

    /// As 128 bits, with IPv4 in its IPv6-mapped form, so that both spellings are one target.
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

    pub(super) fn is_ipv4(self) -> bool {
        self.address.is_ipv4()
    }

    pub(super) fn overlaps(self, other: Self) -> bool {
        self.contains(other) || other.contains(self)
    }

    /// The IPv6 networks whose addresses lead into it; none if it is not an IPv4 network. `::1` counts as 0.0.0.1.
    pub(super) fn carriers(self) -> impl Iterator<Item = Self> {
        let own = self.canonical();
        CARRIERS.into_iter().filter_map(move |(carrier, bits)| {
            let IpAddr::V4(address) = own.address else { return None };
            let carried = u128::from(address.to_bits()) << (96 - bits);
            let address = Ipv6Addr::from_bits(carrier.to_bits() | carried).into();
            Some(Self { address, prefix_bits: bits + own.prefix_bits })
        })
    }

    /// Whether it is the unspecified address, or begins with it and has no other that is anybody's: as a part of 0.0.0.0/8, "this
    /// network" (RFC 6890), or of `::/64`.
    pub(super) fn is_unspecified(self) -> bool {
        let own = self.canonical();
        own.address.is_unspecified() && own.prefix_bits >= if own.address.is_ipv4() { 8 } else { 64 }
    }
}

/// `10.0.0.0/8`: the one spelling of a network.
impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, prefix_bits } = self.canonical();
        write!(f, "{address}/{prefix_bits}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_has_one_spelling() {
        for (text, spelled) in [
            ("10.1.2.3/8", "10.0.0.0/8"),
            ("::ffff:10.1.2.3/104", "10.0.0.0/8"),
            ("::ffff:10.1.2.3/128", "10.1.2.3/32"),
            ("::ffff:10.1.2.3/95", "::fffe:0:0/95"),
            ("2001:DB8::1/32", "2001:db8::/32"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("::1/0", "::/0"),
        ] {
            assert_eq!(Cidr::parse(text).unwrap().to_string(), spelled);
        }
    }

    #[test]
    fn the_addresses_of_a_network_are_bounded() {
        let addresses = |text: &str| {
            let found = Cidr::parse(text).unwrap().addresses(256)?;
            Some((found.len(), found.first()?.to_string(), found.last()?.to_string()))
        };
        let expected = |count, first: &str, last: &str| Some((count, first.to_owned(), last.to_owned()));
        assert_eq!(addresses("192.0.2.77/24"), expected(256, "192.0.2.0", "192.0.2.255"));
        assert_eq!(addresses("192.0.2.77/32"), expected(1, "192.0.2.77", "192.0.2.77"));
        assert_eq!(addresses("2001:db8::ff/126"), expected(4, "2001:db8::fc", "2001:db8::ff"));
        for large in ["192.0.2.0/23", "0.0.0.0/0", "2001:db8::/96", "::/0"] {
            assert_eq!(addresses(large), None, "{large}");
        }
    }

    #[test]
    fn an_ipv4_network_is_carried_by_three_of_ipv6() {
        let carriers =
            |text: &str| Cidr::parse(text).unwrap().carriers().map(|own| own.to_string()).collect::<Vec<_>>();
        assert_eq!(carriers("10.9.8.7/8"), ["::a00:0/104", "64:ff9b::a00:0/104", "2002:a00::/24"]);
        assert_eq!(carriers("::ffff:10.0.0.1/128"), ["::a00:1/128", "64:ff9b::a00:1/128", "2002:a00:1::/48"]);
        assert_eq!(carriers("2001:db8::/32"), [""; 0]);
    }

    #[test]
    fn a_network_of_ipv6_that_leads_to_ipv4_is_that_network() {
        for (text, plain) in [
            ("::a00:0/104", "10.0.0.0/8"),
            ("64:ff9b::a01:203/128", "10.1.2.3/32"),
            ("2002:a00::/24", "10.0.0.0/8"),
            ("2002:a01:203:7::/64", "10.1.2.3/32"),
            ("2001:0:808:808::f5fe:fdfc/128", "10.1.2.3/32"),
            ("::1/128", "::1/128"),
            ("2002::/15", "2002::/15"),
            ("2001:db8::/32", "2001:db8::/32"),
            ("10.1.2.3/8", "10.0.0.0/8"),
        ] {
            assert_eq!(Cidr::parse(text).unwrap().plain().to_string(), plain, "{text}");
        }
    }
}
