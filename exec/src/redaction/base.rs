//! Values in encoded data: Base64, Base32 and hexadecimal digits.
//!
//! Standards: RFC 4648.

pub(super) const LOWER: &[u8; 16] = b"0123456789abcdef";
pub(super) const UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// Base64, standard and URL-safe, and Base16 in either case.
pub(super) const COMMON: [&[u8]; 4] = [
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
    LOWER,
    UPPER,
];

/// Base32 in either case.
pub(super) const BASE32: [&[u8]; 2] = [b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", b"abcdefghijklmnopqrstuvwxyz234567"];

/// The characters that a value alone determines, at every position in the encoded data.
pub(super) fn forms<'a>(value: &'a [u8], alphabets: &[&'a [u8]]) -> Vec<Vec<u8>> {
    let shifts = alphabets.iter().flat_map(|alphabet| {
        let (_, group_bytes) = group(alphabet);
        (0..group_bytes).map(move |shift| (*alphabet, shift))
    });
    shifts.flat_map(|(alphabet, shift)| inside(value, alphabet, shift)).collect()
}

/// The bits of a character, and the fewest bytes that make whole characters.
fn group(alphabet: &[u8]) -> (usize, usize) {
    match alphabet.len() {
        64 => (6, 3),
        32 => (5, 5),
        _ => (4, 1),
    }
}

/// The encoding of a value at `shift` bytes into a group: the characters that it alone determines, and the same at the
/// end of the data, without and with padding.
fn inside(value: &[u8], alphabet: &[u8], shift: usize) -> [Vec<u8>; 3] {
    let (bits, group_bytes) = group(alphabet);
    let mut bytes = vec![0; shift];
    bytes.extend_from_slice(value);
    let text = encode(&bytes, alphabet, bits);
    let decided = bytes.len() * 8 / bits;
    // The first character without bits of the preceding bytes.
    let first = (shift * 8).div_ceil(bits);
    let mut padded = text[first..].to_vec();
    padded.resize(text.len().next_multiple_of(group_bytes * 8 / bits) - first, b'=');
    [text[first..decided].to_vec(), text[first..].to_vec(), padded]
}

fn encode(bytes: &[u8], alphabet: &[u8], bits: usize) -> Vec<u8> {
    let character = |at: usize| {
        let [high, low] = [at / 8, at / 8 + 1].map(|at| bytes.get(at).copied().unwrap_or(0));
        let index = u16::from_be_bytes([high, low]) >> (16 - bits - at % 8);
        alphabet[usize::from(index) % alphabet.len()]
    };
    (0..bytes.len() * 8).step_by(bits).map(character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_encodings_are_those_of_the_standard() {
        for (value, alphabet, expected) in [
            ("fooba", COMMON[0], "Zm9vYmE="),
            ("\u{ff}~", COMMON[1], "w79-"),
            ("fooba", COMMON[2], "666f6f6261"),
            ("jo", COMMON[3], "6A6F"),
            ("foob", BASE32[0], "MZXW6YQ="),
            ("fooba", BASE32[1], "mzxw6ytb"),
        ] {
            let [_, _, padded] = inside(value.as_bytes(), alphabet, 0);
            assert_eq!(String::from_utf8(padded).unwrap(), expected);
        }
    }

    #[test]
    fn a_value_is_recognised_wherever_it_stands_in_the_encoded_data() {
        let alphabets = COMMON.into_iter().chain(BASE32);
        for (alphabet, length) in alphabets.flat_map(|alphabet| (4..12).map(move |length| (alphabet, length))) {
            let value = &b"\xffs3cret-\x00\x80xyz"[..length];
            let forms = forms(value, &[alphabet]);
            for (before, after) in (0..6).flat_map(|before| (0..6).map(move |after| (before, after))) {
                let data = [&b"users:"[..before], value, &b"tails."[..after]].concat();
                let text = encode(&data, alphabet, group(alphabet).0);
                let found = forms.iter().any(|form| text.windows(form.len()).any(|window| window == form));
                assert!(found, "{length} {before} {after}");
            }
        }
    }
}
