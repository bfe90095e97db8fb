//! The members of a tree at this moment: the processes below the first one, found from parent to child.
//!
//! An orphan becomes a child of the first process, and a process cannot leave its parent in any other way: neither a session of its own
//! nor a double fork hides it. A process that ends during the count may hide its children until the next count.
//!
//! *Security*: a number of tasks bounds the work. Only numbers are read, and the tool chose none of them.
//! *Standards*: Linux `proc_pid_task(5)`, the file `children`.

use std::fs;
use std::io;
use std::path::Path;

/// A process of the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) pid: u32,
    pub(super) parent: u32,
}

/// The tree without its first process.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// Its processes, including zombies.
    pub(super) members: Vec<Member>,
    /// Their threads, at least one for each process. Counted up to the given limit only.
    pub(super) tasks: u64,
    /// Whether one ended during the count.
    pub(super) is_disturbed: bool,
    /// Whether even the first process was hidden, so no process could be found.
    pub(super) is_blind: bool,
}

impl Census {
    /// Counts until there are more than `tasks_max` tasks.
    pub(super) fn take(first: u32, tasks_max: u64) -> Self {
        let mut census = Self::default();
        census.is_blind = census.visit(first, tasks_max).is_err();
        let mut next = 0;
        while let Some(member) = census.members.get(next).copied().filter(|_| census.tasks <= tasks_max) {
            match census.visit(member.pid, tasks_max) {
                Ok(threads) => census.tasks += threads.saturating_sub(1),
                Err(_) => census.is_disturbed = true,
            }
            next += 1;
        }
        census
    }

    /// Adds the children of all threads of a process; returns how many threads it has.
    fn visit(&mut self, parent: u32, tasks_max: u64) -> io::Result<u64> {
        let mut count = 0;
        for thread in Path::new(&format!("/proc/{parent}/task")).read_dir()? {
            let children = fs::read_to_string(thread?.path().join("children"));
            // If one thread ends, the children of the others stay visible.
            self.is_disturbed |= children.is_err();
            for pid in children.unwrap_or_default().split_ascii_whitespace().filter_map(|pid| pid.parse().ok()) {
                self.members.push(Member { pid, parent });
                self.tasks += 1;
            }
            count += 1;
            if self.tasks.saturating_add(count) > tasks_max.saturating_add(1) {
                break;
            }
        }
        Ok(count)
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test arranges the world")]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn children_and_their_children_are_found_and_no_more_than_asked_for() {
        let script = "sleep 1000 & sleep 1000 & echo ready; wait";
        let mut shell = Command::new("sh").args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let mut ready = [0; 6];
        std::io::Read::read_exact(shell.stdout.as_mut().unwrap(), &mut ready).unwrap();
        let census = Census::take(shell.id(), u64::MAX);
        assert_eq!((census.members.len(), census.tasks, census.is_disturbed || census.is_blind), (2, 2, false));
        assert!(census.members.iter().all(|member| member.parent == shell.id()));
        assert!(Census::take(shell.id(), 1).tasks > 1);
        for member in census.members {
            let pid = rustix::process::Pid::from_raw(member.pid.cast_signed()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        shell.wait().unwrap();
        assert!(Census::take(shell.id(), u64::MAX).is_blind);
    }
}
