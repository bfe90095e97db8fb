//! What a request asks for that has no result yet.

use gatepost_documents::asked::{Ask, Asked};
use gatepost_documents::id::RequestId;

use crate::record;
use crate::site::Site;
use crate::user;

/// What the claimed request asks for, and who dropped it; none if TOOL-EXEC has no valid one.
pub fn asked(site: &Site, id: &RequestId, ask: Ask) -> Option<(Asked, String)> {
    let (state, claim) = record::locate(site, id).ok()??;
    let bytes = record::request_bytes(&state.folder(site).join(id.as_str()), &claim).ok()?;
    let asked = ask(&bytes, claim.form, id.as_str())?;
    Some((asked, user::name(claim.uid).unwrap_or_else(|| claim.uid.to_string())))
}
