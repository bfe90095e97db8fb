//! The input files of a request, in its private folder.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::PathBuf;

use gatepost_contract::manifest::{InputFiles, PathFault};
use gatepost_contract::request::Request;
use gatepost_documents::digest::{Digest, Hasher};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted;
use gatepost_mailbox::fault::{Fault, OnPath};

use crate::mailbox::INPUTS;
use crate::mailbox::claim::Claimed;
use crate::step_error::StepError;

/// The folder of a request's input files, which may be missing.
#[derive(Debug)]
pub struct Inputs {
    folder: PathBuf,
}

impl Inputs {
    /// The inputs of a claimed request.
    pub fn claimed(claimed: &Claimed) -> Self {
        Self::at(claimed.folder.join(INPUTS))
    }

    /// The inputs in a folder.
    pub fn at(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Compares the files with the request's declarations; reports all differences. True if there were inputs and
    /// every one has its digest.
    pub fn check(&self, request: &Request) -> Result<bool, StepError> {
        let mut there = BTreeMap::new();
        for name in self.names()? {
            let path = self.folder.join(&name);
            let (digest, _) = File::open(&path).and_then(Hasher::read).on("read", &path)?;
            there.insert(name, digest);
        }
        let hint = "Drop a folder with the request's name that contains the request and the folder in/.";
        let reasons = differences(request, there, hint);
        if reasons.is_empty() { Ok(!request.inputs.is_empty()) } else { Err(StepError::Refused(reasons)) }
    }

    fn names(&self) -> Result<BTreeSet<String>, Fault> {
        let entries = match self.folder.read_dir() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            entries => entries.on("list", &self.folder)?,
        };
        let names = entries.map(|entry| Ok(entry.on("list", &self.folder)?.file_name().to_string_lossy().into_owned()));
        names.collect()
    }
}

/// Compares the files (names with digests) with the request's declarations; `hint` says how to supply a missing file.
pub fn differences(request: &Request, mut there: BTreeMap<String, Digest>, hint: &str) -> Vec<Reason> {
    let mut reasons = Vec::new();
    for input in &request.inputs {
        let shown = quoted(&input.name);
        match there.remove(&input.name) {
            Some(digest) if digest == input.sha256 => {}
            Some(digest) => {
                let message =
                    format!("The input {shown} has SHA-256 {digest}, but the request declares {}.", input.sha256);
                let hint = "Declare the digest of each input file in the request.";
                reasons.push(Reason::new(Code::InputMismatch, message, hint));
            }
            None => {
                let message = format!("The input {shown} is declared but missing.");
                reasons.push(Reason::new(Code::InputMissing, message, hint));
            }
        }
    }
    reasons.extend(there.keys().map(|name| {
        let message = format!("The file {} is not declared.", quoted(name));
        Reason::new(Code::InputUnlisted, message, "Declare it under inputs with its sha256, or leave it out.")
    }));
    reasons
}

impl InputFiles for Inputs {
    fn input_file(&self, relative: &str) -> Result<(), PathFault> {
        // The folder is flat and contains only regular files that TOOL-EXEC made.
        match self.folder.join(relative).symlink_metadata() {
            Ok(metadata) if metadata.is_file() => Ok(()),
            Ok(_) => Err(PathFault::NotAFile),
            Err(_) => Err(PathFault::Missing),
        }
    }
}
