//! A request in a folder: `TR-…/` with `TR-….md` (or `.json`), its input files in `in/`, and signatures in `approvals/`.
//!
//! Copies everything into the private folder; a later check compares the inputs of the copy with the declared ones. A folder whose
//! request is readable is claimed even if other content is invalid, so that its requester gets an answer: then only the request is
//! copied, and its faults are kept. *Security*: as in [`super::claim`].

use std::ffi::{OsStr, OsString};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use gatepost_contract::config;
use gatepost_contract::request::{Form, INPUT_NAME_FORM, input_name};
use gatepost_documents::evidence::signature_path;
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::text::quoted_name;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::folder::Folder;
use rustix::fs::{Mode, OFlags};

use super::claim::{Unclaimable, open_folder, open_regular, read_request};
use super::signature_drop::read_signature;
use super::signatures::{APPROVALS, SIGNATURES_MAX};
use crate::step_error::StepError;

/// The folder of the input files, in a dropped folder and in the private copy.
pub const INPUTS: &str = "in";

/// A request in a folder.
#[derive(Debug)]
pub struct FolderDrop {
    /// The request's bytes.
    pub bytes: Vec<u8>,
    /// Markdown or JSON.
    pub form: Form,
    /// Its faults. If there are any, neither inputs nor signatures were copied.
    pub faults: Vec<Reason>,
}

/// Copies a folder that is not dropped yet into `staging`, as its claim would. Refuses a folder that would be quarantined. Its name is
/// that of its request.
pub fn copy_before_drop(
    source: &Path,
    config: &config::Inbox,
    staging: &Folder,
) -> Result<(RequestId, FolderDrop), StepError> {
    let name = source.file_name().unwrap_or_default();
    let id = RequestId::parse(&name.to_string_lossy()).map_err(|why| {
        let message = format!("The name {} is not a request name: it {why}.", quoted_name(name));
        Reason::new(Code::NotARequest, message, "Name the folder after the request in it, TR-YYYYMMDD-HHMMSSZ-<slug>.")
    })?;
    match copy(source, &id, config, staging) {
        Ok(dropped) => Ok((id, dropped)),
        Err(Unclaimable::Refused(reasons) | Unclaimable::Unfinished(reasons)) => Err(StepError::Refused(reasons)),
        Err(Unclaimable::Fault(fault)) => Err(fault.into()),
        Err(Unclaimable::Gone) => {
            let changing = std::io::Error::other("it is still being written");
            Err(Fault { operation: "read", path: source.to_owned(), source: changing }.into())
        }
    }
}

/// Copies a dropped folder into `staging`; the caller flushes it as a whole later.
pub(super) fn copy(
    source: &Path,
    id: &RequestId,
    config: &config::Inbox,
    staging: &Folder,
) -> Result<FolderDrop, Unclaimable> {
    let folder = open_folder(source).on("open", source)?;
    let names = list(&folder, source)?;
    let form = request_form(&names, id)?;
    let request_name = format!("{id}.{}", form.extension());
    let name = OsStr::new(&request_name);
    let bytes = read_request(&folder, name, source, &quoted_name(name))?;
    let mut faults = unlisted(&names, &request_name);
    if names.iter().any(|name| name == INPUTS) {
        faults.extend(refused(copy_inputs(&folder, source, config, staging))?);
    }
    if names.iter().any(|name| name == APPROVALS) {
        faults.extend(refused(copy_signatures(&folder, source, staging))?);
    }
    if !faults.is_empty() {
        staging.remove(INPUTS)?;
        staging.remove(APPROVALS)?;
    }
    Ok(FolderDrop { bytes, form, faults })
}

/// The reasons of a refusal; none if it was not refused.
fn refused(copied: Result<(), Unclaimable>) -> Result<Vec<Reason>, Unclaimable> {
    match copied {
        Err(Unclaimable::Refused(reasons)) => Ok(reasons),
        copied => copied.map(|()| Vec::new()),
    }
}

fn list(folder: &OwnedFd, path: &Path) -> Result<Vec<OsString>, Unclaimable> {
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(folder).on("list", path)? {
        let entry = entry.on("list", path)?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsStr::from_bytes(name).to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// The unexpected entries of a request's folder.
fn unlisted(names: &[OsString], request_name: &str) -> Vec<Reason> {
    let belongs = |name: &OsString| name == INPUTS || name == APPROVALS || name == request_name;
    let reason = |name: &OsString| {
        let message = format!("The folder contains {}, which does not belong there.", quoted_name(name));
        let hint =
            format!("Keep only {request_name} and the folders {INPUTS}/ and {APPROVALS}/, and drop it under a new id.");
        Reason::new(Code::FileUnlisted, message, hint)
    };
    names.iter().filter(|name| !belongs(name)).take(20).map(reason).collect()
}

fn request_form(names: &[OsString], id: &RequestId) -> Result<Form, Unclaimable> {
    let [markdown, json] = [Form::Markdown, Form::Json].map(|form| format!("{id}.{}", form.extension()));
    match (names.iter().any(|name| **name == *markdown), names.iter().any(|name| **name == *json)) {
        (true, false) => Ok(Form::Markdown),
        (false, true) => Ok(Form::Json),
        (true, true) => {
            let message = format!("The folder contains both {markdown} and {json}.");
            Err(Reason::new(Code::NotARequest, message, "Keep one of the two.").into())
        }
        (false, false) => {
            let message = format!("The folder contains neither {markdown} nor {json}.");
            let hint = "Put the request into it, under the folder's own name.";
            Err(Unclaimable::Unfinished(vec![Reason::new(Code::NotARequest, message, hint)]))
        }
    }
}

/// A folder within a dropped one, with the names in it.
fn open_within(folder: &OwnedFd, source: &Path, name: &str) -> Result<(OwnedFd, Vec<OsString>), Unclaimable> {
    let path = source.join(name);
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
            let message = format!("{name} is not a folder.");
            return Err(Reason::new(Code::SpecialFile, message, "Make it a folder that holds the files.").into());
        }
        opened => opened.on("open", &path)?,
    };
    let names = list(&opened, &path)?;
    Ok((opened, names))
}

fn copy_signatures(folder: &OwnedFd, source: &Path, staging: &Folder) -> Result<(), Unclaimable> {
    let (signatures, names) = open_within(folder, source, APPROVALS)?;
    if names.len() > SIGNATURES_MAX {
        let message = format!("The request has {} signatures; at most {SIGNATURES_MAX} are read.", names.len());
        return Err(Reason::new(Code::TooManyFiles, message, "Send only those that the request needs.").into());
    }
    let (from, to) = (source.join(APPROVALS), staging.create_folder(APPROVALS.as_ref(), 0o755)?);
    for name in names {
        let shown = format!("{APPROVALS}/{}", quoted_name(&name));
        let (bytes, _) = read_signature(&signatures, &name, &from, &shown)?;
        let path = signature_path(&bytes);
        let name = Path::new(&path).file_name().unwrap_or_default();
        match to.create(name, 0o644) {
            // The same signature under another name.
            Err(fault) if fault.source.kind() == std::io::ErrorKind::AlreadyExists => {}
            copy => copy?.write_all(&bytes).on("write", &to.path().join(name))?,
        }
    }
    Ok(())
}

fn copy_inputs(folder: &OwnedFd, source: &Path, config: &config::Inbox, staging: &Folder) -> Result<(), Unclaimable> {
    let from = source.join(INPUTS);
    let (inputs, names) = open_within(folder, source, INPUTS)?;
    let to = staging.create_folder(INPUTS.as_ref(), 0o755)?;
    if names.len() > config.inputs_max as usize {
        let message =
            format!("The request has {} input files; at most {} are allowed.", names.len(), config.inputs_max);
        return Err(Reason::new(Code::TooManyFiles, message, "Pack them into one archive file.").into());
    }
    let mut budget = config.inputs_bytes_max;
    for name in names {
        copy_input(&inputs, &from, &name, &to, &mut budget, config)?;
    }
    Ok(())
}

fn copy_input(
    inputs: &OwnedFd,
    from: &Path,
    name: &OsStr,
    to: &Folder,
    budget: &mut u64,
    config: &config::Inbox,
) -> Result<(), Unclaimable> {
    let shown = format!("{INPUTS}/{}", quoted_name(name));
    if name.to_str().and_then(input_name).is_none() {
        let message = format!("The input name {shown} is not allowed: expected {INPUT_NAME_FORM}.");
        let hint = "Rename the file, for example to `My%20Report.csv`, and declare it under that name.";
        return Err(Reason::new(Code::NameHostile, message, hint).into());
    }
    let too_large = || {
        let message = format!("The input files have more than {} bytes.", config.inputs_bytes_max);
        Reason::new(Code::TooLarge, message, "Send less, or ask the operator to raise [inbox] inputs_bytes_max.")
    };
    let (file, stat) = open_regular(inputs, name, from, &shown)?;
    // Check the size first, so that the holes of a sparse file are not copied.
    if stat.st_size.cast_unsigned() > *budget {
        return Err(too_large().into());
    }
    let (mut copy, target) = (to.create(name, 0o644)?, to.path().join(name));
    let mut buffer = vec![0; 256 * 1024];
    let mut source = (&file).take(*budget + 1);
    loop {
        let count = source.read(&mut buffer).on("read", &from.join(name))?;
        if count == 0 {
            break;
        }
        *budget = budget.checked_sub(count as u64).ok_or_else(too_large)?;
        copy.write_all(&buffer[..count]).on("write", &target)?;
    }
    Ok(())
}
