//! The override: a person's order to release a bundle to CORE although the gate rejected it.
//!
//! ```json
//! {"uid": 1000, "user": "alice", "released_utc": "2026-02-09T17:00:00Z", "reason": "a sample key of the vendor's manual", "codes": ["secret"]}
//! ```
//!
//! It overrides only rejections for content, and only the named codes: no person can vouch for a bundle's form or
//! origin. Stored in `verdict.json` of the released bundle, in the ledger, and in `release/override.json` of the item,
//! which stays in quarantine.

use serde::{Deserialize, Serialize};

use crate::reason::{Code, REASONS_MAX, Reason, Severity, each_once};

/// Who released a bundle, when, why, and which codes were overridden.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// The user who ordered the release: the owner of the order's file.
    pub uid: u32,
    /// That user's name in `/etc/passwd`, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// When, RFC 3339, UTC, whole seconds.
    pub released_utc: String,
    /// Why, in that person's words.
    pub reason: String,
    /// The overridden codes; empty if a new judgement found nothing to reject.
    pub codes: Vec<Code>,
}

/// The rejecting codes that `named` does not override, each once, in their order. If the list of findings was cut,
/// nothing is overridden: nobody can vouch for findings that are not listed.
pub fn not_overridden(reasons: &[Reason], named: &[Code]) -> Vec<Code> {
    let is_cut = reasons.iter().map(Reason::findings).fold(0, u64::saturating_add) >= REASONS_MAX as u64;
    let mut codes = Vec::new();
    for reason in reasons.iter().filter(|reason| reason.severity == Severity::Reject) {
        let overridden = reason.code.is_overridable() && named.contains(&reason.code) && !is_cut;
        if !overridden && !codes.contains(&reason.code) {
            codes.push(reason.code);
        }
    }
    codes
}

/// The codes that reject, each once, in their order.
pub fn rejecting(reasons: &[Reason]) -> Vec<Code> {
    not_overridden(reasons, &[])
}

/// The codes that only flag, each once, in their order.
pub fn flagging(reasons: &[Reason]) -> Vec<Code> {
    let rejecting = rejecting(reasons);
    let codes = reasons.iter().map(|reason| reason.code);
    each_once(codes.filter(|code| !rejecting.contains(code)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Decision, Verdict};

    fn reasons(codes: &[(Code, Severity)]) -> Vec<Reason> {
        codes
            .iter()
            .map(|(code, severity)| Reason { severity: *severity, ..Reason::new(*code, "It is.", "") })
            .collect()
    }

    fn word(codes: &[Code]) -> Override {
        let (released_utc, reason) = ("2026-02-09T17:00:00Z".to_owned(), "a sample".to_owned());
        Override { uid: 0, user: None, released_utc, reason, codes: codes.to_vec() }
    }

    #[test]
    fn an_override_reaches_what_it_names_of_content_and_nothing_else() {
        use Code::{BudgetExceeded, HiddenText, Secret, SumsMismatch};
        use Severity::{Flag, Reject};
        for (found, named, expected) in [
            (&[(Secret, Reject), (Secret, Reject)][..], &[Secret][..], &[][..]),
            (&[(Secret, Reject), (HiddenText, Reject)], &[Secret], &[HiddenText]),
            (&[(Secret, Reject), (HiddenText, Flag)], &[Secret], &[]),
            (&[(SumsMismatch, Reject)], &[SumsMismatch], &[SumsMismatch]),
            (&[(BudgetExceeded, Reject)], &[BudgetExceeded], &[BudgetExceeded]),
            (&[(HiddenText, Flag)], &[], &[]),
        ] {
            let found = reasons(found);
            assert_eq!(not_overridden(&found, named), expected, "{found:?} {named:?}");
            let decision = if expected.is_empty() { Decision::Accept } else { Decision::Reject };
            assert_eq!(Verdict::decide(&found, Some(&word(named))), decision, "{found:?} {named:?}");
        }
        for code in Code::ALL.iter().filter(|code| code.is_overridable()) {
            assert_eq!(code.stage(), crate::reason::Stage::Content, "{code}");
        }
    }

    #[test]
    fn a_code_that_rejects_is_no_flag() {
        use Code::{HiddenText, Instruction, Secret};
        use Severity::{Flag, Reject};
        let found =
            reasons(&[(Secret, Flag), (HiddenText, Flag), (Secret, Reject), (Instruction, Reject), (HiddenText, Flag)]);
        assert_eq!((flagging(&found), rejecting(&found)), (vec![HiddenText], vec![Secret, Instruction]));
    }

    #[test]
    fn where_the_list_was_cut_nobody_knows_what_an_override_would_reach() {
        let found = reasons(&[(Code::Secret, Severity::Reject); REASONS_MAX]);
        assert_eq!(not_overridden(&found, &[Code::Secret]), [Code::Secret]);
        assert_eq!(not_overridden(&found[1..], &[Code::Secret]), []);
        // As many findings, in one reason.
        let mut one = reasons(&[(Code::Secret, Severity::Reject)]);
        one[0].also_unlisted = REASONS_MAX as u64 - 2;
        assert_eq!(not_overridden(&one, &[Code::Secret]), []);
        one[0].also_unlisted += 1;
        assert_eq!(not_overridden(&one, &[Code::Secret]), [Code::Secret]);
    }
}
