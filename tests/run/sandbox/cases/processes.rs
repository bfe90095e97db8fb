//! The first process, gatepost, and every other process of the machine.

use super::{Case, attempt, case, refused_call};
use crate::run::sandbox::outside::Outside;

pub(super) fn all(outside: &Outside) -> Vec<Case> {
    [inspected(), signalled(outside), governed(), inherited(), nested()].into_iter().flatten().collect()
}

fn inspected() -> Vec<Case> {
    let gatepost = std::process::id();
    vec![
        attempt("the_first_process_has_no_root", "os.listdir(f'/proc/{first}/root')", &["EACCES"]),
        attempt("the_first_process_has_no_environment", "open(f'/proc/{first}/environ').read()", &["EACCES"]),
        attempt("the_first_process_has_no_memory", "open(f'/proc/{first}/mem', 'rb')", &["EACCES"]),
        attempt("gatepost_has_no_environment", &format!("open('/proc/{gatepost}/environ').read()"), &["ENOENT"])
            .at_landlock(&["EACCES"]),
        attempt("gatepost_has_no_files", &format!("os.listdir('/proc/{gatepost}/cwd')"), &["ENOENT"])
            .at_landlock(&["EACCES"]),
        case(
            "the_first_process_tells_no_arguments",
            "print(open('/proc/1/cmdline').read().strip('\\0'))",
            &["gatepost"],
        )
        .only_at_full(),
        attempt("pid_1_has_no_root", "os.listdir('/proc/1/root')", &["EACCES"]),
        refused_call("ptrace_the_first_process", libc::SYS_ptrace, "16, first, 0, 0", &["EPERM"]),
        refused_call("ptrace_gatepost", libc::SYS_ptrace, &format!("16, {gatepost}, 0, 0"), &["EPERM"]),
        refused_call("process_vm_readv", libc::SYS_process_vm_readv, "first, buffer, 1, buffer, 1, 0", &["EPERM"]),
        refused_call("pidfd_getfd", libc::SYS_pidfd_getfd, "0, 0, 0", &["EPERM"]),
    ]
}

fn signalled(outside: &Outside) -> Vec<Case> {
    let (gatepost, witness) = (std::process::id(), outside.witness());
    vec![
        attempt("the_first_process_gets_no_signal", "os.kill(first, 0)", &["EPERM"]),
        attempt("gatepost_gets_no_signal", &format!("os.kill({gatepost}, 0)"), &["ESRCH"]).at_landlock(&["EPERM"]),
        attempt("another_process_gets_no_signal", &format!("os.kill({witness}, signal.SIGKILL)"), &["ESRCH"])
            .at_landlock(&["EPERM"]),
        attempt(
            "another_process_gets_no_signal_by_descriptor",
            &format!("signal.pidfd_send_signal(os.pidfd_open({witness}), signal.SIGKILL)"),
            &["ESRCH", "EINVAL"],
        )
        .at_landlock(&["EPERM"]),
        // The kernel hides refusals of this call; the witness must live.
        attempt("everybody_gets_no_signal", "os.kill(-1, signal.SIGKILL)", &["EPERM", "ESRCH", "done"]),
        attempt("a_parents_death_cannot_be_faked", "os.kill(first, signal.SIGUSR1)", &["EPERM"]),
    ]
}

/// Limits, priorities and processors of others, which the kernel lets a user's every process set.
fn governed() -> Vec<Case> {
    let gatepost = std::process::id();
    let other = |name, number, arguments: String| {
        refused_call(name, number, &arguments, &["ESRCH", "EPERM"]).at_landlock(&["EPERM"])
    };
    vec![
        // What most processes have anyway: without the layer that refuses it, the test would set it for itself.
        other("prlimit", libc::SYS_prlimit64, format!("{gatepost}, 13, struct.pack('QQ', 0, 0), 0")),
        other("setpriority", libc::SYS_setpriority, format!("0, {gatepost}, 5")),
        refused_call("setpriority_of_a_user", libc::SYS_setpriority, "2, 0, 19", &["done", "EPERM"])
            .at_landlock(&["EPERM"]),
        other("ioprio_set", libc::SYS_ioprio_set, format!("1, {gatepost}, 0x4007")),
        other("sched_setscheduler", libc::SYS_sched_setscheduler, format!("{gatepost}, 3, struct.pack('i', 0)")),
        refused_call("sched_setaffinity", libc::SYS_sched_setaffinity, "0, 8, struct.pack('Q', 1)", &["EPERM"]),
        refused_call("own_limits_can_be_read", libc::SYS_prlimit64, "0, 7, 0, buffer", &["done"]),
        refused_call("own_priority_can_be_lowered", libc::SYS_setpriority, "0, 0, 19", &["done"]),
    ]
}

fn inherited() -> Vec<Case> {
    vec![
        case("descriptors", "print(*open_descriptors())", &["0 1 2"]),
        attempt("stdin_is_empty", "assert_empty(sys.stdin.read())", &["done"]),
        case("the_machine_has_another_name", "print(os.uname().nodename)", &["sandbox"]).only_at_full(),
        refused_call("sethostname", libc::SYS_sethostname, "b'x', 1", &["EPERM"]),
        case("no_capability_is_left", format!("print(capabilities({}))", libc::SYS_capget), &["{0}"]),
        case("no_capability_can_be_inherited", "print(bounding_set())", &["[]"]).only_at_full(),
        case("no_privilege_can_be_gained", "print(libc.prctl(39, 0, 0, 0, 0))", &["1"]),
        // Decided: an interpreter could do as much, so this is no hole; the layers hold what runs.
        attempt("a_program_may_run_from_memory", "run_from_memory()", &["done"]),
    ]
}

fn nested() -> Vec<Case> {
    vec![
        refused_call("unshare", libc::SYS_unshare, "0x10000000", &["EPERM"]),
        refused_call("clone", libc::SYS_clone, "0x10000011, 0, 0, 0, 0", &["EPERM"]),
        refused_call("clone3", libc::SYS_clone3, "buffer, 88", &["ENOSYS"]),
        refused_call("setns", libc::SYS_setns, "0, 0", &["EPERM"]),
    ]
}
