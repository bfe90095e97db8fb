//! What a hostile tool tries, and the refusal that each attempt must meet at level `full`.

use super::Outside;

/// One attempt.
pub struct Case {
    pub name: &'static str,
    /// Python, after the prelude.
    pub probe: String,
    /// What it prints; alternatives stand beside each other where a user's rights decide which layer answers first.
    pub met: &'static [&'static str],
}

/// Every attempt. What they aim at outside stands in `outside`.
pub fn all(outside: &Outside) -> Vec<Case> {
    [files(outside), mounts(), processes(), system_calls(), sockets(outside), limits()].into_iter().flatten().collect()
}

fn case(name: &'static str, probe: impl Into<String>, met: &'static [&'static str]) -> Case {
    Case { name, probe: probe.into(), met }
}

fn attempt(name: &'static str, expression: &str, met: &'static [&'static str]) -> Case {
    case(name, format!("attempt(lambda: {expression})"), met)
}

fn refused_call(name: &'static str, number: i64, arguments: &str, met: &'static [&'static str]) -> Case {
    attempt(name, &format!("system_call({number}, {arguments})"), met)
}

fn files(outside: &Outside) -> Vec<Case> {
    let secret = outside.secret.display();
    vec![
        attempt("the_site_is_not_there", &format!("open('{secret}')"), &["ENOENT"]),
        attempt("shadow_is_not_there", "open('/etc/shadow')", &["ENOENT"]),
        attempt("private_keys_are_not_there", "os.listdir('/etc/ssl/private')", &["ENOENT"]),
        attempt("root_has_no_home", "os.listdir('/root')", &["ENOENT"]),
        attempt("nobody_has_a_home", "os.listdir('/home')", &["ENOENT"]),
        attempt("the_machines_devices_are_not_there", "os.listdir('/sys')", &["ENOENT"]),
        attempt("memory_is_no_file", "open('/dev/mem')", &["ENOENT"]),
        attempt("the_old_root_is_gone", "os.listdir('/.machine')", &["ENOENT"]),
        case(
            "the_root_holds_nothing_else",
            "print(set(os.listdir('/')) - set('bin dev etc in lib lib32 lib64 libx32 out proc sbin tmp tools usr work'.split()))",
            &["set()"],
        ),
        attempt("the_root_is_read_only", "write('/new')", &["EROFS"]),
        attempt("the_start_is_read_only", "write('new')", &["EROFS"]),
        attempt("programs_are_read_only", "write('/usr/bin/new')", &["EROFS"]),
        attempt("passwd_is_read_only", "write('/etc/passwd')", &["EROFS", "EACCES"]),
        attempt("the_inputs_are_read_only", "write('/in/new')", &["EROFS"]),
        attempt("the_inputs_are_read_only_under_their_second_name", "write('in/data')", &["EROFS", "EACCES"]),
        attempt("the_tools_are_read_only", "write('/tools/new')", &["EROFS"]),
        attempt("devices_cannot_be_added", "write('/dev/new')", &["EROFS"]),
        attempt("core_dumps_cannot_be_redirected", "write('/proc/sys/kernel/core_pattern')", &["EROFS", "EACCES"]),
        attempt("the_machine_cannot_be_reset", "write('/proc/sysrq-trigger')", &["EROFS", "EACCES", "ENOENT"]),
        attempt("no_device_can_be_made", "os.mknod('/out/null', 0o020600, os.makedev(1, 3))", &["EACCES"]),
        attempt("no_whiteout_can_be_made", "os.mknod('/out/whiteout', 0o020600, 0)", &["EACCES"]),
        attempt("nothing_can_be_linked_out_of_the_system", "os.link('/usr/bin/env', '/out/env')", &["EXDEV", "EACCES"]),
        attempt(
            "a_link_in_out_leads_nowhere",
            "[os.symlink('/etc/shadow', '/out/link'), open('/out/link')]",
            &["ENOENT"],
        ),
    ]
}

fn mounts() -> Vec<Case> {
    vec![
        case(
            "every_mount_is_closed_but_these",
            "print(*sorted(unusual_mounts()))",
            &[
                "/dev/full:nodev /dev/null:nodev /dev/random:nodev /dev/urandom:nodev /dev/zero:nodev /out:ro /tmp:ro /work/out:ro \
               /work/tmp:ro",
            ],
        ),
        refused_call("mount", libc::SYS_mount, "buffer, b'/tmp', b'tmpfs', 0, 0", &["EPERM"]),
        refused_call("umount2", libc::SYS_umount2, "b'/in', 2", &["EPERM"]),
        refused_call("pivot_root", libc::SYS_pivot_root, "b'/tmp', b'/tmp'", &["EPERM"]),
        refused_call("chroot", libc::SYS_chroot, "b'/tmp'", &["EPERM"]),
        refused_call("open_tree", libc::SYS_open_tree, "-100, b'/', 1", &["EPERM"]),
        refused_call("fsopen", libc::SYS_fsopen, "b'tmpfs', 0", &["EPERM"]),
        refused_call("mount_setattr", libc::SYS_mount_setattr, "-100, b'/in', 0, buffer, 32", &["EPERM"]),
        refused_call("name_to_handle_at", libc::SYS_name_to_handle_at, "-100, b'/', buffer, buffer, 0", &["EPERM"]),
        refused_call("open_by_handle_at", libc::SYS_open_by_handle_at, "0, buffer, 0", &["EPERM"]),
    ]
}

fn processes() -> Vec<Case> {
    vec![
        attempt("the_first_process_has_no_root", "os.listdir('/proc/1/root')", &["EACCES"]),
        attempt("the_first_process_has_no_environment", "open('/proc/1/environ').read()", &["EACCES"]),
        attempt("the_first_process_has_no_memory", "open('/proc/1/mem', 'rb')", &["EACCES"]),
        attempt("the_first_process_gets_no_signal", "os.kill(1, 0)", &["EPERM"]),
        attempt("everybody_gets_no_signal", "os.kill(-1, signal.SIGKILL)", &["EPERM", "ESRCH"]),
        case("descriptors", "print(*sorted(os.listdir('/proc/self/fd')))", &["0 1 2 3"]),
        attempt("stdin_has_a_name", "open('/dev/stdin').read()", &["done"]),
        case("the_machine_has_another_name", "print(os.uname().nodename)", &["sandbox"]),
        refused_call("sethostname", libc::SYS_sethostname, "b'x', 1", &["EPERM"]),
        case(
            "no_capability_is_left",
            "print({line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')})",
            &["{'0000000000000000'}"],
        ),
        case(
            "no_privilege_can_be_gained",
            "print([line.split()[1] for line in open('/proc/self/status') if line.startswith('NoNewPrivs')])",
            &["['1']"],
        ),
        // Decided: an interpreter could do as much, so this is no hole; the layers hold what runs.
        attempt("a_program_may_run_from_memory", "run_from_memory()", &["done"]),
        refused_call("ptrace", libc::SYS_ptrace, "16, 1, 0, 0", &["EPERM"]),
        refused_call("process_vm_readv", libc::SYS_process_vm_readv, "1, buffer, 1, buffer, 1, 0", &["EPERM"]),
        refused_call("unshare", libc::SYS_unshare, "0x10000000", &["EPERM"]),
        refused_call("clone", libc::SYS_clone, "0x10000011, 0, 0, 0, 0", &["EPERM"]),
        refused_call("clone3", libc::SYS_clone3, "buffer, 88", &["ENOSYS"]),
        refused_call("setns", libc::SYS_setns, "0, 0", &["EPERM"]),
    ]
}

fn system_calls() -> Vec<Case> {
    vec![
        refused_call("io_uring_setup", libc::SYS_io_uring_setup, "8, buffer", &["EPERM"]),
        refused_call("keyctl", libc::SYS_keyctl, "0, -3, 1", &["EPERM"]),
        refused_call("add_key", libc::SYS_add_key, "b'user', b'x', b'x', 1, -3", &["EPERM"]),
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

fn sockets(outside: &Outside) -> Vec<Case> {
    let (tcp, udp) = (outside.tcp_port(), outside.udp_port());
    let (unix, name) = (outside.unix_path.display(), &outside.abstract_name);
    let made = |name, arguments: &str| attempt(name, &format!("socket.socket({arguments})"), &["EPERM"]);
    vec![
        made("packet_socket", "17, socket.SOCK_RAW"),
        made("raw_socket", "socket.AF_INET, socket.SOCK_RAW, 1"),
        made("raw_socket_6", "socket.AF_INET6, socket.SOCK_RAW, 58"),
        made("vsock_socket", "40, socket.SOCK_STREAM"),
        made("crypto_socket", "38, socket.SOCK_SEQPACKET"),
        made("netlink_socket", "16, socket.SOCK_DGRAM"),
        attempt("tcp", &format!("socket.create_connection(('127.0.0.1', {tcp}))"), &["EACCES"]),
        attempt("tcp_bind", "socket.socket().bind(('0.0.0.0', 0))", &["EACCES"]),
        attempt(
            "udp",
            &format!("socket.socket(type=socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {udp}))"),
            &["ENETUNREACH"],
        ),
        attempt("unix_socket", &format!("socket.socket(socket.AF_UNIX).connect('{unix}')"), &["ENOENT"]),
        attempt(
            "abstract_unix_socket",
            &format!("socket.socket(socket.AF_UNIX).connect('\\0{name}')"),
            &["ECONNREFUSED", "EPERM"],
        ),
        attempt(
            "shared_memory",
            &format!("system_call({}, {}, 0, 0)", libc::SYS_shmget, outside.shared_memory_key),
            &["ENOENT"],
        ),
    ]
}

fn limits() -> Vec<Case> {
    vec![
        attempt("tmp_has_a_size", "fill('/tmp')", &["ENOSPC"]),
        attempt("tmp_has_so_many_files", "make_files('/tmp/many')", &["ENOSPC"]),
        attempt("out_has_a_size", "fill('/out')", &["ENOSPC"]),
        attempt("out_has_so_many_files", "make_files('/out/many')", &["ENOSPC"]),
        attempt("out_cannot_be_removed", "[os.chdir('/'), os.rmdir('/out')]", &["EROFS", "EBUSY", "EACCES"]),
        attempt("a_sparse_file_has_a_size", "os.ftruncate(os.open('/tmp/sparse', 66), 2 ** 62)", &["EFBIG"]),
        attempt("memory_has_a_size", "bytearray(8 << 30)", &["MemoryError"]),
    ]
}
