//! Everything that a page shows of one request: its row, its reasons, its timeline, its files.
//!
//! *Security*: files of a result that the gate did not accept are not among them, only what the gate and TOOL-EXEC say of
//! it. No link is followed.

use std::path::PathBuf;

use gatepost_contract::request::Form;
use gatepost_documents::evidence::Interaction;
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::Reason;
use gatepost_exec::mailbox::record::request_file;
use gatepost_mailbox::fault::Fault;
use gatepost_mailbox::quarantine::{PAGE, RECORD};
use gatepost_mailbox::site::Site;
use walkdir::WalkDir;

use super::progress::Progress;
use super::results::Results;
use super::row::Row;
use super::timeline::{Event, timeline};

/// The most files that are named.
const FILES_MAX: usize = 1_000;
/// The most folders between a bundle and a file of it.
const DEPTH_MAX: usize = 16;

/// One request.
#[derive(Debug)]
pub struct Detail {
    /// The facts.
    pub row: Row,
    /// Why the request was refused, or its result rejected, and what was flagged.
    pub reasons: Vec<Reason>,
    /// What happened to it.
    pub timeline: Vec<Event>,
    /// What was done in a session or browser, of a result that CORE has.
    pub interactions: Vec<Interaction>,
    /// The folder that the result, or else the request, lies in.
    pub folder: PathBuf,
    /// The regular files there that may be read, by their paths below that folder, sorted.
    pub files: Vec<PathBuf>,
    /// The one of them that a person reads first.
    pub document: Option<PathBuf>,
}

impl Detail {
    /// Reads it; none where nothing is known of the request.
    pub fn read(site: &Site, results: &Results, id: &RequestId) -> Result<Option<Self>, Fault> {
        let Some(progress) = results.progress(site, id)? else { return Ok(None) };
        let (folder, files, timeline) = (progress.path.clone(), files(&progress), timeline(&progress));
        let document = progress.result_id.as_ref().map(|id| PathBuf::from(format!("{id}.md")));
        let first = [document, Some(PathBuf::from(PAGE)), Some(PathBuf::from(request_file(Form::Markdown)))];
        let document = first.into_iter().flatten().find(|path| files.contains(path));
        let error = progress.evidence.as_ref().and_then(|evidence| evidence.error.as_ref());
        let of_request = error.into_iter().flat_map(|error| &error.reasons);
        let accepted = progress.evidence.as_ref().filter(|_| progress.is_in_core());
        let interactions = accepted.map(|evidence| evidence.interactions.clone()).unwrap_or_default();
        let reasons = of_request.chain(&progress.reasons).cloned().collect();
        Ok(Some(Self { row: Row::of(site, id, progress), reasons, timeline, interactions, folder, files, document }))
    }
}

fn files(progress: &Progress) -> Vec<PathBuf> {
    let only = |names: &[&str]| {
        let is_there = |path: &PathBuf| progress.path.join(path).symlink_metadata().is_ok_and(|found| found.is_file());
        names.iter().map(PathBuf::from).filter(is_there).collect()
    };
    match progress.state {
        "accepted" | "released" => bundle(progress),
        "rejected" | "quarantined" => only(&[PAGE, RECORD]),
        "claimed" | "pending" | "running" => only(&[request_file(Form::Markdown), request_file(Form::Json)]),
        _ => Vec::new(),
    }
}

fn bundle(progress: &Progress) -> Vec<PathBuf> {
    let entries =
        WalkDir::new(&progress.path).follow_root_links(false).max_depth(DEPTH_MAX).sort_by_file_name().into_iter();
    let files = entries.filter_map(Result::ok).filter(|entry| entry.file_type().is_file());
    let below = files.filter_map(|file| Some(file.path().strip_prefix(&progress.path).ok()?.to_owned()));
    below.take(FILES_MAX).collect()
}
