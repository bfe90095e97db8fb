//! The entries of a request by key: required keys, forbidden keys, and the types of their values.
//!
//! Every fault is collected with its place; where the form has no places (JSON), the key's path in the message is the place.

use std::collections::HashMap;

use gatepost_documents::front_matter::{Entry, Node, ScalarKind, Value};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

use super::Version;
use super::key::{KEYS, Key, Presence};
use crate::nearest::nearest;

/// The most faults that are listed for one document.
const FAULTS_MAX: usize = 64;

/// The faults of one document.
#[derive(Default)]
pub(super) struct Faults(Vec<Reason>);

impl Faults {
    /// Adds a fault at a place; line 0 means that there is none.
    pub(super) fn add(&mut self, (line, column): (u32, u32), reason: Reason) {
        if self.0.len() < FAULTS_MAX {
            self.0.push(if line == 0 { reason } else { reason.at(line, column) });
        }
    }

    /// All of them, in the order of the document, each about `file`.
    pub(super) fn into_reasons(mut self, file: &str) -> Vec<Reason> {
        let is_full = self.0.len() == FAULTS_MAX;
        self.0.sort_by_key(|reason| (reason.line, reason.column));
        if let Some(last) = self.0.last_mut().filter(|_| is_full) {
            last.message.push_str(" Not all errors are listed; there may be more.");
        }
        self.0.into_iter().map(|reason| reason.in_file(file)).collect()
    }
}

/// The entries of a document.
pub(super) struct Fields<'a> {
    all: &'a [Entry],
    by_name: HashMap<&'a str, &'a Entry>,
}

impl<'a> Fields<'a> {
    pub(super) fn new(all: &'a [Entry]) -> Self {
        Self { all, by_name: all.iter().map(|entry| (entry.key.as_str(), entry)).collect() }
    }

    /// The place of faults about missing parts.
    fn start(&self) -> (u32, u32) {
        self.all.first().map_or((0, 0), |entry| (entry.line, entry.column))
    }

    /// Whether the key is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Whether the key is there with anything but an empty list.
    pub(super) fn has_members(&self, name: &str) -> bool {
        let is_empty = |entry: &&Entry| matches!(&entry.node.value, Value::List(nodes) if nodes.is_empty());
        self.by_name.get(name).is_some_and(|entry| !is_empty(entry))
    }

    /// Refuses keys that this version does not have, and the lack of those that it demands.
    pub(super) fn check_keys(&self, version: Version, faults: &mut Faults) {
        for entry in self.all {
            if Key::named(&entry.key).is_none_or(|key| key.presence(version) == Presence::Unknown) {
                let message = format!("Version {version} requests have no key {}.", quoted(&entry.key));
                let known = KEYS.iter().filter(|key| key.presence(version) != Presence::Unknown).map(|key| key.name);
                let hint = match nearest(&entry.key, known.filter(|name| !self.has(name))) {
                    Some(name) => format!("Did you mean `{name}`?"),
                    None => "Remove it, or correct its spelling.".to_owned(),
                };
                faults.add((entry.line, entry.column), Reason::new(Code::KeyUnknown, message, hint));
            }
        }
        for key in KEYS.iter().filter(|key| key.presence(version) == Presence::Required) {
            if !self.has(key.name) {
                self.missing(key.name, &format!("a version {version} request"), faults);
            }
        }
    }

    /// Refuses the lack of a key.
    pub(super) fn missing(&self, name: &str, owner: &str, faults: &mut Faults) {
        let message = format!("The key {name} is missing; {owner} needs it.");
        faults.add(self.start(), Reason::new(Code::KeyMissing, message, hint(name)));
    }

    /// A fault of the key's value that is not one of form.
    pub(super) fn refuse(&self, name: &str, reason: Reason, faults: &mut Faults) {
        let place = self.by_name.get(name).map_or(self.start(), |entry| (entry.node.line, entry.node.column));
        faults.add(place, reason);
    }

    /// The value of a key as `parse` sees it; `None` when it is absent, or when it was refused.
    pub(super) fn read<T>(&self, name: &str, faults: &mut Faults, parse: impl Fn(&Value) -> Option<T>) -> Option<T> {
        let entry = self.by_name.get(name)?;
        let parsed = parse(&entry.node.value);
        if parsed.is_none() {
            invalid(name, name, &entry.node, faults);
        }
        parsed
    }

    /// The text of a key as `parse` sees it.
    pub(super) fn text<T>(&self, name: &str, faults: &mut Faults, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        self.read(name, faults, |value| parse(text(value)?))
    }

    /// The text of a key as `parse` sees it; a missing or empty text counts as absent.
    pub(super) fn text_if_any<T>(
        &self,
        name: &str,
        faults: &mut Faults,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        match self.by_name.get(name).map(|entry| &entry.node.value)? {
            Value::Null => None,
            Value::Scalar { text, kind: ScalarKind::Text } if text.is_empty() => None,
            _ => self.text(name, faults, parse),
        }
    }

    /// The list of a key, each member as `parse` sees it; empty when the key is absent.
    pub(super) fn list<T>(&self, name: &str, faults: &mut Faults, parse: impl Fn(&Value) -> Option<T>) -> Vec<T> {
        let nodes = self.nodes(name, faults);
        let member = |(node, index): (&Node, usize)| {
            let parsed = parse(&node.value);
            if parsed.is_none() {
                invalid(name, &format!("{name}[{index}]"), node, faults);
            }
            parsed
        };
        nodes.iter().zip(0..).filter_map(member).collect()
    }

    /// The members of a key's list; none when the key is absent.
    fn nodes(&self, name: &str, faults: &mut Faults) -> &'a [Node] {
        match self.by_name.get(name).map(|entry| &entry.node) {
            None => &[],
            Some(Node { value: Value::List(nodes), .. }) => nodes,
            Some(node) => {
                invalid(name, name, node, faults);
                &[]
            }
        }
    }

    /// The list of a key, whose members are maps of exactly these two keys; empty when the key is absent.
    pub(super) fn maps<A, B>(&self, name: &str, members: &(Member<A>, Member<B>), faults: &mut Faults) -> Vec<(A, B)> {
        let mut maps = Vec::new();
        for (node, index) in self.nodes(name, faults).iter().zip(0..) {
            let path = format!("{name}[{index}]");
            let Value::Map(entries) = &node.value else {
                invalid(name, &path, node, faults);
                continue;
            };
            let (first, second) = members;
            for entry in entries.iter().filter(|entry| ![first.name, second.name].contains(&entry.key.as_str())) {
                let message = format!("The maps in {name} have no key {}.", quoted(&entry.key));
                let hint = format!("Their keys are {} and {}.", first.name, second.name);
                faults.add((entry.line, entry.column), Reason::new(Code::KeyUnknown, message, hint));
            }
            let values = (first.read(&path, node, entries, faults), second.read(&path, node, entries, faults));
            maps.extend(values.0.zip(values.1));
        }
        maps
    }

    /// The map of a key, each member as `parse` sees it; empty when the key is absent.
    pub(super) fn map<T>(
        &self,
        name: &str,
        member_form: &str,
        faults: &mut Faults,
        parse: impl Fn(&Value) -> Option<T>,
    ) -> Vec<(String, T)> {
        let Some(entry) = self.by_name.get(name) else { return Vec::new() };
        let Value::Map(entries) = &entry.node.value else {
            invalid(name, name, &entry.node, faults);
            return Vec::new();
        };
        let member = |entry: &Entry| {
            let parsed = parse(&entry.node.value);
            if parsed.is_none() {
                let path: String = format!("{name}.{}", entry.key.escape_default()).chars().take(200).collect();
                let message =
                    format!("The value of {path} is {}; expected {member_form}.", described(&entry.node.value));
                let place = (entry.node.line, entry.node.column);
                faults.add(place, Reason::new(Code::ValueInvalid, message, hint(name)));
            }
            Some((entry.key.clone(), parsed?))
        };
        entries.iter().filter_map(member).collect()
    }
}

/// A text scalar's content.
pub(super) fn text(value: &Value) -> Option<&str> {
    match value {
        Value::Scalar { text, kind: ScalarKind::Text } => Some(text),
        _ => None,
    }
}

/// A key that every map of a list has, with a text as its value.
pub(super) struct Member<T> {
    pub(super) name: &'static str,
    /// The form of its value, as the end of "expected …".
    pub(super) form: &'static str,
    /// The hint for any other value.
    pub(super) hint: &'static str,
    pub(super) parse: fn(&str) -> Option<T>,
}

impl<T> Member<T> {
    /// Its value in the map `path`, or a fault.
    fn read(&self, path: &str, map: &Node, entries: &[Entry], faults: &mut Faults) -> Option<T> {
        let Some(entry) = entries.iter().find(|entry| entry.key == self.name) else {
            let message = format!("The key {} is missing; {path} needs it.", self.name);
            faults.add((map.line, map.column), Reason::new(Code::KeyMissing, message, self.hint));
            return None;
        };
        let parsed = text(&entry.node.value).and_then(self.parse);
        if parsed.is_none() {
            let found = described(&entry.node.value);
            let message = format!("The value of {path}.{} is {found}; expected {}.", self.name, self.form);
            faults.add((entry.node.line, entry.node.column), Reason::new(Code::ValueInvalid, message, self.hint));
        }
        parsed
    }
}

fn invalid(name: &str, path: &str, node: &Node, faults: &mut Faults) {
    let form = Key::named(name).map_or("another form", |key| key.form);
    let found = described(&node.value);
    let message = format!("The value of {path} is {found}; expected {form}.");
    let hint = match text(&node.value) {
        Some(text) if text.ends_with('\n') => {
            "A line break ends the value; write `>-` or `|-` for one without.".to_owned()
        }
        _ => hint(name),
    };
    faults.add((node.line, node.column), Reason::new(Code::ValueInvalid, message, hint));
}

fn described(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Scalar { text, .. } => quoted(text),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
    }
}

fn hint(name: &str) -> String {
    Key::named(name).map_or_else(String::new, |key| format!("Write, for example, `{name}: {}`.", key.example))
}
