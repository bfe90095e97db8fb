//! `gatepost policy explain`: one request as the policies see it, on one screen.
//!
//! *Security*: requests are hostile input; names and values are shown as escaped JSON.

use std::path::{Path, PathBuf};

use chrono::Utc;
use gatepost_contract::request::REQUEST_BYTES_MAX;
use gatepost_contract::request::{self, Form, Request};
use gatepost_documents::escape::ascii_json;
use gatepost_documents::evidence::PolicyDecision;
use gatepost_documents::text::without_quotations;
use gatepost_exec::authorize::Signed;
use gatepost_exec::context::Context;
use gatepost_exec::lane;
use gatepost_exec::mailbox::record;
use gatepost_exec::mailbox::signatures::{self, Received};
use gatepost_exec::policy::{Decision, Listed, Question};
use gatepost_exec::step_error::StepError;
use gatepost_mailbox::regular_file;
use serde_json::Value;

use super::{Declared, valid};
use crate::cli::prelude::*;
use crate::cli::show::unknown;
use crate::cli::submit::request_form;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A request: a file (TR-….md, TR-….json), or the id of one of this site.
    request: String,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct Explained {
    request_id: String,
    /// The values come from a requester.
    _trusted: bool,
    principal: String,
    action: String,
    resource: String,
    /// The context of the policies, sensitive values left out.
    context: Value,
    /// The decision on each interaction of a session.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    interactions: Vec<Part>,
    decision: PolicyDecision,
    /// The policies that decided.
    policies: Vec<Listed>,
    /// The policies that would have permitted it without those.
    overruled: Vec<Listed>,
    errors: Vec<String>,
    /// Whether an approval is needed regardless of the policies.
    needs_approval: bool,
    /// How many more approvals are needed, by the policies or regardless of them.
    approvals_missing: usize,
    policies_sha256: Digest,
}

/// One part of the request.
#[derive(Serialize, JsonSchema)]
struct Part {
    action: String,
    resource: String,
    arguments: Value,
    decision: PolicyDecision,
    policies: Vec<Listed>,
}

impl View for Explained {
    fn text(&self) -> String {
        let mut text = format!(
            "Request:    {}\nPrincipal:  {}\nAction:     {}\nResource:   {}\n\nContext:\n",
            self.request_id, self.principal, self.action, self.resource
        );
        let mut facts = Vec::new();
        flatten("context", &self.context, &mut facts);
        let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
        for (name, value) in facts {
            text += &format!("  {name:<width$}  {value}\n");
        }
        for (number, part) in (1..).zip(&self.interactions) {
            let Part { action, resource, arguments, decision, policies } = part;
            text += &format!("\nInteraction {number}\n  Action:    {action}\n  Resource:  {resource}\n");
            text += &format!("  Arguments: {}\n  Decision:  {decision}\n{}", ascii_json(arguments), lines(policies));
        }
        text += &format!("\nDecision:   {}\n{}", self.decided(), lines(&self.policies));
        if !self.overruled.is_empty() {
            text += &format!(
                "            These would permit it, but a forbidding policy wins:\n{}",
                lines(&self.overruled)
            );
        }
        for error in &self.errors {
            text += &format!("            {error}\n");
        }
        text + &format!("Approvals:  {}\n", self.approvals())
    }
}

/// Every fact on its own line, named as in policies.
fn flatten(name: &str, value: &Value, facts: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            members.iter().for_each(|(key, value)| flatten(&format!("{name}.{key}"), value, facts));
        }
        value => facts.push((name.to_owned(), ascii_json(value))),
    }
}

fn lines(policies: &[Listed]) -> String {
    let line = |policy: &Listed| format!("            {} {policy}\n", policy.effect);
    policies.iter().map(line).collect()
}

impl Explained {
    fn decided(&self) -> &'static str {
        match (self.decision, self.policies.is_empty(), self.errors.is_empty()) {
            (PolicyDecision::Permitted, ..) => "permitted by",
            (PolicyDecision::NeedsApproval, ..) => "needs an approval; then it is permitted by",
            (PolicyDecision::Denied, false, _) => "denied by",
            (PolicyDecision::Denied, true, false) => "denied, because policies could not be evaluated",
            (PolicyDecision::Denied, true, true) => "denied: no policy permits it",
        }
    }

    fn approvals(&self) -> String {
        let count = match self.approvals_missing {
            0 => "no more are needed".to_owned(),
            1 => "one more is needed".to_owned(),
            count => format!("{count} more are needed"),
        };
        match self.decision {
            PolicyDecision::Denied => "would change nothing".to_owned(),
            PolicyDecision::Permitted if self.approvals_missing > 0 => {
                format!("{count}, required by the lane, the risk or the manifest regardless of the policies")
            }
            PolicyDecision::Permitted | PolicyDecision::NeedsApproval => count,
        }
    }
}

pub(super) fn run(open: Open, arguments: &Arguments) -> Result<Outcome, Failure> {
    let set = valid(&open)?;
    let Found { request, bytes, received } = find(&open, &arguments.request)?;
    let mut context = Context::new(open.site, open.config)?;
    context.try_sandbox()?;
    let now = Utc::now();
    let plan = lane::check(&context, &request, &Declared(&request.inputs)).map_err(|error| match error {
        StepError::Fault(fault) => fault.into(),
        StepError::Refused(reasons) => {
            Failure::not_authorized("The request, before policy evaluation", unquoted(reasons))
        }
    })?;
    let signed = Signed::read(&context.site, &request, (&bytes, &received), now, now)?;
    let proposal = plan.proposal();
    let applicant = signed.applicant(&proposal);
    let (approvals, decision) = applicant.decide(&context, &set);
    let names: Vec<String> = approvals.into_iter().map(|approval| approval.approved_by).collect();
    let mut questions = applicant.questions(&context, &names);
    let question = questions.next().ok_or_else(|| Failure::usage("The request asks for nothing.".to_owned(), ""))?;
    let [principal, action, resource] = question.entities();
    let part = |question: Question<'_>| {
        let [_, action, resource] = question.entities();
        let decision = applicant.ask_one(&set, &question);
        let arguments = question.shown()["arguments"].take();
        Part { action, resource, arguments, decision: decision.kind(), policies: decision.policies().to_vec() }
    };
    let approvers = usize::try_from(proposal.approvers).unwrap_or(usize::MAX);
    let (overruled, errors) = match &decision {
        Decision::Denied { overruled, errors, .. } => (overruled.clone(), errors.clone()),
        _ => (Vec::new(), Vec::new()),
    };
    Ok(Outcome::done(&Explained {
        request_id: request.id.to_string(),
        _trusted: false,
        principal,
        action,
        resource,
        context: question.shown(),
        interactions: questions.map(part).collect(),
        decision: decision.kind(),
        policies: decision.policies().to_vec(),
        overruled,
        errors,
        needs_approval: approvers > 0,
        approvals_missing: decision.missing().max(approvers.saturating_sub(names.len())),
        policies_sha256: set.sha256(),
    }))
}

/// A request with its signatures here.
struct Found {
    request: Request,
    bytes: Vec<u8>,
    received: Vec<Received>,
}

/// The request of a file, or of an id.
fn find(open: &Open, text: &str) -> Result<Found, Failure> {
    let file = Path::new(text);
    let (path, form, stem, received) = if file.is_file() {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (file.to_owned(), request_form(file)?, stem, Vec::new())
    } else {
        if [".md", ".json"].iter().any(|end| text.ends_with(end)) {
            let message = format!("There is no file {}.", quoted(text));
            return Err(Failure::usage(message, "Name a request document, or the id of a request of the site."));
        }
        let id = identifier::request(&open.site, text)?;
        let (path, form, received) = of_site(&open.site, &id)?.ok_or_else(|| unknown(&open.site, &id))?;
        (path, form, id.to_string(), received)
    };
    let bytes = regular_file::read(&path, REQUEST_BYTES_MAX as u64).on("read", &path)?;
    let request = request::read(&bytes, form, &stem, Utc::now() + open.config.inbox.clock_skew())
        .map_err(|reasons| Failure::refused(ErrorCode::SchemaViolation, text, unquoted(reasons)))?;
    Ok(Found { request, bytes, received })
}

/// The same reasons without strangers' words: messages are the program's own.
fn unquoted(reasons: Vec<Reason>) -> Vec<Reason> {
    reasons.into_iter().map(|reason| Reason { message: without_quotations(&reason.message), ..reason }).collect()
}

/// The private copy of a claimed request with its signatures, or the unchecked drop in the inbox.
fn of_site(site: &Site, id: &RequestId) -> Result<Option<(PathBuf, Form, Vec<Received>)>, Failure> {
    if let Some((state, claim)) = record::locate(site, id)? {
        let folder = state.folder(site).join(id.as_str());
        let received = signatures::read(&folder)?;
        return Ok(Some((folder.join(record::request_file(claim.form)), claim.form, received)));
    }
    let inbox = site.inbox();
    let drops = [
        (inbox.join(format!("{id}.md")), Form::Markdown),
        (inbox.join(format!("{id}.json")), Form::Json),
        (inbox.join(id.as_str()).join(format!("{id}.md")), Form::Markdown),
    ];
    let dropped = drops.into_iter().find(|(path, _)| path.is_file());
    Ok(dropped.map(|(path, form)| (path, form, Vec::new())))
}
