//! A machine that can lose its power: a process namespace in which every process dies at once, with a boot id of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::site::GATEPOST;

/// No run of these tests may take longer.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Runs what follows the boot id as the first process of a namespace. Only the gate asks for it, and TOOL-EXEC needs a /proc
/// without anything on top.
const BOOT: &str = "if [ \"$0\" ]; then mount --bind \"$0\" /proc/sys/kernel/random/boot_id; fi && exec \"$@\"";

/// A system call that a watcher dies over.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    pub calls: &'static str,
    pub nth: u64,
    /// Whether the call is still made.
    pub is_made: bool,
}

/// The machine of one site.
pub(crate) struct Machine {
    site: PathBuf,
    log: PathBuf,
    boot_id: PathBuf,
    boots: u64,
}

/// Programs that are running on it.
pub(crate) struct Running(Child);

impl Machine {
    /// A machine that keeps what it is told in a folder beside the disk.
    pub(crate) fn new(site: &Path, folder: &Path) -> Self {
        let machine =
            Self { site: site.to_owned(), log: folder.join("said"), boot_id: folder.join("boot_id"), boots: 0 };
        machine.write_boot_id();
        machine
    }

    /// Starts it anew: whatever counts by the boot begins again.
    pub(crate) fn boot(&mut self) {
        self.boots += 1;
        self.write_boot_id();
    }

    fn write_boot_id(&self) {
        fs::write(&self.boot_id, format!("00000000-0000-4000-8000-{:012}\n", self.boots)).unwrap();
    }

    /// Starts a command of gatepost with something in front of it.
    fn start_under(&self, before: &[&str], arguments: &[&str]) -> Running {
        let mut command = Command::new("unshare");
        command.args(["--mount", "--pid", "--fork", "--kill-child", "--propagation=slave", "--mount-proc"]);
        command.args(["sh", "-c", BOOT]);
        command
            .arg(if arguments[0] == "gate" { self.boot_id.as_path() } else { Path::new("") })
            .args(before)
            .args([GATEPOST, "--site"])
            .arg(&self.site)
            .args(arguments);
        let said = File::create(&self.log).unwrap();
        command.stdin(Stdio::null()).stdout(said.try_clone().unwrap()).stderr(said).current_dir("/");
        Running(command.spawn().unwrap())
    }

    /// Starts a command of gatepost.
    pub(crate) fn start(&self, arguments: &[&str]) -> Running {
        self.start_under(&[], arguments)
    }

    /// Runs a command of gatepost to its end; what it said if it failed.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<(), String> {
        let status = self.start(arguments).ended();
        if status.success() { Ok(()) } else { Err(format!("{arguments:?} {status}: {}", self.said())) }
    }

    /// Runs a watcher until it is killed at a moment; whether it came that far.
    pub(crate) fn run_until(&self, watcher: &str, moment: &Moment) -> bool {
        let Moment { calls, nth, is_made } = moment;
        let error = if *is_made { "" } else { "error=EIO:" };
        let inject = format!("inject={calls}:{error}signal=SIGKILL:when={nth}");
        let trace = format!("trace={calls}");
        let before = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        !self.start_under(&before, &[watcher, "--once"]).ended().success()
    }

    /// Runs a watcher to its end on a disk that only says that it flushed.
    pub(crate) fn run_without_flushes(&self, watcher: &str) {
        let calls = "fsync,fdatasync";
        let (trace, inject) = (format!("trace={calls}"), format!("inject={calls}:retval=0"));
        let before = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", &trace, "-e", &inject];
        assert!(self.start_under(&before, &[watcher, "--once"]).ended().success(), "{}", self.said());
    }

    /// What the last command said.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
}

impl Running {
    /// Waits for its end, and kills it if that does not come.
    pub(crate) fn ended(mut self) -> ExitStatus {
        let deadline = Instant::now() + TIMEOUT;
        while Instant::now() < deadline {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status;
            }
            thread::sleep(Duration::from_millis(2));
        }
        self.kill()
    }

    /// Kills it with all that it started, however deep.
    pub(crate) fn kill(mut self) -> ExitStatus {
        self.0.kill().unwrap();
        self.0.wait().unwrap()
    }
}
