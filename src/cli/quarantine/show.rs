//! `gatepost quarantine show`

use std::collections::BTreeSet;

use gatepost_documents::reason::Stage;
use gatepost_documents::release::{not_overridden, rejecting};
use gatepost_exec::shell;
use gatepost_mailbox::order::Answer;
use gatepost_mailbox::quarantine::{Item, Record};

use super::facts::{Facts, signed_request};
use super::{Ids, context, find_all};
use crate::cli::prelude::*;

#[derive(Serialize, JsonSchema)]
pub(super) struct Shown {
    /// The values come from a tool or a requester.
    _trusted: bool,
    #[serde(flatten)]
    each: Each<ShownItem>,
}

#[derive(Serialize, JsonSchema)]
struct ShownItem {
    #[serde(flatten)]
    facts: Facts,
    path: std::path::PathBuf,
    reasons: Vec<ShownReason>,
    next: Next,
}

#[derive(Serialize, JsonSchema)]
struct ShownReason {
    #[serde(flatten)]
    reason: Reason,
    /// The rule of its code, as a sentence.
    demands: &'static str,
    /// The lines around the place, escaped.
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
}

/// The next step for an item.
#[derive(Serialize, JsonSchema)]
pub(super) struct Next {
    /// Whether naming the codes in `override` releases it, if the gate judges it as before.
    pub releasable: bool,
    /// The codes that a release must override.
    #[serde(rename = "override")]
    pub overridden: Vec<Code>,
    /// The codes that nobody can override.
    pub in_the_way: Vec<Code>,
    /// What to do, in sentences.
    pub advice: String,
    /// The command that does it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Next {
    /// From the reasons of its refusal.
    pub(super) fn for_item(item: &Item) -> Self {
        Self::by(item, item.reasons(), "why")
    }

    /// From the reasons that prevented its release; `why` is the given reason of the release.
    pub(super) fn after(item: &Item, answer: &Answer, why: &str) -> Self {
        let is_judged = matches!(item.record, Record::Verdict(_)) && !answer.outcome.is_good();
        if is_judged && answer.reasons.is_empty() {
            let advice = format!("It cannot be released by a command. Check it by hand: {}", item.path.display());
            return Self { releasable: false, advice, command: None, ..Self::for_item(item) };
        }
        Self::by(item, &answer.reasons, why)
    }

    fn by(item: &Item, reasons: &[Reason], why: &str) -> Self {
        let (overridden, others): (Vec<Code>, Vec<Code>) =
            rejecting(reasons).into_iter().partition(|code| code.is_overridable());
        let is_cut = others.is_empty() && !not_overridden(reasons, &overridden).is_empty();
        let is_bundle = matches!(item.record, Record::Verdict(_));
        let releasable = is_bundle && item.released.is_none() && others.is_empty() && !is_cut;
        let name = shell::word(&item.name);
        let release = || {
            let names = names(&overridden, ",");
            let overridden = if names.is_empty() { names } else { format!(" --override {names}") };
            // Quoted, so that it looks like a placeholder.
            let why = if why == "why" { "'why'".to_owned() } else { shell::word(why) };
            Some(format!("gatepost quarantine release {name} --reason {why}{overridden}"))
        };
        let (advice, command) = match &item.record {
            _ if item.released.is_some() => ("It was released; nothing is left to do.".to_owned(), None),
            Record::Unreadable(why) => (format!("Check it by hand: {why}."), None),
            Record::Refusal(_) if signed_request(item).is_some() => (
                "This is a signature; its request is not refused because of it. If the request still waits, sign it again, or \
                 tell the signer."
                    .to_owned(),
                None,
            ),
            Record::Refusal(_) => (
                "Nothing ran, so there is nothing to release. Send the requester a note; they can drop the corrected request \
                 under a new id."
                    .to_owned(),
                Some(format!("gatepost quarantine reject-note {name}")),
            ),
            Record::Verdict(_) if is_cut => (
                "It cannot be released: the gate found more than a verdict lists, and nobody can vouch for unlisted findings. \
                 Run the tool again with less output."
                    .to_owned(),
                None,
            ),
            Record::Verdict(_) if releasable => (
                "Review it where nothing acts on it. If CORE may have it, release it: the gate judges it again and records \
                 the override with your user and reason."
                    .to_owned(),
                release(),
            ),
            Record::Verdict(_) if others.iter().all(|code| is_up_to_site(*code)) => (
                format!(
                    "It cannot be released as it is: nobody can vouch for {}. That depends on the site: correct its gate.toml \
                     or tools/, then have it judged again with this command.",
                    names(&others, ", ")
                ),
                release(),
            ),
            Record::Verdict(_) => (
                format!(
                    "It cannot be released: nobody can vouch for {}, and its bytes will not change. Request it again under a new id.",
                    names(&others, ", ")
                ),
                None,
            ),
        };
        Self { releasable, overridden, in_the_way: others, advice, command }
    }
}

/// Whether a repair of the site may change the verdict on the same bundle.
fn is_up_to_site(code: Code) -> bool {
    code.stage() == Stage::Authority && code != Code::DuplicateResult
}

fn names(codes: &[Code], between: &str) -> String {
    codes.iter().map(|code| code.as_str()).collect::<Vec<_>>().join(between)
}

impl View for Shown {
    fn text(&self) -> String {
        self.each.results.iter().map(ShownItem::text).collect::<Vec<_>>().join("\n")
    }
}

impl ShownItem {
    fn text(&self) -> String {
        let facts = &self.facts;
        let mut text = format!("Item:     {}\n", facts.item);
        let by = facts.refused_by.replace("tool_exec", "TOOL-EXEC").replace("gate", "the gate");
        text += &format!("Refused:  {} by {by}\n", facts.refused_utc);
        if let Some(request) = &facts.request_id {
            text += &format!("Request:  {request}\n");
        }
        let about: Vec<&str> = [&facts.tool, &facts.lane].into_iter().flatten().map(String::as_str).collect();
        if !about.is_empty() {
            text += &format!("Tool:     {}\n", about.join(", lane "));
        }
        if let Some(released) = &facts.released {
            text += &format!("Released: {}\n", super::describe_release(released));
        }
        text += &format!("Files:    {}\n", self.path.display());
        let mut printed = BTreeSet::new();
        for shown in &self.reasons {
            text += &shown.text(printed.insert((shown.demands, &shown.reason.hint)));
        }
        text += &format!("\nNext: {}\n", self.next.advice);
        if let Some(command) = &self.next.command {
            text += &format!("  {command}\n");
        }
        text
    }
}

impl ShownReason {
    /// `explained`: include the rule and the hint, which are printed once for all reasons that share them.
    fn text(&self, explained: bool) -> String {
        let reason = &self.reason;
        let flag = if reason.severity == Severity::Flag { " (noted only)" } else { "" };
        let rule = reason.rule.as_deref().map_or(String::new(), |rule| format!(" ({rule})"));
        let mut text = format!("\n{}{rule}{flag}: {}\n", reason.code, reason.message);
        if let Some(place) = reason.place(str::to_owned) {
            text += &format!("  in {place}\n");
        }
        if let Some(places) = reason.other_places(str::to_owned) {
            text += &format!("  also in {places}\n");
        }
        if let Some(context) = &self.context {
            text.extend(context.lines().map(|line| format!("    {line}\n")));
        } else if let Some(excerpt) = &reason.excerpt {
            text += &format!("    {excerpt}\n");
        }
        if let Some(digest) = &reason.excerpt_sha256 {
            text += &format!("  SHA-256 of the text: {digest}\n");
        }
        if let Some(because) = &reason.lowered_because {
            text += &format!("  lowered by gate.toml: {because}\n");
        }
        if explained {
            text += &format!("  rule: {}\n  hint: {}\n", self.demands, reason.hint);
        }
        text
    }
}

pub(super) fn run(site: &Site, ids: &Ids) -> Result<Outcome, Failure> {
    let items = find_all(site, &ids.ids)?;
    let items = items.iter().map(|item| ShownItem {
        facts: Facts::read(item),
        path: item.path.clone(),
        reasons: item.reasons().iter().map(|reason| shown(item, reason)).collect(),
        next: Next::for_item(item),
    });
    Ok(Outcome::done(&Shown { _trusted: false, each: Each::well(items.collect()) }))
}

fn shown(item: &Item, reason: &Reason) -> ShownReason {
    ShownReason {
        context: context::lines_around_reason(item, reason),
        demands: reason.code.rule(),
        reason: reason.clone(),
    }
}
