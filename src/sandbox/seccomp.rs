//! The filter of system calls, the last layer: what no tool needs and what has let programs out before.
//!
//! ```text
//! foreign architecture, x32  ▶ the process is killed        clone3                         ▶ ENOSYS: libc falls back to clone
//! a call of the list         ▶ EPERM                        clone into a namespace         ▶ EPERM
//! ioctl TIOCSTI, TIOCLINUX   ▶ EPERM                        socket of a family not listed, raw socket ▶ EPERM
//! anything else              ▶ allowed
//! ```
//!
//! The flags of clone3 lie in memory, where a filter cannot see them; those of clone do not. The kernel reads only 32
//! bits of an ioctl's number, so only those are compared. The program is assembled here rather than by a library because
//! it gives two answers and kills x32, whose calls come under the native architecture's name.
//!
//! Standards: Linux `seccomp(2)`, Documentation/userspace-api/seccomp_filter.rst.

use std::ffi::{c_int, c_long};
use std::mem::offset_of;

use libc::{seccomp_data, sock_filter};
use rustix::io::Errno;

use super::system_call;

/// The layer as evidence names it.
pub(super) const LAYER: &str = "seccomp";

/// `AUDIT_ARCH_*` of linux/audit.h for the architecture that this is built for.
#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const ARCHITECTURE: u32 = 0xc000_00f3;

/// Calls that are refused whatever their arguments.
const REFUSED: &[c_long] = &[
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
    // The view of the file system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    // Namespaces.
    libc::SYS_unshare,
    libc::SYS_setns,
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

const NEW_NAMESPACES: c_int = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;

/// `ioctl`s that put text into a terminal's input.
const TERMINAL_INJECTION: [u32; 2] = [0x5412, 0x541c];

/// Without a network these can be made, and reach nothing but the tool's own processes.
const SOCKET_FAMILIES: [c_int; 3] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6];

/// The kernel's `SOCK_TYPE_MASK`: the rest are flags.
const SOCKET_TYPE_MASK: u32 = 0xf;
/// The second is `SOCK_PACKET`, which is obsolete and still there.
const RAW_SOCKETS: [c_int; 2] = [libc::SOCK_RAW, 10];

/// The first number that belongs to the x32 calls.
#[cfg(target_arch = "x86_64")]
const X32_BIT: u32 = 0x4000_0000;

const KILL: u32 = libc::SECCOMP_RET_KILL_PROCESS;
const ALLOW: u32 = libc::SECCOMP_RET_ALLOW;
const EPERM: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
const ENOSYS: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();

/// A filter, ready for the kernel.
pub(super) struct Program(Vec<sock_filter>);

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Program of {} instructions", self.0.len())
    }
}

/// Assembles the filter.
pub(super) fn prepare() -> Program {
    let mut program = Program(Vec::with_capacity(192));
    program.load(offset_of!(seccomp_data, arch));
    program.unless_equal(ARCHITECTURE, KILL);
    program.load(offset_of!(seccomp_data, nr));
    #[cfg(target_arch = "x86_64")]
    program.if_at_least(X32_BIT, KILL);
    program.if_equal(number(libc::SYS_clone3), ENOSYS);
    for call in REFUSED {
        program.if_equal(number(*call), EPERM);
    }
    program.on(libc::SYS_clone, |program| {
        program.load(argument(0));
        program.if_any_bit(NEW_NAMESPACES.cast_unsigned(), EPERM);
    });
    program.on(libc::SYS_ioctl, |program| {
        program.load(argument(1));
        for request in TERMINAL_INJECTION {
            program.if_equal(request, EPERM);
        }
    });
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        program.on(call, |program| {
            program.load(argument(1));
            program.mask(SOCKET_TYPE_MASK);
            for kind in RAW_SOCKETS {
                program.if_equal(kind.cast_unsigned(), EPERM);
            }
            program.load(argument(0));
            for family in SOCKET_FAMILIES {
                program.if_equal(family.cast_unsigned(), ALLOW);
            }
            program.answer(EPERM);
        });
    }
    program.answer(ALLOW);
    program
}

/// Installs the filter on this process and all that it starts. Needs `no_new_privs`. Runs between clone and exec.
pub(super) fn enter(program: &Program) -> Result<(), Errno> {
    system_call::install_filter(&program.0)
}

/// A call's number as the filter sees it.
fn number(call: c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

/// Where the low 32 bits of an argument lie.
const fn argument(index: usize) -> usize {
    let big_endian = if cfg!(target_endian = "big") { 4 } else { 0 };
    offset_of!(seccomp_data, args) + 8 * index + big_endian
}

impl Program {
    fn push(&mut self, code: u32, operand: u32, then: u8, otherwise: u8) {
        // All codes have 16 bits; the constants are wider than the field.
        let code = u16::try_from(code).unwrap_or(u16::MAX);
        self.0.push(sock_filter { code, jt: then, jf: otherwise, k: operand });
    }

    /// Loads 32 bits of the call's description.
    fn load(&mut self, offset: usize) {
        self.push(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, u32::try_from(offset).unwrap_or(u32::MAX), 0, 0);
    }

    fn mask(&mut self, bits: u32) {
        self.push(libc::BPF_ALU | libc::BPF_AND | libc::BPF_K, bits, 0, 0);
    }

    fn answer(&mut self, answer: u32) {
        self.push(libc::BPF_RET | libc::BPF_K, answer, 0, 0);
    }

    fn if_equal(&mut self, value: u32, answer: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, 0, 1);
        self.answer(answer);
    }

    fn unless_equal(&mut self, value: u32, answer: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, value, 1, 0);
        self.answer(answer);
    }

    #[cfg(target_arch = "x86_64")]
    fn if_at_least(&mut self, value: u32, answer: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, value, 0, 1);
        self.answer(answer);
    }

    fn if_any_bit(&mut self, bits: u32, answer: u32) {
        self.push(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, bits, 0, 1);
        self.answer(answer);
    }

    /// What is asked of one call only, with the call's number loaded before; what passes is allowed.
    fn on(&mut self, call: c_long, questions: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        self.push(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, number(call), 0, 0);
        questions(self);
        self.answer(ALLOW);
        let passed = u8::try_from(self.0.len() - start - 1).unwrap_or(u8::MAX);
        if let Some(question) = self.0.get_mut(start) {
            question.jf = passed;
        }
    }
}
