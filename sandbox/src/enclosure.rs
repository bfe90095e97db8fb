//! The enclosure of a tree, by which it is killed whole: namespaces, or a scope of signals.

use std::ffi::c_int;

use rustix::process::Signal;

use super::control::Failure;
use super::{namespace, signal_scope};

/// The signal that makes the first process of a signal scope kill its tree: without a PID namespace its death does not.
const END: Signal = Signal::USR1;

/// Namespaces or a scope of signals.
#[derive(Debug)]
pub(super) enum Enclosure {
    Namespaces(namespace::Namespaces),
    SignalScope,
}

impl Enclosure {
    /// The namespaces in which the first process is made, as flags of the clone.
    pub(super) fn flags(&self) -> c_int {
        match self {
            Self::Namespaces(namespaces) => namespaces.flags,
            Self::SignalScope => 0,
        }
    }

    /// The signal to the first process that ends the tree; it also comes when gatepost dies.
    pub(super) fn death_signal(&self) -> Signal {
        match self {
            Self::Namespaces(_) => Signal::KILL,
            Self::SignalScope => END,
        }
    }

    /// The layers as evidence names them.
    pub(super) fn layers(&self) -> &[&'static str] {
        match self {
            Self::Namespaces(namespaces) => &namespaces.layers,
            Self::SignalScope => &signal_scope::LAYERS,
        }
    }

    /// Completes it from inside. Runs between clone and exec.
    pub(super) fn enter(&self) -> Result<(), Failure> {
        match self {
            Self::Namespaces(namespaces) => namespace::enter(namespaces),
            Self::SignalScope => signal_scope::enter(),
        }
    }
}
