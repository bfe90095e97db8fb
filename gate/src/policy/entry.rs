//! Finds the wrong entry of `[content] severity` in `gate.toml`, and its fix.
//!
//! The TOML parser knows only where the list begins. This code reads every entry by itself, with the place of each of
//! its keys. Judges nothing: an entry is valid if [`Weighing`] accepts it.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::{Spanned, Value};

use gatepost_content::Place;
use gatepost_content::weighing::{Entry, Weighing};
use gatepost_documents::reason::{Code, Severity, Stage};

const KEYS: [&str; 5] = ["code", "rule", "place", "severity", "because"];

/// The part of a `gate.toml` with the entries.
#[derive(Deserialize)]
struct Document {
    content: Content,
}

#[derive(Deserialize)]
struct Content {
    severity: Vec<Spanned<Keys>>,
}

type Keys = BTreeMap<Spanned<String>, Spanned<Value>>;

/// The fault of the first wrong entry: the byte offset of its key, or of the entry if a key is missing, and a sentence.
/// `None` if the fault is elsewhere.
pub(super) fn fault(text: &str) -> Option<(usize, String)> {
    let document: Document = toml::from_str(text).ok()?;
    let mut entries = (1..).zip(&document.content.severity);
    entries.find_map(|(number, entry)| {
        let (place, fault) = fault_of(entry)?;
        Some((place.start, format!("Entry {number} of [content] severity: {fault}.")))
    })
}

fn fault_of(entry: &Spanned<Keys>) -> Option<(Range<usize>, String)> {
    for (key, value) in entry.get_ref() {
        if !KEYS.contains(&key.get_ref().as_str()) {
            return Some((key.span(), format!("there is no key {:?}; use one of {}", key.get_ref(), KEYS.join(", "))));
        }
        if let Some(fault) = fault_of_value(key.get_ref(), value.get_ref()) {
            return Some((value.span(), fault));
        }
    }
    let table = entry.get_ref().iter().map(|(key, value)| (key.get_ref().clone(), value.get_ref().clone())).collect();
    let Ok(entry_read) = Entry::deserialize(Value::Table(table)) else {
        return Some((entry.span(), "`severity` is missing; it is \"reject\" or \"flag\"".to_owned()));
    };
    let fault = Weighing::try_from(entry_read).err()?;
    let key = entry.get_ref().iter().find(|(key, _)| Some(key.get_ref().as_str()) == fault.key);
    Some((key.map_or_else(|| entry.span(), |(_, value)| value.span()), fault.message))
}

fn fault_of_value(key: &str, value: &Value) -> Option<String> {
    let codes = || {
        let codes = Code::ALL.iter().filter(|code| code.stage() == Stage::Content && **code != Code::BudgetExceeded);
        codes.map(|code| code.as_str()).collect::<Vec<_>>().join(", ")
    };
    match key {
        "code" => wrong::<Code>(value).then(|| format!("{value} is not a content code; use one of {}", codes())),
        "place" => wrong::<Place>(value).then(|| format!("{value} is not a place; use rendered, results or artifact")),
        "severity" => wrong::<Severity>(value).then(|| format!("{value} is not a severity; use reject or flag")),
        _ => wrong::<String>(value).then(|| format!("`{key}` is a text in quotes, not {value}")),
    }
}

fn wrong<T: DeserializeOwned>(value: &Value) -> bool {
    T::deserialize(value.clone()).is_err()
}
