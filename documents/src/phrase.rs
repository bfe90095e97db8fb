//! The phrases for a duration and for the address of a file in documents and pages.
//!
//! The gate renders the same phrases with code of its own. *Standards*: RFC 3986, section 2.1.

use std::fmt::Write as _;

/// A relative path as the address in a link: percent-encoded (RFC 3986), so that no part of it is taken for a scheme, query or
/// fragment.
pub fn relative_address(path: &[u8]) -> String {
    let mut address = String::with_capacity(path.len());
    for byte in path {
        if byte.is_ascii_alphanumeric() || b"._-+=@,/".contains(byte) {
            address.push(char::from(*byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// A duration in seconds, to the millisecond.
pub fn seconds(milliseconds: u64) -> String {
    match (milliseconds / 1000, milliseconds % 1000) {
        (seconds, 0) => format!("{seconds} s"),
        (seconds, rest) => format!("{seconds}.{rest:03} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_has_its_unit_and_an_address_no_scheme() {
        assert_eq!([0, 7, 60_000, 3_412].map(seconds), ["0 s", "0.007 s", "60 s", "3.412 s"]);
        assert_eq!(relative_address(b"out/a b:c?"), "out/a%20b%3Ac%3F");
    }
}
