//! What a tool may use, of its own and of what the user or the machine has together.

use super::{Case, attempt, case, refused_call};

pub(super) fn all() -> Vec<Case> {
    [of_its_own(), of_the_user(), of_the_machine()].into_iter().flatten().collect()
}

fn of_its_own() -> Vec<Case> {
    vec![
        attempt("tmp_has_a_size", "fill('tmp')", &["ENOSPC"]).only_at_full(),
        attempt("tmp_has_so_many_files", "make_files('tmp/many')", &["ENOSPC"]).only_at_full(),
        attempt("out_has_a_size", "fill('out')", &["ENOSPC"]).only_at_full(),
        attempt("out_has_so_many_files", "make_files('out/many')", &["ENOSPC"]).only_at_full(),
        attempt("out_cannot_be_removed", "os.rmdir('/out')", &["EROFS", "EBUSY", "EACCES"]).only_at_full(),
        attempt("a_sparse_file_has_a_size", "os.ftruncate(os.open('tmp/sparse', 66), 2 ** 31)", &["EFBIG"]),
        attempt("a_sparse_file_of_8_eib", "os.ftruncate(os.open('tmp/sparse', 66), 2 ** 63 - 1)", &["EFBIG"]),
        attempt("memory_has_a_size", "bytearray(8 << 30)", &["MemoryError"]),
    ]
}

fn of_the_user() -> Vec<Case> {
    vec![
        refused_call("fanotify_instances", libc::SYS_fanotify_init, "0x200, 0", &["EPERM"]),
        attempt("posix_timers", &format!("fill_up({}, 1, 0, buffer)", libc::SYS_timer_create), &["EAGAIN"]),
        attempt("signals_that_wait", "queue_signals()", &["EAGAIN"]),
        refused_call("message_queues_of_its_own", libc::SYS_mq_open, "b'own', 66, 0o600, 0", &["EMFILE"])
            .at_landlock(&["EPERM"]),
        refused_call("real_time_scheduling", libc::SYS_sched_setscheduler, "0, 1, struct.pack('i', 1)", &["EPERM"]),
        case("limits_of_real_time_and_priority", "print(*map(resource.getrlimit, (13, 14)))", &["(0, 0) (0, 0)"]),
    ]
}

fn of_the_machine() -> Vec<Case> {
    let absent = |name, number, arguments| refused_call(name, number, arguments, &["ENOSYS"]);
    vec![
        absent("secret_memory", 447, "0"),
        absent("pages_lent_to_a_pipe", libc::SYS_vmsplice, "os.pipe()[1], struct.pack('PN', id(first), 1), 1, 0"),
        absent("contexts_of_asynchronous_io", libc::SYS_io_setup, "1, buffer"),
        absent("work_of_asynchronous_io", libc::SYS_io_submit, "0, 1, buffer"),
        absent("mounts_by_number", 457, "buffer, buffer, 4096, 0"),
        absent("a_list_of_mounts", 458, "buffer, buffer, 8, 0"),
        absent("a_call_that_is_not_known_yet", 470, "0"),
        absent("the_last_call_that_is_not_known_yet", 0x3fff_ffff, "0"),
        refused_call("memory_of_the_dying", 448, "0, 0", &["EPERM"]),
        refused_call("a_label_of_its_own", 460, "100, buffer, 32, 0", &["EPERM"]),
        refused_call("huge_pages", libc::SYS_mmap, "0, 2 << 20, 3, 0x40022, -1, 0", &["EPERM"]),
        refused_call("a_file_of_huge_pages", libc::SYS_memfd_create, "b'huge', 4", &["EPERM"]),
        case("no_core_is_handled", "print(core_limit_after(resource.setrlimit))", &["(1, 1)"]),
        case("no_core_is_handled_by_prlimit", "print(core_limit_after(set_by_prlimit))", &["(1, 1)"]),
        case("other_limits_can_be_lowered", "resource.setrlimit(7, (9, 9)); print(resource.getrlimit(7))", &["(9, 9)"]),
        case("it_is_the_first_to_go", "print(open('/proc/self/oom_score_adj').read().strip())", &["1000"])
            .only_at_full(),
        attempt("it_stays_the_first_to_go", "write('/proc/self/oom_score_adj')", &["EROFS", "EACCES"]),
    ]
}
