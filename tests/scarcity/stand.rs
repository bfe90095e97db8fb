//! A site whose watchers can be held short of something.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Resource, Rlimit, Signal, getrlimit, kill_process, prlimit};

use crate::deadline;
use crate::oracle::{Oracle, Trouble};
use crate::site::{BESIDE, GATEPOST, install, until};

/// No run of a watcher may take longer.
const TIMEOUT: Duration = Duration::from_secs(30);
/// What SIGTERM may take: the grace of a tool is half a second, and the machine is busy.
const END: Duration = Duration::from_secs(10);
/// How long something is away after each drop: everything is tried in vain by then.
const AWAY: Duration = Duration::from_millis(300);

/// A user that nobody is: the limit of processes does not bind root, and counts all processes of its user.
const NOBODY_ELSE: &str = "64321";

/// What a site lies on, and whose it is.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    /// The scratch folder.
    Scratch,
    /// A file system in memory of its own with these options.
    Own(&'static str),
    /// The scratch folder, owned by somebody else, who runs the watchers.
    Else,
}

/// A site with its oracle, and the words before its program.
pub(crate) struct Stand {
    oracle: Oracle,
    said: PathBuf,
    before: Vec<String>,
    /// The folder that is somebody else's.
    owned: Option<PathBuf>,
}

/// What is done to the watchers.
pub(crate) type Act<'a> = &'a dyn Fn(&Stand, &Up);

impl Stand {
    pub(crate) fn new(folder: &Path, place: Place, walled: bool) -> Self {
        let root = folder.join("site");
        fs::create_dir_all(&root).unwrap();
        if let Place::Own(options) = place {
            let mut mount = Command::new("mount");
            assert!(mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&root).status().unwrap().success());
        }
        let oracle = Oracle::new(root, folder.join("log"), walled);
        fs::write(folder.join("log"), "").unwrap();
        let mut stand = Self { oracle, said: folder.join("said"), before: Vec::new(), owned: None };
        let maps = fs::read_to_string("/proc/self/uid_map").unwrap();
        // In a user namespace this is not the root whom the limit would not bind.
        if matches!(place, Place::Else) && maps.split_whitespace().nth(1) == Some("0") {
            // The checkout may be closed to others.
            let programs = folder.join("programs");
            fs::create_dir(&programs).unwrap();
            install(&programs, &BESIDE);
            let words = ["setpriv", "--reuid", NOBODY_ELSE, "--regid", NOBODY_ELSE, "--clear-groups"];
            stand.before = words.map(str::to_owned).to_vec();
            stand.owned = Some(folder.to_owned());
            for given in [folder, &stand.oracle.site.root.clone(), &folder.join("log")] {
                stand.hand_over(given);
            }
        }
        stand
    }

    pub(crate) fn drops(&self) -> usize {
        self.oracle.drops()
    }

    /// Judges every result again; what is wrong with them.
    pub(crate) fn verify(&self) -> Vec<String> {
        self.oracle.verify()
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.oracle.site.path(relative)
    }

    /// Drops one of each kind; what was dropped belongs to whoever serves the site.
    pub(crate) fn drop_each(&mut self) {
        self.oracle.drop_each();
        // Nothing else: of a result whose owner changes the gate says that it changed.
        self.hand_over(&self.path("inbox"));
    }

    fn hand_over(&self, folder: &Path) {
        if self.owned.is_some() {
            let owner = format!("{NOBODY_ELSE}:{NOBODY_ELSE}");
            // A name may be gone before it is its turn.
            let _ = Command::new("chown").args(["-R", &owner]).arg(folder).stderr(Stdio::null()).status();
        }
    }

    fn command(&self, before: &[&str], arguments: &[&str]) -> Command {
        let program = self.owned.as_ref().map_or(PathBuf::from(GATEPOST), |folder| folder.join("programs/gatepost"));
        let words = self.before.iter().map(String::as_str).chain(before.iter().copied());
        let mut words = words.chain([program.to_str().unwrap()]);
        let mut command = Command::new(words.next().unwrap());
        command.args(words).arg("--site").arg(&self.oracle.site.root).args(arguments);
        command.stdin(Stdio::null()).current_dir("/");
        command
    }

    /// Runs a watcher once under a limit: it comes to an end, well or not.
    pub(crate) fn run_short(&self, before: &[&str], watcher: &str) -> Vec<String> {
        let status = deadline::run(&mut self.command(before, &[watcher, "--once"]), &self.said, TIMEOUT);
        let hangs = || format!("{watcher} --once under {before:?} did not end: {}", self.last_words());
        if status.is_none() { vec![hangs()] } else { Vec::new() }
    }

    /// Runs both watchers with enough of everything, and holds what is there against what must be.
    pub(crate) fn settle(&mut self, trouble: Trouble, what: &str) -> Vec<String> {
        let mut complaints = Vec::new();
        for watcher in ["exec", "gate"] {
            let status = deadline::run(&mut self.command(&[], &[watcher, "--once"]), &self.said, TIMEOUT);
            if !status.is_some_and(|status| status.success()) {
                complaints.push(format!("{watcher} --once ended with {status:?}: {}", self.last_words()));
            }
        }
        complaints.extend(self.oracle.complaints(trouble));
        complaints.into_iter().map(|complaint| format!("{what}: {complaint}")).collect()
    }

    fn up(&self) -> Up {
        let said = File::create(&self.said).unwrap();
        let mut command = self.command(&[], &["up"]);
        let up = Up(command.stdout(said.try_clone().unwrap()).stderr(said).spawn().unwrap());
        until("both watchers", || up.watchers().len() == 2);
        until("the gate's lock", || self.path("var/gate/lock").exists() && self.path("var/exec/lock").exists());
        up
    }

    /// Takes something away under load and gives it back; then once more, with SIGTERM while it is away.
    pub(crate) fn shortage(&mut self, take: Act<'_>, give: Act<'_>) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut up = self.up();
        // Without space no drop can be made: these are on their way then.
        self.drop_each();
        self.drop_each();
        take(self, &up);
        for _ in 0..3 {
            self.drop_each();
            thread::sleep(AWAY);
        }
        give(self, &up);
        self.drop_each();
        if !self.is_settled_by(&mut up) {
            complaints.push(format!("not everything was answered once there was enough: {}", self.last_words()));
        }
        complaints.extend(up.terminate().map(|why| format!("with enough again, {why}: {}", self.last_words())));
        up.kill();
        complaints.extend(self.settle(Trouble::Faults, "taken and given back"));
        let mut up = self.up();
        self.drop_each();
        take(self, &up);
        self.drop_each();
        thread::sleep(AWAY);
        complaints.extend(up.terminate().map(|why| format!("while it was away, {why}: {}", self.last_words())));
        give(self, &up);
        up.kill();
        complaints.extend(self.settle(Trouble::Faults, "ended while it was away"));
        complaints
    }

    /// Whether everything is answered in time. Watchers that ended are started again, as their service manager would.
    fn is_settled_by(&self, up: &mut Up) -> bool {
        let deadline = Instant::now() + TIMEOUT;
        while Instant::now() < deadline {
            if self.oracle.is_settled() {
                return true;
            }
            if up.0.try_wait().unwrap().is_some() {
                *up = self.up();
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }

    fn last_words(&self) -> String {
        let said = fs::read_to_string(&self.said).unwrap_or_default();
        let lines: Vec<&str> = said.lines().collect();
        lines[lines.len().saturating_sub(6)..].join("\n    ")
    }
}

/// `gatepost up`.
pub(crate) struct Up(Child);

impl Up {
    /// The processes of TOOL-EXEC and the gate, as far as they are there.
    fn watchers(&self) -> Vec<Pid> {
        let path = format!("/proc/{0}/task/{0}/children", self.0.id());
        let children = fs::read_to_string(path).unwrap_or_default();
        children.split_whitespace().filter_map(|pid| Pid::from_raw(pid.parse().ok()?)).collect()
    }

    /// Sets what `up` and its watchers may have of something; none: as much as this process.
    pub(crate) fn limit(&self, resource: Resource, most: Option<u64>) {
        let own = getrlimit(resource);
        let limit = Rlimit { current: most.or(own.current), maximum: own.maximum };
        for pid in self.watchers().into_iter().chain([Pid::from_child(&self.0)]) {
            // One that ended meanwhile needs none.
            let _ = prlimit(Some(pid), resource, limit);
        }
    }

    /// Asks it to stop; what is wrong with how it did. Whether it was still there does not matter.
    fn terminate(&mut self) -> Option<String> {
        if self.0.try_wait().unwrap().is_some() {
            return None;
        }
        let watchers = self.watchers();
        kill_process(Pid::from_child(&self.0), Signal::TERM).unwrap();
        let deadline = Instant::now() + END;
        let lives = |pid: &Pid| fs::exists(format!("/proc/{}", pid.as_raw_pid())).unwrap();
        while self.0.try_wait().unwrap().is_none() || watchers.iter().any(lives) {
            if Instant::now() >= deadline {
                return Some(format!("SIGTERM did not end it within {END:?}"));
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }

    /// Kills what is left of it.
    fn kill(&mut self) {
        for pid in self.watchers() {
            let _ = kill_process(pid, Signal::KILL);
        }
        let _ = self.0.kill();
        self.0.wait().unwrap();
    }
}
