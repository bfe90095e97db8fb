//! A living thread of a process, and the kernel's facts about it.
//!
//! If the first thread of a process has ended, the others go on, but `/proc/⟨process⟩` then shows neither its memory nor its
//! descriptors; `/proc/⟨thread⟩` of another thread does.
//!
//! *Security*: of the values that a tool can influence only numbers are read; its name, which it chose, cannot begin a line.
//! *Standards*: Linux `proc_pid_status(5)`, `proc_pid_task(5)`.

use std::fs;
use std::path::Path;

/// A living thread with its `status`.
#[derive(Debug)]
pub(super) struct Thread {
    /// Its id in `/proc`.
    pub(super) thread: u32,
    status: String,
}

impl Thread {
    /// The first live thread of a process; none if the process has ended.
    pub(super) fn first_of(process: u32) -> Option<Self> {
        Self::read(process).or_else(|| all_of(process).find_map(Self::read))
    }

    fn read(thread: u32) -> Option<Self> {
        let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
        let live = Self { thread, status };
        live.kibibytes("RssAnon:").is_some().then_some(live)
    }

    /// Memory of its process that the kernel cannot reclaim: anonymous and shared
    /// pages, and the page tables. The cost is independent of the mapped size; bytes.
    pub(super) fn resident_bytes(&self) -> u64 {
        let fields = ["RssAnon:", "RssShmem:"].map(|name| self.kibibytes(name).unwrap_or(0));
        fields.into_iter().sum::<u64>().saturating_mul(1024).saturating_add(self.table_bytes())
    }

    /// The page tables, which no other process shares; bytes.
    pub(super) fn table_bytes(&self) -> u64 {
        self.kibibytes("VmPTE:").unwrap_or(0).saturating_mul(1024)
    }

    fn kibibytes(&self, name: &str) -> Option<u64> {
        kibibytes(&self.status, name)
    }
}

/// A field in kB of a text with one field a line.
pub(super) fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

/// All threads of a process, dead ones too.
pub(super) fn all_of(process: u32) -> impl Iterator<Item = u32> {
    let folder = Path::new(&format!("/proc/{process}/task")).read_dir();
    folder.into_iter().flatten().filter_map(|thread| thread.ok()?.file_name().to_str()?.parse().ok())
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use std::io::Read;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn a_process_whose_first_thread_ended_is_seen_by_another() {
        let script = "import ctypes, threading, time\ndef go_on():\n    held = b'x' * (32 << 20)\n    time.sleep(0.1)\n    print(1, flush=True)\n    \
                      time.sleep(1000)\nthreading.Thread(target=go_on).start()\nctypes.CDLL(None).syscall(60, 0)";
        let mut python = Command::new("python3").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        python.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let thread = Thread::first_of(python.id()).unwrap();
        python.kill().unwrap();
        python.wait().unwrap();
        assert_ne!(thread.thread, python.id());
        assert!(thread.resident_bytes() > 32 << 20 && thread.table_bytes() > 0, "{thread:?}");
        assert!(Thread::first_of(python.id()).is_none());
    }
}
