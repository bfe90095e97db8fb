//! The strings of `evidence.json`; each is scanned in its decoded form.
//!
//! Numbers, booleans and the member names of the envelope carry no text. Outside the results, neither do strings with
//! the form of a digest, a time or a scan id: a digest is never decoded. *Security*: hostile strings and keys. The
//! stored part of a place is bounded, so a long key costs only its own length however many strings are below it.
//! *Standards*: JSON Pointer (RFC 6901, section 3).

use serde_json::Value;

use crate::consistency;
use chrono::DateTime;
use gatepost_content::{Place, Scan, Source};
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{Evidence, RESULTS_FILE, is_fingerprint, is_signature_path};

/// The longest value that is also scanned together with its key, bytes.
const MEMBER_BYTES_MAX: usize = 512;

/// The maximum length of a pointer, bytes: a longer one is cut to its beginning.
const POINTER_BYTES_MAX: usize = 1024;

/// Scans every string and key of the document, which earlier stages found to be spelled exactly like `evidence`.
pub(super) fn look_at(evidence: &Evidence, scan: &mut Scan) {
    // A value parsed from JSON can always be written as JSON.
    let Ok(Value::Object(members)) = serde_json::to_value(evidence) else { return };
    for (key, value) in &members {
        let place = match key.as_str() {
            // The requester's own words, which earlier stages compared with the request; and the scan id once more.
            "command" | "argv" | "arguments" | "mcp_args" | "purpose" | "requested_by" | "interactions"
            | "parent_session_id" => {
                continue;
            }
            "results" => Place::Results,
            "stderr" | "http_body" => Place::Rendered,
            _ => Place::Prose,
        };
        Walk { file: consistency::FILE, place, steps: vec![Step::Member(key)], scan }.value(key, value);
    }
    // The rest of an interaction is the requester's text, or its form was verified.
    for (number, interaction) in evidence.interactions.iter().enumerate() {
        let steps = |member| vec![Step::Member("interactions"), Step::Item(number), Step::Member(member)];
        let policies = Value::from(interaction.policy.policies.clone());
        Walk { file: consistency::FILE, place: Place::Prose, steps: steps("policy"), scan }.value("policy", &policies);
        let steps = steps("results");
        Walk { file: consistency::FILE, place: Place::Results, steps, scan }.value("results", &interaction.results);
    }
}

/// The same for results in a file of their own.
pub(super) fn look_at_results(results: &Value, scan: &mut Scan) {
    Walk { file: RESULTS_FILE, place: Place::Results, steps: Vec::new(), scan }.value("results", results);
}

/// A step from a value to one within it.
enum Step<'a> {
    Member(&'a str),
    Item(usize),
}

/// Inside one member of the envelope.
struct Walk<'a, 's> {
    file: &'static str,
    place: Place,
    steps: Vec<Step<'a>>,
    scan: &'s mut Scan,
}

impl<'a> Walk<'a, '_> {
    /// Scans a value below the last `key`. The JSON parser bounds the depth.
    fn value(&mut self, key: &'a str, value: &'a Value) {
        match value {
            Value::String(text) => self.string(key, text),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.steps.push(Step::Item(index));
                    self.value(key, item);
                    self.steps.pop();
                }
            }
            Value::Object(members) => {
                for (key, value) in members {
                    self.steps.push(Step::Member(key));
                    self.look(key);
                    self.value(key, value);
                    self.steps.pop();
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Scans a string alone. Some rules need the name of a value, so a string without findings is scanned with its key
    /// too.
    fn string(&mut self, key: &str, text: &str) {
        if self.place == Place::Prose && is_no_prose(text) {
            return;
        }
        let before = self.scan.findings().total();
        self.look(text);
        if self.scan.findings().total() == before && text.len() <= MEMBER_BYTES_MAX && self.place == Place::Results {
            self.look(&format!("\"{key}\": \"{text}\""));
        }
    }

    fn look(&mut self, text: &str) {
        let listed = self.scan.findings().list().len();
        self.scan.look_at(Source::new(self.place, self.file), text.as_bytes());
        self.scan.point_from(listed, || pointer(&self.steps));
    }
}

/// Whether a string is a digest, a time or a scan id, and so no prose.
fn is_no_prose(text: &str) -> bool {
    let is_scan_id = |text: &str| {
        let (seconds, rest) = text.split_once('-').unwrap_or_default();
        !seconds.is_empty()
            && seconds.bytes().all(|byte| byte.is_ascii_digit())
            && rest.len() <= 32
            && rest.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let digest = text.strip_prefix("sha256:").unwrap_or(text);
    let is_proof = is_fingerprint(text) || is_signature_path(text);
    is_proof || Digest::parse(digest).is_ok() || DateTime::parse_from_rfc3339(text).is_ok() || is_scan_id(text)
}

fn pointer(steps: &[Step<'_>]) -> String {
    let mut pointer = String::new();
    for step in steps {
        match step {
            Step::Item(index) => pointer += &format!("/{index}"),
            Step::Member(key) => {
                pointer.push('/');
                for character in key.chars().take(POINTER_BYTES_MAX) {
                    match character {
                        '~' => pointer.push_str("~0"),
                        '/' => pointer.push_str("~1"),
                        _ => pointer.push(character),
                    }
                }
            }
        }
        if pointer.len() >= POINTER_BYTES_MAX {
            break;
        }
    }
    while pointer.len() > POINTER_BYTES_MAX {
        pointer.pop();
    }
    pointer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_its_form_makes_harmless_is_not_looked_at_and_nothing_else_is_left_out() {
        for text in [
            "0".repeat(64),
            format!("sha256:{}", "a".repeat(64)),
            "2026-02-09T16:10:30Z".to_owned(),
            "1770653430-9f3a".to_owned(),
        ] {
            assert!(is_no_prose(&text), "{text}");
        }
        for text in [
            String::new(),
            "0".repeat(63),
            "1770653430-ignore".to_owned(),
            format!("{} x", "0".repeat(64)),
            "tomorrow".to_owned(),
        ] {
            assert!(!is_no_prose(&text), "{text}");
        }
    }

    #[test]
    fn a_pointer_leads_to_the_string_and_is_cut_where_keys_are_long() {
        use Step::{Item, Member};
        assert_eq!(pointer(&[Member("results"), Item(7), Member("a/b~c")]), "/results/7/a~1b~0c");
        let long = "é".repeat(10_000);
        let cut = pointer(&[Member("results"), Member(&long), Item(1)]);
        assert!(cut.starts_with("/results/é") && cut.len() <= POINTER_BYTES_MAX, "{}", cut.len());
    }
}
