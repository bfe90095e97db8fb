//! The forms in which a value may be printed again: raw, and in the encodings that programs put values into.
//!
//! Standards: RFC 4648 (Base64, Base16), RFC 3986 section 2.1 (percent-encoding), RFC 8259 section 7 (JSON strings).

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL_SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

/// What encoders leave as it is beside letters and digits: RFC 3986's unreserved characters, in paths too; ECMAScript's
/// `encodeURIComponent` and `encodeURI`; and gatepost for the names of artifacts.
const NOT_ENCODED: [&[u8]; 6] = [b"-._~", b"-._~+", b"-._~/", b"-_.!~*'()", b";,/?:@&=+$-_.!~*'()#", b"._-+=@,/"];

/// Every form of a value, each once.
pub(super) fn forms(value: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = vec![value.to_vec()];
    if let Ok(text) = std::str::from_utf8(value) {
        forms.extend(quotations(text).map(String::into_bytes));
    }
    for alphabet in [STANDARD, URL_SAFE] {
        forms.extend((0..3).flat_map(|shift| base64_inside(value, alphabet, shift)));
    }
    // As coreutils and MIME, and as PEM and OpenSSL break it.
    forms.extend([76, 64].map(|width| wrapped(&base64_inside(value, STANDARD, 0)[2], width)));
    for digits in [LOWER, UPPER] {
        forms.push(value.iter().flat_map(|byte| hex(*byte, digits)).collect());
        let kept = |more: &[u8]| percent(value, digits, |byte| byte.is_ascii_alphanumeric() || more.contains(&byte));
        forms.extend(NOT_ENCODED.map(kept));
        forms.push(percent(value, digits, |_| false));
    }
    // HTML forms write a space as a plus sign.
    let with_plus = forms.iter().map(|form| String::from_utf8_lossy(form).replace("%20", "+").into_bytes());
    let with_plus: Vec<_> = with_plus.collect();
    forms.extend(with_plus);
    forms.sort();
    forms.dedup();
    forms
}

/// A text as it stands between quotation marks: in JSON as it is mostly written, with escaped slashes, without what is not ASCII,
/// and with nothing but escapes; and in gatepost's own sentences.
fn quotations(text: &str) -> impl Iterator<Item = String> {
    let json = serde_json::Value::from(text).to_string();
    let plain = json[1..json.len() - 1].to_owned();
    let slashed = plain.replace('/', "\\/");
    let mut forms = Vec::new();
    for digits in [LOWER, UPPER] {
        forms.extend([&plain, &slashed].map(|text| escaped(text, digits, |character| !character.is_ascii())));
        forms.push(escaped(text, digits, |_| true));
    }
    let own = gatepost_documents::text::quoted(text);
    forms.push(own[1..own.len() - 1].to_owned());
    forms.into_iter().chain([plain, slashed])
}

/// The text with these characters as `\uXXXX`.
fn escaped(text: &str, digits: &[u8; 16], is_escaped: impl Fn(char) -> bool) -> String {
    let unit = |unit: u16| {
        let digits = unit.to_be_bytes().into_iter().flat_map(|byte| hex(byte, digits)).map(char::from);
        ['\\', 'u'].into_iter().chain(digits)
    };
    let mut out = String::new();
    for character in text.chars() {
        if is_escaped(character) {
            out.extend(character.encode_utf16(&mut [0; 2]).iter().copied().flat_map(unit));
        } else {
            out.push(character);
        }
    }
    out
}

/// The text in lines of a width.
fn wrapped(text: &[u8], width: usize) -> Vec<u8> {
    text.chunks(width).collect::<Vec<_>>().join(&b'\n')
}

/// The Base64 of a value that stands `shift` bytes (modulo 3) into the encoded data: the characters that it alone
/// decides, and the same at the end of the data, without and with padding.
fn base64_inside(value: &[u8], alphabet: &[u8; 64], shift: usize) -> [Vec<u8>; 3] {
    let mut bytes = vec![0; shift];
    bytes.extend_from_slice(value);
    let text: Vec<u8> = bytes.chunks(3).flat_map(|group| base64_group(group, alphabet)).collect();
    let decided = bytes.len() * 8 / 6;
    // The first character that holds no bit of the bytes before.
    let first = (shift * 8).div_ceil(6);
    let mut padded = text[first..].to_vec();
    padded.resize(text.len().next_multiple_of(4) - first, b'=');
    [text[first..decided].to_vec(), text[first..].to_vec(), padded]
}

fn base64_group(group: &[u8], alphabet: &[u8; 64]) -> impl Iterator<Item = u8> {
    let bits = group.iter().zip([16, 8, 0]).fold(0u32, |bits, (byte, shift)| bits | u32::from(*byte) << shift);
    [18, 12, 6, 0].into_iter().take(group.len() + 1).map(move |shift| alphabet[(bits >> shift & 63) as usize])
}

fn hex(byte: u8, digits: &[u8; 16]) -> [u8; 2] {
    [digits[usize::from(byte >> 4)], digits[usize::from(byte & 15)]]
}

fn percent(value: &[u8], digits: &[u8; 16], kept: impl Fn(u8) -> bool) -> Vec<u8> {
    let mut text = Vec::with_capacity(value.len() * 3);
    for byte in value {
        if kept(*byte) {
            text.push(*byte);
        } else {
            text.push(b'%');
            text.extend(hex(*byte, digits));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_a_value_are_those_of_the_standards() {
        let forms = forms(b"pa/ss?~\"w\n");
        for expected in [
            "pa/ss?~\"w\n",
            r#"pa/ss?~\"w\n"#,
            "cGEvc3M/fiJ3Cg==",
            "cGEvc3M/fiJ3Cg",
            "cGEvc3M_fiJ3Cg",
            "70612f73733f7e22770a",
            "70612F73733F7E22770A",
            "pa%2Fss%3F~%22w%0A",
            "pa%2fss%3f~%22w%0a",
            "%70%61%2F%73%73%3F%7E%22%77%0A",
            "pa/ss%3F~%22w%0A",
            r#"pa\/ss?~\"w\n"#,
            "\\u0070\\u0061\\u002f\\u0073\\u0073\\u003f\\u007e\\u0022\\u0077\\u000a",
        ] {
            assert!(forms.iter().any(|form| form == expected.as_bytes()), "{expected}");
        }
    }

    #[test]
    fn what_is_not_ascii_and_what_is_long_is_recognised_as_programs_write_it() {
        let forms_of = |value: &str| forms(value.as_bytes()).into_iter().map(|form| String::from_utf8(form).unwrap());
        for expected in [
            "caf\\u00e9 \\ud83d\\ude00",
            "caf\\u00E9 \\uD83D\\uDE00",
            "caf%C3%A9%20%F0%9F%98%80",
            "caf%C3%A9+%F0%9F%98%80",
        ] {
            assert!(forms_of("café 😀").any(|form| form == expected), "{expected}");
        }
        let broken = [76, 64].map(|width| format!("{}\n{}", "QUFB".repeat(width / 4), "QUFB".repeat(25 - width / 4)));
        assert!(broken.iter().all(|broken| forms_of(&"A".repeat(75)).any(|form| form == *broken)), "{broken:?}");
    }

    #[test]
    fn base64_is_recognised_wherever_the_value_stands_in_the_encoded_data() {
        let encode = |bytes: &[u8]| bytes.chunks(3).flat_map(|group| base64_group(group, STANDARD)).collect::<Vec<_>>();
        for length in 4..12 {
            let value = &b"\xffs3cret-\x00\x80xyz"[..length];
            let forms = forms(value);
            for (before, after) in (0..4).flat_map(|before| (0..4).map(move |after| (before, after))) {
                let text = encode(&[&b"user"[..before], value, &b"tail"[..after]].concat());
                let found = forms.iter().any(|form| text.windows(form.len()).any(|window| window == form));
                assert!(found, "{length} {before} {after}");
            }
        }
    }
}
