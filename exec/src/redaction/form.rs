//! The forms in which a program may print a value: raw, and in the common encodings.
//!
//! Standards: RFC 4648 (Base64, Base32, Base16), RFC 3986 section 2.1 (percent-encoding), RFC 8259 section 7 (JSON strings),
//! POSIX.1-2024 XCU section 2.2 (quoting in the shell), RFC 2781 (UTF-16), Unicode 17.0 section 3.10 (UTF-32).

use super::base::{self, LOWER, UPPER};

/// Fewest bytes of a value for a search of Base64 and digits across separators, and for a search of Base32 and lower case at
/// all: four numbers in a column, or a few letters, match by chance.
const FOLDED_BYTES_MIN: usize = 8;

/// The characters that Bash's `printf %q` escapes with a backslash.
const SHELL_SPECIAL: &str = " \t!\"$&'()*,;<>?[\\]^`{|}";

/// The characters that encoders keep besides letters and digits: RFC 3986's unreserved characters, also in paths; ECMAScript's
/// `encodeURIComponent` and `encodeURI`; and gatepost for the names of artifacts.
const NOT_ENCODED: [&[u8]; 6] = [b"-._~", b"-._~+", b"-._~/", b"-_.!~*'()", b";,/?:@&=+$-_.!~*'()#", b"._-+=@,/"];

/// Every form of a value, each once.
#[derive(Default)]
pub(super) struct Forms {
    /// The plain forms.
    pub exact: Vec<Vec<u8>>,
    /// The forms that are searched without separators; see [`super::fold`].
    pub folded: Vec<Vec<u8>>,
}

impl Forms {
    pub(super) fn of(value: &[u8]) -> Self {
        let mut forms = Self { exact: vec![value.to_vec()], folded: Vec::new() };
        if let Ok(text) = std::str::from_utf8(value) {
            let texts = quotations(text).chain(shell_words(text));
            forms.exact.extend(texts.map(String::into_bytes));
            forms.exact.extend([u16::to_le_bytes, u16::to_be_bytes].map(|order| utf16(text, order)));
            forms.exact.extend([u32::to_le_bytes, u32::to_be_bytes].map(|order| utf32(text, order)));
        }
        forms.exact.extend(percent_encodings(value));
        forms.exact.extend(byte_lists(value));
        if value.len() < FOLDED_BYTES_MIN {
            forms.exact.extend(base::forms(value, &base::COMMON));
        } else {
            // Programs change the case of header names and host names.
            forms.exact.extend([value.to_ascii_lowercase(), value.to_ascii_uppercase()]);
            forms.folded.extend([&base::COMMON[..], &base::BASE32].iter().flat_map(|them| base::forms(value, them)));
        }
        for forms in [&mut forms.exact, &mut forms.folded] {
            forms.sort();
            forms.dedup();
        }
        forms
    }
}

/// The percent-encodings of URLs, also encoded twice for a URL within a URL; HTML forms write a space as a plus
/// sign.
fn percent_encodings(value: &[u8]) -> Vec<Vec<u8>> {
    let encoded = |digits: &'static [u8; 16]| {
        NOT_ENCODED.map(|more| percent(value, digits, |byte| byte.is_ascii_alphanumeric() || more.contains(&byte)))
    };
    let with = |forms: &[Vec<u8>], from: &str, to: &str| -> Vec<Vec<u8>> {
        forms.iter().map(|form| String::from_utf8_lossy(form).replace(from, to).into_bytes()).collect()
    };
    let mut forms = [encoded(LOWER), encoded(UPPER)].concat();
    forms.extend(with(&forms, "%20", "+"));
    forms.extend(with(&encoded(UPPER), "%", "%25"));
    forms.extend([LOWER, UPPER].map(|digits| percent(value, digits, |_| false)));
    forms
}

/// Each byte as a number, as programs print bytes: `68-75`, `\x68\x75`, `104, 117`, `\150\165`.
fn byte_lists(value: &[u8]) -> Vec<Vec<u8>> {
    let list = |number: &dyn Fn(u8) -> String, separator: &str| -> Vec<u8> {
        value.iter().map(|byte| number(*byte)).collect::<Vec<_>>().join(separator).into_bytes()
    };
    let hexadecimal: [fn(u8) -> String; 2] = [|byte| format!("{byte:02x}"), |byte| format!("{byte:02X}")];
    let mut forms = vec![list(&|byte| format!("\\{byte:03o}"), "")];
    for number in hexadecimal {
        forms.push(list(&number, "-"));
        forms.push(list(&|byte| format!("\\x{}", number(byte)), ""));
    }
    forms.extend([" ", ",", ", "].map(|separator| list(&|byte| byte.to_string(), separator)));
    forms
}

/// A text as a word of the shell: with backslashes, and between single quotation marks.
fn shell_words(text: &str) -> impl Iterator<Item = String> {
    let is_special = |character: char| SHELL_SPECIAL.contains(character);
    let escaped =
        text.chars().flat_map(|character| is_special(character).then_some('\\').into_iter().chain([character]));
    [escaped.collect(), text.replace('\'', r"'\''"), text.replace('\'', "'\"'\"'")].into_iter()
}

fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(order).collect()
}

fn utf32(text: &str, order: fn(u32) -> [u8; 4]) -> Vec<u8> {
    text.chars().flat_map(|character| order(u32::from(character))).collect()
}

/// A text between quotation marks: in usual JSON, with escaped slashes, with escaped non-ASCII characters,
/// and with escapes only; in JSON within JSON; and in gatepost's own sentences.
fn quotations(text: &str) -> impl Iterator<Item = String> {
    let json = |text: &str| {
        let json = serde_json::Value::from(text).to_string();
        json[1..json.len() - 1].to_owned()
    };
    let plain = json(text);
    let slashed = plain.replace('/', "\\/");
    let mut forms = Vec::new();
    for digits in [LOWER, UPPER] {
        forms.extend([&plain, &slashed].map(|text| escaped(text, digits, |character| !character.is_ascii())));
        forms.push(escaped(text, digits, |_| true));
    }
    let own = gatepost_documents::text::quoted(text);
    forms.push(own[1..own.len() - 1].to_owned());
    forms.into_iter().chain([json(&plain), plain, slashed])
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
        let Forms { exact, folded } = Forms::of(b"pa/ss?~\"w\n");
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
            assert!(exact.iter().chain(&folded).any(|form| form == expected.as_bytes()), "{expected}");
        }
    }

    #[test]
    fn what_is_not_ascii_is_recognised_as_programs_write_it() {
        let forms = Forms::of("café 😀".as_bytes()).exact;
        for expected in [
            "caf\\u00e9 \\ud83d\\ude00",
            "caf\\u00E9 \\uD83D\\uDE00",
            "caf%C3%A9%20%F0%9F%98%80",
            "caf%C3%A9+%F0%9F%98%80",
        ] {
            assert!(forms.iter().any(|form| form == expected.as_bytes()), "{expected}");
        }
        for expected in [&b"\xe9\0 \0\x3d\xd8\0\xde"[..], b"\0\xe9\0 \xd8\x3d\xde\0"] {
            assert!(forms.iter().any(|form| form.ends_with(expected)), "{expected:x?}");
        }
    }

    #[test]
    fn bytes_are_recognised_as_programs_list_them() {
        let forms = Forms::of("hü".as_bytes()).exact;
        for expected in [
            r"\x68\xc3\xbc",
            r"\x68\xC3\xBC",
            "68-c3-bc",
            "68-C3-BC",
            "104, 195, 188",
            "104,195,188",
            "104 195 188",
            r"\150\303\274",
        ] {
            assert!(forms.iter().any(|form| form == expected.as_bytes()), "{expected}");
        }
        for expected in [&b"h\0\0\0\xfc\0\0\0"[..], b"\0\0\0h\0\0\0\xfc"] {
            assert!(forms.iter().any(|form| form == expected), "{expected:x?}");
        }
    }

    #[test]
    fn what_is_special_to_a_shell_or_a_second_encoder_is_recognised() {
        let forms = Forms::of(b"a&b<'c\"/ d").exact;
        for expected in [
            r#"a\&b\<\'c\"/\ d"#,
            r#"a&b<'\''c"/ d"#,
            r#"a&b<'"'"'c"/ d"#,
            r#"a&b<'c\\\"/ d"#,
            "a%2526b%253C%2527c%2522%252F%2520d",
        ] {
            assert!(forms.iter().any(|form| form == expected.as_bytes()), "{expected}");
        }
    }

    #[test]
    fn the_encodings_of_a_short_value_are_looked_for_as_they_are() {
        let Forms { exact, folded } = Forms::of(b"1234567");
        assert!(exact.contains(&b"31323334353637".to_vec()) && folded.is_empty());
        let Forms { exact, folded } = Forms::of(b"12345678");
        assert!(folded.contains(&b"3132333435363738".to_vec()) && !exact.contains(&folded[0]));
    }
}
