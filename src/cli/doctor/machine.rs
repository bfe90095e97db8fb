//! Tests what the machine can enforce: each mechanism alone, then each level as a whole.

use gatepost_contract::config;
use gatepost_documents::evidence::Sandbox;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_documents::text::quoted_name;
use gatepost_gate::confinement::{Demand, Means};
use gatepost_sandbox::process;
use gatepost_sandbox::{CgroupState, Failure, Mechanism, SandboxError};
use rustix::io::Errno;
use rustix::process::{Resource, getrlimit};

use super::cause::{Cause, explain};
use super::facts::Facts;
use super::{Finding, Status, crash};

/// The controls of Landlock by ABI, and the kernel that introduced each.
const LANDLOCK: [(u32, &str, &str); 6] = [
    (1, "files", "5.13"),
    (2, "renames across folders", "5.19"),
    (3, "truncation", "6.2"),
    (4, "TCP", "6.7"),
    (5, "device ioctls", "6.10"),
    (6, "signals and abstract sockets", "6.12"),
];

/// The findings about the machine.
#[derive(Debug)]
pub(super) struct Machine {
    /// Each check.
    pub findings: Vec<Finding>,
    /// The level of tools; none if the site's minimum cannot be met.
    pub level: Option<(SandboxLevel, Sandbox)>,
    /// The strongest available level below the site's minimum, tested only if the minimum cannot be met.
    pub below: Option<SandboxLevel>,
}

/// Tests everything, for a site with these levels and limits, and for the confinement that its gate demands.
pub(super) fn examine(facts: &Facts, allowed: &config::Sandbox, limits: &config::Limits, demand: Demand) -> Machine {
    let levels = SandboxLevel::ALL.into_iter().rev().filter(|level| *level <= allowed.maximum);
    let (enough, below): (Vec<_>, Vec<_>) = levels.partition(|level| *level >= allowed.minimum);
    let probe = |levels: Vec<SandboxLevel>| -> Vec<_> {
        levels.into_iter().map(|level| (level, gatepost_sandbox::probe(level))).collect()
    };
    let strongest = |levels: &[(SandboxLevel, Result<Sandbox, _>)]| {
        levels.iter().find_map(|(level, probed)| Some((*level, probed.as_ref().ok()?.clone())))
    };
    let mut levels = probe(enough);
    let level = strongest(&levels);
    let below = if level.is_some() { Vec::new() } else { probe(below) };
    let strongest_below = strongest(&below).map(|(level, _)| level);
    levels.extend(below);
    let severity = if level.is_some() { Status::Warning } else { Status::Failure };
    let mut findings = machine_findings(facts);
    findings.push(crash::examine());
    let mut lacking = Vec::new();
    for mechanism in Mechanism::ALL {
        let attempt = gatepost_sandbox::attempt(mechanism);
        if attempt.is_err()
            && let Some(means) = means_of_the_gate(mechanism)
        {
            lacking.push(means);
        }
        findings.push(mechanism_finding(facts, mechanism, attempt, severity));
    }
    findings.push(confinement(&lacking, demand));
    findings.extend(levels.iter().map(|(level, probed)| level_finding(facts, *level, probed, severity)));
    findings.push(network(gatepost_sandbox::bounds_network()));
    findings.push(route(process::uplink_fault()));
    findings.extend(resource_limits(limits));
    let groups = gatepost_sandbox::cgroup_state();
    findings.extend([control_groups(&groups), kernel_memory(&groups)]);
    Machine { findings, level, below: strongest_below }
}

fn machine_findings(facts: &Facts) -> Vec<Finding> {
    let mut process = vec![if facts.is_root() { "root".to_owned() } else { format!("user {}", facts.user) }];
    for (holds, what) in [
        (facts.no_new_privs, "no_new_privs from outside"),
        (facts.is_filtered, "a filter of system calls from outside"),
        (facts.is_chrooted, "in a chroot"),
    ] {
        process.extend(holds.then(|| what.to_owned()));
    }
    let system = if facts.is_wsl() { "Linux (WSL)" } else { "Linux" };
    let modules = facts.security_modules.as_deref().unwrap_or("unknown (securityfs is not mounted)");
    let namespaces = facts.user_namespaces_max.map_or("unknown".to_owned(), |max| max.to_string());
    vec![
        Finding::ok("machine.kernel", format!("{system} {}", facts.kernel)),
        Finding::ok("machine.security_modules", modules),
        Finding::ok(
            "machine.container",
            facts.container.as_deref().map_or("none".to_owned(), |name| format!("signs of {name}")),
        ),
        Finding::ok("machine.process", process.join(", ")),
        Finding::ok("machine.user_namespaces_max", namespaces),
    ]
}

/// The name of the check, and the text on success.
fn mechanism_name(mechanism: Mechanism) -> (&'static str, &'static str) {
    match mechanism {
        Mechanism::UserNamespace => ("namespace.user", "can be created, with this user's ids"),
        Mechanism::PidNamespace => ("namespace.pid", "can be created"),
        Mechanism::MountNamespace => ("namespace.mount", "can be created"),
        Mechanism::IpcNamespace => ("namespace.ipc", "can be created"),
        Mechanism::UtsNamespace => ("namespace.uts", "can be created"),
        Mechanism::NetworkNamespace => ("namespace.network", "can be created"),
        Mechanism::AllNamespaces => ("namespace.all", "can be created together"),
        Mechanism::PrivateRoot => ("sandbox.private_root", "can be entered, and the machine's root left"),
        Mechanism::Proc => ("sandbox.proc", "mounted for a PID namespace"),
        Mechanism::NoNewPrivs => ("sandbox.no_new_privs", "set"),
        Mechanism::NoCapabilities => ("sandbox.no_capabilities", "can all be dropped, with an empty bounding set"),
        Mechanism::Landlock => ("sandbox.landlock", "entered"),
        Mechanism::SignalScope => ("sandbox.signal_scope", "works: gatepost cannot be signalled from inside"),
        Mechanism::Seccomp => ("sandbox.seccomp", "installed"),
    }
}

fn mechanism_finding(facts: &Facts, mechanism: Mechanism, attempt: Result<(), Failure>, severity: Status) -> Finding {
    let (check, works) = mechanism_name(mechanism);
    match attempt {
        Ok(()) if mechanism == Mechanism::Landlock => landlock(gatepost_sandbox::landlock_abi()),
        Ok(()) => Finding::ok(check, works),
        Err(failure) => {
            let found = format!("failed to {}: {}", failure.step.as_str(), failure.errno);
            refused(check, found, explain(facts, failure), severity)
        }
    }
}

/// The gate's own confinement mechanism, among those of tools.
fn means_of_the_gate(mechanism: Mechanism) -> Option<Means> {
    match mechanism {
        Mechanism::NoNewPrivs => Some(Means::NoNewPrivs),
        Mechanism::Landlock => Some(Means::Landlock),
        Mechanism::Seccomp => Some(Means::Seccomp),
        _ => None,
    }
}

/// The checks that have to pass if tools run at the strongest level, and if the gate or a reader confines itself.
pub(crate) fn required_checks(runs_tools: bool, confines: bool) -> Vec<&'static str> {
    let is_needed = |mechanism: &Mechanism| runs_tools || (confines && means_of_the_gate(*mechanism).is_some());
    Mechanism::ALL.into_iter().filter(is_needed).map(|mechanism| mechanism_name(mechanism).0).collect()
}

/// Whether the gate can drop the rights that it does not need.
fn confinement(lacking: &[Means], demand: Demand) -> Finding {
    let check = "gate.confinement";
    let Some(first) = lacking.first() else {
        return Finding::ok(check, "no network, no program and no path but the gate's own, before it reads a result");
    };
    let found = format!("the gate failed to {}", first.as_str());
    match demand {
        Demand::Required => Finding::failure(
            check,
            found,
            "The gate judges nothing here, because gate.toml requires this confinement.",
            first.hint(),
        ),
        Demand::BestEffort => {
            let why = "A compromised gate can do more. Its verdicts state the weaker confinement.";
            Finding::warning(check, found, why, first.hint())
        }
    }
}

fn refused(check: impl Into<String>, found: String, cause: Cause, severity: Status) -> Finding {
    let finding = Finding { status: severity, ..Finding::warning(check, found, cause.why, cause.fix) };
    Finding { fix_command: cause.command, ..finding }
}

/// The controls of an ABI; a warning for missing ones, because at level `full` the namespaces replace them.
fn landlock(abi: Result<u32, Errno>) -> Finding {
    let abi = abi.unwrap_or(0);
    let names = |wanted: bool| -> Vec<&str> {
        LANDLOCK.iter().filter(|(since, ..)| (abi >= *since) == wanted).map(|(_, name, _)| *name).collect()
    };
    let found = format!("ABI {abi}: {}", names(true).join(", "));
    match (names(false), LANDLOCK.last()) {
        (missing, Some((since, _, kernel))) if !missing.is_empty() => {
            let why = format!("Before ABI {since} Landlock does not control {}.", missing.join(", "));
            Finding::warning("sandbox.landlock", found, why, format!("Use Linux {kernel} or later."))
        }
        _ => Finding::ok("sandbox.landlock", found),
    }
}

fn level_finding(
    facts: &Facts,
    level: SandboxLevel,
    probed: &Result<Sandbox, SandboxError>,
    severity: Status,
) -> Finding {
    let check = format!("level.{}", level.as_str());
    match probed {
        Ok(enforced) => Finding::ok(check, format!("works: {}", enforced.layers.join(", "))),
        Err(error) => {
            let cause = match error {
                SandboxError::Unavailable { step, source, .. } | SandboxError::Exhausted { step, source } => {
                    explain(facts, Failure { step: *step, errno: Errno::from_io_error(source).unwrap_or(Errno::IO) })
                }
                other => Cause { why: format!("{other}."), fix: "Check the path.".to_owned(), command: None },
            };
            let found = error.to_string();
            // The hint is for evidence and logs, which lack the facts.
            let found = found.split_once("; ").map_or(found.as_str(), |(found, _)| found).to_owned();
            refused(check, found, cause, severity)
        }
    }
}

/// Whether tools can be limited to a list of destinations; no level depends on that.
fn network(bounded: Result<(), &str>) -> Finding {
    let check = "sandbox.network_allow_list";
    match bounded {
        Ok(()) => Finding::ok(check, "can be restricted at level full"),
        Err(lack) => {
            let why = "This machine cannot restrict a tool to its granted destinations, so TOOL-EXEC refuses requests for a network.";
            let fix = "Use Linux 6.7 or later with Landlock (ABI 4), or list no [network] destinations.";
            Finding::warning(check, format!("cannot be restricted: {lack}"), why, fix)
        }
    }
}

/// Whether tools can have a route; nothing else needs one.
fn route(fault: Option<String>) -> Finding {
    let check = "sandbox.routed_network";
    match fault {
        None => Finding::ok(check, "can be made at level full"),
        Some(fault) => {
            Finding::unavailable(check, format!("cannot be made, so tools that need it are refused: {fault}"))
        }
    }
}

/// Limits of gatepost's own process: a site's higher limits have no effect.
fn resource_limits(limits: &config::Limits) -> Vec<Finding> {
    let list = [
        ("cpu_seconds", Resource::Cpu, limits.cpu_seconds, 1, "t"),
        ("address_space_mb", Resource::As, limits.address_space_mb, 1 << 20, "v"),
        ("files", Resource::Nofile, limits.files, 1, "n"),
        ("processes", Resource::Nproc, limits.processes, 1, "u"),
        ("file_mb", Resource::Fsize, limits.file_mb, 1 << 20, "f"),
    ];
    list.into_iter()
        .map(|(name, resource, wanted, unit, flag)| {
            resource_limit(name, getrlimit(resource).maximum.map(|bytes| bytes / unit), wanted, flag)
        })
        .collect()
}

fn resource_limit(name: &str, own: Option<u64>, wanted: u64, flag: &str) -> Finding {
    let check = format!("limit.{name}");
    match own {
        None => Finding::ok(check, format!("{wanted}; this process has no limit")),
        Some(own) if own >= wanted => Finding::ok(check, format!("{wanted}; this process may use {own}")),
        Some(own) => {
            let why = format!(
                "This process is limited to {own} and cannot give its tools more: [limits] {name} = {wanted} is not in force."
            );
            let fix = format!(
                "Raise the hard limit of the service or the shell (`ulimit -H{flag}`), or lower [limits] {name}."
            );
            Finding::warning(check, own.to_string(), why, fix)
        }
    }
}

/// Never worse than `ok`: every limit of a site is also enforced by other means.
fn control_groups(state: &CgroupState) -> Finding {
    let check = "limit.control_groups";
    let Some(folder) = &state.folder else { return Finding::ok(check, "not used: cgroup v2 is not mounted") };
    let folder = quoted_name(folder.as_os_str());
    if !state.is_used {
        return Finding::ok(check, format!("not used: {folder} is not delegated to this user"));
    }
    match state.enabled.as_slice() {
        [] => Finding::ok(check, format!("a group for each run below {folder}, without a controller")),
        enabled => Finding::ok(check, format!("a group for each run below {folder}, with {}", enabled.join(", "))),
    }
}

/// Kernel memory of a tool belongs to no process: only a controller limits it.
fn kernel_memory(groups: &CgroupState) -> Finding {
    let check = "limit.kernel_memory";
    if groups.enabled.contains(&"memory") {
        return Finding::ok(check, "bounded together with the memory of a run, by the memory controller");
    }
    Finding::warning(
        check,
        "not bounded: no memory controller for runs",
        "Kernel memory of a tool, such as the buffers of its sockets and pipes, has no limit and is only reported afterwards. \
         A hostile tool can use a lot of it.",
        "Give gatepost a control group of its own with the memory controller: Delegate=yes in its systemd unit.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_landlock_is_told_with_what_it_lacks_and_the_kernel_that_has_it() {
        let old = landlock(Ok(3));
        assert_eq!(
            (old.status, old.found.as_str()),
            (Status::Warning, "ABI 3: files, renames across folders, truncation")
        );
        assert!(old.why.unwrap().contains("TCP, device ioctls, signals and abstract sockets"));
        assert_eq!(old.fix.unwrap(), "Use Linux 6.12 or later.");
        assert_eq!(landlock(Ok(7)).status, Status::Ok);
    }

    #[test]
    fn a_gate_that_cannot_confine_itself_is_a_failure_exactly_when_that_is_demanded() {
        for (lacking, demand, status) in [
            (&[][..], Demand::Required, Status::Ok),
            (&[Means::Landlock, Means::Seccomp], Demand::Required, Status::Failure),
            (&[Means::Seccomp], Demand::BestEffort, Status::Warning),
        ] {
            let finding = confinement(lacking, demand);
            assert_eq!((finding.status, finding.fix.is_some()), (status, !lacking.is_empty()), "{finding:?}");
        }
    }

    #[test]
    fn a_network_that_cannot_be_bounded_is_a_warning() {
        assert_eq!(network(Ok(())).status, Status::Ok);
        let unbounded = network(Err("its kernel knows no TCP"));
        assert_eq!(unbounded.status, Status::Warning);
        assert!(unbounded.found.ends_with("its kernel knows no TCP") && unbounded.fix.unwrap().contains("6.7"));
    }

    #[test]
    fn control_groups_are_told_as_far_as_they_are_used() {
        let state = |folder: Option<&str>, is_used, enabled: &[&'static str]| {
            let state = CgroupState { folder: folder.map(Into::into), is_used, enabled: enabled.to_vec() };
            control_groups(&state).found
        };
        assert!(state(None, false, &[]).contains("not mounted"));
        assert!(state(Some("/cg"), false, &[]).contains("not delegated"));
        assert!(state(Some("/cg"), true, &[]).ends_with("without a controller"));
        assert!(state(Some("/cg"), true, &["memory", "pids"]).ends_with("with memory, pids"));
    }

    #[test]
    fn memory_of_the_kernel_is_bounded_by_a_memory_controller_alone() {
        for (enabled, status) in [(vec!["pids"], Status::Warning), (vec!["memory"], Status::Ok)] {
            let finding = kernel_memory(&CgroupState { folder: None, is_used: true, enabled });
            assert_eq!((finding.status, finding.fix.is_some()), (status, status == Status::Warning), "{finding:?}");
        }
    }

    #[test]
    fn a_limit_of_this_process_below_the_sites_is_a_warning() {
        assert_eq!(resource_limit("files", Some(1024), 1024, "n").status, Status::Ok);
        assert_eq!(resource_limit("files", None, 1024, "n").status, Status::Ok);
        let low = resource_limit("files", Some(64), 1024, "n");
        assert_eq!(low.status, Status::Warning);
        assert!(low.why.unwrap().contains("[limits] files = 1024 is not in force"));
    }

    #[test]
    fn a_refusal_warns_while_the_site_can_work_and_fails_when_it_cannot() {
        let facts = Facts { user: 1000, ..Facts::default() };
        let failure = Failure { step: gatepost_sandbox::Step::Clone, errno: Errno::PERM };
        for severity in [Status::Warning, Status::Failure] {
            let finding = mechanism_finding(&facts, Mechanism::NetworkNamespace, Err(failure), severity);
            assert_eq!((finding.check.as_str(), finding.status), ("namespace.network", severity));
            assert!(finding.why.is_some() && finding.fix.is_some(), "{finding:?}");
        }
    }
}
