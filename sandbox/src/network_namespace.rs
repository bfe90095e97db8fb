//! The network namespace of a sandbox, for gatepost's programs that configure it from outside.
//!
//! Its descriptors keep it alive after the sandbox ends, until they are closed. *Standards*: Linux `setns(2)`, `capabilities(7)`.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;

use rustix::process::{Resource, Rlimit, Signal, set_parent_process_death_signal, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, LinkNameSpaceType, configure_capability_in_ambient_set, move_into_link_name_space,
    set_capabilities, set_no_new_privs,
};

/// The user and the network namespace of a sandbox.
#[derive(Debug, Clone)]
pub struct NetworkNamespace {
    user: Arc<OwnedFd>,
    network: Arc<OwnedFd>,
}

impl NetworkNamespace {
    /// The namespaces of a process, which must be readable to gatepost.
    pub fn of(pid: u32) -> io::Result<Self> {
        let open = |name| File::open(format!("/proc/{pid}/ns/{name}")).map(|file| Arc::new(file.into()));
        Ok(Self { user: open("user")?, network: open("net")? })
    }

    /// Makes a command run in them, with only the capability to change the network there.
    pub fn enter_by(&self, command: &mut Command) {
        let Self { user, network } = self.clone();
        let enter = move || -> io::Result<()> {
            move_into_link_name_space(user.as_fd(), Some(LinkNameSpaceType::User))?;
            move_into_link_name_space(network.as_fd(), Some(LinkNameSpaceType::Network))?;
            let own = CapabilitySet::NET_ADMIN;
            set_capabilities(None, CapabilitySets { effective: own, permitted: own, inheritable: own })?;
            Ok(configure_capability_in_ambient_set(own, true)?)
        };
        // SAFETY: between fork and exec there are only system calls, on descriptors that the closure holds.
        unsafe { command.pre_exec(enter) };
        hold_helper(command);
    }
}

/// Makes a command die with the thread that starts it, gain no privilege and write to no file.
pub fn hold_helper(command: &mut Command) {
    let hold = || -> io::Result<()> {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        set_no_new_privs(true)?;
        Ok(setrlimit(Resource::Fsize, Rlimit { current: Some(0), maximum: Some(0) })?)
    };
    // SAFETY: three system calls.
    unsafe { command.pre_exec(hold) };
}
