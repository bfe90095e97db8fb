//! The policies of a site: `policies/*.cedar`, as one set.
//!
//! TOOL-EXEC looks at the files again for each request. If one of them, or a manifest, changed, it reads and validates all of them
//! anew, so an operator's edit counts from the next request on. While the set is invalid nothing is decided: requests wait. *Security*:
//! the folder is the operator's own. Any entry but a regular file of at most 1 MiB is a fault, because it may be the file that forbids.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gatepost_contract::manifest::Manifest;
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::fault::{Fault, OnPath, is_passing};
use gatepost_mailbox::regular_file::{self, DOCUMENT_MAX_BYTES};
use gatepost_mailbox::site::Site;

use crate::policy::PolicySet;
use crate::toolbox::{Tool, Toolbox};

const ENDING: &str = ".cedar";
/// The most files of policies.
const FILES_MAX: usize = 100;

/// The set, or all its faults.
pub type Reading = Result<Arc<PolicySet>, Arc<Vec<Reason>>>;

/// The policies of a site, read on demand.
#[derive(Debug)]
pub struct Policies {
    folder: PathBuf,
    cache: Mutex<Option<(Sources, Reading)>>,
}

/// The inputs of a set.
#[derive(Debug)]
struct Sources {
    files: Vec<(PathBuf, FileVersion)>,
    tools: Vec<Arc<Tool>>,
}

/// The versions for detecting changed files.
type FileVersion = (u64, i64, i64, i64, u64);

impl Sources {
    fn are(&self, other: &Self) -> bool {
        let same = |(one, other): (&Arc<Tool>, &Arc<Tool>)| Arc::ptr_eq(one, other);
        self.files == other.files
            && self.tools.len() == other.tools.len()
            && self.tools.iter().zip(&other.tools).all(same)
    }
}

impl Policies {
    /// The policies of a site.
    pub fn at(site: &Site) -> Self {
        Self { folder: site.policies(), cache: Mutex::default() }
    }

    /// The set, validated with the valid manifests and the `interpreters` of command lines.
    pub fn read(&self, toolbox: &Toolbox, interpreters: &[&str]) -> Result<Reading, Fault> {
        let tools = toolbox.all()?.into_iter().filter_map(|(_, reading)| reading.ok()).collect();
        let sources = Sources { files: files(&self.folder)?, tools };
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, reading)) = &*cache
            && known.are(&sources)
        {
            return Ok(reading.clone());
        }
        let reading = read(&sources, interpreters)?.map(Arc::new).map_err(Arc::new);
        *cache = Some((sources, reading.clone()));
        Ok(reading)
    }
}

/// The files of policies with their versions, sorted by name.
fn files(folder: &Path) -> Result<Vec<(PathBuf, FileVersion)>, Fault> {
    let entries = match folder.read_dir() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.on("list", folder)?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.on("list", folder)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(ENDING) && !name.starts_with('.') {
            let found = entry.metadata().on("look at", &entry.path())?;
            let file_version = (found.ino(), found.mtime(), found.mtime_nsec(), found.ctime_nsec(), found.len());
            files.push((entry.path(), file_version));
        }
    }
    files.sort();
    Ok(files)
}

fn read(sources: &Sources, interpreters: &[&str]) -> Result<Result<PolicySet, Vec<Reason>>, Fault> {
    let (mut files, mut reasons) = (Vec::new(), Vec::new());
    for (path, _) in &sources.files {
        let file = format!("policies/{}", path.file_name().unwrap_or_default().to_string_lossy());
        match regular_file::read(path, DOCUMENT_MAX_BYTES) {
            Ok(bytes) => files.push((file, bytes)),
            Err(error) if is_passing(&error) => return Err(error).on("read", path),
            Err(error) => reasons.push(unreadable(&error.to_string()).in_file(file)),
        }
    }
    if files.len() > FILES_MAX {
        reasons.push(unreadable(&format!("there are {} files, and {FILES_MAX} are allowed", files.len())));
    }
    if !reasons.is_empty() {
        return Ok(Err(reasons));
    }
    let mut tools: Vec<&Manifest> = sources.tools.iter().map(|tool| &tool.manifest).collect();
    // If two manifests share a name, neither can be called.
    tools.sort_by_key(|tool| tool.name());
    tools.dedup_by_key(|tool| tool.name());
    Ok(PolicySet::read(&files, &tools, interpreters))
}

fn unreadable(what: &str) -> Reason {
    let hint = "Make each a regular UTF-8 file of at most 1 MiB that TOOL-EXEC may read.";
    Reason::new(Code::PolicyInvalid, format!("The policies cannot be read: {what}."), hint)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ALL: &str = "permit (principal, action, resource);";

    fn site() -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("tools")).unwrap();
        fs::create_dir(folder.path().join("policies")).unwrap();
        let site = Site::at(folder.path());
        (folder, site)
    }

    #[test]
    fn the_set_is_read_again_when_a_file_or_a_manifest_changed() {
        let (_folder, site) = site();
        let (policies, toolbox) = (Policies::at(&site), Toolbox::at(&site));
        let read = || policies.read(&toolbox, &[]).unwrap();
        assert_eq!(read().unwrap().policies().len(), 0);
        fs::write(site.policies().join("b.cedar"), ALL).unwrap();
        fs::write(site.policies().join(".b.cedar.swp"), "(").unwrap();
        fs::write(site.policies().join("notes.md"), "(").unwrap();
        let first = read().unwrap();
        assert_eq!(first.policies()[0].file, "policies/b.cedar");
        assert!(Arc::ptr_eq(&first, &read().unwrap()));
        fs::write(site.policies().join("a.cedar"), "forbid (principal, action, resource == Gatepost::Tool::\"t\");")
            .unwrap();
        assert_eq!(read().unwrap_err()[0].file.as_deref(), Some("policies/a.cedar"));
        let manifest = gatepost_contract::manifest::starter("t");
        fs::write(site.tools().join("t.clad.toml"), manifest).unwrap();
        assert_eq!(read().unwrap().policies().len(), 2);
    }

    #[test]
    fn what_is_no_regular_file_is_a_fault_and_not_left_out() {
        let (_folder, site) = site();
        fs::write(site.policies().join("a.cedar"), ALL).unwrap();
        std::os::unix::fs::symlink("/dev/zero", site.policies().join("b.cedar")).unwrap();
        let reasons = Policies::at(&site).read(&Toolbox::at(&site), &[]).unwrap().unwrap_err();
        assert_eq!(reasons[0].file.as_deref(), Some("policies/b.cedar"));
    }
}
