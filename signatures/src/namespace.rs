//! The purpose of a signature.

/// The meaning of a signature for the bytes under it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    /// Its maker approves the request.
    Approval,
    /// Its maker makes the request.
    Request,
}

impl Namespace {
    /// Each of them.
    pub const ALL: [Self; 2] = [Self::Approval, Self::Request];

    /// The name in signatures: the argument of `ssh-keygen -Y sign -n`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approval => "gatepost-approval",
            Self::Request => "gatepost-request",
        }
    }
}
