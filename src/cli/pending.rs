//! A waiting request for its approvers: what exactly would run, the missing approvals, and the bytes to sign.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, Utc};
use gatepost_contract::request::Input;
use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::{Approval, Limits, Policy, PolicyDecision};
use gatepost_documents::text::quoted_name;
use gatepost_exec::authorize::{Applicant, Permission, Signed, Unmet};
use gatepost_exec::context::Context;
use gatepost_exec::inputs::Inputs;
use gatepost_exec::lane;
use gatepost_exec::lane::run_outcome::Invocation;
use gatepost_exec::mailbox::decision::{self, Kind};
use gatepost_exec::mailbox::record::{self, State};
use gatepost_exec::mailbox::{recovery, signatures};
use gatepost_exec::pipeline;
use gatepost_exec::policy::Subject;
use gatepost_exec::review::{self, SCAN_ID};
use gatepost_exec::step_error::StepError;
use gatepost_mailbox::life::{Progress, RequestState, Results, shown_name};
use gatepost_mailbox::record::Waiting;
use gatepost_mailbox::user;

use crate::cli::prelude::*;

/// How long a claimed request may take until it waits again, while a watcher decides anew.
const DECIDED_WITHIN: Duration = Duration::from_secs(2);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// A request that waits.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Pending {
    pub request_id: String,
    /// When TOOL-EXEC refuses it if nobody decides.
    #[schemars(with = "String")]
    pub until: DateTime<Utc>,
    requested_by: String,
    /// The requester that a signature proves.
    #[serde(skip_serializing_if = "Option::is_none")]
    proved: Option<String>,
    /// The owner of the dropped file.
    dropped_by: String,
    purpose: String,
    run: Option<Run>,
    /// Faults that keep it from running, regardless of approvals.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    faults: Vec<Reason>,
    network: Vec<String>,
    inputs: Vec<InputFile>,
    /// The decision of the site's policies so far.
    policy: Option<Policy>,
    approvals: Vec<Approval>,
    missing: Vec<Reason>,
    /// A decision that TOOL-EXEC has not answered yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Kind>,
    /// The folder of its files.
    path: PathBuf,
    request_sha256: Digest,
    /// The bytes to sign, as text.
    document: String,
    /// What an approver reads: what would run, and the document.
    pub review: String,
    /// Its digest, which the evidence of the run has too.
    pub review_sha256: Digest,
    /// Why an approval of these people would not count.
    #[serde(skip)]
    pub refused: BTreeMap<String, Reason>,
    #[serde(skip)]
    pub bytes: Vec<u8>,
    #[serde(skip)]
    pub file_name: String,
}

/// What would run.
#[derive(Debug, Serialize, JsonSchema)]
struct Run {
    tool: String,
    tool_version: String,
    argv: Vec<String>,
    /// The interactions of a session, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<String>,
    limits: Limits,
}

#[derive(Debug, Serialize, JsonSchema)]
struct InputFile {
    name: String,
    sha256: Digest,
}

impl Pending {
    /// Whether this person approved it.
    pub(super) fn is_approved_by(&self, person: &str) -> bool {
        self.approvals.iter().any(|approval| approval.approved_by == person)
    }

    /// Reads a waiting request.
    pub(super) fn read(context: &Context, id: &RequestId) -> Result<Self, Failure> {
        let site = &context.site;
        expect(site, id)?;
        let (claimed, waiting) = (recovery::pending(site, id)?, Waiting::read(site, id)?);
        let request = pipeline::read(context, &claimed)
            .map_err(|reasons| Failure::refused(ErrorCode::DocumentRejected, id.as_str(), reasons))?;
        let inputs = Inputs::claimed(&claimed);
        let (received, now) = (signatures::read(&claimed.folder)?, (context.clock)());
        let since = claimed.claim.claimed_utc.parse().unwrap_or(now);
        let signed = Signed::read(site, &request, (&claimed.bytes, &received), since, now)?;
        let network = request.network.destinations().iter().map(ToString::to_string).collect();
        let mut found = Found { missing: waiting.missing, network, ..Found::default() };
        let review_of = |planned| review::text(&request, &claimed.bytes, planned, SCAN_ID);
        match lane::plan(context, &request, &inputs, SCAN_ID) {
            Err(StepError::Fault(fault)) => return Err(fault.into()),
            Err(StepError::Refused(reasons)) => (found.faults, found.review) = (reasons, review_of(None)),
            Ok(planned) => {
                found.review = review_of(Some(planned.as_ref()));
                let proposal = planned.proposal();
                found.evaluate(context, &signed.applicant(&proposal))?;
                let Invocation { tool, tool_version, argv, limits, .. } = planned.invocation();
                found
                    .network
                    .extend(proposal.subjects.iter().take(1).flat_map(Subject::targets).map(ToString::to_string));
                found.run = Some(Run { tool, tool_version, argv, lines: planned.lines(), limits });
            }
        }
        let Found { review, run, network, policy, faults, missing, approvals, refused } = found;
        let uid = claimed.claim.uid;
        Ok(Self {
            request_id: id.to_string(),
            until: waiting.until,
            proved: signed.proofs.requester.map(|(name, _)| name),
            dropped_by: user::name(uid).unwrap_or_else(|| format!("user {uid}")),
            network,
            inputs: request.inputs.iter().map(input).collect(),
            requested_by: request.requested_by,
            purpose: request.purpose,
            run,
            faults,
            policy,
            approvals,
            missing,
            decision: decision::ordered_of(site, id),
            path: claimed.folder,
            refused,
            request_sha256: claimed.claim.request_sha256,
            document: String::from_utf8_lossy(&claimed.bytes).into_owned(),
            review_sha256: review::digest(&review),
            review,
            file_name: format!("{id}.{}", claimed.claim.form.extension()),
            bytes: claimed.bytes,
        })
    }
}

/// Facts about a waiting request.
#[derive(Default)]
struct Found {
    review: String,
    run: Option<Run>,
    network: Vec<String>,
    policy: Option<Policy>,
    faults: Vec<Reason>,
    missing: Vec<Reason>,
    approvals: Vec<Approval>,
    refused: BTreeMap<String, Reason>,
}

impl Found {
    /// The current decision of the policies, and the people who may approve.
    fn evaluate(&mut self, context: &Context, asking: &Applicant<'_>) -> Result<(), Failure> {
        let policies = context.policies()?;
        let Permission { policy, approvals, .. } = asking.permission(context, &policies);
        self.missing.clear();
        match approvals {
            Ok(_) => {}
            Err(Unmet::Waits(waiting)) => self.missing = waiting.missing,
            Err(Unmet::Refused(reasons)) => self.faults = reasons,
        }
        self.approvals = asking.decide(context, &policies).0;
        // In learn mode the policies exclude no approver.
        let people = asking.standing.able().into_iter().filter(|_| !context.config.policy.is_learning());
        for name in people {
            let decision = asking.with(context, &policies, &self.approvals, name);
            let reason = decision.reason().filter(|_| decision.kind() == PolicyDecision::Denied);
            self.refused.extend(reason.map(|reason| (name.to_owned(), reason)));
        }
        self.policy = Some(policy);
        Ok(())
    }
}

/// Checks that a request waits; waits for a decision in progress.
pub(super) fn expect(site: &Site, id: &RequestId) -> Result<(), Failure> {
    let began = Instant::now();
    loop {
        match record::locate(site, id)? {
            None => return Err(unclaimed(site, id)?),
            Some((State::Pending, _)) => return Ok(()),
            Some((State::Claimed, _)) if began.elapsed() < DECIDED_WITHIN => thread::sleep(LOOK_AGAIN),
            Some((state, _)) => return Err(not_pending(id, state)),
        }
    }
}

/// Checks that a request was dropped and is not answered.
pub(super) fn expect_unanswered(site: &Site, id: &RequestId) -> Result<(), Failure> {
    let is_dropped = record::dropped(site, id).is_some();
    match record::locate(site, id)? {
        None if is_dropped => Ok(()),
        None => Err(unclaimed(site, id)?),
        Some((state @ State::Done, _)) => Err(not_pending(id, state)),
        Some(_) => Ok(()),
    }
}

/// Checks that TOOL-EXEC has no record of a request: it is in the inbox, or unknown.
fn unclaimed(site: &Site, id: &RequestId) -> Result<Failure, Fault> {
    let Some(Progress { state: RequestState::Dropped, path, .. }) = Results::of(site, id)?.progress(site, id)? else {
        return Ok(super::show::unknown(site, id));
    };
    let message = format!("The request {id} is still in the inbox, so there is nothing to decide yet.");
    let hint =
        format!("Wait until `gatepost exec` claims it, or remove {} to take it back.", quoted_name(path.as_os_str()));
    let failure = Failure::new(ErrorCode::ConcurrentModification, FailureKind::Usage, message, hint);
    Ok(Failure { retryable: true, ..failure.during("decide", id.as_str()) })
}

/// The failure for a request that cannot be decided.
fn not_pending(id: &RequestId, state: State) -> Failure {
    let (what, hint) = match state {
        State::Done => ("was answered", "Its result is final; `gatepost show` shows it."),
        State::Running => ("is running", "It can no longer be approved or denied; `gatepost cancel` stops it."),
        State::Claimed | State::Pending => (
            "is being checked or waits for a worker",
            "If it needs people, it becomes pending in a moment: try again then. Otherwise it runs when a worker is free; \
             `gatepost cancel` withdraws it.",
        ),
    };
    let message = format!("The request {id} {what} and needs no decision.");
    Failure::new(ErrorCode::ConcurrentModification, FailureKind::Usage, message, hint).during("decide", id.as_str())
}

fn input(input: &Input) -> InputFile {
    InputFile { name: input.name.clone(), sha256: input.sha256 }
}

impl Pending {
    /// The text for an approver.
    pub(super) fn described(&self) -> String {
        let until = self.until.to_rfc3339_opts(SecondsFormat::Secs, true);
        let proof = match &self.proved {
            Some(_) => "proved by a signature",
            None => "(unverified)",
        };
        let state = match self.decision {
            None => format!("pending until {until}"),
            Some(decision) => format!("{}, which TOOL-EXEC has not answered yet", decision.done()),
        };
        let mut text = format!("State:     {state}\n");
        text += &format!("Requester: {proof}; dropped by {}\n", shown_name(&self.dropped_by));
        for fault in &self.faults {
            text += &format!("Fault:     {}\n", fault.message);
        }
        if let Some(policy) = &self.policy {
            let decision = match policy.decision {
                PolicyDecision::Permitted => "permitted by",
                PolicyDecision::NeedsApproval => "once it is approved, permitted by",
                PolicyDecision::Denied => "denied by",
            };
            text += &format!("Policy:    {decision} {}\n", policy.policies.join(", "));
        }
        text += &format!("Files:     {}\n", self.path.display());
        for approval in &self.approvals {
            text += &format!("Approved:  by {} at {}\n", approval.approved_by, approval.approved_utc);
        }
        for missing in &self.missing {
            text += &format!("Waits for: {}\n", missing.message);
        }
        text + &format!("Shown:     sha256:{}\n\n{}", self.review_sha256, self.review)
    }

    /// The facts of the run, without the document.
    pub(super) fn facts(&self) -> &str {
        self.review.split_once("\n\n").map_or(&self.review, |(facts, _)| facts)
    }
}

impl View for Pending {
    fn text(&self) -> String {
        let text = self.described();
        if self.decision.is_some() || self.missing.iter().all(|reason| reason.code != Code::ApprovalMissing) {
            return text;
        }
        text + &format!(
            "\nNext:      gatepost approve {0}\n           gatepost deny {0} --reason \"…\"\n",
            self.request_id
        )
    }
}
