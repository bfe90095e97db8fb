//! Checks any file against the gate's rules: a bundle or result as such, anything else as the output of a tool.
//!
//! Nothing is moved. *Security*: the files and their names may be a stranger's.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use gatepost_content::{Place, RuleSet, Scan, Source};
use gatepost_documents::id::ResultKind;
use gatepost_documents::reason::Reason;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};

use crate::audit;
use crate::facts::Facts;
use crate::judge;
use crate::policy::Policy;

/// How many bytes are read at a time.
const PIECE_BYTES: usize = 128 * 1024;

/// How the file was interpreted, and the findings in it.
#[derive(Debug)]
pub struct Checked {
    /// The checked file, or the bundle that contains it.
    pub path: PathBuf,
    /// `bundle`, `result without its bundle` or `text`.
    pub kind: &'static str,
    /// Every reason, including flags.
    pub reasons: Vec<Reason>,
}

/// Checks a file or folder. `name` is its name in the reasons. `place` says where in a result the text of another file
/// would be.
pub fn check(path: &Path, name: &str, place: Place, policy: &Policy, facts: &Facts) -> Result<Checked, Fault> {
    let found = path.metadata().on("find", path)?;
    if found.is_dir() {
        return bundle(path, facts);
    }
    if !found.is_file() {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "a device, a pipe or a socket may never end");
        return Err(error).on("read", path);
    }
    if ResultKind::of_name(name.as_bytes()).is_some() && name.ends_with(".md") {
        return result(path, name, policy, facts);
    }
    Ok(Checked { path: path.to_owned(), kind: "text", reasons: text(path, name, place, policy, &facts.rules)? })
}

fn bundle(path: &Path, facts: &Facts) -> Result<Checked, Fault> {
    let reasons = audit::judge_in_place(path, false, facts)?.0.reasons;
    Ok(Checked { path: path.to_owned(), kind: "bundle", reasons })
}

/// A result is judged with its bundle if it is in one.
fn result(path: &Path, name: &str, policy: &Policy, facts: &Facts) -> Result<Checked, Fault> {
    let whole = path.canonicalize().on("find", path)?;
    let stem = whole.file_stem();
    if let Some(folder) = whole.parent().filter(|folder| folder.file_name() == stem) {
        return bundle(folder, facts);
    }
    let bytes = regular_file::read(&whole, DOCUMENT_MAX_BYTES).on("read", path)?;
    let reasons = judge::judge_document(&bytes, name, policy, &facts.rules);
    Ok(Checked { path: path.to_owned(), kind: "result without its bundle", reasons })
}

fn text(path: &Path, name: &str, place: Place, policy: &Policy, rules: &RuleSet) -> Result<Vec<Reason>, Fault> {
    let mut file = File::open(path).on("open", path)?;
    let (mut scan, mut source) = (Scan::new(rules), Source::new(place, name));
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece).on("read", path)? {
            0 => break,
            count => source.feed(piece.get(..count).unwrap_or_default(), &mut scan),
        }
    }
    source.finish(&mut scan);
    Ok(gatepost_content::reasons(&scan.into_findings(), &policy.content))
}
