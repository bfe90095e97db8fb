//! SOCKS version 5 without authentication, only the command CONNECT: the client's messages and our answers.
//!
//! ```text
//! client 05 ⟨count⟩ ⟨methods⟩                        we 05 00, or 05 FF when it offers no way without authentication
//! client 05 01 00 ⟨01 IPv4 | 03 length name | 04 IPv6⟩ ⟨port⟩      we 05 ⟨reply⟩ 00 01 00000000 0000
//! ```
//!
//! Pure. Security: reads hostile bytes; no message has more than 262. *Standards*: RFC 1928.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gatepost_documents::destination::{Destination, Host};

/// The first byte of every message.
pub(super) const VERSION: u8 = 5;

const NO_AUTHENTICATION: u8 = 0;

/// The answers to a greeting.
pub(super) const ACCEPTED: [u8; 2] = [VERSION, NO_AUTHENTICATION];
pub(super) const NO_METHOD: [u8; 2] = [VERSION, 0xff];

/// The answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    Succeeded = 0,
    Failure = 1,
    NotAllowed = 2,
    Unreachable = 4,
    CommandUnknown = 7,
    AddressUnknown = 8,
}

impl Reply {
    /// With a zero address: the real one is not for the tool.
    pub(super) const fn encode(self) -> [u8; 10] {
        [VERSION, self as u8, 0, 1, 0, 0, 0, 0, 0, 0]
    }
}

/// The request of a client.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SocksRequest {
    Connect(Destination),
    /// An invalid destination.
    NoDestination(String),
    /// An unsupported or malformed request.
    Refused(Reply),
}

/// Whether a greeting offers the method "no authentication", and its length; none while it is incomplete.
pub(super) fn greeting(bytes: &[u8]) -> Option<(bool, usize)> {
    let count = usize::from(*bytes.get(1)?);
    let methods = bytes.get(2..2 + count)?;
    Some((methods.contains(&NO_AUTHENTICATION), 2 + count))
}

/// The request, and its length; none while it is incomplete.
pub(super) fn request(bytes: &[u8]) -> Option<(SocksRequest, usize)> {
    let [version, command, _reserved, kind] = *bytes.first_chunk()?;
    if version != VERSION {
        return Some((SocksRequest::Refused(Reply::Failure), bytes.len()));
    }
    let (host, length) = match kind {
        1 => (Ok(IpAddr::V4(Ipv4Addr::from(*bytes.get(4..)?.first_chunk::<4>()?)).into()), 8),
        3 => {
            let length = usize::from(*bytes.get(4)?);
            let name = String::from_utf8_lossy(bytes.get(5..5 + length)?);
            (Host::parse(&name).ok_or_else(|| name.into_owned()), 5 + length)
        }
        4 => (Ok(IpAddr::V6(Ipv6Addr::from(*bytes.get(4..)?.first_chunk::<16>()?)).into()), 20),
        _ => return Some((SocksRequest::Refused(Reply::AddressUnknown), bytes.len())),
    };
    let port = u16::from_be_bytes(*bytes.get(length..)?.first_chunk()?);
    let ask = match (command, host) {
        (1, Ok(host)) if port != 0 => SocksRequest::Connect(Destination { host, port }),
        (1, Ok(Host::Name(text)) | Err(text)) => SocksRequest::NoDestination(format!("{text}:{port}")),
        (1, Ok(Host::Address(address))) => SocksRequest::NoDestination(format!("{address} port {port}")),
        _ => SocksRequest::Refused(Reply::CommandUnknown),
    };
    Some((ask, length + 2))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn named(name: &[u8], port: u16) -> Vec<u8> {
        [&[5, 1, 0, 3, u8::try_from(name.len()).unwrap()], name, &port.to_be_bytes()].concat()
    }

    fn asked(bytes: &[u8]) -> SocksRequest {
        let (ask, length) = request(bytes).unwrap();
        assert_eq!(length, bytes.len());
        ask
    }

    #[test]
    fn a_greeting_is_accepted_when_it_can_do_without_authentication() {
        for (bytes, expected) in [
            (&[5, 1, 0][..], Some((true, 3))),
            (&[5, 2, 2, 0], Some((true, 4))),
            (&[5, 1, 2], Some((false, 3))),
            (&[5, 0], Some((false, 2))),
            (&[5, 2, 0], None),
            (&[5], None),
            (&[], None),
        ] {
            assert_eq!(greeting(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn a_request_names_a_destination_in_three_ways() {
        let destination = |text| SocksRequest::Connect(Destination::parse(text).unwrap());
        assert_eq!(asked(&named(b"API.Example.org", 443)), destination("api.example.org:443"));
        assert_eq!(asked(&named(b"127.0.0.1", 80)), destination("127.0.0.1:80"));
        assert_eq!(asked(&[5, 1, 0, 1, 127, 0, 0, 1, 0, 80]), destination("127.0.0.1:80"));
        let loopback = [&[5, 1, 0, 4][..], &Ipv6Addr::LOCALHOST.octets(), &[0x1f, 0x90]].concat();
        assert_eq!(asked(&loopback), destination("[::1]:8080"));
        assert_eq!(asked(&[5, 2, 0, 1, 127, 0, 0, 1, 0, 80]), SocksRequest::Refused(Reply::CommandUnknown));
        assert_eq!(asked(&[5, 3, 0, 1, 127, 0, 0, 1, 0, 80]), SocksRequest::Refused(Reply::CommandUnknown));
        assert_eq!(asked(&[5, 1, 0, 2]), SocksRequest::Refused(Reply::AddressUnknown));
        assert_eq!(asked(&[4, 1, 0, 1]), SocksRequest::Refused(Reply::Failure));
    }

    #[test]
    fn a_name_that_is_no_host_is_no_destination() {
        for name in [&b"127.1"[..], b"", b"a\nb", b"a b", b"a\0.org", b"\xff\xfe", b"0x7f.1", b"a.org:80"] {
            assert!(matches!(asked(&named(name, 80)), SocksRequest::NoDestination(_)), "{name:?}");
        }
        assert!(matches!(asked(&named(b"a.org", 0)), SocksRequest::NoDestination(_)));
        assert!(matches!(asked(&[5, 1, 0, 1, 0, 0, 0, 0, 0, 0]), SocksRequest::NoDestination(_)));
    }

    #[test]
    fn a_request_that_is_cut_anywhere_is_waited_for() {
        for whole in [named(b"api.example.org", 443), vec![5, 1, 0, 1, 1, 2, 3, 4, 0, 80]] {
            for cut in 0..whole.len() {
                assert_eq!(request(&whole[..cut]), None, "{cut}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), kind in 0..5u8) {
            let _ = greeting(&bytes);
            let _ = request(&bytes);
            if let Some((_, length)) = request(&[&[5, 1, 0, kind], bytes.as_slice()].concat()) {
                prop_assert!(length <= bytes.len() + 4);
            }
        }
    }
}
