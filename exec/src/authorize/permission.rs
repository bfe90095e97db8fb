//! Whether the site's policies and its people let a request run.
//!
//! Some demands hold beside every policy: a command line, a program, and a tool that demands it or whose risk is medium or above need
//! an approval.

use std::collections::BTreeSet;
use std::slice;

use chrono::{DateTime, Utc};
use gatepost_contract::request::Request;
use gatepost_documents::evidence::{self, Approval, EnforcedLevel, Learn, NotEnforced, PolicyDecision};
use gatepost_documents::reason::Reason;
use gatepost_signatures::Namespace;

use super::demands::{Asked, Unmet};
use super::proofs::{Proofs, Signatories};
use crate::context::Context;
use crate::policy::{self, Decision, PolicySet, Question, Subject};

/// People whom nobody listed: as many as a policy could ask for.
const UNLISTED: [&str; 4] = ["a first person", "a second person", "a third person", "a fourth person"];

/// A request, and what people did for it.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// What was read.
    pub request: &'a Request,
    /// How many people must approve, independent of policies.
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
    /// The questions for the policies, at least one.
    pub subjects: &'a [Subject<'a>],
    /// Whether the built-in sandbox would hold it.
    pub built_in: bool,
    /// What the site's scope would refuse, in learn mode.
    pub out_of_scope: &'a [NotEnforced],
}

/// What the policies say of a request, and what follows from it.
#[derive(Debug)]
pub struct Permission {
    /// What they decide.
    pub policy: evidence::Policy,
    /// What learn mode does not enforce; absent in mode `enforce`.
    pub learn: Option<Learn>,
    /// The approvals with which it may run now, or why it may not.
    pub approvals: Result<Vec<Approval>, Unmet>,
}

impl Applicant<'_> {
    /// What policies are asked, with these people's approval; one question a subject.
    pub fn questions<'q>(
        &'q self,
        context: &Context,
        approvals: &'q [String],
    ) -> impl Iterator<Item = Question<'q>> + use<'q> {
        let Standing { request, proofs, now, .. } = self.standing;
        let sandbox = if self.built_in { context.sandbox_level.into() } else { EnforcedLevel::External };
        self.subjects.iter().map(move |&subject| Question {
            requester: &request.requested_by,
            requester_proved: proofs.requester.is_some(),
            subject,
            network: request.network.destinations(),
            sandbox,
            time: now,
            approvals,
        })
    }

    /// What the policies decide with these approvals, and what more of them would change.
    fn ask(&self, context: &Context, policies: &PolicySet, approvals: &[Approval]) -> Decision {
        let names: Vec<String> = approvals.iter().map(|approval| approval.approved_by.clone()).collect();
        self.ask_of_each(context, policies, &names)
    }

    /// The same; what is asked for is permitted when each part of it is.
    fn ask_of_each(&self, context: &Context, policies: &PolicySet, approvals: &[String]) -> Decision {
        Decision::of_all(self.questions(context, approvals).map(|question| self.ask_one(policies, &question)))
    }

    /// The same of one part.
    pub fn ask_one(&self, policies: &PolicySet, question: &Question<'_>) -> Decision {
        policies.decide(question, &self.others())
    }

    /// What the policies decide of each part of it with these approvals, for the evidence.
    pub fn of_each(&self, context: &Context, policies: &PolicySet, approvals: &[Approval]) -> Vec<evidence::Policy> {
        let names: Vec<String> = approvals.iter().map(|approval| approval.approved_by.clone()).collect();
        let decisions = self.questions(context, &names).map(|question| self.ask_one(policies, &question));
        decisions.map(|decision| decision.evidence(policies.sha256())).collect()
    }

    /// Whose approvals could still come. Where too few are listed, it is people that are missing, and not a policy that denies.
    fn others(&self) -> Vec<String> {
        self.standing.able().into_iter().chain(UNLISTED).map(str::to_owned).collect()
    }

    /// The signed approvals that count, and what the policies decide with them. One with which they would deny what they do not deny
    /// without it does not count, so that nobody's approval ends a request that somebody else may still approve.
    fn counting(&self, context: &Context, policies: &PolicySet) -> (Vec<Approval>, Decision) {
        let mut held = (Vec::new(), self.ask(context, policies, &[]));
        for approval in &self.standing.proofs.approvals {
            let with = [&held.0[..], slice::from_ref(approval)].concat();
            let decision = self.ask(context, policies, &with);
            let is_refused = decision.kind() == PolicyDecision::Denied && held.1.kind() != PolicyDecision::Denied;
            if !is_refused || context.config.policy.is_learning() {
                held = (with, decision);
            }
        }
        held
    }

    /// The approvals that hold, and what the policies decide with them.
    pub fn decide(&self, context: &Context, policies: &PolicySet) -> (Vec<Approval>, Decision) {
        let Standing { request, approvers, .. } = self.standing;
        let declared = policy::declared_approval(context.config.approval.mode, request);
        let (signed, decision) = self.counting(context, policies);
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

    /// Those who may give the next approval: where the policies wait for a last one, those whose it could be; and nobody with whose
    /// approval they would deny it.
    fn able(&self, context: &Context, policies: &PolicySet, held: &[Approval], decision: &Decision) -> BTreeSet<&str> {
        let people = self.standing.able();
        if context.config.policy.is_learning() {
            return people;
        }
        let is_last = matches!(decision, Decision::NeedsApproval { missing, .. } if missing.len() == 1);
        let may = |name: &&str| match self.with(context, policies, held, name).kind() {
            PolicyDecision::Permitted => true,
            PolicyDecision::NeedsApproval => !is_last,
            PolicyDecision::Denied => decision.kind() == PolicyDecision::Denied,
        };
        people.into_iter().filter(may).collect()
    }

    /// What the policies decide once this person has approved, too.
    pub fn with(&self, context: &Context, policies: &PolicySet, held: &[Approval], name: &str) -> Decision {
        let names: Vec<String> = held.iter().map(|held| held.approved_by.clone()).chain([name.to_owned()]).collect();
        self.ask_of_each(context, policies, &names)
    }

    /// What the policies say, and whether it may run now.
    pub fn permission(&self, context: &Context, policies: &PolicySet) -> Permission {
        let (approvals, decision) = self.decide(context, policies);
        let learn = context.config.policy.is_learning().then(|| self.not_enforced(&decision));
        let is_enforced = learn.is_none();
        let mut refused = Vec::new();
        if decision.kind() == PolicyDecision::Denied && is_enforced {
            refused.extend(decision.reason());
        }
        let needed = if is_enforced { decision.missing() } else { 0 };
        let lacks_people = needed > 0 || (self.standing.approvers as usize) > approvals.len();
        let able = if lacks_people { self.able(context, policies, &approvals, &decision) } else { BTreeSet::new() };
        let asked = Asked { standing: self.standing, config: &context.config, approvals: &approvals, needed, able };
        let permitted = match asked.check() {
            Ok(()) if refused.is_empty() => Ok(approvals.clone()),
            Err(Unmet::Waits(waiting)) if refused.is_empty() => Err(Unmet::Waits(waiting)),
            Err(Unmet::Refused(reasons)) => Err(Unmet::Refused(refused.into_iter().chain(reasons).collect())),
            Ok(()) | Err(Unmet::Waits(_)) => Err(Unmet::Refused(refused)),
        };
        Permission { policy: decision.evidence(policies.sha256()), learn, approvals: permitted }
    }

    /// What policies and scope would refuse.
    fn not_enforced(&self, decision: &Decision) -> Learn {
        let of_policies = decision.reason().map(|Reason { code, message, .. }| NotEnforced {
            code,
            argument: None,
            interaction: None,
            message,
        });
        Learn { not_enforced: of_policies.into_iter().chain(self.out_of_scope.iter().cloned()).collect() }
    }
}

impl<'a> Standing<'a> {
    /// Who may approve.
    pub fn able(&self) -> BTreeSet<&'a str> {
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
