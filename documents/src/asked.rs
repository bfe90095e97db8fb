//! What a request asks for, in three words: for lists, before there is a result that says more.

use crate::request_form::Form;

/// What a request asks for. *Security*: a requester chose each word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The tool, or the backend of its lane.
    pub tool: String,
    /// Who asks.
    pub requested_by: String,
    /// Why.
    pub purpose: String,
}

/// Reads the bytes of a request of this form whose file has this stem; none if it is invalid. The crate `contract` has the one reader, which
/// the gate does not link.
pub type Ask = fn(&[u8], Form, &str) -> Option<Asked>;
