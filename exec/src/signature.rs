//! The signature of a manifest's vendor, where the operator pinned the vendor's key.
//!
//! ```text
//! keys/schemapin/NAME.pem                     the public key (ECDSA over P-256, SPKI in PEM): its vendor must sign manifests
//! tools/….clad.toml.schemapin.sig             Base64 of the signature over the SHA-256 digest of the manifest's bytes
//! ```
//!
//! Keys are not fetched and not trusted on first use: they are the operator's. *Security*: reads a vendor's files; both are
//! small, regular and bounded. *Standards*: SchemaPin 1.3; ToolClad, SchemaPin integration (the manifest is signed as it is).

use std::io;
use std::path::{Path, PathBuf};

use gatepost_documents::reason::{Code, Reason};
use gatepost_mailbox::fault::{Fault, OnPath, is_passing};
use gatepost_mailbox::regular_file;
use gatepost_mailbox::site::Site;
use schemapin::crypto::verify_signature;

use crate::toolbox::Tool;

const FILE_BYTES_MAX: u64 = 16 * 1024;

/// Why a tool may not be called, if its vendor's key is pinned and did not sign the present manifest.
pub fn refusal(site: &Site, tool: &Tool) -> Result<Option<Reason>, Fault> {
    let key_path = site.keys().join("schemapin").join(format!("{}.pem", tool.manifest.name()));
    let key = match text(&key_path)? {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        key => key,
    };
    let mut path = tool.path.clone().into_os_string();
    path.push(".schemapin.sig");
    let path = PathBuf::from(path);
    let fault = match (key, text(&path)?) {
        (Err(error), _) => format!("the key cannot be read: {error}"),
        (_, Err(error)) => format!("the signature cannot be read: {error}"),
        (Ok(key), Ok(signature)) => match verify_signature(&key, tool.sha256.as_bytes(), signature.trim_ascii()) {
            Ok(true) => return Ok(None),
            Ok(false) => "it was made by another key or over other bytes".to_owned(),
            Err(error) => format!("the key or the signature does not have the form of SchemaPin: {error}"),
        },
    };
    let shown = |path: &Path| path.strip_prefix(site.root()).unwrap_or(path).display().to_string();
    let message = format!("The signature {} does not fit {}: {fault}.", shown(&path), shown(&key_path));
    let hint = "Ask the operator to get the manifest and its signature from the vendor again, or to look at the key.";
    Ok(Some(Reason::new(Code::ManifestSignatureInvalid, message, hint)))
}

fn text(path: &Path) -> Result<io::Result<String>, Fault> {
    match regular_file::read(path, FILE_BYTES_MAX) {
        Err(error) if is_passing(&error) => Err(error).on("read", path),
        read => Ok(read.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other))),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use schemapin::crypto::{generate_key_pair, sign_data};

    use super::*;
    use crate::toolbox::Toolbox;
    use gatepost_contract::manifest;

    #[test]
    fn a_manifest_whose_vendor_is_known_is_taken_with_that_vendors_signature_alone() {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        fs::create_dir_all(site.tools()).unwrap();
        fs::create_dir_all(site.keys().join("schemapin")).unwrap();
        fs::write(site.tools().join("t.clad.toml"), manifest::starter("t")).unwrap();
        let tool = Toolbox::at(&site).find("t").unwrap();
        let code = || refusal(&site, &tool).unwrap().map(|reason| (reason.code, reason.message));
        let refused_for = |part: &str| {
            let (code, message) = code().unwrap();
            assert!(code == Code::ManifestSignatureInvalid && message.contains(part), "{message}");
        };
        assert_eq!(code(), None, "no key is pinned");
        let [vendor, other] = [(); 2].map(|()| generate_key_pair().unwrap());
        let key = site.keys().join("schemapin/t.pem");
        fs::write(&key, &vendor.public_key_pem).unwrap();
        refused_for("the signature cannot be read");
        let signature = site.tools().join("t.clad.toml.schemapin.sig");
        let sign = |pair: &str, bytes: &[u8]| fs::write(&signature, sign_data(pair, bytes).unwrap() + "\n").unwrap();
        sign(&vendor.private_key_pem, tool.sha256.as_bytes());
        assert_eq!(code(), None);
        sign(&other.private_key_pem, tool.sha256.as_bytes());
        refused_for("another key");
        sign(&vendor.private_key_pem, b"other bytes");
        refused_for("other bytes");
        for broken in ["", "not base64!", "AAAA"] {
            fs::write(&signature, broken).unwrap();
            refused_for("not have the form");
        }
        fs::write(&key, "not a key").unwrap();
        refused_for("not have the form");
    }
}
