//! The sandbox of a tool must satisfy the gate, the manifest and the lane.
//!
//! A bundle cannot prove its sandbox: TOOL-EXEC states the level, and this stage checks the statement.

use super::Claim;
use crate::consistency;
use crate::policy::Policy;
use gatepost_documents::evidence::{Backend, Evidence, FailureCode, Status, Usage};
use gatepost_documents::reason::{Code, Reason};
use gatepost_documents::sandbox_level::SandboxLevel;

const HINT: &str = "Run tools at that level ([sandbox] in gatepost.toml; `gatepost doctor` names what is missing). To accept such \
                    results, lower [sandbox] minimum in gate.toml; ERA requests, and manifests with a minimum of their own, \
                    always need theirs.";

const LAUNCHER_HINT: &str =
    "If you trust the launcher to confine a command, add its digest to [sandbox] launchers in gate.toml.";

/// The isolation of a tool, in the gate's own terms.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Isolation {
    At(SandboxLevel),
    /// A launcher, and no site states its level.
    Unknown,
}

impl Isolation {
    /// A launcher has the level that the operator assigned to it.
    pub(super) fn stated(evidence: &Evidence, policy: Option<&Policy>) -> Self {
        match (&evidence.sandbox.launcher, policy) {
            (None, _) => Self::At(evidence.sandbox.level.built_in().unwrap_or(SandboxLevel::None)),
            (Some(launcher), Some(policy)) if policy.sandbox.launchers.contains(&launcher.sha256) => {
                Self::At(SandboxLevel::Full)
            }
            (Some(_), Some(_)) => Self::At(SandboxLevel::None),
            (Some(_), None) => Self::Unknown,
        }
    }

    pub(super) fn is_below(self, minimum: SandboxLevel) -> bool {
        matches!(self, Self::At(level) if level < minimum)
    }
}

/// Every demand that the tool's isolation does not meet.
pub(super) fn below_minimum(claim: Claim<'_>) -> Vec<Reason> {
    let Claim { confirmed, policy, .. } = claim;
    let evidence = &confirmed.evidence;
    if nothing_ran(claim) {
        return Vec::new();
    }
    let demands = [
        (policy.map(|policy| policy.sandbox.minimum), "The gate"),
        (confirmed.manifest.as_ref().and_then(|manifest| manifest.sandbox_minimum), "The manifest"),
        ((evidence.backend == Backend::Era).then_some(SandboxLevel::Full), "The lane ERA"),
    ];
    let isolation = Isolation::stated(evidence, policy);
    let mut unmet: Vec<_> = demands
        .into_iter()
        .filter_map(|(level, who)| Some((level.filter(|level| isolation.is_below(*level))?, who)))
        .collect();
    // The fix, listing the launcher, meets every demand: one reason is enough.
    unmet.truncate(if evidence.sandbox.launcher.is_some() { 1 } else { unmet.len() });
    let reason = |(level, who): (SandboxLevel, &str)| {
        let (isolation, hint) = match &evidence.sandbox.launcher {
            None => (format!("at level {}", evidence.sandbox.level), HINT),
            Some(launcher) => {
                (format!("under the launcher {}, which gate.toml does not list", launcher.sha256), LAUNCHER_HINT)
            }
        };
        let message = format!("{who} requires a sandbox at level {}; the tool ran {isolation}.", level.as_str());
        Reason::new(Code::SandboxBelowMinimum, message, hint).in_file(consistency::FILE)
    };
    unmet.into_iter().map(reason).collect()
}

/// Whether nothing ran, as far as a reader can see: no output of any kind, and nothing that only a run could produce. A
/// false claim must leave out everything that the tool made.
fn nothing_ran(Claim { whole, confirmed, .. }: Claim<'_>) -> bool {
    let Evidence { error, exit_code, results, network, usage, anomalies, duration_ms, .. } = &confirmed.evidence;
    let bundle = whole.bundle;
    let is_delegated = confirmed.evidence.status == Status::Delegated;
    let is_stated = error
        .as_ref()
        .is_some_and(|error| matches!(error.code, FailureCode::RequestRefused | FailureCode::SpawnFailed));
    let is_silent = bundle.stdout.bytes_total == 0 && bundle.stderr.bytes_total == 0;
    let left_nothing = !bundle.files().any(|(path, ..)| path.starts_with("artifacts/out/"));
    let reached_nothing = network.destinations.is_empty() && network.refused.is_empty();
    let showed_nothing = anomalies.is_empty() && *usage == Usage::default() && *duration_ms == 0;
    let ended_as_nothing = results.is_null() && *exit_code == -1;
    (is_stated || is_delegated) && is_silent && left_nothing && reached_nothing && showed_nothing && ended_as_nothing
}
