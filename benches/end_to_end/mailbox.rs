//! A gatepost site for the benchmark: drops requests, reads accepted results, starts and stops watchers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use chrono::Utc;
use rustix::process::{Pid, Signal, kill_process};

/// The measured program.
pub(crate) const GATEPOST: &str = env!("CARGO_BIN_EXE_gatepost");

/// Poll interval for results.
const LOOK: Duration = Duration::from_micros(200);

/// A site.
pub(crate) struct Mailbox {
    root: PathBuf,
    dropped: usize,
}

/// `gatepost up`, `exec` or `gate`; stopped on drop.
pub(crate) struct Watcher(Child);

impl Mailbox {
    /// Creates a site with this many workers and two tools: `nothing` runs /bin/true, `flood` prints 2 GiB.
    pub(crate) fn new(root: &Path, workers: usize) -> io::Result<Self> {
        for program in ["gatepost-exec", "gatepost-gate"] {
            let path = Path::new(GATEPOST).with_file_name(program);
            assert!(path.exists(), "no {program} beside gatepost: run `cargo build --release` first");
        }
        let made = Command::new(GATEPOST).arg("init").arg(root).stdout(Stdio::null()).status()?;
        assert!(made.success(), "gatepost init");
        fs::write(
            root.join("gatepost.toml"),
            format!("[exec]\nworkers = {workers}\n[limits]\nstdout_bytes = 2147483648\nfile_mb = 4096\n"),
        )?;
        fs::write(root.join("tools/nothing.clad.toml"), manifest("nothing", r#""/bin/true""#))?;
        fs::write(root.join("tools/flood.clad.toml"), manifest("flood", r#""head", "-c", "2147483648", "/dev/zero""#))?;
        Ok(Self { root: root.to_owned(), dropped: 0 })
    }

    /// Its folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Drops one request with a rename.
    pub(crate) fn drop(&mut self, tool: &str) -> io::Result<()> {
        let name = self.write(".tmp", tool)?;
        fs::rename(self.root.join("inbox/.tmp").join(&name), self.root.join("inbox").join(&name))
    }

    /// Writes requests directly into the inbox, where they settle.
    pub(crate) fn fill(&mut self, count: usize) -> io::Result<()> {
        (0..count).try_for_each(|_| self.write("", "nothing").map(drop))
    }

    fn write(&mut self, folder: &str, tool: &str) -> io::Result<String> {
        let now = Utc::now();
        let id = format!("TR-{}-{tool}-{:06}", now.format("%Y%m%d-%H%M%SZ"), self.dropped);
        self.dropped += 1;
        let name = format!("{id}.md");
        fs::write(self.root.join("inbox").join(folder).join(&name), request(&id, tool))?;
        Ok(name)
    }

    /// Starts a watcher.
    pub(crate) fn start(&self, command: &str) -> io::Result<Watcher> {
        let mut gatepost = Command::new(GATEPOST);
        gatepost.arg("--site").arg(&self.root).args([command, "--quiet"]);
        gatepost.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Watcher)
    }

    /// Checks the whole site against its record.
    pub(crate) fn audit(&self) -> io::Result<()> {
        let mut gatepost = Command::new(GATEPOST);
        let status = gatepost.arg("--site").arg(&self.root).args(["audit", "verify"]).stdout(Stdio::null()).status()?;
        assert!(status.success(), "gatepost audit verify");
        Ok(())
    }

    /// The number of a tool's results in CORE.
    pub(crate) fn count_of(&self, tool: &str) -> io::Result<usize> {
        results_of(&self.root.join("core/inbound"), tool)
    }

    /// Waits until CORE has this many results of a tool.
    pub(crate) fn await_result_of(&self, tool: &str, count: usize) -> io::Result<Instant> {
        await_that(&format!("{count} results of {tool}"), || Ok(self.count_of(tool)? >= count))
    }

    /// Waits until `folder` has this many results.
    pub(crate) fn await_results(&self, folder: &str, count: usize) -> io::Result<Instant> {
        let folder = self.root.join(folder);
        await_that(&format!("{count} results in {}", folder.display()), || Ok(results_of(&folder, "")? >= count))
    }
}

impl Watcher {
    /// The peak memory of its process, bytes.
    pub(crate) fn memory_bytes_peak(&self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.0.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
        let kib: u64 = line.trim().trim_end_matches(" kB").parse().map_err(io::Error::other)?;
        Ok(kib * 1024)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = kill_process(Pid::from_child(&self.0), Signal::TERM);
        let _ = self.0.wait();
    }
}

fn await_that(what: &str, condition: impl Fn() -> io::Result<bool>) -> io::Result<Instant> {
    let deadline = Instant::now() + Duration::from_mins(10);
    while !condition()? {
        assert!(Instant::now() < deadline, "{what} within ten minutes");
        thread::sleep(LOOK);
    }
    Ok(Instant::now())
}

/// The results of a tool, found by the names of its requests; of any tool if the name is empty.
fn results_of(folder: &Path, tool: &str) -> io::Result<usize> {
    let names = fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.file_name());
    let is_its = |name: &str| name.starts_with("TS-") && name.contains(tool);
    Ok(names.filter(|name| is_its(&name.to_string_lossy())).count())
}

/// A request, also for the floor, which does not read it.
pub(crate) fn request(id: &str, tool: &str) -> String {
    format!(
        "---\nrequest_type: tool_request\nschema_version: 2\nrequest_id: \"{id}\"\ncreated_utc: \"{}\"\n\
         requested_by: \"benchmark\"\npurpose: \"Measure\"\nbackend: \"clad\"\ntool: \"{tool}\"\nargs: {{}}\n---\n",
        Utc::now().format("%Y-%m-%dT%H:%M:%SZ")
    )
}

/// A manifest without arguments.
pub(crate) fn manifest(name: &str, exec: &str) -> String {
    let binary = exec.split(',').next().unwrap_or_default();
    format!(
        "[tool]\nname = \"{name}\"\nversion = \"1.0.0\"\ndescription = \"A tool of the benchmark\"\nbinary = {binary}\n\
         risk_tier = \"info\"\ntimeout_seconds = 600\n[command]\nexec = [{exec}]\n[output]\nformat = \"text\"\n\
         parser = \"builtin:text\"\n[output.schema]\ntype = \"object\"\n"
    )
}
