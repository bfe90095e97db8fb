//! Encoded data without what parts it: line breaks and indentation, the colons and spaces between hexadecimal digits, and line
//! breaks and slashes as the escapes of JSON.

/// Most bytes in a row that are left out: a line break, and an indentation as deep as OpenSSL's. It bounds how far the characters
/// of a value can stand apart, and with it the memory of the search.
pub(super) const SEPARATORS_MAX: usize = 24;

/// The bytes from a place on that are left, each with its place.
pub(super) fn folded(bytes: &[u8], from: usize) -> impl Iterator<Item = (usize, u8)> {
    let mut separators = 0;
    (from..bytes.len()).map(|at| (at, bytes[at])).filter(move |(at, _)| {
        separators = if is_separator(bytes, *at) { separators + 1 } else { 0 };
        separators == 0 || separators > SEPARATORS_MAX
    })
}

fn is_separator(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'\n' | b'\r' | b'\t' | b' ' | b':' => true,
        b'\\' => matches!(bytes.get(at + 1), Some(b'n' | b'r' | b'/')),
        b'n' | b'r' => at > 0 && bytes[at - 1] == b'\\',
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_parts_encoded_data_is_left_out_and_a_long_gap_is_not() {
        let fold = |text: &str| {
            let bytes: Vec<u8> = folded(text.as_bytes(), 0).map(|(_, byte)| byte).collect();
            String::from_utf8(bytes).unwrap()
        };
        for (text, expected) in [
            ("ab\r\ncd\n  ef", "abcdef"),
            ("0a:0b 0c\t0d", "0a0b0c0d"),
            (r"ab\ncd\r\nef\/gh", "abcdef/gh"),
            (r"no\such\rung", r"no\suchung"),
            ("nr", "nr"),
        ] {
            assert_eq!(fold(text), expected);
        }
        let gap = |spaces: usize| fold(&format!("a{}b", " ".repeat(spaces)));
        assert_eq!((gap(SEPARATORS_MAX).as_str(), gap(SEPARATORS_MAX + 1).as_str()), ("ab", "a b"));
        assert_eq!(folded(b"ab\ncd", 1).collect::<Vec<_>>(), [(1, b'b'), (3, b'c'), (4, b'd')]);
    }
}
