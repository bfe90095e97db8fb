//! What a tool can take, through the whole pipeline, and what its result says at each limit.

use std::fs;

use crate::site::{Bundle, Request, Site, names, text};

/// The answer to a call of one tool that runs this script, on a site with these limits.
fn limited(limits: &str, script: &str) -> (Site, Bundle) {
    let site = Site::with_config(&format!("[inbox]\nsettle_ms = 50\n[limits]\n{limits}"));
    site.tool("take", "timeout_seconds = 60", script);
    let request = Request::call("take", "take");
    site.rename_in(&request);
    site.up();
    let bundle = site.result(&request.id);
    (site, bundle)
}

fn anomalies(bundle: &Bundle) -> Vec<String> {
    bundle.evidence()["anomalies"].as_array().unwrap().iter().map(text).collect()
}

#[test]
fn an_out_that_was_filled_is_carried_as_far_as_it_came_and_the_result_says_so() {
    let (_site, bundle) = limited("out_mb = 1\n", "#!/bin/sh\nhead -c 3000000 /dev/zero > out/big\necho done\n");
    assert_eq!((bundle.code(), bundle.read("artifacts/stdout.txt")), (String::new(), "done\n".to_owned()));
    assert_eq!(fs::metadata(bundle.0.join("artifacts/out/big")).unwrap().len(), 1 << 20);
    let sentence = "The tool filled /out: all of its 1048576 bytes were used, so files may be missing or cut off.";
    assert_eq!(anomalies(&bundle), [sentence]);
    assert_eq!(bundle.evidence()["limits"]["out_bytes"], 1 << 20);
}

#[test]
fn a_million_files_end_at_the_limit_of_names() {
    let script = "#!/usr/bin/python3\nimport os\ntry:\n    for n in range(1_000_000):\n        os.close(os.open(f'/out/{n:07}', os.O_CREAT | os.O_WRONLY))\n\
                  except OSError as error:\n    print(error.strerror)\n";
    let (_site, bundle) = limited("artifacts = 3\n", script);
    assert_eq!(bundle.read("artifacts/stdout.txt"), "No space left on device\n");
    assert_eq!(names(&bundle.0.join("artifacts/out")), ["0000000", "0000001", "0000002"]);
    assert_eq!(
        anomalies(&bundle),
        [
            "The tool filled /out: all of its 65536 names were used, so files may be missing or cut off.",
            "The tool left 65533 files more than the 3 that are carried; they were left out.",
        ]
    );
}

#[test]
fn folders_a_thousand_deep_and_names_of_any_bytes_are_collected_in_bounded_time() {
    let script = "#!/usr/bin/python3\nimport os\nos.chdir('/out')\nopen(b'new\\nline\\xff', 'w').close()\n\
                  for _ in range(1000):\n    os.mkdir('d' * 100)\n    os.chdir('d' * 100)\nopen('deepest', 'w').close()\n";
    let (_site, bundle) = limited("", script);
    assert_eq!(bundle.code(), "");
    assert_eq!(names(&bundle.0.join("artifacts/out")), ["new%0Aline%FF"]);
    let anomalies = anomalies(&bundle);
    assert!(anomalies.len() == 1 && anomalies[0].contains("a folder that is too deep"), "{anomalies:?}");
}

#[test]
fn a_tool_that_was_stopped_leaves_what_it_had_written() {
    let (_site, bundle) = limited("time_seconds = 1\n", "#!/bin/sh\necho half > out/file\nexec sleep 1000\n");
    assert_eq!(bundle.code(), "TIMEOUT");
    assert_eq!(bundle.read("artifacts/out/file"), "half\n");
}
