//! The public half of the key with which a gate attests: Ed25519, as a line of an OpenSSH `.pub` file.
//!
//! ```text
//! ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI… gatepost
//! ```
//!
//! *Standards*: RFC 8709 (the key), RFC 4716's fingerprint in OpenSSH's form `SHA256:…`.

use signature::Verifier as _;
use ssh_key::{Algorithm, HashAlg, Signature, SshSig};

use crate::signature::parse_armored;

/// The namespace of a gate's signature over a file of an accepted result: the argument of `ssh-keygen -Y verify -n`.
pub const ATTESTATION_NAMESPACE: &str = "gatepost-attestation";

/// The text is no Ed25519 key in OpenSSH's form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is not an Ed25519 key as `ssh-keygen -t ed25519` writes it without a passphrase")]
pub struct KeyError;

/// An Ed25519 key that verifies. The comment is not part of its identity.
#[derive(Debug, Clone)]
pub struct PublicKey(ssh_key::PublicKey);

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.key_data() == other.0.key_data()
    }
}

impl Eq for PublicKey {}

impl PublicKey {
    /// Reads the line of a `.pub` file.
    pub fn parse(line: &str) -> Result<Self, KeyError> {
        Self::of(line.trim().parse().map_err(|_| KeyError)?).ok_or(KeyError)
    }

    pub(crate) fn of(key: ssh_key::PublicKey) -> Option<Self> {
        (key.algorithm() == Algorithm::Ed25519).then_some(Self(key))
    }

    /// The key in its binary form, the form that an agent uses.
    pub(crate) fn from_blob(blob: &[u8]) -> Option<Self> {
        Self::of(ssh_key::PublicKey::from_bytes(blob).ok()?)
    }

    pub(crate) fn to_blob(&self) -> Vec<u8> {
        // This fails only if a vector cannot grow.
        self.0.to_bytes().unwrap_or_default()
    }

    /// The line of a `.pub` file, with its newline.
    pub fn to_line(&self) -> String {
        format!("{}\n", self.0.to_openssh().unwrap_or_default())
    }

    /// `SHA256:…`, as `ssh-keygen -l` shows it.
    pub fn fingerprint(&self) -> String {
        self.0.fingerprint(HashAlg::Sha256).to_string()
    }

    /// Whether this key signed the raw message, without a namespace.
    pub fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let signature = Signature::new(Algorithm::Ed25519, signature);
        signature.is_ok_and(|signature| self.0.key_data().verify(message, &signature).is_ok())
    }

    /// The key that made a gate's signature file over exactly these bytes; none if it is no such file.
    pub fn of_signature(armored: &[u8], bytes: &[u8]) -> Option<Self> {
        let signature = parse_armored(armored)?;
        let key = Self::of(signature.public_key().clone().into())?;
        key.0.verify(ATTESTATION_NAMESPACE, bytes, &signature).is_ok().then_some(key)
    }

    /// A signature file over bytes, as `ssh-keygen -Y sign` writes it; `sign` makes the raw signature.
    pub fn signature_file<E>(
        &self,
        bytes: &[u8],
        sign: impl FnOnce(&[u8]) -> Result<[u8; 64], E>,
    ) -> Result<String, E> {
        // These cannot fail: the namespace is not empty, and the signature has this length.
        let message = SshSig::signed_data(ATTESTATION_NAMESPACE, HashAlg::Sha512, bytes).unwrap_or_default();
        let signature = Signature::new(Algorithm::Ed25519, sign(&message)?);
        let file = signature.and_then(|signature| {
            SshSig::new(self.0.key_data().clone(), ATTESTATION_NAMESPACE, HashAlg::Sha512, signature)?
                .to_pem(ssh_key::LineEnding::LF)
        });
        Ok(file.unwrap_or_default())
    }
}
