//! The first process of a sandbox: PID 1 of its namespace or, without one, the subreaper of its signal scope.
//!
//! ```text
//! descriptors ▶ parent-death signal ▶ writable in /proc ▶ signals ▶ enclosure ▶ root ▶ Output ▶ Listener ▶ hide memory ▶ Ready ▶ wait for Go ▶ start the tool
//!   ▶ reap orphans, pass SIGTERM on ▶ the tool ends ▶ kill and reap the rest ▶ Ended ▶ exit
//! ```
//!
//! It is a copy of gatepost that executes no program. All of it runs between clone and exec: plain system calls only. `kill(-1)` from
//! here reaches exactly the tree, in either enclosure. When PID 1 ends, for any cause, the kernel kills the rest of its namespace. A
//! subreaper must do that itself, so it gets a signal that it can handle, instead of SIGKILL, when gatepost dies.
//!
//! Security: its memory is a copy of gatepost's, so it is made undumpable before the tool starts: no tracing, no `/proc/1/mem`, no
//! `/proc/1/fd`. Its command line, which everyone may read, is overwritten.

use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, RawFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{self, DumpableBehavior, Pid, Signal, WaitOptions, WaitStatus};

use super::control::{Failure, Message, Step};
use super::enclosure::Enclosure;
use super::{Prepared, Stdin, command_line, rlimit, root, system_call, tool, way_out};
use crate::network::NetworkMode;

/// The descriptor of the control socket, in the first process and in the second until it executes the program.
const CONTROL: RawFd = 3;

/// Runs as the first process. `stack` is for the tool's process.
pub(super) fn run(prepared: &Prepared, control: BorrowedFd<'_>, stack: &mut [MaybeUninit<u8>]) -> ! {
    match take_descriptors(prepared, control) {
        // The socket is still open here: closing the other descriptors is the last step, and it is atomic.
        Err(errno) => send_to(control, &Message::Failed(Failure { step: Step::Descriptors, errno })),
        Ok(()) => send(&live(prepared, stack)),
    }
    system_call::exit(0)
}

/// The whole life of the process, and its last record.
fn live(prepared: &Prepared, stack: &mut [MaybeUninit<u8>]) -> Message {
    match start(prepared, stack) {
        Ok(tool) => {
            let wait_status = watch(tool, prepared.enclosure.death_signal());
            Message::Ended { wait_status, killed: kill_rest() }
        }
        Err(failure) => Message::Failed(failure),
    }
}

/// Reports to gatepost; ignores a failure, because then gatepost has ended.
pub(super) fn send(message: &Message) {
    send_to(control(), message);
}

fn send_to(control: BorrowedFd<'_>, message: &Message) {
    let _ = message.send(control);
}

fn control() -> BorrowedFd<'static> {
    // SAFETY: from `take_descriptors` on, this number is the control socket until the process ends.
    unsafe { BorrowedFd::borrow_raw(CONTROL) }
}

/// The tool's stdin, if that is a terminal.
pub(super) fn terminal() -> BorrowedFd<'static> {
    // SAFETY: from `take_descriptors` on, this number is the tool's stdin until it executes the program.
    unsafe { BorrowedFd::borrow_raw(0) }
}

fn start(prepared: &Prepared, stack: &mut [MaybeUninit<u8>]) -> Result<Pid, Failure> {
    let at = |step| move |errno| Failure { step, errno };
    let death = Some(prepared.enclosure.death_signal());
    process::set_parent_process_death_signal(death).map_err(at(Step::ParentDeathSignal))?;
    // gatepost is undumpable, so root owns its files in /proc, and those of a copy. Some of them must be written.
    process::set_dumpable_behavior(DumpableBehavior::Dumpable).map_err(at(Step::Dumpable))?;
    if prepared.rlimits.is_some() {
        rlimit::be_first_to_go().map_err(at(Step::Rlimits))?;
    }
    system_call::reset_signals();
    prepared.enclosure.enter()?;
    process::umask(Mode::from_raw_mode(0o022));
    if let Some(root) = &prepared.root {
        root::enter(root)?;
        send(&Message::Output(root::open_output()?));
        if let Stdin::Null = prepared.stdin {
            open_stdin_again().map_err(at(Step::Descriptors))?;
        }
    } else if let Enclosure::Namespaces(_) = prepared.enclosure {
        root::mount_proc(c"/proc").map_err(at(Step::Proc))?;
    }
    if prepared.network_mode == Some(NetworkMode::Proxy) {
        send(&Message::Listener(way_out::listen().map_err(at(Step::WayOut))?));
    }
    let is_routed = prepared.network_mode == Some(NetworkMode::Routed);
    if is_routed {
        // gatepost may look up the namespaces until this process is undumpable.
        send(&Message::Ready);
        wait_for_go();
    }
    process::set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(at(Step::Dumpable))?;
    if let Some(place) = &prepared.own_command_line {
        // SAFETY: this process is a copy of the one that found the place, and reads no argument.
        unsafe { command_line::cover(place) };
    }
    if !is_routed {
        send(&Message::Ready);
        wait_for_go();
    }
    start_tool(prepared, stack).map_err(at(Step::Fork))
}

/// Puts stdin, stdout and stderr of the tool and the control socket at 0 to 3, and closes everything else.
fn take_descriptors(prepared: &Prepared, control: BorrowedFd<'_>) -> Result<(), Errno> {
    let stdin = match &prepared.stdin {
        Stdin::Null => prepared.null.as_fd(),
        Stdin::Input(stdin) | Stdin::Terminal(stdin) => stdin.as_fd(),
    };
    let standard = [stdin, prepared.stdout.as_fd(), prepared.stderr.as_fd()];
    // SAFETY: this process is ours alone, and from here on uses no descriptor but 0 to 3. Rust's runtime keeps 0 to 2
    // open, so no target overwrites a source that is still needed.
    unsafe {
        for (number, source) in (0..).zip(standard) {
            system_call::place_descriptor(source, number, 0)?;
        }
        system_call::place_descriptor(control, CONTROL, libc::O_CLOEXEC)?;
        system_call::close_descriptors(CONTROL.cast_unsigned() + 1, u32::MAX)
    }
}

/// `/dev/null` was opened in the machine's root. It would be the tool's only reference to a file there.
fn open_stdin_again() -> Result<(), Errno> {
    let null = rustix::fs::open(c"/dev/null", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    // SAFETY: nothing in this process uses descriptor 0.
    unsafe { system_call::place_descriptor(null.as_fd(), 0, 0) }
}

/// Waits for gatepost's proof that it was alive after the parent-death signal was armed. If gatepost died, exits.
fn wait_for_go() {
    let mut go = [0];
    loop {
        match rustix::io::read(control(), &mut go) {
            Ok(1) => return,
            Err(Errno::INTR) => {}
            _ => system_call::exit(0),
        }
    }
}

fn start_tool(prepared: &Prepared, stack: &mut [MaybeUninit<u8>]) -> Result<Pid, Errno> {
    let argument = std::ptr::from_ref(prepared).cast();
    // SAFETY: `tool::start` never returns, changes no memory but its stack, and nothing else uses that stack.
    let tool = unsafe { system_call::clone_borrowing(tool::start, stack, argument) }?;
    // SAFETY: the tool has its own copies, and this process never uses them.
    unsafe { system_call::close_descriptors(0, 2) }?;
    Pid::from_raw(tool).ok_or(Errno::CHILD)
}

/// Reaps orphans, passes SIGTERM on and ends the tree at `end`, until the tool ends; returns the tool's status. SIGKILL is
/// never waited for, and in a PID namespace, where it is the `end`, the tool's own signals end nothing.
fn watch(tool: Pid, end: Signal) -> c_int {
    let awaited = [libc::SIGCHLD, libc::SIGTERM, end.as_raw()];
    let awaited = awaited.into_iter().fold(0, |set, signal| set | system_call::signal_set(signal));
    loop {
        match system_call::wait_for_signal(awaited) {
            Ok(libc::SIGTERM) => signal_rest(Signal::TERM),
            Ok(signal) if signal == end.as_raw() => signal_rest(Signal::KILL),
            _ => {}
        }
        while let Some((pid, status)) = reap(WaitOptions::NOHANG) {
            if pid == tool {
                return status.as_raw();
            }
        }
    }
}

/// Kills all processes that the tool left running, and returns their number. The kernel then counts their
/// usage, and `Ended` means that no process writes to the streams.
fn kill_rest() -> u32 {
    while reap(WaitOptions::NOHANG).is_some() {}
    signal_rest(Signal::KILL);
    let mut killed = 0;
    while let Some((_, status)) = reap(WaitOptions::empty()) {
        killed += u32::from(status.terminating_signal() == Some(libc::SIGKILL));
    }
    killed
}

/// Sends a signal to every process in the enclosure but this one: to process id -1, as the kernel sees it.
fn signal_rest(signal: Signal) {
    let _ = process::kill_process_group(Pid::INIT, signal);
}

fn reap(options: WaitOptions) -> Option<(Pid, WaitStatus)> {
    loop {
        match process::wait(options) {
            Err(Errno::INTR) => {}
            result => return result.ok().flatten(),
        }
    }
}
