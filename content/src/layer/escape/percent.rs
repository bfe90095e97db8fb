//! A byte or UTF-16 unit after a percent sign: `%69`, `%u0069`.
//!
//! Standards: RFC 3986, section 2.1; the second form is ECMA-262, section B.2.1.

use super::{Escape, number};

/// The escape at the beginning.
pub(super) fn read(bytes: &[u8]) -> Option<Escape> {
    match bytes.get(1)? {
        b'u' | b'U' => match number(bytes.get(2..)?, 16, 4) {
            (scalar, 4) => Escape::of_scalar(6, scalar, "percent"),
            _ => None,
        },
        _ => match number(bytes.get(1..)?, 16, 2) {
            (byte, 2) => Some(Escape::of_byte(3, u8::try_from(byte).ok()?, "percent")),
            _ => None,
        },
    }
}
