//! The floor of a run: one clone into the namespaces of a tool, exec and wait, nothing else.

use std::ffi::{CStr, c_char};
use std::ptr;

/// The program to execute.
pub(crate) const PROGRAM: &CStr = c"/bin/true";

/// Clones into the namespaces of a sandbox, executes [`PROGRAM`], and waits for it.
pub(crate) fn bare() {
    let namespaces = libc::CLONE_NEWUSER
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWNET;
    let argv = [PROGRAM.as_ptr(), ptr::null()];
    let environment: [*const c_char; 1] = [ptr::null()];
    // SAFETY: all zeros is the neutral value of this structure of integers.
    let mut arguments: libc::clone_args = unsafe { std::mem::zeroed() };
    arguments.flags = u64::from(namespaces.cast_unsigned());
    arguments.exit_signal = u64::from(libc::SIGCHLD.cast_unsigned());
    // SAFETY: the child, on its own copy of memory, only executes a program or exits; all strings end in NUL and all
    // arrays in null.
    let child = unsafe {
        let child = libc::syscall(libc::SYS_clone3, &raw mut arguments, size_of::<libc::clone_args>());
        if child == 0 {
            libc::execve(PROGRAM.as_ptr(), argv.as_ptr(), environment.as_ptr());
            libc::_exit(127);
        }
        libc::pid_t::try_from(child).expect("clone3 gives a process id or -1")
    };
    assert!(child > 0, "user namespaces are needed here");
    let mut status = 0;
    // SAFETY: the status outlives the call.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0);
}
