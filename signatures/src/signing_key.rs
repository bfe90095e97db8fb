//! The key with which a gate attests, as `ssh-keygen -t ed25519` writes it without a passphrase.
//!
//! It reads only Ed25519 private keys. People sign with `ssh-keygen`, which supports passphrases, hardware keys and agents.
//! *Standards*: OpenSSH PROTOCOL.key, RFC 8709.

use std::fmt;
use std::ops::Deref;

use signature::Signer as _;
use ssh_key::private::{Ed25519Keypair, KeypairData};
use ssh_key::{LineEnding, PrivateKey};

use crate::public_key::{KeyError, PublicKey};

/// An Ed25519 key that signs; wiped when it is dropped, and never shown.
pub struct SigningKey {
    key: PrivateKey,
    public: PublicKey,
}

impl SigningKey {
    /// The key that 32 random bytes make, with a comment.
    pub fn from_seed(seed: &[u8; 32], comment: &str) -> Result<Self, KeyError> {
        let key = PrivateKey::new(KeypairData::Ed25519(Ed25519Keypair::from_seed(seed)), comment);
        Self::of(key.map_err(|_| KeyError)?)
    }

    /// Reads the text of a private key file.
    pub fn parse(text: &[u8]) -> Result<Self, KeyError> {
        Self::of(PrivateKey::from_openssh(text).map_err(|_| KeyError)?)
    }

    fn of(key: PrivateKey) -> Result<Self, KeyError> {
        let is_open = key.key_data().ed25519().is_some();
        let public = PublicKey::of(key.public_key().clone()).filter(|_| is_open).ok_or(KeyError)?;
        Ok(Self { key, public })
    }

    /// The text for the key file. Write it nowhere else.
    pub fn to_text(&self) -> Result<impl Deref<Target = String> + use<>, KeyError> {
        self.key.to_openssh(LineEnding::LF).map_err(|_| KeyError)
    }

    /// The key that verifies what this one signs.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The raw signature over a message. It is deterministic.
    pub fn sign(&self, message: &[u8]) -> Result<[u8; 64], KeyError> {
        // Signs with the pair itself: a generic signer would link the private operations of RSA and ECDSA.
        let pair = self.key.key_data().ed25519().ok_or(KeyError)?;
        let signature = pair.try_sign(message).map_err(|_| KeyError)?;
        signature.as_bytes().try_into().map_err(|_| KeyError)
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey").field("public", &self.public).finish_non_exhaustive()
    }
}
