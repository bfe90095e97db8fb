//! Signatures over documents, and the trusted keys: SSH signatures of people, and attestations of a gate.
//!
//! ```text
//! bytes of a .sig file ──▶ Signature ──┐
//! text of a signers file ──▶ Signers ──┴─ verify(bytes, namespace, time) ──▶ the person's name
//! ```
//!
//! The *namespace* of a signature is its purpose: approving a request, or making one. It is not valid for another
//! purpose. Pure: files and clocks are passed in. *Security*: the bytes of a signature are hostile; a key is looked up
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
