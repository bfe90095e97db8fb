//! Commands that must come to an end, and are told off if they do not.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Runs a command whose words go to a file; its status, or none if it had to be killed.
pub(crate) fn run(command: &mut Command, said: &Path, timeout: Duration) -> Option<ExitStatus> {
    let to = File::create(said).unwrap();
    // What a tracer traces outlives it: all of them can be killed together.
    let mut child = command.stdout(to.try_clone().unwrap()).stderr(to).process_group(0).spawn().unwrap();
    let deadline = Instant::now() + timeout;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        thread::sleep(Duration::from_millis(2));
    }
    kill_process_group(Pid::from_child(&child), Signal::KILL).unwrap();
    child.wait().unwrap();
    None
}
