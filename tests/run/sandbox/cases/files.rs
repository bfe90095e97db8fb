//! Files of the machine and of the site, and the mounts that hide them.

use super::{Case, attempt, case, refused_call};
use crate::run::sandbox::outside::Outside;

pub(super) fn all(outside: &Outside) -> Vec<Case> {
    [out_of_sight(outside), of_the_machine(), read_only(), not_its_own(outside), mounts()]
        .into_iter()
        .flatten()
        .collect()
}

fn out_of_sight(outside: &Outside) -> Vec<Case> {
    let (secret, site) = (outside.secret.display(), outside.folder().display());
    let hidden = |name, expression: &str| attempt(name, expression, &["ENOENT"]).at_landlock(&["EACCES"]);
    vec![
        hidden("the_site_is_not_there", &format!("open('{secret}')")),
        hidden("the_site_lists_nothing", &format!("os.listdir('{site}')")),
        hidden("the_site_takes_nothing", &format!("write('{site}/new')")),
        hidden("the_sites_keys_are_not_there", &format!("open('{site}/keys/key')")),
        attempt("the_site_gives_no_link", &format!("os.link('{secret}', 'out/secret')"), &["ENOENT"])
            .at_landlock(&["EXDEV", "EACCES"]),
        hidden("shadow_is_not_there", "open('/etc/shadow')"),
        attempt("private_keys_are_not_there", "os.listdir('/etc/ssl/private')", &["ENOENT"])
            .at_landlock(&["EACCES", "ENOENT"]),
        attempt("the_machines_variables_are_not_there", "open('/etc/environment')", &["ENOENT"])
            .at_landlock(&["EACCES", "ENOENT"]),
        attempt(
            "an_interpreter_reads_its_settings",
            "[open(path, 'rb').read(1) for folder in ('java-*-openjdk', 'python3*', 'fonts') \
             for path in glob.glob(f'/etc/{folder}/**', recursive=True) if not os.path.isdir(path) and os.path.exists(path)]",
            &["done"],
        ),
        hidden("root_has_no_home", "os.listdir('/root')"),
        hidden("nobody_has_a_home", "os.listdir('/home')"),
        hidden("the_machines_devices_are_not_there", "os.listdir('/sys')"),
        attempt("memory_is_no_file", "open('/dev/mem')", &["ENOENT"]).at_landlock(&["EACCES", "ENOENT"]),
        attempt("the_old_root_is_gone", "os.listdir('/.machine')", &["ENOENT"]),
        attempt("the_machines_root_lists_nothing", "os.listdir('/')", &["done"]).at_landlock(&["EACCES"]),
        attempt("the_machines_processes_are_not_there", "os.listdir('/proc')", &["done"]).at_landlock(&["EACCES"]),
        case(
            "the_root_holds_nothing_else",
            "print(set(os.listdir('/')) - set('bin dev etc in lib lib32 lib64 libx32 out proc sbin tmp tools usr work'.split()))",
            &["set()"],
        )
        .only_at_full(),
        attempt(
            "a_link_in_out_leads_nowhere",
            &format!("[os.symlink('{secret}', 'out/link'), open('out/link')]"),
            &["ENOENT"],
        )
        .at_landlock(&["EACCES"]),
        attempt("a_link_upwards_leads_nowhere", "[os.symlink('/..', 'tmp/up'), open('tmp/up/etc/shadow')]", &["ENOENT"])
            .at_landlock(&["EACCES"]),
    ]
}

/// What `/proc` tells of the machine. At level `landlock` nothing of it can be opened.
fn of_the_machine() -> Vec<Case> {
    let masked = |name, path| attempt(name, &format!("open('/proc/{path}').read(1)"), &["EACCES"]);
    vec![
        masked("the_machines_boot_has_no_id", "sys/kernel/random/boot_id"),
        masked("the_kernels_command_line_is_masked", "cmdline"),
        masked("the_machines_disks_are_masked", "diskstats"),
        masked("the_kernels_keys_are_masked", "keys"),
        masked("the_machines_timers_are_masked", "timer_list"),
        masked("the_kernels_memory_is_masked", "kpagecount").at_landlock(&["EACCES", "ENOENT"]),
        masked("the_kernels_symbols_are_masked", "kallsyms").at_landlock(&["EACCES", "ENOENT"]),
        attempt("the_machines_file_systems_are_masked", "assert_empty(os.listdir('/proc/fs'))", &["done"])
            .at_landlock(&["EACCES"]),
        attempt("the_machines_buses_are_masked", "assert_empty(os.listdir('/proc/bus'))", &["done"])
            .at_landlock(&["EACCES"]),
        attempt(
            "what_programs_need_of_proc_is_there",
            "[open(f'/proc/{name}').read() for name in ('cpuinfo', 'meminfo', 'stat', \
            'uptime', 'loadavg', 'filesystems', 'mounts', 'version', 'sys/kernel/random/uuid', 'self/status')]",
            &["done"],
        )
        .at_landlock(&["EACCES"]),
    ]
}

fn read_only() -> Vec<Case> {
    let full = |name, expression: &str| attempt(name, expression, &["EROFS", "EACCES"]).at_landlock(&["EACCES"]);
    vec![
        full("the_root_is_read_only", "write('/new')"),
        full("the_start_is_read_only", "write('new')"),
        full("programs_are_read_only", "write('/usr/bin/new')"),
        full("passwd_is_read_only", "write('/etc/passwd')"),
        full("the_inputs_are_read_only", "write('in/new')"),
        full("an_input_is_read_only", "write('in/data')"),
        full("an_input_cannot_be_shortened", "os.truncate('in/data', 0)"),
        full("an_input_cannot_be_removed", "os.remove('in/data')"),
        full("devices_cannot_be_added", "write('/dev/new')"),
        attempt("the_tools_are_read_only", "write('/tools/new')", &["EROFS"]).only_at_full(),
        full("core_dumps_cannot_be_redirected", "write('/proc/sys/kernel/core_pattern')"),
        attempt("the_machine_cannot_be_reset", "write('/proc/sysrq-trigger')", &["EROFS", "EACCES", "ENOENT"])
            .at_landlock(&["EACCES", "ENOENT"]),
        attempt("no_device_can_be_made", "os.mknod('out/null', 0o020600, os.makedev(1, 3))", &["EACCES", "EPERM"]),
        attempt("no_whiteout_can_be_made", "os.mknod('out/whiteout', 0o020600, 0)", &["EACCES"]),
        attempt(
            "nothing_can_be_linked_out_of_the_system",
            "os.link('/usr/bin/env', 'out/env')",
            &["EXDEV", "EACCES", "EPERM"],
        ),
        attempt("nothing_can_be_linked_out_of_the_inputs", "os.link('in/data', 'out/data')", &["EXDEV", "EACCES"]),
        attempt(
            "nothing_can_be_renamed_into_the_inputs",
            "[write('out/own'), os.rename('out/own', 'in/own')]",
            &["EROFS", "EXDEV", "EACCES"],
        ),
        attempt(
            "nothing_can_be_exchanged_with_the_inputs",
            "[write('out/own'), libc.renameat2(-100, b'out/own', -100, b'in/data', 2) and write('in/data')]",
            &["EROFS", "EACCES"],
        ),
        attempt(
            "nothing_can_be_renamed_out_of_the_inputs",
            "os.rename('in/data', 'out/data')",
            &["EROFS", "EXDEV", "EACCES"],
        ),
    ]
}

/// What Landlock does not ask about, on files that have the tool's own owner.
fn not_its_own(outside: &Outside) -> Vec<Case> {
    let secret = outside.secret.display();
    let hidden = |name, expression: &str| attempt(name, expression, &["ENOENT"]).at_landlock(&["EPERM"]);
    let read_only = |name, expression: &str| attempt(name, expression, &["EROFS", "EPERM"]).at_landlock(&["EPERM"]);
    vec![
        hidden("a_mode_outside_stays", &format!("os.chmod('{secret}', 0o777)")),
        hidden("an_owner_outside_stays", &format!("os.chown('{secret}', os.getuid(), os.getgid())")),
        hidden("a_time_outside_stays", &format!("os.utime('{secret}', (1, 1))")),
        attempt("an_attribute_outside_stays", &format!("os.setxattr('{secret}', 'user.x', b'x')"), &["ENOENT"])
            .at_landlock(&["ENOTSUP"]),
        attempt("no_attribute_outside_is_read", &format!("os.getxattr('{secret}', 'user.x')"), &["ENOENT"])
            .at_landlock(&["ENOTSUP"]),
        refused_call(
            "file_setattr",
            469,
            &format!("-100, b'{secret}', buffer, 24, 0"),
            &["ENOENT", "ENOSYS", "EINVAL"],
        )
        .at_landlock(&["EPERM"]),
        read_only("the_mode_of_an_input_stays", "os.chmod('in/data', 0o777)"),
        read_only("the_mode_of_an_open_input_stays", "os.fchmod(os.open('in/data', 0), 0o777)"),
        read_only("the_time_of_an_open_input_stays", "os.utime(os.open('in/data', 0), (1, 1))"),
        attempt(
            "a_lease_delays_nobody",
            "fcntl.fcntl(os.open('in/data', 0), fcntl.F_SETLEASE, fcntl.F_RDLCK)",
            &["EPERM"],
        ),
        attempt("a_folder_tells_no_notes", "fcntl.fcntl(os.open('in', 0), fcntl.F_NOTIFY, 0x3f)", &["EPERM"]),
        // /usr is shared with the whole machine: a watch there tells which programs others start.
        refused_call("what_others_open_is_not_told", libc::SYS_inotify_init1, "0", &["ENOSYS"]),
        refused_call("watches", libc::SYS_inotify_add_watch, "3, b'/usr/bin', 0xfff", &["ENOSYS"]),
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
        )
        .only_at_full(),
        refused_call("mount", libc::SYS_mount, "buffer, b'tmp', b'tmpfs', 0, 0", &["EPERM"]),
        refused_call("bind", libc::SYS_mount, "b'/', b'tmp', 0, 4096, 0", &["EPERM"]),
        refused_call("umount2", libc::SYS_umount2, "b'in', 2", &["EPERM"]),
        refused_call("pivot_root", libc::SYS_pivot_root, "b'tmp', b'tmp'", &["EPERM"]),
        refused_call("chroot", libc::SYS_chroot, "b'tmp'", &["EPERM"]),
        refused_call("open_tree", libc::SYS_open_tree, "-100, b'/', 1", &["EPERM"]),
        refused_call("open_tree_attr", 467, "-100, b'/', 1, buffer, 32", &["EPERM"]),
        refused_call("move_mount", libc::SYS_move_mount, "0, b'', -100, b'tmp', 4", &["EPERM"]),
        refused_call("fsopen", libc::SYS_fsopen, "b'tmpfs', 0", &["EPERM"]),
        refused_call("mount_setattr", libc::SYS_mount_setattr, "-100, b'in', 0, buffer, 32", &["EPERM"]),
        refused_call("name_to_handle_at", libc::SYS_name_to_handle_at, "-100, b'/', buffer, buffer, 0", &["EPERM"]),
        refused_call("open_by_handle_at", libc::SYS_open_by_handle_at, "0, buffer, 0", &["EPERM"]),
    ]
}
