//! Imports results of a bag through this site's gate.
//!
//! ```text
//! copy the payload → var/gate/orders/<16 hex>.import/, every file by its digest     what an earlier attempt copied is not copied again
//! fsync every file and folder
//! var/gate/orders/….order                                                           commit point: from here on the gate does the rest
//! remove the copy once it has answered
//! ```
//!
//! If killed at any step, a repeated import does the rest: the gate skips what it took before.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use chrono::Utc;
use gatepost_documents::id::ResultId;
use gatepost_exec::bag::reading::Bag;
use gatepost_exec::bag::{PAYLOAD, REASONS_MAX, RESULTS};
use gatepost_exec::step_error::StepError;
use gatepost_exec::watch::prepare;
use gatepost_gate::mailbox::rehearse_import;
use gatepost_mailbox::keys;
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::order::{Answer, Done, Import, Order, folder as orders};

use super::requests::{known, reused};
use super::{Arguments, refused, stage};
use crate::cli::counted::faulty;
use crate::cli::order;
use crate::cli::prelude::*;

#[derive(Serialize, JsonSchema)]
pub(super) struct Imported {
    dry_run: bool,
    effect: Effect,
    results: Vec<One>,
}

#[derive(Serialize, JsonSchema)]
struct One {
    effect: Effect,
    #[serde(flatten)]
    answer: Answer,
}

impl One {
    fn new(answer: Answer, is_rehearsal: bool) -> Self {
        let effect = match answer.outcome {
            Done::Imported => Effect::Created.or_would(is_rehearsal),
            _ => Effect::Noop,
        };
        Self { effect, answer }
    }
}

impl View for Imported {
    fn text(&self) -> String {
        let all_as_the_first = |first: &One| self.results.iter().all(|one| one.answer.message == first.answer.message);
        match self.results.first() {
            Some(first) if self.results.len() > 1 && all_as_the_first(first) => {
                format!("{}  {}\n", counted(self.results.len(), "result"), first.answer.message)
            }
            _ => {
                let one = |One { answer, .. }: &One| format!("{}  {}\n", answer.item, answer.message);
                self.results.iter().map(one).collect()
            }
        }
    }
}

pub(super) fn run(site: &Site, bag: &Bag, arguments: &Arguments, bounds: &Bounds) -> Result<Outcome, Failure> {
    let refused = |error| refused(&arguments.folder, error);
    for (id, digest) in requests(bag).map_err(|reasons| refused(reasons.into()))? {
        // The result has to answer the same request that was dropped here.
        if known(site, id.request())?.is_some_and(|here| here != digest) {
            let message = format!(
                "The result of {} in the bag answers a request with other bytes than the one here.",
                id.request()
            );
            let hint =
                "Compare the request.md of the result with this site's request, and get the result of the latter.";
            return Err(Failure { message, hint: hint.to_owned(), ..reused(id.request()) });
        }
    }
    let answers = if arguments.dry_run {
        bag.take(None).map_err(refused)?;
        rehearse_import(site, &arguments.folder.join(PAYLOAD), Utc::now())?
    } else {
        offer(site, bag, (arguments, bounds))?
    };
    let failure = failure(&answers, &arguments.folder);
    let results: Vec<One> = answers.into_iter().map(|answer| One::new(answer, arguments.dry_run)).collect();
    let effect = Effect::of_all(results.iter().map(|one| one.effect));
    let imported = Imported { dry_run: arguments.dry_run, effect, results };
    Ok(Outcome::ended(&imported, failure))
}

/// Offers the results to the gate, and waits for its answers.
fn offer(site: &Site, bag: &Bag, (arguments, bounds): (&Arguments, &Bounds)) -> Result<Vec<Answer>, Failure> {
    // The gate may be another user, who has to be able to read the copy.
    prepare(site)?;
    match keys::gates(site) {
        // The folder may be readable only by the gate.
        Err(fault) if fault.source.kind() == io::ErrorKind::PermissionDenied => {}
        gates => drop(gates?),
    }
    let place = orders(site)?;
    let digest = bag.digest().to_string();
    // The gate may be another user, who reads it.
    let (name, staging) = stage(&place, 0o755, &digest[..16], Import::folder_name)?;
    let folder = Import::folder_name(&name);
    let _lock = Lock::folder_in(&place, folder.as_ref(), &staging)?;
    let copied = bag.take(Some(&staging));
    if matches!(copied, Err(StepError::Refused(_))) {
        place.remove(&folder)?;
    }
    copied.map_err(|error| refused(&arguments.folder, error))?;
    staging.sync_tree()?;
    place.sync()?;
    let answers = order::carry_out(site, &Order::Import(Import { name }), bounds.timeout)?;
    place.remove(&folder)?;
    Ok(answers)
}

/// The results of a bag, each with the digest of the request in it.
fn requests(bag: &Bag) -> Result<BTreeMap<ResultId, Digest>, Vec<Reason>> {
    let (mut requests, mut reasons) = (BTreeMap::new(), Vec::new());
    for (path, digest) in bag.payload() {
        let parts: Vec<&str> = path.strip_prefix(PAYLOAD).unwrap_or(path).split('/').collect();
        let id = |name: &str| ResultId::parse(name).ok();
        match parts[..] {
            [RESULTS, name, ref rest @ ..] if !rest.is_empty() && id(name).is_some() => {
                if let (["request.md" | "request.json"], Some(id)) = (rest, id(name)) {
                    requests.insert(id, *digest);
                }
            }
            ["proofs", _] | ["log", "checkpoint" | "key.pub"] | ["keys", "approvers" | "requesters"] => {}
            _ => {
                let hint = "A bag of results holds data/results/TS-…/, data/proofs/, data/log/ and data/keys/.";
                reasons
                    .push(Reason::new(Code::FileUnlisted, "No result has such a file.", hint).in_file(path.as_str()));
            }
        }
    }
    reasons.truncate(REASONS_MAX);
    if reasons.is_empty() { Ok(requests) } else { Err(reasons) }
}

/// The failure of an import with a refusal: then nothing was taken.
fn failure(answers: &[Answer], folder: &Path) -> Option<Failure> {
    let bad: Vec<&Answer> = answers.iter().filter(|answer| !answer.outcome.is_good()).collect();
    let first = bad.first()?;
    let (code, hint) = if bad.iter().any(|answer| answer.outcome == Done::Untrusted) {
        let hint = "If you trust that gate, get its key from its operator over another channel, compare the two, and add the \
                    key to keys/gates as a line.";
        (ErrorCode::GateNotTrusted, hint.to_owned())
    } else {
        let hint = first.reasons.first().map(|reason| reason.hint.clone());
        (
            ErrorCode::ResultRejected,
            hint.unwrap_or_else(|| "Have the bag exported again by the site of the results.".to_owned()),
        )
    };
    let message = match bad.as_slice() {
        [one] => format!("Nothing was taken. {}: {}", one.item, one.message),
        many => {
            format!("Nothing was taken. {}", faulty(many.len(), answers.len(), "result", "is refused", "are refused"))
        }
    };
    let errors = bad.iter().flat_map(|answer| answer.reasons.iter()).cloned().collect();
    let failure = Failure::new(code, FailureKind::Policy, message, hint).during("import", folder.display().to_string());
    Some(Failure { errors, ..failure })
}
