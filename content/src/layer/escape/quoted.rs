//! Quoted-printable: `=69`, and `=` before a line end that is none.
//!
//! An equals sign is mostly just that. A byte counts as encoded where its neighbours are, where it is one that the
//! encoding is for, or within a word.
//!
//! Standards: RFC 2045, section 6.7.

use super::{Escape, number};

const KIND: &str = "quoted-printable";

/// The escape at `at`, where an equals sign stands.
pub(super) fn read(bytes: &[u8], at: usize) -> Option<Escape> {
    let here = bytes.get(at..)?;
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    match here {
        [_, b'\n', ..] if before.is_some_and(|byte| byte.is_ascii_graphic() && *byte != b'=') => {
            Some(Escape::of_nothing(2, KIND))
        }
        [_, b'\r', b'\n', ..] => Some(Escape::of_nothing(3, KIND)),
        [_, high, low, ..] if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
            let (byte, _) = number(here.get(1..)?, 16, 2);
            let beside =
                here.get(3) == Some(&b'=') || at.checked_sub(3).and_then(|third| bytes.get(third)) == Some(&b'=');
            if !(beside || is_digit(*high) && is_digit(*low)) {
                return None;
            }
            let usual = matches!(byte, 0x09 | 0x0A | 0x0D | 0x20 | 0x3D);
            let in_word =
                before.is_some_and(u8::is_ascii_alphabetic) && here.get(3).is_some_and(u8::is_ascii_lowercase);
            let is_encoded = beside || usual || in_word && (0x41..0x7B).contains(&byte);
            is_encoded.then(|| Some(Escape::of_byte(3, u8::try_from(byte).ok()?, KIND)))?
        }
        _ => None,
    }
}

/// The encoding is written in upper case, and read in any.
const fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'A'..=b'F')
}
