//! System calls that have let programs out before.

use super::{Case, refused_call};

pub fn all() -> Vec<Case> {
    vec![
        refused_call("io_uring_setup", libc::SYS_io_uring_setup, "8, buffer", &["EPERM"]),
        refused_call("keyctl", libc::SYS_keyctl, "0, -3, 1", &["EPERM"]),
        refused_call("add_key", libc::SYS_add_key, "b'user', b'x', b'x', 1, -3", &["EPERM"]),
        refused_call("request_key", libc::SYS_request_key, "b'user', b'x', 0, -3", &["EPERM"]),
        refused_call("bpf", libc::SYS_bpf, "0, buffer, 128", &["EPERM"]),
        refused_call("perf_event_open", libc::SYS_perf_event_open, "buffer, 0, -1, -1, 0", &["EPERM"]),
        refused_call("userfaultfd", libc::SYS_userfaultfd, "1", &["EPERM"]),
        refused_call("kexec_load", libc::SYS_kexec_load, "0, 0, 0, 0", &["EPERM"]),
        refused_call("finit_module", libc::SYS_finit_module, "0, b'', 0", &["EPERM"]),
        refused_call("terminal_input", libc::SYS_ioctl, "0, 0x5412, buffer", &["EPERM"]),
        refused_call("terminal_input_with_high_bits", libc::SYS_ioctl, "0, 0x7100005412, buffer", &["EPERM"]),
        refused_call("console_input", libc::SYS_ioctl, "0, 0x541c, buffer", &["EPERM"]),
    ]
}
