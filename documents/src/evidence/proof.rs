//! A signature that a result carries, and its path.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// A signature over the request's bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Proof {
    /// The fingerprint of the key that made it, `SHA256:…`.
    pub key: String,
    /// Its path in the bundle, [`signature_path`].
    pub signature: String,
}

/// The path of a signature in a bundle: named after the beginning of the digest of its bytes.
pub fn signature_path(bytes: &[u8]) -> String {
    let digest = Digest::of(bytes).to_string();
    format!("approvals/{}.sig", digest.get(..16).unwrap_or_default())
}

/// Whether a text has the form of [`signature_path`].
pub fn is_signature_path(text: &str) -> bool {
    let name = text.strip_prefix("approvals/").and_then(|name| name.strip_suffix(".sig"));
    name.is_some_and(|name| name.len() == 16 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

/// Whether a text has the form of a key's fingerprint, `SHA256:` and 43 characters of base64.
pub fn is_fingerprint(text: &str) -> bool {
    let digest = text.strip_prefix("SHA256:");
    digest.is_some_and(|digest| {
        digest.len() == 43 && digest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/".contains(&byte))
    })
}
