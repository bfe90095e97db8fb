//! The handling of crashes on this machine: whether one can start or reach a program outside the sandbox.
//!
//! *Standards*: Linux `core(5)`.

use std::fs;

use rustix::process::{Resource, getrlimit};

use super::Finding;

const CHECK: &str = "machine.crashes";

/// The handling of a tool's crash.
pub(super) fn examine() -> Finding {
    let pattern = fs::read_to_string("/proc/sys/kernel/core_pattern").unwrap_or_default();
    // Root may raise the limit.
    let is_root = rustix::process::geteuid().is_root();
    crashes(&pattern, getrlimit(Resource::Core).maximum != Some(0) || is_root)
}

/// `can_exempt`: whether a tool can get the limit at which the kernel starts no program.
fn crashes(pattern: &str, can_exempt: bool) -> Finding {
    match pattern.as_bytes().first() {
        Some(b'|') if !can_exempt => Finding::warning(
            CHECK,
            "the kernel hands a crashing tool to a program outside the sandbox",
            "The sysctl kernel.core_pattern names a program that the kernel starts as root for each crash. A limit of core dumps of 1 byte \
             exempts tools from that, but the hard limit of this process is 0.",
            "Raise the hard limit of the service or the shell to 1 or more (`LimitCORE=1` in a systemd unit, `ulimit -Hc 1`).",
        ),
        Some(b'@') => Finding::warning(
            CHECK,
            "the kernel hands a crashing tool to a program outside the sandbox",
            "The sysctl kernel.core_pattern names a socket, to which the kernel sends the memory of each process that \
             crashes, regardless of its limit.",
            "Set kernel.core_pattern to a program or a file, so that tools cannot reach the listener of that socket.",
        ),
        _ => Finding::ok(CHECK, "a crashing tool starts no program outside the sandbox"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    #[test]
    fn a_handler_is_told_of_where_a_tool_can_reach_it() {
        for (pattern, can_exempt, status) in [
            ("core\n", false, Status::Ok),
            ("|/usr/lib/systemd/systemd-coredump %P\n", true, Status::Ok),
            ("|/usr/lib/systemd/systemd-coredump %P\n", false, Status::Warning),
            ("@/run/coredump\n", true, Status::Warning),
            ("", true, Status::Ok),
        ] {
            assert_eq!(crashes(pattern, can_exempt).status, status, "{pattern}");
        }
    }
}
