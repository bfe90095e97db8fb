//! How strongly a tool is confined: a level with its layers.
//!
//! A level has all of its layers, or it is not that level. Only tests omit a layer, to show its effect; no configuration, manifest or
//! argument does.

use std::path::Path;

use gatepost_documents::sandbox_level::SandboxLevel;

use super::root::View;
use crate::network::Connectivity;

/// The confinement of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Confinement<'a> {
    hold: Hold<'a>,
    network: &'a Connectivity,
    without: Option<Layer>,
}

/// A level with the view of the tool.
#[derive(Debug, Clone, Copy)]
pub(super) enum Hold<'a> {
    /// The machine's files.
    None,
    /// The view's folders at their own paths, and one for temporary files.
    Landlock(View<'a>, &'a Path),
    /// The view, in a root of its own.
    Full(View<'a>),
}

/// A layer that no other layer depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub enum Layer {
    Ipc,
    HostName,
    Network,
    Root,
    Rlimits,
    Privileges,
    Landlock,
    Seccomp,
}

impl<'a> Confinement<'a> {
    /// Level `none`: namespaces, resource limits, no privileges; the tool sees the machine's files and may make any
    /// system call.
    pub const fn none() -> Self {
        Self { hold: Hold::None, network: &Connectivity::None, without: None }
    }

    /// Level `landlock`: no namespaces, but Landlock and a strict filter of system calls, resource limits, no privileges.
    /// The tool finds the entries of the view at their own paths, and may also write in `tmp`.
    pub const fn landlock(view: View<'a>, tmp: &'a Path) -> Self {
        Self { hold: Hold::Landlock(view, tmp), network: &Connectivity::None, without: None }
    }

    /// Level `full`: as `none`, and a private root, Landlock and a filter of system calls besides.
    pub const fn full(view: View<'a>) -> Self {
        Self { hold: Hold::Full(view), network: &Connectivity::None, without: None }
    }

    /// The same with the granted network. Only level `full` can bound it.
    #[must_use]
    pub const fn with_network(self, network: &'a Connectivity) -> Self {
        Self { network, ..self }
    }

    /// The granted network.
    pub const fn network(&self) -> &'a Connectivity {
        self.network
    }

    /// The same without one layer.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(self, layer: Layer) -> Self {
        Self { without: Some(layer), ..self }
    }

    /// The level if every layer is enforced.
    pub(super) fn level(&self) -> SandboxLevel {
        match self.hold {
            _ if self.without.is_some() => SandboxLevel::None,
            Hold::None => SandboxLevel::None,
            Hold::Landlock(..) => SandboxLevel::Landlock,
            Hold::Full(_) => SandboxLevel::Full,
        }
    }

    pub(super) fn hold(&self) -> &Hold<'a> {
        &self.hold
    }

    pub(super) fn has(&self, layer: Layer) -> bool {
        let is_of_level = match layer {
            Layer::Rlimits | Layer::Privileges => true,
            Layer::Ipc | Layer::HostName | Layer::Network => !matches!(self.hold, Hold::Landlock(..)),
            Layer::Root => matches!(self.hold, Hold::Full(_)),
            Layer::Landlock | Layer::Seccomp => !matches!(self.hold, Hold::None),
        };
        is_of_level && self.without != Some(layer)
    }
}
