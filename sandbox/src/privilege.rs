//! Privileges given up for good: every capability, and any way to gain one by executing a program.
//!
//! The creator of a user namespace holds all capabilities in it, as root does outside; the tool gets none of them. With
//! `no_new_privs` an executed program cannot bring any back, not even for user id 0; nor could it without, for the bounding
//! set is empty where the kernel lets it be emptied.
//!
//! Standards: Linux `capabilities(7)`, `PR_SET_NO_NEW_PRIVS(2const)`.

use rustix::io::Errno;
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, remove_capability_from_bounding_set, set_capabilities,
    set_no_new_privs,
};

/// The layers as evidence names them.
pub(super) const LAYERS: [&str; 2] = ["no_capabilities", "no_new_privs"];

/// Gives them up. Runs between clone and exec.
pub(super) fn enter() -> Result<(), Errno> {
    set_no_new_privs(true)?;
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // The kernel is older than this capability.
            Ok(()) | Err(Errno::INVAL) => {}
            // Outside of a user namespace an ordinary user has none to give up, and `no_new_privs` keeps it so.
            Err(Errno::PERM) if capabilities(None)?.permitted.is_empty() => break,
            Err(errno) => return Err(errno),
        }
    }
    let none = CapabilitySet::empty();
    set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })
}
