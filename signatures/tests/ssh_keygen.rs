//! The crate verifies signatures of `ssh-keygen`, and no signature that `ssh-keygen` rejects. `ssh-keygen` must be installed.

#![allow(clippy::disallowed_methods, reason = "tests start the program whose work is verified")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::process::Command;

use chrono::{DateTime, Utc};
use gatepost_signatures::{
    ATTESTATION_NAMESPACE, Namespace, NotASignature, PublicKey, Signature, Signers, SigningKey, Unproven,
};
use signature::Signer as _;
use ssh_key::private::Ed25519Keypair;
use ssh_key::public::{KeyData, SkEd25519};
use ssh_key::{Algorithm, HashAlg, LineEnding, SshSig};

const BYTES: &[u8] = b"---\nrequest_id: \"TR-20260209-160501Z-a\"\n---\n";

fn at(time: &str) -> DateTime<Utc> {
    time.parse().unwrap()
}

fn now() -> DateTime<Utc> {
    at("2026-02-09T16:10:00Z")
}

fn ssh_keygen(folder: &Path, arguments: &[&str]) -> bool {
    let run = Command::new("ssh-keygen").args(arguments).current_dir(folder).output();
    run.expect("ssh-keygen of OpenSSH is installed").status.success()
}

/// Makes a key of a type and signs with it; the signature and the line that lists the key as alice's.
fn signed(folder: &Path, kind: &[&str], namespace: &str) -> (Vec<u8>, String) {
    std::fs::write(folder.join("request.md"), BYTES).unwrap();
    let make = [&["-q", "-N", "", "-f", "key", "-t"][..], kind].concat();
    assert!(
        ssh_keygen(folder, &make) && ssh_keygen(folder, &["-Y", "sign", "-n", namespace, "-f", "key", "request.md"])
    );
    let signature = std::fs::read(folder.join("request.md.sig")).unwrap();
    (signature, format!("alice {}", std::fs::read_to_string(folder.join("key.pub")).unwrap()))
}

#[test]
fn every_kind_of_key_that_ssh_keygen_makes_approves_exactly_what_was_signed() {
    for kind in [
        &["ed25519"][..],
        &["ecdsa", "-b", "256"],
        &["ecdsa", "-b", "384"],
        &["ecdsa", "-b", "521"],
        &["rsa", "-b", "2048"],
        &["rsa", "-b", "4096"],
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (bytes, line) = signed(folder.path(), kind, "gatepost-approval");
        let (signature, signers) = (Signature::parse(&bytes).unwrap(), Signers::parse(&line).unwrap());
        assert_eq!(signers.verify(&signature, Namespace::Approval, BYTES, now()), Ok("alice"), "{kind:?}");
        for at in 0..BYTES.len() {
            let mut changed = BYTES.to_vec();
            changed[at] ^= 1;
            let refused = signers.verify(&signature, Namespace::Approval, &changed, now());
            assert_eq!(refused, Err(Unproven::OtherBytes("alice".to_owned())), "{kind:?} {at}");
            // Arithmetic with large numbers is slow without optimisation; one change shows it for those.
            if kind[0] != "ed25519" {
                break;
            }
        }
        let fingerprint = Command::new("ssh-keygen").args(["-l", "-f", "key.pub"]).current_dir(folder.path()).output();
        let shown = String::from_utf8(fingerprint.unwrap().stdout).unwrap();
        assert!(shown.contains(&signature.fingerprint()), "{shown}");
    }
}

#[test]
fn a_key_counts_for_its_person_its_namespaces_and_its_time_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, line) = signed(folder.path(), &["ed25519"], "gatepost-approval");
    let signature = Signature::parse(&bytes).unwrap();
    let key = line.strip_prefix("alice ").unwrap();
    let verify = |line: &str, at| {
        let signers = Signers::parse(line).unwrap();
        signers.verify(&signature, Namespace::Approval, BYTES, at).map(str::to_owned)
    };
    let with = |options: &str| verify(&format!("# people\n\nalice,alice@example.org {options} {key}"), now());
    assert_eq!(with(""), Ok("alice".to_owned()));
    assert_eq!(with("namespaces=\"git,gatepost-approval\""), Ok("alice".to_owned()));
    assert_eq!(with("valid-after=\"20260209Z\",valid-before=\"20260209161001Z\""), Ok("alice".to_owned()));
    assert_eq!(with("namespaces=\"git\""), Err(Unproven::NotForThis("alice".to_owned())));
    let (early, late) = (at("2026-02-09T16:11:00Z"), at("2026-02-09T16:10:00Z"));
    assert_eq!(with("valid-after=\"202602091611Z\""), Err(Unproven::NotYetValid("alice".to_owned(), early)));
    assert_eq!(with("valid-before=\"20260209161000Z\""), Err(Unproven::NoLongerValid("alice".to_owned(), late)));
    assert_eq!(verify("", now()), Err(Unproven::UnknownKey(signature.fingerprint())));
    let request =
        Signers::parse(&line).unwrap().verify(&signature, Namespace::Request, BYTES, now()).map(str::to_owned);
    assert!(matches!(request, Err(Unproven::Namespace { .. })), "{request:?}");
}

#[test]
fn what_is_no_signature_of_ours_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let (bytes, _) = signed(folder.path(), &["ed25519"], "file");
    assert_eq!(Signature::parse(&bytes).unwrap_err(), NotASignature::Namespace("file".to_owned()));
    for bytes in [&b""[..], b"x", b"-----BEGIN SSH SIGNATURE-----\n", &vec![b'-'; 20_000]] {
        assert_eq!(Signature::parse(bytes).unwrap_err(), NotASignature::Form);
    }
}

/// A signature as a hardware key makes it, with the flags that it sets; PROTOCOL.u2f.
fn of_hardware(flags: u8) -> (Signature, String, String) {
    let (seed, application) = (Ed25519Keypair::from_seed(&[7; 32]), "ssh:");
    let key = KeyData::SkEd25519(SkEd25519::new(seed.public, application));
    let message = SshSig::signed_data("gatepost-approval", HashAlg::Sha512, BYTES).unwrap();
    let state = [flags, 0, 0, 0, 9];
    let [application, message] = [application.as_bytes(), &message].map(|bytes| HashAlg::Sha256.digest(bytes));
    let made: ssh_key::Signature = seed.sign(&[&application[..], &state, &message].concat());
    let made = ssh_key::Signature::new(Algorithm::SkEd25519, [made.as_bytes(), &state].concat()).unwrap();
    let text =
        SshSig::new(key.clone(), "gatepost-approval", HashAlg::Sha512, made).unwrap().to_pem(LineEnding::LF).unwrap();
    let line = format!("alice {}", ssh_key::PublicKey::from(key).to_openssh().unwrap());
    (Signature::parse(text.as_bytes()).unwrap(), text, line)
}

#[test]
fn a_hardware_key_counts_when_it_was_touched() {
    let (touched, text, line) = of_hardware(1);
    let signers = Signers::parse(&line).unwrap();
    assert_eq!(signers.verify(&touched, Namespace::Approval, BYTES, now()), Ok("alice"));
    let (untouched, ..) = of_hardware(0);
    let refused = signers.verify(&untouched, Namespace::Approval, BYTES, now());
    assert_eq!(refused, Err(Unproven::Untouched("alice".to_owned())));
    // ssh-keygen accepts the constructed signature as one of such a key.
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("request.md", BYTES);
    write("request.md.sig", text.as_bytes());
    write("approvers", line.as_bytes());
    let verify = "ssh-keygen -Y verify -f approvers -I alice -n gatepost-approval -s request.md.sig < request.md";
    assert!(Command::new("sh").args(["-c", verify]).current_dir(folder.path()).output().unwrap().status.success());
}

#[test]
fn a_line_that_could_be_read_two_ways_is_an_error_with_its_number() {
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBVB4wX9mXeLDbYTJHVN3Ll1bKQGYGhVmXxrvHqpCnRS";
    let other = {
        let folder = tempfile::tempdir().unwrap();
        let (_, line) = signed(folder.path(), &["ed25519"], "gatepost-approval");
        line.strip_prefix("alice ").unwrap().trim().to_owned()
    };
    for (text, line, part) in [
        (format!("alice {key}\nbob {key}\n"), 2, "earlier line"),
        (format!("\n# x\n*@example.org {key}\n"), 3, "without wildcards"),
        (format!("!mallory {key}"), 1, "without wildcards"),
        (format!("alice,al {key}\nal {other}"), 2, "is \"alice\" in an earlier line"),
        (format!("alice cert-authority {key}"), 1, "Certificates"),
        (format!("alice no-touch-required {key}"), 1, "\"no-touch-required\" is not an option"),
        (format!("alice valid-before=\"20270101\" {key}"), 1, "local time"),
        (format!("alice valid-before=\"20271301Z\" {key}"), 1, "not a time"),
        (format!("alice valid-before=20270101Z {key}"), 1, "quotation marks"),
        (format!("alice namespaces=\"git {key}"), 1, "public key"),
        ("alice ssh-ed25519 AAAA".to_owned(), 1, "public key"),
        ("alice".to_owned(), 1, "public key"),
    ] {
        let error = Signers::parse(&text).unwrap_err();
        assert_eq!(error.line, line, "{text}: {error}");
        assert!(error.message.contains(part), "{text}: {error}");
    }
    let two = Signers::parse(&format!("alice {key}\nalice {other}\n")).unwrap();
    assert_eq!(two.names(Namespace::Approval, now()).len(), 1);
}

/// The answer of `ssh-keygen -Y verify` for a signature file of a gate over these bytes, under an `allowed_signers` file of its `.pub`.
fn verifies(folder: &Path, public: &str, signature: &str, bytes: &[u8]) -> bool {
    std::fs::write(folder.join("allowed"), format!("gate {public}")).unwrap();
    std::fs::write(folder.join("sums.sig"), signature).unwrap();
    std::fs::write(folder.join("sums"), bytes).unwrap();
    let verify = ["-Y", "verify", "-f", "allowed", "-I", "gate", "-n", ATTESTATION_NAMESPACE, "-s", "sums.sig"];
    let mut run = Command::new("ssh-keygen");
    run.args(verify).current_dir(folder).stdin(std::fs::File::open(folder.join("sums")).unwrap());
    run.output().unwrap().status.success()
}

#[test]
fn what_a_gate_signs_ssh_keygen_verifies_and_both_read_each_others_keys() {
    let folder = tempfile::tempdir().unwrap();
    let own = SigningKey::from_seed(&[7; 32], "gatepost").unwrap();
    std::fs::write(folder.path().join("own"), own.to_text().unwrap().as_bytes()).unwrap();
    std::fs::set_permissions(folder.path().join("own"), std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let public = Command::new("ssh-keygen").args(["-y", "-f", "own"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(String::from_utf8(public.stdout).unwrap(), own.public().to_line());
    assert!(ssh_keygen(folder.path(), &["-q", "-N", "", "-f", "theirs", "-t", "ed25519"]));
    let theirs = SigningKey::parse(&std::fs::read(folder.path().join("theirs")).unwrap()).unwrap();
    let line = std::fs::read_to_string(folder.path().join("theirs.pub")).unwrap();
    assert_eq!(theirs.public(), &PublicKey::parse(&line).unwrap());
    for key in [own, theirs] {
        let signature = key.public().signature_file(BYTES, |message| key.sign(message)).unwrap();
        let public = key.public().to_line();
        assert!(verifies(folder.path(), &public, &signature, BYTES));
        assert_eq!(PublicKey::of_signature(signature.as_bytes(), BYTES).as_ref(), Some(key.public()));
        let mut changed = BYTES.to_vec();
        changed[9] ^= 1;
        assert!(!verifies(folder.path(), &public, &signature, &changed));
        assert_eq!(PublicKey::of_signature(signature.as_bytes(), &changed), None);
    }
}

#[test]
fn a_signature_of_a_person_is_none_of_a_gate_and_a_key_of_another_kind_or_with_a_passphrase_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let (approval, _) = signed(folder.path(), &["ed25519"], "gatepost-approval");
    assert_eq!(PublicKey::of_signature(&approval, BYTES), None);
    for (name, options) in [("other", ["ecdsa", ""]), ("locked", ["ed25519", "a passphrase"])] {
        let make = ["-q", "-f", name, "-t", options[0], "-N", options[1]];
        assert!(ssh_keygen(folder.path(), &make));
        assert!(SigningKey::parse(&std::fs::read(folder.path().join(name)).unwrap()).is_err(), "{name}");
    }
}
