//! The content of a request that has no result yet.

use gatepost_documents::asked::Asked;
use gatepost_documents::id::RequestId;

use crate::record;
use crate::site::Site;
use crate::user;

/// What the claimed request asks for, and its owner; `None` if TOOL-EXEC has no readable one.
pub fn asked(site: &Site, id: &RequestId) -> Option<(Asked, String)> {
    let (state, claim) = record::locate(site, id).ok()??;
    let bytes = record::request_bytes(&state.folder(site).join(id.as_str()), &claim).ok()?;
    let asked = Asked::read(&bytes, claim.form)?;
    Some((asked, user::name(claim.uid).unwrap_or_else(|| claim.uid.to_string())))
}
