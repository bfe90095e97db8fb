//! What TOOL-EXEC itself puts into quarantine: drops that are no request, and the originals of refused requests.

use std::path::PathBuf;

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::Reason;
use gatepost_documents::verdict::reason_sections;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::{self, Contents, Refusal};
use gatepost_mailbox::site::Site;

/// Puts an item into quarantine with its reasons and returns its folder.
pub fn quarantine(
    site: &Site,
    name: &str,
    request_sha256: Option<Digest>,
    reasons: &[Reason],
    now: DateTime<Utc>,
    contents: &[Contents<'_>],
) -> Result<PathBuf, Fault> {
    let refused_utc = now.to_rfc3339_opts(SecondsFormat::Secs, true);
    let page = format!(
        "# Refused\n\nTOOL-EXEC refused this item at {refused_utc}; nothing was run.\n\n- Item: `{name}`\n{}",
        reason_sections(reasons)
    );
    let refusal = Refusal { item: name.to_owned(), request_sha256, refused_utc, reasons: reasons.to_vec() };
    let mut record =
        serde_json::to_vec_pretty(&refusal).map_err(std::io::Error::from).on("write", &site.quarantine())?;
    record.push(b'\n');
    quarantine::put(site, name, &record, &page, contents)
}

/// Whether a request with these bytes is in quarantine under this name, or under the name with a number that it got
/// because the name was taken.
pub fn is_quarantined(site: &Site, name: &str, request_sha256: Digest) -> bool {
    let numbered = |number: u32| if number == 1 { name.to_owned() } else { format!("{name}.{number}") };
    let items = (1..).map(|number| site.quarantine().join(numbered(number)));
    items.take_while(|item| item.exists()).any(|item| {
        let refusal = std::fs::read(item.join("reasons.json")).ok();
        let refusal = refusal.and_then(|bytes| serde_json::from_slice::<Refusal>(&bytes).ok());
        refusal.is_some_and(|refusal| refusal.request_sha256 == Some(request_sha256))
    })
}
