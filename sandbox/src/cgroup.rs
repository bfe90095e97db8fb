//! A control group for each run: it kills a whole tree without a PID namespace, and bounds the usage of the whole tree, as far as
//! gatepost may use the controllers.
//!
//! ```text
//! ⟨own⟩/gatepost-watchers                          gatepost itself, where it may enable controllers for the runs beside it
//! ⟨own⟩/gatepost-run-⟨namespace⟩-⟨process⟩-⟨number⟩   one run, entered by its first process when it is cloned
//! ```
//!
//! If gatepost's own group is not writable, nothing changes: every limit holds by other means too. A group with foreign processes is
//! never reorganised, and the root of all groups gets no controllers from here. Level `none` gets no group: a tool there may see the
//! files by which it would leave it.
//!
//! Standards: Linux, Documentation/admin-guide/cgroup-v2.rst; systemd, Control Group APIs and Delegation.

mod controller;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use gatepost_documents::evidence::Limits;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, Mode, OFlags, access};
use rustix::io::Errno;

use controller::Controller;

const RUN_PREFIX: &str = "gatepost-run-";
/// The group of gatepost's own processes, so that the parent group may have controllers.
const WATCHERS: &str = "gatepost-watchers";
const PROCESSES: &str = "cgroup.procs";
const ENABLED: &str = "cgroup.subtree_control";
const AVAILABLE: &str = "cgroup.controllers";
/// How long killed processes may take to leave a group, and how often the removal is retried.
const EMPTIED: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
const REMOVALS_MAX: u32 = 8;

/// The layer as evidence names it.
pub(super) const LAYER: &str = "cgroup";

/// The state of this process, found out once.
static OWN: OnceLock<Option<Cgroups>> = OnceLock::new();

/// The parent group of the runs.
#[derive(Debug)]
pub(super) struct Cgroups {
    folder: PathBuf,
    /// The prefix of the names of this process's runs.
    prefix: String,
    controllers: Vec<Controller>,
    runs: AtomicU64,
}

/// The control groups that this process may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CgroupState {
    /// The parent group for runs; none if cgroup v2 is not mounted.
    pub folder: Option<PathBuf>,
    /// Whether runs get a group.
    pub is_used: bool,
    /// The controllers that bound runs.
    pub enabled: Vec<&'static str>,
}

/// Finds the group of this process and, if it has no other process, makes its controllers available to runs. Call it in
/// a process that runs tools or starts such processes, before any other use of a group.
pub fn claim_cgroup() {
    OWN.get_or_init(|| {
        let folder = own_folder()?;
        make_room(&folder, std::process::id());
        Cgroups::open(&folder).filter(Cgroups::works)
    });
}

/// The usable control groups; reorganises nothing.
pub fn cgroup_state() -> CgroupState {
    let own = own_folder();
    let cgroups = cgroups();
    CgroupState {
        folder: cgroups.map(|cgroups| cgroups.folder.clone()).or(own),
        is_used: cgroups.is_some(),
        enabled: cgroups
            .iter()
            .flat_map(|cgroups| &cgroups.controllers)
            .map(|controller| controller.as_str())
            .collect(),
    }
}

/// The groups of this process; none if they cannot be used.
pub(super) fn cgroups() -> Option<&'static Cgroups> {
    OWN.get_or_init(|| Cgroups::open(&own_folder()?).filter(Cgroups::works)).as_ref()
}

fn own_folder() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    folder_of(&groups, &mounts)
}

/// The path of the group of `/proc/⟨pid⟩/cgroup`, by `/proc/⟨pid⟩/mountinfo`.
fn folder_of(groups: &str, mounts: &str) -> Option<PathBuf> {
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    mounts.lines().find_map(|line| {
        let (mount, kind) = line.split_once(" - ")?;
        let mut fields = mount.split(' ').skip(3);
        let (root, point) = (fields.next()?, fields.next()?);
        // A mount may show a part of the hierarchy only.
        let below = Path::new(group).strip_prefix(root).ok()?;
        kind.starts_with("cgroup2 ").then(|| Path::new(point).join(below).components().collect())
    })
}

/// Moves this process to a subgroup and enables controllers in its group, if it is alone there. Changes nothing
/// if that fails.
fn make_room(own: &Path, process: u32) {
    let read = |name: &str| fs::read_to_string(own.join(name)).unwrap_or_default();
    let (available, enabled) = (read(AVAILABLE), read(ENABLED));
    let missing: Vec<_> = Controller::ALL
        .into_iter()
        .filter(|controller| controller.is_in(&available) && !controller.is_in(&enabled))
        .collect();
    // Only the root of all groups has no type.
    let is_root = !own.join("cgroup.type").exists();
    let is_alone = read(PROCESSES).trim() == process.to_string();
    if missing.is_empty() || is_root || !is_alone || own.file_name() == Some(OsStr::new(WATCHERS)) {
        return;
    }
    let aside = own.join(WATCHERS);
    let _ = fs::create_dir(&aside);
    if fs::write(aside.join(PROCESSES), process.to_string()).is_err() {
        let _ = fs::remove_dir(&aside);
        return;
    }
    let enable = |controller: &Controller| fs::write(own.join(ENABLED), format!("+{}", controller.as_str())).is_ok();
    if missing.iter().filter(|controller| enable(controller)).count() == 0 {
        let _ = fs::write(own.join(PROCESSES), process.to_string());
        let _ = fs::remove_dir(&aside);
    }
}

impl Cgroups {
    /// The group for runs of a process whose own group is `own`; none if it is not writable. Removes the groups that
    /// ended processes left there.
    fn open(own: &Path) -> Option<Self> {
        let is_aside = own.file_name() == Some(OsStr::new(WATCHERS));
        let folder = if is_aside { own.parent()? } else { own };
        for path in [folder.to_owned(), folder.join(PROCESSES)] {
            access(&path, Access::WRITE_OK).ok()?;
        }
        let namespace = process_namespace();
        // No run of this process has begun: a group with its process id belongs to an earlier process.
        let is_alive =
            |process: u32| process != std::process::id() && Path::new("/proc").join(process.to_string()).exists();
        sweep(folder, &format!("{RUN_PREFIX}{namespace}-"), is_alive);
        let enabled = fs::read_to_string(folder.join(ENABLED)).ok()?;
        let controllers = Controller::ALL.into_iter().filter(|controller| controller.is_in(&enabled)).collect();
        let prefix = format!("{RUN_PREFIX}{namespace}-{}", std::process::id());
        Some(Self { folder: folder.to_owned(), prefix, controllers, runs: AtomicU64::new(0) })
    }

    /// Whether a process can be cloned into a new group. Write permission on the files is not sufficient.
    fn works(&self) -> bool {
        let folder = self.name_next();
        let made = Cgroup::make(folder, Vec::new());
        made.is_ok_and(|group| super::trial::clone_into(group.as_fd()).is_ok())
    }

    fn name_next(&self) -> PathBuf {
        let number = self.runs.fetch_add(1, Ordering::Relaxed);
        self.folder.join(format!("{}-{number}", self.prefix))
    }

    /// A new group with these limits.
    pub(super) fn make(&self, limits: &Limits) -> Result<Cgroup, (PathBuf, io::Error)> {
        let settings = self.controllers.iter().map(|controller| (*controller, controller.settings(limits)));
        let folder = self.name_next();
        Cgroup::make(folder.clone(), settings.collect()).map_err(|error| (folder, error))
    }
}

/// The PID namespace of this process's id.
fn process_namespace() -> String {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().chars().filter(char::is_ascii_digit).collect()
}

/// Removes the groups of runs whose gatepost has ended, and kills all processes in them. Their names begin with the
/// prefix, which is specific to one PID namespace.
fn sweep(folder: &Path, prefix: &str, is_alive: impl Fn(u32) -> bool) {
    for entry in folder.read_dir().into_iter().flatten().filter_map(Result::ok) {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(prefix)?.split_once('-')?.0.parse().ok());
        if process.is_some_and(|process| !is_alive(process)) {
            remove(&entry.path());
        }
    }
}

/// The group of one run. Dropping it kills the remaining processes and removes it.
#[derive(Debug)]
pub(super) struct Cgroup {
    folder: PathBuf,
    descriptor: OwnedFd,
    layers: Vec<&'static str>,
}

impl Cgroup {
    fn make(folder: PathBuf, settings: Vec<(Controller, Vec<(&str, String)>)>) -> io::Result<Self> {
        fs::create_dir(&folder)?;
        match Self::fill(&folder, settings) {
            Ok((descriptor, layers)) => Ok(Self { folder, descriptor, layers }),
            Err(error) => {
                let _ = fs::remove_dir(&folder);
                Err(error)
            }
        }
    }

    fn fill(
        folder: &Path,
        settings: Vec<(Controller, Vec<(&str, String)>)>,
    ) -> io::Result<(OwnedFd, Vec<&'static str>)> {
        let mut layers = vec![LAYER];
        for (controller, files) in settings {
            for (file, value) in &files {
                match fs::write(folder.join(file), value) {
                    // A kernel without swap has no such file.
                    Err(error) if *file != "memory.swap.max" => return Err(error),
                    _ => {}
                }
            }
            layers.extend((!files.is_empty()).then(|| controller.layer()));
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok((rustix::fs::open(folder, flags, Mode::empty())?, layers))
    }

    /// The layers as evidence names them.
    pub(super) fn layers(&self) -> &[&'static str] {
        &self.layers
    }

    /// The peak memory of the run, bytes, if the kernel killed one of its processes for lack of memory.
    pub(super) fn killed_for_memory(&self) -> Option<u64> {
        let read = |name: &str| fs::read_to_string(self.folder.join(name)).unwrap_or_default();
        let events = read("memory.events");
        let kills = events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.trim().parse::<u64>().ok());
        // Linux before 5.19 keeps no peak.
        kills.filter(|kills| *kills > 0).map(|_| read("memory.peak").trim().parse().unwrap_or(0))
    }
}

impl AsFd for Cgroup {
    /// The folder, for the clone.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.descriptor.as_fd()
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Kills all processes in a group, then removes it. If it is not empty in time, the next sweep removes it.
fn remove(folder: &Path) {
    if !is_busy(fs::remove_dir(folder)) {
        return;
    }
    let _ = fs::write(folder.join("cgroup.kill"), "1");
    let Ok(events) = File::open(folder.join("cgroup.events")) else { return };
    for _ in 0..REMOVALS_MAX {
        // Read first: the kernel raises the event for readers of an older state.
        let mut text = [0; 64];
        let count = events.read_at(&mut text, 0).unwrap_or(0);
        let is_populated = text[..count].starts_with(b"populated 1");
        let mut changed = [PollFd::new(&events, PollFlags::PRI)];
        if is_populated && poll(&mut changed, Some(&EMPTIED)) == Ok(0) || !is_busy(fs::remove_dir(folder)) {
            return;
        }
    }
}

fn is_busy(removed: io::Result<()>) -> bool {
    removed.is_err_and(|error| error.raw_os_error() == Some(Errno::BUSY.raw_os_error()))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command};

    use super::*;

    const LIMITS: Limits = Limits {
        time_ms: 1,
        cpu_seconds: 1,
        cpus: Some(2),
        memory_bytes: Some(100),
        address_space_bytes: 1,
        files: 1,
        processes: 7,
        file_bytes: 1,
        out_bytes: Some(10),
        out_files: None,
        stdout_bytes: 1,
    };

    /// A folder with the files of a group that is not the root of all.
    fn group(processes: &str, available: &str, enabled: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let files = [("cgroup.type", "domain"), (PROCESSES, processes), (AVAILABLE, available), (ENABLED, enabled)];
        for (name, content) in files {
            fs::write(folder.path().join(name), content).unwrap();
        }
        folder
    }

    #[test]
    fn the_own_group_is_found_below_whatever_the_mount_shows() {
        let mount = |root: &str| {
            format!(
                "22 1 0:5 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n41 31 0:38 {root} /cg rw - cgroup2 cgroup2 rw\n"
            )
        };
        let groups = "8:pids:/x\n0::/a.slice/b.service\n";
        for (root, expected) in [
            ("/", Some("/cg/a.slice/b.service")),
            ("/a.slice", Some("/cg/b.service")),
            ("/a.slice/b.service", Some("/cg")),
            ("/other", None),
        ] {
            assert_eq!(folder_of(groups, &mount(root)).as_deref(), expected.map(Path::new), "{root}");
        }
        assert_eq!(folder_of("8:pids:/x\n", &mount("/")), None);
        assert_eq!(folder_of(groups, "22 1 0:5 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"), None);
    }

    #[test]
    fn a_process_that_is_alone_makes_room_and_enables_what_is_offered() {
        let own = group("41\n", "cpuset cpu memory", "memory");
        make_room(own.path(), 41);
        assert_eq!(fs::read_to_string(own.path().join(WATCHERS).join(PROCESSES)).unwrap(), "41");
        assert_eq!(fs::read_to_string(own.path().join(ENABLED)).unwrap(), "+cpu");
    }

    #[test]
    fn a_group_with_others_in_it_and_the_root_of_all_are_left_alone() {
        let (shared, root, nothing) =
            (group("41\n42\n", "cpu", ""), group("41\n", "cpu", ""), group("41\n", "cpu", "cpu"));
        fs::remove_file(root.path().join("cgroup.type")).unwrap();
        for own in [shared, root, nothing] {
            let before = fs::read_to_string(own.path().join(ENABLED)).unwrap();
            make_room(own.path(), 41);
            assert!(!own.path().join(WATCHERS).exists());
            assert_eq!(fs::read_to_string(own.path().join(ENABLED)).unwrap(), before);
        }
    }

    #[test]
    fn who_stands_aside_gives_runs_the_group_above() {
        let own = group("", "cpu memory", "memory");
        let aside = own.path().join(WATCHERS);
        fs::create_dir(&aside).unwrap();
        let cgroups = Cgroups::open(&aside).unwrap();
        assert_eq!((cgroups.folder.as_path(), cgroups.controllers.as_slice()), (own.path(), &[Controller::Memory][..]));
    }

    #[test]
    fn limits_are_written_for_the_controllers_that_are_enabled_and_told_as_layers() {
        let own = group("", "", "pids memory cpu");
        let cgroups = Cgroups::open(own.path()).unwrap();
        let made = cgroups.make(&LIMITS).unwrap();
        assert_eq!(made.layers(), ["cgroup", "cgroup_memory", "cgroup_pids", "cgroup_cpu"]);
        for (file, expected) in
            [("memory.max", "120"), ("memory.swap.max", "0"), ("pids.max", "8"), ("cpu.max", "200000 100000")]
        {
            assert_eq!(fs::read_to_string(made.folder.join(file)).unwrap(), expected, "{file}");
        }
        let made = cgroups.make(&Limits { cpus: None, memory_bytes: None, ..LIMITS }).unwrap();
        assert_eq!(made.layers(), ["cgroup", "cgroup_pids"]);
        assert_eq!(made.killed_for_memory(), None);
        for (kills, expected) in [(0, None), (3, Some(4096))] {
            fs::write(made.folder.join("memory.peak"), "4096\n").unwrap();
            let events = format!("low 0\noom 1\noom_kill {kills}\noom_group_kill 0\n");
            fs::write(made.folder.join("memory.events"), events).unwrap();
            assert_eq!(made.killed_for_memory(), expected);
        }
    }

    /// A process in its own session, which only its group can find.
    fn sleeper(group: &Path) -> Child {
        let mut command = Command::new("sleep");
        let child = command.arg("600").process_group(0).spawn().unwrap();
        fs::write(group.join(PROCESSES), child.id().to_string()).unwrap();
        child
    }

    #[test]
    fn a_group_that_goes_takes_all_that_is_in_it_along() {
        // Only if control groups can be used.
        let Some(cgroups) = cgroups() else { return };
        let made = cgroups.make(&LIMITS).unwrap();
        let folder = made.folder.clone();
        let mut sleepers = [sleeper(&folder), sleeper(&folder)];
        drop(made);
        for sleeper in &mut sleepers {
            assert_eq!(sleeper.wait().unwrap().signal(), Some(libc::SIGKILL));
        }
        assert!(!folder.exists());
    }

    #[test]
    fn what_a_process_that_is_gone_left_is_swept_and_nothing_else() {
        let Some(cgroups) = cgroups() else { return };
        let prefix = format!("{RUN_PREFIX}sweep-test-");
        let folders = ["7-0", "8-0"].map(|name| cgroups.folder.join(format!("{prefix}{name}")));
        let mut sleepers = folders.each_ref().map(|folder| {
            let _ = fs::create_dir(folder);
            sleeper(folder)
        });
        sweep(&cgroups.folder, &prefix, |process| process == 8);
        assert_eq!((folders[0].exists(), folders[1].exists()), (false, true));
        assert_eq!(sleepers[0].wait().unwrap().signal(), Some(libc::SIGKILL));
        assert_eq!(sleepers[1].try_wait().unwrap(), None);
        remove(&folders[1]);
        sleepers[1].wait().unwrap();
    }
}
