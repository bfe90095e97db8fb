//! A stranger verifies an export with `docs/verify_export.py`, which uses packages of `PyPI` and nothing of ours.
//!
//! ```text
//! tests/stranger/install               installs them below target/stranger
//! cargo test --test stranger
//! ```
//!
//! Not among the tests that `cargo test` runs by itself: it needs `PyPI`. `.ci/proof` installs and runs it.

#![allow(clippy::disallowed_methods, reason = "tests arrange the world, and start what they test")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;

use site::{Request, Site, text};

#[allow(dead_code, unused_imports, reason = "other tests use the rest of it")]
mod site;

/// Whether the script finds nothing wrong, and what it says of that.
fn verify(bag: &Path, key: &str) -> (bool, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let python = root.join("target/stranger/bin/python");
    assert!(python.exists(), "{} is missing: run tests/stranger/install first", python.display());
    let output = Command::new(python).arg(root.join("docs/verify_export.py")).arg(bag).arg(key).output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn an_export_is_verified_and_a_flipped_byte_in_any_of_its_files_is_found() {
    let script = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/verify_export.py")).unwrap();
    assert!(script.lines().count() <= 40);
    let site = Site::new().without_walls();
    for name in ["one", "two", "three"] {
        site.copy_in(&Request::folder(name));
    }
    site.up();
    let bag = site.path("../bag");
    site.gatepost(&["export", "--since", "1d", "--out", bag.to_str().unwrap()]).succeeds();
    let key = text(&site.gatepost(&["audit", "checkpoint"]).succeeds()["data"]["verifier_key"]);
    assert_eq!(verify(&bag, &key), (true, String::new()));
    // Whoever changes one on purpose makes the manifests anew, and then the signature over the sums alone shows it.
    let signature = bag.join("data/results").join(&site.names("core/inbound")[0]).join("SHA256SUMS.sig");
    let whole = fs::read_to_string(&signature).unwrap();
    let cut = whole.trim_end().rsplit_once('\n').unwrap().0;
    let (before, last) = cut.split_at(cut.len() - 8);
    let other = last.replace(|c: char| c != '=', "A");
    fs::write(&signature, whole.replace(cut, &format!("{before}{other}"))).unwrap();
    rebag(&bag);
    let (holds, said) = verify(&bag, &key);
    assert!(!holds && said.contains("InvalidSignature"), "{said}");
    fs::write(&signature, &whole).unwrap();
    rebag(&bag);
    assert_eq!(verify(&bag, &key), (true, String::new()));
    let other = text(&Site::new().gatepost(&["audit", "checkpoint"]).succeeds()["data"]["verifier_key"]);
    assert!(!verify(&bag, &other).0);
    for entry in walkdir::WalkDir::new(&bag) {
        let entry = entry.unwrap();
        if entry.file_type().is_file() {
            let bytes = fs::read(entry.path()).unwrap();
            let mut changed = bytes.clone();
            match changed.get_mut(bytes.len() / 2) {
                Some(byte) => *byte ^= 1,
                None => changed.push(0),
            }
            fs::write(entry.path(), &changed).unwrap();
            assert!(!verify(&bag, &key).0, "{}", entry.path().display());
            fs::write(entry.path(), &bytes).unwrap();
        }
    }
    assert!(verify(&bag, &key).0);
}

/// Makes the manifests of a bag anew, by `PyPI`'s own program.
fn rebag(bag: &Path) {
    let save = "import bagit, sys; bagit.Bag(sys.argv[1]).save(manifests=True)";
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/stranger/bin/python");
    assert!(Command::new(python).args(["-c", save]).arg(bag).status().unwrap().success());
}

#[test]
fn an_export_without_results_is_not_verified() {
    let site = Site::steady();
    let request = Request::file("asked");
    site.rename_in(&request);
    let bag = site.path("../bag");
    site.gatepost(&["export", "--requests", &request.id, "--out", bag.to_str().unwrap()]).succeeds();
    let (holds, said) = verify(&bag, "name+00000000+AAAA");
    assert!(!holds && said.contains("nothing was verified"), "{said}");
}

#[test]
fn a_bag_of_requests_that_another_program_made_is_taken() {
    let site = Site::steady();
    let request = Request::folder("foreign");
    let bag = site.path("../bag");
    let requests = bag.join("requests");
    fs::create_dir_all(&requests).unwrap();
    request.write(&requests);
    let make = "import bagit, sys; bagit.make_bag(sys.argv[1])";
    let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/stranger/bin/python");
    assert!(Command::new(python).args(["-c", make]).arg(&bag).status().unwrap().success());
    site.gatepost(&["import", bag.to_str().unwrap()]).succeeds();
    site.up();
    assert_eq!(site.result(&request.id).code(), "");
}
