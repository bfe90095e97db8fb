//! System calls that have let programs out before.

use super::{Case, refused_call};

pub(super) fn all() -> Vec<Case> {
    let calls = vec![
        refused_call("io_uring_setup", libc::SYS_io_uring_setup, "8, buffer", &["EPERM"]),
        refused_call("keyctl", libc::SYS_keyctl, "0, -3, 1", &["EPERM"]),
        refused_call("add_key", libc::SYS_add_key, "b'user', b'x', b'x', 1, -3", &["EPERM"]),
        refused_call("request_key", libc::SYS_request_key, "b'user', b'x', 0, -3", &["EPERM"]),
        refused_call("bpf", libc::SYS_bpf, "0, buffer, 128", &["EPERM"]),
        refused_call("perf_event_open", libc::SYS_perf_event_open, "buffer, 0, -1, -1, 0", &["EPERM"]),
        refused_call("userfaultfd", libc::SYS_userfaultfd, "1", &["EPERM"]),
        refused_call("kexec_load", libc::SYS_kexec_load, "0, 0, 0, 0", &["EPERM"]),
        refused_call("finit_module", libc::SYS_finit_module, "0, b'', 0", &["EPERM"]),
    ];
    calls.into_iter().chain(ioctls()).collect()
}

/// What a descriptor that is open for reading would be enough for, and what reaches a terminal.
fn ioctls() -> impl Iterator<Item = Case> {
    [
        ("terminal_input", "0, 0x5412, buffer"),
        ("terminal_input_with_high_bits", "0, 0x7100005412, buffer"),
        ("the_owner_of_a_terminal", "0, 0x540e, buffer"),
        ("the_group_of_a_terminal", "0, 0x5410, buffer"),
        ("the_discipline_of_a_terminal", "0, 0x5423, buffer"),
        ("console_input", "0, 0x541c, buffer"),
        ("the_flags_of_an_input_stay", "os.open('in/data', 0), 0x40086602, struct.pack('q', 0x40)"),
        ("the_flags_of_an_input_stay_with_high_bits", "os.open('in/data', 0), 0x7140086602, struct.pack('q', 0x40)"),
        ("the_flags_of_inputs_stay", "os.open('in', 0), 0x40086602, struct.pack('q', 0x40)"),
        ("the_flags_of_a_program_stay", "os.open('/usr/bin/env', 0), 0x40086602, struct.pack('q', 0x40)"),
        (
            "the_project_of_an_input_stays",
            "os.open('in/data', 0), 0x401c5820, struct.pack('IIIII8x', 0x80, 0, 0, 0, 0)",
        ),
        ("the_version_of_an_input_stays", "os.open('in/data', 0), 0x40087602, struct.pack('q', 7)"),
        ("verity_is_not_enabled", "os.open('in/data', 0), 0x40806685, buffer"),
        ("no_key_is_given_to_a_file_system", "os.open('in', 0), 0xc0506617, buffer"),
        ("no_key_is_taken_from_a_file_system", "os.open('in', 0), 0xc0406618, buffer"),
        ("an_encryption_policy_stays", "os.open('in', 0), 0x800c6613, buffer"),
    ]
    .into_iter()
    .map(|(name, arguments)| refused_call(name, libc::SYS_ioctl, arguments, &["ENOTTY"]))
}
