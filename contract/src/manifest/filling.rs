//! Fills in a text with placeholders.
//!
//! One pass in the text's own order: a value is never scanned again. The text that may be shown is made beside the real one.

use std::collections::BTreeMap;

use zeroize::Zeroizing;

use super::bind::Arguments;
use super::placeholder::Part;

/// The values of secrets, by their names in the manifest.
pub type SecretValues = BTreeMap<String, Zeroizing<String>>;

/// Where a run finds its places; each a path as the tool sees it.
#[derive(Debug, Clone, Copy)]
pub struct Places<'p> {
    /// The run's id, as in the evidence.
    pub scan_id: &'p str,
    /// Where the tool shall write its raw output.
    pub output_file: &'p str,
    /// The folder of files that the tool leaves.
    pub output_dir: &'p str,
    /// The folder of the evidence.
    pub evidence_dir: &'p str,
}

/// A secret that was put in: its name, and the value that must never be shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    /// The name in the manifest; for a sensitive argument the argument's name.
    pub name: String,
    /// The value; wiped when it is dropped.
    pub value: Zeroizing<String>,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "[secret:{}]", self.name)
    }
}

/// A text filled in: the real one, and the one that may be shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub(super) struct Filled {
    pub(super) real: Zeroizing<String>,
    pub(super) shown: String,
}

impl Filled {
    /// A text that may be shown as it is.
    pub(super) fn open(text: &str) -> Self {
        Self { real: Zeroizing::new(text.to_owned()), shown: text.to_owned() }
    }

    pub(super) fn push(&mut self, text: &str) {
        self.real.push_str(text);
        self.shown.push_str(text);
    }

    pub(super) fn append(&mut self, other: &Self) {
        self.real.push_str(&other.real);
        self.shown.push_str(&other.shown);
    }
}

/// Fills texts in, and remembers the secrets that were used.
pub(super) struct Filling<'f> {
    pub(super) arguments: &'f Arguments,
    pub(super) places: &'f Places<'f>,
    values: &'f SecretValues,
    pub(super) secrets: Vec<Secret>,
    pub(super) uses_output_file: bool,
}

impl<'f> Filling<'f> {
    /// `values` has every secret that the manifest names.
    pub(super) fn new(arguments: &'f Arguments, places: &'f Places<'f>, values: &'f SecretValues) -> Self {
        Self { arguments, places, values, secrets: Vec::new(), uses_output_file: false }
    }

    /// The text of one part; `None` for an argument that is not given, and for parts that expand to words.
    pub(super) fn part(&mut self, part: &Part, encode: &dyn Fn(&str) -> String) -> Option<Filled> {
        let places = self.places;
        let plain = |text: &str| Some(Filled::open(text));
        match part {
            Part::Literal(text) => plain(text),
            Part::ScanId => plain(places.scan_id),
            Part::EvidenceDir => plain(places.evidence_dir),
            Part::OutputFile => {
                self.uses_output_file = true;
                plain(places.output_file)
            }
            Part::Argument(name) => self.argument(name, encode),
            Part::Secret(name) => Some(self.fill_secret(name, encode)),
            Part::Mapping(_) | Part::Conditional(_) | Part::Conditionals => None,
        }
    }

    /// A whole text without expansions.
    pub(super) fn text(&mut self, parts: &[Part], encode: &dyn Fn(&str) -> String) -> Filled {
        let mut filled = Filled::default();
        for part in parts {
            if let Some(part) = self.part(part, encode) {
                filled.append(&part);
            }
        }
        filled
    }

    fn argument(&mut self, name: &str, encode: &dyn Fn(&str) -> String) -> Option<Filled> {
        let value = self.arguments.text(name)?;
        let real = Zeroizing::new(encode(&value));
        if !self.arguments.is_sensitive(name) {
            return Some(Filled { shown: real.to_string(), real });
        }
        self.remember(name, value.into());
        Some(Filled { real, shown: format!("[sensitive:{name}]") })
    }

    fn fill_secret(&mut self, name: &str, encode: &dyn Fn(&str) -> String) -> Filled {
        let value = self.values[name].clone();
        let real = Zeroizing::new(encode(&value));
        self.remember(name, value);
        Filled { real, shown: format!("[secret:{name}]") }
    }

    pub(super) fn remember(&mut self, name: &str, value: Zeroizing<String>) {
        let secret = Secret { name: name.to_owned(), value };
        if !self.secrets.contains(&secret) {
            self.secrets.push(secret);
        }
    }
}
