//! The claim: a private copy is durable before the drop's name is removed.
//!
//! ```text
//! openat(inbox, name, O_NOFOLLOW|O_NONBLOCK) fstat read            from here on it is known to be one file
//! write claimed/.tmp/<id>/{request.md,in/…,claim.json} fsync each, fsync the folders
//! write var/exchange/claimed/<id> fsync, fsync the folder          the gate can know of it before it has any effect
//! rename claimed/.tmp/<id> → claimed/<id>, fsync claimed           commit point
//! rename inbox/name → inbox/.claimed-name, compare the inode, unlink, fsync inbox
//! ```
//!
//! Several drops are claimed together, step by step ([`super::claims`]), and share the fsyncs of their common folders.
//!
//! From here on TOOL-EXEC reads only the private copy, so a writer that still has the file open changes nothing. A drop that is not a
//! request goes to quarantine unchanged. *Security*: names, kinds and bytes are hostile; no link is followed, no FIFO waited for,
//! no byte beyond the limits read. *Commit point*: see above.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_contract::config;
use gatepost_contract::request::{self, Form, REQUEST_BYTES_MAX};
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Completeness;
use gatepost_documents::id::{RequestId, ResultKind};
use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::durable;
use gatepost_mailbox::exchange;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::quarantine::{Contents, plain_name, random};
use gatepost_mailbox::site::{STAGING, Site};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::exec_log::ExecLog;
use super::inbox::InboxItem;
use super::record::{self, CLAIM_FILE, Claim, State};
use super::refuse::quarantine;
use super::signatures::APPROVALS;
use crate::inputs::Inputs;
use crate::mailbox::folder_drop::{self, FolderDrop};
use crate::step_error::StepError;

const BYTES_MAX: u64 = REQUEST_BYTES_MAX as u64;

/// A request whose private copy is durable.
#[derive(Debug)]
pub struct Claimed {
    /// Its claim record.
    pub claim: Claim,
    /// Its folder, `var/exec/claimed/<id>`.
    pub folder: PathBuf,
    /// The request's bytes.
    pub bytes: Vec<u8>,
}

/// The outcome of a drop.
#[derive(Debug)]
pub enum Taken {
    /// It was claimed.
    Claimed(Claimed),
    /// The same request was claimed before; its first result is the answer.
    Known(RequestId, State),
    /// It is not a request; the quarantine item and the reasons.
    Quarantined(PathBuf, Vec<Reason>),
    /// Its owner removed it, or it is still being written.
    Gone,
    /// It looks unfinished, and may still wait.
    Unfinished,
}

/// Why a drop cannot become a private copy.
pub(super) enum Unclaimable {
    /// Its own fault.
    Refused(Vec<Reason>),
    /// The machine's.
    Fault(Fault),
    /// It was removed, or is incomplete.
    Gone,
    /// It looks unfinished: if it does not change, it is refused for these reasons.
    Unfinished(Vec<Reason>),
}

impl From<Fault> for Unclaimable {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<Reason> for Unclaimable {
    fn from(reason: Reason) -> Self {
        Self::Refused(vec![reason])
    }
}

/// A private copy that is flushed to the disk, but not claimed yet.
pub(super) struct Staged {
    claimed: Claimed,
    staging: PathBuf,
    identity: Identity,
}

/// The outcome of a drop before its claim.
pub(super) enum Begun {
    Staged(Staged),
    /// It is complete.
    Taken(Taken),
}

impl From<Taken> for Begun {
    fn from(taken: Taken) -> Self {
        Self::Taken(taken)
    }
}

/// Copies one drop, or puts it into quarantine. A fault leaves it where it is.
pub(super) fn begin(
    (site, log): (&Site, Option<&ExecLog>),
    config: &config::Inbox,
    drop: &InboxItem,
    now: DateTime<Utc>,
) -> Result<Begun, Fault> {
    match stage(site, config, drop, now) {
        Ok(begun) => Ok(begun),
        Err(Unclaimable::Gone) => Ok(Taken::Gone.into()),
        Err(Unclaimable::Fault(fault)) => Err(fault),
        Err(Unclaimable::Unfinished(_)) if drop.may_wait => Ok(Taken::Unfinished.into()),
        Err(Unclaimable::Refused(reasons) | Unclaimable::Unfinished(reasons)) => {
            let item = set_aside((site, log), &drop.name, None, &reasons, now)?;
            Ok(Taken::Quarantined(item, reasons).into())
        }
    }
}

/// Moves a drop into quarantine unchanged; `request_sha256` is the digest of its request, if that was claimed.
fn set_aside(
    (site, log): (&Site, Option<&ExecLog>),
    name: &OsStr,
    request_sha256: Option<Digest>,
    reasons: &[Reason],
    now: DateTime<Utc>,
) -> Result<PathBuf, Fault> {
    let path = site.inbox().join(name);
    let plain = plain_name(name.as_bytes());
    let stem = plain.strip_suffix(".md").or(plain.strip_suffix(".json")).unwrap_or(&plain);
    // Only the gate's items have names of results: this one must not look like the answer to a request.
    let item = if ResultKind::of_name(stem.as_bytes()).is_some() { format!("drop-{stem}") } else { stem.to_owned() };
    quarantine((site, log), &item, request_sha256, reasons, now, &[Contents::Move(&path, &plain)])
}

impl Staged {
    /// The commit point, once the folders of the move are flushed.
    pub(super) fn commit(&self) -> Result<(), Fault> {
        durable::rename_new(&self.staging, &self.claimed.folder)
    }

    /// Removes a copy without a claim.
    pub(super) fn withdraw(&self) -> Result<(), Fault> {
        durable::remove_tree(&self.staging)
    }

    /// Removes the drop's name; the caller fsyncs the inbox. A folder with faults goes to quarantine.
    pub(super) fn take_away(
        &self,
        (site, log): (&Site, Option<&ExecLog>),
        name: &OsStr,
        now: DateTime<Utc>,
    ) -> Result<(), Fault> {
        let claim = &self.claimed.claim;
        if claim.faults.is_empty() {
            return take_away(site, name, &self.identity);
        }
        set_aside((site, log), name, Some(claim.request_sha256), &claim.faults, now).map(drop)
    }

    /// The claim record.
    pub(super) fn claim(&self) -> &Claim {
        &self.claimed.claim
    }

    /// The claimed request.
    pub(super) fn into_claimed(self) -> Claimed {
        self.claimed
    }
}

fn stage(site: &Site, config: &config::Inbox, drop: &InboxItem, now: DateTime<Utc>) -> Result<Begun, Unclaimable> {
    let inbox = site.inbox();
    let folder = open_folder(&inbox).on("open", &inbox)?;
    let shown = gatepost_documents::text::quoted_name(&drop.name);
    let stat = match rustix::fs::statat(&folder, &drop.name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Err(Unclaimable::Gone),
        stat => stat.on("look at", &inbox.join(&drop.name))?,
    };
    let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
    let (id, form) = parse_name(&drop.name, is_folder).map_err(|why| {
        let hint = "Name it TR-YYYYMMDD-HHMMSSZ-<slug>.md (or .json); `gatepost submit` makes such names.";
        Reason::new(Code::NotARequest, format!("The name {shown} is not a request name: it {why}."), hint)
    })?;

    let staging = site.claimed().join(STAGING).join(id.as_str());
    durable::remove_tree(&staging)?;
    fs::create_dir(&staging).on("create", &staging)?;
    let copied = match form {
        Some(form) => read_request(&folder, &drop.name, &inbox, &shown).map(|bytes| FolderDrop {
            bytes,
            form,
            faults: Vec::new(),
        }),
        None => folder_drop::copy(&inbox.join(&drop.name), &id, config, &Folder::open(&staging)?),
    };
    let latest = now + config.clock_skew();
    let begun = copied.and_then(|FolderDrop { bytes, form, faults }| {
        let first = record::locate(site, &id)?;
        // Check for a known request first: a claimed drop whose removal was interrupted lacks inputs.
        if let Some((state, _)) = first.as_ref().filter(|(_, first)| first.request_sha256 == Digest::of(&bytes)) {
            return known(site, drop, &Identity::of(&stat), id, *state, faults);
        }
        if drop.completeness == Completeness::Inferred {
            unfinished(&bytes, form, &id, latest)?;
        }
        if drop.may_wait && faults.is_empty() {
            inputs_on_their_way(&bytes, form, &id, latest, &staging)?;
        }
        if let Some((_, first)) = first {
            return Err(reused(&first).into());
        }
        let claim = Claim {
            request_sha256: Digest::of(&bytes),
            form,
            completeness: drop.completeness,
            faults,
            claimed_utc: now.to_rfc3339_opts(SecondsFormat::Secs, true),
            request_id: id,
            uid: stat.st_uid,
        };
        write_down(site, Identity::of(&stat), claim, bytes, &staging)
    });
    if !matches!(begun, Ok(Begun::Staged(_))) {
        durable::remove_tree(&staging)?;
    }
    begun
}

/// Refuses a truncated document without using up its id.
fn unfinished(bytes: &[u8], form: Form, id: &RequestId, latest: DateTime<Utc>) -> Result<(), Unclaimable> {
    if !request::is_unfinished(bytes, form) {
        return Ok(());
    }
    match request::read(bytes, form, id.as_str(), latest) {
        Err(reasons) => {
            let hint = "Write it elsewhere on the same file system, such as inbox/.tmp/, and rename it into inbox/. Its id is still free.";
            let reason = Reason::new(
                Code::RequestUnfinished,
                "The request is incomplete, and its writer added nothing more.",
                hint,
            );
            Err(Unclaimable::Unfinished([vec![reason], reasons].concat()))
        }
        Ok(_) => Ok(()),
    }
}

/// Whether declared inputs are missing or differ from their declaration. If they do not change, the request is refused.
fn inputs_on_their_way(
    bytes: &[u8],
    form: Form,
    id: &RequestId,
    latest: DateTime<Utc>,
    staging: &Path,
) -> Result<(), Unclaimable> {
    let Ok(request) = request::read(bytes, form, id.as_str(), latest) else { return Ok(()) };
    match Inputs::at(staging.join(folder_drop::INPUTS)).check(&request) {
        Err(StepError::Refused(reasons)) => Err(Unclaimable::Unfinished(reasons)),
        Err(StepError::Fault(fault)) => Err(fault.into()),
        Ok(_) => Ok(()),
    }
}

/// The identity of a dropped file.
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(super) fn of(stat: &rustix::fs::Stat) -> Self {
        Self { device: stat.st_dev, inode: stat.st_ino }
    }
}

/// Removes a drop of a request that was claimed before.
fn known(
    site: &Site,
    drop: &InboxItem,
    identity: &Identity,
    id: RequestId,
    state: State,
    faults: Vec<Reason>,
) -> Result<Begun, Unclaimable> {
    if !faults.is_empty() {
        return Err(Unclaimable::Refused(faults));
    }
    take_away(site, &drop.name, identity)?;
    durable::sync_folder(&site.inbox())?;
    Ok(Taken::Known(id, state).into())
}

/// Why a request with the id of another cannot be claimed.
fn reused(first: &Claim) -> Reason {
    let message = format!(
        "The id {} was used before, on {}, by a request with different bytes (SHA-256 {}).",
        first.request_id, first.claimed_utc, first.request_sha256
    );
    Reason::new(Code::RequestIdReused, message, "Give the new request its own id; the first request keeps its result.")
}

/// Completes a private copy and the notice to the gate.
fn write_down(
    site: &Site,
    identity: Identity,
    claim: Claim,
    bytes: Vec<u8>,
    staging: &Path,
) -> Result<Begun, Unclaimable> {
    let record_path = staging.join(CLAIM_FILE);
    write(&staging.join(record::request_file(claim.form)), &bytes)?;
    write(&record_path, &record::bytes(&claim, &record_path)?)?;
    durable::sync_tree(staging)?;
    exchange::note_claimed(site, &claim.request_id, claim.request_sha256)?;
    let folder = site.claimed().join(claim.request_id.as_str());
    Ok(Begun::Staged(Staged { claimed: Claimed { claim, folder, bytes }, staging: staging.to_owned(), identity }))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    durable::create_new(path)?.write_all(bytes).on("write", path)
}

/// The prefix of a claimed drop's temporary name, followed by eight random hexadecimal digits, a hyphen, and
/// its name. The drop stays in the inbox: a folder of another user can be renamed there, but not moved elsewhere.
const TAKEN_PREFIX: &str = ".claimed-";

/// The original name of a claimed drop.
pub fn taken_name(name: &str) -> Option<&str> {
    let (random, name) = name.strip_prefix(TAKEN_PREFIX)?.split_once('-')?;
    (random.len() == 8 && random.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(name)
}

/// Removes the drop's name. If another file has replaced it meanwhile, puts that file back for the next scan.
pub(super) fn take_away(site: &Site, name: &OsStr, identity: &Identity) -> Result<(), Fault> {
    let inbox = site.inbox();
    let mut dotted = OsString::from(format!("{TAKEN_PREFIX}{:08x}-", random()?));
    dotted.push(name);
    let (here, aside) = (inbox.join(name), inbox.join(dotted));
    match durable::rename_new(&here, &aside) {
        Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => return Ok(()),
        moved => moved?,
    }
    let stat = rustix::fs::lstat(&aside).on("look at", &aside)?;
    if (stat.st_dev, stat.st_ino) != (identity.device, identity.inode) {
        durable::rename_new(&aside, &here)?;
    } else if FileType::from_raw_mode(stat.st_mode) == FileType::Directory {
        // Remove the request last: an interruption leaves a known drop, or an empty folder. Entries of another user's folder
        // may be undeletable, but the folder is already renamed.
        let parts = [aside.join(folder_drop::INPUTS), aside.join(APPROVALS), aside];
        let _ = parts.iter().try_for_each(|part| durable::remove_tree(part));
    } else {
        fs::remove_file(&aside).on("remove", &aside)?;
    }
    Ok(())
}

/// The id in a drop's name, and the form that its ending names; a folder has no ending.
fn parse_name(name: &OsStr, is_folder: bool) -> Result<(RequestId, Option<Form>), String> {
    let name = name.to_str().ok_or("is not valid UTF-8")?;
    let (stem, form) = if is_folder {
        (name, None)
    } else if let Some(stem) = name.strip_suffix(".md") {
        (stem, Some(Form::Markdown))
    } else if let Some(stem) = name.strip_suffix(".json") {
        (stem, Some(Form::Json))
    } else {
        return Err("ends in neither .md nor .json".to_owned());
    };
    RequestId::parse(stem).map(|id| (id, form)).map_err(|error| error.to_string())
}

/// The request id in a file drop's name; none for a folder, whose copy may be large.
pub(super) fn request_id_of_file(name: &OsStr) -> Option<RequestId> {
    parse_name(name, false).ok().map(|(id, _)| id)
}

/// The request id in the name of a drop of any kind.
pub fn request_id(name: &OsStr) -> Option<RequestId> {
    [false, true].into_iter().find_map(|is_folder| parse_name(name, is_folder).ok()).map(|(id, _)| id)
}

/// Reads one request file from a folder that others can write to.
pub(super) fn read_request(
    folder: &OwnedFd,
    name: &OsStr,
    folder_path: &Path,
    shown: &str,
) -> Result<Vec<u8>, Unclaimable> {
    let (file, stat) = open_regular(folder, name, folder_path, shown)?;
    let too_large = || {
        let message = format!("{shown} has more than {REQUEST_BYTES_MAX} bytes.");
        Reason::new(Code::TooLarge, message, "Send data as input files of a request folder, not inside the request.")
    };
    if stat.st_size.cast_unsigned() > BYTES_MAX {
        return Err(too_large().into());
    }
    let mut bytes = Vec::new();
    let path = folder_path.join(name);
    (&file).take(BYTES_MAX + 1).read_to_end(&mut bytes).on("read", &path)?;
    let after = rustix::fs::fstat(&file).on("look at", &path)?;
    let moved = |stat: &rustix::fs::Stat| (stat.st_size, stat.st_mtime, stat.st_mtime_nsec, stat.st_ctime_nsec);
    if moved(&stat) != moved(&after) || after.st_size.cast_unsigned() != bytes.len() as u64 {
        return Err(Unclaimable::Gone);
    }
    if bytes.len() as u64 > BYTES_MAX { Err(too_large().into()) } else { Ok(bytes) }
}

/// Opens a regular file with one name only; never follows a link and never waits.
pub(super) fn open_regular(
    folder: &OwnedFd,
    name: &OsStr,
    folder_path: &Path,
    shown: &str,
) -> Result<(File, rustix::fs::Stat), Unclaimable> {
    let path = folder_path.join(name);
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    // Stat before opening: opening a device can have effects.
    let kind = match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Err(Errno::NOENT) => return Err(Unclaimable::Gone),
        stat => FileType::from_raw_mode(stat.on("look at", &path)?.st_mode),
    };
    if kind != FileType::RegularFile {
        return Err(not_regular(kind, shown).into());
    }
    let file = match rustix::fs::openat(folder, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => return Err(Unclaimable::Gone),
        Err(Errno::LOOP) => return Err(not_regular(FileType::Symlink, shown).into()),
        file => File::from(file.on("open", &path)?),
    };
    let stat = rustix::fs::fstat(&file).on("look at", &path)?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    if kind != FileType::RegularFile {
        return Err(not_regular(kind, shown).into());
    }
    if stat.st_nlink != 1 {
        let message =
            format!("{shown} has {} hard links; it could be a file that the sender does not own.", stat.st_nlink);
        return Err(Reason::new(Code::Hardlink, message, "Drop a copy instead of a hard link.").into());
    }
    Ok((file, stat))
}

fn not_regular(kind: FileType, shown: &str) -> Reason {
    let hint = "Drop the file itself.";
    match kind {
        FileType::Symlink => {
            Reason::new(Code::Symlink, format!("{shown} is a symbolic link; gatepost never follows links."), hint)
        }
        FileType::Directory => Reason::new(Code::SpecialFile, format!("{shown} is a folder, not a file."), hint),
        other => {
            Reason::new(Code::SpecialFile, format!("{shown} is a {}, not a regular file.", kind_name(other)), hint)
        }
    }
}

fn kind_name(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "FIFO",
        FileType::Socket => "socket",
        FileType::BlockDevice | FileType::CharacterDevice => "device",
        _ => "file of unknown type",
    }
}

/// Opens a folder without following a link.
pub(super) fn open_folder(path: &Path) -> Result<OwnedFd, Errno> {
    rustix::fs::open(path, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}
