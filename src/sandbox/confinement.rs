//! How strongly a tool is held: a level with its layers.
//!
//! A level is all of its layers or it is not that level. Leaving one out is for the tests that show what each is for; no
//! configuration, manifest or argument leads there.

use crate::config::SandboxLevel;

use super::root::View;
use crate::network::Access;

/// How a tool is held.
#[derive(Debug, Clone, Copy)]
pub struct Confinement<'a> {
    view: Option<View<'a>>,
    network: Option<&'a Access>,
    without: Option<Layer>,
}

/// A layer that does not carry the others.
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
        Self { view: None, network: None, without: None }
    }

    /// Level `full`: a private root, Landlock and a filter of system calls besides.
    pub const fn full(view: View<'a>) -> Self {
        Self { view: Some(view), network: None, without: None }
    }

    /// The same, and the tool reaches what it was granted, through gatepost. Only level `full` can bound that.
    #[must_use]
    pub const fn with_network(self, access: &'a Access) -> Self {
        Self { network: Some(access), ..self }
    }

    /// The network that was granted.
    pub const fn network(&self) -> Option<&'a Access> {
        self.network
    }

    /// The same without one layer.
    #[doc(hidden)]
    #[must_use]
    pub const fn without(self, layer: Layer) -> Self {
        Self { without: Some(layer), ..self }
    }

    /// The level that is reached when every layer holds.
    pub(super) fn level(&self) -> SandboxLevel {
        if self.view.is_some() && self.without.is_none() { SandboxLevel::Full } else { SandboxLevel::None }
    }

    pub(super) fn view(&self) -> Option<&View<'a>> {
        self.view.as_ref()
    }

    pub(super) fn has(&self, layer: Layer) -> bool {
        let of_full_only = matches!(layer, Layer::Root | Layer::Landlock | Layer::Seccomp);
        self.without != Some(layer) && (self.view.is_some() || !of_full_only)
    }
}
