//! How sound a site is: its configuration, its watchers, its rights, its disk and its tools.

use std::time::SystemTime;

use gatepost_gate::lock::Lock;
use gatepost_gate::site::{CONFIG_FILE, Site};

use super::{Finding, disk, rights, tools};
use crate::config::{Config, SandboxLevel};
use crate::toolbox::Toolbox;

/// Looks at everything. `level` is the level at which tools run.
pub fn examine_site(site: &Site, config: &Config, level: SandboxLevel) -> Vec<Finding> {
    let mut findings = vec![
        watcher("site.exec", Lock::holder(&site.exec_lock())),
        watcher("site.gate", Lock::holder(&site.gate_lock())),
    ];
    findings.extend(rights::examine(site));
    findings.extend(disk::examine(site, config, SystemTime::now()));
    findings.extend(tools::examine(&Toolbox::of(site), level));
    findings
}

/// The finding on `gatepost.toml`; `fault` is what is wrong with it, and a hint.
pub fn configuration(fault: Option<(String, String)>) -> Finding {
    match fault {
        None => Finding::ok("site.configuration", format!("{CONFIG_FILE} is valid")),
        Some((why, hint)) => Finding::failure("site.configuration", format!("{CONFIG_FILE} is refused"), why, hint),
    }
}

fn watcher(check: &str, holder: Option<String>) -> Finding {
    Finding::ok(check, holder.map_or("not running".to_owned(), |holder| format!("running ({holder})")))
}
