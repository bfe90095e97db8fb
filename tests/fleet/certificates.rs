//! An authority of the tests' own, and certificates of it for servers, the home and nodes.

use std::fs;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

/// Writes `ca.pem`, and `server`, `home` and `node`, each as `.pem` and `.key`.
pub(crate) fn write(folder: &Path) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    fs::write(folder.join("ca.pem"), authority.pem()).unwrap();
    for name in ["server", "home", "node"] {
        let mut parameters = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        parameters.distinguished_name.push(DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, &authority).unwrap();
        fs::write(folder.join(format!("{name}.pem")), certificate.pem()).unwrap();
        fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
}
