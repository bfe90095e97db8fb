//! The messages between gatepost and the first process of a sandbox: fixed records of 12 bytes on a socket pair, each with at most one
//! descriptor.
//!
//! ```text
//! first process ──Output─▶ gatepost          with the open folder `/out`, which outlives the sandbox by this descriptor
//! first process ──Listener▶ gatepost         with the socket on which the tool may reach gatepost, if it has a network
//! first process ──Ready──▶ gatepost          the sandbox is complete, its parent-death signal is armed; a route can be connected
//! first process ◀───Go──── gatepost          gatepost was alive after that, and has all descriptors: the tool may start
//! first process ──Failed─▶ gatepost          a step of the preparation failed; no tool runs
//! first process ──Ended──▶ gatepost          the tool ended, and all that it left running is dead
//! ```
//!
//! Security: the tool never has a descriptor of it, and cannot reach the first process's.
//!
//! Standards: Linux `unix(7)`, `SCM_RIGHTS`.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// One record: kind, then two numbers, each four bytes in the machine's order.
const RECORD_BYTES: usize = 12;

/// Room for the one descriptor of a record.
const ANCILLARY_BYTES: usize = rustix::cmsg_space!(ScmRights(1));

/// A step on the way from the clone to the tool's first instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Making the process and its namespaces.
    Clone,
    /// Asking the kernel to kill the tree with gatepost.
    ParentDeathSignal,
    /// Mapping the user and group id into the user namespace.
    IdMap,
    /// Confining the signals of the whole tree to itself.
    SignalScope,
    /// Naming the machine.
    HostName,
    /// Mounting a /proc that shows this PID namespace only.
    Proc,
    /// Making the private root and leaving the machine's.
    Root,
    /// Showing parts of the machine in the private root.
    View,
    /// Closing every inherited descriptor.
    Descriptors,
    /// Listening for the tool in its own network namespace.
    WayOut,
    /// Hiding the first process's memory from the tool.
    Dumpable,
    /// Making the tool's process.
    Fork,
    /// Giving the tool its own session.
    Session,
    /// Setting the resource limits.
    Rlimits,
    /// Choosing the processors.
    Affinity,
    /// Entering the work directory.
    WorkDir,
    /// Giving up capabilities, and the way to gain any.
    Privileges,
    /// Entering the Landlock rules.
    Landlock,
    /// Installing the filter of system calls.
    Seccomp,
    /// Unblocking the signals.
    Signals,
    /// Executing the program.
    Execute,
}

impl Step {
    const ALL: [Self; 21] = [
        Self::Clone,
        Self::ParentDeathSignal,
        Self::IdMap,
        Self::SignalScope,
        Self::HostName,
        Self::Proc,
        Self::Root,
        Self::View,
        Self::Descriptors,
        Self::WayOut,
        Self::Dumpable,
        Self::Fork,
        Self::Session,
        Self::Rlimits,
        Self::Affinity,
        Self::WorkDir,
        Self::Privileges,
        Self::Landlock,
        Self::Seccomp,
        Self::Signals,
        Self::Execute,
    ];

    /// The step, as a verb phrase after "failed to".
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Clone => "make a process in new namespaces",
            Self::ParentDeathSignal => "set the parent-death signal",
            Self::IdMap => "map the user id into a user namespace",
            Self::SignalScope => "confine the tree's signals with Landlock",
            Self::HostName => "name the machine in a UTS namespace",
            Self::Root => "make a private root",
            Self::View => "show the system in a private root",
            Self::Landlock => "enter Landlock rules",
            Self::Seccomp => "install a filter of system calls",
            Self::Proc => "mount /proc for a PID namespace",
            Self::Descriptors => "close the inherited descriptors",
            Self::WayOut => "listen in a network namespace",
            Self::Dumpable => "make the first process unreadable",
            Self::Fork => "make the tool's process",
            Self::Session => "make a session",
            Self::Affinity => "choose the processors",
            Self::Rlimits => "set the resource limits",
            Self::WorkDir => "enter the work directory",
            Self::Privileges => "give up privileges",
            Self::Signals => "unblock the signals",
            Self::Execute => "execute the program",
        }
    }
}

/// A step that failed, and the kernel's reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Failure {
    /// The step.
    pub step: Step,
    /// The reason.
    pub errno: Errno,
}

/// A record from the first process.
#[derive(Debug)]
pub enum Message {
    /// The sandbox is complete, and the first process dies with gatepost. It waits for `Go` to start the tool. Until then the
    /// namespaces of a tool with a route can be looked up.
    Ready,
    /// The tool's folder `/out`, if it is a file system of its own.
    Output(OwnedFd),
    /// The socket on which gatepost listens in the tool's network namespace.
    Listener(OwnedFd),
    /// The tool did not start.
    Failed(Failure),
    /// The tool ended.
    Ended {
        /// Its status, in the form of `wait(2)`.
        wait_status: i32,
        /// How many processes it had left running, all killed by now.
        killed: u32,
    },
}

impl Message {
    /// Sends it. Allocates nothing.
    pub(super) fn send(&self, socket: BorrowedFd<'_>) -> Result<(), Errno> {
        let (record, descriptor) = self.encode();
        let mut space = [MaybeUninit::uninit(); ANCILLARY_BYTES];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if descriptor.is_some() {
            ancillary.push(SendAncillaryMessage::ScmRights(descriptor.as_slice()));
        }
        sendmsg(socket, &[IoSlice::new(&record)], &mut ancillary, SendFlags::NOSIGNAL).map(drop)
    }

    /// Waits for the next record; none if the other side has ended. `EMFILE` if this process had no room for a descriptor: the kernel
    /// then delivers the record without it.
    pub(super) fn receive(socket: BorrowedFd<'_>) -> Result<Option<Self>, Errno> {
        let mut record = [0; RECORD_BYTES];
        let mut space = [MaybeUninit::uninit(); ANCILLARY_BYTES];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let count = loop {
            // A record is sent whole, so it comes whole.
            match recvmsg(socket, &mut [IoSliceMut::new(&mut record)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
                Err(Errno::INTR) => {}
                Err(Errno::CONNRESET) => break 0,
                received => break received?.bytes,
            }
        };
        let descriptor = ancillary.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        });
        if count < RECORD_BYTES {
            return Ok(None);
        }
        Self::decode(record, descriptor).ok_or(Errno::MFILE).map(Some)
    }

    fn encode(&self) -> ([u8; RECORD_BYTES], Option<BorrowedFd<'_>>) {
        let mut descriptor = None;
        let (kind, first, second) = match self {
            Self::Ready => (0u32, 0, 0),
            Self::Failed(Failure { step, errno }) => (1, errno.raw_os_error(), *step as u32),
            Self::Ended { wait_status, killed } => (2, *wait_status, *killed),
            Self::Output(folder) => {
                descriptor = Some(folder.as_fd());
                (3, 0, 0)
            }
            Self::Listener(socket) => {
                descriptor = Some(socket.as_fd());
                (4, 0, 0)
            }
        };
        let mut record = [0; RECORD_BYTES];
        record[..4].copy_from_slice(&kind.to_ne_bytes());
        record[4..8].copy_from_slice(&first.to_ne_bytes());
        record[8..].copy_from_slice(&second.to_ne_bytes());
        (record, descriptor)
    }

    fn decode(record: [u8; RECORD_BYTES], descriptor: Option<OwnedFd>) -> Option<Self> {
        let [kind, first, second] =
            [0, 4, 8].map(|at| u32::from_ne_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]));
        match kind {
            0 => Some(Self::Ready),
            1 => {
                let step = Step::ALL.get(usize::try_from(second).ok()?)?;
                Some(Self::Failed(Failure { step: *step, errno: Errno::from_raw_os_error(first.cast_signed()) }))
            }
            2 => Some(Self::Ended { wait_status: first.cast_signed(), killed: second }),
            3 => descriptor.map(Self::Output),
            4 => descriptor.map(Self::Listener),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn every_record_is_received_as_it_was_sent() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let failures = Step::ALL.map(|step| Message::Failed(Failure { step, errno: Errno::NOENT }));
        let others = [Message::Ready, Message::Ended { wait_status: 0x8b, killed: u32::MAX }];
        for message in failures.into_iter().chain(others) {
            message.send(theirs.as_fd()).unwrap();
            assert_eq!(format!("{:?}", Message::receive(ours.as_fd()).unwrap().unwrap()), format!("{message:?}"));
        }
        assert!(Message::decode([9; RECORD_BYTES], None).is_none());
        drop(theirs);
        assert!(Message::receive(ours.as_fd()).unwrap().is_none());
    }

    #[test]
    fn a_descriptor_arrives_with_its_own_record() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "x").unwrap();
        let ended = || Message::Ended { wait_status: 0, killed: 0 };
        Message::Ready.send(theirs.as_fd()).unwrap();
        Message::Output(File::open(folder.path()).unwrap().into()).send(theirs.as_fd()).unwrap();
        ended().send(theirs.as_fd()).unwrap();
        let next = || Message::receive(ours.as_fd()).unwrap();
        assert!(matches!(next(), Some(Message::Ready)));
        let Some(Message::Output(received)) = next() else { panic!("no descriptor came") };
        assert!(rustix::io::fcntl_getfd(&received).unwrap().contains(rustix::io::FdFlags::CLOEXEC));
        assert!(rustix::fs::statat(&received, "file", rustix::fs::AtFlags::empty()).is_ok());
        assert!(matches!(next(), Some(Message::Ended { .. })));
        // Without room for the descriptor, the record is an error.
        rustix::io::write(&theirs, &Message::Output(received).encode().0).unwrap();
        assert_eq!(Message::receive(ours.as_fd()).unwrap_err(), Errno::MFILE);
    }
}
