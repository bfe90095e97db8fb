//! The part of a session that a request is: all of it, its beginning, or a continuation.

use gatepost_contract::manifest::{Backend, Manifest};
use gatepost_contract::request::{CladCall, Request, RequestedLimits};
use gatepost_documents::id::RequestId;
use gatepost_documents::reason::{Code, Reason};

use crate::sessions;

/// The part of a session that a call is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// No session, or a whole one.
    Whole,
    /// It opens a session, which stays open until it is closed.
    Opens,
    /// It continues a session.
    Continues {
        /// The request that opened it.
        id: RequestId,
        /// Whether the session is closed afterwards.
        closes: bool,
    },
}

impl Part {
    /// The name of the session: that of the request that opened it.
    pub fn session_id(&self, own: &RequestId) -> RequestId {
        match self {
            Self::Whole | Self::Opens => own.clone(),
            Self::Continues { id, .. } => id.clone(),
        }
    }

    /// Whether it may have no interactions.
    pub(super) fn may_be_empty(&self) -> bool {
        matches!(self, Self::Opens | Self::Continues { closes: true, .. })
    }
}

/// The part of a session that a request is, or all faults in it. Codes: `key_unknown`, `session_unknown`.
pub(super) fn of(manifest: &Manifest, request: &Request, call: &CladCall) -> Result<Part, Vec<Reason>> {
    let part = match (&request.session_id, request.keep_open) {
        (None, None | Some(false)) => return Ok(Part::Whole),
        (None, Some(true)) => Part::Opens,
        (Some(id), keep_open) => {
            let id = RequestId::parse(id).map_err(|_| vec![sessions::unknown(id)])?;
            Part::Continues { id, closes: keep_open == Some(false) }
        }
    };
    if !matches!(manifest.backend(), Backend::Session(_)) || manifest.is_callback() {
        return Err(vec![no_session(manifest.name())]);
    }
    let of_opener =
        "This request gets its result when the session ends: send interactions in requests that continue the session.";
    let of_other = "Give it to the request that opens the session.";
    let idle = if part == Part::Opens {
        vec![("interactions", !call.interactions.is_empty(), "opens a session", of_opener)]
    } else {
        vec![
            ("inputs", !request.inputs.is_empty(), "continues a session", of_other),
            ("outputs_expected", !request.outputs_expected.is_empty(), "continues a session", of_other),
            ("limits", request.limits != RequestedLimits::default(), "continues a session", of_other),
        ]
    };
    let fault = |(key, _, what, hint): (&str, bool, &str, &str)| {
        Reason::new(Code::KeyUnknown, format!("A request that {what} has no {key}."), hint)
    };
    let faults: Vec<Reason> = idle.into_iter().filter(|(_, is_given, ..)| *is_given).map(fault).collect();
    if faults.is_empty() { Ok(part) } else { Err(faults) }
}

fn no_session(tool: &str) -> Reason {
    let message = format!("The request opens or continues a session, but the tool {tool} cannot stay open.");
    Reason::new(Code::KeyUnknown, message, "Remove `session_id` and `keep_open`.")
}
