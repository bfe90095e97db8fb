//! A submission: what a sender put into the outbox under one name, a bundle or a bare document.
//!
//! The gate decides which of the two it is, by its policy and by the file type, independent of the sender's text: once,
//! before anything is read ([`Kind::decide`]).

use std::ffi::OsStr;
use std::path::Path;

use crate::bare_document::BareDocument;
use crate::bundle::Bundle;
use gatepost_documents::digest::Digest;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::Reason;
use gatepost_documents::verdict::Checks;
use gatepost_mailbox::outbox::is_bare_document;

/// The kind of a submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A folder `TS-…/`.
    Bundle,
    /// A file `TS-….md`.
    BareDocument,
}

impl Kind {
    /// The kind of the entry `name` of a folder. A bare document is a regular file called `TS-….md`, if the site allows
    /// them; everything else is judged as a bundle, and rejected if it is none.
    pub fn decide(folder: &Path, name: &OsStr, accepts_bare_documents: bool) -> Self {
        let is_document = accepts_bare_documents && is_bare_document(folder, name);
        if is_document { Self::BareDocument } else { Self::Bundle }
    }
}

/// A submission after intake.
#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "made once a submission, and nearly all are bundles")]
pub enum Submission {
    /// A bundle.
    Bundle(Bundle),
    /// A bare document.
    BareDocument(BareDocument),
}

impl Submission {
    /// An unread submission of this name, with the reason.
    pub(crate) fn unread(kind: Kind, name: &OsStr, reason: Reason) -> Self {
        match kind {
            Kind::Bundle => Self::Bundle(Bundle::unread(name, reason)),
            Kind::BareDocument => Self::BareDocument(BareDocument::unread(name, reason)),
        }
    }

    /// Its kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Bundle(_) => Kind::Bundle,
            Self::BareDocument(_) => Kind::BareDocument,
        }
    }

    /// The name of the bundle's folder, or of the document's file without `.md`; escaped where it is not printable ASCII.
    pub fn name(&self) -> &str {
        match self {
            Self::Bundle(bundle) => &bundle.name,
            Self::BareDocument(document) => &document.name,
        }
    }

    /// The same, if it is a result id.
    pub fn id(&self) -> Option<&ResultId> {
        match self {
            Self::Bundle(bundle) => bundle.id.as_ref(),
            Self::BareDocument(document) => document.id.as_ref(),
        }
    }

    /// The digest that identifies exactly the bytes that were read.
    pub fn digest(&self) -> Digest {
        match self {
            Self::Bundle(bundle) => bundle.digest(),
            Self::BareDocument(document) => document.digest(),
        }
    }

    /// The digest of the request in a bundle, if one was read there.
    pub fn request_sha256(&self) -> Option<Digest> {
        match self {
            Self::Bundle(bundle) => bundle.digest_of(bundle.request_path.as_deref()?),
            Self::BareDocument(_) => None,
        }
    }

    /// Whether all of it could be read, so that a copy is complete.
    pub fn is_whole(&self) -> bool {
        match self {
            Self::Bundle(bundle) => bundle.is_whole(),
            Self::BareDocument(document) => document.is_whole(),
        }
    }

    /// What was read, with the number of stages that it entered.
    pub(crate) fn checks(&self, stages: u8) -> Checks {
        let (files, bytes) = match self {
            Self::Bundle(bundle) => {
                bundle.files().fold((0, 0), |(files, sum), (_, bytes, _)| (files + 1, u64::saturating_add(sum, bytes)))
            }
            Self::BareDocument(document) => document.file_bytes().map_or((0, 0), |bytes| (1, bytes)),
        };
        Checks { files, bytes, stages }
    }
}
