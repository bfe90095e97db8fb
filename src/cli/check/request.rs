//! Requests as TOOL-EXEC would read them: alone, or in their folders.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::Utc;
use gatepost_contract::config::Config;
use gatepost_contract::request::{self, Form, Request};
use gatepost_exec::inputs;
use gatepost_exec::mailbox::record;
use gatepost_exec::step_error::{StepError, gather};

use super::{File, Site};
use crate::cli::policy::{Brought, Declared, foresee, secrets_missing};
use crate::cli::prelude::*;
use crate::cli::request_folder::RequestFolder;

impl Site {
    /// A request in a file. Its declared inputs are assumed to exist, unless the file is in the request's own folder.
    pub(super) fn request_file(&self, path: &Path, bytes: &[u8], form: Form) -> Result<File, Failure> {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let reasons = match request::read(bytes, form, &stem, Utc::now() + self.clock_skew) {
            Ok(request) => {
                let declared = Declared(&request.inputs);
                let mut reasons = self.against(&request, &Brought { inputs: &declared, signatures: &[], bytes })?;
                let hint = "Drop it in a folder of its own name, with the file in in/: `gatepost check TR-…/` checks all of it.";
                let missing = inputs::differences(&request, BTreeMap::new(), hint);
                reasons.extend(missing.into_iter().map(flag));
                reasons
            }
            Err(reasons) => reasons,
        };
        Ok(File::new(path, "request", reasons))
    }

    /// A request folder: the request, its inputs, and its signatures.
    pub(super) fn request_folder(&self, path: &Path) -> Result<File, Failure> {
        let config =
            self.context.as_ref().map_or_else(|| Config::default().inbox, |context| context.config.inbox.clone());
        let reasons = match RequestFolder::look_at(path, &config) {
            Err(StepError::Refused(reasons)) => reasons,
            Err(StepError::Fault(fault)) => return Err(fault.into()),
            Ok(folder) => self.whole(&folder)?,
        };
        Ok(File::new(path, "request folder", reasons))
    }

    fn whole(&self, folder: &RequestFolder) -> Result<Vec<Reason>, Failure> {
        let RequestFolder { bytes, signatures, .. } = folder;
        let request = match request::read(bytes, folder.form, folder.id.as_str(), Utc::now() + self.clock_skew) {
            Err(reasons) => return Ok(reasons),
            Ok(request) => request,
        };
        let inputs = folder.inputs();
        let mut reasons = Vec::new();
        gather(inputs.check(&request), &mut reasons)?;
        reasons.extend(self.against(&request, &Brought { inputs: &inputs, signatures, bytes })?);
        Ok(reasons)
    }

    /// The reasons for which this site would refuse a request.
    fn against(&self, request: &Request, brought: &Brought<'_>) -> Result<Vec<Reason>, Failure> {
        let Some(context) = &self.context else { return Ok(Vec::new()) };
        let (plan, mut reasons) = foresee(context, request, brought)?;
        if reasons.iter().all(|reason| reason.severity == Severity::Flag) {
            // TOOL-EXEC may have secrets that this user lacks.
            reasons.extend(secrets_missing(context, plan)?.into_iter().map(flag));
        }
        // A user without access to the records gets no such reason.
        let known = record::locate(&context.site, &request.id).ok().flatten();
        if known.is_some_and(|(_, claim)| claim.request_sha256 != Digest::of(brought.bytes)) {
            let message = format!("Another request, with different bytes, has used the id {}.", request.id);
            reasons.push(Reason::new(Code::RequestIdReused, message, "Give the request its own id."));
        }
        Ok(reasons)
    }
}

fn flag(reason: Reason) -> Reason {
    Reason { severity: Severity::Flag, ..reason }
}

/// The folder of a request's file, if it is the request's own.
pub(super) fn own_folder(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let is_own = folder.file_name().is_some() && folder.file_name() == path.file_stem();
    is_own.then(|| folder.to_owned())
}
