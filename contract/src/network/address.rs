//! The addresses of the public Internet: the only ones to which a listed *name* may lead.
//!
//! A private, local, special or reserved address is not public, nor is an IPv6 address that carries such an IPv4 address. New
//! assignments outside of `2000::/3` are not public until this file says so.
//!
//! Known weakness: a public address of this very machine is a public address.
//! *Standards*: the IANA special-purpose address registries (RFC 6890), RFC 6052 (NAT64), RFC 3056 (6to4).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::embedded::embedded_v4;

/// A network: its first address, and the number of leading bits that count.
type Network<A> = (A, u32);

const fn v4(a: u8, b: u8, c: u8, bits: u32) -> Network<Ipv4Addr> {
    (Ipv4Addr::new(a, b, c, 0), bits)
}

const fn v6(a: u16, b: u16, bits: u32) -> Network<Ipv6Addr> {
    (Ipv6Addr::new(a, b, 0, 0, 0, 0, 0, 0), bits)
}

const SPECIAL_V4: [Network<Ipv4Addr>; 15] = [
    v4(0, 0, 0, 8),       // this network
    v4(10, 0, 0, 8),      // private
    v4(100, 64, 0, 10),   // behind a carrier's address translation
    v4(127, 0, 0, 8),     // loopback
    v4(169, 254, 0, 16),  // link-local, where clouds keep their metadata
    v4(172, 16, 0, 12),   // private
    v4(192, 0, 0, 24),    // protocol assignments
    v4(192, 0, 2, 24),    // documentation
    v4(192, 88, 99, 24),  // 6to4 relays
    v4(192, 168, 0, 16),  // private
    v4(198, 18, 0, 15),   // benchmarks
    v4(198, 51, 100, 24), // documentation
    v4(203, 0, 113, 24),  // documentation
    v4(224, 0, 0, 4),     // multicast
    v4(240, 0, 0, 4),     // reserved, and broadcast
];

const GLOBAL_UNICAST: Network<Ipv6Addr> = v6(0x2000, 0, 3);

const SPECIAL_V6: [Network<Ipv6Addr>; 4] = [
    v6(0x2001, 0, 23),     // protocol assignments: Teredo, benchmarks, ORCHID
    v6(0x2001, 0xdb8, 32), // documentation
    v6(0x2002, 0, 16),     // 6to4
    v6(0x3fff, 0, 20),     // documentation
];

/// The form in which a network translator embeds an IPv4 address, and no other such form.
const NAT64: Network<Ipv6Addr> = v6(0x64, 0xff9b, 96);

/// Whether an address is one of the public Internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => {
            let is_special = SPECIAL_V6.into_iter().any(|network| contains_v6(network, address));
            let is_assigned = contains_v6(GLOBAL_UNICAST, address) && !is_special || contains_v6(NAT64, address);
            is_assigned && embedded_v4(address).is_none_or(is_public_v4)
        }
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let contains = |(network, bits): Network<Ipv4Addr>| (network.to_bits() ^ address.to_bits()) >> (32 - bits) == 0;
    !SPECIAL_V4.into_iter().any(contains)
}

fn contains_v6((network, bits): Network<Ipv6Addr>, address: Ipv6Addr) -> bool {
    (network.to_bits() ^ address.to_bits()) >> (128 - bits) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addresses of the public internet.
    const PUBLIC: &str = "\
        1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.0.0.1 128.0.0.1 172.15.0.1 \
        172.32.0.1 192.0.1.1 198.17.0.1 198.20.0.1 223.255.255.255 2001:200::1 2001:4860:4860::8888 \
        2606:4700::1111 2a00::1 3ffe::1 64:ff9b::808:808";

    /// All others, at the edges of the reserved ranges.
    const RESERVED: &str = "\
        0.0.0.0 0.1.2.3 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.0.1 169.254.169.254 \
        172.16.0.1 172.31.255.255 192.0.0.1 192.0.2.1 192.88.99.1 192.168.1.1 198.18.0.1 198.19.255.255 \
        198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 \
        ::808:808 ::ffff:127.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b::a00:1 64:ff9b:1::808:808 100::1 \
        2001::1 2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2002:7f00:1:: 2002:808:808:: 3fff::1 3fff:fff::1 \
        2a00::5efe:10.0.0.1 5f00::1 fc00::1 fd00::1 fe80::1 febf::1 fec0::1 ff02::1 4000::1";

    #[test]
    fn only_the_public_internet_is_public() {
        for (addresses, expected) in [(PUBLIC, true), (RESERVED, false)] {
            for address in addresses.split_whitespace() {
                assert_eq!(is_public(address.parse().unwrap()), expected, "{address}");
            }
        }
    }
}
