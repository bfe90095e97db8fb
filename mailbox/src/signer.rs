//! The signer of attestations for a site: a key file, or an ssh-agent with the key. Opened before the gate confines itself, because it
//! can then open neither the file nor a new connection.
//!
//! *Security*: the agent's answers are bounded, and waited for no longer than a limit; a connection is not used again after an error,
//! because its next answer could belong to another request.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use gatepost_signatures::{PublicKey, SigningKey, agent};

use crate::attestation_key;
use crate::fault::{Fault, OnPath};
use crate::site::Site;

/// The variable with the agent's socket.
const SOCKET: &str = "SSH_AUTH_SOCK";
/// The timeout for one answer of an agent.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Signs the results that the gate accepts.
#[derive(Debug)]
pub struct Signer {
    key: PublicKey,
    /// The file of the key, or the agent's socket.
    place: PathBuf,
    holder: Holder,
}

#[derive(Debug)]
#[allow(clippy::large_enum_variant, reason = "made once a process")]
enum Holder {
    File(SigningKey),
    Agent(Agent),
}

impl Signer {
    /// Opens the key in a file, or, if a fingerprint is given, the agent's key with that fingerprint; writes down its
    /// public key.
    pub fn open(site: &Site, file: &Path, fingerprint: &str) -> Result<Self, Fault> {
        let signer = if fingerprint.is_empty() {
            let key = attestation_key::open(site, file)?;
            let place = site.root().join(file);
            Self { key: key.public().clone(), place, holder: Holder::File(key) }
        } else {
            let place = std::env::var_os(SOCKET).map_or_else(|| PathBuf::from(SOCKET), PathBuf::from);
            let (key, agent) = Agent::connect(&place, fingerprint).on("have the ssh-agent attest at", &place)?;
            Self { key, place, holder: Holder::Agent(agent) }
        };
        attestation_key::publish(site, &signer.key)?;
        Ok(signer)
    }

    /// The public key of its signatures.
    pub fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Where the key is: its file, or the agent's socket.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// The bare signature over a message.
    pub fn sign(&self, message: &[u8]) -> io::Result<[u8; 64]> {
        match &self.holder {
            Holder::File(key) => key.sign(message).map_err(io::Error::other),
            Holder::Agent(agent) => agent.sign(&self.key, message),
        }
    }
}

/// A connection to an agent; none once something went wrong on it.
#[derive(Debug)]
struct Agent(Mutex<Option<File>>);

impl Agent {
    /// Connects to the agent at a socket, which must hold the key with this fingerprint.
    fn connect(socket: &Path, fingerprint: &str) -> io::Result<(PublicKey, Self)> {
        if socket == Path::new(SOCKET) {
            return Err(io::Error::other(
                "the environment does not say where it listens; start the gate with that variable",
            ));
        }
        let stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        stream.set_write_timeout(Some(TIMEOUT))?;
        // As a file it is read and written by the very calls that a confined gate has left.
        let agent = Self(Mutex::new(Some(File::from(OwnedFd::from(stream)))));
        let keys = agent.ask(&agent::ask_for_keys(), agent::read_keys)?;
        let key = keys.into_iter().find(|key| key.fingerprint() == fingerprint);
        let missing = || io::Error::other(format!("it holds no Ed25519 key {fingerprint}; add it with ssh-add"));
        Ok((key.ok_or_else(missing)?, agent))
    }

    fn sign(&self, key: &PublicKey, message: &[u8]) -> io::Result<[u8; 64]> {
        let signature = self.ask(&agent::ask_for_signature(key, message), agent::read_signature)?;
        let wrong = || io::Error::other("its answer is not a signature by that key");
        key.has_signed(message, &signature).then_some(signature).ok_or_else(wrong)
    }

    fn ask<T>(&self, question: &[u8], read: impl FnOnce(&[u8]) -> Option<T>) -> io::Result<T> {
        let mut connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lost = || io::Error::other("the connection to it is lost; start the gate again");
        let mut file = connection.take().ok_or_else(lost)?;
        let answer = exchange(&mut file, question)?;
        *connection = Some(file);
        read(&answer).ok_or_else(|| io::Error::other("it refuses; check whether it is locked and still has the key"))
    }
}

/// Asks and reads the answer, which has to be there in time, however many pieces it comes in.
fn exchange(file: &mut File, question: &[u8]) -> io::Result<Vec<u8>> {
    file.write_all(question)?;
    let (asked, mut length) = (Instant::now(), [0; 4]);
    read_by(asked + TIMEOUT, file, &mut length)?;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    if length > agent::ANSWER_BYTES_MAX {
        return Err(io::Error::other("its answer is longer than the limit for an agent"));
    }
    let mut answer = vec![0; length];
    read_by(asked + TIMEOUT, file, &mut answer)?;
    Ok(answer)
}

fn read_by(deadline: Instant, file: &mut File, mut buffer: &mut [u8]) -> io::Result<()> {
    while !buffer.is_empty() {
        let count = file.read(buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if Instant::now() > deadline {
            return Err(io::ErrorKind::TimedOut.into());
        }
        buffer = &mut buffer[count..];
    }
    Ok(())
}
