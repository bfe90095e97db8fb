//! Facts about the machine and about the start of this process, read before any test.
//!
//! Each fact comes from the kernel's own interface; one that cannot be read is absent, never guessed.
//! *Standards*: Linux `proc(5)`, `user_namespaces(7)`, Documentation/admin-guide/sysctl.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::fs::statat;

/// The sysctls that limit namespaces; 0 forbids them.
const NAMESPACE_SYSCTLS: [&str; 6] = [
    "user.max_user_namespaces",
    "user.max_pid_namespaces",
    "user.max_mnt_namespaces",
    "user.max_ipc_namespaces",
    "user.max_uts_namespaces",
    "user.max_net_namespaces",
];

/// Files that container runtimes leave in their containers, and the runtime's name.
const CONTAINER_SIGNS: [(&str, &str); 4] = [
    ("/.dockerenv", "Docker"),
    ("/run/.containerenv", "Podman"),
    ("/var/run/secrets/kubernetes.io", "Kubernetes"),
    ("/run/systemd/container", "a container known to systemd"),
];

/// The facts.
#[allow(clippy::struct_excessive_bools, reason = "each is an independent fact")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    /// The kernel's release.
    pub kernel: String,
    /// The real path of this program.
    pub program: PathBuf,
    /// The effective user id.
    pub user: u32,
    /// `kernel.apparmor_restrict_unprivileged_userns` is 1.
    pub apparmor_restricts: bool,
    /// `kernel.unprivileged_userns_clone` is 0: Debian's switch.
    pub unprivileged_forbidden: bool,
    /// The sysctls `user.max_*_namespaces` that are 0.
    pub namespaces_forbidden: Vec<String>,
    /// `user.max_user_namespaces`.
    pub user_namespaces_max: Option<u64>,
    /// The active security modules, as the kernel names them; absent if securityfs is not mounted.
    pub security_modules: Option<String>,
    /// The runtime of this apparent container.
    pub container: Option<String>,
    /// Mounts over parts of /proc.
    pub proc_masks: Vec<String>,
    /// Whether a seccomp filter already applies to this process.
    pub is_filtered: bool,
    /// Whether this process cannot gain privileges through exec.
    pub no_new_privs: bool,
    /// Whether the root folder differs from the root of the mount namespace.
    pub is_chrooted: bool,
}

impl Facts {
    /// Reads the facts.
    pub(super) fn read() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        let forbidden = NAMESPACE_SYSCTLS.into_iter().filter(|name| sysctl(name) == Some(0)).map(str::to_owned);
        Self {
            kernel: gatepost_sandbox::kernel(),
            program: std::env::current_exe().and_then(fs::canonicalize).unwrap_or_default(),
            user: rustix::process::geteuid().as_raw(),
            apparmor_restricts: sysctl("kernel.apparmor_restrict_unprivileged_userns") == Some(1),
            unprivileged_forbidden: sysctl("kernel.unprivileged_userns_clone") == Some(0),
            namespaces_forbidden: forbidden.collect(),
            user_namespaces_max: sysctl("user.max_user_namespaces"),
            security_modules: fs::read_to_string("/sys/kernel/security/lsm").ok().map(|list| list.trim().to_owned()),
            container: container(),
            proc_masks: masks(&mounts),
            is_filtered: status_field(&status, "Seccomp") == Some("2"),
            no_new_privs: status_field(&status, "NoNewPrivs") == Some("1"),
            is_chrooted: !mount_points(&mounts).any(|point| point == "/") || root_differs_from_first_process(),
        }
    }

    /// Whether this is root, which some of the kernel's rules exempt.
    pub(super) fn is_root(&self) -> bool {
        self.user == 0
    }

    /// Whether this is WSL.
    pub(super) fn is_wsl(&self) -> bool {
        self.kernel.to_ascii_lowercase().contains("microsoft")
    }
}

fn sysctl(name: &str) -> Option<u64> {
    fs::read_to_string(Path::new("/proc/sys").join(name.replace('.', "/"))).ok()?.trim().parse().ok()
}

fn container() -> Option<String> {
    let signs = CONTAINER_SIGNS.into_iter().filter(|(path, _)| Path::new(path).exists());
    let mut names: Vec<&str> = signs.map(|(_, name)| name).collect();
    if std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() && !names.contains(&"Kubernetes") {
        names.push("Kubernetes");
    }
    (!names.is_empty()).then(|| names.join(", "))
}

/// A field of `/proc/self/status`.
fn status_field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
}

fn mount_points(mountinfo: &str) -> impl Iterator<Item = &str> {
    mountinfo.lines().filter_map(|line| line.split(' ').nth(4))
}

/// Mounts that hide parts of /proc. The kernel refuses a fresh /proc to a process that does not see all of this one.
/// Mounts on its empty folders hide nothing.
fn masks(mountinfo: &str) -> Vec<String> {
    const EMPTY: [&str; 3] = ["/proc/sys/fs/binfmt_misc", "/proc/fs/nfsd", "/proc/xen"];
    let covers = mount_points(mountinfo).filter(|point| point.starts_with("/proc/") && !EMPTY.contains(point));
    covers.map(str::to_owned).collect()
}

/// Only root may look; other users have only the mounts.
fn root_differs_from_first_process() -> bool {
    let at = |path: &str| statat(rustix::fs::CWD, path, rustix::fs::AtFlags::empty()).ok();
    match (at("/"), at("/proc/1/root/")) {
        (Some(ours), Some(first)) => (ours.st_dev, ours.st_ino) != (first.st_dev, first.st_ino),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_container_hides_of_proc_is_read_off_its_mounts() {
        let mounts = "22 27 0:21 / / rw - overlay overlay rw\n23 22 0:5 / /proc rw - proc proc rw\n\
                      24 23 0:5 /bus /proc/bus ro - proc proc rw\n25 23 0:9 / /proc/kcore rw - tmpfs tmpfs rw\n\
                      26 23 0:9 / /proc/sys/fs/binfmt_misc rw - autofs systemd-1 rw\n";
        assert_eq!(masks(mounts), ["/proc/bus", "/proc/kcore"]);
    }

    #[test]
    fn a_field_of_the_status_is_found_by_its_whole_name() {
        let status = "NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n";
        assert_eq!(status_field(status, "Seccomp"), Some("2"));
        assert_eq!(status_field(status, "NoNewPrivs"), Some("1"));
        assert_eq!(status_field(status, "Sec"), None);
    }
}
