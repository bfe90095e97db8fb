//! A bare result in `ThreeGate`'s own form: one file `TS-….md`, without evidence, request or artifacts.
//!
//! ```text
//! shape ▶ bytes ▶ front matter ▶ structure ▶ integrity ▶ authority ▶ content     the stages of a bundle, rules of their own
//! ```
//!
//! `gate.toml` says whether a site accepts bare documents; the gate checks that before it reads one, and this code
//! judges it. Checks that need the rest of a bundle are not guessed but listed ([`NotChecked`]), in the verdict and in
//! the ledger. A bare document does not bypass the rules of a bundle: TOOL-EXEC's documents have keys that this form
//! lacks, and a request that was claimed here accepts only its bundle as an answer.
//!
//! *Security*: hostile bytes and a hostile name; linear in their length. *Standards*: `ThreeGate` tool-result schema,
//! version 1; `schemas/bare_document.schema.md`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::bundle::{Bundle, Entry, Role, digest_of_entries};
use crate::content;
use crate::facts::Facts;
use crate::result_document::SEALED_KEYS;
use crate::structure::Sections;
use gatepost_content::RuleSet;
use gatepost_documents::digest::Digest;
use gatepost_documents::escape;
use gatepost_documents::front_matter::{self, Document};
use gatepost_documents::id::ResultId;
use gatepost_documents::not_checked::NotChecked;
use gatepost_documents::reason::{Code, Reason, Stage};
use gatepost_documents::text;

mod authority;
mod integrity;
mod keys;
mod not_checked;
mod outputs;
mod shape;
mod statements;
mod stream;

use keys::Keys;

/// What to do about a document that contradicts itself.
const HINT: &str = "Write the document again from the run that it describes.";

/// A bare document as found.
#[derive(Debug, Clone, Default)]
pub struct BareDocument {
    /// Its file's name without `.md`, escaped where it is not printable ASCII.
    pub name: String,
    /// The same, if it is a result id.
    pub id: Option<ResultId>,
    /// Its file; `None` if nothing readable was there.
    pub file: Option<Entry>,
    /// The file's bytes, within their limit.
    pub bytes: Vec<u8>,
    /// Faults of the shape, found by intake.
    pub faults: Vec<Reason>,
}

impl BareDocument {
    /// A document of which only the file name is known.
    pub(crate) fn called(name: &OsStr) -> Self {
        let name = stem(name);
        let id = name.to_str().and_then(|name| ResultId::parse(name).ok());
        Self { name: escape::path(name.as_bytes()), id, ..Self::default() }
    }

    /// The same, with the reason why it was not read.
    pub(crate) fn unread(name: &OsStr, reason: Reason) -> Self {
        Self { faults: vec![reason], ..Self::called(name) }
    }

    /// The document in a folder that should hold nothing else.
    pub(crate) fn alone_in(folder: Bundle) -> Self {
        let path = folder.document_path();
        let Bundle { name, id, mut entries, mut bytes, mut faults, .. } = folder;
        let file = entries.remove(&path);
        let hint = "Publish a bare document without other files; other files belong to a bundle.";
        faults.extend(entries.keys().map(|other| {
            let message = "A bare document has no other files beside it.";
            Reason::new(Code::FileUnlisted, message, hint).in_file(other)
        }));
        Self { name, id, file, bytes: bytes.remove(&Role::Document).unwrap_or_default(), faults }
    }

    /// The name of its file.
    pub fn path(&self) -> String {
        format!("{}.md", self.name)
    }

    /// The size of its file, if it was read.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        match self.file {
            Some(Entry::File { bytes, .. }) => Some(bytes),
            _ => None,
        }
    }

    /// Whether its file could be read.
    pub fn is_whole(&self) -> bool {
        self.file_bytes().is_some()
    }

    /// The digest of a folder that holds only this document: the form in which it is accepted.
    pub fn digest(&self) -> Digest {
        let path = self.path();
        digest_of_entries(self.file.iter().map(|file| (path.as_str(), file)))
    }
}

/// The name of a document's file without its ending.
pub(crate) fn stem(name: &OsStr) -> &OsStr {
    let bytes = name.as_bytes();
    OsStr::from_bytes(bytes.strip_suffix(b".md").unwrap_or(bytes))
}

/// Whether a document lacks every key that only TOOL-EXEC writes.
pub(crate) fn has_this_form(document: &Document<'_>) -> bool {
    !document.entries.iter().any(|entry| SEALED_KEYS.contains(&entry.key.as_str()))
}

/// A document that was read.
#[derive(Clone, Copy)]
struct Page<'a> {
    file: &'a str,
    document: &'a Document<'a>,
    keys: &'a Keys,
    sections: &'a Sections<'a>,
}

impl Page<'_> {
    /// A reason about the value of a key.
    fn at_key(&self, key: &str, code: Code, message: String) -> Reason {
        let line = self.document.entries.iter().find(|entry| entry.key == key).map_or(1, |entry| entry.line);
        Reason::new(code, message, HINT).in_file(self.file).at(line, 1)
    }

    /// A reason about a line.
    fn at_line(&self, line: u32, code: Code, message: String) -> Reason {
        Reason::new(code, message, HINT).in_file(self.file).at(line, 1)
    }
}

/// How far judging got.
pub(crate) struct Progress {
    /// The last stage that was entered.
    pub(crate) entered: Stage,
    /// The keys whose digests match bytes in the document.
    shown: Vec<&'static str>,
}

impl Progress {
    pub(crate) fn begin() -> Self {
        Self { entered: Stage::Shape, shown: Vec::new() }
    }

    /// The checks that were impossible for a document that got this far.
    pub(crate) fn not_checked(&self, has_site: bool) -> Vec<NotChecked> {
        not_checked::left_open(&self.shown, has_site)
    }
}

/// Walks the stages as `judge` does.
pub(crate) fn walk(
    document: &BareDocument,
    facts: &Facts,
    progress: &mut Progress,
) -> Result<Vec<Reason>, Vec<Reason>> {
    let site = facts.site.as_ref();
    let id = shape::check(document)?;
    let file = &document.path();
    progress.entered = Stage::Bytes;
    let source = text::check(&document.bytes, file)?;
    progress.entered = Stage::FrontMatter;
    let document = &front_matter::read(source, file, front_matter::Kind::Result)?;
    let keys = &Keys::read(document, file)?;
    progress.entered = Stage::Structure;
    let sections = &statements::check(document, keys, file)?;
    progress.entered = Stage::Integrity;
    progress.shown = integrity::check(Page { file, document, keys, sections }, id)?;
    progress.entered = Stage::Authority;
    authority::check(id, site)?;
    progress.entered = Stage::Content;
    content::check_bare_document(source, file, sections, &facts.rules)
}

/// Judges a document whose front matter was read. The file name is all that is known of where it came from.
pub(crate) fn walk_document(
    source: &str,
    document: &Document<'_>,
    file: &str,
    rules: &RuleSet,
) -> Result<Vec<Reason>, Vec<Reason>> {
    let keys = &Keys::read(document, file)?;
    let sections = &statements::check(document, keys, file)?;
    let id = ResultId::parse(file.strip_suffix(".md").unwrap_or(file)).map_err(|_| vec![shape::no_id(file)])?;
    integrity::check(Page { file, document, keys, sections }, &id)?;
    content::check_bare_document(source, file, sections, rules)
}
