//! The life of one request, from its claim to its published answer.
//!
//! ```text
//! claim ▶ read ▶ authorize ─┬─▶ start ▶ execute ─┬─▶ seal ▶ log ▶ publish ▶ finish
//!                           ├─refuse─▶ start ────┘
//!                           └─wait───▶ pending, and later again from authorize
//! ```
//!
//! A refusal is answered in the same way as a result. A fault leaves the request in its present state, and
//! [`resume`] continues from there. *Commit points*: `start` (durable before anything has an effect) and `publish`.

use std::cell::{Cell, RefCell};
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::Instant;

use gatepost_contract::request::{self, Lane, Network, Request};
use gatepost_documents::evidence::{Evidence, FailureCode, Learn, NetworkUse, StopReason};
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::Reason;
use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::Contents;
use gatepost_mailbox::site::STAGING;

use crate::authorize::{Authorized, Denied, Refusal, authorize};
use crate::bundle::{Materials, Sealed, Staging};
use crate::context::Context;
use crate::evidence::{self, Executed};
use crate::fleet::{self, Taken};
use crate::in_force;
use crate::lane::run::Place;
use crate::lane::run_outcome::Ending;
use crate::lane::{self, Planned};
use crate::mailbox::claim::Claimed;
use crate::mailbox::exec_log::Step;
use crate::mailbox::pending::{self, Waiting};
use crate::mailbox::record::{self, Start, State};
use crate::mailbox::refuse::{is_quarantined, quarantine};
use crate::mailbox::{INPUTS, Running, decision, recovery, signatures};
use crate::review;
use crate::scan_id::ScanId;

/// An answered request.
#[derive(Debug)]
pub struct Answered {
    /// The result's name.
    pub result_id: ResultId,
    /// The evidence.
    pub evidence: Evidence,
}

/// The state that a request has reached.
#[derive(Debug)]
pub enum Carried {
    /// It is answered.
    Answered(Box<Answered>),
    /// It waits for people.
    SetAside(Waiting),
    /// A node of the fleet must run it.
    Away,
}

/// Why a request has no answer yet.
#[derive(Debug)]
pub struct Unanswered {
    /// The fault.
    pub fault: Fault,
    /// Whether its tool may have had effects, or its answer may be published.
    pub has_started: bool,
}

impl Carried {
    fn answered(answered: Answered) -> Self {
        Self::Answered(Box::new(answered))
    }
}

impl Unanswered {
    fn on_the_way_out(fault: Fault) -> Self {
        Self { fault, has_started: true }
    }
}

impl From<Fault> for Unanswered {
    fn from(fault: Fault) -> Self {
        Self { fault, has_started: false }
    }
}

/// Reads a claimed request.
pub fn read(context: &Context, claimed: &Claimed) -> Result<Request, Vec<Reason>> {
    let claim = &claimed.claim;
    let latest = (context.clock)() + context.config.clock_skew();
    request::read(&claimed.bytes, claim.form, claim.request_id.as_str(), latest)
        .map_err(|reasons| claim.faults.iter().cloned().chain(reasons).collect())
}

/// Carries out a claimed request after the attempt to read it.
pub fn carry_out(
    context: &Context,
    claimed: Claimed,
    request: Result<Request, Vec<Reason>>,
) -> Result<Carried, Unanswered> {
    let scan_id = context.scan_id();
    let refuse = |claimed, request, refusal| {
        refuse(context, claimed, request, refusal, scan_id).map_err(Unanswered::on_the_way_out)
    };
    let request = match request {
        Ok(request) => request,
        Err(reasons) => return refuse(claimed, None, reasons.into()).map(Carried::answered),
    };
    if !claimed.claim.faults.is_empty() {
        let faults = claimed.claim.faults.clone();
        return refuse(claimed, Some(&request), faults.into()).map(Carried::answered);
    }
    match authorize(context, &claimed, &request, scan_id) {
        Ok((authorized, planned)) => match over_quota(context, &claimed, &request) {
            None => run(context, claimed, &request, authorized, planned.as_ref()),
            Some(reason) => refuse(claimed, Some(&request), vec![reason].into()).map(Carried::answered),
        },
        Err(Denied::Refused(Refusal { reasons, judged })) => {
            let refusal = Refusal { reasons: in_force::with_edit_hint(context, reasons), judged };
            refuse(claimed, Some(&request), refusal).map(Carried::answered)
        }
        Err(Denied::Waits(waiting, review)) => {
            context.note(&claimed.claim.request_id, pending::step(&waiting))?;
            pending::set_aside(&context.site, &claimed, (&waiting, &review))?;
            Ok(Carried::SetAside(waiting))
        }
        Err(Denied::Fault(fault)) => Err(fault.into()),
    }
}

/// The refusal of a request for more pages than its user may get in an hour.
fn over_quota(context: &Context, claimed: &Claimed, request: &Request) -> Option<Reason> {
    let Lane::Fetch(pages) = &request.lane else { return None };
    let most = context.config.fetch.pages_per_hour;
    context.quota.take(claimed.claim.uid, pages.urls.len() as u64, most, Instant::now())
}

/// Executes an authorized request in its own folders; `announced` is its evidence from before the run.
pub fn execute(
    context: &Context,
    request: &Request,
    (authorized, planned): (Authorized, &dyn Planned),
    place: &Place<'_>,
    announced: Evidence,
) -> Result<Executed, Fault> {
    let mut outcome = planned.execute(authorized, context, place)?;
    // Expect no outputs of a tool that did not start.
    if outcome.ending.is_some() {
        let own: Vec<&str> = outcome.output_file.into_iter().chain(outcome.invocation.upstream.own_file()).collect();
        place.staging.compare(&request.outputs_expected, &own, &mut outcome.anomalies)?;
    }
    Ok(Executed::new(announced, outcome))
}

fn run(
    context: &Context,
    claimed: Claimed,
    request: &Request,
    authorized: Authorized,
    planned: &dyn Planned,
) -> Result<Carried, Unanswered> {
    let invocation = lane::invocation(planned, context)?;
    let mut announced = evidence::announce(&claimed, request, &authorized, invocation, &context.kernel);
    if !announced.approvals.is_empty() {
        let scan_id = authorized.scan_id().to_string();
        announced.review_sha256 = Some(review::digest(&review::text(request, &claimed.bytes, Some(planned), &scan_id)));
    }
    let start = Start {
        evidence: interrupted(context, request, announced.clone()),
        manifest: planned.manifest().map(str::to_owned),
        outputs_expected: request.outputs_expected.clone(),
        idempotent: planned.is_idempotent(),
        has_secrets: planned.has_secrets(),
        is_away: context.config.fleet.runs(&announced.tool) && planned.manifest().is_some() && !has_session(request),
        has_ended: false,
    };
    let running = Running::start(&context.site, claimed, start)?;
    if running.start.is_away {
        context.note(&running.claimed.claim.request_id, Step::Started { tool: announced.tool })?;
        fleet::offer(&context.site, &running)?;
        return Ok(Carried::Away);
    }
    let (started, ended) = (Cell::new(false), RefCell::new(None));
    let work = || {
        context.note(&running.claimed.claim.request_id, Step::Started { tool: announced.tool.clone() })?;
        let (staging, work) = furnish(context, &running)?;
        let id = &running.claimed.claim.request_id;
        let run = context.runs.begin(id).on("make a cancel handle for", &running.claimed.folder)?;
        // A cancellation that came after `authorize` had looked for one.
        if decision::is_taken(&running.claimed.folder) {
            run.fire();
        }
        let place = Place { work: &work, staging: &staging, started: &started, ended: &ended, cancel: &run };
        let executed = execute(context, request, (authorized, planned), &place, announced)?;
        Ok((staging, executed.into_evidence()))
    };
    match work() {
        Ok((staging, (evidence, output_file))) => answer(context, running, staging, evidence, output_file)
            .map(Carried::answered)
            .map_err(Unanswered::on_the_way_out),
        Err(fault) if started.get() => {
            if let Some(ending) = ended.take() {
                // If this fails too, the answer reports an unknown end.
                let _ = keep(&running, ending);
            }
            Err(Unanswered::on_the_way_out(fault))
        }
        Err(fault) => {
            // If this fails too, `resume` does it later.
            let _ = running.give_back(&context.site);
            Err(fault.into())
        }
    }
}

/// A session is a dialogue with this process.
fn has_session(request: &Request) -> bool {
    request.session_id.is_some() || request.keep_open == Some(true)
}

/// Answers a request that returned from a node. If no node had it, it is decided anew, and refused as cancelled.
pub fn receive(
    context: &Context,
    claimed: Claimed,
    request: Result<Request, Vec<Reason>>,
) -> Result<Carried, Unanswered> {
    let take = || {
        let start: Start = record::read(&claimed.folder.join(record::START_FILE))?;
        let running = Running { claimed, start };
        fleet::take(context, &running).map(|taken| (running, taken))
    };
    let (running, taken) = take().map_err(Unanswered::on_the_way_out)?;
    if let Some(Taken { evidence, staging, output_file }) = taken {
        let answered = answer(context, running, staging, evidence, output_file.as_deref());
        return answered.map(Carried::answered).map_err(Unanswered::on_the_way_out);
    }
    let claimed = running.give_back(&context.site).map_err(Unanswered::on_the_way_out)?;
    fleet::forget(&context.site, &claimed.claim.request_id)?;
    carry_out(context, claimed, request)
}

/// Stores the measurements of a run whose result could not be sealed.
fn keep(running: &Running, ending: Ending) -> Result<(), Fault> {
    let mut start = running.start.clone();
    evidence::end_unsealed(&mut start.evidence, ending);
    start.has_ended = true;
    running.write_again(&start)
}

/// The folders in which a tool works and from which its result is sealed.
#[allow(clippy::disallowed_methods, reason = "within the run's own folder: recovery does without it")]
fn furnish(context: &Context, running: &Running) -> Result<(Staging, PathBuf), Fault> {
    let staging = Staging::fresh(&context.site, &running.claimed.claim.request_id)?;
    let work = running.work();
    // At a level without a private root, a tool's files may contain secrets that other users of the machine could read.
    fs::DirBuilder::new().mode(0o700).create(&work).on("create", &work)?;
    match fs::rename(running.claimed.folder.join(INPUTS), work.join(INPUTS)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        moved => moved.on("move the inputs to", &work)?,
    }
    Ok((staging, work))
}

/// The start record: the evidence to publish if the run is lost.
fn interrupted(context: &Context, request: &Request, mut evidence: Evidence) -> Evidence {
    evidence.error = Some(evidence::interrupted(&evidence.tool));
    // A lost run was confined in this way.
    if evidence.sandbox.launcher.is_none() {
        evidence.sandbox.clone_from(&context.enforced);
    }
    if request.network != Network::None {
        evidence.network.used = NetworkUse::Allowlist;
        evidence
            .anomalies
            .push("The tool had a network; its destinations before the interruption are unknown.".to_owned());
    }
    evidence
}

fn refuse(
    context: &Context,
    claimed: Claimed,
    request: Option<&Request>,
    Refusal { reasons, judged }: Refusal,
    scan_id: ScanId,
) -> Result<Answered, Fault> {
    let mut evidence = evidence::begin(&claimed, request, scan_id, &context.kernel);
    evidence.learn = context.config.policy.is_learning().then(Learn::default);
    let manifest = judged.and_then(|judged| evidence::describe_judged(&mut evidence, *judged));
    evidence.error = Some(evidence::refusal(reasons, claimed.claim.request_id.as_str()));
    let start = Start {
        evidence,
        manifest,
        outputs_expected: Vec::new(),
        idempotent: false,
        has_secrets: false,
        is_away: false,
        has_ended: false,
    };
    let running = Running::start(&context.site, claimed, start)?;
    let staging = Staging::fresh(&context.site, &running.claimed.claim.request_id)?;
    let evidence = running.start.evidence.clone();
    answer(context, running, staging, evidence, None)
}

/// Seals, publishes and finishes.
fn answer(
    context: &Context,
    running: Running,
    staging: Staging,
    mut evidence: Evidence,
    output_file: Option<&str>,
) -> Result<Answered, Fault> {
    if let Some(error) = &mut evidence.error
        && matches!(error.code, FailureCode::Cancelled | FailureCode::Interrupted)
        && let Some(Reason { message, hint, .. }) = decision::refusal(&running.claimed.folder)?
    {
        // Who cancelled it, and why.
        if error.code == FailureCode::Cancelled {
            (error.message, error.hint) = (message, hint);
        } else {
            error.message = format!("{} {message}", error.message);
        }
    }
    let signatures = signatures::named_by(&evidence, &running.claimed.folder)?;
    let sealed = staging.seal(
        Materials {
            evidence,
            request: (&running.claimed.bytes, record::request_file(running.claimed.claim.form)),
            signatures: &signatures,
            manifest: running.start.manifest.as_deref(),
            outputs_expected: &running.start.outputs_expected,
            output_file,
        },
        (context.clock)(),
    )?;
    publish(context, running, sealed)
}

/// Logs the sealed result, publishes it, and finishes.
fn publish(context: &Context, running: Running, sealed: Sealed) -> Result<Answered, Fault> {
    // A logged end must survive a power cut.
    durable::sync_folder(&context.site.outbox().join(STAGING))?;
    context.note(&running.claimed.claim.request_id, sealed.step())?;
    let (result_id, evidence) = sealed.publish(&context.site)?;
    finish(context, running)?;
    Ok(Answered { result_id, evidence })
}

/// Completes the publication: moves the original of a refused request to quarantine, and the request to done.
fn finish(context: &Context, running: Running) -> Result<(), Fault> {
    let reasons = running.start.evidence.error.as_ref().map(|error| error.reasons.as_slice()).unwrap_or_default();
    // A folder with faults is already in quarantine.
    if !reasons.is_empty() && running.claimed.claim.faults.is_empty() {
        let (id, digest) = (running.claimed.claim.request_id.as_str(), running.claimed.claim.request_sha256);
        let request = Contents::Bytes(&running.claimed.bytes, record::request_file(running.claimed.claim.form));
        let inputs = running.claimed.folder.join(INPUTS);
        let moved = inputs.is_dir().then_some(Contents::Move(&inputs, INPUTS));
        let contents: Vec<Contents<'_>> = std::iter::once(request).chain(moved).collect();
        quarantine(
            (&context.site, context.exec_log.as_ref()),
            id,
            Some(digest),
            reasons,
            (context.clock)(),
            &contents,
        )?;
    }
    done(context, running)
}

/// Moves an answered request to done.
fn done(context: &Context, running: Running) -> Result<(), Fault> {
    let (id, is_away) = (running.claimed.claim.request_id.clone(), running.start.is_away);
    running.finish(&context.site)?;
    if is_away {
        fleet::forget(&context.site, &id)?;
    }
    if let Some(log) = &context.exec_log {
        log.forget(&id);
    }
    Ok(())
}

/// The outcome of resuming a request from the state folders.
#[derive(Debug)]
pub enum Resumed {
    /// It must still be carried out.
    Claimed(Claimed),
    /// Resuming answered it.
    Answered(Box<Answered>),
    /// Its answer was already published; it is done now.
    Finished,
    /// A node of the fleet must run it.
    Away,
}

/// The known cause of a request left in a state folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// A fault kept its tool from being started.
    Unstarted,
    /// Unknown, or its tool may have had effects; it may run again if its manifest permits that.
    Unknown,
    /// Its tool has used up its retries.
    Repeated,
}

/// Resumes a request after a crash or a fault. `published` lists the requests with published answers.
pub fn resume(
    context: &Context,
    id: &RequestId,
    state: State,
    left: Left,
    published: impl Fn(&RequestId) -> bool,
) -> Result<Resumed, Fault> {
    let now = (context.clock)();
    if state == State::Claimed {
        let claimed = recovery::claimed(&context.site, id)?;
        if let Some(log) = &context.exec_log {
            log.note_claims(std::slice::from_ref(&claimed.claim), now)?;
        }
        return Ok(Resumed::Claimed(claimed));
    }
    let claimed = recovery::running(&context.site, id)?;
    let start: Start = record::read(&claimed.folder.join(record::START_FILE))?;
    let running = Running { claimed, start };
    if published(id) {
        // The interruption may have happened between the quarantine and the end.
        if is_quarantined(&context.site, id.as_str(), running.claimed.claim.request_sha256)? {
            done(context, running)?;
        } else {
            finish(context, running)?;
        }
        return Ok(Resumed::Finished);
    }
    if let Some(log) = &context.exec_log {
        if let Some((result_id, sums_sha256)) = log.ended(id)
            && let Some(sealed) = Staging::existing(&context.site, id).sealed(result_id, sums_sha256)?
        {
            return publish(context, running, sealed).map(|answered| Resumed::Answered(Box::new(answered)));
        }
        if left != Left::Unstarted && !running.start.is_away {
            log.note_interruption(id, now)?;
        }
    }
    if running.start.is_away {
        fleet::offer(&context.site, &running)?;
        return Ok(Resumed::Away);
    }
    let is_refusal = running.start.evidence.error.as_ref().is_some_and(|error| error.code != FailureCode::Interrupted);
    if left == Left::Unstarted && !is_refusal
        || left == Left::Unknown && running.start.idempotent && !decision::is_taken(&running.claimed.folder)
    {
        return running.give_back(&context.site).map(Resumed::Claimed);
    }
    let mut evidence = running.start.evidence.clone();
    if evidence.error.as_ref().is_some_and(|error| error.code == FailureCode::Interrupted) {
        let sentence = if running.start.has_ended {
            "The tool ended, but its result could not be sealed; its streams and files may be incomplete."
        } else {
            evidence.stop_reason = StopReason::Cancelled;
            "The end of the run was not seen; it may have had effects."
        };
        evidence.anomalies.push(sentence.to_owned());
    }
    let staging = Staging::existing(&context.site, id);
    if running.start.has_secrets {
        staging.withhold()?;
        let sentence =
            "The tool's streams and files were left out: they may contain secrets that TOOL-EXEC no longer knows.";
        evidence.anomalies.push(sentence.to_owned());
    }
    answer(context, running, staging, evidence, None).map(|answered| Resumed::Answered(Box::new(answered)))
}
