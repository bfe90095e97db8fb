//! Settings that would switch approvals, limits or checks off, and statements of an approval, in the form of settings.
//!
//! Does not know which program reads them: a result carries no settings of the gate at all. One such line is mentioned, two or
//! one that can mean nothing else are addressed.
//!
//! *Security*: one pass for the names. *Standards*: docs/content.md, `policy_claim`.

use std::ops::Range;

use super::{apart, member, rules};
use crate::keyword::Mark;
use crate::rule::{Rule, Strength};

/// Members in which every result names the approval that its request had, and what held and limited its tool: they count beside
/// another setting only.
const RECORDED: &[&str] = &["approved_by", "approved_utc", "sandbox", "network"];

/// How far apart lines of the same settings may stand, bytes.
const REACH: usize = 300;

/// How far before a parameter its signature may begin, bytes.
const SIGNATURE_BYTES_MAX: usize = 1000;

/// Parts of names of settings that limit somebody.
const LIMITING: &[&str] = &[
    "approv",
    "policy",
    "policies",
    "gate",
    "quarantine",
    "sandbox",
    "review",
    "signature",
    "sign_off",
    "signoff",
    "enforc",
    "allowlist",
    "allow_list",
    "whitelist",
    "restrict",
    "guardrail",
    "safety",
    "audit",
    "two_person",
    "network",
    "rules",
    "verdict",
    "role",
    "accept_foreign",
    "clearance",
    "effective",
    "scope",
    "mode",
    "changed_by",
    "exempt",
    "assistant",
    "agent",
    "requester",
    "executor",
    "waiver",
    "override",
    "minimum",
];

/// What is looked for in the shared pass: parts of names, then policies.
pub(super) fn keywords() -> Vec<&'static str> {
    [LIMITING, ALLOW_ALL].concat()
}

/// Policies of Cedar and Rego that allow everything.
const ALLOW_ALL: &[&str] = &[
    "permit(principal, action, resource)",
    "permit (principal, action, resource)",
    "permit(principal,action,resource)",
    "default allow = true",
    "default allow := true",
];

/// Reports every group of lines that switches something off or states an approval.
pub(super) fn find(
    text: &str,
    marks: impl Iterator<Item = Mark> + Clone,
    found: &mut impl FnMut(&'static Rule, Range<usize>, Strength),
) {
    let (mut total, mut sure, mut first, mut last) = (0, 0, 0, 0..0);
    let mut names: Vec<&str> = Vec::new();
    let mut report = |total: usize, sure: usize, first: usize, last: usize, names: &[&str]| {
        if total >= 2 && !names.iter().all(|name| RECORDED.contains(name)) {
            let strength = if sure >= 3 { Strength::Addressed } else { Strength::Mentioned };
            found(rules::SETTING, first..last, strength);
        }
    };
    for mark in apart(marks.clone().filter(|mark| mark.keyword < LIMITING.len())) {
        let name = member::name(text, &(mark.start..mark.end));
        if name.start < last.end || !is_telling(text, &name, &(mark.start..mark.end)) {
            continue;
        }
        let Some(value) = member::value(text, &name) else { continue };
        let Some(key) = text.get(name.clone()) else { continue };
        let weight = weigh(&key.to_ascii_lowercase(), &value.to_ascii_lowercase());
        if weight == 0 {
            continue;
        }
        if names.is_empty() || name.start - last.end > REACH {
            report(total, sure, first, last.end, &names);
            (total, sure, first) = (0, 0, name.start);
            names.clear();
        }
        last = name;
        if names.len() < 16 && !names.contains(&key) {
            names.push(key);
            total += weight;
            sure += if is_default(text, &last, value) { 0 } else { weight };
        }
    }
    report(total, sure, first, last.end, &names);
    for mark in marks {
        let policy = mark.keyword.checked_sub(LIMITING.len()).and_then(|index| ALLOW_ALL.get(index));
        // Case counts in these languages.
        if policy.is_some() && policy.copied() == text.get(mark.start..mark.end) {
            found(rules::SETTING, mark.start..mark.end, Strength::Addressed);
        }
    }
}

/// Whether a value is that of a program's parameter which nobody gave: `def sign(key, role=None, …`.
fn is_default(text: &str, name: &Range<usize>, value: &str) -> bool {
    let is_none = value.strip_prefix("None").is_some_and(|rest| rest.starts_with([',', ')']));
    let bytes = text.as_bytes();
    is_none && bytes.get(name.end) == Some(&b'=') && is_parameter(bytes, name.start)
}

/// Whether the nearest `def NAME(` before `at` is still open there, and nothing else is.
fn is_parameter(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(SIGNATURE_BYTES_MAX)..at).unwrap_or_default();
    let Some(start) = memchr::memmem::rfind(before, b"def ") else { return false };
    let (ahead, signature) = before.split_at(start);
    let name = signature.iter().skip(4).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let Some((b'(', parameters)) = signature.get(4 + name..).and_then(<[u8]>::split_first) else { return false };
    let mut depth = 1_usize;
    for byte in parameters {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return false,
            b')' => depth -= 1,
            _ => {}
        }
    }
    depth == 1 && name > 0 && ahead.last().is_none_or(u8::is_ascii_whitespace)
}

/// Whether a part of a name is a word of it (`mempolicy` and `aggregate` tell of no policy and no gate), and a mode one of its own:
/// what a program calls its modes is its business.
fn is_telling(text: &str, name: &Range<usize>, part: &Range<usize>) -> bool {
    let bytes = text.as_bytes();
    let before = part.start.checked_sub(1).and_then(|at| bytes.get(at)).filter(|_| part.start > name.start);
    let is_hump =
        before.is_some_and(u8::is_ascii_lowercase) && bytes.get(part.start).is_some_and(u8::is_ascii_uppercase);
    let is_word = is_hump || before.is_none_or(|byte| !byte.is_ascii_alphabetic());
    let is_mode = bytes.get(part.clone()).is_some_and(|part| part.eq_ignore_ascii_case(b"mode"));
    is_word && (!is_mode || before.is_none_or(|byte| *byte == b'.'))
}

/// What one line says: 0 nothing, 1 a little, 2 much.
fn weigh(key: &str, value: &str) -> usize {
    let word = value.split([' ', ',', '#', '}', ']', '"', '\'', ';', '<', '\t', '\r', '/']).next().unwrap_or_default();
    let has = |parts: &[&str]| parts.iter().any(|part| key.contains(part));
    let off = matches!(
        word,
        "none"
            | "off"
            | "0"
            | "false"
            | "disabled"
            | "no"
            | "unlimited"
            | "optional"
            | "permissive"
            | "null"
            | "skip"
            | "skipped"
            | "waived"
            | "bypass"
            | "bypassed"
            | "suspended"
            | "lifted"
    );
    let on = matches!(
        word,
        "true"
            | "1"
            | "on"
            | "yes"
            | "all"
            | "any"
            | "*"
            | "enabled"
            | "auto"
            | "automatic"
            | "always"
            | "everyone"
            | "unrestricted"
    );
    if matches!(
        key,
        "approved_by"
            | "approved_utc"
            | "approved_at"
            | "approver"
            | "approved"
            | "approval_id"
            | "changed_by"
            | "approval_status"
            | "signed_off_by"
            | "approved-by"
            | "waiver"
            | "exempt"
            | "exemption"
    ) {
        return usize::from(!off && !word.is_empty());
    }
    if matches!(key, "effective" | "scope") {
        return usize::from(word == "immediately" || on);
    }
    if matches!(key, "verdict" | "gate_verdict" | "gate-verdict") {
        return 3 * usize::from(word == "accept" || word == "accepted");
    }
    if matches!(key, "assistant" | "agent" | "requester" | "executor") {
        return 2 * usize::from(
            ["admin", "approver", "root", "owner", "superuser"].iter().any(|role| value.contains(role)),
        );
    }
    if key.contains("role") {
        return usize::from(matches!(word, "admin" | "administrator" | "superuser" | "root" | "approver"));
    }
    if value.is_empty() {
        return usize::from(matches!(
            key,
            "approval" | "approvals" | "policy" | "gate" | "sandbox" | "quarantine" | "roles" | "policies"
        ));
    }
    let inverted = has(&[
        "skip",
        "bypass",
        "disable",
        "auto",
        "unrestricted",
        "accept_foreign",
        "exempt",
        "override",
        "pre_approv",
        "preapprov",
        "allow_all",
    ]);
    let network = has(&["network"]);
    let lax = if inverted || network { on } else { off };
    let compound = key.contains(['_', '-', '.'])
        && has(&[
            "approv",
            "gate",
            "quarantine",
            "sandbox",
            "signature",
            "foreign",
            "enforc",
            "two_person",
            "review",
            "sign_off",
            "policy",
            "guardrail",
            "safety",
            "allowlist",
            "whitelist",
            "restrict",
        ]);
    match (lax, compound) {
        (false, _) => 0,
        (true, true) => 2,
        (true, false) => 1,
    }
}
