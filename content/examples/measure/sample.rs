//! Labelled samples: the bytes that a rule would meet, and their label.
//!
//! Reads a file of JSON Lines, and judges nothing. What must not stand literally in a repository is kept in parts, which are
//! joined here. The tests of the sets read them by this very file.
//!
//! ```json
//! {"id": "development-howto-1", "class": "benign", "form": "howto", "place": "prose", "text": "Press Ctrl-C."}
//! ```

use std::fs;
use std::path::Path;

use gatepost_content::Place;
use serde::Deserialize;

/// The classes: one harmless, and the six that content rules are to find.
pub(crate) const CLASSES: [&str; 7] =
    ["benign", "secret", "executable_payload", "policy_claim", "instruction", "exfil_link", "hidden_text"];

/// A line of JSON Lines as it is written: exactly one of the last three is there.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// `<file>:<line>` if absent.
    #[serde(default)]
    id: String,
    /// The file's name without its ending if absent.
    #[serde(default)]
    class: String,
    /// `-` if absent.
    #[serde(default)]
    form: String,
    #[serde(default)]
    place: Stands,
    text: Option<String>,
    bytes_base64: Option<String>,
    parts: Option<Vec<String>>,
}

/// The place of a sample in a bundle.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Stands {
    Prose,
    Stream,
    Results,
    #[default]
    Artifact,
}

/// A labelled sample.
#[derive(Debug, Clone)]
pub(crate) struct Sample {
    /// Unique within its set.
    pub id: String,
    /// One of [`CLASSES`].
    pub class: String,
    /// The form of an attack (`plain`, `polite`, …), or the kind of output of a harmless sample.
    pub form: String,
    /// Its place.
    pub place: Place,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The samples of one file of JSON Lines, in its order.
pub(crate) fn samples_of(file: &Path) -> Result<Vec<Sample>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, at)| sample(line, file, at).map_err(|error| format!("{}:{at}: {error}", file.display())))
        .collect()
}

fn sample(line: &str, file: &Path, at: usize) -> Result<Sample, String> {
    let Line { mut id, mut class, mut form, place, text, bytes_base64, parts } =
        serde_json::from_str(line).map_err(|error| error.to_string())?;
    let bytes = match (text, bytes_base64, parts) {
        (Some(text), None, None) => text.into_bytes(),
        (None, Some(base64), None) => decoded(&base64).ok_or("bytes_base64 is not base64 with padding")?,
        (None, None, Some(parts)) => parts.concat().into_bytes(),
        _ => return Err("expected exactly one of text, bytes_base64 and parts".to_owned()),
    };
    if id.is_empty() {
        id = format!("{}:{at}", file.display());
    }
    if class.is_empty() {
        class = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    }
    if !CLASSES.contains(&class.as_str()) {
        return Err(format!("there is no class {class:?}, only {}", CLASSES.join(", ")));
    }
    if form.is_empty() {
        "-".clone_into(&mut form);
    }
    let place = match place {
        Stands::Prose => Place::Prose,
        Stands::Stream => Place::Rendered,
        Stands::Results => Place::Results,
        Stands::Artifact => Place::Artifact,
    };
    Ok(Sample { id, class, form, place, bytes })
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
