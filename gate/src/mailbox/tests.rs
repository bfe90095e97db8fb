//! The mailbox on a site of its own.

use std::os::unix::fs::PermissionsExt;

use std::fs;

use super::original::{KEPT_PAGE, Original};
use super::workspace::COPY;
use super::*;
use crate::audit;
use gatepost_documents::attestation::ATTESTATION_FILE;
use gatepost_documents::digest::Digest;
use gatepost_documents::id::ResultId;
use gatepost_documents::reason::Code;
use gatepost_documents::verdict::{Decision, VERDICT_FILE};
use gatepost_mailbox::exchange;
use gatepost_mailbox::quarantine;
use gatepost_mailbox::site::STAGING;

/// A site whose outbox is empty, and a committed bundle whose request and manifest it knows.
struct Fixture {
    _folder: tempfile::TempDir,
    site: Site,
    name: String,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        for path in Site::FOLDERS {
            fs::create_dir_all(site.root().join(path).join(STAGING)).unwrap();
        }
        let base = base();
        let name = base.file_name().unwrap().to_str().unwrap().to_owned();
        let request = ResultId::parse(&name).unwrap().request().clone();
        exchange::note_claimed(&site, &request, Digest::of(&fs::read(base.join("request.md")).unwrap())).unwrap();
        fs::copy(base.join("manifest.clad.toml"), site.tools().join("a.clad.toml")).unwrap();
        Self { _folder: folder, site, name }
    }

    fn publish(&self, name: &str) -> PathBuf {
        let path = self.site.outbox().join(name);
        copy(&base(), &path);
        path
    }

    fn open(&self) -> Gate {
        Gate::open(&self.site, "a test").unwrap()
    }

    fn drain(&self) -> Vec<Result<Judged, Fault>> {
        let mut all = Vec::new();
        self.open().drain(DateTime::<Utc>::default, |_, judged| all.push(judged)).unwrap();
        all
    }

    fn workspace(&self, name: &str) -> PathBuf {
        let workspace = self.site.gate_judging().join(name);
        fs::create_dir(&workspace).unwrap();
        workspace
    }

    fn accepted(&self) -> PathBuf {
        self.site.core_inbound().join(&self.name)
    }
}

fn base() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/base/success");
    folder.read_dir().unwrap().next().unwrap().unwrap().path()
}

/// Copies a tree with the modes that a bundle has.
fn copy(from: &Path, to: &Path) {
    let is_folder = from.is_dir();
    if is_folder {
        fs::create_dir(to).unwrap();
        for name in names_in(from).unwrap() {
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
    fs::set_permissions(to, fs::Permissions::from_mode(if is_folder { 0o755 } else { 0o644 })).unwrap();
}

/// The names in a folder that are no dotfiles.
fn names(folder: &Path) -> Vec<String> {
    names_in(folder).unwrap().into_iter().map(|name| name.into_string().unwrap()).collect()
}

#[test]
fn a_workspace_that_holds_the_genuine_verdict_of_another_result_is_cleared() {
    let fixture = Fixture::new();
    fixture.publish(&fixture.name);
    assert_eq!(fixture.drain()[0].as_ref().unwrap().verdict.verdict, Decision::Accept);
    let verdict = fixture.accepted().join(VERDICT_FILE);
    let evil = "TS-20260209-160601Z-TR-20260209-160501Z-evil";
    for (what, at) in [("in the copy", COPY), ("in a folder of the workspace's name", evil), ("beside the copy", ".")] {
        let workspace = fixture.workspace(evil);
        copy(&base(), &workspace.join(COPY));
        fs::write(workspace.join(COPY).join("evil"), "x").unwrap();
        fs::create_dir_all(workspace.join(at)).unwrap();
        fs::copy(&verdict, workspace.join(at).join(VERDICT_FILE)).unwrap();
        fixture.drain();
        assert_eq!(names(&fixture.site.gate_judging()), [""; 0], "{what}");
        assert_eq!(names(&fixture.site.core_inbound()), [fixture.name.as_str()], "{what}");
        assert_eq!(names(&fixture.site.quarantine()), [""; 0], "{what}");
    }
}

#[test]
fn a_logged_verdict_is_carried_out_if_its_copy_is_unchanged() {
    for (changed, expected) in [(None, 1), (Some("request.md"), 0), (Some(VERDICT_FILE), 0), (Some("new"), 0)] {
        let fixture = Fixture::new();
        fixture.publish(&fixture.name);
        fixture.drain();
        // As a gate leaves it when it dies right after writing its ledger.
        let workspace = fixture.workspace(&fixture.name);
        fs::rename(fixture.accepted(), workspace.join(COPY)).unwrap();
        fs::copy(workspace.join(COPY).join(VERDICT_FILE), workspace.join(VERDICT_FILE)).unwrap();
        if let Some(changed) = changed {
            fs::write(workspace.join(COPY).join(changed), "x").unwrap();
        }
        fixture.drain();
        assert_eq!(names(&fixture.site.core_inbound()).len(), expected, "{changed:?}");
        assert_eq!(names(&fixture.site.gate_judging()), [""; 0], "{changed:?}");
    }
}

#[test]
fn what_was_decided_and_could_not_be_moved_is_moved_later_and_not_decided_again() {
    let fixture = Fixture::new();
    let gate = fixture.open();
    let drain = || gate.drain(DateTime::<Utc>::default, |_, judged| drop(judged.unwrap())).unwrap();
    fixture.publish(&fixture.name);
    drain();
    let log = fs::read(fixture.site.gate_decisions()).unwrap();
    // As a fault leaves it that prevents the move.
    let workspace = fixture.workspace(&fixture.name);
    fs::rename(fixture.accepted(), workspace.join(COPY)).unwrap();
    let verdict = fs::read(workspace.join(COPY).join(VERDICT_FILE)).unwrap();
    fs::write(workspace.join(VERDICT_FILE), &verdict).unwrap();
    fixture.publish(&fixture.name);
    drain();
    assert_eq!(fs::read(fixture.accepted().join(VERDICT_FILE)).unwrap(), verdict);
    assert_eq!(fs::read(fixture.site.gate_decisions()).unwrap(), log);
    assert_eq!((names(&fixture.site.outbox()), names(&fixture.site.gate_judging())), (vec![], vec![]));
}

#[test]
fn a_bundle_with_the_name_of_a_folder_of_a_workspace_is_judged_like_any_other() {
    for name in [quarantine::UNTOUCHED, COPY, VERDICT_FILE, quarantine::RECORD] {
        let fixture = Fixture::new();
        fixture.publish(name);
        assert_eq!(fixture.drain()[0].as_ref().unwrap().verdict.verdict, Decision::Reject, "{name}");
        assert!(fixture.site.quarantine().join(name).join("untouched").join(name).join("evidence.json").exists());
        assert_eq!((names(&fixture.site.outbox()), names(&fixture.site.gate_judging())), (vec![], vec![]), "{name}");
    }
}

#[test]
fn junk_in_the_outbox_stops_no_start_and_what_was_judged_is_swept() {
    let fixture = Fixture::new();
    let outbox = fixture.site.outbox();
    fs::write(outbox.join(STAGING).join("judged-x"), "x").unwrap();
    fs::write(outbox.join(".judged-file"), "x").unwrap();
    fs::create_dir_all(outbox.join(".judged-folder/a/b")).unwrap();
    fixture.drain();
    assert_eq!(outbox.read_dir().unwrap().count(), 1);
    fs::remove_dir_all(outbox.join(STAGING)).unwrap();
    fixture.drain();
}

#[test]
fn a_bundle_that_took_the_place_of_a_judged_one_is_put_back_and_judged_next() {
    let fixture = Fixture::new();
    let path = fixture.publish("other");
    let original = Original::find(&fixture.site.outbox(), OsStr::new("other")).unwrap();
    fs::rename(&path, fixture.site.outbox().join(".earlier")).unwrap();
    fixture.publish("other");
    original.retire().unwrap();
    assert_eq!(names(&fixture.site.outbox()), ["other"]);
    assert_eq!(fixture.drain().len(), 1);
    assert_eq!(names(&fixture.site.outbox()), [""; 0]);
}

#[test]
fn bytes_in_quarantine_under_a_numbered_name_are_not_put_there_again() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.site.quarantine().join("other")).unwrap();
    for _ in 0..2 {
        fixture.publish("other");
        let place = fixture.drain().pop().unwrap().unwrap().place;
        assert_eq!(place, fixture.site.quarantine().join("other.2"));
    }
    assert_eq!(names(&fixture.site.quarantine()), ["other", "other.2"]);
}

#[test]
fn what_can_be_neither_copied_nor_moved_is_kept_aside_once() {
    let fixture = Fixture::new();
    fixture.publish("other");
    let original = Original::find(&fixture.site.outbox(), OsStr::new("other")).unwrap();
    let workspace = fixture.workspace("other");
    fs::create_dir(workspace.join(quarantine::UNTOUCHED)).unwrap();
    copy(&base(), &workspace.join(COPY));
    original.keep(&workspace, "other").unwrap();
    assert_eq!(names(&fixture.site.outbox()), [""; 0]);
    let page = fs::read_to_string(workspace.join(KEPT_PAGE)).unwrap();
    let kept = page.split('`').find(|part| part.starts_with(".kept-")).unwrap();
    assert!(fixture.site.outbox().join(kept).join("evidence.json").exists());
    assert!(workspace.join("untouched/other/evidence.json").exists());
}

#[test]
fn a_gate_that_cannot_read_var_exec_judges_and_says_in_the_exchange_what_it_judged() {
    let fixture = Fixture::new();
    fs::remove_dir_all(fixture.site.root().join("var/exec")).unwrap();
    fs::write(fixture.site.root().join("var/exec"), "x").unwrap();
    fixture.publish(&fixture.name);
    assert_eq!(fixture.drain()[0].as_ref().unwrap().verdict.verdict, Decision::Accept);
    let announced = exchange::judged(&fixture.site).unwrap();
    assert_eq!((announced.len(), announced[0].result_id.as_str()), (1, fixture.name.as_str()));
    // The next gate repeats lost announcements.
    fs::remove_dir_all(fixture.site.exchange_judged()).unwrap();
    fs::create_dir(fixture.site.exchange_judged()).unwrap();
    fixture.drain();
    assert_eq!(exchange::judged(&fixture.site).unwrap(), announced);
}

#[test]
fn a_forged_digest_of_a_claim_lets_no_other_bytes_answer_and_none_twice() {
    let fixture = Fixture::new();
    let request = ResultId::parse(&fixture.name).unwrap().request().clone();
    exchange::note_claimed(&fixture.site, &request, Digest::of(b"another request")).unwrap();
    let path = fixture.publish(&fixture.name);
    let codes = |judged: &[Result<Judged, Fault>]| {
        judged[0].as_ref().unwrap().verdict.reasons.iter().map(|reason| reason.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(&fixture.drain()), [Code::RequestUnknown]);
    // With the right digest it is accepted; a second result for the same claim never is.
    let digest = Digest::of(&fs::read(base().join("request.md")).unwrap());
    exchange::note_claimed(&fixture.site, &request, digest).unwrap();
    assert!(!path.exists());
    fixture.publish(&fixture.name);
    assert_eq!(fixture.drain()[0].as_ref().unwrap().verdict.verdict, Decision::Accept);
    fixture.publish(&fixture.name);
    fs::write(fixture.site.outbox().join(&fixture.name).join("artifacts/stdout.txt"), "other").unwrap();
    assert_eq!(fixture.drain()[0].as_ref().unwrap().verdict.verdict, Decision::Reject);
    assert_eq!(names(&fixture.site.core_inbound()), [fixture.name.as_str()]);
}

/// The files beside an accepted result, and the leaf and key of its attestation.
fn attested(fixture: &Fixture) -> (Vec<u8>, Vec<u8>, u64, String) {
    let read = |file| fs::read(fixture.accepted().join(file)).unwrap();
    let found = audit::accepted(&fixture.site.core_inbound(), OsStr::new(&fixture.name)).unwrap();
    let attested = found.attested.unwrap().unwrap();
    (read(ATTESTATION_FILE), read("SHA256SUMS.sig"), attested.log.index, attested.key.fingerprint())
}

#[test]
fn a_gate_that_died_after_the_leaf_is_followed_by_one_that_makes_the_same_attestation() {
    let fixture = Fixture::new();
    fixture.publish(&fixture.name);
    fixture.drain();
    let (made, log) = (attested(&fixture), fs::read(fixture.site.gate_decisions()).unwrap());
    for torn in [None, Some(&b"{\"payl"[..]), Some(b"")] {
        let workspace = fixture.workspace(&fixture.name);
        fs::rename(fixture.accepted(), workspace.join(COPY)).unwrap();
        fs::copy(workspace.join(COPY).join(VERDICT_FILE), workspace.join(VERDICT_FILE)).unwrap();
        let attestation = workspace.join(COPY).join(ATTESTATION_FILE);
        fs::remove_file(&attestation).unwrap();
        if let Some(torn) = torn {
            fs::write(&attestation, torn).unwrap();
        }
        fixture.drain();
        assert_eq!(attested(&fixture), made);
        assert_eq!(fs::read(fixture.site.gate_decisions()).unwrap(), log, "it is not logged again");
    }
}

#[test]
fn what_one_key_was_to_attest_and_another_does_is_logged_with_that() {
    let fixture = Fixture::new();
    fixture.publish(&fixture.name);
    fixture.drain();
    let (_, _, first, key) = attested(&fixture);
    let workspace = fixture.workspace(&fixture.name);
    fs::rename(fixture.accepted(), workspace.join(COPY)).unwrap();
    fs::copy(workspace.join(COPY).join(VERDICT_FILE), workspace.join(VERDICT_FILE)).unwrap();
    fs::remove_file(fixture.site.gate_attestation_key()).unwrap();
    fs::remove_file(fixture.site.gate_attestation_public_key()).unwrap();
    fixture.drain();
    let (_, _, second, other) = attested(&fixture);
    assert_eq!((first, second, key == other), (0, 1, false));
    let lines = fs::read_to_string(fixture.site.gate_decisions()).unwrap();
    assert!(lines.lines().zip([key, other]).all(|(line, key)| line.contains(&key)), "{lines}");
}

#[test]
fn a_gate_without_its_key_does_not_open_and_what_waits_stays() {
    let fixture = Fixture::new();
    fixture.publish(&fixture.name);
    fixture.drain();
    fs::remove_dir_all(fixture.accepted()).unwrap();
    fs::remove_file(fixture.site.gate_attestation_key()).unwrap();
    fixture.publish(&fixture.name);
    let error = Gate::open(&fixture.site, "test").unwrap_err().to_string();
    assert!(error.contains("attestation.key") && error.contains("restore it"), "{error}");
    assert_eq!(names(&fixture.site.outbox()), [fixture.name.as_str()]);
}
