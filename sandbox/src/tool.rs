//! The second process of a sandbox: from its first instruction to the program's.
//!
//! It borrows the first process's memory until it executes the program, so it copies no page table; the first process sleeps meanwhile.
//! It runs between clone and exec: plain system calls only.
//!
//! The program is executed by its path, not by a descriptor: in a private root nothing can change the target of a path before the tool
//! runs, and among the machine's files no check of the program exists that a later change could undo.

use std::ffi::{c_int, c_void};

use rustix::io::Errno;
use rustix::process::Signal;

use super::control::{Failure, Message, Step};
use super::enclosure::Enclosure;
use super::{Prepared, Stdin, affinity, init, landlock, privilege, rlimit, seccomp, system_call};

/// The exit status of a second process whose program did not start.
const NOT_STARTED: c_int = 127;

/// The entry point; `argument` is the [`Prepared`] that the first process was given.
pub(super) extern "C" fn start(argument: *mut c_void) -> c_int {
    // SAFETY: the first process passes a pointer to its own `Prepared`, and sleeps while this function runs.
    let prepared = unsafe { &*argument.cast::<Prepared>() };
    let failure = become_program(prepared);
    init::send(&Message::Failed(failure));
    system_call::exit(NOT_STARTED)
}

fn become_program(prepared: &Prepared) -> Failure {
    let at = |step| move |errno| Failure { step, errno };
    let confine = || -> Result<(), Failure> {
        rustix::process::setsid().map_err(at(Step::Session))?;
        if let Stdin::Terminal(_) = prepared.stdin {
            rustix::process::ioctl_tiocsctty(init::terminal()).map_err(at(Step::Session))?;
        }
        if let Enclosure::SignalScope = prepared.enclosure {
            // Nothing else ends it if the first process is killed from outside.
            let death = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
            death.map_err(at(Step::ParentDeathSignal))?;
        }
        rustix::process::chdir(prepared.work_dir.as_c_str()).map_err(at(Step::WorkDir))?;
        prepared.rlimits.as_ref().map_or(Ok(()), rlimit::enter).map_err(at(Step::Rlimits))?;
        prepared.affinity.as_ref().map_or(Ok(()), affinity::enter).map_err(at(Step::Affinity))?;
        if prepared.gives_up_privileges {
            privilege::enter().map_err(at(Step::Privileges))?;
        }
        prepared.landlock.as_ref().map_or(Ok(()), landlock::enter).map_err(at(Step::Landlock))?;
        prepared.seccomp.as_ref().map_or(Ok(()), seccomp::enter).map_err(at(Step::Seccomp))?;
        system_call::set_signal_mask(0).map(drop).map_err(at(Step::Signals))
    };
    match confine() {
        Err(failure) => failure,
        Ok(()) => at(Step::Execute)(execute(prepared)),
    }
}

fn execute(prepared: &Prepared) -> Errno {
    // SAFETY: `prepare` ended both arrays with a null pointer, and `Prepared` keeps their strings.
    unsafe { system_call::execute(&prepared.program, prepared.argv.as_ptr(), prepared.environment.as_ptr()) }
}
