//! The summary of several files: how many are valid, and one failure for the others.

use super::File;
use crate::cli::counted::faulty;
use crate::cli::prelude::*;

/// The overall failure: partial if some files are valid, else the most common one.
pub(super) fn failure(files: &[File]) -> Option<Failure> {
    let Summary { total, succeeded, failed } = Summary::of(files.iter().map(|file| file.ok));
    if failed == 0 {
        return None;
    }
    let unread: Vec<&Failure> = files.iter().filter_map(|file| file.error.as_ref()).collect();
    if succeeded == 0
        && unread.len() == failed
        && let Some(first) = unread.first()
    {
        return Some((*first).clone());
    }
    let (one, many) = if unread.is_empty() {
        ("would be refused", "would be refused")
    } else {
        ("would be refused or could not be read", "would be refused or could not be read")
    };
    let message = faulty(failed, total, "file", one, many);
    let hint = "Each reason says what to do next.";
    let code = if succeeded > 0 { ErrorCode::PartialFailure } else { ErrorCode::DocumentRejected };
    Some(Failure::new(code, FailureKind::Parse, message, hint))
}
