//! A bare result of `ThreeGate`'s own form: one file `TS-….md`, without evidence, request or artifacts, judged by what it has.
//!
//! ```text
//! shape ▶ bytes ▶ front matter ▶ structure ▶ integrity ▶ authority ▶ content     the stages of a bundle, rules of their own
//! ```
//!
//! Whether a site takes one in at all stands in its `gate.toml`, and is asked before it is read; here it is judged. Whatever
//! needs the rest of a bundle is not guessed at but listed ([`NotChecked`]), in the verdict and in the ledger. No way around
//! the rules of a bundle: what TOOL-EXEC writes has keys that this form has not, and a request that was claimed here has no
//! answer but its bundle.
//!
//! *Security*: every byte and the name are a stranger's; linear in their number. *Standards*: `ThreeGate` tool-result schema,
//! version 1; `schemas/foreign.schema.md`.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::bundle::{Bundle, Role};
use crate::content;
use crate::judge::Knowledge;
use crate::policy::Policy;
use crate::result_document::SEALED_KEYS;
use crate::structure::Sections;
use gatepost_documents::front_matter::{self, Document};
use gatepost_documents::id::ResultId;
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
pub(crate) use not_checked::of as not_checked;

const PREFIX: &[u8] = b"TS-";
const ENDING: &[u8] = b".md";

/// What to do about a document that contradicts itself.
const HINT: &str = "Write the document again from the run that it tells of.";

/// Whether a regular file called `TS-….md` lies under a name in a folder: what a site that lets them in takes for a bare
/// document. A link is none.
pub fn is_document(folder: &Path, name: &OsStr) -> bool {
    let bytes = name.as_bytes();
    let is_called_so = bytes.starts_with(PREFIX) && bytes.ends_with(ENDING);
    is_called_so && folder.join(name).symlink_metadata().is_ok_and(|found| found.is_file())
}

/// The name of a document's file without its ending.
pub(crate) fn stem(name: &OsStr) -> &[u8] {
    name.as_bytes().strip_suffix(ENDING).unwrap_or(name.as_bytes())
}

/// Whether a document has none of the keys that only TOOL-EXEC writes.
pub(crate) fn is_of_this_form(document: &Document<'_>) -> bool {
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

/// Walks the stages as `judge` does. `held` gets the keys whose digests were found to be those of bytes in the document.
pub(crate) fn walk(
    bundle: &Bundle,
    knowledge: Option<&dyn Knowledge>,
    entered: &mut Stage,
    held: &mut Vec<&'static str>,
) -> Result<Vec<Reason>, Vec<Reason>> {
    let id = shape::check(bundle)?;
    let file = &bundle.document_path();
    *entered = Stage::Bytes;
    let source = text::check(bundle.bytes_of(Role::Document), file)?;
    *entered = Stage::FrontMatter;
    let document = &front_matter::read(source, file, front_matter::RESULT_BYTES_MAX)?;
    let keys = &Keys::read(document, file)?;
    *entered = Stage::Structure;
    let sections = &statements::check(document, keys, file)?;
    *entered = Stage::Integrity;
    *held = integrity::check(Page { file, document, keys, sections }, id)?;
    *entered = Stage::Authority;
    authority::check(id, knowledge)?;
    *entered = Stage::Content;
    let default = Policy::default();
    content::check_foreign(source, file, knowledge.map_or(&default, Knowledge::policy))
}

/// Judges a document that was read up to its front matter, and of whose place nothing is known but the name of its file.
pub(crate) fn walk_document(
    source: &str,
    document: &Document<'_>,
    file: &str,
    policy: &Policy,
) -> Result<Vec<Reason>, Vec<Reason>> {
    let keys = &Keys::read(document, file)?;
    let sections = &statements::check(document, keys, file)?;
    let id = ResultId::parse(file.strip_suffix(".md").unwrap_or(file)).map_err(|_| vec![shape::no_id(file)])?;
    integrity::check(Page { file, document, keys, sections }, &id)?;
    content::check_foreign(source, file, policy)
}
