//! All faults of a configuration file at once, as sentences, each with its place.
//!
//! ```text
//! text ▶ tree with places ▶ (deserialize; a fault: note it, take what it is about out of the tree)* ▶ a value, and all faults
//! ```
//!
//! The types decide whether a value is valid; their JSON Schema describes the expected form. Reads text, never files. *Standards*: TOML
//! 1.1.

use gatepost_documents::reason::{Code, Reason};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::nearest::nearest;

/// The maximum number of reported faults of one file.
const FAULTS_MAX: usize = 100;
/// A message repeats an invalid value up to this length.
const FOUND_CHARS_MAX: usize = 40;

/// The content of a file, as far as it is valid.
pub struct Reading<'t, T> {
    /// Its value; a key with a fault has its default. `None` if the text is no TOML.
    pub value: Option<T>,
    /// All that is wrong.
    pub faults: Vec<Reason>,
    text: &'t str,
    file: &'t str,
    tree: Option<Spanned<DeTable<'t>>>,
    taken_out: Vec<String>,
    schema: Value,
    hint: String,
}

impl<'t, T: DeserializeOwned + JsonSchema> Reading<'t, T> {
    /// Reads a text; `file` is its name in the reasons, and `hint` says where all keys are described.
    pub fn of(text: &'t str, file: &'t str, hint: &str) -> Self {
        let schema = schemars::schema_for!(T).to_value();
        let (faults, taken_out) = (Vec::new(), Vec::new());
        let mut reading =
            Self { value: None, faults, text, file, tree: None, taken_out, schema, hint: hint.to_owned() };
        match DeTable::parse(text) {
            Ok(tree) => {
                reading.deserialize(tree.clone());
                reading.faults.sort_by_key(|fault| (fault.line, fault.column));
                reading.tree = Some(tree);
            }
            Err(error) => {
                let message = format!("The file is not TOML: {}.", one_line(error.message()));
                reading.note(
                    error.span().map(|span| span.start),
                    message,
                    "Correct the syntax at this place.".to_owned(),
                );
            }
        }
        reading
    }

    fn deserialize(&mut self, mut tree: Spanned<DeTable<'t>>) {
        while self.faults.len() < FAULTS_MAX {
            let error = match T::deserialize(toml::Deserializer::from(tree.clone())) {
                Ok(value) => return self.value = Some(value),
                Err(error) => error,
            };
            let at = error.span().map(|span| span.start);
            let path = at.and_then(|at| entry_at(tree.get_ref(), at)).unwrap_or_default();
            let name = path.join(".");
            // A missing key is no further fault of a table if it was taken out because of its own fault.
            if !self.taken_out.iter().any(|key| key.strip_prefix(&name).is_some_and(|rest| rest.starts_with('.'))) {
                let (message, hint) = self.explain(tree.get_ref(), &path, &one_line(error.message()));
                self.note(at, message, hint);
            }
            if !take_out(tree.get_mut(), &path) {
                return;
            }
            self.taken_out.push(name);
        }
    }

    /// Records a broken rule beyond the types: `keys` are `section.key` each, the first is the one to correct; `rule`
    /// is the requirement in words.
    pub fn check(&mut self, holds: bool, keys: &[&str], rule: &str) {
        let Some(key) = keys.first().filter(|_| !holds) else { return };
        let path: Vec<String> = key.split('.').map(str::to_owned).collect();
        if self.taken_out.iter().any(|taken| keys.contains(&taken.as_str())) {
            return;
        }
        let tree = self.tree.as_ref().map(|tree| tree.get_ref().clone()).unwrap_or_default();
        let at = entry(&tree, &path).map(|node| node.span().start);
        // No schema describes which keys may be combined.
        let expected = self.expected(&path).filter(|_| keys.len() == 1).unwrap_or_else(|| rule.to_owned());
        let message = self.misfit(&tree, &path, &expected);
        self.note(at, message, self.hint.clone());
    }

    fn note(&mut self, at: Option<usize>, message: String, hint: String) {
        let reason = Reason::new(Code::ValueInvalid, message, hint).in_file(self.file);
        self.faults.push(match at {
            Some(at) => reason.at_byte(self.text, at),
            None => reason,
        });
    }

    /// Converts a fault of the library to our words, with a hint.
    fn explain(&self, tree: &DeTable<'_>, path: &[String], message: &str) -> (String, String) {
        if message.starts_with("unknown field ") {
            return self.unknown(path, message);
        }
        let is_plain = ["invalid type", "invalid value", "unknown variant", "number too"];
        let expected = self.expected(path).filter(|_| is_plain.iter().any(|start| message.starts_with(start)));
        match expected {
            Some(expected) => (self.misfit(tree, path, &expected), self.hint.clone()),
            None if path.is_empty() => (format!("{message}."), self.hint.clone()),
            None => (format!("{}: {message}.", name(path)), self.hint.clone()),
        }
    }

    /// An unknown key. The library's message quotes it, followed by the known ones.
    fn unknown(&self, path: &[String], message: &str) -> (String, String) {
        let known: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
        let key = path.last().map_or("", String::as_str);
        let hint = match nearest(key, known.iter().copied()) {
            Some(near) => format!("Did you mean `{near}`?"),
            None => format!("Remove it, or use one of: {}. {}", known.join(", "), self.hint),
        };
        (format!("{} is not a known key.", name(path)), hint)
    }

    fn misfit(&self, tree: &DeTable<'_>, path: &[String], expected: &str) -> String {
        let found = entry(tree, path).and_then(|node| self.text.get(node.span()));
        let is_short = |found: &&str| {
            found.len() <= FOUND_CHARS_MAX && found.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
        };
        match found.filter(is_short) {
            Some(found) => format!("{} is {found}; expected {expected}.", name(path)),
            None => format!("{} has an invalid value; expected {expected}.", name(path)),
        }
    }

    /// The schema's requirement at a place, in words.
    fn expected(&self, path: &[String]) -> Option<String> {
        let mut at = &self.schema;
        for key in path {
            at = self.resolved(at);
            at =
                at["properties"].get(key).or_else(|| at.get("additionalProperties").filter(|more| more.is_object()))?;
        }
        let at = self.resolved(at);
        let words = |values: &[Value]| {
            let words: Option<Vec<String>> =
                values.iter().map(|value| Some(format!("{:?}", value.as_str()?))).collect();
            words.map(|words| format!("one of {}", words.join(", ")))
        };
        if let Some(choices) = at["enum"].as_array() {
            return words(choices);
        }
        if let Some(choices) = at["oneOf"].as_array() {
            return words(&choices.iter().map(|choice| choice["const"].clone()).collect::<Vec<_>>());
        }
        let is_path = at["pattern"] == "^(/.*)?$";
        match at["type"].as_str()? {
            "integer" => Some(whole_number(path.last()?, at)),
            "boolean" => Some("true or false, without quotes".to_owned()),
            "string" if is_path => Some("an absolute path in quotes, or \"\" for none".to_owned()),
            "string" if at.get("pattern").is_none() => Some("a text in quotes".to_owned()),
            "array" => Some("a list in brackets".to_owned()),
            "object" => Some("a table with keys of its own".to_owned()),
            _ => None,
        }
    }

    fn resolved<'s>(&'s self, at: &'s Value) -> &'s Value {
        let name = at["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
        name.map_or(at, |name| &self.schema["$defs"][name])
    }
}

/// A whole number with its unit, which the key ends with, and its range.
fn whole_number(key: &str, schema: &Value) -> String {
    const UNITS: [(&str, &str); 6] = [
        ("_ms", " of milliseconds"),
        ("_seconds", " of seconds"),
        ("_hours", " of hours"),
        ("_days", " of days"),
        ("_mb", " of MiB"),
        ("_bytes", " of bytes"),
    ];
    let unit = UNITS.iter().find(|(ending, _)| key.ends_with(ending)).map_or("", |(_, unit)| unit);
    let bound = |name: &str| schema[name].as_u64();
    let range = match (bound("minimum").unwrap_or(0), bound("maximum")) {
        (least, Some(most)) => format!("{least} to {most}"),
        (least, None) => format!("at least {least}"),
    };
    format!("a whole number{unit}, {range}")
}

/// `[limits] memory_mb`.
fn name(path: &[String]) -> String {
    match path {
        [] => "The file".to_owned(),
        [section] => format!("[{section}]"),
        [sections @ .., key] => format!("[{}] {key}", sections.join(".")),
    }
}

fn one_line(message: &str) -> String {
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The keys that lead to the innermost entry at a byte of the text.
fn entry_at(table: &DeTable<'_>, at: usize) -> Option<Vec<String>> {
    table.iter().find_map(|(key, node)| {
        let own = || vec![key.get_ref().to_string()];
        if key.span().contains(&at) {
            return Some(own());
        }
        let inner = match node.get_ref() {
            DeValue::Table(inner) => entry_at(inner, at),
            _ => None,
        };
        match inner {
            Some(inner) => Some([own(), inner].concat()),
            None => node.span().contains(&at).then(own),
        }
    })
}

fn entry<'t, 'd>(table: &'t DeTable<'d>, path: &[String]) -> Option<&'t Spanned<DeValue<'d>>> {
    let (key, rest) = path.split_first()?;
    let node = table.get(key.as_str())?;
    match node.get_ref() {
        _ if rest.is_empty() => Some(node),
        DeValue::Table(inner) => entry(inner, rest),
        _ => None,
    }
}

fn take_out(table: &mut DeTable<'_>, path: &[String]) -> bool {
    match path {
        [] => false,
        [key] => table.remove(key.as_str()).is_some(),
        [key, rest @ ..] => match table.get_mut(key.as_str()).map(Spanned::get_mut) {
            Some(DeValue::Table(inner)) => take_out(inner, rest),
            _ => false,
        },
    }
}
