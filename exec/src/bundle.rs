//! Seals a result and publishes it as a folder in the outbox.
//!
//! ```text
//! outbox/.tmp/<request id>/artifacts/{stdout,stderr}.txt     already there, written while the tool ran
//! move work/out/… → artifacts/out/…, write evidence.json, request, manifest, document, SHA256SUMS
//! fsync every file, fsync every folder                       sealed, and logged
//! rename outbox/.tmp/<request id> → outbox/TS-… (a packet: RP-…), fsync outbox and .tmp       commit point: published
//! ```
//!
//! *Security*: reads a tool's output and files; [`crate::excerpt`] and `artifact.rs` make it harmless.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use gatepost_contract::request::ExpectedOutput;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{Evidence, Failure, HTTP_BODY_BYTES_MAX};
use gatepost_documents::id::{RequestId, ResultId, ResultKind};
use gatepost_documents::reason::each_once;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::{STAGING, Site};

use crate::artifact::{self, Allowance, Artifact, OutFolder};
use crate::excerpt;
use crate::expectation;
use crate::mailbox::exec_log::Step;
use crate::mailbox::record;
use crate::mailbox::signatures::{APPROVALS, Received};
use crate::packet_document;
use crate::result_document::{self, Parts};
use crate::results_file;
use crate::transcript;

/// The artifact with a tool's stdout.
pub const STDOUT: &str = "stdout.txt";
/// The artifact with a tool's stderr.
pub const STDERR: &str = "stderr.txt";
/// The name of the evidence in a bundle.
pub const EVIDENCE: &str = "evidence.json";
const SUMS: &str = "SHA256SUMS";
/// The most characters of a failure's text.
const SENTENCE_CHARS_MAX: usize = 1_000;
/// The most bytes of stderr in the evidence.
const STDERR_BYTES_MAX: u64 = 64 * 1024;
/// The most bytes of `SHA256SUMS`: more than the gate reads.
const SUMS_BYTES_MAX: u64 = 16 << 20;

/// The staging folder of a result in `outbox/.tmp`, private to TOOL-EXEC.
#[derive(Debug)]
pub struct Staging {
    folder: PathBuf,
}

/// A finished bundle whose bytes are on the disk.
#[derive(Debug)]
pub struct Sealed {
    folder: PathBuf,
    result_id: ResultId,
    sums_sha256: Digest,
    evidence: Evidence,
}

/// The content of a bundle besides the artifacts.
#[derive(Debug)]
pub struct Materials<'a> {
    /// The evidence. Sealing adds the facts about the streams and the anomalies about out/.
    pub evidence: Evidence,
    /// The request's bytes and their name in the bundle.
    pub request: (&'a [u8], &'static str),
    /// The signatures that the evidence names, with their paths in the bundle.
    pub signatures: &'a [Received],
    /// The manifest's text.
    pub manifest: Option<&'a str>,
    /// The request's expected outputs.
    pub outputs_expected: &'a [ExpectedOutput],
    /// The tool's own output file, below `artifacts/`, when it wrote one; else stdout is the output.
    pub output_file: Option<&'a str>,
}

impl Staging {
    /// A fresh staging folder for the answer to a request; removes remains of an earlier attempt.
    pub fn fresh(site: &Site, id: &RequestId) -> Result<Self, Fault> {
        let folder = Self::existing(site, id).folder;
        durable::remove_tree(&folder)?;
        Self::at(folder)
    }

    /// A staging folder at a path of the caller's, which must not exist.
    pub fn at(folder: PathBuf) -> Result<Self, Fault> {
        let staging = Self { folder };
        let artifacts = staging.artifacts();
        fs::create_dir_all(&artifacts).on("create", &artifacts)?;
        // Private until it is sealed: it may contain secrets.
        set_mode(&staging.folder, 0o700)?;
        Ok(staging)
    }

    /// The staging folder of an interrupted run.
    pub fn existing(site: &Site, id: &RequestId) -> Self {
        Self { folder: site.outbox().join(STAGING).join(id.as_str()) }
    }

    /// The path of stdout.
    pub fn stdout(&self) -> PathBuf {
        self.artifacts().join(STDOUT)
    }

    /// The path of stderr.
    pub fn stderr(&self) -> PathBuf {
        self.artifacts().join(STDERR)
    }

    /// Removes the output and the collected files of an interrupted tool.
    pub fn withhold(&self) -> Result<(), Fault> {
        durable::remove_tree(&self.artifacts())
    }

    /// The folder of collected files.
    pub fn artifacts(&self) -> PathBuf {
        self.folder.join("artifacts")
    }

    /// Seals: completes the evidence, writes every file, and flushes them all. `now` becomes the result's time.
    pub fn seal(self, mut materials: Materials<'_>, now: DateTime<Utc>) -> Result<Sealed, Fault> {
        let evidence = &mut materials.evidence;
        if let Some(failure) = &mut evidence.error {
            shorten(failure);
        }
        let mut artifacts = self.complete(evidence, materials.output_file)?;
        let descriptions = expectation::descriptions(materials.outputs_expected);
        for artifact in &mut artifacts {
            artifact.description = descriptions.get(&artifact.path).map(|description| (*description).to_owned());
        }
        let kind = packet_document::kind(evidence);
        let result_id = ResultId::new(kind, now, &evidence.request_id);
        self.clear()?;
        let mut files = Files::new(&self.folder);
        let mut json = serde_json::to_vec_pretty(&*evidence).map_err(io::Error::from).on("write", &self.folder)?;
        json.push(b'\n');
        let evidence_sha256 = files.add(EVIDENCE, &json)?;
        files.add(materials.request.1, materials.request.0)?;
        if !materials.signatures.is_empty() {
            let folder = self.folder.join(APPROVALS);
            fs::create_dir(&folder).on("create", &folder)?;
        }
        for Received { path, bytes, .. } in materials.signatures {
            files.add(path, bytes)?;
        }
        if let Some(manifest) = materials.manifest {
            files.add("manifest.clad.toml", manifest.as_bytes())?;
        }
        let shown =
            |path: PathBuf, name| File::open(&path).and_then(|file| excerpt::show(file, name)).on("read", &path);
        let render = match kind {
            ResultKind::Result => result_document::render,
            ResultKind::Packet => packet_document::render,
        };
        let document = render(&Parts {
            result_id: &result_id,
            evidence,
            evidence_sha256,
            request_file: materials.request.1,
            artifacts: &artifacts,
            stdout: &shown(self.stdout(), STDOUT)?,
            stderr: &shown(self.stderr(), STDERR)?,
        });
        files.add(&format!("{result_id}.md"), document.as_bytes())?;
        files.list(artifacts.iter().map(|artifact| (format!("artifacts/{}", artifact.path), artifact.sha256)));
        let sums_sha256 = files.write_sums()?;
        set_mode(&self.folder, 0o755)?;
        durable::sync_tree(&self.folder)?;
        Ok(Sealed { folder: self.folder, result_id, sums_sha256, evidence: materials.evidence })
    }

    /// The bundle as it was sealed before an interruption, if it is the one whose `SHA256SUMS` has this digest.
    pub fn sealed(&self, result_id: ResultId, sums_sha256: Digest) -> Result<Option<Sealed>, Fault> {
        let path = self.folder.join(SUMS);
        match regular_file::read(&path, SUMS_BYTES_MAX) {
            Ok(bytes) if Digest::of(&bytes) == sums_sha256 => {}
            Ok(_) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error).on("read", &path),
        }
        let evidence = record::read(&self.folder.join(EVIDENCE))?;
        Ok(Some(Sealed { folder: self.folder.clone(), result_id, sums_sha256, evidence }))
    }

    /// Removes the files beside the artifacts of an interrupted sealing: its document has another time.
    fn clear(&self) -> Result<(), Fault> {
        for entry in self.folder.read_dir().on("list", &self.folder)? {
            let path = entry.on("list", &self.folder)?.path();
            if path != self.artifacts() {
                durable::remove_tree(&path)?;
            }
        }
        Ok(())
    }

    /// Collects the files in a tool's folder; adds omitted ones to `anomalies`.
    pub fn collect(&self, out: &OutFolder, allowance: Allowance, anomalies: &mut Vec<String>) -> Result<(), Fault> {
        artifact::collect(out, &self.artifacts(), allowance, anomalies)
    }

    /// Compares the collected files with a request's expected outputs, and adds each difference to `anomalies`. `own` are the
    /// files that the lane itself wrote, below `artifacts/`.
    pub fn compare(&self, expected: &[ExpectedOutput], own: &[&str], anomalies: &mut Vec<String>) -> Result<(), Fault> {
        anomalies.extend(expectation::differences(expected, &artifact::paths(&self.artifacts())?, own));
        Ok(())
    }

    /// Every collected file, including the streams.
    pub fn files(&self) -> Result<Vec<PathBuf>, Fault> {
        let artifacts = self.artifacts();
        Ok(artifact::paths(&artifacts)?.into_iter().map(|path| artifacts.join(path)).collect())
    }

    /// Renames files collected from out/, see `artifact::rename`.
    pub fn rename(&self, name: impl Fn(&str) -> Option<String>, anomalies: &mut Vec<String>) -> Result<u64, Fault> {
        artifact::rename(&self.artifacts(), name, anomalies)
    }

    /// A collected file by its path below `artifacts/`.
    pub fn file(&self, path: &str) -> Option<PathBuf> {
        Some(self.artifacts().join(path)).filter(|path| path.is_file())
    }

    /// Completes the evidence with the facts of the artifacts; `output_file` is the tool's own output below `artifacts/`, if
    /// it wrote one.
    pub fn complete(&self, evidence: &mut Evidence, output_file: Option<&str>) -> Result<Vec<Artifact>, Fault> {
        let folder = self.artifacts();
        fs::create_dir_all(&folder).on("create", &folder)?;
        for stream in [self.stdout(), self.stderr()] {
            if !stream.exists() {
                durable::create_new(&stream)?;
            }
        }
        results_file::set_aside(evidence, &self.folder)?;
        transcript::write(evidence, &self.folder)?;
        let artifacts = artifact::list(&folder)?;
        let find = |path: &str| artifacts.iter().find(|artifact| artifact.path == path);
        let output = output_file.and_then(find).or(find(STDOUT));
        if let (Some(output), Some(stdout), Some(stderr)) = (output, find(STDOUT), find(STDERR)) {
            evidence.output_file = format!("artifacts/{}", output.path);
            evidence.output_hash = format!("sha256:{}", output.sha256);
            evidence.stderr_hash = format!("sha256:{}", stderr.sha256);
            evidence.usage.stdout_bytes = stdout.bytes;
            evidence.usage.stderr_bytes = stderr.bytes;
        }
        evidence.stderr = beginning(&self.stderr(), STDERR_BYTES_MAX)?;
        if evidence.is_http_error() {
            let body = beginning(&self.stdout(), HTTP_BODY_BYTES_MAX as u64)?;
            evidence.http_body = Some(body).filter(|body| !body.is_empty());
        }
        Ok(artifacts)
    }
}

impl Sealed {
    /// TOOL-EXEC's last step of the request, which this bundle ends.
    pub fn step(&self) -> Step {
        let error = self.evidence.error.as_ref();
        Step::Ended {
            result_id: self.result_id.to_string(),
            sha256sums_sha256: self.sums_sha256,
            outcome: error.map_or_else(|| "success".to_owned(), |error| error.code.to_string()),
            codes: each_once(error.into_iter().flat_map(|error| &error.reasons).map(|reason| reason.code)),
        }
    }

    /// Publishes the bundle: the gate sees it from here on. Returns its name and the published evidence.
    pub fn publish(self, site: &Site) -> Result<(ResultId, Evidence), Fault> {
        durable::move_new(&self.folder, &site.outbox().join(self.result_id.as_str()))?;
        Ok((self.result_id, self.evidence))
    }
}

/// The files of a bundle as they are written, with their digests for `SHA256SUMS`.
struct Files<'a> {
    folder: &'a Path,
    sums: Vec<(String, Digest)>,
}

impl<'a> Files<'a> {
    fn new(folder: &'a Path) -> Self {
        Self { folder, sums: Vec::new() }
    }

    fn add(&mut self, name: &str, bytes: &[u8]) -> Result<Digest, Fault> {
        let path = self.folder.join(name);
        io::Write::write_all(&mut durable::create_new(&path)?, bytes).on("write", &path)?;
        let digest = Digest::of(bytes);
        self.sums.push((name.to_owned(), digest));
        Ok(digest)
    }

    fn list(&mut self, others: impl Iterator<Item = (String, Digest)>) {
        self.sums.extend(others);
    }

    fn write_sums(mut self) -> Result<Digest, Fault> {
        self.sums.sort();
        let mut lines = String::new();
        for (path, digest) in &self.sums {
            let _ = writeln!(lines, "{digest}  {path}");
        }
        self.add(SUMS, lines.as_bytes())
    }
}

fn set_mode(folder: &Path, mode: u32) -> Result<(), Fault> {
    fs::set_permissions(folder, fs::Permissions::from_mode(mode)).on("set the mode of", folder)
}

/// The beginning of a stream as text; replaces invalid UTF-8, and omits a character cut at the end.
fn beginning(path: &Path, bytes_max: u64) -> Result<String, Fault> {
    let mut bytes = Vec::new();
    let file = File::open(path).on("open", path)?;
    io::Read::read_to_end(&mut io::Read::take(file, bytes_max), &mut bytes).on("read", path)?;
    if bytes.len() as u64 == bytes_max {
        let last = bytes.utf8_chunks().last();
        let cut = last.map_or(0, |chunk| chunk.invalid().len());
        bytes.truncate(bytes.len() - cut);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Truncates the texts of a failure and its reasons to the limits of a result.
fn shorten(failure: &mut Failure) {
    let Failure { target, message, hint, reasons, .. } = failure;
    let of_reasons = reasons.iter_mut().flat_map(|reason| [&mut reason.message, &mut reason.hint]);
    for text in [target, message, hint].into_iter().chain(of_reasons) {
        if let Some((end, _)) = text.char_indices().nth(SENTENCE_CHARS_MAX) {
            text.truncate(end);
        }
    }
}
