//! Checks that the form of some tokens allows: checksums, encoded headers, encoded credentials.
//!
//! Does not verify signatures. *Security*: linear in a value of bounded length. *Standards*: RFC 4648 (base64), RFC 7515
//! section 4 (JOSE header), RFC 7617 (Basic), ISO 3309 (CRC-32).

/// The bytes of a base64 text in either alphabet, up to the first character that is in neither.
fn decoded(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut gathered, mut bits) = (0_u32, 0);
    for byte in text {
        let sextet = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        gathered = (gathered << 6 | u32::from(sextet)) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(gathered >> bits & 0xFF).unwrap_or_default());
        }
    }
    bytes
}

/// Whether the first of the parts between dots is a JOSE header, and the last is no filler.
pub(super) fn is_jwt(token: &[u8]) -> bool {
    let head = token.split(|byte| *byte == b'.').next().unwrap_or_default();
    let header = decoded(head);
    let names_algorithm = header.windows(5).any(|window| window == b"\"alg\"" || window == b"\"enc\"");
    let last = token.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    names_algorithm && header.first() == Some(&b'{') && !super::is_filler(last)
}

/// Whether it is `user:password` encoded, with a password that is no placeholder.
pub(super) fn is_basic(credentials: &[u8]) -> bool {
    let pair = decoded(credentials);
    let colon = pair.iter().position(|byte| *byte == b':');
    let password = colon.and_then(|at| pair.get(at + 1..)).unwrap_or_default();
    pair.iter().all(|byte| (b' '..=b'~').contains(byte) || *byte >= 0x80) && super::password(password).is_some()
}

/// Whether the last six characters are the CRC-32 of the thirty before them in base 62, as GitHub and npm make them.
pub(super) fn has_checksum(token: &[u8]) -> bool {
    const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let Some((rest, stated)) = token.split_last_chunk::<6>() else { return false };
    let Some((_, body)) = rest.split_last_chunk::<30>() else { return false };
    let value = stated.iter().try_fold(0_u64, |value, digit| {
        let at = DIGITS.iter().position(|known| known == digit)?;
        Some(value * 62 + u64::try_from(at).ok()?)
    });
    value == Some(u64::from(crc32(body)))
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_crc_32_comes_out() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }

    #[test]
    fn base64_is_undone_in_either_alphabet() {
        assert_eq!(decoded(b"QWxhZGRpbjpvcGVu"), b"Aladdin:open");
        assert_eq!(decoded(b"_-8="), [0xFF, 0xEF]);
    }

    #[test]
    fn a_token_of_npm_carries_its_checksum() {
        let body = ["kJ3Hd92mZpQw7Xb", "T4vLs0RyUe1HcN8"].concat();
        let digit =
            |at: u32| char::from(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[at as usize]);
        let sum: String = (0..6).rev().map(|place| digit(crc32(body.as_bytes()) / 62_u32.pow(place) % 62)).collect();
        assert!(has_checksum(format!("npm_{body}{sum}").as_bytes()));
        assert!(!has_checksum(format!("npm_{body}000000").as_bytes()));
    }
}
