//! The two forms of a request document, and how large one may be.

/// The largest request document, in bytes.
pub const REQUEST_BYTES_MAX: usize = 256 * 1024;

/// The form of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// `TR-….md`: front matter and sections.
    Markdown,
    /// `TR-….json`: the same keys, version 2 and the clad lane only.
    Json,
}

impl Form {
    /// The ending of its files, without the dot.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Json => "json",
        }
    }
}
