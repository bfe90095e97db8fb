//! The seccomp filter: allows the system calls that the gate needs.
//!
//! ```text
//! a foreign architecture                         ▶ the process is killed
//! a network, a program, another process,
//! mounts, namespaces, io_uring, bpf, modules, …  ▶ the process is killed: no judge asks for them, so this one was taken over
//! a call of the list                             ▶ allowed, some with certain arguments only
//! anything else                                  ▶ ENOSYS, as if the kernel were older
//! ```
//!
//! ENOSYS rather than EPERM: a newer C library tries a new call first and falls back to an old one if it does not
//! exist. That also turns `clone3`, whose flags a filter cannot see, into `clone`, whose flags it can: it allows only
//! threads of this process. No memory becomes executable. A mode is changed only by descriptor, so only of files that
//! Landlock let the gate open. *Standards*: Linux `seccomp(2)`.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::io;

use libc::c_long;
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen::Dword, SeccompCmpArgLen::Qword, SeccompCmpOp,
    SeccompCmpOp::Eq, SeccompCmpOp::MaskedEq, SeccompCondition, SeccompFilter, SeccompRule, TargetArch,
};

type Rules = BTreeMap<c_long, Vec<SeccompRule>>;

/// Calls that no part of the gate would make.
const FATAL: &[c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_kexec_load,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// Calls that are allowed with any arguments: on the files that Landlock allows, on existing memory, on open
/// descriptors, on the caller itself.
const ALLOWED: &[c_long] = &[
    // Files and folders.
    libc::SYS_openat,
    libc::SYS_close,
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_pread64,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_getdents64,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getcwd,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_linkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_fchmod,
    libc::SYS_ftruncate,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_umask,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Threads and signals of this process.
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_membarrier,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Time and random numbers.
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_clock_nanosleep,
    libc::SYS_gettimeofday,
    libc::SYS_nanosleep,
    libc::SYS_getrandom,
    // Waiting, on descriptors opened before: for changes in two folders, signals, the gate's own workers.
    libc::SYS_ppoll,
    libc::SYS_inotify_add_watch,
];

/// Older forms of calls above, missing on newer architectures.
#[cfg(target_arch = "x86_64")]
const ALLOWED_OLD: &[c_long] = &[
    libc::SYS_open,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_link,
    libc::SYS_rename,
    libc::SYS_poll,
    libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_OLD: &[c_long] = &[];

/// Queries on a terminal, and on other files.
const IOCTLS: [u64; 2] = [0x5401 /* TCGETS */, 0x802c_542a /* TCGETS2 */];

const FCNTLS: [i32; 5] = [libc::F_DUPFD_CLOEXEC, libc::F_GETFD, libc::F_SETFD, libc::F_GETFL, libc::F_SETFL];

/// Installs both filters on this thread and its children. Needs `no_new_privs`.
pub(super) fn enter() -> io::Result<()> {
    let own = u64::from(std::process::id());
    let filters = [fatal().map_err(io::Error::other)?, allowed(own).map_err(io::Error::other)?];
    // Order matters: the second filter forbids a third.
    filters.iter().try_for_each(|filter| seccompiler::apply_filter(filter)).map_err(io::Error::other)
}

fn fatal() -> Result<BpfProgram, BackendError> {
    let rules = FATAL.iter().map(|call| (*call, Vec::new())).collect();
    compile(rules, SeccompAction::Allow, SeccompAction::KillProcess)
}

fn allowed(own_process: u64) -> Result<BpfProgram, BackendError> {
    let mut rules: Rules = ALLOWED.iter().chain(ALLOWED_OLD).map(|call| (*call, Vec::new())).collect();
    let thread = mask(libc::CLONE_THREAD | libc::CLONE_VM);
    let executable = mask(libc::PROT_EXEC);
    let mut allow = |call, conditions: Vec<SeccompRule>| rules.insert(call, conditions);
    allow(libc::SYS_clone, vec![when(&[(0, MaskedEq(thread), thread)])?]);
    allow(libc::SYS_mmap, vec![when(&[(2, MaskedEq(executable), 0)])?]);
    allow(libc::SYS_mprotect, vec![when(&[(2, MaskedEq(executable), 0)])?]);
    allow(libc::SYS_prctl, vec![when(&[(0, Eq, mask(libc::PR_SET_NAME))])?]);
    allow(libc::SYS_tgkill, vec![when(&[(0, Eq, own_process)])?]);
    // Limits may be read but not set.
    allow(libc::SYS_prlimit64, vec![when(&[(0, Eq, 0), (2, Eq, 0)])?]);
    allow(libc::SYS_ioctl, one_of(IOCTLS)?);
    allow(libc::SYS_fcntl, one_of(FCNTLS.map(mask))?);
    compile(rules, SeccompAction::Errno(libc::ENOSYS.cast_unsigned()), SeccompAction::Allow)
}

/// A rule that matches when all these arguments, by number, compare as given.
fn when(arguments: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, BackendError> {
    let conditions = arguments
        .iter()
        .map(|(number, comparison, value)| SeccompCondition::new(*number, Qword, comparison.clone(), *value));
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}

/// A rule for each allowed value of the second argument; the kernel reads 32 bits of it.
fn one_of<const COUNT: usize>(values: [u64; COUNT]) -> Result<Vec<SeccompRule>, BackendError> {
    let conditions = values.map(|value| SeccompCondition::new(1, Dword, Eq, value));
    conditions.into_iter().map(|condition| SeccompRule::new(vec![condition?])).collect()
}

fn mask(bits: i32) -> u64 {
    u64::from(bits.cast_unsigned())
}

fn compile(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(rules, otherwise, matched, TargetArch::try_from(ARCH)?)?.try_into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_call_is_both_fatal_and_allowed_and_both_filters_compile() {
        assert!(FATAL.iter().all(|call| !ALLOWED.contains(call) && !ALLOWED_OLD.contains(call)));
        assert!(fatal().unwrap().len() > FATAL.len() && allowed(1).unwrap().len() > ALLOWED.len());
    }
}
