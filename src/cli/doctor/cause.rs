//! Derives from facts why the kernel refuses a step of the sandbox, and the remedy. Pure.
//!
//! The kernel returns only an errno, which several rules share. The function names the most likely cause that fits the
//! facts; if none fits, the text says so.

use gatepost_sandbox::{Failure, Step};
use rustix::io::Errno;

use super::apparmor::{PROFILE_FILE, install_command};
use super::facts::Facts;

/// A cause and its remedy, in whole sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cause {
    /// Why.
    pub why: String,
    /// What to do.
    pub fix: String,
    /// The remedy as one shell command line.
    pub command: Option<String>,
}

impl Cause {
    fn new(why: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { why: why.into(), fix: fix.into(), command: None }
    }

    fn run(self, command: impl Into<String>) -> Self {
        Self { command: Some(command.into()), ..self }
    }
}

/// The likely cause of a failure.
pub(super) fn explain(facts: &Facts, failure: Failure) -> Cause {
    let Failure { step, errno } = failure;
    let specific = match step {
        Step::Clone => clone(facts, errno),
        Step::IdMap => id_map(facts, errno),
        Step::Proc => proc(facts, errno),
        Step::Root | Step::View | Step::HostName => mount(facts, errno),
        Step::Landlock | Step::SignalScope => Some(landlock(facts, errno)),
        Step::Seccomp => Some(seccomp(facts)),
        _ => None,
    };
    specific.unwrap_or_else(|| {
        let why = format!("The kernel refused to {}: {errno}.", step.as_str());
        Cause::new(why, "Check the system log for a security policy that forbids it or a limit that was reached.")
    })
}

fn is_denied(errno: Errno) -> bool {
    matches!(errno, Errno::PERM | Errno::ACCESS)
}

fn clone(facts: &Facts, errno: Errno) -> Option<Cause> {
    match errno {
        Errno::NOSPC | Errno::USERS if !facts.namespaces_forbidden.is_empty() => Some(forbidden_by_sysctl(facts)),
        Errno::NOSPC | Errno::USERS => Some(Cause::new(
            "This user has reached the limit on namespaces, or they are nested too deeply.",
            "Raise the sysctl user.max_user_namespaces, or use `lsns` to find what keeps so many namespaces alive.",
        )),
        Errno::AGAIN | Errno::NOMEM => Some(Cause::new(
            "No more processes can be created: a limit of the user, of the control group or of the machine has been reached.",
            "Check `ulimit -u` and the machine's memory, and stop what is not needed.",
        )),
        Errno::NOSYS if facts.is_filtered => Some(Cause::new(
            "An outer seccomp filter blocks clone3.",
            "Use a newer container runtime, or give this container a seccomp profile that allows clone3.",
        )),
        Errno::NOSYS => Some(old_kernel(facts, "5.9", "clone3")),
        Errno::INVAL => Some(Cause::new(
            "This kernel was built without one of the namespaces.",
            "Use a kernel with CONFIG_USER_NS, CONFIG_PID_NS, CONFIG_IPC_NS, CONFIG_UTS_NS and CONFIG_NET_NS.",
        )),
        _ if is_denied(errno) => Some(denied(facts)),
        _ => None,
    }
}

/// The likely source of a denied namespace, most definite sign first.
fn denied(facts: &Facts) -> Cause {
    if facts.unprivileged_forbidden && !facts.is_root() {
        let cause = Cause::new(
            "The sysctl kernel.unprivileged_userns_clone is 0: only root may create user namespaces.",
            "Set it to 1, and also in /etc/sysctl.d/ to keep it across reboots.",
        );
        return cause.run("sudo sysctl -w kernel.unprivileged_userns_clone=1");
    }
    if facts.is_chrooted {
        let why = "This process runs in a chroot, where the kernel does not create user namespaces.";
        return Cause::new(why, "Run gatepost outside the chroot, or in a container with its own root.");
    }
    let confined = (facts.is_filtered || facts.apparmor_restricts).then(|| confined(facts)).flatten();
    confined.unwrap_or_else(|| {
        Cause::new(
            "The kernel denies it to this process: its root is a chroot, its user id is not mapped in its user namespace, or a security module forbids it.",
            "Run gatepost outside the chroot or container, and look for the denial in the system log.",
        )
    })
}

fn id_map(facts: &Facts, errno: Errno) -> Option<Cause> {
    is_denied(errno).then(|| confined(facts)).flatten()
}

fn mount(facts: &Facts, errno: Errno) -> Option<Cause> {
    match errno {
        Errno::INVAL | Errno::NOSYS if facts.is_chrooted => {
            let why = "This process runs in a chroot, from which it cannot change to another root.";
            Some(Cause::new(why, "Run gatepost outside the chroot."))
        }
        Errno::INVAL => Some(Cause::new(
            "The root is the initial RAM file system, or the kernel does not support mount attributes (Linux 5.12).",
            "Run gatepost on a mounted root file system, with a newer kernel.",
        )),
        Errno::NOSYS => Some(old_kernel(facts, "5.12", "mount_setattr")),
        _ => is_denied(errno).then(|| confined(facts)).flatten(),
    }
}

fn proc(facts: &Facts, errno: Errno) -> Option<Cause> {
    if is_denied(errno) && !facts.proc_masks.is_empty() {
        let first = facts.proc_masks.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
        let why = format!(
            "Parts of /proc are masked here (mounts: {}, with {first}), and the kernel does not mount a new /proc for a process that cannot see all of it.",
            facts.proc_masks.len()
        );
        let fix = "Start the container with an unmasked /proc: `--security-opt systempaths=unconfined` for Docker, \
                   `--security-opt unmask=ALL` for Podman, `procMount: Unmasked` for Kubernetes.";
        return Some(Cause::new(why, fix));
    }
    mount(facts, errno)
}

/// Causes that deny namespaces, id maps and mounts: AppArmor, a container, a service manager.
fn confined(facts: &Facts) -> Option<Cause> {
    if facts.apparmor_restricts && !facts.is_root() {
        let mut fix =
            format!("Allow it for this program alone with the profile {PROFILE_FILE}, which the command installs.");
        if facts.no_new_privs {
            fix += " Under no_new_privs, the kernel applies the profile only if the starting process has no profile, as with systemd.";
        }
        let cause = Cause::new(
            "AppArmor removes all capabilities in user namespaces that programs without a profile create \
             (kernel.apparmor_restrict_unprivileged_userns is 1).",
            fix,
        );
        return Some(cause.run(install_command(&facts.program)));
    }
    if let Some(container) = &facts.container {
        let fix = "Give the container what nested sandboxes need: `--security-opt seccomp=unconfined --security-opt \
                   apparmor=unconfined --security-opt systempaths=unconfined` for Docker and Podman; for Kubernetes \
                   `seccompProfile: {type: Unconfined}`, `procMount: Unmasked` and `hostUsers: false`; or run gatepost outside of it.";
        return Some(Cause::new(format!("The container ({container}) forbids namespaces or mounts."), fix));
    }
    facts.is_filtered.then(|| {
        Cause::new(
            "An outer seccomp filter forbids namespaces or mounts.",
            "In a systemd unit remove RestrictNamespaces= and let SystemCallFilter= allow @mount, unshare and clone3.",
        )
    })
}

fn forbidden_by_sysctl(facts: &Facts) -> Cause {
    let names = facts.namespaces_forbidden.join(", ");
    let settings: Vec<String> = facts.namespaces_forbidden.iter().map(|name| format!("{name}=15000")).collect();
    let why = format!("Namespaces are disabled by sysctls set to 0: {names}.");
    Cause::new(why, "Raise them, and also in /etc/sysctl.d/ to keep them across reboots.")
        .run(format!("sudo sysctl -w {}", settings.join(" ")))
}

fn landlock(facts: &Facts, errno: Errno) -> Cause {
    let listed = facts.security_modules.as_deref().map(|list| list.split(',').any(|name| name == "landlock"));
    match errno {
        Errno::NOSYS if facts.is_filtered => Cause::new(
            "An outer seccomp filter blocks the Landlock system calls.",
            "Use a newer container runtime, or a seccomp profile that allows landlock_create_ruleset.",
        ),
        Errno::OPNOTSUPP if listed == Some(false) => {
            let list = facts.security_modules.as_deref().unwrap_or_default();
            let why =
                format!("Landlock is built into this kernel but not enabled; the active security modules are: {list}.");
            let fix = format!(
                "Add landlock to CONFIG_LSM or to the kernel's command line (`lsm=landlock,{list}`) and reboot."
            );
            Cause::new(why, fix)
        }
        _ if facts.is_wsl() => Cause::new(
            format!("The WSL kernel ({}) has no sufficient Landlock.", facts.kernel),
            "Update it with `wsl --update`, or use a virtual machine with Linux 6.12 or later.",
        ),
        _ => old_kernel(facts, "6.12", "Landlock with signals and abstract sockets (ABI 6)"),
    }
}

fn seccomp(facts: &Facts) -> Cause {
    Cause::new(
        format!("The kernel {} does not support seccomp filters.", facts.kernel),
        "Use a kernel with CONFIG_SECCOMP_FILTER.",
    )
}

fn old_kernel(facts: &Facts, since: &str, what: &str) -> Cause {
    Cause::new(
        format!("The kernel {} does not support {what}, or was built without it.", facts.kernel),
        format!("Use Linux {since} or later."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user() -> Facts {
        Facts { user: 1000, program: "/usr/bin/gatepost".into(), kernel: "6.8.0".to_owned(), ..Default::default() }
    }

    fn why(facts: &Facts, step: Step, errno: Errno) -> String {
        let cause = explain(facts, Failure { step, errno });
        assert!(cause.why.ends_with('.') && cause.fix.ends_with('.'), "{cause:?}");
        [cause.why, cause.fix, cause.command.unwrap_or_default()].join("\n")
    }

    #[test]
    fn each_cause_is_told_from_the_facts_that_show_it() {
        let apparmor = Facts { apparmor_restricts: true, ..user() };
        let debian = Facts { unprivileged_forbidden: true, ..user() };
        let sysctl = Facts { namespaces_forbidden: vec!["user.max_net_namespaces".to_owned()], ..user() };
        let docker = Facts { container: Some("Docker".to_owned()), is_filtered: true, ..user() };
        let masked = Facts { proc_masks: vec!["/proc/kcore".to_owned()], ..user() };
        let chroot = Facts { is_chrooted: true, ..user() };
        let service = Facts { is_filtered: true, ..user() };
        let unlisted = Facts { security_modules: Some("yama,apparmor".to_owned()), ..user() };
        let wsl = Facts { kernel: "5.15.1-microsoft-standard-WSL2".to_owned(), ..user() };
        let cases: &[(&Facts, Step, Errno, &str)] = &[
            (&apparmor, Step::IdMap, Errno::PERM, "sudo tee /etc/apparmor.d/gatepost && sudo apparmor_parser -r"),
            (&apparmor, Step::Clone, Errno::ACCESS, "/usr/bin/gatepost --output text doctor --apparmor-profile"),
            (&apparmor, Step::Root, Errno::ACCESS, "kernel.apparmor_restrict_unprivileged_userns is 1"),
            (&debian, Step::Clone, Errno::PERM, "sudo sysctl -w kernel.unprivileged_userns_clone=1"),
            (&sysctl, Step::Clone, Errno::NOSPC, "sudo sysctl -w user.max_net_namespaces=15000"),
            (&user(), Step::Clone, Errno::NOSPC, "limit on namespaces"),
            (&user(), Step::Clone, Errno::AGAIN, "No more processes"),
            (&docker, Step::Clone, Errno::PERM, "--security-opt seccomp=unconfined"),
            (&docker, Step::Clone, Errno::NOSYS, "clone3"),
            (&docker, Step::Root, Errno::ACCESS, "The container (Docker) forbids"),
            (&docker, Step::Landlock, Errno::NOSYS, "seccomp profile that allows landlock_create_ruleset"),
            (&masked, Step::Proc, Errno::PERM, "--security-opt unmask=ALL"),
            (&chroot, Step::Clone, Errno::PERM, "outside the chroot"),
            (&chroot, Step::Root, Errno::INVAL, "outside the chroot"),
            (&user(), Step::Clone, Errno::PERM, "a security module forbids it"),
            (&service, Step::Clone, Errno::PERM, "RestrictNamespaces="),
            (&unlisted, Step::Landlock, Errno::OPNOTSUPP, "lsm=landlock,yama,apparmor"),
            (&wsl, Step::Landlock, Errno::OPNOTSUPP, "wsl --update"),
            (&user(), Step::Landlock, Errno::OPNOTSUPP, "Use Linux 6.12 or later"),
            (&user(), Step::Clone, Errno::NOSYS, "Use Linux 5.9 or later"),
            (&user(), Step::Seccomp, Errno::INVAL, "CONFIG_SECCOMP_FILTER"),
            (&user(), Step::IdMap, Errno::IO, "refused to map the user id"),
        ];
        for (facts, step, errno, expected) in cases {
            let cause = why(facts, *step, *errno);
            assert!(cause.contains(expected), "{step:?} {errno}: {cause}");
        }
    }

    #[test]
    fn what_does_not_bind_root_is_not_named_to_root() {
        let facts = Facts { user: 0, apparmor_restricts: true, unprivileged_forbidden: true, ..user() };
        let cause = why(&facts, Step::Clone, Errno::PERM);
        assert!(!cause.contains("AppArmor") && !cause.contains("sysctl"), "{cause}");
    }

    #[test]
    fn when_no_new_privs_keeps_a_profile_from_being_entered_is_told() {
        let facts = Facts { apparmor_restricts: true, no_new_privs: true, ..user() };
        assert!(why(&facts, Step::IdMap, Errno::PERM).contains("only if the starting process"));
    }
}
