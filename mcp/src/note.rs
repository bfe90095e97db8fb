//! The server's note of each call, written before the drop: its principal and its content.
//!
//! ```text
//! var/mcp/<principal>/<request id>.json    the note: tool, digest of the call, time, the request's document
//! var/mcp/<principal>/keys/<64 hex>        a second name of the note: the call that has this key
//! var/mcp/<principal>/open/<request id>    empty: the request is not known to be answered
//! ```
//!
//! A note binds a request to its principal; without one, a principal learns nothing about the request. *Commit point*:
//! the fsync of both folders after the links; the drop follows. A link never replaces, and one caller at a time locks
//! the folder: two calls with one key make one request. `open` is only counted, so it is not synced. *Security*: each
//! folder belongs to its user, mode 0700; others' files are refused.

use std::io;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_mailbox::fault::{Fault, OnPath as _};
use gatepost_mailbox::folder::Folder;
use gatepost_mailbox::site::{MCP_CALLS, Site};
use serde::{Deserialize, Serialize};

use crate::principal::Name;

/// The most bytes of a note: it contains a request's document, escaped.
const NOTE_BYTES_MAX: u64 = 1 << 20;
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// The note of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Note {
    /// The request.
    pub request_id: String,
    /// The tool that it calls.
    pub tool: String,
    /// Digest of the whole content of the call.
    pub call_sha256: Digest,
    /// When the call came, RFC 3339, UTC.
    pub created_utc: String,
    /// The request's document, as it is dropped.
    pub document: String,
    /// Whether it has input files, which the note omits.
    pub has_inputs: bool,
}

impl Note {
    /// When the call came.
    pub fn created(&self) -> DateTime<Utc> {
        self.created_utc.parse().unwrap_or(DateTime::UNIX_EPOCH)
    }

    /// A time in the format of notes.
    pub fn time(time: DateTime<Utc>) -> String {
        time.to_rfc3339_opts(SecondsFormat::Millis, true)
    }
}

/// The key that identifies repeated calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The digest of what identifies the call.
    pub digest: Digest,
    /// How long a second call counts as repeated; unlimited for a client's key.
    pub window: Option<Duration>,
}

/// The outcome of noting a call.
#[derive(Debug, PartialEq, Eq)]
pub enum Begun {
    /// The call is new, and noted.
    New,
    /// An earlier call has the same content.
    Twin(Note),
    /// An earlier call with the same key has other content.
    Other(Note),
    /// The principal has reached its limit of open requests.
    Full,
}

/// The notes of a principal.
#[derive(Debug)]
pub struct Notes {
    folder: Folder,
    keys: Folder,
    open: Folder,
}

impl Notes {
    /// The notes of a principal; creates a missing folder.
    pub fn of(site: &Site, name: &Name) -> Result<Self, Fault> {
        let root = Folder::of_site(site, ".")?;
        let calls = match root.folder(MCP_CALLS) {
            // A site of an earlier version lacks the folder.
            Err(fault) if fault.source.kind() == io::ErrorKind::NotFound => {
                root.folder("var")?.make_folder("mcp")?;
                root.folder(MCP_CALLS)?
            }
            opened => opened?,
        };
        let folder = calls.own_folder(name.as_str(), FOLDER_MODE)?;
        let keys = folder.own_folder("keys", FOLDER_MODE)?;
        let open = folder.own_folder("open", FOLDER_MODE)?;
        Ok(Self { folder, keys, open })
    }

    /// The note of a request; none if the principal never asked for it.
    pub fn find(&self, id: &RequestId) -> Result<Option<Note>, Fault> {
        read(&self.folder, &file_name(id))
    }

    /// The ids of all requests, newest first.
    pub fn ids(&self) -> Result<Vec<RequestId>, Fault> {
        let names = self.folder.names()?;
        let id = |name: &std::ffi::OsString| RequestId::parse(name.to_str()?.strip_suffix(".json")?).ok();
        let mut ids: Vec<RequestId> = names.iter().filter_map(id).collect();
        ids.sort_by(|one, other| other.cmp(one));
        Ok(ids)
    }

    /// The requests that are not known to be answered.
    pub fn open_ids(&self) -> Result<Vec<RequestId>, Fault> {
        let names = self.open.names()?;
        Ok(names.iter().filter_map(|name| RequestId::parse(name.to_str()?).ok()).collect())
    }

    /// Marks a request as answered.
    pub fn close(&self, id: &RequestId) -> Result<(), Fault> {
        self.open.remove(id.as_str())
    }

    /// Notes a call durably, unless an earlier one has its key or too many requests are open.
    pub fn begin(&self, id: &RequestId, note: &Note, key: &Key, open_max: usize) -> Result<Begun, Fault> {
        let path = self.folder.path().join(file_name(id));
        let bytes = serde_json::to_vec(note).map_err(io::Error::from).on("write", &path)?;
        let staged = self.folder.stage_file(&bytes, FILE_MODE)?;
        let key_name = key.digest.to_string();
        let lock = self.folder.hold()?;
        if let Some(first) = read(&self.keys, &key_name)? {
            let age = note.created().signed_duration_since(first.created()).to_std().unwrap_or_default();
            if key.window.is_none_or(|window| age <= window) {
                return Ok(if first.call_sha256 == note.call_sha256 {
                    Begun::Twin(first)
                } else {
                    Begun::Other(first)
                });
            }
            self.keys.remove(&key_name)?;
        }
        if self.open.names()?.len() >= open_max {
            return Ok(Begun::Full);
        }
        // The key first: without it a repeated call would not find the request, and would create another.
        let is_named = staged.name_in(&self.keys, &key_name)? && staged.name_in(&self.folder, file_name(id))?;
        if !is_named {
            let source = io::Error::new(io::ErrorKind::AlreadyExists, "the name is taken");
            return Err(source).on("write", &path);
        }
        match self.open.create(id.as_str(), FILE_MODE) {
            Err(fault) if fault.source.kind() != io::ErrorKind::AlreadyExists => return Err(fault),
            _ => drop(lock),
        }
        self.keys.sync()?;
        self.folder.sync()?;
        Ok(Begun::New)
    }

    /// Completes the note of an earlier call: a server that stopped in between left only its key.
    pub fn complete(&self, note: &Note, key: &Key) -> Result<(), Fault> {
        let Ok(id) = RequestId::parse(&note.request_id) else { return Ok(()) };
        if self.keys.link_new(key.digest.to_string(), &self.folder, file_name(&id))? {
            self.keys.sync()?;
            self.folder.sync()?;
        }
        Ok(())
    }
}

fn file_name(id: &RequestId) -> String {
    format!("{id}.json")
}

/// An unreadable note is a fault, because the server wrote it itself.
fn read(folder: &Folder, name: &str) -> Result<Option<Note>, Fault> {
    let path = folder.path().join(name);
    match folder.read(name, NOTE_BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        bytes => serde_json::from_slice(&bytes.on("read", &path)?).map(Some).map_err(io::Error::from).on("read", &path),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests arrange the world")]
mod tests {
    use std::fs;
    use std::thread;

    use super::*;

    fn site() -> (tempfile::TempDir, Site) {
        let at = tempfile::tempdir().unwrap();
        fs::create_dir(at.path().join("var")).unwrap();
        let site = Site::at(at.path());
        (at, site)
    }

    fn name(text: &str) -> Name {
        Name::parse(text).unwrap()
    }

    fn note(slug: &str, call: &[u8], second: u32) -> (RequestId, Note) {
        let id = RequestId::parse(&format!("TR-20260101-000000Z-{slug}")).unwrap();
        let note = Note {
            request_id: id.to_string(),
            tool: "t".to_owned(),
            call_sha256: Digest::of(call),
            created_utc: format!("2026-01-01T00:00:{second:02}.000Z"),
            document: "---\n".to_owned(),
            has_inputs: false,
        };
        (id, note)
    }

    fn key(text: &str, window: Option<u64>) -> Key {
        Key { digest: Digest::of(text.as_bytes()), window: window.map(Duration::from_secs) }
    }

    #[test]
    fn the_same_key_is_the_same_request_and_another_principal_knows_nothing_of_it() {
        let (_at, site) = site();
        let alice = Notes::of(&site, &name("alice")).unwrap();
        let (id, first) = note("a", b"call", 0);
        assert_eq!(alice.begin(&id, &first, &key("k", None), 9).unwrap(), Begun::New);
        let (other, second) = note("b", b"call", 50);
        assert_eq!(alice.begin(&other, &second, &key("k", None), 9).unwrap(), Begun::Twin(first.clone()));
        let (other, second) = note("b", b"something else", 50);
        assert_eq!(alice.begin(&other, &second, &key("k", None), 9).unwrap(), Begun::Other(first.clone()));
        assert_eq!((alice.find(&id).unwrap(), alice.ids().unwrap().len()), (Some(first), 1));
        let bob = Notes::of(&site, &name("bob")).unwrap();
        assert_eq!((bob.find(&id).unwrap(), bob.ids().unwrap().len()), (None, 0));
        assert_eq!(bob.begin(&other, &second, &key("k", None), 9).unwrap(), Begun::New);
    }

    #[test]
    fn an_identical_call_counts_as_the_same_within_its_window() {
        let (_at, site) = site();
        let notes = Notes::of(&site, &name("alice")).unwrap();
        let begin = |slug: &str, second| {
            let (id, note) = note(slug, b"call", second);
            notes.begin(&id, &note, &key("k", Some(10)), 9).unwrap()
        };
        assert_eq!(begin("a", 0), Begun::New);
        assert!(matches!(begin("b", 10), Begun::Twin(_)));
        assert_eq!(begin("c", 11), Begun::New);
        assert!(matches!(begin("d", 12), Begun::Twin(first) if first.request_id.ends_with("-c")));
        assert!(matches!(begin("e", 5), Begun::Twin(_)), "a clock that went back makes no second run");
    }

    #[test]
    fn no_more_than_so_many_requests_are_open() {
        let (_at, site) = site();
        let notes = Notes::of(&site, &name("alice")).unwrap();
        let begin = |slug: &str| {
            let (id, note) = note(slug, slug.as_bytes(), 0);
            (notes.begin(&id, &note, &key(slug, None), 2).unwrap(), id)
        };
        let (_, first) = begin("a");
        begin("b");
        assert_eq!(begin("c").0, Begun::Full);
        assert!(matches!(begin("a").0, Begun::Twin(_)), "the answer of an earlier call needs no place");
        notes.close(&first).unwrap();
        assert_eq!(begin("c").0, Begun::New);
        assert_eq!(notes.open_ids().unwrap().len(), 2);
    }

    #[test]
    fn of_many_calls_at_once_one_makes_the_request() {
        let (_at, site) = site();
        let begin = |number: u32| {
            let notes = Notes::of(&site, &name("alice")).unwrap();
            let (id, note) = note(&format!("n{number}"), b"call", 0);
            notes.begin(&id, &note, &key("k", None), 99).unwrap() == Begun::New
        };
        let new = thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|number| scope.spawn(move || begin(number))).collect();
            threads.into_iter().map(|thread| usize::from(thread.join().unwrap())).sum::<usize>()
        });
        assert_eq!(new, 1);
    }

    #[test]
    fn a_note_that_a_stopped_server_left_with_its_key_alone_is_made_whole() {
        let (at, site) = site();
        let notes = Notes::of(&site, &name("alice")).unwrap();
        let (id, first) = note("a", b"call", 0);
        notes.begin(&id, &first, &key("k", None), 9).unwrap();
        fs::remove_file(at.path().join(format!("var/mcp/alice/{id}.json"))).unwrap();
        assert_eq!(notes.find(&id).unwrap(), None);
        notes.complete(&first, &key("k", None)).unwrap();
        assert_eq!(notes.find(&id).unwrap(), Some(first));
    }
}
