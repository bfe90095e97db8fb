//! Makes a tree killable whole without a PID namespace: a Landlock domain that confines signals.
//!
//! The first process enters it before the tool exists, so the whole tree is born in it and nothing else is. From then on `kill(-1)` of
//! the first process reaches exactly the tree: one call under the kernel's lock, which no fork can outrun and no session, double fork
//! or rename of a process can leave. As a subreaper it then gets every orphan to reap. The tool's own domain is inside: its signals do
//! not reach the first process.
//!
//! Security: if a kernel accepted the rules and did not enforce them, `kill(-1)` would end every process of the user; so nothing goes
//! on unless gatepost itself has become unreachable.
//!
//! Known weakness: if the first process is killed from outside (by root, or by the same user outside of any sandbox), the tool ends
//! with it, but not the processes that the tool started; a PID namespace would end all. Gatepost's own death is no such case.
//!
//! Standards: Linux `landlock(7)`, `PR_SET_CHILD_SUBREAPER(2const)`.

use rustix::io::Errno;
use rustix::process::{Pid, getppid, set_child_subreaper, test_kill_process};
use rustix::thread::set_no_new_privs;

use super::control::{Failure, Step};
use super::landlock;

/// The layers as evidence names them.
pub(super) const LAYERS: [&str; 2] = ["subreaper", "signal_scope"];

/// Confines the signals of this process and its children to this tree. Runs between clone and exec.
pub(super) fn enter() -> Result<(), Failure> {
    let confine = || -> Result<(), Errno> {
        set_no_new_privs(true)?;
        landlock::confine_signals()?;
        match getppid().map(test_kill_process) {
            Some(Err(Errno::PERM)) => Ok(()),
            _ => Err(Errno::OPNOTSUPP),
        }
    };
    // Any process id switches it on.
    set_child_subreaper(Some(Pid::INIT)).map_err(|errno| Failure { step: Step::SignalScope, errno })?;
    confine().map_err(|errno| Failure { step: Step::SignalScope, errno })
}
