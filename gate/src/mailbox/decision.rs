//! A final decision: laid out, signed, synced, logged, attested. See `mailbox.rs` for the order of the steps.
//!
//! The attestation names the leaf, so it comes after it. The signature over the sums comes before, so a missing key
//! prevents the decision. Both have the same bytes when made again: if a gate dies in between, the next one finishes
//! ([`Gate::attest_again`]). *Commit point*: the leaf.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::Gate;
use super::workspace::{COPY, arrange};
use crate::attestation::{signed_file, statement};
use crate::facts;
use crate::ledger::Entry;
use crate::submission::Submission;
use gatepost_documents::attestation::{ATTESTATION_FILE, LogPlace, PAYLOAD_TYPE};
use gatepost_documents::digest::Digest;
use gatepost_documents::verdict::{Decision, Verdict};
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_signatures::Envelope;

/// The empty file of an attestation.
struct Room {
    file: File,
    path: PathBuf,
}

impl Gate {
    /// Makes a verdict on a workspace's content final; the next rename makes it visible.
    pub(super) fn decide(
        &self,
        workspace: &Path,
        name: &OsStr,
        submission: &Submission,
        verdict: &Verdict,
    ) -> Result<(), Fault> {
        let verdict_sha256 = arrange(workspace, name, submission, verdict)?;
        let is_accepted = verdict.verdict == Decision::Accept;
        let attestation = is_accepted.then(|| self.sign(&workspace.join(COPY), submission)).transpose()?;
        durable::sync_tree(workspace)?;
        let index = self.write_down(self.entry(verdict, submission, verdict_sha256))?;
        match attestation {
            Some(attestation) => self.attest(attestation, submission, verdict, verdict_sha256, index),
            None => Ok(()),
        }
    }

    /// Finishes the steps of an earlier gate for an accepted copy whose verdict is final. It does not log again, unless
    /// another key must attest it.
    pub(super) fn attest_again(
        &self,
        workspace: &Path,
        submission: &Submission,
        verdict: &Verdict,
        verdict_sha256: Digest,
    ) -> Result<(), Fault> {
        let copy = workspace.join(COPY);
        for file in [signature_file(submission).as_str(), ATTESTATION_FILE] {
            durable::remove_tree(&copy.join(file))?;
        }
        let attestation = self.sign(&copy, submission)?;
        durable::sync_tree(workspace)?;
        let entry = self.entry(verdict, submission, verdict_sha256);
        let logged = self.records().verdicts().index_of(&entry);
        let index = logged.map_or_else(|| self.write_down(entry), Ok)?;
        self.attest(attestation, submission, verdict, verdict_sha256, index)
    }

    fn entry(&self, verdict: &Verdict, submission: &Submission, verdict_sha256: Digest) -> Entry {
        Entry::new(verdict, submission, verdict_sha256, self.signer.key())
    }

    /// Signs the file that names all others, and creates the attestation's file so that the same fsync covers its name;
    /// runs no fsync.
    fn sign(&self, copy: &Path, submission: &Submission) -> Result<Room, Fault> {
        let (path, (_, bytes)) = (copy.join(signature_file(submission)), signed_file(submission));
        let signature = self.signer.key().signature_file(bytes, |message| self.signer.sign(message));
        let signature = signature.on("sign with the key of", self.signer.place())?;
        durable::create_new(&path)?.write_all(signature.as_bytes()).on("write", &path)?;
        let path = copy.join(ATTESTATION_FILE);
        Ok(Room { file: durable::create_new(&path)?, path })
    }

    /// Attests the decision logged at an index, and syncs the attestation.
    fn attest(
        &self,
        Room { mut file, path }: Room,
        submission: &Submission,
        verdict: &Verdict,
        verdict_sha256: Digest,
        index: u64,
    ) -> Result<(), Fault> {
        let log = LogPlace { origin: self.records().log_origin(), index };
        let pins = facts::pins(&self.site)?;
        let json = serde_json::to_vec(&statement(submission, verdict, verdict_sha256, &pins, log));
        let payload = json.map_err(io::Error::from).on("write", &path)?;
        let sealed = Envelope::seal(&payload, PAYLOAD_TYPE, self.signer.key(), |message| self.signer.sign(message));
        let sealed = sealed.on("sign with the key of", self.signer.place())?;
        let mut line = serde_json::to_vec(&sealed).map_err(io::Error::from).on("write", &path)?;
        line.push(b'\n');
        file.write_all(&line).on("write", &path)?;
        durable::flush(&file, &path)
    }
}

fn signature_file(submission: &Submission) -> String {
    signed_file(submission).0 + ".sig"
}
