//! The IPv4 address to which an IPv6 address leads.
//!
//! Policies, scope and the proxy ask this one function, so no spelling of a private address passes one of them. *Standards*:
//! RFC 4291 sections 2.5.5.1 and 2.5.5.2 (compatible, mapped), RFC 6052 section 2.1 and RFC 8215 (NAT64), RFC 3056 section 2 (6to4),
//! RFC 4380 section 4 (Teredo), RFC 5214 section 6.1 (ISATAP), RFC 7915 (IPv4-translated).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The IPv4 address in an IPv6 address of a form that leads to it; none where there is no such form, or it is the unspecified or the
/// loopback address of IPv6.
pub(super) fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let groups = address.segments();
    let pair = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    let last = pair(groups[6], groups[7]);
    match groups {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0x2002, high, low, ..] => Some(pair(high, low)),
        // The client's address is written with its bits inverted.
        [0x2001, 0, ..] => Some(Ipv4Addr::from_bits(!last.to_bits())),
        [0, 0, 0, 0, 0, 0 | 0xffff, ..]
        | [0, 0, 0, 0, 0xffff, 0, ..]
        | [0x64, 0xff9b, 0, 0, 0, 0, ..]
        | [0x64, 0xff9b, 1, ..]
        | [_, _, _, _, 0 | 0x200, 0x5efe, ..] => Some(last),
        _ => None,
    }
}

/// An address as IPv4 where it leads to one.
pub fn plain(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(v6) => embedded_v4(v6).map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_that_leads_to_an_ipv4_address_is_seen_as_it() {
        for text in [
            "::10.1.2.3",
            "::ffff:10.1.2.3",
            "::ffff:0:10.1.2.3",
            "64:ff9b::10.1.2.3",
            "64:ff9b:1::10.1.2.3",
            "64:ff9b:1:7::10.1.2.3",
            "2002:a01:203::",
            "2002:a01:203:5:6:7:8:9",
            "2001:0:808:808:0:0:f5fe:fdfc",
            "2001:db8::5efe:10.1.2.3",
            "2002:a01:203:0:0:5efe:808:808",
            "fe80::200:5efe:10.1.2.3",
        ] {
            assert_eq!(plain(text.parse().unwrap()), Ipv4Addr::new(10, 1, 2, 3), "{text}");
        }
        for text in
            ["::", "::1", "2001:db8::1", "2001:1::a01:203", "fe80::1", "fc00::a01:203", "10.1.2.3", "65:ff9b::1"]
        {
            let address: IpAddr = text.parse().unwrap();
            assert_eq!(plain(address), address, "{text}");
        }
    }
}
