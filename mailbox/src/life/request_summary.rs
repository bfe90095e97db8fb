//! The content of a request that has no result yet.

use gatepost_documents::id::RequestId;
use gatepost_documents::request_summary::RequestSummary;

use crate::record;
use crate::site::Site;
use crate::user;

/// What the claimed request asks for, and its owner; `None` if TOOL-EXEC has no readable one.
pub fn request_summary(site: &Site, id: &RequestId) -> Option<(RequestSummary, String)> {
    let (state, claim) = record::locate(site, id).ok()??;
    let bytes = record::request_bytes(&state.folder(site).join(id.as_str()), &claim).ok()?;
    let summary = RequestSummary::read(&bytes, claim.form)?;
    Some((summary, user::name(claim.uid).unwrap_or_else(|| claim.uid.to_string())))
}
