//! The forms of the values in a result's front matter. Each function parses a value of its form, or returns `None`.

use chrono::NaiveDateTime;

use super::{Artifact, Digest, Status, Value, artifact_name};
use gatepost_documents::front_matter::ScalarKind;

/// The most characters of a name.
const NAME_CHARACTERS_MAX: usize = 128;
/// The most destinations.
const DESTINATIONS_MAX: usize = 256;
/// The most characters of a destination: a host name by RFC 1123, a colon and a port.
const DESTINATION_CHARACTERS_MAX: usize = 253 + 1 + 5;
/// The form of a time of whole seconds.
const TIME: &str = "%Y-%m-%dT%H:%M:%SZ";

pub(crate) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Scalar { text, kind: ScalarKind::Text } => Some(text),
        _ => None,
    }
}

pub(crate) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Scalar { kind: ScalarKind::Integer(number), .. } => Some(*number),
        _ => None,
    }
}

pub(crate) fn exactly<'a>(value: &'a Value, expected: &str) -> Option<&'a str> {
    text(value).filter(|text| *text == expected)
}

pub(crate) fn one_of<'a>(value: &'a Value, expected: &[&str]) -> Option<&'a str> {
    text(value).filter(|text| expected.contains(text))
}

pub(crate) fn network_used(value: &Value) -> Option<&str> {
    one_of(value, &["none", "allowlist"])
}

/// A text of one line and bounded length.
pub(crate) fn name(value: &Value) -> Option<&str> {
    text(value).filter(|text| is_line(text, NAME_CHARACTERS_MAX))
}

fn is_line(text: &str, characters_max: usize) -> bool {
    text.chars().count() <= characters_max && !text.contains(char::is_control)
}

pub(crate) fn time(value: &Value) -> Option<&str> {
    // chrono is lenient about widths: only the spelling that it would print counts.
    let is_time =
        |text: &str| NaiveDateTime::parse_from_str(text, TIME).is_ok_and(|time| time.format(TIME).to_string() == text);
    text(value).filter(|text| is_time(text))
}

pub(crate) fn exit_code(value: &Value) -> Option<i32> {
    integer(value).and_then(|number| i32::try_from(number).ok())
}

/// At most nine digits, a point and three digits.
pub(crate) fn seconds(value: &Value) -> Option<f64> {
    let Value::Scalar { text, kind: ScalarKind::Float(seconds) } = value else { return None };
    let (whole, decimals) = text.split_once('.')?;
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let valid = (1..=9).contains(&whole.len()) && decimals.len() == 3 && digits(whole) && digits(decimals);
    valid.then_some(*seconds)
}

pub(crate) fn status(value: &Value) -> Option<Status> {
    let all = [Status::Success, Status::Error, Status::Timeout, Status::Delegated];
    text(value).and_then(|text| all.into_iter().find(|status| status.as_str() == text))
}

pub(crate) fn digest(value: &Value) -> Option<Digest> {
    text(value).and_then(|text| Digest::parse(text).ok())
}

pub(crate) fn optional_digest(value: &Value) -> Option<&str> {
    text(value).filter(|text| text.is_empty() || Digest::parse(text).is_ok())
}

pub(crate) fn destinations(value: &Value) -> Option<Vec<String>> {
    let Value::List(items) = value else { return None };
    let is_short = |text: &&str| is_line(text, DESTINATION_CHARACTERS_MAX);
    let all = || items.iter().map(|item| text(&item.value).filter(is_short).map(str::to_owned)).collect();
    (items.len() <= DESTINATIONS_MAX).then(all).flatten()
}

/// Artifacts in the order of their paths, each once.
pub(crate) fn artifacts(value: &Value) -> Option<Vec<Artifact>> {
    let Value::List(items) = value else { return None };
    let artifacts = items.iter().map(|item| artifact(&item.value)).collect::<Option<Vec<_>>>()?;
    artifacts.is_sorted_by(|left, right| left.path < right.path).then_some(artifacts)
}

fn artifact(value: &Value) -> Option<Artifact> {
    let Value::Map(entries) = value else { return None };
    match entries.as_slice() {
        [path, sha256] if path.key == "path" && sha256.key == "sha256" => {
            let path = text(&path.node.value).filter(|path| is_path(path))?.to_owned();
            Some(Artifact { path, sha256: digest(&sha256.node.value)? })
        }
        _ => None,
    }
}

pub(crate) fn is_path(path: &str) -> bool {
    path.len() <= 1_024 && path.split('/').all(|component| artifact_name::fault(component.as_bytes()).is_none())
}
