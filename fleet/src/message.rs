//! The messages between the home and its nodes, each in a signed envelope.
//!
//! ```text
//! home  Offered ─stream─▶ node      a request that a node may have
//! node  Ask     ──────▶ home        may I run it? answered by Order or Refused
//! node  Return  ──────▶ home        its bundle is in the object store; answered by Receipt or Refused
//! node  Beat    ──────▶ home        what I have; no answer
//! home  Cancel  ──────▶ node        stop it, and return what it left; no answer
//! ```
//!
//! Messages carry no time, because clocks may differ by hours. *Security*: an envelope is dropped unless the sender's
//! listed key signed it. Each kind has its own media type, so none can pass for another. *Standards*: DSSE 1.0.

use gatepost_documents::digest::Digest;
use gatepost_documents::id::RequestId;
use gatepost_documents::request_form::Form;
use gatepost_signatures::{Envelope, KeyError, PublicKey, SigningKey};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::parcel::Parcel;

/// A logical time of a node: later values are greater, independent of its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Moment {
    /// How many times the node has started.
    pub(crate) start: u64,
    /// The number of the message since then.
    pub(crate) message: u64,
}

/// A request that a node may take.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Offered {
    pub(crate) request_id: RequestId,
    pub(crate) tool: String,
    pub(crate) manifest_sha256: Digest,
}

/// A node's question whether it may run a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ask {
    pub(crate) node: String,
    pub(crate) moment: Moment,
    pub(crate) request_id: RequestId,
    /// Digest of the node's own manifest.
    pub(crate) manifest_sha256: Digest,
}

/// An order to run a request. Its digest covers the envelope's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    pub(crate) node: String,
    pub(crate) attempt: u32,
    /// The time of the question that it answers.
    pub(crate) asked: Moment,
    pub(crate) request_id: RequestId,
    pub(crate) request_sha256: Digest,
    pub(crate) form: Form,
    pub(crate) tool: String,
    pub(crate) manifest_sha256: Digest,
    /// The request with its inputs and signatures.
    pub(crate) parcel: Parcel,
}

/// Why the home refuses a node's question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Refused {
    pub(crate) node: String,
    pub(crate) request_id: RequestId,
    /// Whether no node needs to ask again.
    pub(crate) is_over: bool,
    pub(crate) why: String,
}

/// A bundle that a node has sealed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Return {
    pub(crate) node: String,
    pub(crate) request_id: RequestId,
    pub(crate) attempt: u32,
    pub(crate) order_sha256: Digest,
    pub(crate) parcel: Parcel,
}

/// A receipt: the node may delete the bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Receipt {
    pub(crate) node: String,
    pub(crate) request_id: RequestId,
    pub(crate) attempt: u32,
    /// Whether the home stored it; otherwise the request already had an answer.
    pub(crate) is_taken: bool,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Beat {
    pub(crate) node: String,
    pub(crate) moment: Moment,
    /// The requests with a recorded order and an unconfirmed bundle, each with its attempt.
    pub(crate) holds: Vec<(RequestId, u32)>,
    /// The requests that it asked for, or whose order it is accepting.
    pub(crate) asks: Vec<RequestId>,
}

/// An order to stop a request. The node ignores it if it does not have the request, or not by this attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cancel {
    pub(crate) node: String,
    pub(crate) request_id: RequestId,
    pub(crate) attempt: u32,
}

/// A kind of message.
pub(crate) trait Message: Serialize + DeserializeOwned {
    /// Its media type.
    const TYPE: &str;
}

macro_rules! messages {
    ($($kind:ident $name:literal;)+) => {
        $(impl Message for $kind {
            const TYPE: &str = concat!("application/vnd.gatepost.fleet-", $name, "+json");
        })+
    };
}

messages! {
    Offered "offered";
    Ask "ask";
    Order "order";
    Refused "refused";
    Return "return";
    Receipt "receipt";
    Beat "beat";
    Cancel "cancel";
}

/// The bytes of a signed message.
pub(crate) fn seal<M: Message>(message: &M, key: &SigningKey) -> Result<Vec<u8>, KeyError> {
    let json = serde_json::to_vec(message).unwrap_or_default();
    let envelope = Envelope::seal(&json, M::TYPE, key.public(), |bytes| key.sign(bytes))?;
    Ok(serde_json::to_vec(&envelope).unwrap_or_default())
}

/// The message, if it is of this kind and this key signed it.
pub(crate) fn open<M: Message>(bytes: &[u8], key: &PublicKey) -> Option<M> {
    let envelope: Envelope = serde_json::from_slice(bytes).ok()?;
    serde_json::from_slice(&envelope.open(M::TYPE, key)?).ok()
}

/// The message and the name of the key that signed it.
pub(crate) fn open_by<'a, M: Message>(
    bytes: &[u8],
    keys: impl IntoIterator<Item = (&'a String, &'a PublicKey)>,
) -> Option<(&'a str, M)> {
    let envelope: Envelope = serde_json::from_slice(bytes).ok()?;
    keys.into_iter().find_map(|(name, key)| {
        let payload = envelope.open(M::TYPE, key)?;
        Some((name.as_str(), serde_json::from_slice(&payload).ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beat() -> Beat {
        Beat { node: "n1".to_owned(), moment: Moment { start: 1, message: 2 }, holds: Vec::new(), asks: Vec::new() }
    }

    #[test]
    fn a_message_is_opened_as_its_own_kind_and_by_the_key_that_signed_it() {
        let [key, other] = [1, 2].map(|seed| SigningKey::from_seed(&[seed; 32], "").unwrap());
        let bytes = seal(&beat(), &key).unwrap();
        assert_eq!(open::<Beat>(&bytes, key.public()), Some(beat()));
        assert_eq!(open::<Beat>(&bytes, other.public()), None);
        assert_eq!(open::<Ask>(&bytes, key.public()), None);
        let names = ["n1".to_owned(), "n2".to_owned()];
        let by =
            |keys: [&PublicKey; 2]| open_by::<Beat>(&bytes, names.iter().zip(keys)).map(|(name, _)| name.to_owned());
        assert_eq!(by([other.public(), key.public()]).as_deref(), Some("n2"));
        assert_eq!(by([other.public(), other.public()]), None);
    }

    #[test]
    fn moments_are_ordered_by_start_first() {
        let moment = |start, message| Moment { start, message };
        assert!(moment(2, 0) > moment(1, 9) && moment(1, 9) > moment(1, 8));
    }
}
