//! The open sessions, and the requesters who may continue them.
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

/// The most bytes of all lines of a session: its own result lists them.
const LINES_BYTES_MAX: usize = 64 << 10;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requester {
    /// The name in the request.
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
    /// The requested network; none if the request only closes the session.
    pub network: Option<Network>,
}

/// One line to send, with its request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The request that continues the session; none for the one that opened it.
    pub request_id: Option<RequestId>,
    /// Its authorization record.
    pub record: Record,
    /// The command of the manifest.
    pub command: String,
    /// Its arguments, in the form of evidence.
    pub arguments: Map<String, Value>,
    /// The line, without its end.
    pub line: String,
}

/// A session in progress.
#[derive(Debug)]
pub struct Session {
    /// The terms for continuing it.
    pub terms: Terms,
    /// When it began.
    pub began: DateTime<Utc>,
    /// The limits of its program.
    pub limits: Limits,
    /// The most interactions.
    pub interactions_max: usize,
    /// The file of its program's output.
    pub stdout: PathBuf,
    dialogue: SharedDialogue,
    asked: Mutex<Vec<Asked>>,
}

impl Session {
    /// A new session.
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

    /// Queues these lines for its program's start.
    pub fn prepare(&self, lines: Vec<Asked>) {
        let texts = lines.iter().map(|asked| asked.line.clone()).collect();
        self.asked().extend(lines);
        self.dialogue.send(texts);
    }

    /// Whether its program was asked to end.
    pub fn was_closed(&self) -> bool {
        self.dialogue.was_closed()
    }

    /// Closes it once all lines are answered.
    pub fn close(&self) {
        self.dialogue.close();
    }

    /// The console of its program.
    pub fn console(&self) -> &SharedDialogue {
        &self.dialogue
    }

    /// Its program's output; none if the program has ended. Waits for its start.
    pub fn listen(&self) -> Option<File> {
        self.dialogue.wait_for_start();
        File::open(&self.stdout).ok().filter(|_| !self.dialogue.is_closed())
    }

    /// Why this many more lines and bytes may not be sent. Code: `limit_exceeded`.
    pub fn fault(&self, lines: usize, bytes: usize) -> Option<Reason> {
        Self::fault_of(&self.asked(), self.interactions_max, (lines, bytes))
    }

    fn fault_of(asked: &[Asked], max: usize, (lines, bytes): (usize, usize)) -> Option<Reason> {
        let sent: usize = asked.iter().map(|asked| asked.line.len()).sum();
        let message = if asked.len() + lines > max {
            let sent = asked.len();
            format!("The session has had {sent} of at most {max} interactions, and the request has {lines} more.")
        } else if sent + bytes > LINES_BYTES_MAX {
            format!(
                "The session has received {sent} of at most {LINES_BYTES_MAX} bytes, and the request has {bytes} more."
            )
        } else {
            return None;
        };
        Some(Reason::new(Code::LimitExceeded, message, "Close it, and open another."))
    }

    /// Sends these lines, and waits until all are answered or the session is closed. Returns the exchanges, and
    /// why the remaining lines were not sent. Code: `limit_exceeded`.
    pub fn ask(&self, lines: Vec<Asked>) -> Result<(Vec<Exchange>, Option<Trouble>), Reason> {
        let texts: Vec<String> = lines.iter().map(|asked| asked.line.clone()).collect();
        let range = {
            let mut asked = self.asked();
            let more = (lines.len(), texts.iter().map(String::len).sum());
            if let Some(fault) = Self::fault_of(&asked, self.interactions_max, more) {
                return Err(fault);
            }
            let range = self.dialogue.send(texts);
            // Lines after the close are not sent, and not recorded.
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

    /// Ends the session with its program. Returns all exchanges, and why the remaining lines were not sent.
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
    /// Requests in progress that may open a session.
    expected: HashSet<RequestId>,
    open: HashMap<RequestId, Arc<Session>>,
}

impl Sessions {
    /// No open sessions, and this limit.
    pub fn new(max: usize) -> Self {
        Self { max, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Announces a request that may open a session: requests for that session wait for the outcome.
    pub fn expect(&self, id: RequestId) {
        self.lock().expected.insert(id);
    }

    /// The outcome of that request is known.
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

    /// Opens a session until the returned guard is dropped. Code: `limit_exceeded`.
    pub fn open(&self, id: RequestId, session: Arc<Session>) -> Result<Guard<'_>, Reason> {
        let mut state = self.lock();
        if let Some(fault) = self.fault_of(&state) {
            return Err(fault);
        }
        state.open.insert(id.clone(), session);
        self.changed.notify_all();
        Ok(Guard(self, id))
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

    /// Closes the session of this name once all its lines are answered; false if there is none.
    pub fn close(&self, id: &RequestId) -> bool {
        self.lock().open.get(id).map(|session| session.close()).is_some()
    }

    /// Closes all sessions in the same way.
    pub fn close_all(&self) {
        self.lock().open.values().for_each(|session| session.close());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether both ask for the same destinations, in any order.
fn is_same(asked: &Network, opened: Option<&Network>) -> bool {
    let sorted = |network: &Network| network.destinations().iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    opened.is_some_and(|opened| {
        sorted(asked) == sorted(opened) && (*asked == Network::None) == (*opened == Network::None)
    })
}

/// The reason for a missing session. Code: `session_unknown`.
pub(crate) fn unknown(id: impl std::fmt::Display) -> Reason {
    let message = format!("Session {id} is not open, or belongs to another requester.");
    let hint = "Open one by a request with `keep_open: true`, and continue it by the id of that request.";
    Reason::new(Code::SessionUnknown, message, hint)
}

/// The guard of an open session; dropping it removes the session.
#[derive(Debug)]
pub struct Guard<'a>(&'a Sessions, RequestId);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.lock().open.remove(&self.1);
        self.0.changed.notify_all();
    }
}
