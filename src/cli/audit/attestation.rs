//! Compares the attestation of an accepted result with the gate's log.

use gatepost_documents::attestation::{ATTESTATION_FILE, LogPlace};
use gatepost_gate::attestation::{Attested, Broken};

use super::flaw::Kind;

/// The fault and its file. `key` is the fingerprint in the leaf at `place`, `attested` the statement beside the result.
///
/// A log that was restarted with the lines of an earlier one has other places. If the origin differs, they are not compared.
pub(super) fn fault(
    key: Option<&str>,
    place: &LogPlace,
    attested: Option<&Result<Attested, Broken>>,
) -> Option<(Kind, String, String)> {
    let of_file = |kind, message: String| Some((kind, ATTESTATION_FILE.to_owned(), message));
    match (key, attested) {
        (None, None) => None,
        (None, Some(_)) => of_file(Kind::Added, "The gate's log records no attestation of this result.".to_owned()),
        (Some(_), None) => of_file(
            Kind::Missing,
            "The gate attested this result, but the attestation and its signature are missing.".to_owned(),
        ),
        (Some(_), Some(Err(Broken { file, message, is_missing }))) => {
            let kind = if *is_missing { Kind::Missing } else { Kind::Altered };
            Some((kind, file.clone(), (*message).to_owned()))
        }
        (Some(logged), Some(Ok(Attested { key, log }))) => {
            let found = key.fingerprint();
            if found != logged {
                return of_file(
                    Kind::Altered,
                    format!("The key {found} signed it, but the gate's log names {logged}."),
                );
            }
            let is_elsewhere = log.origin == place.origin && log.index != place.index;
            let message =
                format!("It names decision {} of the gate's log, but this is decision {}.", log.index, place.index);
            if is_elsewhere { of_file(Kind::Altered, message) } else { None }
        }
    }
}
