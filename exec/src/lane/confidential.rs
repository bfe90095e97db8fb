//! Redacts the secrets of a run in all output of its program.
//!
//! ```text
//! streams and files, their names ▶ (parsed) ▶ results, failures, anomalies      replaced, and counted
//! destinations on the network                                                  left out
//! ```
//!
//! [`crate::redaction`] describes the detected and the missed forms.

use gatepost_contract::manifest::Secret;
use gatepost_mailbox::fault::Fault;
use gatepost_sandbox::network::Record;
use serde_json::Value;

use crate::bundle::Staging;
use crate::lane::run_outcome::{RunOutcome, Upstream};
use crate::redaction::{self, CaselessSearch, RedactionError, Redactor, VALUE_BYTES_MAX, VALUE_BYTES_MIN};

/// A search for the secrets of one run; by default it has none.
#[derive(Default)]
pub struct Confidential {
    search: Option<(Redactor, CaselessSearch)>,
    /// The names of secrets that cannot be searched for.
    unfindable: Vec<String>,
}

impl std::fmt::Debug for Confidential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Confidential").field("unfindable", &self.unfindable).finish_non_exhaustive()
    }
}

impl Confidential {
    /// Prepares the search.
    pub fn new(secrets: &[Secret]) -> Result<Self, RedactionError> {
        let is_findable = |secret: &&Secret| (VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&secret.value.len());
        let (findable, unfindable): (Vec<_>, Vec<_>) = secrets.iter().partition(is_findable);
        let values: Vec<_> = findable
            .into_iter()
            .map(|secret| redaction::Secret { name: &secret.name, value: secret.value.as_bytes() })
            .collect();
        Ok(Self {
            search: match values.as_slice() {
                [] => None,
                values => Some((Redactor::new(values)?, CaselessSearch::new(values)?)),
            },
            unfindable: unfindable.into_iter().map(|secret| secret.name.clone()).collect(),
        })
    }

    /// Removes destinations that contain a secret from a program's network record.
    pub fn withhold(&self, record: &mut Record) {
        if let Some((_, search)) = &self.search {
            record.withhold(|text| search.finds(text));
        }
    }

    /// Replaces the secrets in a program's streams, files and file names, but not in the files that
    /// our own worker writes about its call.
    pub fn replace_in_files(
        &self,
        staging: &Staging,
        upstream: &Upstream,
        anomalies: &mut Vec<String>,
    ) -> Result<(), Fault> {
        for name in &self.unfindable {
            let sentence = "is too short or too long to be redacted in the tool's output";
            anomalies.push(format!("The value of {name} {sentence}."));
        }
        let Some((redactor, _)) = &self.search else { return Ok(()) };
        let label = |name: &str| format!("redacted-{name}");
        let new_name = |path: &str| redactor.replaced(path, label).map(|(path, _)| path);
        let mut count =
            staging.rename(|path| new_name(path).filter(|_| upstream.own_file() != Some(path)), anomalies)?;
        let head = upstream.head().and_then(|head| staging.file(head));
        for file in staging.files()? {
            let lines_kept = usize::from(head.as_ref() == Some(&file));
            let redacted = redactor.redact(&file, lines_kept).map_err(|error| Fault {
                operation: "redact",
                path: file,
                source: std::io::Error::other(error),
            })?;
            count += redacted.count;
        }
        note(count, "the tool's streams and files", anomalies);
        Ok(())
    }

    /// The same results without secrets: a parser may have decoded a secret from an unknown encoding.
    pub fn replace_in_results(&self, mut results: Value, anomalies: &mut Vec<String>) -> Value {
        self.replace(|replace| in_value(&mut results, replace), "the parsed results", anomalies);
        results
    }

    /// Replaces the secrets in a text for results.
    pub fn replace_in_text(&self, text: &mut String, anomalies: &mut Vec<String>) {
        self.replace(|replace| replace(text), "the text of the results", anomalies);
    }

    /// Replaces the secrets in the failure and the anomalies of a run.
    pub fn replace_in_words(&self, outcome: &mut RunOutcome) {
        let RunOutcome { results, anomalies, .. } = outcome;
        let mut sentences = std::mem::take(anomalies);
        let failure = results.as_mut().err().into_iter().flat_map(|failure| [&mut failure.message, &mut failure.hint]);
        self.replace(
            |replace| sentences.iter_mut().chain(failure).for_each(replace),
            "the sentences about the run",
            anomalies,
        );
        anomalies.splice(..0, sentences);
    }

    /// Replaces secrets in every text that `visit` passes, and adds their number as an anomaly.
    fn replace(&self, visit: impl FnOnce(&mut dyn FnMut(&mut String)), place: &str, anomalies: &mut Vec<String>) {
        let Some((redactor, _)) = &self.search else { return };
        let mut count = 0;
        visit(&mut |text| {
            if let Some((replaced, times)) = redactor.replaced(text, redaction::label) {
                (*text, count) = (replaced, count + times);
            }
        });
        note(count, place, anomalies);
    }
}

fn note(count: u64, place: &str, anomalies: &mut Vec<String>) {
    if count > 0 {
        let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
        anomalies.push(format!("Secrets were found {times} in {place}; they were redacted."));
    }
}

/// Every text of a value, keys too. Parsers bound its depth.
fn in_value(value: &mut Value, replace: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => replace(text),
        Value::Array(values) => values.iter_mut().for_each(|value| in_value(value, replace)),
        Value::Object(map) => {
            let entry = |(mut key, mut value): (String, Value)| {
                replace(&mut key);
                in_value(&mut value, replace);
                (key, value)
            };
            *map = std::mem::take(map).into_iter().map(entry).collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
