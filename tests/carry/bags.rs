//! Across the gap: what `export` puts on a stick, what `import` takes from one, and sticks that are pulled, broken or hostile.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use gatepost_documents::digest::Digest;
use gatepost_mailbox::lock::Lock;
use serde_json::Value;

use crate::keep::crash::command_with_fault;
use crate::site::{Request, Site, text};

/// Exit statuses of a bag that is refused, and of what is there already.
const REFUSED: i32 = 79;
const CONFLICT: i32 = 6;

pub(crate) fn stick(site: &Site, name: &str) -> String {
    site.path("..").join(name).to_str().unwrap().to_owned()
}

/// A site with two requests that nobody serves, and the bag of both.
fn requested() -> (Site, [Request; 2], PathBuf) {
    let site = Site::steady();
    let requests = [Request::folder("folder"), Request::file("file")];
    for request in &requests {
        site.rename_in(request);
    }
    let bag = stick(&site, "requests");
    let exported = site.gatepost(&["export", "--requests", &requests[0].id, &requests[1].id, "--out", &bag]).succeeds();
    assert_eq!((&exported["data"]["effect"], &exported["data"]["files"]), (&"created".into(), &3.into()));
    (site, requests, bag.into())
}

/// A site that accepted a result, and the bag of it.
pub(crate) fn answered() -> (Site, PathBuf) {
    let site = Site::steady();
    site.rename_in(&Request::folder("answered"));
    site.up();
    let bag = stick(&site, "results");
    site.gatepost(&["export", "--since", "1d", "--out", &bag]).succeeds();
    (site, bag.into())
}

fn import(site: &Site, bag: &Path) -> Value {
    site.gatepost(&["import", bag.to_str().unwrap()]).succeeds()
}

fn effects(outcome: &Value) -> Vec<String> {
    outcome["data"]["requests"].as_array().unwrap().iter().map(|one| text(&one["effect"])).collect()
}

/// Every file below a folder, by its path, with its bytes.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let walk = walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().map(Result::unwrap);
    let files = walk.filter(|entry| entry.file_type().is_file()).map(walkdir::DirEntry::into_path);
    files
        .map(|path| (path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()))
        .collect()
}

pub(crate) fn copied(bag: &Path) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("bag");
    assert!(Command::new("cp").arg("-a").args([bag, &copy]).status().unwrap().success());
    (folder, copy)
}

/// Writes the tag manifest anew, as whoever changes a bag on purpose would.
pub(crate) fn retag(bag: &Path) {
    let tags = ["bag-info.txt", "bagit.txt", "manifest-sha256.txt"];
    let line = |name: &str| format!("{}  {name}\n", Digest::of(&fs::read(bag.join(name)).unwrap()));
    fs::write(bag.join("tagmanifest-sha256.txt"), tags.map(line).concat()).unwrap();
}

#[test]
fn requests_cross_the_gap_and_are_answered_on_the_other_side() {
    let (_site, requests, bag) = requested();
    let other = Site::steady();
    let rehearsed = other.gatepost(&["import", "--dry-run", bag.to_str().unwrap()]).succeeds();
    assert_eq!((effects(&rehearsed), other.names("inbox")), (vec!["would_create".to_owned(); 2], vec![]));
    assert_eq!(effects(&import(&other, &bag)), ["created", "created"]);
    assert_eq!(effects(&import(&other, &bag)), ["noop", "noop"]);
    other.up();
    other.is_at_rest();
    for request in &requests {
        assert_eq!(other.result(&request.id).code(), "");
    }
    assert_eq!(effects(&import(&other, &bag)), ["noop", "noop"]);
    other.is_at_rest();
}

#[test]
fn an_input_of_any_name_crosses_the_gap_under_its_encoded_one() {
    let (site, other) = (Site::steady(), Site::steady());
    let file = site.path("Größe (neu).txt");
    fs::write(&file, "one\ntwo\n").unwrap();
    let argument = format!("file=@{}", file.display());
    let dropped = site.gatepost(&["submit", "--tool", "line_count", "--arg", &argument]).succeeds();
    let (id, bag) = (text(&dropped["data"]["request_id"]), stick(&site, "named"));
    site.gatepost(&["export", "--requests", &id, "--out", &bag]).succeeds();
    assert_eq!(effects(&import(&other, Path::new(&bag))), ["created"]);
    other.up();
    let bundle = other.result(&id);
    assert_eq!(bundle.read("artifacts/stdout.txt"), "2 in/Gr%C3%B6%C3%9Fe%20%28neu%29.txt\n");
}

#[test]
fn a_result_goes_as_it_lies_with_proof_checkpoint_and_commands_that_verify_it() {
    let (site, bag) = answered();
    let [name] = site.names("core/inbound").try_into().unwrap();
    assert_eq!(files(&bag.join("data/results").join(&name)), files(&site.path("core/inbound").join(&name)));
    let guide = fs::read_to_string(bag.join("VERIFY.md")).unwrap();
    let blocks: Vec<&str> = guide.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 5);
    let key = text(&site.gatepost(&["audit", "checkpoint"]).succeeds()["data"]["verifier_key"]);
    let run = |bag: &Path, key: &str| {
        let script = blocks.concat().replace("KEY='the line that you got'", "");
        let output = Command::new("bash").args(["-ec", &script]).current_dir(bag).env("KEY", key).output().unwrap();
        (
            output.status.success(),
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (holds, said) = run(&bag, &key);
    assert!(holds && said.contains(&format!("{name} is decision 0 of the log")), "{said}");
    assert!(!run(&bag, &key.replace("+A", "+B")).0);
    // Whoever changes a bag on purpose makes its manifests anew.
    let (_folder, copy) = copied(&bag);
    let path = format!("data/proofs/{name}.json");
    let proof = fs::read_to_string(copy.join(&path)).unwrap();
    let manifest = fs::read_to_string(copy.join("manifest-sha256.txt")).unwrap();
    let forged = proof.replace("judged_utc\\\":\\\"2", "judged_utc\\\":\\\"3");
    assert_ne!(forged, proof);
    fs::write(copy.join(&path), &forged).unwrap();
    let digest = |text: &str| Digest::of(text.as_bytes()).to_string();
    fs::write(copy.join("manifest-sha256.txt"), manifest.replace(&digest(&proof), &digest(&forged))).unwrap();
    retag(&copy);
    let (holds, said) = run(&copy, &key);
    assert!(!holds && said.contains("the log does not hold the decision"), "{said}");
}

#[test]
fn what_is_there_already_is_not_written_over_and_what_is_not_there_is_named() {
    let (site, bag) = answered();
    let bag = bag.to_str().unwrap();
    site.gatepost(&["export", "--since", "1d", "--out", bag]).ends(CONFLICT);
    let [name] = site.names("core/inbound").try_into().unwrap();
    let request = name.split_once("-TR-").unwrap().1;
    let again = stick(&site, "again");
    site.gatepost(&["export", "--requests", &format!("TR-{request}"), "--out", &again]).ends(CONFLICT);
    site.gatepost(&["export", "TR-20200101-000000Z-none", "--out", &again]).ends(5);
    site.gatepost(&["export", "--since", "0s", "--out", &again]).ends(5);
    site.gatepost(&["export", "--dry-run", &name, "--out", &again]).succeeds();
    assert!(!Path::new(&again).exists());
    site.gatepost(&["export", &format!("TR-{request}"), "--out", &again]).succeeds();
    // What is not what the gate accepted has no proof.
    fs::write(site.path("core/inbound").join(&name).join("evidence.json"), "{}").unwrap();
    let outcome = site.gatepost(&["export", &name, "--out", &stick(&site, "altered")]).ends(80);
    assert_eq!(outcome["error"]["code"], "AUDIT_LOG_INVALID");
}

/// What somebody does to a bag on the way.
type Change = fn(&Path);

/// The manifest with one more line that names the first file under another name.
fn listed_too(bag: &Path, name: &str) {
    let manifest = fs::read_to_string(bag.join("manifest-sha256.txt")).unwrap();
    let digest = manifest.split_once(' ').unwrap().0.to_owned();
    fs::write(bag.join("manifest-sha256.txt"), format!("{manifest}{digest}  {name}\n")).unwrap();
    retag(bag);
}

fn first_file(bag: &Path) -> PathBuf {
    let manifest = fs::read_to_string(bag.join("manifest-sha256.txt")).unwrap();
    bag.join(manifest.lines().next().unwrap().split_once("  ").unwrap().1)
}

#[test]
fn a_bag_that_is_not_what_its_manifests_say_is_refused_whole_with_place_and_what_to_do() {
    let (_site, requests, bag) = requested();
    let changes: &[(&str, Change, &str)] = &[
        ("missing", |bag| fs::remove_file(first_file(bag)).unwrap(), "file_missing"),
        ("extra", |bag| fs::write(bag.join("data/requests/extra"), "x").unwrap(), "file_unlisted"),
        ("renamed", |bag| fs::rename(first_file(bag), first_file(bag).with_extension("txt")).unwrap(), "file_unlisted"),
        ("changed", |bag| fs::write(first_file(bag), "x").unwrap(), "hash_mismatch"),
        ("fetch", |bag| fs::write(bag.join("fetch.txt"), "https://example.org 1 data/x\n").unwrap(), "file_unlisted"),
        ("dots", |bag| listed_too(bag, "data/../x"), "path_escapes"),
        ("absolute", |bag| listed_too(bag, "/etc/passwd"), "path_escapes"),
        ("composed", |bag| listed_too(bag, "data/na\u{ef}ve"), "name_hostile"),
        ("decomposed", |bag| listed_too(bag, "data/nai\u{308}ve"), "name_hostile"),
        ("encoded", |bag| listed_too(bag, "data/%72equests/x"), "name_invalid"),
        ("not payload", |bag| listed_too(bag, "bag-info.txt"), "file_unlisted"),
        (
            "twice",
            |bag| {
                let name = first_file(bag).strip_prefix(bag).unwrap().to_str().unwrap().to_owned();
                listed_too(bag, &name);
            },
            "value_invalid",
        ),
        (
            "link",
            |bag| {
                fs::rename(first_file(bag), bag.join("../aside")).unwrap();
                symlink("../../../../aside", first_file(bag)).unwrap();
            },
            "symlink",
        ),
        (
            "linked folder",
            |bag| {
                fs::rename(bag.join("data"), bag.join("../aside-data")).unwrap();
                symlink("../aside-data", bag.join("data")).unwrap();
            },
            "symlink",
        ),
        ("hard link", |bag| fs::hard_link(first_file(bag), bag.join("../second")).unwrap(), "hardlink"),
        (
            "other algorithm",
            |bag| fs::rename(bag.join("manifest-sha256.txt"), bag.join("manifest-md5.txt")).unwrap(),
            "file_missing",
        ),
        ("no declaration", |bag| fs::remove_file(bag.join("bagit.txt")).unwrap(), "file_missing"),
        (
            "other version",
            |bag| {
                fs::write(bag.join("bagit.txt"), "BagIt-Version: 9.0\nTag-File-Character-Encoding: UTF-8\n").unwrap();
                retag(bag);
            },
            "value_invalid",
        ),
        ("other tag file", |bag| fs::write(bag.join("bag-info.txt"), "x").unwrap(), "hash_mismatch"),
    ];
    let other = Site::steady();
    for (what, change, code) in changes {
        let (_folder, copy) = copied(&bag);
        change(&copy);
        let outcome = other.gatepost(&["import", copy.to_str().unwrap()]).ends(REFUSED);
        let reasons = outcome["error"]["errors"].as_array().unwrap();
        let told = |reason: &&Value| {
            reason["code"] == *code && reason["file"].is_string() && !text(&reason["hint"]).is_empty()
        };
        assert!(reasons.iter().any(|reason| told(&reason)), "{what}: {outcome:#}");
        assert_eq!(other.names("inbox"), [""; 0], "{what}");
    }
    // One id with other bytes refuses the whole bag, too.
    fs::write(other.path("inbox").join(format!("{}.md", requests[0].id)), "other").unwrap();
    other.gatepost(&["import", bag.to_str().unwrap()]).ends(CONFLICT);
    assert_eq!(other.names("inbox").len(), 1);
}

#[test]
fn every_byte_of_a_bag_counts() {
    let (_site, _, bag) = requested();
    let other = Site::steady();
    for (path, bytes) in files(&bag) {
        for at in [0, bytes.len() / 2, bytes.len() - 1] {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            fs::write(bag.join(&path), &changed).unwrap();
            other.gatepost(&["import", bag.to_str().unwrap()]).ends(REFUSED);
        }
        fs::write(bag.join(&path), &bytes).unwrap();
    }
    assert_eq!(other.names("inbox"), [""; 0]);
    import(&other, &bag);
}

/// The calls by which a bag changes a disk.
pub(crate) const CALLS: [&str; 6] = ["fsync", "renameat2", "unlink,unlinkat", "mkdir,mkdirat", "write", "openat"];

#[test]
fn an_import_writes_through_nothing_that_others_laid_down() {
    let (_site, [request, _], bag) = requested();
    let (other, folder) = (Site::steady(), tempfile::tempdir().unwrap());
    // Where the copy is going to lie follows from the manifest, which others know.
    let digest = Digest::of(&fs::read(bag.join("manifest-sha256.txt")).unwrap()).to_string();
    let staging = other.path("inbox/.tmp").join(format!(".import-{}", &digest[..16]));
    let within = staging.join("data/requests").join(&request.id);
    fs::create_dir_all(&within).unwrap();
    fs::set_permissions(&staging, fs::Permissions::from_mode(0o777)).unwrap();
    symlink(folder.path(), within.join("in")).unwrap();
    // Another name is taken then, so that nobody hinders an import.
    assert_eq!(effects(&import(&other, &bag)), ["created", "created"]);
    let third = Site::steady();
    symlink(folder.path(), third.path("inbox/.tmp").join(staging.file_name().unwrap())).unwrap();
    assert_eq!(effects(&import(&third, &bag)), ["created", "created"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn an_export_takes_no_folder_that_it_did_not_make_and_shares_none() {
    let (site, requests, _) = requested();
    let bag = stick(&site, "again");
    let part = PathBuf::from(bag.clone() + ".part");
    let export = || site.gatepost(&["export", "--requests", &requests[0].id, "--out", &bag]);
    fs::create_dir(&part).unwrap();
    fs::write(part.join("holiday.jpg"), "a picture").unwrap();
    let refused = export().ends(1);
    assert!(text(&refused["error"]["message"]).contains("no export created it"), "{refused}");
    assert_eq!(fs::read(part.join("holiday.jpg")).unwrap(), b"a picture");
    fs::remove_file(part.join("holiday.jpg")).unwrap();
    let held = Lock::folder(&part).unwrap();
    assert_eq!(export().ends(12)["error"]["code"], "LOCK_HELD");
    drop(held);
    let elsewhere = tempfile::tempdir().unwrap();
    fs::remove_dir(&part).unwrap();
    symlink(elsewhere.path(), &part).unwrap();
    export().ends(1);
    fs::remove_file(&part).unwrap();
    export().succeeds();
}

#[test]
fn what_the_other_side_would_refuse_is_not_exported() {
    let site = Site::steady();
    let request = Request::folder("odd");
    site.rename_in(&request);
    fs::write(site.path("inbox").join(&request.id).join("README"), "read me").unwrap();
    let refused = site.gatepost(&["export", "--requests", &request.id, "--out", &stick(&site, "odd")]).ends(1);
    assert!(refused.to_string().contains("README"), "{refused}");
}

pub(crate) fn was_killed(site: &Site) -> bool {
    fs::read_to_string(site.path("trace")).unwrap().contains("killed by SIGKILL")
}

#[test]
fn an_import_that_is_killed_at_any_call_is_finished_by_the_next() {
    let (_site, requests, bag) = requested();
    let fresh = Site::steady();
    for calls in CALLS {
        let step = if calls == "openat" { 13 } else { 1 };
        let mut kills = 0;
        for nth in (1..).step_by(step) {
            let site = fresh.fork();
            command_with_fault(&site, &["import", bag.to_str().unwrap()], calls, nth, "signal=SIGKILL");
            let killed = was_killed(&site);
            import(&site, &bag);
            let mut ids = requests.iter().map(|request| request.id.clone()).collect::<Vec<_>>();
            ids.sort();
            assert_eq!(site.names("inbox"), ids, "killed at {calls} {nth}");
            let dropped = files(&site.path("inbox")).iter().filter(|(path, _)| !path.starts_with('.')).count();
            assert_eq!(dropped, 3, "killed at {calls} {nth}");
            if !killed {
                break;
            }
            kills += 1;
        }
        assert!(kills >= 1, "{calls} is never called");
    }
}

#[test]
fn an_export_that_is_killed_at_any_call_is_finished_by_the_next_and_is_no_bag_before() {
    let (site, whole) = answered();
    for calls in CALLS {
        let step = if calls == "openat" { 13 } else { 1 };
        let mut kills = 0;
        for nth in (1..).step_by(step) {
            let folder = tempfile::tempdir().unwrap();
            let out = folder.path().join("out");
            // An earlier attempt at another bag left something.
            fs::create_dir_all(folder.path().join("out.part/data/results")).unwrap();
            fs::write(folder.path().join("out.part/data/results/other"), "x").unwrap();
            fs::write(folder.path().join("out.part/.gatepost-export"), "").unwrap();
            let export = ["export", "--since", "1d", "--out", out.to_str().unwrap()];
            command_with_fault(&site, &export, calls, nth, "signal=SIGKILL");
            let killed = was_killed(&site);
            // Its name comes with the whole of it.
            if !out.exists() {
                site.gatepost(&export).succeeds();
            }
            assert_eq!(files(&out), files(&whole), "killed at {calls} {nth}");
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "killed at {calls} {nth}");
            if !killed {
                break;
            }
            kills += 1;
        }
        assert!(kills >= 1, "{calls} is never called");
    }
}

/// What is done to a bag.
type Alteration<'a> = &'a dyn Fn(&Path);

#[test]
fn a_bag_that_rfc_8493_allows_is_taken_whoever_made_it() {
    let (_site, requests, bag) = requested();
    let edit = |bag: &Path, name: &str, change: fn(String) -> String| {
        let path = bag.join(name);
        fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    };
    let tags = ["bagit.txt", "bag-info.txt", "manifest-sha256.txt"];
    let every = |bag: &Path, change: fn(String) -> String| {
        for name in &tags {
            edit(bag, name, change);
        }
        retag(bag);
    };
    let changes: &[(&str, Alteration<'_>)] = &[
        ("CRLF", &|bag| every(bag, |text| text.replace('\n', "\r\n"))),
        ("CR", &|bag| every(bag, |text| text.replace('\n', "\r"))),
        ("no last line end", &|bag| every(bag, |text| text.trim_end().to_owned())),
        ("capital digits", &|bag| {
            edit(bag, "manifest-sha256.txt", |text| {
                let line = |line: &str| format!("{}{}\n", line[..64].to_uppercase(), &line[64..]);
                text.lines().map(line).collect()
            });
            retag(bag);
        }),
        ("no tag manifest", &|bag| fs::remove_file(bag.join("tagmanifest-sha256.txt")).unwrap()),
        ("files of systems", &|bag| {
            for name in [".DS_Store", "._bagit.txt", "Thumbs.db", "README.md"] {
                fs::write(bag.join(name), "x").unwrap();
            }
        }),
    ];
    for (what, change) in changes {
        let (_folder, copy) = copied(&bag);
        change(&copy);
        let site = Site::steady();
        let outcome = import(&site, &copy);
        assert_eq!(effects(&outcome), ["created", "created"], "{what}: {outcome}");
        assert_eq!(site.names("inbox").len(), requests.len(), "{what}");
    }
}
