//! Where tools may go: pairs of host and port that a site lists, and the names at which a call aims. Pure: nothing is looked up here.

mod address;
mod aims;
mod allowlist;
mod embedded;

pub use address::is_public;
pub use aims::Aims;
pub use allowlist::Allowlist;
pub use embedded::plain;
pub use gatepost_documents::destination::{Destination, Host, Peer};

/// How a run gets to the destinations that it was granted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Road {
    /// It asks a proxy.
    #[default]
    Proxy,
    /// It sends packets itself, along a route.
    Routed,
}
