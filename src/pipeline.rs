//! The life of one request, from its claim to its published answer.
//!
//! ```text
//! claim ▶ read ▶ authorize ─┬─▶ start ▶ execute ─┬─▶ seal ▶ publish ▶ finish
//!                           └─refuse─▶ start ────┘
//! ```
//!
//! A refusal is answered on the same road as a result. A fault leaves the request in the state that it has reached, and
//! [`resume`] takes it up from there. *Commit points*: `start` (durable before anything has an effect) and `publish`.

use std::fs;
use std::io;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_documents::evidence::{Completeness, Evidence, Sandbox};
use gatepost_documents::id::{RequestId, ResultId};
use gatepost_documents::reason::Reason;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_mailbox::fault::{Fault, OnPath};
use gatepost_mailbox::quarantine::Contents;
use gatepost_mailbox::site::Site;

use crate::bundle::{Materials, Staging};
use crate::config::Config;
use crate::evidence::{self, Occasion};
use crate::inputs::Inputs;
use crate::lane::era::Versions;
use crate::lane::run::Place;
use crate::lane::{self, Planned};
use crate::mailbox::claim::Claimed;
use crate::mailbox::record::{self, Start, State};
use crate::mailbox::refuse::{is_quarantined, quarantine};
use crate::mailbox::{INPUTS, Running, recovery};
use crate::policy;
use crate::process::Cancel;
use crate::request::{self, Lane, Network, Request};
use crate::sandbox;
use crate::scope::Scope;
use crate::toolbox::Toolbox;

/// All that a request meets on its way and that is not its own.
#[derive(Debug)]
pub struct Context {
    /// The site.
    pub site: Site,
    /// Its configuration.
    pub config: Config,
    /// Its manifests.
    pub toolbox: Toolbox,
    /// Stops every run when it is fired.
    pub cancel: Arc<Cancel>,
    /// The level at which tools are run: the strongest that the machine offers, and at least the configured minimum.
    pub sandbox_level: SandboxLevel,
    /// What was enforced when that level was tried.
    pub enforced: Sandbox,
    /// What keeps tools from being run here at that level, if anything does.
    pub sandbox_fault: Option<String>,
    /// What the interpreters of command lines call themselves.
    pub versions: Versions,
    /// The kernel's release.
    pub kernel: String,
    /// The wall clock.
    pub clock: fn() -> DateTime<Utc>,
}

impl Context {
    /// The site's scope, read anew each time, so that an operator's edit counts at once. Without a file nothing is in scope.
    pub fn scope(&self) -> Result<Result<Scope, Reason>, Fault> {
        let path = self.site.scope().join("scope.toml");
        match fs::read_to_string(&path) {
            Ok(text) => Ok(Scope::parse(&text, "scope/scope.toml").map_err(|mut reasons| reasons.swap_remove(0))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Ok(Scope::default())),
            Err(error) => Err(error).on("read", &path),
        }
    }

    /// What keeps tools from getting a network here, if anything does, as a clause.
    pub fn network_fault(&self) -> Option<String> {
        if self.sandbox_level != SandboxLevel::Full {
            let level = self.sandbox_level.as_str();
            return Some(format!("tools run at level {level}, and only level full bounds a network"));
        }
        sandbox::bounds_network().err().map(str::to_owned)
    }

    /// The moment, and what nobody can guess.
    pub fn occasion(&self) -> Occasion {
        let mut bytes = [0; 8];
        // The kernel's generator, once it is seeded, cannot fail for so few bytes.
        let _ = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
        Occasion { now: (self.clock)(), random: u64::from_ne_bytes(bytes) }
    }
}

/// An answered request.
#[derive(Debug)]
pub struct Answered {
    /// The result's name.
    pub result_id: ResultId,
    /// What happened.
    pub evidence: Evidence,
}

/// A request that may be executed.
#[derive(Debug)]
struct Authorized {
    planned: Box<dyn Planned>,
    evidence: Evidence,
}

/// Reads a claimed request.
pub fn read(context: &Context, claimed: &Claimed) -> Result<Request, Vec<Reason>> {
    let claim = &claimed.claim;
    let latest = (context.clock)() + context.config.inbox.clock_skew();
    request::read(&claimed.bytes, claim.form, claim.request_id.as_str(), latest)
}

/// Carries out a claimed request that was read, well or not.
pub fn carry_out(
    context: &Context,
    claimed: Claimed,
    request: Result<Request, Vec<Reason>>,
) -> Result<Answered, Fault> {
    let occasion = context.occasion();
    let request = match request {
        Ok(request) => request,
        Err(reasons) => return refuse(context, claimed, None, reasons, occasion),
    };
    match authorize(context, &claimed, &request, occasion)? {
        Ok(authorized) => execute(context, claimed, &request, authorized),
        Err(reasons) => refuse(context, claimed, Some(&request), reasons, occasion),
    }
}

/// Decides whether a request may be executed; touches nothing. The outer error is the world's.
fn authorize(
    context: &Context,
    claimed: &Claimed,
    request: &Request,
    occasion: Occasion,
) -> Result<Result<Authorized, Vec<Reason>>, Fault> {
    let mut reasons: Vec<Reason> = request.expired(occasion.now).into_iter().collect();
    let inputs = Inputs::of(claimed);
    let verified = inputs.check(request)?.unwrap_or_else(|differences| {
        reasons.extend(differences);
        false
    });
    let planned = lane::plan(context, request, &inputs, &occasion.scan_id())?;
    let minimum = planned.as_ref().map_or(Some(SandboxLevel::None), |planned| planned.sandbox_minimum());
    let fault = context.sandbox_fault.as_deref();
    reasons.extend(minimum.and_then(|minimum| policy::sandbox(context.sandbox_level, fault, minimum).err()));
    let needs_approval =
        planned.as_ref().map_or(!matches!(request.lane, Lane::Clad(_)), |planned| planned.needs_approval());
    let approvals = if needs_approval {
        let latest = occasion.now + context.config.inbox.clock_skew();
        policy::approvals(context.config.approval.mode, request.declared_approval.as_ref(), latest)
    } else {
        Ok(Vec::new())
    };
    match (planned, approvals) {
        (Ok(planned), Ok(approvals)) if reasons.is_empty() => {
            let mut evidence = evidence::begin(claimed, Some(request), occasion, &context.kernel);
            planned.describe(&mut evidence);
            evidence.approvals = approvals;
            if verified && evidence.completeness == Completeness::Inferred {
                evidence.completeness = Completeness::Verified;
            }
            Ok(Ok(Authorized { planned, evidence }))
        }
        (planned, approvals) => {
            reasons.extend(planned.err().into_iter().flatten());
            reasons.extend(approvals.err());
            Ok(Err(reasons))
        }
    }
}

fn execute(context: &Context, claimed: Claimed, request: &Request, authorized: Authorized) -> Result<Answered, Fault> {
    let Authorized { planned, mut evidence } = authorized;
    let mut draft = evidence.clone();
    draft.error = Some(evidence::interrupted(&evidence.tool));
    // Whatever was running when nothing more was heard of it was held by this.
    if draft.sandbox.launcher.is_none() {
        draft.sandbox.clone_from(&context.enforced);
    }
    if request.network != Network::None {
        "allowlist".clone_into(&mut draft.network.used);
        draft
            .anomalies
            .push("The tool had a network, and what it reached before it was interrupted is not known.".to_owned());
    }
    let start = Start {
        evidence: draft,
        manifest: planned.manifest().map(str::to_owned),
        outputs_expected: request.outputs_expected.clone(),
        idempotent: planned.is_idempotent(),
        has_secrets: planned.has_secrets(),
    };
    let running = Running::start(&context.site, claimed, start)?;
    let staging = Staging::fresh(&context.site, &running.claimed.claim.request_id)?;
    let work = running.work();
    fs::create_dir(&work).on("create", &work)?;
    match fs::rename(running.claimed.folder.join(INPUTS), work.join(INPUTS)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        moved => moved.on("move the inputs to", &work)?,
    }
    let output_file = planned.execute(context, &Place { work: &work, staging: &staging }, &mut evidence)?;
    // Of a tool that did not start nothing was expected.
    if evidence.error.as_ref().is_none_or(|error| error.code != "SPAWN_FAILED") {
        staging.compare(&request.outputs_expected, output_file, &mut evidence.anomalies)?;
    }
    answer(context, running, staging, evidence, output_file)
}

fn refuse(
    context: &Context,
    claimed: Claimed,
    request: Option<&Request>,
    reasons: Vec<Reason>,
    occasion: Occasion,
) -> Result<Answered, Fault> {
    let mut evidence = evidence::begin(&claimed, request, occasion, &context.kernel);
    evidence.error = Some(evidence::refusal(reasons, claimed.claim.request_id.as_str()));
    let start = Start { evidence, manifest: None, outputs_expected: Vec::new(), idempotent: false, has_secrets: false };
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
    evidence: Evidence,
    output_file: Option<&str>,
) -> Result<Answered, Fault> {
    let (result_id, evidence) = staging
        .seal(
            Materials {
                evidence,
                request: (&running.claimed.bytes, record::request_file(running.claimed.claim.form)),
                manifest: running.start.manifest.as_deref(),
                outputs_expected: &running.start.outputs_expected,
                output_file,
            },
            (context.clock)(),
        )?
        .publish(&context.site)?;
    finish(context, running)?;
    Ok(Answered { result_id, evidence })
}

/// What follows the publication: the original of a refused request goes to quarantine, the request to done.
fn finish(context: &Context, running: Running) -> Result<(), Fault> {
    let reasons = running.start.evidence.error.as_ref().map(|error| error.reasons.as_slice()).unwrap_or_default();
    let id = running.claimed.claim.request_id.as_str();
    let digest = running.claimed.claim.request_sha256;
    if !reasons.is_empty() && !is_quarantined(&context.site, id, digest) {
        let request = Contents::Bytes(&running.claimed.bytes, record::request_file(running.claimed.claim.form));
        let inputs = running.claimed.folder.join(INPUTS);
        let moved = inputs.is_dir().then_some(Contents::Move(&inputs, INPUTS));
        let contents: Vec<Contents<'_>> = std::iter::once(request).chain(moved).collect();
        quarantine(&context.site, id, Some(digest), reasons, (context.clock)(), &contents)?;
    }
    running.finish(&context.site)
}

/// What became of a request that was found in the state folders.
#[derive(Debug)]
pub enum Resumed {
    /// It is still to be carried out.
    Claimed(Claimed),
    /// It was answered now.
    Answered(Box<Answered>),
    /// Its answer had been published; it is done now.
    Finished,
}

/// Takes up a request where a crash or a fault left it. `published` says whose answers are out already.
pub fn resume(
    context: &Context,
    id: &RequestId,
    state: State,
    published: impl Fn(&RequestId) -> bool,
) -> Result<Resumed, Fault> {
    if state == State::Claimed {
        return recovery::claimed(&context.site, id).map(Resumed::Claimed);
    }
    let claimed = recovery::running(&context.site, id)?;
    let start: Start = record::read(&claimed.folder.join(record::START_FILE))?;
    let running = Running { claimed, start };
    if published(id) {
        finish(context, running)?;
        return Ok(Resumed::Finished);
    }
    if running.start.idempotent {
        return running.back_to_claimed(&context.site).map(Resumed::Claimed);
    }
    let mut evidence = running.start.evidence.clone();
    if evidence.error.as_ref().is_some_and(|error| error.code == "INTERRUPTED") {
        evidence.stop_reason = gatepost_documents::evidence::StopReason::Cancelled;
        evidence.anomalies.push("The end of the run was not seen; it may have had effects.".to_owned());
    }
    let staging = Staging::existing(&context.site, id);
    if running.start.has_secrets {
        staging.withhold_streams()?;
        evidence.anomalies.push("Its output is not kept: secrets in it could not be masked.".to_owned());
    }
    answer(context, running, staging, evidence, None).map(|answered| Resumed::Answered(Box::new(answered)))
}
