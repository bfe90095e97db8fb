//! The path of a script in a manifest: relative to the manifest's folder, and inside it. The path of an executor may also be absolute,
//! in a folder that the manifest lets its tool read.

use std::path::Path;

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

    /// An absolute path to a script elsewhere, of plain components too.
    pub fn parse_outside(text: &str) -> Option<Self> {
        text.strip_prefix('/').and_then(Self::parse).filter(|_| text.len() <= 255).map(|_| Self(text.to_owned()))
    }

    /// Whether it is outside of `tools/`.
    pub fn is_outside(&self) -> bool {
        self.0.starts_with('/')
    }

    /// The path below `tools/`, or an absolute one: joined to that folder, it is the script's.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reads the path of an executor.
    pub(super) fn read_executor(section: &Section<'_>, text: Located<&str>) -> Option<Self> {
        Self::parse_outside(text.value).or_else(|| Self::read(section, "executor", text))
    }

    /// Notes that a script elsewhere is not under one of the folders that the tool may read.
    pub(super) fn check_visible(&self, document: &Section<'_>, read_only_paths: &[String]) {
        let is_below = |folder: &String| Path::new(&self.0).starts_with(folder);
        if !self.is_outside() || read_only_paths.iter().any(is_below) {
            return;
        }
        let message = format!("[command] executor is {}, which is not inside tools/.", quoted(&self.0));
        let hint = "Move the script into tools/, or list its folder in [sandbox] read_only_paths.";
        document.fault(document.place("command"), message, hint);
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
        for text in ["scripts/a.sh", "/", "/../a", "//a", "/a/../b", "/a/.b", "/a b"] {
            assert_eq!(ScriptPath::parse_outside(text), None, "{text:?}");
        }
        assert!(ScriptPath::parse_outside("/opt/site/run.sh").unwrap().is_outside());
        assert_eq!(ScriptPath::parse("scripts/a-b_c.py").unwrap().as_str(), "scripts/a-b_c.py");
    }
}
