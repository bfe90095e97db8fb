//! The filter of system calls, the last layer: it refuses calls that no tool needs, and calls that have let programs escape before.
//!
//! ```text
//! foreign architecture, x32  ▶ the process is killed        clone3                         ▶ ENOSYS: libc falls back to clone
//! a call of the list         ▶ EPERM                        clone into a namespace         ▶ EPERM
//! an ioctl not listed        ▶ ENOTTY                       socket of a family not listed, raw socket ▶ EPERM,
//!                                                            but of netlink for routes, beside namespaces
//! a lease, notes on a folder ▶ EPERM                        huge pages of the machine's pool ▶ EPERM
//! a call newer than the list ▶ ENOSYS                       the limit of core dumps set    ▶ 0, and it stays as it is
//! secret memory, asynchronous I/O, vmsplice, statmount, inotify ▶ ENOSYS                   anything else ▶ allowed
//! ```
//!
//! Without namespaces it is stricter, for everything that Landlock does not check:
//!
//! ```text
//! socket, bind, connect      ▶ EPERM: no network            mode, owner, times of files    ▶ EPERM
//! pairs that are addressed   ▶ EPERM                        extended attributes            ▶ EOPNOTSUPP
//! System V ids, POSIX queues ▶ EPERM
//! limits, priority, scheduling, pages of any process but the caller's own ▶ EPERM
//! ```
//!
//! The flags of clone3 are in memory, where a filter cannot see them; those of clone are not. The kernel reads only 32 bits of an
//! ioctl's number, so only those are compared.
//!
//! The limit of core dumps keeps the machine's handler from starting ([`super::rlimit`]). A program that sets it to 0, to forbid its
//! own dumps, gets success; some programs end if that call fails.
//!
//! Known weakness: a lock (`flock`, or a shared one of `fcntl`) can be taken on any file that is open for reading, and delays outside
//! processes that lock the same file. Programs need locks on files of their own, and a filter cannot distinguish those.
//!
//! Standards: Linux `seccomp(2)`.

mod program;
mod refused;

use std::ffi::{c_int, c_long};

use rustix::io::Errno;
use rustix::process::Resource;

use super::system_call;
pub(super) use program::Program;
use program::{ALLOW, DONE, ENOSYS, ENOTTY, EOPNOTSUPP, EPERM};

/// The layer as evidence names it.
pub(super) const LAYER: &str = "seccomp";
/// The layer of the strict filter besides.
pub(super) const STRICT_LAYER: &str = "no_sockets";

const NEW_NAMESPACES: c_int = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// The `ioctl`s that programs need: terminal modes, readable bytes, descriptor flags, and
/// copies into a file that is open for writing. Other calls change flags, versions, keys and more of a file that is only open
/// for reading, put text into a terminal's input, or control a device. A tool's only terminal is that of its session.
const IOCTLS: [u32; 20] = [
    0x0002,      // FIGETBSZ
    0x5401,      // TCGETS
    0x5402,      // TCSETS
    0x5403,      // TCSETSW
    0x5404,      // TCSETSF
    0x802c_542a, // TCGETS2
    0x402c_542b, // TCSETS2
    0x402c_542c, // TCSETSW2
    0x402c_542d, // TCSETSF2
    0x5409,      // TCSBRK
    0x540b,      // TCFLSH
    0x540f,      // TIOCGPGRP
    0x5413,      // TIOCGWINSZ
    0x541b,      // FIONREAD
    0x5421,      // FIONBIO
    0x5450,      // FIONCLEX
    0x5451,      // FIOCLEX
    0x5460,      // FIOQSIZE
    0x4004_9409, // FICLONE
    0x4020_940d, // FICLONERANGE
];

/// `fcntl`s that delay the next process that opens a file, and that report events in a folder.
const LEASE_AND_NOTES: [c_int; 2] = [libc::F_SETLEASE, libc::F_NOTIFY];

/// Calls that take huge pages out of the machine's pool, with the argument and its bit that ask for them. Such pages are
/// counted apart from all other memory of a process.
const HUGE_PAGES: [(c_long, usize, u32); 2] =
    [(libc::SYS_mmap, 3, libc::MAP_HUGETLB.cast_unsigned()), (libc::SYS_memfd_create, 1, libc::MFD_HUGETLB)];

/// `RLIMIT_CORE`
const CORE_LIMIT: u32 = Resource::Core as u32;

/// Without a network these can be made, and reach nothing but the tool's own processes.
const SOCKET_FAMILIES: [c_int; 3] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6];

/// The kernel's `SOCK_TYPE_MASK`: the rest are flags.
const SOCKET_TYPE_MASK: u32 = 0xf;
/// The second is `SOCK_PACKET`, which is obsolete and still there.
const RAW_SOCKETS: [c_int; 2] = [libc::SOCK_RAW, 10];

/// Calls about a process, with the arguments that mean the caller itself; the kernel reads 32 bits of each.
const ABOUT_A_PROCESS: [(c_long, &[(usize, u32)]); 8] = [
    (libc::SYS_prlimit64, &[(0, 0)]),
    (libc::SYS_sched_setparam, &[(0, 0)]),
    (libc::SYS_sched_setscheduler, &[(0, 0)]),
    (libc::SYS_sched_setattr, &[(0, 0)]),
    (libc::SYS_migrate_pages, &[(0, 0)]),
    (libc::SYS_move_pages, &[(0, 0)]),
    (libc::SYS_setpriority, &[(0, libc::PRIO_PROCESS), (1, 0)]),
    (libc::SYS_ioprio_set, &[(0, IOPRIO_WHO_PROCESS), (1, 0)]),
];
const IOPRIO_WHO_PROCESS: u32 = 1;

/// The filter for a tool in namespaces. It may ask for the routes and interfaces of its own network namespace.
pub(super) fn beside_namespaces() -> Program {
    let mut program = Program::begin(refused::UNKNOWN);
    permit_questions_about_routes(&mut program);
    keep_core_limit(&mut program);
    refuse_what_no_tool_needs(&mut program);
    program.answer(ALLOW);
    program
}

/// The filter for a tool that shares the machine's namespaces.
pub(super) fn strict() -> Program {
    let mut program = Program::begin(refused::UNKNOWN);
    keep_core_limit(&mut program);
    refuse_what_reaches_beyond(&mut program);
    refuse_what_no_tool_needs(&mut program);
    program.answer(ALLOW);
    program
}

/// The filter for a program of the operator's that has lost a folder: it may do everything but what Landlock does not check there.
pub(super) fn beside_a_folder() -> Program {
    let mut program = Program::begin(refused::UNKNOWN);
    program.refuse(refused::METADATA, EPERM);
    program.refuse(refused::ATTRIBUTES, EOPNOTSUPP);
    program.refuse(refused::ANYWHERE, EPERM);
    program.answer(ALLOW);
    program
}

/// Installs the filter on this process and all that it starts. Needs `no_new_privs`. Runs between clone and exec.
pub(super) fn enter(program: &Program) -> Result<(), Errno> {
    system_call::install_filter(program.instructions())
}

fn keep_core_limit(program: &mut Program) {
    program.first_on(libc::SYS_prlimit64, |program| {
        program.load_argument(1);
        program.when_equal(CORE_LIMIT, |program| program.unless_zero(2, DONE));
    });
    program.first_on(libc::SYS_setrlimit, |program| {
        program.load_argument(0);
        program.if_equal(CORE_LIMIT, DONE);
    });
}

/// Programs list interfaces and choose addresses by such a socket. Without capabilities it changes nothing, and there is nothing of
/// the machine's network in the namespace. Where the namespace is the machine's, it stays refused.
fn permit_questions_about_routes(program: &mut Program) {
    program.first_on(libc::SYS_socket, |program| {
        program.load_argument(2);
        program.when_equal(libc::NETLINK_ROUTE.cast_unsigned(), |program| {
            program.load_argument(0);
            program.if_equal(libc::AF_NETLINK.cast_unsigned(), ALLOW);
        });
    });
}

fn refuse_what_no_tool_needs(program: &mut Program) {
    program.refuse(&[libc::SYS_clone3], ENOSYS);
    program.refuse(refused::ABSENT, ENOSYS);
    program.refuse(refused::WATCHES, ENOSYS);
    program.refuse(refused::ANYWHERE, EPERM);
    for (call, argument, huge_pages) in HUGE_PAGES {
        program.on(call, |program| {
            program.load_argument(argument);
            program.if_any_bit(huge_pages, EPERM);
        });
    }
    program.on(libc::SYS_clone, |program| {
        program.load_argument(0);
        program.if_any_bit(NEW_NAMESPACES.cast_unsigned(), EPERM);
    });
    program.on(libc::SYS_ioctl, |program| {
        program.load_argument(1);
        for request in IOCTLS {
            program.if_equal(request, ALLOW);
        }
        program.answer(ENOTTY);
    });
    program.on(libc::SYS_fcntl, |program| {
        program.load_argument(1);
        for command in LEASE_AND_NOTES {
            program.if_equal(command.cast_unsigned(), EPERM);
        }
    });
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        program.on(call, |program| {
            program.load_argument(1);
            program.mask(SOCKET_TYPE_MASK);
            for kind in RAW_SOCKETS {
                program.if_equal(kind.cast_unsigned(), EPERM);
            }
            program.load_argument(0);
            for family in SOCKET_FAMILIES {
                program.if_equal(family.cast_unsigned(), ALLOW);
            }
            program.answer(EPERM);
        });
    }
}

fn refuse_what_reaches_beyond(program: &mut Program) {
    program.refuse(refused::WITHOUT_NAMESPACES, EPERM);
    program.refuse(refused::METADATA, EPERM);
    program.refuse(refused::ATTRIBUTES, EOPNOTSUPP);
    program.on(libc::SYS_socketpair, |program| {
        program.load_argument(0);
        program.unless_equal(libc::AF_UNIX.cast_unsigned(), EPERM);
        program.load_argument(1);
        program.mask(SOCKET_TYPE_MASK);
        // A datagram pair could be written to another address than its partner's.
        program.if_equal(libc::SOCK_STREAM.cast_unsigned(), ALLOW);
        program.if_equal(libc::SOCK_SEQPACKET.cast_unsigned(), ALLOW);
        program.answer(EPERM);
    });
    for (call, arguments) in ABOUT_A_PROCESS {
        program.on(call, |program| {
            for (index, own) in arguments {
                program.load_argument(*index);
                program.unless_equal(*own, EPERM);
            }
        });
    }
}
