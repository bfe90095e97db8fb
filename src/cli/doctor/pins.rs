//! Compares the tools of a site with the operator's pins.

use gatepost_contract::config::Config;
use gatepost_documents::pins::Demand;
use gatepost_exec::pins::{self, PinFile, State};
use gatepost_exec::signature;
use gatepost_exec::step_error::StepError;
use gatepost_exec::toolbox::Toolbox;
use gatepost_gate::policy::Policy;

use super::Finding;
use crate::cli::prelude::*;

/// A finding for each tool that changed, and one for all without a pin. If the tools cannot be listed, another check says so.
pub(super) fn examine(site: &Site, toolbox: &Toolbox, config: &Config, policy: Option<&Policy>) -> Vec<Finding> {
    let pins = match PinFile::of(site).read() {
        Ok(pins) => pins,
        Err(error) => {
            let (why, fix) = match error {
                StepError::Refused(mut reasons) => {
                    let reason = reasons.remove(0);
                    (reason.to_string(), reason.hint)
                }
                StepError::Fault(fault) => (
                    format!("gatepost failed to {fault}."),
                    "Make it readable, and writable by its owner alone.".to_owned(),
                ),
            };
            return vec![Finding::failure("site.pins", "keys/pins.toml is invalid", why, fix)];
        }
    };
    let tools = toolbox.all().unwrap_or_default().into_iter().filter_map(|(_, reading)| reading.ok());
    let (mut findings, mut count, mut unpinned) = (Vec::new(), 0, Vec::new());
    for tool in tools {
        if let Ok(Some(reason)) = signature::refusal(site, &tool) {
            findings.push(Finding::failure(
                format!("signature.{}", tool.manifest.name()),
                "invalid",
                reason.message,
                reason.hint,
            ));
        }
        let Ok(files) = toolbox.files(&tool.manifest) else { continue };
        let name = tool.manifest.name();
        count += 1;
        match pins::state(&pins, &tool, &files.listed) {
            State::Pinned => {}
            State::Unpinned => unpinned.push(name.to_owned()),
            State::Changed(differences) => {
                let why =
                    format!("It differs from its pin, so every request for it is refused: {}.", differences.join("; "));
                let finding = Finding::failure(
                    format!("pin.{name}"),
                    "changed",
                    why,
                    "Review the change, and pin the tool again if it is right.",
                );
                findings.push(finding.run(format!("gatepost tools pin {name}")));
            }
        }
    }
    findings.push(summary(count, &unpinned, config.tools.pins, policy.map(|policy| policy.tools.pins)));
    findings
}

fn summary(count: usize, unpinned: &[String], exec: Demand, gate: Option<Demand>) -> Finding {
    let found = format!("{} of {} not pinned", unpinned.len(), counted(count, "tool"));
    let is_required = [Some(exec), gate].contains(&Some(Demand::Required));
    if unpinned.is_empty() || !is_required {
        return Finding::ok(
            "site.pins",
            format!("{found}; {}", if is_required { "pins are required" } else { "accepted without" }),
        );
    }
    let why = format!(
        "Pins are required, so TOOL-EXEC refuses requests for these tools, or the gate rejects their results: {}.",
        unpinned.join(", ")
    );
    Finding::failure("site.pins", found, why, "Review them, then pin them.").run("gatepost tools pin")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::doctor::Status;

    #[test]
    fn a_tool_without_a_pin_fails_only_where_somebody_requires_one() {
        let unpinned = ["a".to_owned()];
        for (exec, gate, expected) in [
            (Demand::Accepted, Some(Demand::Accepted), Status::Ok),
            (Demand::Accepted, None, Status::Ok),
            (Demand::Required, Some(Demand::Accepted), Status::Failure),
            (Demand::Accepted, Some(Demand::Required), Status::Failure),
        ] {
            assert_eq!(summary(2, &unpinned, exec, gate).status, expected);
            assert_eq!(summary(2, &[], exec, gate).status, Status::Ok);
        }
    }
}
