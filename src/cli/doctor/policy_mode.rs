//! Whether policies and scope are enforced, and how the gate treats results of learn mode.

use gatepost_contract::config::Config;
use gatepost_gate::policy::Policy;
use gatepost_mailbox::site::{CONFIG_FILE, GATE_CONFIG_FILE};

use super::Finding;

const CHECK: &str = "site.policy_mode";

/// A finding if TOOL-EXEC learns, or if the gate would accept that.
pub(super) fn examine(config: &Config, policy: Option<&Policy>) -> Option<Finding> {
    let accepts = policy.is_some_and(|policy| policy.accept.learn_mode);
    let why = "TOOL-EXEC runs requests that policies or scope would refuse, and records what they would have refused.";
    match (config.policy.is_learning(), accepts) {
        (false, false) => None,
        (true, true) => {
            let fix = format!(
                "Draft policies with `gatepost policy learn`. Then set [policy] mode = \"enforce\" in {CONFIG_FILE} and \
                 [accept] learn_mode = false in {GATE_CONFIG_FILE}."
            );
            Some(Finding::warning(CHECK, "learn", why, fix))
        }
        (true, false) => {
            let why =
                format!("{why} The gate rejects every result, because {GATE_CONFIG_FILE} does not accept learn mode.");
            let fix = format!(
                "Set [policy] mode = \"enforce\" in {CONFIG_FILE}, or [accept] learn_mode = true in {GATE_CONFIG_FILE}."
            );
            Some(Finding::failure(CHECK, "learn, which the gate rejects", why, fix))
        }
        (false, true) => {
            let why = "The gate would accept results for which policies and scope were not enforced.";
            let fix = format!("Set [accept] learn_mode = false in {GATE_CONFIG_FILE}.");
            Some(Finding::warning(CHECK, "enforce, but the gate accepts learn mode", why, fix))
        }
    }
}
