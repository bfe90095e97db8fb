//! Reads `gate.toml` again whenever it changed, so that the present policy judges each submission.
//!
//! Weakness: a file that is rewritten in place is read as it is at that moment, perhaps incomplete, and the verdict has
//! its digest; a renamed file is complete. The site's rules are read once, at startup. *Weakness*: A confined gate
//! cannot open a replacement of the file: [`crate::confinement::Confinement::replaced`] reports it, and a new gate can
//! open it.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;

use super::{Policy, SitePolicy};
use gatepost_documents::reason::Reason;
use gatepost_mailbox::site::Site;

/// Identifies one state of a file: device, inode, size, mtime and ctime, the latter in nanoseconds too.
type FileVersion = (u64, u64, u64, i64, i64, i64, i64);

/// The policy of a site, and the state of its file.
#[derive(Debug)]
pub(crate) struct PolicyFile {
    site: Site,
    path: PathBuf,
    file_version: Option<FileVersion>,
    policy: SitePolicy,
}

impl PolicyFile {
    /// Reads it.
    pub(crate) fn open(site: &Site) -> Result<Self, Reason> {
        let path = site.gate_config_file();
        // Before the read: a change in between causes another read.
        let file_version = file_version(&path);
        Ok(Self { site: site.clone(), path, file_version, policy: SitePolicy::read(site)? })
    }

    /// The last policy.
    pub(crate) fn last_read(&self) -> &SitePolicy {
        &self.policy
    }

    /// The present policy. While the file is invalid, the gate judges nothing.
    pub(crate) fn current(&mut self) -> Result<SitePolicy, Reason> {
        let now = file_version(&self.path);
        if now != self.file_version {
            (self.policy.policy, self.policy.sha256) = Policy::read_file(&self.site)?;
            self.file_version = now;
        }
        Ok(self.policy.clone())
    }
}

fn file_version(path: &std::path::Path) -> Option<FileVersion> {
    let found = fs::metadata(path).ok()?;
    Some((found.dev(), found.ino(), found.size(), found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatepost_documents::sandbox_level::SandboxLevel;

    #[test]
    fn what_is_edited_counts_from_then_on_and_while_it_is_wrong_nothing_does() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        let mut file = PolicyFile::open(&site).unwrap();
        assert_eq!(file.current().unwrap().policy.sandbox.minimum, SandboxLevel::Full);
        fs::write(site.gate_config_file(), "[sandbox]\nminimum = 'none'\n").unwrap();
        assert_eq!(file.current().unwrap().policy.sandbox.minimum, SandboxLevel::None);
        fs::write(site.gate_config_file(), "[sandbox]\nminimum = 'nothing'\n").unwrap();
        assert!(file.current().is_err() && file.current().is_err());
        fs::remove_file(site.gate_config_file()).unwrap();
        assert_eq!(file.current().unwrap().policy.sandbox.minimum, SandboxLevel::Full);
    }
}
