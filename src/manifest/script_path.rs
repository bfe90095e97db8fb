//! The path of a script that a manifest names: relative to the manifest's folder, and inside it.

use crate::toml_source::{Located, Section};
use gatepost_documents::text::quoted;

/// A relative path without `..`, such as `scripts/csv_stats.py`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptPath(String);

impl ScriptPath {
    /// Reads a path: plain components of `A–Z a–z 0–9 . _ -` that do not begin with a dot or hyphen.
    pub fn parse(text: &str) -> Option<Self> {
        let is_plain = |component: &str| {
            component.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_')
                && component.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        };
        (text.len() <= 255 && text.split('/').all(is_plain)).then(|| Self(text.to_owned()))
    }

    /// The path below `tools/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn read(section: &Section<'_>, what: &str, text: Located<&str>) -> Option<Self> {
        let path = Self::parse(text.value);
        if path.is_none() {
            let message =
                format!("{} is {}, which is not a path inside tools/.", section.path(what), quoted(text.value));
            section.fault(text.at, message, "Write a relative path of plain names, such as scripts/parse.py.");
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_stays_inside_its_folder() {
        for text in ["", "/bin/sh", "../x", "a/../b", "a//b", "./a", "a/", "~/x", "a b", "-x", "a/.b", "a\\b"] {
            assert_eq!(ScriptPath::parse(text), None, "{text:?}");
        }
        assert_eq!(ScriptPath::parse("scripts/a-b_c.py").unwrap().as_str(), "scripts/a-b_c.py");
    }
}
