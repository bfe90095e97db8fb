//! The arguments of a call equal those of the request, or its manifest's defaults.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::HINT;
use crate::consistency;
use crate::manifest::{Argument, Manifest};
use crate::request::{Lane, Request};
use gatepost_documents::evidence::Evidence;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// Every argument that differs from the request. Only a call of a manifest has arguments.
pub(super) fn faults(evidence: &Evidence, request: &Request, manifest: Option<&Manifest>) -> Vec<Reason> {
    let messages = match (&request.lane, manifest) {
        (Some(Lane::Clad { args, .. }), Some(manifest)) if !consistency::is_without_call(evidence) => {
            differing(&evidence.arguments, args, &manifest.arguments)
        }
        // Another check reports a missing or unreadable manifest.
        (Some(Lane::Clad { .. }), None) if !consistency::is_without_call(evidence) => Vec::new(),
        _ => evidence.arguments.keys().map(|name| of_nobody(name)).collect::<Vec<_>>(),
    };
    let reason = |message| Reason::new(Code::RequestMismatch, message, HINT).in_file(consistency::FILE);
    messages.into_iter().map(reason).collect()
}

/// Every argument that is neither the given one nor, if none was given, its default.
pub(super) fn differing(
    found: &Map<String, Value>,
    given: &BTreeMap<String, String>,
    declared: &BTreeMap<String, Argument>,
) -> Vec<String> {
    let absent = given.keys().filter(|name| !found.contains_key(name.as_str()));
    let absent = absent.map(|name| format!("The evidence lacks the argument {} of the request.", quoted(name)));
    let other = found.iter().filter(|(name, value)| {
        let given = given.get(name.as_str()).map(String::as_str);
        !declared.get(name.as_str()).is_some_and(|argument| holds(name, value, given, argument))
    });
    absent.chain(other.map(|(name, _)| of_nobody(name))).collect()
}

fn of_nobody(name: &str) -> String {
    format!("The value of the argument {} comes neither from the request nor from its manifest.", quoted(name))
}

/// Whether a value is the given one, or the default if none was given.
fn holds(name: &str, value: &Value, given: Option<&str>, argument: &Argument) -> bool {
    let (Some(value), Some(expected)) = (value.as_str(), given.or(argument.default.as_deref())) else { return false };
    if argument.is_sensitive {
        return value == format!("[sensitive:{name}]");
    }
    value == expected || !argument.is_verbatim
}
