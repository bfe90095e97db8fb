//! Signatures over documents, and whose keys count: SSH's by people, and what a gate attests.
//!
//! ```text
//! bytes of a .sig file ──▶ Signature ──┐
//! text of a signers file ──▶ Signers ──┴─ verify(bytes, namespace, time) ──▶ the person's name
//! ```
//!
//! What a signature is good for (approving a request, or making one) is its *namespace*; a signature of one namespace is none
//! in another. Pure: files and clocks are passed in. *Security*: a signature's bytes are a stranger's; a key is looked up
//! before anything is computed with it. *Standards*: OpenSSH PROTOCOL.sshsig, ssh-keygen(1) ALLOWED SIGNERS, DSSE 1.0.

pub mod agent;
mod envelope;
mod namespace;
mod public_key;
mod signature;
mod signers;
mod signing_key;

pub use envelope::Envelope;
pub use namespace::Namespace;
pub use public_key::{ATTESTATION_NAMESPACE, KeyError, PublicKey};
pub use signature::{NotASignature, SIGNATURE_BYTES_MAX, Signature};
pub use signers::{LineError, Signers, Unproven};
pub use signing_key::SigningKey;
