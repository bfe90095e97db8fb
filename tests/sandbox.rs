//! Hostile tools at level `full`, as root and as nobody; and for each layer, what a tool could do without it.

#[path = "sandbox/cases.rs"]
mod cases;

use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::AsRawFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use gatepost::config::SandboxLevel;
use gatepost::process::{Cause, Ended, Exit, Job, ProcessError, run};
use gatepost::sandbox::{Confinement, Layer, SandboxError, View, probe, strongest};
use gatepost_gate::evidence::Limits;
use tempfile::TempDir;

use cases::Case;

const PRELUDE: &str = include_str!("sandbox/prelude.py");

/// What stands outside of the sandbox, to be aimed at.
pub struct Outside {
    secret: PathBuf,
    tcp: TcpListener,
    udp: UdpSocket,
    unix_path: PathBuf,
    abstract_name: String,
    shared_memory_key: i32,
    shared_memory: i32,
    _listeners: [UnixListener; 2],
}

impl Outside {
    fn new(folder: &Path) -> Self {
        let secret = folder.join("secret");
        fs::write(&secret, "secret").unwrap();
        let unix_path = folder.join("socket");
        let abstract_name = format!("gatepost-test-{}", folder.display());
        let abstract_address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let shared_memory_key = (std::process::id() | 0x4000_0000).cast_signed();
        // SAFETY: three integers.
        let shared_memory = unsafe { libc::shmget(shared_memory_key, 4096, libc::IPC_CREAT | 0o600) };
        assert!(shared_memory >= 0);
        Self {
            secret,
            tcp: TcpListener::bind("127.0.0.1:0").unwrap(),
            udp: UdpSocket::bind("127.0.0.1:0").unwrap(),
            _listeners: [UnixListener::bind(&unix_path).unwrap(), UnixListener::bind_addr(&abstract_address).unwrap()],
            unix_path,
            abstract_name,
            shared_memory_key,
            shared_memory,
        }
    }

    fn tcp_port(&self) -> u16 {
        self.tcp.local_addr().unwrap().port()
    }

    fn udp_port(&self) -> u16 {
        self.udp.local_addr().unwrap().port()
    }
}

impl Drop for Outside {
    fn drop(&mut self) {
        // SAFETY: no structure is asked for.
        unsafe { libc::shmctl(self.shared_memory, libc::IPC_RMID, std::ptr::null_mut()) };
    }
}

/// A site in small, with one tool that runs Python.
struct Bench {
    folder: TempDir,
    shown: Vec<(PathBuf, PathBuf)>,
    limits: Limits,
    without: Option<Layer>,
}

impl Bench {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["in", "out", "tools"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        fs::write(folder.path().join("in/data"), "data").unwrap();
        Self {
            shown: vec![(folder.path().join("tools"), "/tools".into())],
            folder,
            limits: Limits {
                time_ms: 60_000,
                cpu_seconds: 60,
                cpus: None,
                memory_bytes: None,
                address_space_bytes: 1 << 30,
                files: 64,
                processes: 32,
                file_bytes: 1 << 20,
                out_bytes: Some(4 << 20),
                out_files: Some(1_000),
                stdout_bytes: 1 << 20,
            },
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
        let (input, output) = (self.path("in"), self.path("out"));
        let confinement = Confinement::full(View { input: &input, output: &output, read_only: &self.shown });
        let ended = run(&Job {
            argv: &argv.iter().map(Into::into).collect::<Vec<_>>(),
            environment: &[],
            work_dir: self.folder.path(),
            confinement: self.without.map_or(confinement, |layer| confinement.without(layer)),
            limits: &self.limits,
            grace: Duration::from_secs(1),
            stdout: &self.path("stdout"),
            stderr: &self.path("stderr"),
            cancel: None,
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

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

#[test]
fn every_hostile_attempt_meets_its_refusal() {
    let bench = Bench::new();
    let outside = Outside::new(bench.folder.path());
    let failures: Vec<String> = cases::all(&outside)
        .iter()
        .filter_map(|case| {
            let (met, complaint) = bench.meet(case);
            (!case.met.contains(&met.as_str())).then(|| format!("{}: {met} {complaint}", case.name))
        })
        .collect();
    assert!(failures.is_empty(), "{failures:#?}");
}

#[test]
fn each_layer_left_out_lets_an_attempt_through() {
    let mut bench = Bench::new();
    let outside = Outside::new(bench.folder.path());
    let cases = cases::all(&outside);
    for (layer, name) in [
        (Layer::Ipc, "shared_memory"),
        (Layer::HostName, "the_machine_has_another_name"),
        (Layer::Network, "udp"),
        (Layer::Root, "the_site_is_not_there"),
        (Layer::Rlimits, "a_sparse_file_has_a_size"),
        (Layer::Privileges, "no_capability_is_left"),
        (Layer::Privileges, "no_privilege_can_be_gained"),
        (Layer::Landlock, "tcp_bind"),
        (Layer::Landlock, "the_first_process_gets_no_signal"),
        (Layer::Seccomp, "userfaultfd"),
        (Layer::Seccomp, "netlink_socket"),
    ] {
        let case = cases.iter().find(|case| case.name == name).unwrap();
        bench.without = None;
        let (met, _) = bench.meet(case);
        assert!(case.met.contains(&met.as_str()), "{name}: {met}");
        bench.without = Some(layer);
        let (met, complaint) = bench.meet(case);
        assert!(!case.met.contains(&met.as_str()), "{name} without {layer:?}: {met} {complaint}");
    }
}

#[test]
fn a_foreign_architecture_is_killed() {
    let bench = Bench::new();
    let x32 = format!("system_call({})", 0x4000_0000 | libc::SYS_getpid);
    for probe in [x32.as_str(), "call_i386()"] {
        assert_eq!(bench.python(probe).0.exit, Exit::Signal(libc::SIGSYS), "{probe}");
    }
}

#[test]
fn a_fork_bomb_is_bounded_and_leaves_nothing() {
    let (ended, met) = Bench::new().python("attempt(fork_many)");
    // The kernel exempts root's processes from their limit; there they are counted.
    if is_root() {
        assert_eq!((ended.cause, ended.exit), (Cause::ProcessLimit, Exit::Signal(libc::SIGKILL)));
    } else {
        assert_eq!((met.as_str(), ended.cause, ended.exit), ("EAGAIN", Cause::Own, Exit::Code(0)));
    }
}

#[test]
fn inputs_outputs_and_shown_paths_are_found_by_absolute_and_relative_names() {
    let mut bench = Bench::new();
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
fn what_cannot_be_shown_is_named_and_nothing_runs() {
    for (path, at) in [("/no/such/path", "/no/such/path"), ("/usr", "/"), ("/usr", "/proc/sys"), ("/usr", "/in/usr")] {
        let mut bench = Bench::new();
        bench.shown.push((path.into(), at.into()));
        match bench.try_run(&["true"]) {
            Err(ProcessError::Sandbox(SandboxError::Unshowable { path, .. })) => assert_eq!(path, Path::new(at)),
            other => panic!("{at}: {other:?}"),
        }
    }
}

#[test]
fn a_run_reports_its_level_and_every_layer() {
    let mut bench = Bench::new();
    let enforced = bench.run(&["true"]).0.enforced;
    assert_eq!((enforced.level.as_str(), &enforced), ("full", &probe(SandboxLevel::Full).unwrap()));
    for layer in ["network_namespace", "private_root", "no_new_privs", "seccomp"] {
        assert!(enforced.layers.iter().any(|name| name == layer), "{layer}");
    }
    assert!(enforced.layers.iter().any(|name| name.starts_with("landlock_abi_")), "{:?}", enforced.layers);
    assert_eq!(strongest(SandboxLevel::None, SandboxLevel::Full).unwrap(), (SandboxLevel::Full, enforced));
    let (level, enforced) = strongest(SandboxLevel::None, SandboxLevel::None).unwrap();
    assert_eq!((level, enforced.level.as_str()), (SandboxLevel::None, "none"));
    bench.without = Some(Layer::Seccomp);
    let enforced = bench.run(&["true"]).0.enforced;
    assert_eq!(enforced.level, "none");
    assert!(!enforced.layers.iter().any(|name| name == "seccomp"));
}

#[test]
fn all_of_this_holds_for_an_unprivileged_user_too() {
    if !is_root() {
        return;
    }
    let this = std::env::current_exe().unwrap();
    let status = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(this)
        .arg("sandbox::")
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success());
}
