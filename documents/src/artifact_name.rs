//! The names that a bundle's entries may have: one component of a path.
//!
//! ```text
//! report.csv   %2Ehidden   na%C3%AFve.txt   100%25
//! ```
//!
//! A byte outside the plain alphabet is written `%XX`, and only such a byte, so every name has one spelling.
//! Security: reads names that a stranger chose. Standards: `schemas/result.schema.md`, Artifact names; RFC 3986, §2.1.

use std::fmt::Write as _;

use crate::reason::Code;

/// The form of a path of such names as a regular expression, which does not look into escapes.
pub const PATH_PATTERN: &str =
    "^[A-Za-z0-9_+=@,%-][A-Za-z0-9._+=@,%-]{0,254}(/[A-Za-z0-9_+=@,%-][A-Za-z0-9._+=@,%-]{0,254})*$";

/// The most bytes of a component.
const COMPONENT_BYTES_MAX: usize = 255;

/// The fault of a component, if any: `name_hostile` for a forbidden character, `name_invalid` for a name with a wrong
/// spelling.
pub fn fault(component: &[u8]) -> Option<(Code, &'static str)> {
    if component.is_empty() || component == b"." || component == b".." {
        return Some((Code::PathEscapes, "it names no entry of its folder"));
    }
    if let Some(byte) = component.iter().find(|byte| !is_plain(**byte) && **byte != b'%') {
        let fault =
            if byte.is_ascii_graphic() { "it holds a reserved character" } else { "it holds a hostile character" };
        return Some((Code::NameHostile, fault));
    }
    if component.starts_with(b".") {
        return Some((Code::NameHostile, "it begins with a dot"));
    }
    if component.len() > COMPONENT_BYTES_MAX {
        return Some((Code::NameInvalid, "it is longer than 255 bytes"));
    }
    (!escapes_are_canonical(component)).then_some((Code::NameInvalid, "a percent sign does not begin a needed escape"))
}

/// The name under which a bundle carries a file that a tool named `component`.
pub fn encoded(component: &str) -> String {
    let mut name = String::with_capacity(component.len());
    for (index, byte) in component.bytes().enumerate() {
        if is_plain(byte) && (index > 0 || byte != b'.') {
            name.push(char::from(byte));
        } else {
            let _ = write!(name, "%{byte:02X}");
        }
    }
    name
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._-+=@,".contains(&byte)
}

fn escapes_are_canonical(component: &[u8]) -> bool {
    component.iter().enumerate().filter(|(_, byte)| **byte == b'%').all(|(index, _)| {
        let digits = component.get(index + 1..index + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        let lower = |digits: &str| digits.bytes().any(|byte| !matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
        let Some(digits) = digits.filter(|digits| !lower(digits)) else { return false };
        let leading_dot = |byte| byte == b'.' && index == 0;
        u8::from_str_radix(digits, 16)
            .is_ok_and(|byte| (!is_plain(byte) || leading_dot(byte)) && byte != b'/' && byte != 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_spelling() {
        for (name, code) in [
            (&b"report-1.csv"[..], None),
            (b"%2Ehidden", None),
            (b"100%25", None),
            (b"na%C3%AFve", None),
            (b".hidden", Some(Code::NameHostile)),
            (b"a b", Some(Code::NameHostile)),
            (b"a\nb", Some(Code::NameHostile)),
            (b"na\xc3\xafve", Some(Code::NameHostile)),
            (b"a:b", Some(Code::NameHostile)),
            (b"..", Some(Code::PathEscapes)),
            (b"", Some(Code::PathEscapes)),
            (b"%41", Some(Code::NameInvalid)),
            (b"a%2E", Some(Code::NameInvalid)),
            (b"%c3", Some(Code::NameInvalid)),
            (b"%", Some(Code::NameInvalid)),
            (b"%2F", Some(Code::NameInvalid)),
            (b"%00", Some(Code::NameInvalid)),
            (&[b'a'; 256], Some(Code::NameInvalid)),
        ] {
            assert_eq!(fault(name).map(|(code, _)| code), code, "{}", name.escape_ascii());
        }
    }

    proptest::proptest! {
        #[test]
        fn an_encoded_name_is_a_name(name in "[^/\0]{1,20}") {
            proptest::prop_assert_eq!(fault(encoded(&name).as_bytes()), None);
        }
    }
}
