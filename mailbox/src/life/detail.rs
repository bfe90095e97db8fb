//! Everything that a page shows of one request: its row, its reasons, its timeline, its files.
//!
//! *Security*: for a result that the gate did not accept, the files of the result are left out; only the words of the gate and
//! TOOL-EXEC remain. No link is followed.

use std::path::{Path, PathBuf};

use gatepost_documents::evidence::Interaction;
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::Reason;
use gatepost_documents::request_form::Form;
use rustix::fs::FileType;

use super::progress::Progress;
use super::results::Results;
use super::row::Row;
use super::state::RequestState;
use super::timeline::{Event, timeline};
use crate::fault::Fault;
use crate::folder::Folder;
use crate::quarantine::{PAGE, RECORD};
use crate::record::{REVIEW_FILE, request_file};
use crate::site::Site;

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
    /// The folder that contains the result, or else the request.
    pub folder: PathBuf,
    /// The regular files there that may be read, by their paths below that folder, sorted.
    pub files: Vec<PathBuf>,
    /// The one of them that a person reads first.
    pub document: Option<PathBuf>,
}

impl Detail {
    /// Reads it; `None` if nothing is known of the request.
    pub fn read(site: &Site, results: &Results, id: &RequestId) -> Result<Option<Self>, Fault> {
        let Some(progress) = results.progress(site, id)? else { return Ok(None) };
        let (folder, files, timeline) = (progress.path.clone(), files(&progress), timeline(&progress));
        let document = progress.result_id.as_ref().map(|id| PathBuf::from(format!("{id}.md")));
        let first = [
            document,
            Some(PathBuf::from(PAGE)),
            Some(PathBuf::from(REVIEW_FILE)),
            Some(PathBuf::from(request_file(Form::Markdown))),
        ];
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
        RequestState::Accepted | RequestState::Released => bundle(&progress.path),
        RequestState::Rejected | RequestState::Quarantined => only(&[PAGE, RECORD]),
        RequestState::Claimed | RequestState::Pending | RequestState::Running => {
            only(&[request_file(Form::Markdown), request_file(Form::Json), REVIEW_FILE])
        }
        RequestState::Dropped | RequestState::Judging | RequestState::Removed | RequestState::Missing => Vec::new(),
    }
}

fn bundle(path: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    if let Ok(folder) = Folder::open(path) {
        add_files(&folder, Path::new(""), DEPTH_MAX, &mut files);
    }
    files
}

/// Adds the regular files of a folder, by name; none if it cannot be listed.
fn add_files(folder: &Folder, below: &Path, depth: usize, files: &mut Vec<PathBuf>) {
    for name in folder.names().unwrap_or_default() {
        if files.len() == FILES_MAX {
            return;
        }
        let kind = folder.look_at(&name).ok().flatten().map(|found| FileType::from_raw_mode(found.st_mode));
        match kind {
            Some(FileType::RegularFile) => files.push(below.join(name)),
            Some(FileType::Directory) if depth > 1 => {
                if let Ok(inner) = folder.folder(&name) {
                    add_files(&inner, &below.join(name), depth - 1, files);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn the_files_of_a_bundle_are_regular_files_in_their_order_through_no_link() {
        let at = tempfile::tempdir().unwrap();
        let (bundle_path, deep) = (at.path().join("bundle"), "d/".repeat(DEPTH_MAX));
        fs::create_dir_all(bundle_path.join(&deep)).unwrap();
        for name in ["b", "a", "d/x", &format!("{}y", "d/".repeat(DEPTH_MAX - 1)), &format!("{deep}too-deep")] {
            fs::write(bundle_path.join(name), "").unwrap();
        }
        symlink("a", bundle_path.join("link")).unwrap();
        symlink("/", bundle_path.join("root")).unwrap();
        let deepest = PathBuf::from(format!("{}y", "d/".repeat(DEPTH_MAX - 1)));
        assert_eq!(bundle(&bundle_path), [Path::new("a"), Path::new("b"), &deepest, Path::new("d/x")]);
        symlink(&bundle_path, at.path().join("alias")).unwrap();
        assert!(bundle(&at.path().join("alias")).is_empty());
    }
}
