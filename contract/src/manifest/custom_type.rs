//! `toolclad.toml`: a site's own names for narrowed types.
//!
//! ```toml
//! [types.severity]
//! base = "enum"
//! allowed = ["low", "medium", "high"]
//! ```
//!
//! A base is one of the sixteen types, never another custom type.

use std::collections::BTreeMap;

use gatepost_documents::reason::{Code, Reason};

use super::argument_type::{ArgumentType, Kind};
use super::constraint;
use crate::toml_source::{Located, Section, Source};
use gatepost_documents::text::quoted;

/// The custom types of a site. The default has none.
#[derive(Debug, Clone, Default)]
pub struct CustomTypes(BTreeMap<String, ArgumentType>);

impl CustomTypes {
    /// Reads `toolclad.toml`; `file` is its name in messages. Code of every reason: `manifest_invalid`.
    pub fn parse(text: &str, file: &str) -> Result<Self, Vec<Reason>> {
        let source = Source::new(text, file, Code::ManifestInvalid);
        let table = source.table();
        let types = table.as_ref().map(|table| {
            let document = Section::document(&source, table);
            let types = document.section("types").map(|types| read(&types)).unwrap_or_default();
            document.close();
            types
        });
        source.finish(types.map(Self))
    }

    /// These types and others; none may have the name of another.
    pub fn with(mut self, others: Self) -> Result<Self, Vec<Reason>> {
        let twice = |name: &String| {
            let message = format!("The type {name} is declared both in tools/toolclad.toml and in toolclad.toml.");
            Reason::new(Code::ManifestInvalid, message, "Keep one of them.")
        };
        let reasons: Vec<Reason> = others.0.keys().filter(|name| self.0.contains_key(*name)).map(twice).collect();
        self.0.extend(others.0);
        if reasons.is_empty() { Ok(self) } else { Err(reasons) }
    }

    /// The type of that name.
    pub(super) fn get(&self, name: &str) -> Option<&ArgumentType> {
        self.0.get(name)
    }

    /// Every name, sorted.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

fn read(types: &Section<'_>) -> BTreeMap<String, ArgumentType> {
    let mut custom = BTreeMap::new();
    for (name, node) in types.entries() {
        check_name(types, name);
        let Some(section) = types.subsection(name.value, node) else { continue };
        section.text("description");
        if let Some(base) = section.required_text("base") {
            if let Some(kind) = Kind::parse(base.value) {
                custom.extend(constraint::read(&section, kind).map(|kind| (name.value.to_owned(), kind)));
            } else {
                let message =
                    format!("{} is {}, which is not a built-in type.", section.path("base"), quoted(base.value));
                section.fault(base.at, message, "Name a built-in type: a custom type cannot build on another.");
                continue;
            }
        }
        section.close();
    }
    custom
}

fn check_name(types: &Section<'_>, name: Located<&str>) {
    let message = if Kind::parse(name.value).is_some() {
        format!("[types] redefines the built-in type {}.", quoted(name.value))
    } else if super::argument::is_name(name.value) {
        return;
    } else {
        format!("[types] has the name {}, which is not a plain word.", quoted(name.value))
    };
    types.fault(name.at, message, "Choose another name of a to z, 0 to 9 and underscore.");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_custom_type_is_checked_when_it_is_read() {
        for (text, fault) in [
            ("[types.a]\nbase = 'nonexistent'", "not a built-in type"),
            ("[types.a]\nbase = 'integer'\n[types.b]\nbase = 'a'", "not a built-in type"),
            ("[types.a]\nbase = 'enum'", "allowed is missing"),
            ("[types.a]\nbase = 'regex_match'", "pattern is missing"),
            ("[types.a]\nbase = 'regex_match'\npattern = '('", "does not compile"),
            ("[types.a]\nbase = 'integer'\nmin = 5\nmax = 1", "above its maximum"),
            ("[types.a]\nbase = 'string'\nmin = 5", "no meaning for the type string"),
            ("[types.port]\nbase = 'integer'", "redefines"),
            ("[types.a]\nbase = 'integer'\nmaximum = 5", "not a known key"),
            ("[types.a]", "base is missing"),
        ] {
            let faults = CustomTypes::parse(text, "toolclad.toml").unwrap_err();
            assert!(faults.iter().any(|reason| reason.message.contains(fault)), "{text}: {faults:?}");
        }
        let types = CustomTypes::parse("[types.severity]\nbase = 'enum'\nallowed = ['low']", "toolclad.toml").unwrap();
        assert_eq!(types.names().collect::<Vec<_>>(), ["severity"]);
    }
}
