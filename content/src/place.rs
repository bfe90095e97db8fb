//! The place of a text in a bundle; a rule weighs more where a reader takes the text for the result's own words.

use serde::{Deserialize, Serialize};

/// The four places in which the gate judges content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// The result's own words: front matter and sections except Stdout and Stderr, file names, and the strings of the evidence
    /// except its results. Text that repeats the request is left out.
    Prose,
    /// The excerpts in the sections Stdout and Stderr.
    Rendered,
    /// The keys and strings of the parsed results.
    Results,
    /// The files below `artifacts/`.
    Artifact,
}

impl Place {
    /// The place in a sentence.
    pub(crate) const fn described(self) -> &'static str {
        match self {
            Self::Prose => "the result's own words",
            Self::Rendered => "rendered output",
            Self::Results => "parsed results",
            Self::Artifact => "an artifact",
        }
    }
}
