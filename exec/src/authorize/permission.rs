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

/// Placeholders for unlisted people: as many as a policy could need.
const UNLISTED: [&str; 4] = ["a first person", "a second person", "a third person", "a fourth person"];

/// A request with its signatures.
#[derive(Debug, Clone, Copy)]
pub struct Standing<'a> {
    /// The parsed request.
    pub request: &'a Request,
    /// How many people must approve, independent of policies.
    pub approvers: u32,
    /// The proofs from its signatures.
    pub proofs: &'a Proofs,
    /// The people whose signatures count.
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
    /// Whether it would run in the built-in sandbox.
    pub built_in: bool,
    /// What the site's scope would refuse, in learn mode.
    pub out_of_scope: &'a [NotEnforced],
}

/// The policies' decision on a request, and its consequences.
#[derive(Debug)]
pub struct Permission {
    /// The decision.
    pub policy: evidence::Policy,
    /// What learn mode does not enforce; absent in mode `enforce`.
    pub learn: Option<Learn>,
    /// The approvals with which it may run now, or why it may not.
    pub approvals: Result<Vec<Approval>, Unmet>,
}

impl Applicant<'_> {
    /// The questions to the policies, with these approvals; one for each subject.
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

    /// The policies' decision with these approvals, and the effect of further ones.
    fn ask(&self, context: &Context, policies: &PolicySet, approvals: &[Approval]) -> Decision {
        let names: Vec<String> = approvals.iter().map(|approval| approval.approved_by.clone()).collect();
        self.ask_of_each(context, policies, &names)
    }

    /// The same; the request is permitted if each part is.
    fn ask_of_each(&self, context: &Context, policies: &PolicySet, approvals: &[String]) -> Decision {
        Decision::of_all(self.questions(context, approvals).map(|question| self.ask_one(policies, &question)))
    }

    /// The same for one part.
    pub fn ask_one(&self, policies: &PolicySet, question: &Question<'_>) -> Decision {
        policies.decide(question, &self.others())
    }

    /// The policies' decision on each part with these approvals, for the evidence.
    pub fn of_each(&self, context: &Context, policies: &PolicySet, approvals: &[Approval]) -> Vec<evidence::Policy> {
        let names: Vec<String> = approvals.iter().map(|approval| approval.approved_by.clone()).collect();
        let decisions = self.questions(context, &names).map(|question| self.ask_one(policies, &question));
        decisions.map(|decision| decision.evidence(policies.sha256())).collect()
    }

    /// The possible further approvers. Placeholders fill the list, so too few listed people are a missing approval and no denial.
    fn others(&self) -> Vec<String> {
        self.standing.able().into_iter().chain(UNLISTED).map(str::to_owned).collect()
    }

    /// The signed approvals that count, and the decision with them. An approval that turns the decision into a denial
    /// does not count, so no approval ends a request that another person may still approve.
    fn counting(&self, context: &Context, policies: &PolicySet) -> (Vec<Approval>, Decision) {
        let mut given = (Vec::new(), self.ask(context, policies, &[]));
        for approval in &self.standing.proofs.approvals {
            let with = [&given.0[..], slice::from_ref(approval)].concat();
            let decision = self.ask(context, policies, &with);
            let is_refused = decision.kind() == PolicyDecision::Denied && given.1.kind() != PolicyDecision::Denied;
            if !is_refused || context.config.policy.is_learning() {
                given = (with, decision);
            }
        }
        given
    }

    /// The valid approvals, and the decision with them.
    pub fn decide(&self, context: &Context, policies: &PolicySet) -> (Vec<Approval>, Decision) {
        let Standing { request, approvers, .. } = self.standing;
        let declared = policy::declared_approval(context.config.approval.mode, request);
        let (signed, decision) = self.counting(context, policies);
        // A declared approval counts only if an approval is needed.
        let is_needed = approvers > 0 || decision.kind() == PolicyDecision::NeedsApproval;
        let is_new = |declared: &Approval| !signed.iter().any(|signed| signed.approved_by == declared.approved_by);
        match declared.filter(|declared| is_needed && is_new(declared)) {
            None => (signed, decision),
            Some(declared) => {
                let given: Vec<Approval> = signed.into_iter().chain([declared]).collect();
                let decision = self.ask(context, policies, &given);
                (given, decision)
            }
        }
    }

    /// The people who may approve next. If one approval is missing, only those whose approval would complete it; never a person whose
    /// approval would make the policies deny it.
    fn able(&self, context: &Context, policies: &PolicySet, given: &[Approval], decision: &Decision) -> BTreeSet<&str> {
        let people = self.standing.able();
        if context.config.policy.is_learning() {
            return people;
        }
        let is_last = matches!(decision, Decision::NeedsApproval { missing, .. } if missing.len() == 1);
        let may = |name: &&str| match self.with(context, policies, given, name).kind() {
            PolicyDecision::Permitted => true,
            PolicyDecision::NeedsApproval => !is_last,
            PolicyDecision::Denied => decision.kind() == PolicyDecision::Denied,
        };
        people.into_iter().filter(may).collect()
    }

    /// The decision with this person's approval added.
    pub fn with(&self, context: &Context, policies: &PolicySet, given: &[Approval], name: &str) -> Decision {
        let names: Vec<String> = given.iter().map(|given| given.approved_by.clone()).chain([name.to_owned()]).collect();
        self.ask_of_each(context, policies, &names)
    }

    /// The decision, and whether the request may run now.
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

    /// The demands that nobody can meet, for a request without a plan, so that one refusal lists all reasons.
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
