//! Whatever a bundle holds, the program judges it within 64 MiB of memory of its own: heap, data, all that is private.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};

use gatepost_documents::evidence::RESULTS_FILE;
use gatepost_documents::verdict::Verdict;

use crate::bundle_folder::{BundleFolder, codes};
use crate::site::{Request, Site, program};

/// The verdict of the program with `RLIMIT_DATA` at 64 MiB: what needs more ends without one.
fn judged_within_64_mib(bundle: &Path) -> Vec<&'static str> {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -d 65536 && exec \"$@\"", "sh"]).arg(program("gatepost-gate")).arg("judge");
    let output = limited.arg(bundle).stderr(Stdio::inherit()).output().unwrap();
    let verdict: Verdict = serde_json::from_slice(&output.stdout).unwrap();
    codes(&verdict)
}

/// A bundle whose document has this body behind its front matter.
fn with_body(body: &str) -> BundleFolder {
    let folder = BundleFolder::of("success");
    let path = folder.path().join(format!("{}.md", folder.name));
    let document = fs::read_to_string(&path).unwrap();
    let (head, _) = document.split_once("\n## Summary\n").unwrap();
    fs::write(&path, [head, body].concat()).unwrap();
    folder
}

#[test]
fn a_million_headings_are_judged_within_64_mib() {
    let body = "\n## Summary\n".repeat(1_000_000);
    assert_eq!(judged_within_64_mib(&with_body(&body).path()), ["too_large"]);
    let most = "\n## Summary\n".repeat(80_000);
    assert_eq!(
        judged_within_64_mib(&with_body(&most).path()),
        ["section_missing", "section_duplicate", "heading_style"]
    );
}

#[test]
fn a_document_of_markup_alone_is_judged_within_64_mib() {
    for markup in ["[", "*a", "`", "<", "![a](", "\n", "#\n", "- ", "> ", "&amp;", "[a]: b\n", "1. a\n"] {
        let body = markup.repeat(1_000_000 / markup.len());
        let codes = judged_within_64_mib(&with_body(&body).path());
        assert!(!codes.is_empty(), "{markup:?} is accepted");
    }
}

#[test]
fn a_quote_deeper_than_anyone_reads_is_judged_at_once() {
    let body = [">".repeat(400_000), "\na".repeat(300_000)].concat();
    assert!(judged_within_64_mib(&with_body(&body).path()).contains(&"markup_forbidden"));
}

// What is looked through takes a window of it at a time, 256 KiB: more than this many would show nothing more.
#[test]
fn a_line_without_end_on_stdout_is_judged_within_64_mib() {
    let folder = BundleFolder::of("success");
    fs::write(folder.path().join("artifacts/stdout.txt"), "one line ".repeat(400_000)).unwrap();
    let expected = ["hash_mismatch", "sums_mismatch", "evidence_mismatch", "excerpt_mismatch"];
    assert_eq!(judged_within_64_mib(&folder.path()), expected);
}

#[test]
fn a_hundred_thousand_artifacts_are_judged_within_64_mib() {
    let folder = BundleFolder::of("success");
    for number in 0..100_000 {
        File::create(folder.path().join(format!("artifacts/out/{number}"))).unwrap();
    }
    assert_eq!(judged_within_64_mib(&folder.path()), ["too_many_files"]);
}

#[test]
fn the_most_results_that_are_read_are_judged_within_64_mib() {
    let site = Site::steady();
    let manifest = "[tool]\nname = 'echo'\nversion = '1'\ndescription = 'd'\nbinary = 'cat'\n[args.file]\ntype = 'path'\n\
                    [command]\nexec = ['cat', '{file}']\n[output]\nformat = 'json'\n[output.schema]\nitems.type = 'string'\n";
    site.manifest("echo", manifest);
    let rows = serde_json::to_vec(&vec!["a row of several words, one after the other"; 180_000]).unwrap();
    assert!(rows.len() > 7 << 20 && rows.len() <= 8 << 20, "{}", rows.len());
    let request = Request::call("rows", "echo").arg("file", "rows.json").input("rows.json", &rows);
    site.rename_in(&request);
    site.gatepost(&["exec", "--once"]).succeeds();
    let name = site.names("outbox").into_iter().find(|name| name.ends_with(&request.id)).unwrap();
    let bundle = site.path("outbox").join(name);
    assert_eq!(fs::read(bundle.join(RESULTS_FILE)).unwrap(), rows);
    assert_eq!(judged_within_64_mib(&bundle), [""; 0]);
}
