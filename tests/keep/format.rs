//! The number of a site's form on disk: a version that does not know it changes nothing.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use walkdir::WalkDir;

use crate::site::{Request, Site, program, text};

/// Every file below the site, with its bytes.
fn files(site: &Site) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = WalkDir::new(&site.root).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    entries.map(|entry| (entry.path().to_owned(), fs::read(entry.path()).unwrap())).collect()
}

#[test]
fn a_site_of_another_form_is_refused_by_every_program_and_served_on_by_its_own() {
    let site = Site::new();
    assert_eq!(fs::read_to_string(site.path("var/format")).unwrap(), "1\n");
    let requests = [Request::file("judged"), Request::file("published"), Request::file("dropped")];
    let [judged, published, dropped] = &requests;
    site.copy_in(judged);
    site.up();
    site.copy_in(published);
    site.gatepost(&["exec", "--once"]).succeeds();
    site.copy_in(dropped);
    for (number, says) in [("2\n", "has form 2 on disk, and this version knows form 1"), ("x", "which is no number")] {
        fs::write(site.path("var/format"), number).unwrap();
        let before = files(&site);
        for name in ["gatepost-exec", "gatepost-gate", "gatepost-pages", "gatepost-mcp", "gatepost-fleet"] {
            let more: &[&str] = match name {
                "gatepost-gate" => &["watch", "--once"],
                "gatepost-pages" => &["report", "--folder", "."],
                "gatepost-exec" => &["--once"],
                "gatepost-fleet" => &["key"],
                _ => &[],
            };
            let mut command = Command::new(program(name));
            let ended = command.args(more).env("GATEPOST_SITE", &site.root).current_dir(&site.root).output().unwrap();
            let said = String::from_utf8_lossy(&ended.stderr);
            assert!(!ended.status.success() && said.contains(says), "{name}: {said}");
        }
        for line in ["status", "list", "exec --once", "gate --once", "up --once", "doctor", "init", "audit verify"] {
            let outcome = site.gatepost(&line.split(' ').collect::<Vec<_>>()).ends(4);
            assert!(text(&outcome["error"]["message"]).contains(says), "{line}: {outcome}");
        }
        assert_eq!(files(&site), before, "{number:?}");
    }
    // A site that was made before there were numbers has form 1.
    fs::remove_file(site.path("var/format")).unwrap();
    site.up();
    for request in &requests {
        assert!(site.result(&request.id).0.starts_with(site.path("core/inbound")));
    }
    site.gatepost(&["audit", "verify"]).succeeds();
}
