//! The gate's verdict: the content of `verdict.json`, and the same for a person in `REASONS.md`.
//!
//! The same submission, facts and rules give the same bytes.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::enforced::Enforced;
use crate::escape;
use crate::log_proof::LogProof;
use crate::not_checked::NotChecked;
use crate::program::Program;
use crate::reason::{Reason, Severity};
use crate::release::{Override, not_overridden};
use crate::text;

/// The file of a verdict, in an accepted bundle.
pub const VERDICT_FILE: &str = "verdict.json";

/// The decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Decision {
    /// The bundle is accepted: CORE may see it.
    Accept,
    /// The bundle is quarantined.
    Reject,
}

/// How much the gate read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Files read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Stages entered, 1 to 7.
    pub stages: u8,
}

/// The verdict on one bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// The decision.
    pub verdict: Decision,
    /// The folder's name; escaped if it is no result id.
    pub result_id: String,
    /// The request in that name; empty if the name is no result id.
    pub request_id: String,
    /// Digest over the sorted list of path, kind and digest of every entry: identifies exactly these bytes.
    pub bundle_sha256: Digest,
    /// Version of the rules.
    pub rules_version: String,
    /// SHA-256 of the bytes of the site's `gate.toml`; without that file the digest of no bytes, `e3b0c442…b855`. Absent without a
    /// site, for an imported result, and in verdicts of earlier gates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate_toml_sha256: Option<Digest>,
    /// SHA-256 over the names and texts of the site's own content rules, `rules/*.toml`. Absent without such rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub site_rules_sha256: Option<Digest>,
    /// When, RFC 3339, UTC, whole seconds.
    pub judged_utc: String,
    /// Version of the gate.
    pub gate_version: String,
    /// Every reason of the stages that were entered.
    pub reasons: Vec<Reason>,
    /// How much the gate read.
    pub checks: Checks,
    /// Whether it is a bare document of `ThreeGate`'s form, admitted by `[gate] accept_foreign`. Then `not_checked` lists what the
    /// gate could not check.
    #[serde(rename = "foreign", default, skip_serializing_if = "is_false")]
    pub is_bare_document: bool,
    /// What the gate could not check without evidence, request and artifacts, for each stage. Empty for a bundle.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<NotChecked>,
    /// Who released this rejected bundle.
    #[serde(rename = "override", default, skip_serializing_if = "Option::is_none")]
    pub released: Option<Override>,
    /// The decision of another site's gate: that the request was claimed, authorized and executed there. Only that site could
    /// check it. Absent if this site did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<LogProof>,
    /// Which program judged; absent in verdicts of earlier gates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<Program>,
    /// What confined the gate while it judged; absent if nothing did.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub confinement: Option<Enforced>,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes the field so")]
/// Whether a value is false, and therefore not written.
pub fn is_false(value: &bool) -> bool {
    !*value
}

impl Verdict {
    /// Accepts exactly when no reason rejects but those that a person's word covers.
    pub fn decide(reasons: &[Reason], released: Option<&Override>) -> Decision {
        let named = released.map(|released| released.codes.as_slice()).unwrap_or_default();
        if not_overridden(reasons, named).is_empty() { Decision::Accept } else { Decision::Reject }
    }
}

/// The verdict for a person: the findings, their places, their importance and the next step. A stranger's text appears
/// in the reasons only in escaped form.
pub fn reasons_markdown(verdict: &Verdict) -> String {
    let mut page = format!("# {}\n\n{}", title(verdict), facts(verdict));
    page.push_str(&sections(&verdict.reasons, |reason| match reason.severity {
        Severity::Reject => "Why it rejects",
        Severity::Flag => "Why it is noted",
    }));
    page
}

/// The reasons for a person, one section each. A stranger's text appears in them only in escaped form.
pub fn reason_sections(reasons: &[Reason]) -> String {
    sections(reasons, |_| "Rule")
}

/// A section each; `label` names the rule of a reason.
fn sections(reasons: &[Reason], label: impl Fn(&Reason) -> &'static str) -> String {
    (1..).zip(reasons).map(|(number, reason)| section(number, reason, label(reason))).collect()
}

fn title(verdict: &Verdict) -> &'static str {
    match verdict.verdict {
        Decision::Accept => "Accepted",
        Decision::Reject => "Rejected",
    }
}

fn facts(verdict: &Verdict) -> String {
    let reasons = match verdict.reasons.len() {
        0 => "No rule was broken.".to_owned(),
        1 => "One reason was found.".to_owned(),
        count => format!("{count} reasons were found."),
    };
    let kind = if verdict.is_bare_document { "bare document" } else { "bundle" };
    let not_checked: Vec<String> = verdict.not_checked.iter().map(|left| format!("- Not checked: {left}\n")).collect();
    format!(
        "The gate judged this {kind} at {judged}. {reasons}\n\n\
         - Result: {result}\n- Bundle SHA-256: `{digest}`\n- Read: {files} files, {bytes} bytes, {stages} of 7 stages\n\
         - Rules: version {rules}, gate {gate}{program}\n- Demands: {demands}\n- Confined by: {confinement}\n{not_checked}",
        judged = verdict.judged_utc,
        result = span(&verdict.result_id),
        digest = verdict.bundle_sha256,
        files = verdict.checks.files,
        bytes = verdict.checks.bytes,
        stages = verdict.checks.stages,
        rules = verdict.rules_version,
        gate = verdict.gate_version,
        program = verdict.program.as_ref().map_or_else(String::new, |program| {
            format!(", program {} with the SHA-256 `{}`", span(&program.name), program.sha256)
        }),
        demands = verdict.gate_toml_sha256.map_or_else(|| "none, without a site".to_owned(), demands),
        not_checked = not_checked.concat(),
        confinement = verdict.confinement.as_ref().map_or_else(|| "nothing".to_owned(), Enforced::names),
    )
}

/// The text about the `gate.toml` with this digest.
fn demands(gate_toml_sha256: Digest) -> String {
    if gate_toml_sha256 == Digest::of(b"") {
        "the defaults, because the site has no `gate.toml` or an empty one".to_owned()
    } else {
        format!("`gate.toml` with the SHA-256 `{gate_toml_sha256}`")
    }
}

fn section(number: usize, reason: &Reason, label: &str) -> String {
    let place = reason.place(span).map_or_else(String::new, |place| format!("- Where: {place}\n"));
    let also = reason.other_places(span).map_or_else(String::new, |places| format!("- Also: {places}\n"));
    let mut section = format!(
        "\n## {number}. `{code}`{name}\n\n- What: {message}\n{place}{also}- {label}: {rule}\n- Next: {hint}\n",
        code = reason.code,
        message = prose(&reason.message),
        name = reason.rule.as_deref().map_or_else(String::new, |rule| format!(", found by {}", span(rule))),
        rule = reason.code.rule(),
        hint = prose(&reason.hint),
    );
    if let Some(because) = &reason.lowered_because {
        section.extend(["- Lowered by gate.toml: ", &prose(because), "\n"]);
    }
    if let Some(excerpt) = &reason.excerpt {
        section.extend(["- Text: ", &span(excerpt), "\n"]);
    }
    section
}

/// A value in a code span that it cannot leave.
fn span(text: &str) -> String {
    format!("`{}`", escape::escape(text, |character| !matches!(character, ' '..='~') || character == '`'))
}

/// A sentence of ours. Its code spans stay; in quotations, which are in double quotes, and everywhere else Markdown
/// markup is escaped.
fn prose(text: &str) -> String {
    let text = escape::escape(text, |character| text::forbidden(character).is_some() || character == '\n');
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    let (mut is_quoted, mut is_escaped) = (false, false);
    while let Some(character) = rest.chars().next() {
        let after = rest.strip_prefix(character).unwrap_or_default();
        if character == '`'
            && !is_quoted
            && let Some(span) = code_span(rest)
        {
            out.push_str(span);
            rest = rest.strip_prefix(span).unwrap_or_default();
            continue;
        }
        is_quoted ^= character == '"' && !is_escaped;
        is_escaped = is_quoted && character == '\\' && !is_escaped;
        if "\\`*_[]<>&#!|~".contains(character) {
            out.push('\\');
        }
        out.push(character);
        rest = after;
    }
    out
}

/// The code span that a text begins with: between two single backticks, so that every reader of Markdown sees the same.
fn code_span(text: &str) -> Option<&str> {
    let length = text.strip_prefix('`')?.find('`').filter(|length| *length > 0)?;
    let (span, after) = text.split_at_checked(length + 2)?;
    (!after.starts_with('`')).then_some(span)
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Parser};

    use super::*;

    fn code(markdown: &str) -> Vec<String> {
        let code = |event| if let Event::Code(text) = event { Some(text.into_string()) } else { None };
        Parser::new(markdown).filter_map(code).collect()
    }

    #[test]
    fn our_own_code_spans_stay_and_what_is_quoted_stands_for_itself() {
        assert_eq!(prose("Run `gatepost check --as <x>`, *now*."), "Run `gatepost check --as <x>`, \\*now\\*.");
        let quoting = format!("It says {}, see `a`.", text::quoted("`b` \" `c` <i>"));
        assert_eq!(code(&prose(&quoting)), ["a"], "{}", prose(&quoting));
    }

    #[test]
    fn no_backticks_let_markup_through() {
        for text in
            ["`", "``", "``a` <i> `", "`a`` <i> `", "\\`<i>`", "`a` ``<i>`` `b`", "\"`<i>`", "`a`<i>`", "```\n<i>"]
        {
            let html = |event: &Event<'_>| matches!(event, Event::Html(_) | Event::InlineHtml(_));
            assert!(!Parser::new(&prose(text)).any(|event| html(&event)), "{text:?}: {}", prose(text));
        }
    }
}
