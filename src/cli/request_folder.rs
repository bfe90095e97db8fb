//! A request folder, `TR-…/`, before its drop: a private copy, made like a claim.
//!
//! The copy is checked like TOOL-EXEC would check the folder, and removed when it is no longer needed.

use std::path::Path;

use gatepost_contract::config;
use gatepost_contract::request::Form;
use gatepost_documents::id::RequestId;
use gatepost_exec::inputs::Inputs;
use gatepost_exec::mailbox::signatures::{self, Received};
use gatepost_exec::mailbox::{FolderDrop, INPUTS, copy_before_drop};
use gatepost_exec::step_error::StepError;
use gatepost_mailbox::folder::{Folder, Staged};

use super::scratch_folder::ScratchFolder;

/// The copy of a request folder.
pub(super) struct RequestFolder {
    /// The request in its name.
    pub id: RequestId,
    /// Its form.
    pub form: Form,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The signatures beside it.
    pub signatures: Vec<Received>,
    staging: Staged,
    /// The scratch folder of a copy that is not dropped.
    _scratch: Option<ScratchFolder>,
}

impl RequestFolder {
    /// Copies a folder into `staging`, from where it may be dropped, or returns TOOL-EXEC's reasons for a refusal.
    pub(super) fn copy(source: &Path, config: &config::Inbox, staging: &Folder) -> Result<Self, StepError> {
        Self::copy_into(source, config, staging.stage("submit", 0o755)?, None)
    }

    /// Copies a folder to a private place for a check.
    pub(super) fn look_at(source: &Path, config: &config::Inbox) -> Result<Self, StepError> {
        let scratch = ScratchFolder::new("gatepost-request-")?;
        let staging = Folder::open(scratch.path())?.stage("copy", 0o700)?;
        Self::copy_into(source, config, staging, Some(scratch))
    }

    fn copy_into(
        source: &Path,
        config: &config::Inbox,
        staging: Staged,
        scratch: Option<ScratchFolder>,
    ) -> Result<Self, StepError> {
        let (id, FolderDrop { bytes, form, faults }) = copy_before_drop(source, config, staging.folder())?;
        if !faults.is_empty() {
            return Err(StepError::Refused(faults));
        }
        let signatures = signatures::read_in(staging.folder())?;
        Ok(Self { id, form, bytes, signatures, staging, _scratch: scratch })
    }

    /// The copy.
    pub(super) fn staging(&self) -> &Staged {
        &self.staging
    }

    /// Its input files.
    pub(super) fn inputs(&self) -> Inputs {
        Inputs::at(self.staging.folder().descriptor_path().join(INPUTS))
    }
}
