//! Hostile tools at the levels `full` and `landlock`, as root and as nobody; and for each layer, what a tool could do
//! without it.

mod ablations;
mod cases;
mod outside;

use std::cell::Cell;
use std::fs;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use gatepost_documents::evidence::Limits;
use gatepost_documents::sandbox_level::SandboxLevel;
use gatepost_sandbox::process::{Cause, Ended, Exit, Job, ProcessError, run};
use gatepost_sandbox::{Confinement, Layer, PROXY_PORT, SandboxError, View, probe, strongest};
use gatepost_workers::http;
use tempfile::TempDir;

use cases::Case;
use outside::Outside;

use crate::site::{harness_name, is_root, passes_as_nobody, program, until};

const PRELUDE: &str = include_str!("sandbox/prelude.py");

/// The levels at which a hostile tool is held.
const LEVELS: [SandboxLevel; 2] = [SandboxLevel::Full, SandboxLevel::Landlock];

/// A site in small, with one tool that runs Python.
struct Bench {
    level: SandboxLevel,
    folder: TempDir,
    shown: Vec<(PathBuf, PathBuf)>,
    limits: Limits,
    input: Option<&'static [u8]>,
    without: Option<Layer>,
}

impl Bench {
    fn at(level: SandboxLevel) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["in", "out", "tmp", "tools"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("in/data"), "data").unwrap();
        Self {
            level,
            shown: vec![(folder.path().join("tools"), "/tools".into())],
            folder,
            limits: Limits {
                time_ms: 60_000,
                cpu_seconds: 60,
                cpus: None,
                memory_bytes: None,
                address_space_bytes: 1 << 30,
                files: 64,
                // Without a user namespace every process of the user counts, and other tests run some.
                processes: 512,
                file_bytes: 1 << 20,
                out_bytes: Some(4 << 20),
                out_files: Some(1_000),
                stdout_bytes: 1 << 20,
            },
            input: None,
            without: None,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn try_run(&self, argv: &[&str]) -> Result<(Ended, String), ProcessError> {
        for name in ["stdout", "stderr"] {
            let _ = fs::remove_file(self.path(name));
        }
        let (input, output, tmp) = (self.path("in"), self.path("out"), self.path("tmp"));
        let view = View { input: &input, output: &output, read_only: &self.shown };
        let confinement = match self.level {
            SandboxLevel::None => Confinement::none(),
            SandboxLevel::Landlock => Confinement::landlock(view, &tmp),
            SandboxLevel::Full => Confinement::full(view),
        };
        let ended = run(&Job {
            argv: &argv.iter().map(Into::into).collect::<Vec<_>>(),
            environment: &[],
            input: self.input,
            console: None,
            work_dir: self.folder.path(),
            confinement: self.without.map_or(confinement, |layer| confinement.without(layer)),
            limits: &self.limits,
            grace: Duration::from_secs(1),
            stdout: &self.path("stdout"),
            stderr: &self.path("stderr"),
            cancel: None,
            started: &Cell::new(false),
        })?;
        Ok((ended, fs::read_to_string(self.path("stdout")).unwrap().trim_end().to_owned()))
    }

    fn run(&self, argv: &[&str]) -> (Ended, String) {
        self.try_run(argv).unwrap()
    }

    fn python(&self, probe: &str) -> (Ended, String) {
        self.run(&["python3", "-I", "-c", &format!("{PRELUDE}\n{probe}\n")])
    }

    /// What the attempt met, and the tool's complaints.
    fn meet(&self, case: &Case) -> (String, String) {
        let (_, met) = self.python(&case.probe);
        (met, fs::read_to_string(self.path("stderr")).unwrap())
    }
}

#[test]
fn a_tool_reads_its_input_and_can_neither_change_it_nor_find_a_file_by_it() {
    let probe = "import os\n\
         print(os.read(0, 100).decode(), os.read(0, 100), os.readlink('/proc/self/fd/0').split(' ')[0])\n\
         for attempt in (lambda: os.write(0, b'x'), lambda: os.truncate(0, 0), lambda: os.open('/proc/self/fd/0/..', 0)):\n\
         \x20   try:\n\
         \x20       print('done', attempt())\n\
         \x20   except OSError as error:\n\
         \x20       print('refused')";
    for level in LEVELS {
        let bench = Bench { input: Some(b"a secret"), ..Bench::at(level) };
        let (_, met) = bench.run(&["python3", "-I", "-c", probe]);
        assert_eq!(met, "a secret b'' /memfd:input\nrefused\nrefused\nrefused", "{level:?}");
        let bench = Bench::at(level);
        assert_eq!(bench.run(&["wc", "-c"]).1, "0", "{level:?}");
    }
}

#[test]
fn a_worker_that_sends_http_has_no_way_out_but_the_proxy_that_it_was_granted() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let assignment = format!(
        "{{\"method\":\"GET\",\"url\":\"{url}\",\"headers\":[],\"answers\":[],\"proxy\":\"http://127.0.0.1:{PROXY_PORT}\"}}"
    );
    let shown = vec![(program(http::WORKER), PathBuf::from("/worker"))];
    let bench = Bench { input: Some(assignment.leak().as_bytes()), shown, ..Bench::at(SandboxLevel::Full) };
    let (ended, _) = bench.run(&["/worker"]);
    assert_eq!(ended.exit, Exit::Code(i32::from(http::NO_RESPONSE)));
    let complaint = fs::read_to_string(bench.path("stderr")).unwrap();
    assert!(complaint.starts_with("failed to get a response: "), "{complaint}");
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn every_hostile_attempt_meets_its_refusal_and_harms_nothing_outside() {
    for level in LEVELS {
        let bench = Bench::at(level);
        let mut outside = Outside::new(bench.folder.path());
        let failures: Vec<String> = cases::all(&outside)
            .iter()
            .filter_map(|case| {
                let expected = case.met(level)?;
                let (met, complaint) = bench.meet(case);
                (!expected.contains(&met.as_str())).then(|| format!("{}: {met} {complaint}", case.name))
            })
            .collect();
        assert!(failures.is_empty(), "{level:?} {failures:#?}");
        outside.assert_unharmed();
    }
}

/// Whether this kernel makes memory that is hidden from itself.
fn has_secret_memory() -> bool {
    Command::new("python3")
        .args(["-c", "import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(447, 0) < 0)"])
        .status()
        .unwrap()
        .success()
}

#[test]
fn each_layer_left_out_lets_an_attempt_through() {
    // Only root has any capability to lose where there is no user namespace.
    let of_root = [(Layer::Privileges, "no_capability_is_left")];
    let of_root = of_root.into_iter().filter(|_| is_root());
    // Only some kernels have it to be refused.
    let of_kernel = [(Layer::Seccomp, "secret_memory")].into_iter().filter(|_| has_secret_memory());
    let full: Vec<_> = ablations::FULL.iter().copied().chain(of_kernel.clone()).collect();
    let landlock: Vec<_> = ablations::LANDLOCK.iter().copied().chain(of_root).chain(of_kernel).collect();
    for (level, pairs) in [(SandboxLevel::Full, &full), (SandboxLevel::Landlock, &landlock)] {
        for (layer, name) in pairs {
            let mut bench = Bench::at(level);
            let outside = Outside::new(bench.folder.path());
            let cases = cases::all(&outside);
            let case = cases.iter().find(|case| case.name == *name).unwrap();
            let expected = case.met(level).unwrap();
            let (met, _) = bench.meet(case);
            assert!(expected.contains(&met.as_str()), "{name}: {met}");
            bench.without = Some(*layer);
            let (met, complaint) = bench.meet(case);
            assert!(!expected.contains(&met.as_str()), "{name} without {layer:?}: {met} {complaint}");
        }
    }
}

#[test]
fn a_foreign_architecture_is_killed() {
    for level in LEVELS {
        let bench = Bench::at(level);
        let x32 = format!("system_call({})", 0x4000_0000 | libc::SYS_getpid);
        for probe in [x32.as_str(), "call_i386()"] {
            assert_eq!(bench.python(probe).0.exit, Exit::Signal(libc::SIGSYS), "{level:?} {probe}");
        }
    }
}

/// Whether a process runs under this name.
fn runs(name: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut command_lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    command_lines.any(|line| line.starts_with(name.as_bytes()))
}

#[test]
fn no_session_and_no_lost_parent_saves_a_process_from_the_end_of_its_tree() {
    for level in LEVELS {
        let bench = Bench::at(level);
        let name = format!("escaped-from-{}", bench.folder.path().display());
        let (ended, met) = bench.python(&format!("escape('{name}'); print('escaped')"));
        assert_eq!((met.as_str(), ended.exit), ("escaped", Exit::Code(0)), "{level:?}");
        assert_eq!(ended.anomalies, ["1 process was still running when the tool ended, and was killed."]);
        assert!(!runs(&name), "{level:?}");
    }
}

#[test]
fn the_whole_tree_dies_with_gatepost() {
    const TEST: &str = "the_whole_tree_dies_with_gatepost";
    const NAME: &str = "GATEPOST_TEST_ESCAPED";
    if let Ok(name) = std::env::var(NAME) {
        let level = LEVELS.into_iter().find(|level| name.ends_with(level.as_str())).unwrap();
        Bench::at(level).python(&format!("escape('{name}'); time.sleep(1000)"));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for level in LEVELS {
        let name = format!("orphan-of-{}-{}", folder.path().display(), level.as_str());
        let mut gatepost = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", &harness_name(module_path!(), TEST)])
            .env(NAME, &name)
            .env("TMPDIR", folder.path())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        until("the process that escapes", || runs(&name));
        gatepost.kill().unwrap();
        gatepost.wait().unwrap();
        until("its end", || !runs(&name));
    }
}

#[test]
fn who_sleeps_through_sigterm_is_killed_with_all_that_it_started() {
    for level in LEVELS {
        let mut bench = Bench::at(level);
        bench.limits.time_ms = 1_500;
        let name = format!("slept-in-{}", bench.folder.path().display());
        let probe = format!("signal.signal(signal.SIGTERM, signal.SIG_IGN); escape('{name}'); time.sleep(1000)");
        let (ended, _) = bench.python(&probe);
        assert_eq!((ended.exit, ended.cause), (Exit::Signal(libc::SIGKILL), Cause::TimeLimit), "{level:?}");
        assert!(!runs(&name), "{level:?}");
    }
}

#[test]
fn the_kernel_ends_a_tool_before_all_others_when_memory_ends() {
    let mut bench = Bench::at(SandboxLevel::Landlock);
    bench.limits.time_ms = 1_500;
    let note = bench.path("out/pid");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            bench.python(
                "open('out/new', 'w').write(str(os.getpid())); os.rename('out/new', 'out/pid'); time.sleep(1000)",
            )
        });
        until("the tool", || note.exists());
        let pid = fs::read_to_string(&note).unwrap();
        assert_eq!(fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).unwrap(), "1000\n");
    });
}

#[test]
fn sigterm_reaches_every_process_of_the_tree() {
    for level in LEVELS {
        let mut bench = Bench::at(level);
        bench.limits.time_ms = 300;
        // The whole tree is gone before the grace is over, and its last words are there.
        let script = "trap 'echo parent' TERM; setsid sh -c 'trap \"echo child\" TERM; sleep 1000' & wait; wait";
        let (ended, printed) = bench.run(&["sh", "-c", script]);
        let mut words: Vec<&str> = printed.lines().collect();
        words.sort_unstable();
        assert_eq!((words, ended.cause), (vec!["child", "parent"], Cause::TimeLimit), "{level:?}");
        assert!(ended.duration < Duration::from_millis(1_200), "{level:?} {:?}", ended.duration);
    }
}

#[test]
fn a_fork_bomb_is_bounded_and_leaves_nothing() {
    for level in LEVELS {
        // The kernel spares root the limit; there processes are counted as long as they stay.
        if is_root() {
            let (ended, _) = Bench::at(level).python("attempt(fork_many)\nsignal.pause()");
            assert_eq!((ended.cause, ended.exit), (Cause::ProcessLimit, Exit::Signal(libc::SIGKILL)), "{level:?}");
        } else {
            let (ended, met) = Bench::at(level).python("attempt(fork_many)");
            let found = (met.as_str(), ended.cause, ended.exit);
            assert_eq!(found, ("EAGAIN", Cause::Own, Exit::Code(0)), "{level:?}");
        }
    }
}

#[test]
fn inputs_outputs_and_shown_paths_are_found_by_absolute_and_relative_names() {
    let mut bench = Bench::at(SandboxLevel::Full);
    fs::write(bench.path("tools/script"), "#!/bin/sh\necho \"$PWD\"\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(bench.path("tools/script"), mode).unwrap();
    fs::write(bench.path("reference"), "shown").unwrap();
    bench.shown.push((bench.path("reference"), "/opt/reference/text".into()));
    let script = "cat in/data /in/data /opt/reference/text; echo 1 > out/a; echo 2 > /out/b; echo x > tmp/c; cat /tmp/c; \
                  ls /usr/bin/env; find . -name data; echo >/dev/null";
    let (ended, printed) = bench.run(&["sh", "-c", script]);
    assert_eq!((ended.exit, printed.as_str()), (Exit::Code(0), "datadatashownx\n/usr/bin/env\n./in/data"));
    let out = PathBuf::from(format!("/proc/self/fd/{}", ended.output.as_ref().unwrap().as_raw_fd()));
    assert_eq!(["a", "b"].map(|name| fs::read_to_string(out.join(name)).unwrap()), ["1\n", "2\n"]);
    assert_eq!(bench.path("out").read_dir().unwrap().count(), 0);
    assert_eq!(bench.run(&["/tools/script"]).1, "/work");
}

#[test]
fn a_tool_keeps_to_so_many_processors() {
    let own = std::thread::available_parallelism().unwrap().get() as u64;
    for level in SandboxLevel::ALL {
        for (asked, given) in [(None, own), (Some(1), 1), (Some(1_000), own)] {
            let mut bench = Bench::at(level);
            bench.limits.cpus = asked;
            let (ended, met) = bench.python("print(len(os.sched_getaffinity(0)))");
            assert_eq!(met, given.to_string(), "{level:?} {asked:?}");
            // Where nothing keeps a tool from widening the set, it is no limit.
            let claimed = asked.map(|_| given).filter(|_| level != SandboxLevel::None);
            assert_eq!(ended.limits.cpus, claimed, "{level:?} {asked:?}");
        }
    }
}

#[test]
fn what_is_shown_with_its_folder_or_by_a_link_can_be_listed_once_more() {
    for level in LEVELS {
        let mut bench = Bench::at(level);
        for path in ["/bin/sh", "/usr/bin", "/etc/ssl/certs", "/etc/fonts"].map(PathBuf::from) {
            bench.shown.extend(path.exists().then(|| (path.clone(), path)));
        }
        let (_, printed) = bench.run(&["/bin/sh", "-c", "echo here"]);
        assert_eq!(printed, "here", "{level:?}");
    }
}

#[test]
fn ordinary_programs_work_at_every_level() {
    let count = "import csv, json, subprocess, os\n\
        rows = list(csv.DictReader(open('in/table.csv')))\n\
        shout = subprocess.run(['tr', 'a-z', 'A-Z'], input=rows[0]['name'], capture_output=True, text=True).stdout\n\
        json.dump({'names': [row['name'] for row in rows], 'shout': shout}, open('out/names.json', 'w'))\n\
        os.mkdir('out/d')\n\
        os.rename('out/names.json', 'out/d/renamed.json')\n\
        os.link('out/d/renamed.json', 'out/linked.json')\n\
        print(open('out/linked.json').read(), os.cpu_count() > 0)";
    let descriptors = "import array, fcntl, os, sqlite3, sys, termios\n\
        reading, writing = os.pipe()\n\
        os.write(writing, b'abc')\n\
        waiting = array.array('i', [0])\n\
        fcntl.ioctl(reading, termios.FIONREAD, waiting)\n\
        fcntl.ioctl(reading, termios.FIONBIO, array.array('i', [1]))\n\
        base = sqlite3.connect('out/base')\n\
        base.execute('create table numbers (n)')\n\
        base.executemany('insert into numbers values (?)', [(1,), (2,)])\n\
        base.commit()\n\
        print(waiting[0], os.get_blocking(reading), sys.stdin.isatty(), *base.execute('select sum(n) from numbers'))";
    let cases: [(&[&str], &str); 9] = [
        (&["python3", "-c", descriptors], "3 False False (3,)"),
        (&["flock", "out/lock", "cp", "--reflink=auto", "in/data", "/dev/stdout"], "data"),
        (&["python3", "-c", count], r#"{"names": ["ann", "bob"], "shout": "ANN"} True"#),
        (&["sh", "-c", "sort -r in/table.csv | head -n 2 | cut -d, -f1 | tr '\\n' ' ' | tee tmp/copy"], "name bob"),
        (&["sh", "-c", "cat in/table.csv | (read first; wc -l) && x=$(sha256sum < in/data); echo ${#x}"], "2\n67"),
        (
            &[
                "sh",
                "-c",
                "mkdir -p out/a/b && cp in/data out/a/b/ && mv out/a/b/data out/a && rm -r out/a/b && ls out/a",
            ],
            "data",
        ),
        (&["awk", "-F,", "NR > 1 { sum += $2 } END { print sum }", "in/table.csv"], "12"),
        (&["sh", "-c", "find in -name '*.csv' | xargs grep -c ann; mktemp -p tmp >/dev/null && date +%Z"], "1\nUTC"),
        (&["perl", "-ne", "print if /bob/", "in/table.csv"], "bob,9"),
    ];
    for level in SandboxLevel::ALL {
        let bench = Bench::at(level);
        fs::write(bench.path("in/table.csv"), "name,size\nann,3\nbob,9\n").unwrap();
        for (argv, expected) in cases {
            let (ended, printed) = bench.run(argv);
            let complaint = fs::read_to_string(bench.path("stderr")).unwrap();
            assert_eq!((printed.as_str(), ended.exit), (expected, Exit::Code(0)), "{level:?} {argv:?} {complaint}");
        }
    }
}

#[test]
fn what_cannot_be_shown_is_named_and_nothing_runs() {
    for path in ["/", "/proc", "/proc/self/root", "/no/such/path"] {
        let mut bench = Bench::at(SandboxLevel::Landlock);
        bench.shown.push((path.into(), "/shown".into()));
        let refused = bench.try_run(&["true"]);
        assert!(matches!(refused, Err(ProcessError::Sandbox(SandboxError::Unshowable { .. }))), "{path}: {refused:?}");
    }
    for (path, at) in [("/no/such/path", "/no/such/path"), ("/usr", "/"), ("/usr", "/proc/sys"), ("/usr", "/in/usr")] {
        let mut bench = Bench::at(SandboxLevel::Full);
        bench.shown.push((path.into(), at.into()));
        match bench.try_run(&["true"]) {
            Err(ProcessError::Sandbox(SandboxError::Unshowable { path, .. })) => assert_eq!(path, Path::new(at)),
            other => panic!("{at}: {other:?}"),
        }
    }
}

#[test]
fn a_run_reports_its_level_and_every_layer() {
    let mut bench = Bench::at(SandboxLevel::Full);
    let enforced = bench.run(&["true"]).0.enforced;
    assert_eq!((enforced.level.as_str(), &enforced), ("full", &probe(SandboxLevel::Full).unwrap()));
    for layer in ["network_namespace", "private_root", "no_new_privs", "seccomp"] {
        assert!(enforced.layers.iter().any(|name| name == layer), "{layer}");
    }
    assert!(enforced.layers.iter().any(|name| name.starts_with("landlock_abi_")), "{:?}", enforced.layers);
    assert_eq!(strongest(SandboxLevel::None, SandboxLevel::Full).unwrap(), (SandboxLevel::Full, enforced));
    let (level, enforced) = strongest(SandboxLevel::None, SandboxLevel::None).unwrap();
    assert_eq!((level, enforced.level.as_str()), (SandboxLevel::None, "none"));
    bench.level = SandboxLevel::Landlock;
    let enforced = bench.run(&["true"]).0.enforced;
    assert_eq!((enforced.level.as_str(), &enforced), ("landlock", &probe(SandboxLevel::Landlock).unwrap()));
    let abi = enforced.layers.iter().find(|name| name.starts_with("landlock_abi_")).unwrap().clone();
    let mut layers = vec!["subreaper", "signal_scope", "rlimits", "process_limit", "no_capabilities", "no_new_privs"];
    layers.retain(|name| *name != "process_limit" || !is_root());
    layers.extend([abi.as_str(), "seccomp", "no_sockets"]);
    // Whether there is a cgroup to be had depends on the machine.
    let found: Vec<&str> = enforced.layers.iter().map(String::as_str).filter(|name| *name != "cgroup").collect();
    assert_eq!(found, layers);
    assert_eq!(
        strongest(SandboxLevel::None, SandboxLevel::Landlock).unwrap(),
        (SandboxLevel::Landlock, enforced.clone())
    );
    bench.without = Some(Layer::Seccomp);
    let enforced = bench.run(&["true"]).0.enforced;
    assert_eq!(enforced.level.as_str(), "none");
    assert!(!enforced.layers.iter().any(|name| name == "seccomp"));
}

#[test]
fn all_of_this_holds_for_an_unprivileged_user_too() {
    passes_as_nobody(module_path!(), "");
}
