//! A request folder, `TR-…/`, before it is dropped: a private copy, made as its claim would make it.
//!
//! What TOOL-EXEC would say to the folder is said to the copy, which is removed when nobody needs it any more.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use gatepost_documents::id::RequestId;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::OnPath;

use super::scratch_folder::ScratchFolder;
use crate::config;
use crate::inputs::Inputs;
use crate::mailbox::signatures::{self, Received};
use crate::mailbox::{FolderDrop, INPUTS, copy_before_drop};
use crate::request::Form;
use crate::step_error::StepError;

/// The modes of a folder that others read, and of one that nobody else does.
const READABLE: u32 = 0o755;
const PRIVATE: u32 = 0o700;

/// The copy of a request folder.
pub struct RequestFolder {
    /// The request that its name names.
    pub id: RequestId,
    /// Its form.
    pub form: Form,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The signatures that came with it.
    pub signatures: Vec<Received>,
    staging: Staging,
    /// Where the copy lies, if it is not to be dropped.
    _scratch: Option<ScratchFolder>,
}

impl RequestFolder {
    /// Copies a folder to `staging`, from where it may be dropped; or says for what TOOL-EXEC would refuse it.
    pub fn copy(source: &Path, config: &config::Inbox, staging: PathBuf) -> Result<Self, StepError> {
        Self::copy_into(source, config, Staging::make(staging, READABLE)?, None)
    }

    /// Copies a folder to where nobody else reads it, to be looked at.
    pub fn look_at(source: &Path, config: &config::Inbox) -> Result<Self, StepError> {
        let scratch = ScratchFolder::new("gatepost-request-")?;
        let staging = Staging::make(scratch.path().join("copy"), PRIVATE)?;
        Self::copy_into(source, config, staging, Some(scratch))
    }

    fn copy_into(
        source: &Path,
        config: &config::Inbox,
        staging: Staging,
        scratch: Option<ScratchFolder>,
    ) -> Result<Self, StepError> {
        let (id, FolderDrop { bytes, form, faults }) = copy_before_drop(source, config, &staging.0)?;
        if !faults.is_empty() {
            return Err(StepError::Refused(faults));
        }
        let signatures = signatures::read(&staging.0)?;
        Ok(Self { id, form, bytes, signatures, staging, _scratch: scratch })
    }

    /// Where the copy lies.
    pub fn path(&self) -> &Path {
        &self.staging.0
    }

    /// Its input files.
    pub fn inputs(&self) -> Inputs {
        Inputs::at(self.staging.0.join(INPUTS))
    }
}

struct Staging(PathBuf);

impl Staging {
    fn make(path: PathBuf, mode: u32) -> Result<Self, StepError> {
        durable::remove_tree(&path)?;
        DirBuilder::new().mode(mode).create(&path).on("create", &path)?;
        Ok(Self(path))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // One that was moved into the inbox is gone; one that cannot be removed does no harm where it lies.
        let _ = durable::remove_tree(&self.0);
    }
}
