//! The destinations of tools: the pairs of host and port that a site lists, and the names that a call targets. Pure: no name is
//! resolved here.

mod address;
mod allowlist;
mod embedded;
mod target_scope;

pub use address::is_public;
pub use allowlist::Allowlist;
pub use embedded::plain;
pub use gatepost_documents::destination::{Destination, Host, Peer};
pub use target_scope::TargetScope;

/// How a run gets to the destinations that it was granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum NetworkMode {
    /// It asks a proxy.
    #[default]
    Proxy,
    /// It sends packets itself, along a route.
    Routed,
}
