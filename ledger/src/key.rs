//! The keys of a log: one signs its checkpoints, the other verifies them.
//!
//! ```text
//! PRIVATE+KEY+gatepost/3f0a…+c74f20a3+AZ…      the signing key, as golang.org/x/mod/sumdb/note writes it
//! gatepost/3f0a…+c74f20a3+AZ…                  the verifier key: name, key hash, and base64 of the algorithm and the key
//! ```
//!
//! The name of a log's key is the log's own, its *origin*: `gatepost/` and 16 hexadecimal digits of the SHA-256 of its public
//! key, so that it needs no configuration and no two logs have one. *Standards*: C2SP signed-note, Signatures and Verifier keys.

use std::fmt;

use base64ct::{Base64, Encoding as _};
use ed25519_dalek::Signer as _;
use sha2::{Digest as _, Sha256};

/// The algorithm's identifier in signed notes.
const ED25519: u8 = 1;
const PRIVATE: &str = "PRIVATE+KEY+";

/// The text is no Ed25519 key in the form of signed notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not an Ed25519 key in the form of signed notes")]
pub struct KeyError;

/// The signing key. It is wiped when it is dropped, and never shown.
pub struct SigningKey {
    key: ed25519_dalek::SigningKey,
    verifier: VerifierKey,
}

/// The verifier key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    key: ed25519_dalek::VerifyingKey,
}

impl SigningKey {
    /// The key that 32 random bytes make.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let key = ed25519_dalek::SigningKey::from_bytes(seed);
        let digest = Sha256::digest(key.verifying_key().as_bytes());
        let begin = digest.first_chunk().map_or(0, |bytes| u64::from_be_bytes(*bytes));
        let name = format!("gatepost/{begin:016x}");
        Self { verifier: VerifierKey { name, key: key.verifying_key() }, key }
    }

    /// Reads what [`Self::to_text`] wrote; one newline at the end is allowed.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let (name, hash, seed) = parts(text.strip_prefix(PRIVATE).ok_or(KeyError)?)?;
        let key = ed25519_dalek::SigningKey::from_bytes(&seed);
        let verifier = VerifierKey { name: name.to_owned(), key: key.verifying_key() };
        if verifier.hash() == hash { Ok(Self { key, verifier }) } else { Err(KeyError) }
    }

    /// The text for the key file. Write it nowhere else.
    pub fn to_text(&self) -> String {
        format!("{PRIVATE}{}", text(&self.verifier.name, self.verifier.hash(), self.key.as_bytes()))
    }

    /// The key that verifies what this one signs.
    pub fn verifier(&self) -> &VerifierKey {
        &self.verifier
    }

    pub(crate) fn sign(&self, text: &[u8]) -> [u8; 64] {
        self.key.sign(text).to_bytes()
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("verifier", &self.verifier).finish_non_exhaustive()
    }
}

impl VerifierKey {
    /// Reads a verifier key; one newline at the end is allowed.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let (name, hash, key) = parts(text)?;
        let key = ed25519_dalek::VerifyingKey::from_bytes(&key).map_err(|_| KeyError)?;
        let verifier = Self { name: name.to_owned(), key };
        if verifier.hash() == hash { Ok(verifier) } else { Err(KeyError) }
    }

    /// The key's name, and the log's.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The key hash: the first bytes of a hash over name and key. It identifies the key in a signature.
    pub(crate) fn hash(&self) -> [u8; 4] {
        let digest =
            Sha256::new().chain_update(&self.name).chain_update([b'\n', ED25519]).chain_update(self.key.as_bytes());
        let [a, b, c, d, ..] = <[u8; 32]>::from(digest.finalize());
        [a, b, c, d]
    }

    /// Whether this key signed the text. Rejects signatures that other verifiers might reject.
    pub(crate) fn has_signed(&self, text: &[u8], signature: &[u8; 64]) -> bool {
        self.key.verify_strict(text, &ed25519_dalek::Signature::from_bytes(signature)).is_ok()
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text(&self.name, self.hash(), self.key.as_bytes()))
    }
}

fn text(name: &str, hash: [u8; 4], key: &[u8; 32]) -> String {
    let mut bytes = vec![ED25519];
    bytes.extend_from_slice(key);
    format!("{name}+{:08x}+{}", u32::from_be_bytes(hash), Base64::encode_string(&bytes))
}

/// Name, key hash and key of a text that is written as [`text`] writes it.
fn parts(whole: &str) -> Result<(&str, [u8; 4], [u8; 32]), KeyError> {
    let whole = whole.strip_suffix('\n').unwrap_or(whole);
    let mut parts = whole.splitn(3, '+');
    let mut part = || parts.next().ok_or(KeyError);
    let (name, hash, key) = (part()?, part()?, part()?);
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    let hash = u32::from_str_radix(hash, 16).map_err(|_| KeyError)?.to_be_bytes();
    let bytes = Base64::decode_vec(key).map_err(|_| KeyError)?;
    let Ok([ED25519, key @ ..]) = <[u8; 33]>::try_from(bytes) else { return Err(KeyError) };
    if is_name && text(name, hash, &key) == whole { Ok((name, hash, key)) } else { Err(KeyError) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_they_were_written_and_no_byte_can_be_another() {
        let key = SigningKey::from_seed(&[7; 32]);
        let (private, public) = (key.to_text(), key.verifier().to_string());
        assert_eq!(SigningKey::parse(&format!("{private}\n")).unwrap().to_text(), private);
        assert_eq!(VerifierKey::parse(&format!("{public}\n")).unwrap(), *key.verifier());
        for index in 0..public.len() {
            for bit in 0..7 {
                let mut bytes = public.clone().into_bytes();
                bytes[index] ^= 1 << bit;
                let text = String::from_utf8(bytes).unwrap();
                assert_eq!(VerifierKey::parse(&text), Err(KeyError), "{text}");
            }
        }
        assert!(SigningKey::parse(&public).is_err() && VerifierKey::parse(&private).is_err());
        assert!(!format!("{key:?}").contains("0707"));
    }
}
