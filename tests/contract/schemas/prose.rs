//! The examples in the prose beside the schemas are real: `gatepost check` takes each of them.

use std::fs;
use std::process::Command;

use super::root;

/// The fenced blocks of a page with that info string.
fn blocks(page: &str, info: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join("schemas").join(page)).unwrap();
    let opening = format!("\n````{info}\n");
    text.split(&opening).skip(1).map(|rest| rest.split_once("\n````\n").unwrap().0.to_owned() + "\n").collect()
}

/// The name that an example gives itself.
fn name(example: &str, before: &str) -> String {
    let (_, rest) = example.split_once(before).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

fn assert_checked(examples: &[(String, String)]) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_gatepost"));
    command.args(["--output", "text", "check"]).current_dir(folder.path());
    for (file, content) in examples {
        fs::write(folder.path().join(file), content).unwrap();
        command.arg(file);
    }
    let output = command.output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{shown}");
    assert_eq!(shown.lines().filter(|line| line.starts_with("ok")).count(), examples.len(), "{shown}");
}

#[test]
fn every_example_of_a_request_passes_its_check() {
    let mut examples = Vec::new();
    for (info, before, ending) in [("markdown", "\nrequest_id: \"", "md"), ("json", "\"request_id\": \"", "json")] {
        let found = blocks("request.schema.md", info);
        examples.extend(found.into_iter().map(|text| (format!("{}.{ending}", name(&text, before)), text)));
    }
    assert!(examples.len() >= 5, "{}", examples.len());
    assert_checked(&examples);
}

#[test]
fn every_example_of_a_manifest_passes_its_check() {
    let found = blocks("manifest.schema.md", "toml");
    let examples: Vec<_> =
        found.into_iter().map(|text| (format!("{}.clad.toml", name(&text, "\nname = \"")), text)).collect();
    assert!(examples.len() >= 2, "{}", examples.len());
    assert_checked(&examples);
}
