//! One labelled sample of the content sets: the bytes that a rule would meet, and what they are.
//!
//! Reads `tests/content/{development,held-out}/{class}.jsonl`. It judges nothing. A sample that must not stand literally
//! in the repository is kept in parts, which are joined here.
//!
//! ```json
//! {"id": "development-howto-1", "class": "benign", "form": "howto", "place": "prose", "text": "Press Ctrl-C."}
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The halves: rules are written against the first and measured on the second.
pub const SPLITS: [&str; 2] = ["development", "held-out"];

/// The classes: one harmless, and the six that content rules are to find.
pub const CLASSES: [&str; 7] =
    ["benign", "secret", "executable_payload", "policy_claim", "instruction", "exfil_link", "hidden_text"];

/// Where in a bundle the sample stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// A prose section of the result document.
    Prose,
    /// An excerpt of stdout or stderr.
    Stream,
    /// A string within the parsed results.
    Results,
    /// A file below `artifacts/`.
    Artifact,
}

/// A line of a set as it is written: exactly one of the last three is there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: String,
    class: String,
    form: String,
    place: Place,
    text: Option<String>,
    bytes_base64: Option<String>,
    parts: Option<Vec<String>>,
}

/// A labelled sample.
#[derive(Debug, Clone)]
pub struct Sample {
    /// Unique over both halves; begins with the half and the class.
    pub id: String,
    /// One of [`CLASSES`].
    pub class: String,
    /// How an attack is dressed (`plain`, `polite`, …), or what kind of output a harmless sample is.
    pub form: String,
    /// Where it stands.
    pub place: Place,
    /// What stands there; text is UTF-8.
    pub bytes: Vec<u8>,
    /// The parts, if it must not stand literally in the repository.
    pub parts: Option<Vec<String>>,
}

/// The file of a class in a half.
pub fn path(split: &str, class: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/content").join(split).join(class).with_extension("jsonl")
}

/// The samples of a class in a half, in the file's order. Panics with the line's number on a line that is no sample.
pub fn samples(split: &str, class: &str) -> Vec<Sample> {
    let file = path(split, class);
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let lines = text.lines().enumerate();
    lines
        .map(|(at, line)| sample(line).unwrap_or_else(|error| panic!("{}:{}: {error}", file.display(), at + 1)))
        .collect()
}

fn sample(line: &str) -> Result<Sample, String> {
    let Line { id, class, form, place, text, bytes_base64, parts } =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    let bytes = match (text, bytes_base64, &parts) {
        (Some(text), None, None) => text.into_bytes(),
        (None, Some(base64), None) => decoded(&base64).ok_or("bytes_base64 is not base64 with padding")?,
        (None, None, Some(parts)) => parts.concat().into_bytes(),
        _ => return Err("expected exactly one of text, bytes_base64 and parts".to_owned()),
    };
    Ok(Sample { id, class, form, place, bytes, parts })
}

/// The bytes of base64 (RFC 4648, section 4), or none if it is not canonical.
fn decoded(base64: &str) -> Option<Vec<u8>> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = base64.trim_end_matches('=');
    if !base64.len().is_multiple_of(4) || base64.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut pending, mut bits) = (0_u32, 0);
    for digit in digits.bytes() {
        let value = ALPHABET.iter().position(|known| *known == digit)?;
        pending = pending << 6 | u32::try_from(value).ok()?;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(pending >> bits).ok()?);
            pending &= (1 << bits) - 1;
        }
    }
    (pending == 0).then_some(bytes)
}
