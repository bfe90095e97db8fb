//! A bundle as intake found it: every entry with its type, size and digest, and the bytes of the few files that rules read.
//!
//! Nothing here is trusted yet. The judge looks only at this value and never again at the disk, so the judged bytes are
//! those that were hashed and copied. Standards: `schemas/result.schema.md`, The folder.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use crate::excerpt::Excerpt;
use gatepost_content::Findings;
use gatepost_documents::attestation::ATTESTATION_FILE;
use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::escape;
use gatepost_documents::evidence::{RESPONSE_HEAD, RESULTS_FILE, TRANSCRIPT_FILE, is_signature_path};
use gatepost_documents::id::{ResultId, ResultKind};
use gatepost_documents::reason::Reason;
use gatepost_documents::sources::RESPONSES_FILE;
use gatepost_documents::verdict::VERDICT_FILE;

/// The bytes of stderr whose text the evidence has.
pub const STDERR_HEAD_BYTES: usize = 64 * 1024;

/// The role of a file in a bundle, determined by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// `TS-….md`, `RP-….md`
    Document,
    /// `evidence.json`
    Evidence,
    /// `request.md` or `request.json`
    Request,
    /// `manifest.clad.toml`
    Manifest,
    /// `SHA256SUMS`
    Sums,
    /// `approvals/….sig`
    Signature,
    /// `artifacts/stdout.txt`
    Stdout,
    /// `artifacts/stderr.txt`
    Stderr,
    /// `artifacts/results.json`
    Results,
    /// `artifacts/transcript.txt`
    Transcript,
    /// `artifacts/out/response-head.txt`; the gate keeps its beginning
    ResponseHead,
    /// `artifacts/out/responses.warc` of a research packet: raw pages; the gate scans their text as TOOL-EXEC extracted it
    Responses,
    /// `artifacts/out/…`
    Output,
    /// `verdict.json`, which only an accepted bundle holds
    Verdict,
    /// `attestation.intoto.jsonl`, likewise
    Attestation,
    /// `SHA256SUMS.sig`, or `TS-….md.sig` of a bare document, likewise
    GateSignature,
}

impl Role {
    /// The role of the file at `path` in the bundle `name`; `None` if the layout has no place for it.
    pub fn at(path: &str, name: &str) -> Option<Self> {
        match path {
            "evidence.json" => Some(Self::Evidence),
            "request.md" | "request.json" => Some(Self::Request),
            "manifest.clad.toml" => Some(Self::Manifest),
            "SHA256SUMS" => Some(Self::Sums),
            VERDICT_FILE => Some(Self::Verdict),
            ATTESTATION_FILE => Some(Self::Attestation),
            "SHA256SUMS.sig" => Some(Self::GateSignature),
            "artifacts/stdout.txt" => Some(Self::Stdout),
            "artifacts/stderr.txt" => Some(Self::Stderr),
            RESULTS_FILE => Some(Self::Results),
            TRANSCRIPT_FILE => Some(Self::Transcript),
            _ if path.strip_prefix("artifacts/") == Some(RESPONSE_HEAD) => Some(Self::ResponseHead),
            _ if path.strip_prefix("artifacts/") == Some(RESPONSES_FILE)
                && ResultKind::of_name(name.as_bytes()) == Some(ResultKind::Packet) =>
            {
                Some(Self::Responses)
            }
            _ if path.starts_with("artifacts/out/") => Some(Self::Output),
            _ if is_signature_path(path) => Some(Self::Signature),
            _ if path.strip_suffix(".md") == Some(name) => Some(Self::Document),
            _ if path.strip_suffix(".md.sig") == Some(name) => Some(Self::GateSignature),
            _ => None,
        }
    }

    /// Whether the gate adds the file to what it accepts, so that no bundle may bring it.
    pub fn is_of_gate(self) -> bool {
        matches!(self, Self::Verdict | Self::Attestation | Self::GateSignature)
    }

    /// Whether the file's bytes are kept, because a rule reads them.
    pub fn is_read(self) -> bool {
        !matches!(self, Self::Stdout | Self::Stderr | Self::Transcript | Self::Responses | Self::Output)
    }
}

/// The entry at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A regular file, read to its end.
    File {
        /// Its size, bytes.
        bytes: u64,
        /// The digest of its bytes.
        digest: Digest,
    },
    /// A folder.
    Folder,
    /// A link, FIFO, socket or device, or a file that could not be read completely; a fault says which.
    Unread,
}

/// A bundle as found.
#[derive(Debug, Clone, Default)]
pub struct Bundle {
    /// The folder's name, escaped where it is not printable ASCII.
    pub name: String,
    /// The same, if it is a result id.
    pub id: Option<ResultId>,
    /// Every entry below the folder, by its path; hostile names are escaped.
    pub entries: BTreeMap<String, Entry>,
    /// The bytes of the files that rules read, within their limits.
    pub bytes: BTreeMap<Role, Vec<u8>>,
    /// The bytes of the first signatures, by their paths.
    pub signatures: BTreeMap<String, Vec<u8>>,
    /// The request's path.
    pub request_path: Option<String>,
    /// Digests of the parts of `artifacts/stdout.txt` that the evidence names, in its order, as far as they exist.
    pub ranges: Vec<Digest>,
    /// The rendering of `artifacts/stdout.txt`.
    pub stdout: Excerpt,
    /// The rendering of `artifacts/stderr.txt`.
    pub stderr: Excerpt,
    /// The first 16 KiB of `artifacts/stdout.txt`.
    pub stdout_head: Vec<u8>,
    /// The first [`STDERR_HEAD_BYTES`] of `artifacts/stderr.txt`.
    pub stderr_head: Vec<u8>,
    /// The findings in the artifacts.
    pub findings: Findings,
    /// Faults of the shape, found by intake.
    pub faults: Vec<Reason>,
}

impl Bundle {
    /// A bundle of which only the name is known.
    pub(crate) fn called(name: &OsStr) -> Self {
        let id = name.to_str().and_then(|name| ResultId::parse(name).ok());
        Self { name: escape::path(name.as_bytes()), id, ..Self::default() }
    }

    /// The same, with the reason why it was not read.
    pub(crate) fn unread(name: &OsStr, reason: Reason) -> Self {
        Self { faults: vec![reason], ..Self::called(name) }
    }

    /// The bytes of a file that rules read; empty if it is not there.
    pub fn bytes_of(&self, role: Role) -> &[u8] {
        self.bytes.get(&role).map(Vec::as_slice).unwrap_or_default()
    }

    /// The digest of the file at a path, if one was read there.
    pub fn digest_of(&self, path: &str) -> Option<Digest> {
        match self.entries.get(path) {
            Some(Entry::File { digest, .. }) => Some(*digest),
            _ => None,
        }
    }

    /// Every file that was read, by the bytes of its path.
    pub fn files(&self) -> impl Iterator<Item = (&str, u64, Digest)> {
        self.entries.iter().filter_map(|(path, entry)| match entry {
            Entry::File { bytes, digest } => Some((path.as_str(), *bytes, *digest)),
            Entry::Folder | Entry::Unread => None,
        })
    }

    /// Whether every entry could be read, so that a copy is complete.
    pub fn is_whole(&self) -> bool {
        !self.entries.is_empty() && !self.entries.values().any(|entry| matches!(entry, Entry::Unread))
    }

    /// The name of the document in this bundle.
    pub fn document_path(&self) -> String {
        format!("{}.md", self.name)
    }

    /// The digest that identifies exactly these entries; see `digest_of_entries`.
    pub fn digest(&self) -> Digest {
        digest_of_entries(self.entries.iter().map(|(path, entry)| (path.as_str(), entry)))
    }
}

/// The digest of entries in byte order of their paths, over `path NUL kind NUL digest NUL` of each. The kind is `file`,
/// `folder` or `unread`; only files have a nonempty digest.
pub(crate) fn digest_of_entries<'a>(entries: impl Iterator<Item = (&'a str, &'a Entry)>) -> Digest {
    let mut hasher = Hasher::default();
    for (path, entry) in entries {
        let (kind, digest) = match entry {
            Entry::File { digest, .. } => ("file", digest.to_string()),
            Entry::Folder => ("folder", String::new()),
            Entry::Unread => ("unread", String::new()),
        };
        for part in [path, kind, &digest] {
            hasher.update(part.as_bytes());
            hasher.update(b"\0");
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_one_role_or_none() {
        for (path, role) in [
            ("TS-x.md", Some(Role::Document)),
            ("TS-y.md", None),
            ("TS-x.md.sig", Some(Role::GateSignature)),
            ("TS-y.md.sig", None),
            (".md", None),
            ("request.json", Some(Role::Request)),
            ("artifacts/out/a/b", Some(Role::Output)),
            ("artifacts/out/response-head.txt", Some(Role::ResponseHead)),
            ("artifacts/out/a/response-head.txt", Some(Role::Output)),
            ("artifacts/transcript.txt", Some(Role::Transcript)),
            ("artifacts/other.txt", None),
            ("sub/evidence.json", None),
        ] {
            assert_eq!(Role::at(path, "TS-x"), role, "{path}");
        }
    }

    #[test]
    fn the_digest_distinguishes_a_file_from_a_folder() {
        let bundle = |entry| Bundle { entries: BTreeMap::from([("a".to_owned(), entry)]), ..Bundle::default() };
        assert_ne!(bundle(Entry::Folder).digest(), bundle(Entry::Unread).digest());
    }
}
