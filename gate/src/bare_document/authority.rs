//! Stage 6 of a bare document: checks against the gate's own records.
//!
//! Only the id shows which request a bare document answers. So the gate accepts one only for requests of another
//! executor, never claimed here. A request claimed here has one answer: the bundle that this site seals.

use crate::facts::SiteFacts;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::{Code, Reason};

/// Every claim that the site contradicts.
pub(super) fn check(id: &ResultId, site: Option<&SiteFacts>) -> Result<(), Vec<Reason>> {
    let Some(site) = site else { return Ok(()) };
    let request = id.request();
    let (message, hint) = if let Some(earlier) = &site.earlier_result {
        let message = format!("The request {request} was answered before, by {earlier}.");
        (message, "Read the first result; run the tool again under a new request id.")
    } else if site.claimed_request.is_some() {
        let message =
            format!("TOOL-EXEC claimed the request {request}: its only result is the bundle that TOOL-EXEC seals.");
        (message, "Read that result; a bare document answers only requests of other executors.")
    } else {
        return Ok(());
    };
    Err(vec![Reason::new(Code::DuplicateResult, message, hint)])
}
