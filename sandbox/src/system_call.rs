//! The system calls of the sandbox that no safe interface offers.
//!
//! Each is one call and its result. All but [`clone_process`] and [`reap`] are also made between clone and exec, where
//! other threads of the copied process may have held any lock: so nothing here allocates, locks or panics.
//!
//! Standards: Linux man-pages, section 2, under each call's name.

use std::ffi::{CStr, c_char, c_int, c_long, c_void};
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::ptr;

use rustix::io::Errno;

use super::landlock::{Beneath, Handled, Port};

/// A kernel signal set: bit `n - 1` is signal `n`.
pub(super) type SignalSet = u64;

/// Every signal. The kernel leaves SIGKILL and SIGSTOP out by itself.
pub(super) const EVERY_SIGNAL: SignalSet = SignalSet::MAX;

/// The set of one signal.
pub(super) const fn signal_set(signal: c_int) -> SignalSet {
    1 << (signal - 1)
}

fn checked(result: c_long) -> Result<c_long, Errno> {
    if result >= 0 {
        return Ok(result);
    }
    // SAFETY: the location is always valid; a thread has its own, and so has a copied process.
    Err(Errno::from_raw_os_error(unsafe { *libc::__errno_location() }))
}

/// Which of the two processes returned from [`clone_process`].
pub(super) enum Side {
    /// With the child's descriptor and process id.
    Parent(OwnedFd, u32),
    Child,
}

/// `CLONE_INTO_CGROUP` of linux/sched.h: it has no place in an integer of 32 bits.
const INTO_CGROUP: u64 = 1 << 33;

/// Copies this process like `fork`, into new namespaces and, if one is given, into a control group; the parent gets a pidfd,
/// and no signal when the child ends.
///
/// The child has one thread, and memory in which any lock may be held for ever.
pub(super) fn clone_process(namespaces: c_int, cgroup: Option<BorrowedFd<'_>>) -> Result<Side, Errno> {
    let mut pidfd: RawFd = -1;
    // SAFETY: all zeros is the documented neutral value of this structure of integers.
    let mut arguments: libc::clone_args = unsafe { MaybeUninit::zeroed().assume_init() };
    arguments.flags = u64::from((namespaces | libc::CLONE_PIDFD).cast_unsigned());
    arguments.pidfd = ptr::from_mut(&mut pidfd) as u64;
    if let Some(cgroup) = cgroup {
        arguments.flags |= INTO_CGROUP;
        arguments.cgroup = u64::from(cgroup.as_raw_fd().cast_unsigned());
    }
    // SAFETY: the arguments and the place for the pidfd outlive the call. No memory is shared with the child and no
    // stack is given, so both sides return here, each on its own copy.
    let result = unsafe { libc::syscall(libc::SYS_clone3, &raw mut arguments, size_of::<libc::clone_args>()) };
    match u32::try_from(checked(result)?).unwrap_or(0) {
        0 => Ok(Side::Child),
        // SAFETY: the kernel has just made this descriptor for us.
        pid => Ok(Side::Parent(unsafe { OwnedFd::from_raw_fd(pidfd) }, pid)),
    }
}

/// Starts `entry(argument)` as a child that borrows this process's memory until it executes a program or exits; this
/// process sleeps until then. Returns the child's process id.
///
/// # Safety
/// `stack` must be unused and large enough for `entry`, which must neither return a borrow of it nor unwind, and may
/// change memory only where this process expects it.
pub(super) unsafe fn clone_borrowing(
    entry: extern "C" fn(*mut c_void) -> c_int,
    stack: &mut [MaybeUninit<u8>],
    argument: *const c_void,
) -> Result<c_int, Errno> {
    let end = stack.as_mut_ptr_range().end;
    let top = end.map_addr(|address| address & !15).cast::<c_void>();
    // SAFETY: the stack grows down from its aligned end; the rest is the caller's promise.
    let result =
        unsafe { libc::clone(entry, top, libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD, argument.cast_mut(), 0) };
    checked(c_long::from(result)).map(|_| result)
}

/// Replaces this thread's signal mask and returns the former one.
pub(super) fn set_signal_mask(mask: SignalSet) -> Result<SignalSet, Errno> {
    let mut former: SignalSet = 0;
    // SAFETY: both sets are 8 bytes, as the last argument says, and outlive the call.
    let result = unsafe {
        libc::syscall(
            libc::SYS_rt_sigprocmask,
            libc::SIG_SETMASK,
            &raw const mask,
            &raw mut former,
            size_of::<SignalSet>(),
        )
    };
    checked(result).map(|_| former)
}

/// Gives every signal its default disposition, the ignored ones too.
pub(super) fn reset_signals() {
    // The kernel's own sigaction: handler, flags, restorer and mask; all zeros is SIG_DFL without flags.
    let default = [0u64; 4];
    for signal in 1..=64 {
        // SAFETY: the action outlives the call. SIGKILL and SIGSTOP refuse with EINVAL, and need nothing.
        unsafe {
            libc::syscall(
                libc::SYS_rt_sigaction,
                signal,
                &raw const default,
                ptr::null::<c_void>(),
                size_of::<SignalSet>(),
            )
        };
    }
}

/// Sleeps until one of `set`, which must be blocked, is pending; takes it and returns its number.
pub(super) fn wait_for_signal(set: SignalSet) -> Result<c_int, Errno> {
    // SAFETY: the set outlives the call; no information and no timeout are asked for.
    let result = unsafe {
        libc::syscall(
            libc::SYS_rt_sigtimedwait,
            &raw const set,
            ptr::null::<c_void>(),
            ptr::null::<c_void>(),
            size_of::<SignalSet>(),
        )
    };
    checked(result).map(|signal| c_int::try_from(signal).unwrap_or(0))
}

/// Makes `number` name what `source` names.
///
/// # Safety
/// Nothing in this process may own `number` as a descriptor and use it later for what it names now.
pub(super) unsafe fn place_descriptor(source: BorrowedFd<'_>, number: RawFd, flags: c_int) -> Result<(), Errno> {
    if source.as_raw_fd() == number {
        return Ok(());
    }
    // SAFETY: the source is open; the rest is the caller's promise.
    checked(c_long::from(unsafe { libc::dup3(source.as_raw_fd(), number, flags) })).map(drop)
}

/// Closes the descriptors `first` to `last`, open or not.
///
/// # Safety
/// Nothing in this process may use them any more.
pub(super) unsafe fn close_descriptors(first: u32, last: u32) -> Result<(), Errno> {
    // SAFETY: three integers; the rest is the caller's promise.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) }).map(drop)
}

/// Sets close-on-exec on every descriptor from `first` on.
pub(super) fn close_on_exec_from(first: u32) -> Result<(), Errno> {
    // SAFETY: three integers; no descriptor is closed here.
    checked(unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) }).map(drop)
}

/// Sets and clears attributes of the mount at `path`; `flags` may be `AT_RECURSIVE`.
pub(super) fn set_mount_attributes(path: &CStr, flags: c_int, set: u64, clear: u64) -> Result<(), Errno> {
    let attributes = libc::mount_attr { attr_set: set, attr_clr: clear, propagation: 0, userns_fd: 0 };
    // SAFETY: the path ends in NUL, and the attributes are as long as the last argument says.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    checked(result).map(drop)
}

/// The Landlock ABI of this kernel, from 1.
pub(super) fn landlock_abi() -> Result<u32, Errno> {
    const VERSION: u32 = 1;
    // SAFETY: with this flag the kernel reads no attributes.
    let result = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::null::<c_void>(), 0usize, VERSION) };
    checked(result).map(|abi| u32::try_from(abi).unwrap_or(0))
}

/// Makes a ruleset.
pub(super) fn landlock_create(handled: &Handled) -> Result<OwnedFd, Errno> {
    // SAFETY: the structure outlives the call and is as long as the second argument says.
    let result =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, ptr::from_ref(handled), size_of::<Handled>(), 0u32) };
    let descriptor = RawFd::try_from(checked(result)?).map_err(|_| Errno::BADF)?;
    // SAFETY: the kernel has just made this descriptor for us.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

/// Adds a rule to a ruleset.
pub(super) fn landlock_allow(ruleset: &OwnedFd, rule: &Beneath) -> Result<(), Errno> {
    const PATH_BENEATH: c_int = 1;
    // SAFETY: the rule outlives the call and has the form that its kind demands.
    let result = unsafe {
        libc::syscall(libc::SYS_landlock_add_rule, ruleset.as_raw_fd(), PATH_BENEATH, ptr::from_ref(rule), 0u32)
    };
    checked(result).map(drop)
}

/// Adds a rule for a port to a ruleset.
pub(super) fn landlock_allow_port(ruleset: &OwnedFd, rule: &Port) -> Result<(), Errno> {
    const NET_PORT: c_int = 2;
    // SAFETY: the rule outlives the call and has the form that its kind demands.
    let result =
        unsafe { libc::syscall(libc::SYS_landlock_add_rule, ruleset.as_raw_fd(), NET_PORT, ptr::from_ref(rule), 0u32) };
    checked(result).map(drop)
}

/// Applies a ruleset to this thread. `quietly` (ABI 7) keeps refusals before its next exec out of the
/// audit log.
pub(super) fn landlock_restrict(ruleset: &OwnedFd, quietly: bool) -> Result<(), Errno> {
    const LOG_SAME_EXEC_OFF: u32 = 1;
    let flags = if quietly { LOG_SAME_EXEC_OFF } else { 0 };
    // SAFETY: two integers.
    checked(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), flags) }).map(drop)
}

/// Brings the loopback interface of this network namespace up; `socket` is any socket of it.
pub(super) fn bring_loopback_up(socket: BorrowedFd<'_>) -> Result<(), Errno> {
    // `IFF_UP` in the width that the structure has.
    const UP: libc::c_short = 1;
    // SAFETY: all zeros is a valid value of this structure.
    let mut request: libc::ifreq = unsafe { MaybeUninit::zeroed().assume_init() };
    for (place, byte) in request.ifr_name.iter_mut().zip(c"lo".to_bytes()) {
        *place = byte.cast_signed();
    }
    request.ifr_ifru.ifru_flags = UP;
    // SAFETY: the request outlives the call, and its name ends in NUL.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request) };
    checked(c_long::from(result)).map(drop)
}

/// Installs a filter of system calls on this thread.
pub(super) fn install_filter(program: &[libc::sock_filter]) -> Result<(), Errno> {
    let len = u16::try_from(program.len()).map_err(|_| Errno::INVAL)?;
    let program = libc::sock_fprog { len, filter: program.as_ptr().cast_mut() };
    // SAFETY: the program outlives the call, which only reads it.
    let result = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0u32, &raw const program) };
    checked(result).map(drop)
}

/// Becomes `program`; returns only if that failed.
///
/// # Safety
/// `argv` and `environment` must be arrays of C strings that end in a null pointer.
pub(super) unsafe fn execute(program: &CStr, argv: *const *const c_char, environment: *const *const c_char) -> Errno {
    // SAFETY: the caller's promise.
    let result = unsafe { libc::execve(program.as_ptr(), argv, environment) };
    checked(c_long::from(result)).err().unwrap_or(Errno::NOEXEC)
}

/// Compares the memory of two processes: 0 if it is one and the same.
pub(super) fn compare_memory(one: u32, other: u32) -> Result<c_long, Errno> {
    const KCMP_VM: c_int = 1;
    // SAFETY: five integers.
    checked(unsafe { libc::syscall(libc::SYS_kcmp, one, other, KCMP_VM, 0usize, 0usize) })
}

/// Ends this process at once, running nothing.
pub(super) fn exit(status: c_int) -> ! {
    // SAFETY: it only ends the process.
    unsafe { libc::_exit(status) }
}

/// Waits for the process of `pidfd`, and returns the usage of it and all its reaped descendants.
pub(super) fn reap(pidfd: BorrowedFd<'_>) -> Result<libc::rusage, Errno> {
    // SAFETY: all zeros is a valid value of this structure of integers.
    let mut usage: libc::rusage = unsafe { MaybeUninit::zeroed().assume_init() };
    loop {
        // SAFETY: the structure outlives the call; what killed the process is of no interest.
        let result = unsafe {
            libc::syscall(
                libc::SYS_waitid,
                libc::P_PIDFD,
                pidfd.as_raw_fd(),
                ptr::null::<c_void>(),
                libc::WEXITED | libc::__WALL,
                &raw mut usage,
            )
        };
        match checked(result) {
            Err(Errno::INTR) => {}
            result => return result.map(|_| usage),
        }
    }
}

/// Whether the kernel's clock is synchronized; none if the kernel does not report it. It is here because
/// no safe interface offers the call.
pub fn clock_is_synchronized() -> Option<bool> {
    // SAFETY: all zeros is a valid value of this structure of integers; it asks for no change.
    let mut state: libc::timex = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: the structure outlives the call.
    let result = unsafe { libc::adjtimex(&raw mut state) };
    checked(c_long::from(result)).ok().map(|_| state.status & libc::STA_UNSYNC == 0)
}
