//! The process runner against real programs, as root and as nobody.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::Cell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use gatepost_documents::digest::Digest;
use gatepost_documents::evidence::Limits;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_sandbox::Confinement;
use gatepost_sandbox::cancel::Cancel;
use gatepost_sandbox::process::{Cause, Ended, Exit, Job, ProcessError, run};
use tempfile::TempDir;

use crate::site::{harness_name, passes_as_nobody, tests_passed};

/// Set in the second process of a test that needs one of its own.
const ROLE: &str = "GATEPOST_TEST_ROLE";

/// A folder with one job; each test changes what it is about.
struct Bench {
    folder: TempDir,
    environment: Vec<(OsString, OsString)>,
    limits: Limits,
    grace: Duration,
}

impl Bench {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
            limits: Limits {
                time_ms: 60_000,
                cpu_seconds: 60,
                cpus: None,
                memory_bytes: None,
                address_space_bytes: 4 << 30,
                files: 64,
                processes: 64,
                file_bytes: 1 << 20,
                out_bytes: None,
                out_files: None,
                stdout_bytes: 1 << 20,
            },
            grace: Duration::from_secs(30),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn try_run(&self, argv: &[&str], cancel: Option<&Cancel>) -> Result<Ended, ProcessError> {
        for name in ["stdout", "stderr"] {
            let _ = fs::remove_file(self.path(name));
        }
        run(&Job {
            argv: &argv.iter().map(OsString::from).collect::<Vec<_>>(),
            environment: &self.environment,
            input: None,
            console: None,
            work_dir: self.folder.path(),
            confinement: Confinement::none(),
            limits: &self.limits,
            grace: self.grace,
            stdout: &self.path("stdout"),
            stderr: &self.path("stderr"),
            cancel,
            started: &Cell::new(false),
        })
    }

    fn run(&self, argv: &[&str]) -> Ended {
        self.try_run(argv, None).unwrap()
    }

    fn shell(&self, script: &str) -> Ended {
        self.run(&["sh", "-c", script])
    }

    fn stdout(&self) -> String {
        fs::read_to_string(self.path("stdout")).unwrap()
    }

    /// A FIFO in the folder, and its reading end: at its end exactly when no process holds the writing end.
    fn fifo(&self, name: &str) -> File {
        assert!(Command::new("mkfifo").arg(self.path(name)).status().unwrap().success());
        File::options().read(true).custom_flags(libc::O_NONBLOCK).open(self.path(name)).unwrap()
    }
}

/// Waits until something can be read, or nobody holds the writing end any more; at most half a minute.
fn wait_for(fifo: &File) {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let ready = poll(&mut [PollFd::new(fifo, PollFlags::IN)], Some(&Timespec { tv_sec: 30, tv_nsec: 0 }));
    assert_eq!(ready.unwrap(), 1, "nothing happened in half a minute");
}

fn has_no_writer(mut fifo: &File) -> bool {
    let mut rest = Vec::new();
    match fifo.read_to_end(&mut rest) {
        Ok(_) => true,
        Err(error) => {
            assert_eq!(error.kind(), ErrorKind::WouldBlock);
            false
        }
    }
}

/// Runs the named test again in a process of its own; true in that process.
fn alone(test: &str) -> bool {
    if std::env::var_os(ROLE).is_some_and(|role| role == test) {
        return true;
    }
    let mut second = Command::new(std::env::current_exe().unwrap());
    second.args(["--exact", &harness_name(module_path!(), test)]).env(ROLE, test);
    tests_passed(&second.output().unwrap());
    false
}

#[test]
fn a_run_stores_both_streams_with_their_digests_and_its_exit_status() {
    let bench = Bench::new();
    let ended = bench.shell("echo out; echo err >&2; exit 3");
    assert_eq!((ended.exit, ended.cause), (Exit::Code(3), Cause::Own));
    assert_eq!(ended.program, PathBuf::from("/usr/bin/sh"));
    assert_eq!((ended.stdout.digest, ended.stdout.bytes), (Digest::of(b"out\n"), 4));
    assert_eq!((ended.stderr.digest, ended.usage.stderr_bytes), (Digest::of(b"err\n"), 4));
    assert_eq!(bench.stdout(), "out\n");
    assert_eq!(fs::metadata(bench.path("stderr")).unwrap().permissions().mode() & 0o7777, 0o644);
    assert_eq!(ended.anomalies, Vec::<String>::new());
}

#[test]
fn a_program_that_cannot_start_is_reported_with_the_kernels_reason() {
    let bench = Bench::new();
    for (name, text, mode) in [
        ("not-executable", "#!/bin/sh\n", 0o644),
        ("no-format", "\u{1}", 0o755),
        ("no-interpreter", "#!/missing\n", 0o755),
        ("script", "#!/bin/sh\nexit 5\n", 0o755),
    ] {
        fs::write(bench.path(name), text).unwrap();
        fs::set_permissions(bench.path(name), fs::Permissions::from_mode(mode)).unwrap();
    }
    for (program, errno) in [
        ("./not-executable", libc::EACCES),
        ("./no-format", libc::ENOEXEC),
        ("./no-interpreter", libc::ENOENT),
        ("./missing", libc::ENOENT),
        ("/etc", libc::EACCES),
        ("/etc/passwd/x", libc::ENOTDIR),
    ] {
        match bench.try_run(&[program], None) {
            Err(ProcessError::Execute { program: reported, source }) => {
                assert_eq!((reported, source.raw_os_error()), (program.into(), Some(errno)));
            }
            other => panic!("{program}: {other:?}"),
        }
        assert_eq!(bench.stdout(), "");
    }
    assert_eq!(bench.run(&[bench.path("script").to_str().unwrap()]).exit, Exit::Code(5));
    assert!(matches!(bench.try_run(&["no-such-tool"], None), Err(ProcessError::NotFound { .. })));
    assert!(matches!(bench.try_run(&[], None), Err(ProcessError::NoProgram)));
    let unpassable = bench.try_run(&["true", "a\0b"], None);
    assert!(matches!(unpassable, Err(ProcessError::Sandbox(gatepost_sandbox::SandboxError::Unpassable(_)))));
}

#[test]
fn a_work_directory_that_cannot_be_entered_is_named() {
    let bench = Bench::new();
    let missing = bench.path("missing");
    let error = run(&Job {
        argv: &["true".into()],
        environment: &[],
        input: None,
        console: None,
        work_dir: &missing,
        confinement: Confinement::none(),
        limits: &bench.limits,
        grace: bench.grace,
        stdout: &bench.path("stdout"),
        stderr: &bench.path("stderr"),
        cancel: None,
        started: &Cell::new(false),
    });
    match error {
        Err(ProcessError::WorkDir { path, source }) => {
            assert_eq!((path, source.raw_os_error()), (missing, Some(libc::ENOENT)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_stream_file_that_exists_is_never_written_over() {
    let bench = Bench::new();
    fs::write(bench.path("err"), "old").unwrap();
    let error = run(&Job {
        argv: &["true".into()],
        environment: &[],
        input: None,
        console: None,
        work_dir: bench.folder.path(),
        confinement: Confinement::none(),
        limits: &bench.limits,
        grace: bench.grace,
        stdout: &bench.path("out"),
        stderr: &bench.path("err"),
        cancel: None,
        started: &Cell::new(false),
    });
    assert!(matches!(error, Err(ProcessError::Store { .. })), "{error:?}");
    assert_eq!(fs::read_to_string(bench.path("err")).unwrap(), "old");
}

#[test]
fn whatever_a_tool_leaves_behind_dies_with_it_and_delays_nothing() {
    for (script, killed) in [
        ("sleep 1000 9>fifo & echo started", 1),
        ("setsid sleep 1000 9>fifo & echo started", 1),
        ("(setsid sh -c '(sleep 1000; true) 9>fifo & sleep 1000; true' &) ; echo started", 4),
        ("trap '' TERM HUP; (sleep 1000; true) 9>fifo & echo started", 2),
    ] {
        let bench = Bench::new();
        let fifo = bench.fifo("fifo");
        let ended = bench.shell(&format!("{script}; exec 9>fifo"));
        assert_eq!((ended.exit, ended.cause), (Exit::Code(0), Cause::Own), "{script}");
        assert!(has_no_writer(&fifo), "{script}");
        assert_eq!(bench.stdout(), "started\n");
        let count = ended.anomalies.iter().find_map(|anomaly| anomaly.split(' ').next()?.parse::<u32>().ok());
        assert!(count.is_some_and(|count| (1..=killed).contains(&count)), "{script}: {:?}", ended.anomalies);
    }
}

#[test]
fn at_the_time_limit_the_whole_tree_is_told_to_end() {
    let mut bench = Bench::new();
    bench.limits.time_ms = 100;
    let ended = bench.shell("sleep 1000 & sleep 1000");
    assert_eq!((ended.exit, ended.cause), (Exit::Signal(libc::SIGTERM), Cause::TimeLimit));
    assert!(ended.duration >= Duration::from_millis(100));
}

#[test]
fn a_cancelled_tool_may_clean_up_and_one_that_ignores_it_is_killed_after_the_grace() {
    for (script, grace, exit) in
        [("trap 'echo bye; exit 7' TERM", 30_000, Exit::Code(7)), ("trap '' TERM", 50, Exit::Signal(libc::SIGKILL))]
    {
        let mut bench = Bench::new();
        bench.grace = Duration::from_millis(grace);
        let fifo = bench.fifo("ready");
        let cancel = Cancel::new().unwrap();
        let script = format!("{script}; echo > ready; while :; do sleep 0.01; done");
        let ended = std::thread::scope(|scope| {
            scope.spawn(|| {
                wait_for(&fifo);
                cancel.fire();
                cancel.fire();
            });
            bench.try_run(&["sh", "-c", &script], Some(&cancel)).unwrap()
        });
        assert_eq!((ended.exit, ended.cause), (exit, Cause::Cancelled));
        assert!(has_no_writer(&fifo));
        // Fired before the start: the tool is ended as soon as it exists.
        assert_eq!(bench.try_run(&["sleep", "1000"], Some(&cancel)).unwrap().cause, Cause::Cancelled);
    }
}

#[test]
fn a_tool_that_prints_too_much_is_killed_and_what_it_printed_first_is_kept() {
    let mut bench = Bench::new();
    bench.limits.stdout_bytes = 100_000;
    for (script, stored, cause) in [
        ("yes", [100_000, 0], Cause::StdoutLimit),
        ("trap '' TERM; yes >&2", [0, 100_000], Cause::StderrLimit),
        ("head -c 100000 /dev/zero", [100_000, 0], Cause::Own),
        ("head -c 100001 /dev/zero", [100_000, 0], Cause::StdoutLimit),
    ] {
        let ended = bench.shell(script);
        assert_eq!(([ended.stdout.bytes, ended.stderr.bytes], ended.cause), (stored, cause), "{script}");
        let truncated = [ended.stdout.truncated, ended.stderr.truncated];
        assert_eq!(truncated, [cause == Cause::StdoutLimit, cause == Cause::StderrLimit]);
        assert_eq!(Digest::of(&fs::read(bench.path("stdout")).unwrap()), ended.stdout.digest);
        assert_eq!(fs::metadata(bench.path("stderr")).unwrap().len(), ended.stderr.bytes);
    }
}

#[test]
fn a_tool_starts_from_a_clean_state() {
    let mut bench = Bench::new();
    bench.environment = vec![("B".into(), "two words".into()), ("A".into(), "x=y\nz".into())];
    bench.run(&["env"]);
    assert_eq!(bench.stdout(), "B=two words\nA=x=y\nz\n");
    let bench = Bench::new();
    for (script, expected) in [
        ("cat", ""),
        ("ls /proc/$$/fd", "0\n1\n2\n"),
        ("echo $$; umask; cut -d' ' -f6 /proc/$$/stat", "2\n0022\n2\n"),
        ("cd /proc; echo [0-9]*", "1 2\n"),
        ("grep -E '^Sig(Blk|Ign)' /proc/self/status", "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n"),
        ("grep -E '^(Cap(Inh|Prm|Eff|Amb)|NoNewPrivs)' /proc/self/status | cut -f2 | sort -u", "0000000000000000\n1\n"),
    ] {
        let ended = bench.shell(script);
        assert_eq!((bench.stdout().as_str(), ended.exit), (expected, Exit::Code(0)), "{script}");
    }
    bench.shell("pwd");
    assert_eq!(bench.stdout().trim_end(), bench.folder.path().canonicalize().unwrap().to_str().unwrap());
}

#[test]
fn a_tool_cannot_look_into_or_stop_the_first_process() {
    let bench = Bench::new();
    for script in ["cat /proc/1/environ", "readlink /proc/1/fd/3", "head -c1 /proc/1/mem", "readlink /proc/1/exe"] {
        assert_ne!(bench.shell(script).exit, Exit::Code(0), "{script}");
        assert_eq!(bench.stdout(), "");
    }
    let ended = bench.shell("kill -KILL 1; kill -INT 1; kill -USR1 1; exit 4");
    assert_eq!(ended.exit, Exit::Code(4));
}

#[test]
fn resource_limits_bind() {
    let mut bench = Bench::new();
    bench.limits.file_bytes = 4096;
    bench.limits.files = 32;
    bench.limits.address_space_bytes = 1 << 30;
    let ended = bench.shell("ulimit -n; ulimit -v; ulimit -c; ulimit -f; ulimit -H -t");
    assert_eq!(bench.stdout(), "32\n1048576\n0\n8\n61\n");
    assert_eq!(ended.limits, bench.limits);

    let ended = bench.shell("exec head -c 5000 /dev/zero > big");
    assert_eq!(ended.exit, Exit::Signal(libc::SIGXFSZ));
    assert_eq!(ended.anomalies, ["The tool reached its file size limit of 4096 bytes."]);

    bench.limits.cpu_seconds = 1;
    let ended = bench.shell("while :; do :; done");
    assert_eq!(ended.exit, Exit::Signal(libc::SIGXCPU));
    assert_eq!(ended.anomalies, ["The tool reached its CPU time limit of 1 s."]);
    // The kernel checks the limit by its clock ticks and measures usage exactly; on a busy machine they differ.
    assert!((300..3000).contains(&ended.usage.cpu_ms), "{:?}", ended.usage);

    bench.limits.processes = 3;
    let ended = bench.shell("for i in 1 2 3 4 5; do sleep 1000 & done; wait");
    // The kernel refuses more to everybody but root.
    let refused = ended.enforced.layers.iter().any(|layer| layer == "process_limit");
    assert_eq!(ended.cause, if refused { Cause::Own } else { Cause::ProcessLimit });
    assert_ne!(ended.exit, Exit::Code(0));
}

#[test]
fn a_pid_namespace_has_a_highest_process_id_of_its_own() {
    let machines = || fs::read_to_string("/proc/sys/kernel/pid_max").unwrap();
    let before = machines();
    let bench = Bench::new();
    bench.shell("cat /proc/sys/kernel/pid_max; uname -r");
    let printed = bench.stdout();
    let (found, release) = printed.split_once('\n').unwrap();
    let mut numbers = release.split(['.', '-']).map(|number| number.parse::<u32>().unwrap_or(0));
    let is_new = (numbers.next(), numbers.next()) >= (Some(6), Some(14));
    assert_eq!(found == (bench.limits.processes + 302).to_string(), is_new, "{printed}");
    assert_eq!(machines(), before);
}

#[test]
fn the_usage_of_processes_that_were_left_behind_is_counted() {
    let bench = Bench::new();
    let fifo = bench.fifo("done");
    let work = "head -c 200000000 /dev/zero | cksum > /dev/null";
    let ended = bench.shell(&format!("setsid sh -c '{work}; echo > done; sleep 1000' & read line < done"));
    drop(fifo);
    assert!(ended.usage.cpu_ms > 0, "{:?}", ended.usage);
    assert!(ended.usage.memory_bytes_peak > 100_000, "{:?}", ended.usage);
}

#[test]
fn runs_leave_no_descriptor_and_no_zombie_behind() {
    if !alone("runs_leave_no_descriptor_and_no_zombie_behind") {
        return;
    }
    let descriptors = || fs::read_dir("/proc/self/fd").unwrap().count();
    let bench = Bench::new();
    bench.run(&["true"]);
    let before = descriptors();
    for index in 0..200 {
        let program = ["true", "./missing", "no-such-tool"][index % 3];
        assert_eq!(bench.try_run(&[program], None).is_ok(), program == "true");
    }
    assert_eq!(descriptors(), before);
    let own = std::process::id().to_string();
    let children = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let stat = fs::read_to_string(entry.ok()?.path().join("stat")).ok()?;
        let parent = stat.rsplit(") ").next()?.split(' ').nth(1)?.to_owned();
        (parent == own).then_some(stat)
    });
    assert_eq!(children.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn runs_in_many_threads_do_not_meet() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                let bench = Bench::new();
                for round in 0..5 {
                    let ended = bench.shell(&format!("echo {thread} {round}; exit {thread}"));
                    assert_eq!((ended.exit, bench.stdout()), (Exit::Code(thread), format!("{thread} {round}\n")));
                }
            });
        }
    });
}

#[test]
fn the_tree_dies_with_gatepost() {
    let bench = Bench::new();
    if let Some(folder) = std::env::var_os("GATEPOST_TEST_FOLDER") {
        let fifo = PathBuf::from(folder).join("fifo");
        let script = format!("exec 9>{}; echo >&9; setsid sleep 1000 & sleep 1000", fifo.display());
        panic!("it should have been killed: {:?}", bench.shell(&script));
    }
    let fifo = bench.fifo("fifo");
    let this = std::env::current_exe().unwrap();
    let mut gatepost = Command::new(this)
        .args(["--exact", &harness_name(module_path!(), "the_tree_dies_with_gatepost")])
        .env("GATEPOST_TEST_FOLDER", bench.folder.path())
        .env("TMPDIR", bench.folder.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&fifo);
    assert!(!has_no_writer(&fifo));
    gatepost.kill().unwrap();
    assert_eq!(gatepost.wait().unwrap().signal(), Some(libc::SIGKILL));
    wait_for(&fifo);
    assert!(has_no_writer(&fifo));
}

#[test]
fn a_sandbox_can_be_made_here_and_says_what_it_enforces() {
    let enforced = gatepost_sandbox::probe(SandboxLevel::None).unwrap();
    assert_eq!(enforced, Bench::new().run(&["true"]).enforced);
    for layer in ["user_namespace", "pid_namespace", "rlimits", "no_capabilities", "no_new_privs"] {
        assert!(enforced.layers.iter().any(|name| name == layer), "{layer}");
    }
}

#[test]
fn without_user_namespaces_nothing_runs_and_the_error_says_what_to_do() {
    const TEST: &str = "without_user_namespaces_nothing_runs_and_the_error_says_what_to_do";
    if std::env::var_os(ROLE).is_some_and(|role| role == TEST) {
        let probed = gatepost_sandbox::probe(SandboxLevel::None).map(drop);
        let strongest = |minimum| gatepost_sandbox::strongest(minimum, SandboxLevel::Full).map(|(level, _)| level);
        assert!(strongest(SandboxLevel::Full).is_err());
        assert!(gatepost_sandbox::strongest(SandboxLevel::None, SandboxLevel::None).is_err());
        // This level needs none.
        for minimum in [SandboxLevel::Landlock, SandboxLevel::None] {
            assert_eq!(strongest(minimum).unwrap(), SandboxLevel::Landlock);
        }
        let ran = Bench::new().try_run(&["true"], None).map(drop);
        assert!(
            matches!(ran, Err(ProcessError::Sandbox(gatepost_sandbox::SandboxError::Unavailable { .. }))),
            "{ran:?}"
        );
        let message = probed.unwrap_err().to_string();
        assert!(message.ends_with("raise the sysctl user.max_user_namespaces"), "{message}");
        return;
    }
    // The limit is set for one user namespace, around the second process.
    let second = Command::new("unshare")
        .args(["--user", "--map-root-user", "sh", "-c"])
        .arg("echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" --exact \"$1\"")
        .arg(std::env::current_exe().unwrap())
        .arg(harness_name(module_path!(), TEST))
        .env(ROLE, TEST)
        .output();
    tests_passed(&second.unwrap());
}

#[test]
fn all_of_this_holds_for_an_unprivileged_user_too() {
    passes_as_nobody(module_path!(), "");
}
