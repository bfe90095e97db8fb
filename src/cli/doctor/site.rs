//! Checks a site: its configuration, its watchers, its rights, its disk and its tools.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::SystemTime;

use chrono::Utc;
use gatepost_contract::config::Config;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_exec::coordinator::metrics::metrics_folder;
use gatepost_exec::in_force;
use gatepost_exec::policies::Policies;
use gatepost_exec::shell;
use gatepost_exec::toolbox::Toolbox;
use gatepost_exec::watch;
use gatepost_gate::policy::Policy;
use gatepost_mailbox::lock::Lock;
use gatepost_mailbox::quarantine::Retention;
use gatepost_mailbox::quarantine::surplus;
use gatepost_mailbox::site::{CONFIG_FILE, GATE_CONFIG_FILE};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;

use super::{Finding, approval, attestation_key, disk, era, log_key, moves, pins, policy_mode, rights, tools};
use crate::cli::prelude::*;

/// Checks everything. `config` is `gatepost.toml`, or its error and the remedy; `level` is the level of tools.
pub(super) fn examine(site: &Site, config: Result<&Config, (String, String)>, level: SandboxLevel) -> Vec<Finding> {
    let defaults = Config::default();
    let known = config.as_ref().map_or(&defaults, |config| *config);
    let policy = Policy::read(site);
    let kept = policy.as_ref().ok().and_then(|policy| retention(site, policy.quarantine));
    let approval = approval::examine(site, known, policy.as_ref().ok(), Utc::now());
    let differences = policy.as_ref().map(|policy| approval::differences(known, policy)).unwrap_or_default();
    let learning = policy_mode::examine(known, policy.as_ref().ok());
    let attestation = policy.as_ref().map(|policy| policy.attestation.clone()).unwrap_or_default();
    let lane_era = era::examine(&known.era, policy.as_ref().ok(), level);
    let toolbox = Toolbox::at(site);
    let pinned = pins::examine(site, &toolbox, known, policy.as_ref().ok());
    let mut findings = vec![
        configuration(site, config),
        demands(policy, level),
        watcher("site.exec", Lock::holder(&site.exec_lock())),
        watcher("site.gate", Lock::holder(&site.gate_lock())),
    ];
    findings.push(approval);
    findings.extend(differences);
    findings.extend(learning);
    findings.push(policies(site, known));
    findings.extend(scope(site));
    findings.extend(certificates(&known.http.ca_file));
    findings.extend(metrics(site, &known.metrics.file));
    findings.extend(kept);
    findings.extend(rights::examine(site));
    findings.extend(moves::examine(site));
    findings.extend(moves::leftovers(site));
    findings.push(log_key::examine(site));
    findings.push(log_key::of_exec(site));
    findings.push(attestation_key::examine(site, &attestation));
    findings.extend(disk::examine(site, known, SystemTime::now()));
    findings.extend(tools::examine(site, &toolbox, known, level));
    findings.extend(pinned);
    findings.extend(lane_era);
    findings
}

/// With an invalid scope no target is permitted.
fn scope(site: &Site) -> Option<Finding> {
    let failure = Failure::from(watch::scope(site).err()?);
    let why = format!("Requests with a target wait, and TOOL-EXEC does not start. {}", failure.message);
    Some(Finding::failure("site.scope", "invalid", why, failure.hint))
}

/// Another user with write access to the folder of the metrics could replace the file.
fn metrics(site: &Site, file: &Path) -> Option<Finding> {
    const CHECK: &str = "site.metrics";
    if file.as_os_str().is_empty() {
        return None;
    }
    let exec = site.exec_lock().with_file_name("").metadata().map_or(0, |found| found.uid());
    Some(match metrics_folder(file, exec) {
        Ok(_) => Finding::ok(CHECK, file.display().to_string()),
        Err(fault) => {
            let folder = file.parent().unwrap_or(file).display().to_string();
            let why = format!("TOOL-EXEC writes no metrics: gatepost failed to {fault}.");
            let owner = shell::line(["chown", &exec.to_string(), &folder]);
            let mode = shell::line(["chmod", "755", &folder]);
            Finding::warning(CHECK, "not written", why, format!("As root: {owner} && {mode}"))
        }
    })
}

/// If a site's own certificates cannot be read, no server can be verified.
fn certificates(ca_file: &Path) -> Option<Finding> {
    const CHECK: &str = "site.certificates";
    if ca_file.as_os_str().is_empty() {
        return None;
    }
    let file = ca_file.display();
    Some(match count_certificates(ca_file) {
        Ok(count) => Finding::ok(CHECK, format!("{} in {file}", counted(count, "certificate"))),
        Err(error) => {
            let why = format!("Tools that call a server over https fail: {error}.");
            let fix = format!(
                "Make the file PEM and readable by the user of `gatepost exec`, or correct [http] ca_file in {CONFIG_FILE}. \
                 Without the key, TOOL-EXEC uses the machine's certificates."
            );
            Finding::failure(CHECK, format!("{file} cannot be used"), why, fix)
        }
    })
}

/// The number of certificates in a PEM file: at least one.
fn count_certificates(file: &Path) -> Result<usize, String> {
    let certificates = CertificateDer::pem_file_iter(file).map_err(|error| error.to_string())?;
    let count = certificates.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?.len();
    if count == 0 { Err("the file holds no certificate".to_owned()) } else { Ok(count) }
}

/// Without policies nothing is permitted; with invalid ones nothing is decided.
fn policies(site: &Site, config: &Config) -> Finding {
    const CHECK: &str = "site.policies";
    let reasons = match Policies::at(site).read(&Toolbox::at(site), &config.era.interpreters.all()) {
        Ok(Ok(set)) if set.policies().is_empty() => {
            let why = "There is no policy that permits anything, so TOOL-EXEC refuses every request.";
            return Finding::warning(CHECK, "none", why, "Add the starting policies, or write your own.")
                .run("gatepost init");
        }
        Ok(Ok(set)) => return Finding::ok(CHECK, format!("{} in order", counted(set.policies().len(), "statement"))),
        Ok(Err(reasons)) => reasons,
        Err(fault) => {
            let Failure { message, hint, .. } = fault.into();
            return Finding::failure(CHECK, "unreadable", message, hint);
        }
    };
    let first = reasons.first().map_or_else(String::new, ToString::to_string);
    let why = format!("TOOL-EXEC cannot decide with them: requests wait, and it does not start. {first}");
    Finding::failure(
        CHECK,
        format!("invalid: {}", counted(reasons.len(), "error")),
        why,
        "Correct the line that `gatepost policy check` shows.",
    )
    .run("gatepost policy check")
}

/// Refused items are kept until a person removes them; a configured retention produces a reminder.
fn retention(site: &Site, settings: Retention) -> Option<Finding> {
    if settings == Retention::default() {
        return None;
    }
    let count = surplus(site, settings, Utc::now()).ok()?.items.len();
    if count == 0 {
        return Some(Finding::ok("site.quarantine", "nothing is past its retention"));
    }
    let why = "gatepost removes nothing from quarantine automatically, so it grows beyond what [quarantine] in gate.toml allows.";
    let fix = "Review the items, and remove those that you do not need.";
    let finding = Finding::warning("site.quarantine", format!("{count} items past their retention"), why, fix);
    Some(finding.run("gatepost quarantine purge --dry-run"))
}

fn configuration(site: &Site, config: Result<&Config, (String, String)>) -> Finding {
    const CHECK: &str = "site.configuration";
    match config {
        Ok(config) if in_force::is_other(site, config) => {
            let why = "TOOL-EXEC uses the content that it last read.";
            Finding::warning(CHECK, format!("{CONFIG_FILE} was edited and is not in force"), why, in_force::REMEDY)
        }
        Ok(_) => Finding::ok(CHECK, format!("{CONFIG_FILE} is valid")),
        Err((why, fix)) => Finding::failure(CHECK, format!("{CONFIG_FILE} is invalid"), why, fix),
    }
}

/// The tools' level has to meet the gate's demand, or every result is rejected.
fn demands(policy: Result<Policy, Reason>, level: SandboxLevel) -> Finding {
    let policy = match policy {
        Ok(policy) => policy,
        Err(reason) => {
            let found = format!("{GATE_CONFIG_FILE} is invalid");
            return Finding::failure("site.gate_configuration", found, format!("{reason}"), reason.hint);
        }
    };
    let minimum = policy.sandbox.minimum;
    if level >= minimum {
        let found = format!("{GATE_CONFIG_FILE} is valid: at least level {}", minimum.as_str());
        return Finding::ok("site.gate_configuration", found);
    }
    let why = format!(
        "Tools run at level {}, but the gate requires at least {}: it will reject every result of a tool.",
        level.as_str(),
        minimum.as_str()
    );
    let fix = format!(
        "Raise [sandbox] maximum in {CONFIG_FILE}, or lower [sandbox] minimum in {GATE_CONFIG_FILE} if weaker confinement is intended."
    );
    Finding::failure("site.gate_configuration", format!("at least level {}", minimum.as_str()), why, fix)
}

fn watcher(check: &str, holder: Option<String>) -> Finding {
    Finding::ok(check, holder.map_or("not running".to_owned(), |holder| format!("running ({holder})")))
}
