//! A result bundle, to be looked at.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::text;

/// A bundle where it lies.
pub(crate) struct Bundle(pub PathBuf);

impl Bundle {
    pub(crate) fn name(&self) -> String {
        self.0.file_name().and_then(OsStr::to_str).unwrap().to_owned()
    }

    pub(crate) fn document(&self) -> String {
        self.read(&format!("{}.md", self.name()))
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).unwrap()
    }

    pub(crate) fn evidence(&self) -> Value {
        serde_json::from_str(&self.read("evidence.json")).unwrap()
    }

    /// The code of its failure; empty if there was none.
    pub(crate) fn code(&self) -> String {
        self.evidence()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The codes of the reasons for which the request was refused.
    pub(crate) fn reasons(&self) -> Vec<String> {
        let evidence = self.evidence();
        let reasons = evidence["error"]["reasons"].as_array().cloned().unwrap_or_default();
        reasons.iter().map(|reason| text(&reason["code"])).collect()
    }
}
