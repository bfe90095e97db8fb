//! The system calls that are refused for all arguments, by the object that they reach; and those that do not exist for a tool.
//!
//! Of the calls of Linux 5.1 to 6.18 a tool may use those that are not listed here, because they reach:
//!
//! ```text
//! the caller's own memory      map_shadow_stack mseal set_mempolicy_home_node
//! the caller's own futexes     futex_waitv futex_wake futex_wait futex_requeue
//! the caller's descriptors     close_range epoll_pwait2
//! processes that it may signal pidfd_open pidfd_send_signal: the enclosure holds signals and Landlock asks about each
//! files that it may open       openat2 faccessat2 fchmodat2 (beside namespaces) cachestat (own or writable files alone), the
//!                              xattrat family and file_getattr, file_setattr (beside namespaces)
//! itself, to be held closer    landlock_* , lsm_get_self_attr, lsm_list_modules
//! nothing                      uretprobe, uprobe: returns from a probe that only the kernel puts there
//! ```
//!
//! Later calls are unknown here, and get the answer of a kernel that does not have them.

use std::ffi::c_long;

// The bindings lack them; since Linux 5.1 a call has the same number on every architecture.
#[cfg(target_arch = "x86_64")]
const SYS_IO_PGETEVENTS: c_long = 333;
#[cfg(not(target_arch = "x86_64"))]
const SYS_IO_PGETEVENTS: c_long = 292;
const SYS_MEMFD_SECRET: c_long = 447;
const SYS_PROCESS_MRELEASE: c_long = 448;
const SYS_STATMOUNT: c_long = 457;
const SYS_LISTMOUNT: c_long = 458;
const SYS_LSM_SET_SELF_ATTR: c_long = 460;
const SYS_SETXATTRAT: c_long = 463;
const SYS_GETXATTRAT: c_long = 464;
const SYS_LISTXATTRAT: c_long = 465;
const SYS_REMOVEXATTRAT: c_long = 466;
const SYS_OPEN_TREE_ATTR: c_long = 467;
const SYS_FILE_GETATTR: c_long = 468;
const SYS_FILE_SETATTR: c_long = 469;

/// The first number that Linux 6.18 gives to no call, on every architecture.
pub(super) const UNKNOWN: u32 = 470;

/// What a tool finds missing as on a kernel built without it, so that programs fall back.
pub(super) const ABSENT: &[c_long] = &[
    // Pages that count for no process: a mapping of them looks like one of a file.
    SYS_MEMFD_SECRET,
    // Pages that a pipe keeps after the process released them: one slot keeps a whole huge page.
    libc::SYS_vmsplice,
    // Contexts of asynchronous I/O: `fs.aio-max-nr` bounds them for the whole machine.
    libc::SYS_io_setup,
    libc::SYS_io_destroy,
    libc::SYS_io_submit,
    libc::SYS_io_cancel,
    libc::SYS_io_getevents,
    SYS_IO_PGETEVENTS,
    // The mounts, the machine's where there is no namespace of them.
    SYS_STATMOUNT,
    SYS_LISTMOUNT,
];

/// The calls that no tool needs.
pub(super) const ANYWHERE: &[c_long] = &[
    // Work that no filter sees, and faults that a process can delay.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_userfaultfd,
    // Other processes' memory and descriptors.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    SYS_PROCESS_MRELEASE,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // The kernel's keys, programs and counters.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_fanotify_init,
    libc::SYS_lookup_dcookie,
    SYS_LSM_SET_SELF_ATTR,
    // The view of the file system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Memory that the kernel keeps without an attached process, so no measurement of processes counts it.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    // Namespaces.
    libc::SYS_unshare,
    libc::SYS_setns,
    // Processors beyond those that were given.
    libc::SYS_sched_setaffinity,
    // The machine.
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
];

/// What reaches beyond a tool that shares the machine's namespaces, and that Landlock does not ask about.
pub(super) const WITHOUT_NAMESPACES: &[c_long] = &[
    // The network, and sockets of others.
    libc::SYS_socket,
    libc::SYS_bind,
    libc::SYS_connect,
    // Memory, semaphores and queues of others.
    libc::SYS_shmat,
    libc::SYS_shmdt,
    libc::SYS_shmctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_notify,
    libc::SYS_mq_getsetattr,
];

/// The mode, the owner and the times of files that a program can name or read, and that have the same owner: Landlock does not ask about
/// them.
pub(super) const METADATA: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_chown,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_lchown,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utime,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    SYS_FILE_GETATTR,
    SYS_FILE_SETATTR,
];

/// Extended attributes, likewise: programs take them for a thing that this file system does not have.
pub(super) const ATTRIBUTES: &[c_long] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    SYS_SETXATTRAT,
    libc::SYS_getxattr,
    libc::SYS_lgetxattr,
    libc::SYS_fgetxattr,
    SYS_GETXATTRAT,
    libc::SYS_listxattr,
    libc::SYS_llistxattr,
    libc::SYS_flistxattr,
    SYS_LISTXATTRAT,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SYS_REMOVEXATTRAT,
];

/// Watching folders: a watch reveals files that other users open in the tool's view, and finds names that Landlock does
/// not hide. Programs fall back to polling.
pub(super) const WATCHES: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
];
