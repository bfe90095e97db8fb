//! An accepted bundle: the files that were judged, and `verdict.json`, which the gate put beside them.
//!
//! For whoever looks at a bundle after the gate did. The gate itself never comes here: a bundle that brings a verdict into
//! the outbox is refused by its shape. *Security*: the folder may have been changed since, the verdict too; nothing of it is
//! believed but that it says of these very files what the gate would say of them.

use crate::bundle::{Bundle, Role};
use crate::reason::{Code, Reason};
use crate::verdict::{Decision, Verdict};

/// The file that makes a bundle an accepted one.
pub const VERDICT_FILE: &str = "verdict.json";

/// Takes the verdict out of a bundle, if it holds one, so that the bundle can be judged as it was. What is wrong with the
/// verdict comes back rather than into [`Bundle::faults`], where it would keep the bundle itself from being judged.
pub fn set_verdict_aside(bundle: &mut Bundle) -> Vec<Reason> {
    let Some(bytes) = bundle.bytes.remove(&Role::Verdict) else { return Vec::new() };
    bundle.entries.remove(VERDICT_FILE);
    let faults = match serde_json::from_slice::<Verdict>(&bytes) {
        Ok(verdict) => differences(&verdict, bundle),
        Err(error) => {
            let message = format!("This is no verdict from line {}, column {} on.", error.line(), error.column());
            vec![(Code::JsonInvalid, message)]
        }
    };
    let hint = "Take the bundle again from where the gate put it.";
    let reason = |(code, message)| Reason::new(code, message, hint).in_file(VERDICT_FILE);
    faults.into_iter().map(reason).collect()
}

fn differences(verdict: &Verdict, bundle: &Bundle) -> Vec<(Code, String)> {
    let mut faults = Vec::new();
    if verdict.verdict != Decision::Accept {
        faults.push((Code::ValueInvalid, "The verdict on this bundle is REJECT.".to_owned()));
    }
    if verdict.result_id != bundle.name {
        faults.push((Code::IdMismatch, "The verdict was given on another result.".to_owned()));
    }
    let found = bundle.digest();
    if verdict.bundle_sha256 != found {
        let message = format!("The verdict was given on a bundle {}, and this is {found}.", verdict.bundle_sha256);
        faults.push((Code::HashMismatch, message));
    }
    faults
}
