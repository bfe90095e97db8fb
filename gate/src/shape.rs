//! Stage 1, shape: the files on disk have the layout of a bundle.
//!
//! Intake recorded the entries that it could not copy; this adds missing and unexpected ones. A [`Whole`] proves that
//! every file is there, within its limits, under its own name. Standards: `schemas/result.schema.md`, The folder.

use crate::bundle::{Bundle, Entry, Role};
use crate::sums;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;

/// A bundle of the right shape.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    pub(crate) bundle: &'a Bundle,
    pub(crate) id: &'a ResultId,
    /// `request.md` or `request.json`.
    pub(crate) request_path: &'a str,
}

/// Every fault of the shape, or the proof that there is none.
pub(crate) fn check(bundle: &Bundle) -> Result<Whole<'_>, Vec<Reason>> {
    let mut reasons = bundle.faults.clone();
    // A bundle that was rejected as a whole has no missing parts.
    if !bundle.entries.is_empty() || reasons.is_empty() {
        reasons.extend(missing(bundle));
        reasons.extend(unlisted(bundle));
        reasons.extend(sums::escaping_paths(bundle.bytes_of(Role::Sums)));
    }
    // An entry that is no folder may be a bare document, whose names differ from a bundle's.
    let id = bundle.id.as_ref().filter(|id| id.has_own_form() || !reasons.is_empty());
    match (id, &bundle.request_path) {
        (Some(id), Some(request_path)) if reasons.is_empty() => Ok(Whole { bundle, id, request_path }),
        (None, _) => {
            let message = format!("The folder name {} is not a result id.", quoted(&bundle.name));
            let hint = "Name the folder TS-YYYYMMDD-HHMMSSZ-<request id>, of a research packet RP-….";
            reasons.insert(0, Reason::new(Code::NameInvalid, message, hint));
            Err(reasons)
        }
        _ => Err(reasons),
    }
}

/// The required files of a bundle that are missing in every form.
fn missing(bundle: &Bundle) -> Vec<Reason> {
    let document = bundle.document_path();
    let required = [
        &[document.as_str()][..],
        &["evidence.json"],
        &["request.md", "request.json"],
        &[sums::FILE],
        &["artifacts/stdout.txt"],
        &["artifacts/stderr.txt"],
    ];
    let is_absent = |names: &&[&str]| !names.iter().any(|name| bundle.entries.contains_key(*name));
    let absent: Vec<_> = required.iter().copied().filter(is_absent).collect();
    if absent.len() == required.len() {
        let hint = "Only TOOL-EXEC writes bundles; put nothing else into the outbox.";
        return vec![Reason::new(Code::NotABundle, "The folder contains none of the files of a bundle.", hint)];
    }
    let reason = |names: &[&str]| {
        let name = names.join(" or ");
        let message = format!("The file {} is missing.", quoted(&name));
        Reason::new(Code::FileMissing, message, sums::HINT).in_file(name)
    };
    absent.into_iter().map(reason).collect()
}

/// The unexpected entries: other files, a second request, empty folders.
fn unlisted(bundle: &Bundle) -> Vec<Reason> {
    let hint = "A bundle contains only the files of its layout; output of a tool belongs in artifacts/out/.";
    let reason = |path: &str, message: &str| Reason::new(Code::FileUnlisted, message, hint).in_file(path);
    let mut reasons = Vec::new();
    for (path, entry) in &bundle.entries {
        match entry {
            Entry::Folder
                if path != "approvals"
                    && path != "artifacts"
                    && path != "artifacts/out"
                    && !path.starts_with("artifacts/out/") =>
            {
                reasons.push(reason(path, "The layout of a bundle has no place for this folder."));
            }
            Entry::Folder if is_empty(bundle, path) => reasons.push(reason(path, "The folder is empty.")),
            Entry::File { .. } if Role::at(path, &bundle.name).is_none_or(Role::is_of_gate) => {
                reasons.push(reason(path, "The layout of a bundle has no place for this file."));
            }
            Entry::File { .. } | Entry::Folder | Entry::Unread => {}
        }
    }
    if ["request.md", "request.json"].iter().all(|path| bundle.entries.contains_key(*path)) {
        reasons.push(reason("request.json", "The bundle has a second request beside request.md."));
    }
    reasons
}

fn is_empty(bundle: &Bundle, folder: &str) -> bool {
    let below = format!("{folder}/");
    let mut later = bundle.entries.range(below.clone()..);
    !later.next().is_some_and(|(path, _)| path.starts_with(&below))
}
