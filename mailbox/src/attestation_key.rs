//! The gate's attestation key: a file that the gate creates if it is missing.
//!
//! ```text
//! var/gate/attestation.key     the private key, 0600          as `ssh-keygen -t ed25519` writes both
//! var/gate/attestation.pub     the public key of whichever key signs: the gate writes it when it starts
//! ```
//!
//! If the key is missing after the gate attested with it, that is a fault; the gate never makes a new one silently.
//! *Commit point*: the private key is synced under its name before the public one is written.

use std::io;
use std::path::Path;

use gatepost_signatures::{PublicKey, SigningKey};

use crate::durable;
use crate::fault::{Fault, OnPath};
use crate::regular_file::{self, DOCUMENT_MAX_BYTES};
use crate::site::Site;

/// Reads the key at a path, relative to the site; at the path of the default it is made if the gate has never attested.
pub fn open(site: &Site, path: &Path) -> Result<SigningKey, Fault> {
    let path = site.root().join(path);
    match read(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && path == site.gate_attestation_key() => make(site),
        read => read.on("read the key that attests from", &path),
    }
}

/// Reads the key in a file.
pub fn read(path: &Path) -> io::Result<SigningKey> {
    SigningKey::parse(&regular_file::read(path, DOCUMENT_MAX_BYTES)?).map_err(io::Error::other)
}

fn make(site: &Site) -> Result<SigningKey, Fault> {
    let (path, public) = (site.gate_attestation_key(), site.gate_attestation_public_key());
    if public.symlink_metadata().is_ok() {
        let error = io::Error::other(
            "it is missing, but var/gate/attestation.pub exists; restore it from a backup, or move that file aside to begin anew",
        );
        return Err(error).on("read the key that attests from", &path);
    }
    generate(&path)
}

/// Creates a key in a file that must not exist, readable by its owner only.
pub fn generate(path: &Path) -> Result<SigningKey, Fault> {
    let mut seed = [0; 32];
    rustix::rand::getrandom(&mut seed, rustix::rand::GetRandomFlags::empty())
        .map_err(io::Error::from)
        .on("draw random bytes for", path)?;
    let key = SigningKey::from_seed(&seed, "gatepost").map_err(io::Error::other).on("make", path)?;
    let text = key.to_text().map_err(io::Error::other).on("make", path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let staged = path.with_file_name(format!(".{name}"));
    durable::remove_tree(&staged)?;
    durable::write_secret(&staged, text.as_bytes())?;
    durable::move_new(&staged, path)?;
    Ok(key)
}

/// Writes the key that verifies, if the file does not have it.
pub fn publish(site: &Site, key: &PublicKey) -> Result<(), Fault> {
    let (path, line) = (site.gate_attestation_public_key(), key.to_line());
    match regular_file::read(&path, DOCUMENT_MAX_BYTES) {
        Ok(found) if found == line.as_bytes() => Ok(()),
        _ => durable::replace(&path, line.as_bytes()),
    }
}

/// The public key for the site's present attestations.
pub fn public(site: &Site) -> Result<PublicKey, Fault> {
    let path = site.gate_attestation_public_key();
    let bytes = regular_file::read(&path, DOCUMENT_MAX_BYTES).on("read", &path)?;
    PublicKey::parse(&String::from_utf8_lossy(&bytes)).map_err(io::Error::other).on("read", &path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn site() -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        fs::create_dir_all(site.gate_log()).unwrap();
        (folder, site)
    }

    #[test]
    fn a_key_is_made_once_for_its_owner_alone_and_never_again_in_silence() {
        let (_folder, site) = site();
        let path = site.gate_attestation_key();
        let key = open(&site, &path).unwrap();
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        // Killed before the public key was written: the same is read again.
        assert_eq!(open(&site, &path).unwrap().public(), key.public());
        publish(&site, key.public()).unwrap();
        assert_eq!(public(&site).unwrap(), *key.public());
        fs::remove_file(&path).unwrap();
        let fault = open(&site, &path).unwrap_err().to_string();
        assert!(fault.contains("restore it"), "{fault}");
        fs::remove_file(site.gate_attestation_public_key()).unwrap();
        assert_ne!(open(&site, &path).unwrap().public(), key.public());
    }

    #[test]
    fn another_key_is_read_and_never_made() {
        let (_folder, site) = site();
        let key = SigningKey::from_seed(&[7; 32], "another").unwrap();
        assert!(open(&site, "another".as_ref()).is_err());
        fs::write(site.root().join("another"), key.to_text().unwrap().as_bytes()).unwrap();
        assert_eq!(open(&site, "another".as_ref()).unwrap().public(), key.public());
        fs::write(site.root().join("another"), "not a key").unwrap();
        assert!(open(&site, "another".as_ref()).unwrap_err().to_string().contains("not an Ed25519 key"));
    }
}
