//! The files of accepted results, as resources and in parts.
//!
//! ```text
//! gatepost://TS-20260209-161030Z-TR-…/artifacts/stdout.txt      the path percent-encoded
//! ```
//!
//! *Security*: an address is the client's claim. It has to name a result of the same principal and one of its regular
//! files; links are not followed. The content of a file is tool output.

use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_documents::id::{RequestId, ResultId, ResultKind};
use gatepost_documents::phrase::relative_address;
use gatepost_documents::sources::RESPONSES_FILE;
use gatepost_documents::text::quoted;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::life::{Detail, Progress, Results, is_sealed};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;
use serde_json::{Value, json};

use crate::answer;
use crate::context::Context;
use crate::principal::Principal;

const SCHEME: &str = "gatepost://";
/// The most bytes of a resource; larger files are read in parts.
pub const RESOURCE_BYTES_MAX: u64 = 1 << 20;
/// The default size of a part in bytes.
pub const PART_BYTES: u64 = 16 << 10;
/// The most bytes of one part.
pub const PART_BYTES_MAX: u64 = 256 << 10;
/// Requests whose files are on one page of the list of resources.
const PAGE_REQUESTS: usize = 10;

/// The address of a file of a result.
pub fn uri(result_id: &str, path: &Path) -> String {
    format!("{SCHEME}{result_id}/{}", relative_address(path.as_os_str().as_bytes()))
}

/// Why there is no content.
#[derive(Debug)]
pub enum Unread {
    /// The principal has no such file; a sentence.
    NotFound(String),
    /// A fault of the environment.
    Fault(Fault),
}

impl From<Fault> for Unread {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// A part of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its offset.
    pub offset: u64,
    /// The size of the whole file in bytes.
    pub size_bytes: u64,
}

impl Part {
    /// The text, if it is text; a cut character at the end is left out.
    pub fn text(&self) -> Option<&str> {
        match str::from_utf8(&self.bytes) {
            Ok(text) => Some(text),
            Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => {
                str::from_utf8(&self.bytes[..error.valid_up_to()]).ok()
            }
            Err(_) => None,
        }
    }
}

/// Whether a file is for auditors only: raw server responses with hidden content, which the gate does not judge.
fn is_withheld(result: &ResultId, path: &Path) -> bool {
    result.kind() == ResultKind::Packet && path.strip_prefix("artifacts").is_ok_and(|path| path == RESPONSES_FILE)
}

/// A result in CORE with its files for the client; none if it is missing.
pub(crate) fn shown(site: &Site, result: &ResultId, id: &RequestId) -> Result<Option<Detail>, Fault> {
    let mut detail = Detail::read(site, &Results::named(site, result), id)?;
    if let Some(detail) = &mut detail {
        detail.files.retain(|path| !is_withheld(result, path));
    }
    Ok(detail)
}

/// The files of an accepted result of the principal's request; none if there is none.
fn detail(context: &Context, principal: &Principal, id: &RequestId) -> Result<Option<Detail>, Fault> {
    if context.notes(&principal.name)?.find(id)?.is_none() {
        return Ok(None);
    }
    let Some(progress) = context.progress(id, None)?.filter(Progress::is_in_core) else { return Ok(None) };
    let Some(result) = progress.result_id.as_deref().and_then(|id| ResultId::parse(id).ok()) else { return Ok(None) };
    shown(&context.site, &result, id)
}

/// A part of a file of an accepted result.
pub fn read(
    context: &Context,
    principal: &Principal,
    id: &RequestId,
    path: &Path,
    (offset, length): (u64, u64),
) -> Result<Part, Unread> {
    let Some(detail) = detail(context, principal, id)? else {
        return Err(Unread::NotFound(format!(
            "You have no accepted result of {id}. gatepost_list shows your requests."
        )));
    };
    let Some(path) = detail.files.iter().find(|file| *file == path) else {
        let files: Vec<String> = detail.files.iter().map(|file| quoted(&file.to_string_lossy())).take(50).collect();
        let name = quoted(&path.to_string_lossy());
        return Err(Unread::NotFound(format!("The result of {id} has no file {name}. It has: {}.", files.join(", "))));
    };
    let whole = detail.folder.join(path);
    if path.starts_with("artifacts") && !is_sealed(&detail.folder, path).on("read", &whole)? {
        let message = format!("The result of {id} was changed after the gate accepted it; tell the operator.");
        return Err(Unread::NotFound(message));
    }
    let mut file = regular_file::open_beneath(&detail.folder, path).on("open", &whole)?;
    let size_bytes = file.metadata().on("look at", &whole)?.len();
    file.seek(SeekFrom::Start(offset.min(size_bytes))).on("read", &whole)?;
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes).on("read", &whole)?;
    Ok(Part { bytes, offset: offset.min(size_bytes), size_bytes })
}

/// The request and the path of an address; none if it is not one of ours.
fn parse(uri: &str) -> Option<(ResultId, PathBuf)> {
    let (result, path) = uri.strip_prefix(SCHEME)?.split_once('/')?;
    Some((ResultId::parse(result).ok()?, PathBuf::from(decoded(path)?)))
}

fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let Some((first, tail)) = rest.split_first() {
        if *first == b'%' {
            let digits = str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

/// The contents of a resource, as `resources/read` returns them.
pub fn resource(context: &Context, principal: &Principal, uri: &str) -> Result<Value, Unread> {
    let Some((result, path)) = parse(uri) else {
        return Err(Unread::NotFound(format!("{} is not the address of a file of a result.", quoted(uri))));
    };
    let part = read(context, principal, result.request(), &path, (0, RESOURCE_BYTES_MAX + 1))?;
    if part.size_bytes > RESOURCE_BYTES_MAX {
        let message = format!(
            "The file has {} bytes, more than {RESOURCE_BYTES_MAX}. Read it in parts with the tool gatepost_read.",
            part.size_bytes
        );
        return Err(Unread::NotFound(message));
    }
    let read = match str::from_utf8(&part.bytes) {
        Ok(text) => json!({"uri": uri, "mimeType": "text/plain", "text": answer::plain(text)}),
        Err(_) => {
            json!({"uri": uri, "mimeType": "application/octet-stream", "blob": STANDARD.encode(&part.bytes)})
        }
    };
    Ok(json!({"contents": [read]}))
}

/// A page of the files of the principal's accepted results, newest first, for `resources/list`.
pub fn resources(context: &Context, principal: &Principal, after: Option<&RequestId>) -> Result<Value, Fault> {
    let ids = context.notes(&principal.name)?.ids()?;
    let mut left = ids.iter().filter(|id| after.is_none_or(|after| *id < after));
    let (mut resources, mut last) = (Vec::new(), None);
    for id in left.by_ref().take(PAGE_REQUESTS) {
        last = Some(id);
        let Some(detail) = detail(context, principal, id)? else { continue };
        let Some(result) = detail.row.result_id.as_deref() else { continue };
        let is_shown = |path: &&PathBuf| path.starts_with("artifacts") || detail.document.as_ref() == Some(*path);
        for path in detail.files.iter().filter(is_shown) {
            let size = detail.folder.join(path).symlink_metadata().map_or(0, |found| found.len());
            if size == 0 {
                continue;
            }
            let name = format!("{} of {id}", path.to_string_lossy());
            resources.push(json!({"uri": uri(result, path), "name": name, "size": size}));
        }
    }
    let mut page = json!({ "resources": resources });
    if left.next().is_some()
        && let Some(last) = last
    {
        page["nextCursor"] = last.as_str().into();
    }
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESULT: &str = "TS-20260101-000001Z-TR-20260101-000000Z-a";

    #[test]
    fn an_address_is_read_as_it_is_written() {
        for path in ["artifacts/stdout.txt", "artifacts/out/a b%é?.txt"] {
            let (result, read) = parse(&uri(RESULT, Path::new(path))).unwrap();
            assert_eq!((result.as_str(), read.as_path()), (RESULT, Path::new(path)));
        }
    }

    #[test]
    fn what_is_no_address_of_ours_is_none() {
        for uri in [
            "",
            "file:///etc/passwd",
            "gatepost://",
            "gatepost://TS-x/a",
            "gatepost://../a",
            &format!("gatepost://{RESULT}"),
            &format!("gatepost://{RESULT}/%4"),
            &format!("gatepost://{RESULT}/%zz"),
            &format!("gatepost://{RESULT}/%ff"),
        ] {
            assert!(parse(uri).is_none(), "{uri}");
        }
    }

    #[test]
    fn a_part_that_ends_within_a_character_is_text() {
        let part = |bytes: &[u8]| Part { bytes: bytes.to_vec(), offset: 0, size_bytes: 9 };
        assert_eq!(part("aé".as_bytes()).text(), Some("aé"));
        assert_eq!(part(b"a\xc3").text(), Some("a"));
        assert_eq!(part(b"a\xff").text(), None);
    }
}
