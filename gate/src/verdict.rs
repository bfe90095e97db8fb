//! The gate's verdict: the content of `verdict.json`, and the same for a person in `REASONS.md`.
//!
//! The same bundle, knowledge and rules give the same bytes, `judged_utc` aside.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::escape;
use crate::reason::{Reason, Severity};
use crate::text;

/// Accepted, or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
pub enum Decision {
    /// CORE may see it.
    Accept,
    /// It is quarantined.
    Reject,
}

/// What was looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Checks {
    /// Files read.
    pub files: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Stages entered, 1 to 6.
    pub stages: u8,
}

/// The verdict on one bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Verdict {
    /// Accepted, or not.
    pub verdict: Decision,
    /// The folder's name, escaped when it is no result id.
    pub result_id: String,
    /// The request in that name; empty when it is no result id.
    pub request_id: String,
    /// Digest over the sorted list of `path`, kind and digest of every entry, so that it names exactly these bytes.
    pub bundle_sha256: Digest,
    /// Version of the rules.
    pub rules_version: String,
    /// When, RFC 3339, UTC, whole seconds.
    pub judged_utc: String,
    /// Version of the gate.
    pub gate_version: String,
    /// Every reason of the stages that were entered.
    pub reasons: Vec<Reason>,
    /// What was looked at.
    pub checks: Checks,
}

impl Verdict {
    /// Accepts exactly when no reason rejects.
    pub fn decide(reasons: &[Reason]) -> Decision {
        if reasons.iter().any(|reason| reason.severity == Severity::Reject) {
            Decision::Reject
        } else {
            Decision::Accept
        }
    }
}

/// The verdict for a person: what was found, where, why it matters and what to do next. Whatever a stranger wrote
/// stands in the reasons only in escaped form.
pub fn reasons_markdown(verdict: &Verdict) -> String {
    let mut page = format!("# {}\n\n{}", title(verdict), facts(verdict));
    for (number, reason) in (1..).zip(&verdict.reasons) {
        page.push_str(&section(number, reason));
    }
    page
}

fn title(verdict: &Verdict) -> &'static str {
    match verdict.verdict {
        Decision::Accept => "Accepted",
        Decision::Reject => "Rejected",
    }
}

fn facts(verdict: &Verdict) -> String {
    let reasons = match verdict.reasons.len() {
        0 => "Every rule held.".to_owned(),
        1 => "One reason was found.".to_owned(),
        count => format!("{count} reasons were found."),
    };
    format!(
        "The gate judged this bundle at {judged}. {reasons}\n\n\
         - Result: {result}\n- Bundle SHA-256: `{digest}`\n- Read: {files} files, {bytes} bytes, {stages} of 6 stages\n\
         - Rules: version {rules}, gate {gate}\n",
        judged = verdict.judged_utc,
        result = span(&verdict.result_id),
        digest = verdict.bundle_sha256,
        files = verdict.checks.files,
        bytes = verdict.checks.bytes,
        stages = verdict.checks.stages,
        rules = verdict.rules_version,
        gate = verdict.gate_version,
    )
}

fn section(number: usize, reason: &Reason) -> String {
    let severity = match reason.severity {
        Severity::Reject => "rejects",
        Severity::Flag => "is noted",
    };
    let file = reason.file.as_deref().map_or_else(|| "the bundle as a whole".to_owned(), span);
    let place = match (reason.line, reason.column) {
        (Some(line), Some(column)) => format!("{file}, line {line}, column {column}"),
        _ => file,
    };
    let mut section = format!(
        "\n## {number}. `{code}`\n\n- What: {message}\n- Where: {place}\n- Why it {severity}: {rule}\n- Next: {hint}\n",
        code = reason.code,
        message = prose(&reason.message),
        rule = reason.code.rule(),
        hint = prose(&reason.hint),
    );
    if let Some(excerpt) = &reason.excerpt {
        section.extend(["- Text: ", &span(excerpt), "\n"]);
    }
    section
}

/// A value in a code span that it cannot leave.
fn span(text: &str) -> String {
    format!("`{}`", escape::escape(text, |character| !matches!(character, ' '..='~') || character == '`'))
}

/// A sentence of ours that quotes escaped text: what Markdown would read as markup stands for itself.
fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in escape::escape(text, |character| text::forbidden(character).is_some() || character == '\n').chars()
    {
        if "\\`*_[]<>&#!|~".contains(character) {
            out.push('\\');
        }
        out.push(character);
    }
    out
}
