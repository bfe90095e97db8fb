//! What lies beside an accepted result for those who trust no gate: its attestation, a signature, and the key that made both.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gatepost_signatures::Envelope;
use serde_json::Value;

use crate::site::{Request, Site, text, until};

/// Exit status of a record that does not verify, and of a bundle that is not sound.
const AUDIT: i32 = 80;
const REJECTED: i32 = 79;
const ATTESTATION: &str = "attestation.intoto.jsonl";

fn answered(name: &str) -> (Site, PathBuf) {
    let site = Site::new().without_walls();
    let bundle = answer(&site, name);
    (site, bundle)
}

fn answer(site: &Site, name: &str) -> PathBuf {
    let request = Request::folder(name);
    site.copy_in(&request);
    site.up();
    site.result(&request.id).0
}

/// What an attestation states, whoever signed it.
fn statement(bundle: &Path) -> Value {
    let line = fs::read_to_string(bundle.join(ATTESTATION)).unwrap();
    assert_eq!((line.lines().count(), line.ends_with('\n')), (1, true));
    let envelope: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(envelope["payloadType"], "application/vnd.in-toto+json");
    serde_json::from_slice(&STANDARD.decode(envelope["payload"].as_str().unwrap()).unwrap()).unwrap()
}

/// The fingerprint of a key, as OpenSSH says it.
fn fingerprint(file: &Path) -> String {
    let listed = Command::new("ssh-keygen").arg("-lf").arg(file).output().unwrap();
    String::from_utf8(listed.stdout).unwrap().split(' ').nth(1).unwrap().to_owned()
}

/// Makes a key with `ssh-keygen`.
fn make_key(folder: &Path) -> PathBuf {
    let path = folder.join("key");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&path).status().unwrap();
    assert!(made.success());
    path
}

fn demand(site: &Site, key: &str, value: &str) {
    let demands = fs::read_to_string(site.path("gate.toml")).unwrap();
    fs::write(site.path("gate.toml"), format!("{demands}[attestation]\n{key} = \"{value}\"\n")).unwrap();
}

#[test]
fn what_is_accepted_is_attested_by_the_key_that_the_log_names_at_the_leaf_that_it_names() {
    let (site, bundle) = answered("attested");
    let key = fingerprint(&site.path("var/gate/attestation.pub"));
    assert_eq!(key, fingerprint(&site.path("var/gate/attestation.key")));
    let verified = site.gatepost(&["verify", bundle.to_str().unwrap()]).succeeds();
    let attestation = &verified["data"]["attestations"][0];
    assert_eq!((text(&attestation["key"]), &attestation["log"]["index"]), (key.clone(), &0.into()));
    assert_eq!(site.ledger()[0]["attestation_key"], key.as_str());
    let stated = statement(&bundle);
    let files = stated["subject"].as_array().unwrap();
    for file in files {
        let listed = Command::new("sha256sum").arg(bundle.join(text(&file["name"]))).output().unwrap();
        assert!(String::from_utf8(listed.stdout).unwrap().starts_with(file["digest"]["sha256"].as_str().unwrap()));
    }
    assert_eq!(files.len(), 7, "{files:?}");
    let (stated, evidence) = (&stated["predicate"], fs::read(bundle.join("evidence.json")).unwrap());
    let evidence: Value = serde_json::from_slice(&evidence).unwrap();
    for (place, key) in [("tool", "manifest_sha256"), ("request", "requested_by"), ("request", "request_sha256")] {
        assert_eq!(stated[place][key], evidence[key], "{key}");
    }
    assert_eq!((&stated["confinement"]["tool"], &stated["network"]), (&evidence["sandbox"], &evidence["network"]));
    assert_eq!((&stated["tool"]["name"], &stated["tool"]["pinned"]), (&evidence["tool"], &false.into()));
    // Outside of its site it is as good.
    let alone = site.path("..").join(bundle.file_name().unwrap());
    fs::rename(&bundle, &alone).unwrap();
    let verified = site.gatepost(&["verify", alone.to_str().unwrap()]).succeeds();
    assert_eq!(verified["data"]["attestations"][0]["key"], key.as_str());
}

#[test]
fn an_attestation_that_is_gone_changed_or_of_another_result_is_named() {
    let (site, bundle) = answered("one");
    let other = answer(&site, "other");
    let place = format!("core/inbound/{}", bundle.file_name().unwrap().to_str().unwrap());
    let named = |file: &str, kind: &str, status: i32| {
        let flaws = site.gatepost(&["audit", "verify"]).ends(AUDIT)["data"]["flaws"].take();
        let found = (text(&flaws[0]["kind"]), text(&flaws[0]["place"]), flaws.as_array().unwrap().len());
        assert_eq!(found, (kind.to_owned(), format!("{place}/{file}"), 1));
        site.gatepost(&["verify", bundle.to_str().unwrap()]).ends(status);
    };
    for (file, beside) in [(ATTESTATION, "SHA256SUMS.sig"), ("SHA256SUMS.sig", ATTESTATION)] {
        let path = bundle.join(file);
        let bytes = fs::read(&path).unwrap();
        let mut changed = bytes.clone();
        changed[99] ^= 1;
        for wrong in [changed, fs::read(other.join(file)).unwrap(), Vec::new()] {
            fs::write(&path, wrong).unwrap();
            named(file, "altered", REJECTED);
        }
        fs::remove_file(&path).unwrap();
        named(file, "missing", REJECTED);
        let aside = fs::read(bundle.join(beside)).unwrap();
        fs::remove_file(bundle.join(beside)).unwrap();
        named(ATTESTATION, "missing", AUDIT);
        fs::write(bundle.join(beside), aside).unwrap();
        fs::write(&path, bytes).unwrap();
        site.gatepost(&["audit", "verify"]).succeeds();
    }
}

#[test]
fn what_the_key_signed_is_held_against_the_files_that_lie_there() {
    let (site, bundle) = answered("any");
    let key = gatepost_mailbox::attestation_key::read(&site.path("var/gate/attestation.key")).unwrap();
    for (place, stated) in [
        ("/predicate/request/requested_by", Value::from("somebody else")),
        ("/predicate/tool/name", "other".into()),
        ("/predicate/verdict/judged_utc", "2001-01-01T00:00:00Z".into()),
        ("/predicate/confinement/tool/level", "full".into()),
    ] {
        let mut forged = statement(&bundle);
        *forged.pointer_mut(place).unwrap() = stated;
        let payload = serde_json::to_vec(&forged).unwrap();
        let sealed = Envelope::seal(&payload, "application/vnd.in-toto+json", key.public(), |bytes| key.sign(bytes));
        let path = bundle.join(ATTESTATION);
        let genuine = fs::read(&path).unwrap();
        fs::write(&path, serde_json::to_string(&sealed.unwrap()).unwrap() + "\n").unwrap();
        let outcome = site.gatepost(&["verify", bundle.to_str().unwrap()]).ends(REJECTED);
        assert!(outcome.to_string().contains("contradicts the files in this bundle"), "{place}: {outcome}");
        site.gatepost(&["audit", "verify"]).ends(AUDIT);
        fs::write(&path, genuine).unwrap();
    }
}

#[test]
fn a_release_is_attested_with_the_word_of_the_person() {
    let site = Site::new().without_walls();
    let item = site.reject_a_secret();
    site.gatepost(&["quarantine", "release", &item, "--reason", "a sample", "--override", "secret"]).succeeds();
    let stated = statement(&site.path("core/inbound").join(&item));
    assert_eq!(stated["predicate"]["verdict"]["override"]["reason"], "a sample");
    assert_eq!(stated["predicate"]["log"]["index"], 1);
    site.gatepost(&["audit", "verify"]).succeeds();
}

#[test]
fn a_key_of_the_operators_is_used_and_without_it_nothing_is_accepted() {
    let (site, folder) = (Site::new().without_walls(), tempfile::tempdir().unwrap());
    let key = make_key(folder.path());
    demand(&site, "key", key.to_str().unwrap());
    answer(&site, "first");
    assert_eq!(site.ledger()[0]["attestation_key"], fingerprint(&key).as_str());
    fs::rename(&key, folder.path().join("aside")).unwrap();
    site.copy_in(&Request::folder("second"));
    site.gatepost(&["exec", "--once"]).succeeds();
    let outcome = site.gatepost(&["gate", "--once"]).ends(1);
    assert!(text(&outcome["error"]["message"]).contains(key.to_str().unwrap()), "{outcome}");
    assert_eq!((site.names("core/inbound").len(), site.names("outbox").len()), (1, 1));
    fs::rename(folder.path().join("aside"), &key).unwrap();
    site.gatepost(&["gate", "--once"]).succeeds();
    // What another key attested before is as good as it was.
    let demands = fs::read_to_string(site.path("gate.toml")).unwrap();
    fs::write(site.path("gate.toml"), demands.split("[attestation]").next().unwrap()).unwrap();
    fs::remove_file(site.path("var/gate/attestation.pub")).unwrap();
    answer(&site, "third");
    assert_eq!(site.gatepost(&["audit", "verify"]).succeeds()["data"]["size"], 3);
    assert_ne!(site.ledger()[2]["attestation_key"], site.ledger()[1]["attestation_key"]);
}

/// An agent that holds a key, ended with this value.
struct Agent(std::process::Child);

impl Agent {
    fn start(socket: &Path, key: &Path) -> Self {
        let agent =
            Self(Command::new("ssh-agent").arg("-D").arg("-a").arg(socket).stdout(Stdio::null()).spawn().unwrap());
        until("the agent's socket", || {
            let add = Command::new("ssh-add").arg("-q").arg(key).env("SSH_AUTH_SOCK", socket).output().unwrap();
            add.status.success()
        });
        agent
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn an_agent_signs_for_a_confined_gate_and_while_it_is_gone_nothing_is_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, key) = (folder.path().join("agent"), make_key(folder.path()));
    let site = Site::new().without_walls().with_variable("SSH_AUTH_SOCK", socket.to_str().unwrap());
    let printed = fingerprint(&key);
    demand(&site, "agent", &printed);
    let agent = Agent::start(&socket, &key);
    let bundle = answer(&site, "first");
    let verified = site.gatepost(&["verify", bundle.to_str().unwrap()]).succeeds();
    assert_eq!(verified["data"]["attestations"][0]["key"], printed.as_str());
    let verdict: Value = serde_json::from_slice(&fs::read(bundle.join("verdict.json")).unwrap()).unwrap();
    assert_eq!(verdict["confinement"]["seccomp"], true);
    // Gone under a gate that runs: it says so, and decides nothing.
    let gate = site.watch("gate");
    let judged = Request::folder("second");
    site.copy_in(&judged);
    until("the gate", || fs::read_to_string(site.path("var/gate/lock")).is_ok_and(|lock| !lock.is_empty()));
    site.gatepost(&["exec", "--once"]).succeeds();
    until("the second result", || site.results(&judged.id).len() == 1);
    drop(agent);
    site.copy_in(&Request::folder("third"));
    site.gatepost(&["exec", "--once"]).succeeds();
    until("a copy of the third", || !site.names("var/gate/judging").is_empty());
    gate.signal(rustix::process::Signal::TERM);
    let said = gate.ended().stderr();
    assert!(said.contains("failed to sign with the key of") && said.contains("agent"), "{said}");
    assert_eq!((site.names("core/inbound").len(), site.names("outbox").len(), site.ledger().len()), (2, 1, 2));
    // None can be reached: the gate does not start.
    let outcome = site.gatepost(&["gate", "--once"]).ends(1);
    assert!(text(&outcome["error"]["message"]).contains("ssh-agent"), "{outcome}");
    // It holds another key: likewise.
    fs::remove_file(&socket).unwrap();
    fs::create_dir(folder.path().join("more")).unwrap();
    let other = Agent::start(&socket, &make_key(&folder.path().join("more")));
    let outcome = site.gatepost(&["gate", "--once"]).ends(1);
    assert!(text(&outcome["error"]["message"]).contains(&printed), "{outcome}");
    drop(other);
    fs::remove_file(&socket).unwrap();
    let _agent = Agent::start(&socket, &key);
    site.gatepost(&["gate", "--once"]).succeeds();
    assert_eq!(site.gatepost(&["audit", "verify"]).succeeds()["data"]["size"], 3);
}

#[test]
fn doctor_says_who_can_attest() {
    let (site, _) = answered("any");
    let of = |site: &Site| {
        let outcome: Value = serde_json::from_slice(&site.gatepost(&["doctor"]).0.stdout).unwrap();
        let findings = outcome["data"]["findings"].as_array().unwrap().clone();
        findings.into_iter().find(|finding| finding["check"] == "site.attestation_key").unwrap()
    };
    assert_eq!(of(&site)["status"], "ok");
    let public = site.path("var/gate/attestation.pub");
    let genuine = fs::read(&public).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::copy(make_key(folder.path()).with_extension("pub"), &public).unwrap();
    assert!(text(&of(&site)["found"]).contains("attestation.pub is not the key"));
    // As between the two writes of a gate that starts for the first time.
    fs::remove_file(&public).unwrap();
    assert_eq!(of(&site)["status"], "ok");
    fs::write(&public, genuine).unwrap();
    let key = site.path("var/gate/attestation.key");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    assert!(text(&of(&site)["fix_command"]).contains("chmod 600"));
    fs::remove_file(&key).unwrap();
    assert_eq!((&of(&site)["status"], &of(&site)["found"]), (&"failure".into(), &"gone".into()));
    let agent = format!("SHA256:{}", "A".repeat(43));
    demand(&site, "agent", &agent);
    assert!(text(&of(&site)["found"]).contains(&agent));
}

#[test]
fn a_copy_is_verified_anywhere_and_one_changed_byte_is_told_to_the_auditor_as_that() {
    let (site, bundle) = answered("copied");
    let elsewhere = tempfile::tempdir().unwrap();
    let copied = Command::new("cp").arg("-a").args([&bundle, &elsewhere.path().to_owned()]).status().unwrap();
    assert!(copied.success());
    let copy = elsewhere.path().join(bundle.file_name().unwrap());
    let verify = || site.gatepost(&["verify", copy.to_str().unwrap(), "-o", "table"]);
    let sound = verify();
    assert!(sound.exit() == Some(0) && sound.stdout().contains("  attested by the key SHA256:"), "{}", sound.stdout());
    let path = copy.join("artifacts/stdout.txt");
    let mut bytes = fs::read(&path).unwrap();
    bytes[0] ^= 1;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    fs::write(&path, bytes).unwrap();
    let broken = verify();
    assert_eq!(broken.exit(), Some(REJECTED));
    let told = broken.stdout() + &broken.stderr();
    assert!(
        told.contains("  the attestation does not match these files\n") && !told.contains("not attested"),
        "{told}"
    );
    assert!(told.contains("Use the original") && !told.contains("Seal"), "{told}");
}
