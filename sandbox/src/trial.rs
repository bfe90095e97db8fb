//! Tries one mechanism for real, in a process of its own that ends at once and leaves nothing behind.
//!
//! For reports only: a tool's confinement is the one that [`super::prepare`] and [`super::enter`] make, independent of earlier trials.

use std::ffi::c_int;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;

use rustix::io::Errno;
use rustix::process::Signal;
use rustix::thread::set_no_new_privs;

use super::control::{Failure, Message, Step};
use super::tree::Tree;
use super::{landlock, namespace, privilege, root, seccomp, signal_scope, system_call};

/// A mechanism that can be tried alone. Namespaces other than the user's are tried inside a user namespace, as for tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mechanism {
    /// A user namespace with the caller's ids mapped into it.
    UserNamespace,
    /// A PID namespace.
    PidNamespace,
    /// A mount namespace.
    MountNamespace,
    /// An IPC namespace.
    IpcNamespace,
    /// A UTS namespace.
    UtsNamespace,
    /// A network namespace.
    NetworkNamespace,
    /// All of them at once.
    AllNamespaces,
    /// A tmpfs as the root, and the machine's left behind.
    PrivateRoot,
    /// A /proc of a PID namespace's own.
    Proc,
    /// The promise never to gain a privilege by executing a program.
    NoNewPrivs,
    /// Every capability given up, those of the bounding set too.
    NoCapabilities,
    /// Landlock rules.
    Landlock,
    /// A Landlock domain that confines signals, in which a tree can be ended whole without a PID namespace.
    SignalScope,
    /// A filter of system calls.
    Seccomp,
}

impl Mechanism {
    /// All mechanisms; each follows those that it depends on.
    pub const ALL: [Self; 14] = [
        Self::UserNamespace,
        Self::PidNamespace,
        Self::MountNamespace,
        Self::IpcNamespace,
        Self::UtsNamespace,
        Self::NetworkNamespace,
        Self::AllNamespaces,
        Self::PrivateRoot,
        Self::Proc,
        Self::NoNewPrivs,
        Self::NoCapabilities,
        Self::Landlock,
        Self::SignalScope,
        Self::Seccomp,
    ];

    /// The namespaces that it needs; 0 for none.
    fn namespaces(self) -> c_int {
        let others = match self {
            Self::UserNamespace | Self::NoCapabilities => 0,
            Self::PidNamespace => libc::CLONE_NEWPID,
            Self::MountNamespace | Self::PrivateRoot => libc::CLONE_NEWNS,
            Self::IpcNamespace => libc::CLONE_NEWIPC,
            Self::UtsNamespace => libc::CLONE_NEWUTS,
            Self::NetworkNamespace => libc::CLONE_NEWNET,
            Self::AllNamespaces => namespace::prepare(|_| true, u64::MAX, false).flags,
            Self::Proc => libc::CLONE_NEWPID | libc::CLONE_NEWNS,
            Self::NoNewPrivs | Self::Landlock | Self::SignalScope | Self::Seccomp => return 0,
        };
        libc::CLONE_NEWUSER | others
    }
}

/// The Landlock ABI of this kernel, from 1; the error says why there is none.
pub fn landlock_abi() -> Result<u32, Errno> {
    system_call::landlock_abi()
}

/// Tries a mechanism. To be called from a process without signal handlers: the child shares none of their state.
pub fn attempt(mechanism: Mechanism) -> Result<(), Failure> {
    let failed = |errno| Failure { step: Step::Clone, errno };
    let mut namespaces = namespace::prepare(|_| true, u64::MAX, false);
    namespaces.flags = mechanism.namespaces();
    let rules = match mechanism {
        Mechanism::Landlock => Some(landlock::in_private_root(c"/tmp".to_owned())?),
        _ => None,
    };
    let filter = (mechanism == Mechanism::Seccomp).then(seccomp::strict);
    let (ours, theirs) =
        UnixStream::pair().map_err(|error| failed(Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
    let run = || -> Result<(), Failure> {
        let at = |step| move |errno| Failure { step, errno };
        if namespaces.flags != 0 {
            namespace::enter(&namespaces)?;
        }
        match mechanism {
            Mechanism::PrivateRoot => root::take_root().map_err(at(Step::Root)),
            Mechanism::Proc => root::mount_proc(c"/proc").map_err(at(Step::Proc)),
            Mechanism::NoNewPrivs => set_no_new_privs(true).map_err(at(Step::Privileges)),
            Mechanism::SignalScope => signal_scope::enter(),
            Mechanism::NoCapabilities => privilege::enter().map_err(at(Step::Privileges)),
            Mechanism::Landlock | Mechanism::Seccomp => {
                set_no_new_privs(true).map_err(at(Step::Privileges))?;
                rules.as_ref().map_or(Ok(()), landlock::enter).map_err(at(Step::Landlock))?;
                filter.as_ref().map_or(Ok(()), seccomp::enter).map_err(at(Step::Seccomp))
            }
            _ => Ok(()),
        }
    };
    match system_call::clone_process(namespaces.flags, None).map_err(failed)? {
        system_call::Side::Child => {
            let message = run().map_or_else(Message::Failed, |()| Message::Ready);
            // This fails only if gatepost has ended.
            let _ = message.send(theirs.as_fd());
            system_call::exit(0)
        }
        system_call::Side::Parent(first, pid) => {
            drop(theirs);
            match Tree::new(first, pid, ours, Signal::KILL).receive() {
                Ok(Some(Message::Ready)) => Ok(()),
                Ok(Some(Message::Failed(failure))) => Err(failure),
                _ => Err(failed(Errno::CHILD)),
            }
        }
    }
}

/// Tries whether a process can be cloned into a control group.
pub(super) fn clone_into(cgroup: BorrowedFd<'_>) -> Result<(), Errno> {
    match system_call::clone_process(0, Some(cgroup))? {
        system_call::Side::Child => system_call::exit(0),
        system_call::Side::Parent(child, _) => system_call::reap(child.as_fd()).map(drop),
    }
}
