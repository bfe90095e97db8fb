//! Whether the site's policies and its people let a request run.
//!
//! Beside the policies stands what holds whatever they say: a command line, a program, and a tool that demands it or whose risk is
//! medium or above need an approval.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use gatepost_documents::evidence::{self, Approval, EnforcedLevel, PolicyDecision};
use gatepost_documents::reason::Reason;
use gatepost_signatures::Namespace;

use super::demands::{Asked, Unmet};
use super::proofs::{Proofs, Signatories};
use crate::context::Context;
use crate::policy::{self, Decision, PolicySet, Question, Subject};
use crate::request::Request;

/// People whom nobody listed: as many as a policy could ask for.
const UNLISTED: [&str; 4] = ["a first person", "a second person", "a third person", "a fourth person"];

/// A request, and what people did for it.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// What was read.
    pub request: &'a Request,
    /// How many people must approve whatever policies say.
    pub approvers: u32,
    /// What its signatures prove.
    pub proofs: &'a Proofs,
    /// Whose signatures would count.
    pub signatories: &'a Signatories,
    /// When it was claimed.
    pub claimed: DateTime<Utc>,
    /// The present time.
    pub now: DateTime<Utc>,
}

/// A request that its lane could carry out.
#[derive(Debug, Clone, Copy)]
pub struct Applicant<'a> {
    /// What people did for it.
    pub standing: Standing<'a>,
    /// What policies are asked about, and whether the built-in sandbox would hold it.
    pub subject: (Subject<'a>, bool),
}

impl Applicant<'_> {
    /// What policies are asked, with these people's approval.
    pub fn question<'q>(&'q self, context: &Context, approvals: &'q [String]) -> Question<'q> {
        let Standing { request, proofs, now, .. } = self.standing;
        let (subject, built_in) = self.subject;
        let sandbox = if built_in { context.sandbox_level.into() } else { EnforcedLevel::External };
        Question {
            requester: &request.requested_by,
            requester_proved: proofs.requester.is_some(),
            subject,
            network: request.network.destinations(),
            sandbox,
            time: now,
            approvals,
        }
    }

    /// What the policies decide with these approvals, and what more of them would change.
    fn ask(&self, context: &Context, policies: &PolicySet, approvals: &[Approval]) -> Decision {
        let names: Vec<String> = approvals.iter().map(|approval| approval.approved_by.clone()).collect();
        let able = self.standing.able().into_iter();
        // Where too few are listed, it is still people that are missing, and not a policy that denies.
        let could: Vec<String> = able.chain(UNLISTED).map(str::to_owned).collect();
        policies.decide(&self.question(context, &names), &could)
    }

    /// The approvals that hold, and what the policies decide with them.
    pub fn decide(&self, context: &Context, policies: &PolicySet) -> (Vec<Approval>, Decision) {
        let Standing { request, approvers, proofs, .. } = self.standing;
        let declared = policy::declared_approval(context.config.approval.mode, request);
        let signed = proofs.approvals.clone();
        let decision = self.ask(context, policies, &signed);
        // A declaration counts for what needs one, and else says nothing.
        let is_needed = approvers > 0 || decision.kind() == PolicyDecision::NeedsApproval;
        let is_new = |declared: &Approval| !signed.iter().any(|signed| signed.approved_by == declared.approved_by);
        match declared.filter(|declared| is_needed && is_new(declared)) {
            None => (signed, decision),
            Some(declared) => {
                let held: Vec<Approval> = signed.into_iter().chain([declared]).collect();
                let decision = self.ask(context, policies, &held);
                (held, decision)
            }
        }
    }

    /// Those whose approval would be the last one that the policies wait for.
    fn able_to_settle(&self, context: &Context, policies: &PolicySet, held: &[Approval]) -> BTreeSet<&str> {
        let names: Vec<String> = held.iter().map(|approval| approval.approved_by.clone()).collect();
        let settles = |name: &&str| {
            let with: Vec<String> = names.iter().cloned().chain([(*name).to_owned()]).collect();
            policies.decide(&self.question(context, &with), &[]).kind() == PolicyDecision::Permitted
        };
        self.standing.able().into_iter().filter(settles).collect()
    }

    /// The approvals that hold, and what the policies say with them; or why it may not run now.
    pub fn permission(
        &self,
        context: &Context,
        policies: &PolicySet,
    ) -> Result<(Vec<Approval>, evidence::Policy), Unmet> {
        let (approvals, decision) = self.decide(context, policies);
        let mut refused = Vec::new();
        if decision.kind() == PolicyDecision::Denied {
            refused.extend(decision.reason());
        }
        let (needed, able) = match &decision {
            Decision::NeedsApproval { missing, .. } if missing.len() == 1 => {
                (1, self.able_to_settle(context, policies, &approvals))
            }
            Decision::NeedsApproval { missing, .. } => (missing.len(), self.standing.able()),
            Decision::Permitted { .. } | Decision::Denied { .. } => (0, self.standing.able()),
        };
        let asked = Asked { standing: self.standing, config: &context.config, approvals: &approvals, needed, able };
        match asked.check() {
            Ok(()) if refused.is_empty() => Ok((approvals, decision.evidence(policies.sha256()))),
            Err(Unmet::Waits(waiting)) if refused.is_empty() => Err(Unmet::Waits(waiting)),
            Err(Unmet::Refused(reasons)) => Err(Unmet::Refused(refused.into_iter().chain(reasons).collect())),
            Ok(()) | Err(Unmet::Waits(_)) => Err(Unmet::Refused(refused)),
        }
    }
}

impl<'a> Standing<'a> {
    /// Who may approve.
    fn able(&self) -> BTreeSet<&'a str> {
        self.signatories.able(Namespace::Approval, self.now)
    }

    /// What people could not mend of a request whose lane found nothing to run, so that all that is wrong is said at once.
    pub fn faults(&self, context: &Context) -> Vec<Reason> {
        let declared = policy::declared_approval(context.config.approval.mode, self.request);
        let approvals: Vec<Approval> = self.proofs.approvals.iter().cloned().chain(declared).collect();
        let able = self.able();
        let asked = Asked { standing: *self, config: &context.config, approvals: &approvals, needed: 0, able };
        match asked.check() {
            Err(Unmet::Refused(reasons)) => reasons,
            Ok(()) | Err(Unmet::Waits(_)) => Vec::new(),
        }
    }
}
