//! The values of a request's keys, each parsed into a type that cannot be invalid.
//!
//! A parser says only whether a value has its form; `key.rs` describes the form for the message.

use chrono::{DateTime, Utc};
use gatepost_documents::artifact_name;
use gatepost_documents::digest::Digest;
use gatepost_documents::front_matter::{ScalarKind, Value};
use gatepost_documents::request_summary::one_line;
pub use gatepost_documents::request_summary::{PRINTABLE_CHARACTERS_MAX, PURPOSE_CHARACTERS_MAX};

use super::Version;
use super::field::Member;

/// An input file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// As [`input_name`] has it.
    pub name: String,
    /// Its digest.
    pub sha256: Digest,
}

/// A file that the tool will leave.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedOutput {
    /// Relative to `/out`, without `..`; its components are plain file names.
    pub path: String,
    /// One line.
    pub description: String,
}

/// A request's place among those that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Priority {
    /// After all others.
    Low,
    /// In the order of arrival.
    #[default]
    Normal,
    /// Before all others.
    High,
}

impl Priority {
    /// The text form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Normal => "normal",
            Self::High => "high",
        }
    }
}

pub(super) fn priority(text: &str) -> Option<Priority> {
    [Priority::Low, Priority::Normal, Priority::High].into_iter().find(|priority| priority.as_str() == text)
}

pub(super) fn version(value: &Value) -> Option<Version> {
    match value {
        Value::Scalar { text, kind: ScalarKind::Text | ScalarKind::Integer(_) } => match text.as_str() {
            "1" => Some(Version::V1),
            "2" => Some(Version::V2),
            _ => None,
        },
        _ => None,
    }
}

/// RFC 3339, upper-case `T`, offset `Z` or `+00:00`.
pub(super) fn utc(text: &str) -> Option<DateTime<Utc>> {
    let is_utc = text.ends_with('Z') || text.ends_with("+00:00");
    let time = DateTime::parse_from_rfc3339(text).ok()?;
    (is_utc && text.as_bytes().get(10) == Some(&b'T')).then(|| time.to_utc())
}

/// A few characters on one line.
pub fn printable(text: &str) -> Option<String> {
    one_line(text, PRINTABLE_CHARACTERS_MAX)
}

/// A sentence on one line.
pub fn purpose(text: &str) -> Option<String> {
    one_line(text, PURPOSE_CHARACTERS_MAX)
}

pub(super) fn wants_network(text: &str) -> Option<bool> {
    match text {
        "none" => Some(false),
        "allowlist" => Some(true),
        _ => None,
    }
}

pub(super) fn cores(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Scalar { kind: ScalarKind::Text | ScalarKind::Integer(_) | ScalarKind::Float(_), text } => {
            let plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            text.parse::<f64>().ok().filter(|_| plain)?
        }
        _ => return None,
    };
    (number > 0.0 && number.is_finite()).then_some(number)
}

pub(super) fn count(value: &Value) -> Option<u64> {
    let number = match value {
        Value::Scalar { kind: ScalarKind::Integer(number), .. } => u64::try_from(*number).ok()?,
        Value::Scalar { kind: ScalarKind::Text, text } if text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().ok()?
        }
        _ => return None,
    };
    (number > 0).then_some(number)
}

/// The form of an input's name: that of an artifact, so that it travels everywhere as it is.
pub const INPUT_NAME_FORM: &str =
    "1 to 255 of A-Z a-z 0-9 . _ - + = @ , not beginning with a dot; every other byte as %XX";

/// The name of an input.
pub fn input_name(text: &str) -> Option<String> {
    artifact_name::fault(text.as_bytes()).is_none().then(|| text.to_owned())
}

fn is_file_name(text: &str) -> bool {
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+=@,%".contains(&byte);
    (1..=255).contains(&text.len()) && !text.starts_with('.') && text.bytes().all(alphabet)
}

fn output_path(path: &str) -> Option<String> {
    // `/out` is where the tool finds the folder to which the path is relative.
    let relative = path.strip_prefix("/out/").unwrap_or(path);
    let plain = path.len() <= 1024 && relative.split('/').all(is_file_name);
    plain.then(|| path.to_owned())
}

/// The keys of an input.
pub(super) const INPUT: (Member<String>, Member<Digest>) = (
    Member {
        name: "name",
        form: INPUT_NAME_FORM,
        hint: "Rename the file in in/, for example to `My%20Report.csv`; `gatepost submit --input` does it by itself.",
        parse: input_name,
    },
    Member {
        name: "sha256",
        form: "64 lower-case hexadecimal digits",
        hint: "Write what `sha256sum` prints for the file.",
        parse: |text| Digest::parse(text).ok(),
    },
);

/// The keys of an expected output.
pub(super) const EXPECTED_OUTPUT: (Member<String>, Member<String>) = (
    Member {
        name: "path",
        form: "a path relative to /out, without ..",
        hint: "Write, for example, `path: \"report.csv\"`.",
        parse: output_path,
    },
    Member {
        name: "description",
        form: "one line of 1 to 1000 characters",
        hint: "Say in one line what the file is.",
        parse: purpose,
    },
);

pub(super) fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Scalar { kind: ScalarKind::Boolean(value), .. } => Some(*value),
        _ => None,
    }
}

pub(super) fn session_id(text: &str) -> Option<String> {
    let alphabet = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    ((1..=128).contains(&text.len()) && text.bytes().all(alphabet)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_states_utc() {
        for text in ["2026-02-09T16:05:01Z", "2026-02-09T16:05:01.5Z", "2026-02-09T16:05:01+00:00"] {
            assert!(utc(text).is_some(), "{text}");
        }
        for text in [
            "2026-02-09T16:05:01",
            "2026-02-09T16:05:01-00:00",
            "2026-02-09 16:05:01Z",
            "2026-02-09T16:05:01+01:00",
            "2026-02-09T16:05:01z",
            "yesterday",
            "",
        ] {
            assert_eq!(utc(text), None, "{text}");
        }
    }

    #[test]
    fn a_file_name_and_an_output_path_stay_where_they_belong() {
        for text in ["", ".", "..", ".hidden", "a/b", "a b", "a\n", "\u{e9}"] {
            assert_eq!((input_name(text), is_file_name(text)), (None, false), "{text:?}");
        }
        assert!(["data-1_2.csv", "My%20Report.csv"].into_iter().all(|name| input_name(name).is_some()));
        assert!(input_name("100%.csv").is_none() && is_file_name("100%.csv"));
    }
}
