//! Attestations of accepted results, verified by others: `securesystemslib` and `in-toto-attestation` from `PyPI`, and `ssh-keygen`.
//!
//! ```text
//! tests/attestation_verifiers/install      installs both below /var/tmp/gatepost-attestation-verifiers-UID
//! cargo test --test attestation_verifiers
//! ```
//!
//! Not among the tests that `cargo test` runs by itself: it needs `PyPI`.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use site::{Request, Site};

#[allow(dead_code, unused_imports, reason = "other tests use the rest of it")]
mod site;

/// What in-toto's libraries say of an accepted result: the statement, or their error.
fn in_toto(bundle: &Path, public: &Path) -> Result<Value, String> {
    let user = rustix::process::getuid().as_raw();
    let python = PathBuf::from(format!("/var/tmp/gatepost-attestation-verifiers-{user}/bin/python"));
    assert!(python.exists(), "{} is missing: run tests/attestation_verifiers/install first", python.display());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/attestation_verifiers/verify.py");
    let run = Command::new(python).arg(script).args([bundle, public]).output().unwrap();
    if run.status.success() {
        return Ok(serde_json::from_slice(&run.stdout).unwrap());
    }
    Err(String::from_utf8(run.stderr).unwrap())
}

/// Whether `ssh-keygen` takes the signature beside a file for one of this key.
fn ssh_keygen(bundle: &Path, file: &str, public: &Path) -> bool {
    let allowed = bundle.parent().unwrap().join("../allowed_signers");
    fs::write(&allowed, format!("gate namespaces=\"gatepost-attestation\" {}", fs::read_to_string(public).unwrap()))
        .unwrap();
    let mut verify = Command::new("ssh-keygen");
    verify.args(["-Y", "verify", "-I", "gate", "-n", "gatepost-attestation", "-f"]).arg(allowed);
    verify.arg("-s").arg(bundle.join(format!("{file}.sig"))).stdin(fs::File::open(bundle.join(file)).unwrap());
    verify.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success()
}

/// Changes one byte of a file, lets `check` look, and puts it back.
fn with_another_byte(path: &Path, check: impl FnOnce()) {
    let bytes = fs::read(path).unwrap();
    let mut changed = bytes.clone();
    let middle = changed.len() / 2;
    changed[middle] ^= 1;
    fs::write(path, changed).unwrap();
    check();
    fs::write(path, bytes).unwrap();
}

#[test]
fn in_toto_and_ssh_keygen_take_what_the_gate_attested_and_no_other_byte() {
    let site = Site::new();
    let request = Request::folder("attested");
    site.rename_in(&request);
    site.up();
    let (bundle, public) = (site.result(&request.id).0, site.path("var/gate/attestation.pub"));
    let statement = in_toto(&bundle, &public).unwrap();
    assert_eq!(statement["predicate"]["request"]["request_id"], request.id.as_str());
    assert_eq!(statement["subject"].as_array().unwrap().len(), 7);
    assert!(ssh_keygen(&bundle, "SHA256SUMS", &public));
    for file in ["attestation.intoto.jsonl", "artifacts/stdout.txt", "evidence.json", "verdict.json"] {
        with_another_byte(&bundle.join(file), || assert!(in_toto(&bundle, &public).is_err(), "{file}"));
    }
    for file in ["SHA256SUMS", "SHA256SUMS.sig"] {
        with_another_byte(&bundle.join(file), || assert!(!ssh_keygen(&bundle, "SHA256SUMS", &public), "{file}"));
    }
    // The key of another gate.
    let other = Site::new();
    other.up();
    let stranger = other.path("var/gate/attestation.pub");
    let refused = in_toto(&bundle, &stranger).unwrap_err();
    assert!(refused.contains("VerificationError") && !ssh_keygen(&bundle, "SHA256SUMS", &stranger), "{refused}");
}

#[test]
fn a_released_result_and_a_refusal_are_attested_alike() {
    let site = Site::new();
    let item = site.reject_a_secret();
    site.gatepost(&["quarantine", "release", &item, "--reason", "a sample", "--override", "secret"]).succeeds();
    let request = Request::call("refused", "no_such_tool");
    site.copy_in(&request);
    site.up();
    let public = site.path("var/gate/attestation.pub");
    for bundle in [site.path("core/inbound").join(&item), site.result(&request.id).0] {
        in_toto(&bundle, &public).unwrap();
        assert!(ssh_keygen(&bundle, "SHA256SUMS", &public));
    }
}
