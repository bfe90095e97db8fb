//! The sessions that are open, and who may continue them.
//!
//! ```text
//! expect ▶ open ──▶ find ▶ ask, one request after the other ──▶ close, idle too long, or its program ended ▶ gone
//! ```
//!
//! A session has the name of the request that opened it, and lasts as long as that request runs. Requests that continue it are requests
//! of their own, each authorized by itself. *Security*: only the requester who opened a session may continue it, identified by the
//! name, by the owner of the drop, and by the key if there was one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use gatepost_contract::request::Network;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{INTERACTIONS_MAX, Limits};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};
use serde_json::{Map, Value};

use crate::authorize::Record;
use crate::dialogue::{Dialogue, Exchange, SharedDialogue, Trouble};

/// The bytes of all lines of a session, at most: its own result lists them.
const LINES_BYTES_MAX: usize = 64 << 10;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requester {
    /// As the request says.
    pub name: String,
    /// The owner of the dropped file.
    pub uid: u32,
    /// The fingerprint of the key that signed the request, if one did.
    pub key: Option<String>,
}

/// What a request that continues a session must share with the one that opened it.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// Who asks.
    pub requester: Requester,
    /// The tool.
    pub tool: String,
    /// Its manifest.
    pub manifest_sha256: Digest,
    /// The network that is asked for; none where nothing is to be said any more.
    pub network: Option<Network>,
}

/// One line that is to be said, and for whom.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The request that continues the session; none where it is the one that opened it.
    pub request_id: Option<RequestId>,
    /// Under what it is told.
    pub record: Record,
    /// The command of the manifest.
    pub command: String,
    /// Its arguments, as evidence names them.
    pub arguments: Map<String, Value>,
    /// The line, without its end.
    pub line: String,
}

/// A session in progress.
#[derive(Debug)]
pub struct Session {
    /// Who may continue it, and how.
    pub terms: Terms,
    /// When it began.
    pub began: DateTime<Utc>,
    /// The limits of its program.
    pub limits: Limits,
    /// Interactions, at most.
    pub interactions_max: usize,
    /// Where all that its program prints is stored.
    pub stdout: PathBuf,
    dialogue: SharedDialogue,
    asked: Mutex<Vec<Asked>>,
}

impl Session {
    /// A session that is about to begin.
    pub fn new(
        terms: Terms,
        (began, limits, interactions_max): (DateTime<Utc>, Limits, u32),
        stdout: PathBuf,
        dialogue: Dialogue,
    ) -> std::io::Result<Self> {
        Ok(Self {
            terms,
            began,
            limits,
            interactions_max: (interactions_max as usize).min(INTERACTIONS_MAX),
            stdout,
            dialogue: SharedDialogue::new(dialogue)?,
            asked: Mutex::default(),
        })
    }

    /// Has these lines said once its program has begun.
    pub fn prepare(&self, lines: Vec<Asked>) {
        let texts = lines.iter().map(|asked| asked.line.clone()).collect();
        self.asked().extend(lines);
        self.dialogue.say(texts);
    }

    /// Whether its program was asked to end.
    pub fn was_closed(&self) -> bool {
        self.dialogue.was_closed()
    }

    /// Closes it once what was asked is answered.
    pub fn close(&self) {
        self.dialogue.close();
    }

    /// Who talks to its program.
    pub fn console(&self) -> &SharedDialogue {
        &self.dialogue
    }

    /// What its program prints; none if that has ended. Waits until it has begun.
    pub fn listen(&self) -> Option<File> {
        self.dialogue.wait_for_start();
        File::open(&self.stdout).ok().filter(|_| !self.dialogue.is_closed())
    }

    /// Why so many more lines, of so many bytes, may not be said. Code: `limit_exceeded`.
    pub fn fault(&self, lines: usize, bytes: usize) -> Option<Reason> {
        Self::fault_of(&self.asked(), self.interactions_max, (lines, bytes))
    }

    fn fault_of(asked: &[Asked], max: usize, (lines, bytes): (usize, usize)) -> Option<Reason> {
        let said: usize = asked.iter().map(|asked| asked.line.len()).sum();
        let message = if asked.len() + lines > max {
            let said = asked.len();
            format!("The session has had {said} of at most {max} interactions, and the request has {lines} more.")
        } else if said + bytes > LINES_BYTES_MAX {
            format!(
                "The session has received {said} of at most {LINES_BYTES_MAX} bytes, and the request has {bytes} more."
            )
        } else {
            return None;
        };
        Some(Reason::new(Code::LimitExceeded, message, "Close it, and open another."))
    }

    /// Has these lines said, and waits until all are answered or nothing is said any more: what came back of those that were said, and
    /// what kept the rest from being said. Code: `limit_exceeded`.
    pub fn ask(&self, lines: Vec<Asked>) -> Result<(Vec<Exchange>, Option<Trouble>), Reason> {
        let texts: Vec<String> = lines.iter().map(|asked| asked.line.clone()).collect();
        let range = {
            let mut asked = self.asked();
            let more = (lines.len(), texts.iter().map(String::len).sum());
            if let Some(fault) = Self::fault_of(&asked, self.interactions_max, more) {
                return Err(fault);
            }
            let range = self.dialogue.say(texts);
            // What came too late is not said, and nobody was asked it.
            if !self.dialogue.is_closed() {
                asked.extend(lines);
            }
            range
        };
        Ok(self.dialogue.answers(range))
    }

    fn asked(&self) -> MutexGuard<'_, Vec<Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The program has ended: all that was said, with what came back, and what kept the rest from being said.
    pub fn finish(&self) -> (Vec<Asked>, Vec<Exchange>, Option<Trouble>) {
        let (exchanges, trouble) = self.dialogue.finish();
        let asked = self.asked().clone();
        (asked, exchanges, trouble)
    }
}

/// The sessions of a site.
#[derive(Debug)]
pub struct Sessions {
    max: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Requests that are carried out, and may open one.
    expected: HashSet<RequestId>,
    open: HashMap<RequestId, Arc<Session>>,
}

impl Sessions {
    /// None open, of so many that may be.
    pub fn new(max: usize) -> Self {
        Self { max, state: Mutex::default(), changed: Condvar::new() }
    }

    /// A request that may open one is about to run: a request that looks for its session waits for the outcome.
    pub fn expect(&self, id: RequestId) {
        self.lock().expected.insert(id);
    }

    /// What became of it is known.
    pub fn settle(&self, id: &RequestId) {
        self.lock().expected.remove(id);
        self.changed.notify_all();
    }

    /// Why no further session may be opened now. Code: `limit_exceeded`.
    pub fn fault(&self) -> Option<Reason> {
        self.fault_of(&self.lock())
    }

    fn fault_of(&self, state: &State) -> Option<Reason> {
        let open = state.open.len();
        let message = || format!("{open} sessions are open, and the site allows {} at a time.", self.max);
        let hint = "Close one, or wait until one times out; then drop the request again under a new id.";
        (open >= self.max).then(|| Reason::new(Code::LimitExceeded, message(), hint))
    }

    /// Opens a session until what is returned is dropped. Code: `limit_exceeded`.
    pub fn open(&self, id: RequestId, session: Arc<Session>) -> Result<Held<'_>, Reason> {
        let mut state = self.lock();
        if let Some(fault) = self.fault_of(&state) {
            return Err(fault);
        }
        state.open.insert(id.clone(), session);
        self.changed.notify_all();
        Ok(Held(self, id))
    }

    /// The open session of this name, for a request on these terms. Code: `session_unknown`.
    pub fn find(&self, id: &RequestId, terms: &Terms) -> Result<Arc<Session>, Reason> {
        let mut state = self.lock();
        while state.expected.contains(id) && !state.open.contains_key(id) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        let session = state.open.get(id).filter(|session| session.terms.requester == terms.requester);
        let session = session.ok_or_else(|| unknown(id))?;
        let Terms { tool, manifest_sha256, network, .. } = &session.terms;
        let fault = match terms {
            _ if *tool != terms.tool => format!("belongs to the tool {tool}, not to {}", terms.tool),
            _ if *manifest_sha256 != terms.manifest_sha256 => {
                "was opened with another version of its manifest".to_owned()
            }
            _ if terms.network.as_ref().is_some_and(|asked| !is_same(asked, network.as_ref())) => {
                "was opened with other destinations".to_owned()
            }
            _ => return Ok(Arc::clone(session)),
        };
        let hint = "Ask for the same tool and destinations as the request that opened it, or open another session.";
        Err(Reason::new(Code::SessionUnknown, format!("The session {id} {fault}."), hint))
    }

    /// Closes the session of this name once what was asked of it is answered; false if there is none.
    pub fn close(&self, id: &RequestId) -> bool {
        self.lock().open.get(id).map(|session| session.close()).is_some()
    }

    /// Closes all in the same way.
    pub fn close_all(&self) {
        self.lock().open.values().for_each(|session| session.close());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the same destinations are asked for, in any order.
fn is_same(asked: &Network, opened: Option<&Network>) -> bool {
    let sorted = |network: &Network| network.destinations().iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    opened.is_some_and(|opened| {
        sorted(asked) == sorted(opened) && (*asked == Network::None) == (*opened == Network::None)
    })
}

/// Why there is nothing to continue. Code: `session_unknown`.
pub(crate) fn unknown(id: impl std::fmt::Display) -> Reason {
    let message = format!("Session {id} is not open, or belongs to another requester.");
    let hint = "Open one by a request with `keep_open: true`, and continue it by the id of that request.";
    Reason::new(Code::SessionUnknown, message, hint)
}

/// An open session; it is not open any more once this is dropped.
#[derive(Debug)]
pub struct Held<'a>(&'a Sessions, RequestId);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.lock().open.remove(&self.1);
        self.0.changed.notify_all();
    }
}
