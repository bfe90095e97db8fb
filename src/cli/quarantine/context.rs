//! The source lines around the place of a reason in a quarantined item.
//!
//! *Security*: the text was refused. Nothing is shown of an item with a secret, because text beside a secret often
//! contains more of it.

use std::io::{BufReader, Read};
use std::path::Path;

use gatepost_mailbox::quarantine::{Item, Record};

use crate::cli::context::around;
use crate::cli::prelude::*;

/// The most bytes of a file that are read to reach a line.
const FILE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// The lines around the place of a reason; none without a place, or without text that may be shown.
pub(super) fn lines_around_reason(item: &Item, reason: &Reason) -> Option<String> {
    let holds_secret = item.reasons().iter().any(|reason| reason.code == Code::Secret);
    if holds_secret {
        return None;
    }
    let (file, line, column) = (reason.file.as_deref()?, reason.line?, reason.column?);
    let names = item.untouched();
    let path = match &item.record {
        // The reasons of a request or bare document name its file; in a folder it has its own name.
        Record::Verdict(_) | Record::Refusal(_) if names.iter().any(|name| name == file) => Path::new(file).to_owned(),
        Record::Verdict(_) | Record::Refusal(_) => Path::new(names.first()?).join(file),
        Record::Unreadable(_) => return None,
    };
    around(BufReader::new(item.open(&path).ok()?.take(FILE_BYTES_MAX)), line, column)
}
