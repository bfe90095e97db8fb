//! A signed document of any kind: DSSE's envelope.
//!
//! ```json
//! {"payload": "eyJf…", "payloadType": "application/vnd.in-toto+json", "signatures": [{"keyid": "SHA256:…", "sig": "q83v…"}]}
//! ```
//!
//! The signature covers the payload, preceded by its type and both lengths (PAE). It never covers re-serialised JSON.
//! *Standards*: DSSE 1.0 (protocol, envelope).

use base64ct::{Base64, Encoding as _};
use serde::{Deserialize, Serialize};

use crate::public_key::PublicKey;

/// A signed document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Envelope {
    /// The document, in base64.
    payload: String,
    /// What kind of document it is, a media type.
    payload_type: String,
    /// Whose signatures.
    signatures: Vec<KeySignature>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeySignature {
    /// The fingerprint of the key.
    keyid: String,
    /// The bare signature, in base64.
    sig: String,
}

impl Envelope {
    /// Signs a document as this key; `sign` makes the raw signature.
    pub fn seal<E>(
        payload: &[u8],
        payload_type: &str,
        key: &PublicKey,
        sign: impl FnOnce(&[u8]) -> Result<[u8; 64], E>,
    ) -> Result<Self, E> {
        let sig = Base64::encode_string(&sign(&pae(payload_type, payload))?);
        Ok(Self {
            payload: Base64::encode_string(payload),
            payload_type: payload_type.to_owned(),
            signatures: vec![KeySignature { keyid: key.fingerprint(), sig }],
        })
    }

    /// The document, if it is of this kind and this key alone signed it.
    pub fn open(&self, payload_type: &str, key: &PublicKey) -> Option<Vec<u8>> {
        let payload = Base64::decode_vec(&self.payload).ok().filter(|_| self.payload_type == payload_type)?;
        let [KeySignature { keyid, sig }] = self.signatures.as_slice() else { return None };
        let signature = Base64::decode_vec(sig).ok().filter(|_| *keyid == key.fingerprint())?;
        key.has_signed(&pae(payload_type, &payload), &signature).then_some(payload)
    }
}

/// The signed bytes: DSSE's pre-authentication encoding.
fn pae(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len());
    [head.as_bytes(), payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SigningKey;

    #[test]
    fn what_is_signed_is_the_example_of_the_standard() {
        assert_eq!(
            pae("http://example.com/HelloWorld", b"hello world"),
            b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
        );
    }

    #[test]
    fn an_envelope_is_opened_as_what_was_signed_and_as_nothing_else() {
        let [key, other] = [7, 8].map(|seed| SigningKey::from_seed(&[seed; 32], "").unwrap());
        let envelope = Envelope::seal(b"{}", "a/b", key.public(), |message| key.sign(message)).unwrap();
        assert_eq!(envelope.open("a/b", key.public()).unwrap(), b"{}");
        assert_eq!((envelope.open("a/c", key.public()), envelope.open("a/b", other.public())), (None, None));
        let text = serde_json::to_string(&envelope).unwrap();
        for (from, to) in
            [("e30=", "e31="), ("e30=", "e30"), ("SHA256:", "SHA255:"), ("a/b", "a/bb"), ("\"sig\":\"", "\"sig\":\"AA")]
        {
            let changed: Envelope = serde_json::from_str(&text.replace(from, to)).unwrap();
            assert_eq!(changed.open(&changed.payload_type, key.public()), None, "{changed:?}");
        }
        let twice = Envelope { signatures: [&envelope.signatures[..], &envelope.signatures].concat(), ..envelope };
        assert_eq!(twice.open("a/b", key.public()), None);
    }
}
