//! The messages between TOOL-EXEC and the gate: `var/exchange/`, one writer per file. Neither reads other files of the other.
//!
//! ```text
//! var/exchange/claimed/<request id>      the SHA-256 of the request's bytes, and a newline       TOOL-EXEC writes
//! var/exchange/judged/results.jsonl      {"result_id":"TS-…","request_id":"TR-…","verdict":"REJECT","codes":["secret"]}   the gate writes
//! ```
//!
//! A digest is durable before the claim's commit point, so the gate can know of every claimed request. The list of judged results
//! is for a TOOL-EXEC that finds an interrupted run whose answer has left the folders. It gets no fsync: the gate rewrites it
//! from its ledger at startup. A line that a power cut destroyed matters only if the same cut also undid the answer's own move.
//!
//! *Security*: each side may be compromised, and the other treats its files as hostile: bounded, no link followed, no
//! blocking. With a false digest, a result can answer a request that nobody made, once, and judged like any other. A
//! false line can leave an interrupted request unanswered. *Commit point*: the fsync of the folder `claimed`.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::PathBuf;

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use crate::durable;
use crate::fault::{Fault, OnPath};
use crate::regular_file;
use crate::site::Site;
use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::Code;
use gatepost_documents::verdict::{Decision, is_false};

/// A digest in hexadecimal, and its newline.
const CLAIM_BYTES: u64 = 65;

/// The maximum size of a line about a judged result: two ids, the codes and the keys, bytes.
const LINE_BYTES_MAX: u64 = 8_192;

const RESULTS_FILE: &str = "results.jsonl";

/// Announces the digest under which a request is claimed; durable after the fsync of the folder, which several share.
/// Replaces the file of an earlier attempt that made no claim.
pub fn note_claimed(site: &Site, request: &RequestId, digest: Digest) -> Result<(), Fault> {
    let path = site.exchange_claimed().join(request.as_str());
    let line = claim_line(digest);
    match durable::write_new(&path, line.as_bytes()) {
        Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => {
            durable::remove_tree(&path)?;
            durable::write_new(&path, line.as_bytes())
        }
        written => written,
    }
}

/// The file that [`note_claimed`] writes.
pub fn claim_line(digest: Digest) -> String {
    format!("{digest}\n")
}

/// The digest under which a request was claimed; none if it was not claimed, or if the file has no digest.
pub fn claimed(site: &Site, request: &RequestId) -> Result<Option<Digest>, Fault> {
    let path = site.exchange_claimed().join(request.as_str());
    match regular_file::read(&path, CLAIM_BYTES) {
        Ok(bytes) => Ok(std::str::from_utf8(&bytes).ok().and_then(|text| Digest::parse(text.strip_suffix('\n')?).ok())),
        Err(error) if is_no_word(&error) => Ok(None),
        Err(error) => Err(error).on("read", &path),
    }
}

/// There is no file, or one that [`note_claimed`] does not make.
fn is_no_word(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidInput, NotFound};
    let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
    // ENXIO: a socket, or a FIFO without a reader.
    let is_special = error.raw_os_error() == Some(rustix::io::Errno::NXIO.raw_os_error());
    is_link || is_special || matches!(error.kind(), NotFound | InvalidInput | FileTooLarge)
}

/// A submission that was judged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// Its name, escaped where it is no result id.
    pub result_id: String,
    /// The request in that name; empty when it is no result id.
    pub request_id: String,
    /// Whether it was a bare document, and so none of this site's own results.
    #[serde(rename = "foreign", default, skip_serializing_if = "is_false")]
    pub is_bare_document: bool,
    /// The verdict; absent by the word of a gate of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Decision>,
    /// The codes of its reasons, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub codes: Vec<Code>,
    /// Those of the codes that only flag; absent by the word of a gate of before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<Code>,
}

/// The gate's handle on its announcements.
#[derive(Debug)]
pub struct Announcements {
    file: File,
    path: PathBuf,
}

impl Announcements {
    /// Announces again every result judged so far, and stays open for the next ones.
    pub fn begin(site: &Site, earlier: &[Judged]) -> Result<Self, Fault> {
        let folder = site.exchange_judged();
        let (path, staged) = (folder.join(RESULTS_FILE), folder.join(format!(".{RESULTS_FILE}")));
        durable::remove_tree(&staged)?;
        let mut lines = Vec::new();
        for judged in earlier {
            serde_json::to_writer(&mut lines, judged).map_err(io::Error::from).on("write", &path)?;
            lines.push(b'\n');
        }
        durable::write_new(&staged, &lines)?;
        // The one place that replaces a good file, by one with the same content and more.
        fs::rename(&staged, &path).on("move to", &path)?;
        durable::sync_folder(&folder)?;
        let flags = OFlags::NOFOLLOW.bits().cast_signed();
        let file = OpenOptions::new().append(true).custom_flags(flags).open(&path).on("open", &path)?;
        Ok(Self { file, path })
    }

    /// Announces a judged result.
    pub fn add(&mut self, judged: &Judged) -> Result<(), Fault> {
        let mut line = serde_json::to_vec(judged).map_err(io::Error::from).on("write", &self.path)?;
        line.push(b'\n');
        self.file.write_all(&line).on("write", &self.path)
    }
}

/// Every judged result, according to the gate; skips lines that cannot be parsed.
pub fn judged(site: &Site) -> Result<Vec<Judged>, Fault> {
    Following::default().next(site).map(|(_, judged)| judged)
}

/// How far a reader has read the announcements.
#[derive(Debug, Default)]
pub struct Following {
    /// Device and inode of the file, and the bytes read of it.
    read: Option<((u64, u64), u64)>,
}

impl Following {
    /// The results judged since the last call, according to the gate. Skips lines that cannot be parsed; reads an incomplete line
    /// the next time. Also returns whether this is the full list, which the gate writes again at each startup.
    pub fn next(&mut self, site: &Site) -> Result<(bool, Vec<Judged>), Fault> {
        let path = site.exchange_judged().join(RESULTS_FILE);
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = match OpenOptions::new().read(true).custom_flags(flags).open(&path) {
            Err(error) if is_no_word(&error) => return Ok((false, Vec::new())),
            file => file.on("open", &path)?,
        };
        let found = file.metadata().on("look at", &path)?;
        if !found.is_file() {
            return Ok((false, Vec::new()));
        }
        let identity = (found.dev(), found.ino());
        let known = self.read.filter(|(of, _)| *of == identity).map(|(_, bytes)| bytes);
        let (mut reader, mut bytes) = (BufReader::new(file), known.unwrap_or_default());
        reader.seek(SeekFrom::Start(bytes)).on("read", &path)?;
        let (mut all, mut line) = (Vec::new(), Vec::new());
        loop {
            line.clear();
            let length = reader.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line).on("read", &path)? as u64;
            if length == 0 || (length < LINE_BYTES_MAX && !line.ends_with(b"\n")) {
                self.read = Some((identity, bytes));
                return Ok((known.is_none(), all));
            }
            bytes += length;
            all.extend(serde_json::from_slice::<Judged>(&line));
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    fn site() -> (tempfile::TempDir, Site, RequestId) {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        fs::create_dir_all(site.exchange_claimed()).unwrap();
        fs::create_dir_all(site.exchange_judged()).unwrap();
        (folder, site, RequestId::parse("TR-20260209-160501Z-a").unwrap())
    }

    #[test]
    fn a_digest_is_read_as_it_was_written_and_one_of_an_attempt_that_failed_is_replaced() {
        let (_folder, site, id) = site();
        assert_eq!(claimed(&site, &id).unwrap(), None);
        for bytes in ["one", "two"] {
            note_claimed(&site, &id, Digest::of(bytes.as_bytes())).unwrap();
            assert_eq!(claimed(&site, &id).unwrap(), Some(Digest::of(bytes.as_bytes())));
        }
    }

    #[test]
    fn what_is_no_digest_in_a_file_says_nothing_and_holds_nobody_up() {
        let (_folder, site, id) = site();
        let path = site.exchange_claimed().join(id.as_str());
        let digest = Digest::of(b"");
        for text in ["", "\n", &digest.to_string(), &format!("{digest}\n\n"), &"0".repeat(9_999)] {
            fs::write(&path, text).unwrap();
            assert_eq!(claimed(&site, &id).unwrap(), None, "{text:?}");
        }
        fs::remove_file(&path).unwrap();
        let lays: [&dyn Fn(); 3] = [
            &|| mknodat(CWD, &path, FileType::Fifo, Mode::RWXU, 0).unwrap(),
            &|| std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            &|| fs::create_dir(&path).unwrap(),
        ];
        for lay in lays {
            lay();
            assert_eq!(claimed(&site, &id).unwrap(), None);
            durable::remove_tree(&path).unwrap();
        }
    }

    #[test]
    fn what_was_judged_is_said_anew_at_each_start_and_a_line_that_is_damaged_says_nothing() {
        let (_folder, site, _) = site();
        let judgement = |name: &str| Judged {
            result_id: name.to_owned(),
            request_id: String::new(),
            is_bare_document: false,
            verdict: Some(Decision::Reject),
            codes: vec![Code::Secret],
            flags: Vec::new(),
        };
        assert_eq!(judged(&site).unwrap(), []);
        let mut announcements = Announcements::begin(&site, &[judgement("a")]).unwrap();
        announcements.add(&judgement("b")).unwrap();
        assert_eq!(judged(&site).unwrap(), [judgement("a"), judgement("b")]);
        let mut following = Following::default();
        assert_eq!(following.next(&site).unwrap(), (true, vec![judgement("a"), judgement("b")]));
        announcements.add(&judgement("c")).unwrap();
        assert_eq!(following.next(&site).unwrap(), (false, vec![judgement("c")]));
        let path = site.exchange_judged().join(RESULTS_FILE);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, format!("{}\n{text}{{\"result_id\"", "x".repeat(9_999))).unwrap();
        assert_eq!(judged(&site).unwrap(), ["a", "b", "c"].map(judgement));
        Announcements::begin(&site, &[judgement("a")]).unwrap();
        assert_eq!(following.next(&site).unwrap(), (true, vec![judgement("a")]));
        assert_eq!(judged(&site).unwrap(), [judgement("a")]);
    }
}
