//! Lists the files of rules, so that a rule is added by a commit of one file, and holds every rule to examples of what it finds and
//! what it does not; the tests run them.

#![allow(clippy::disallowed_methods, reason = "a build script reads the rules and writes what it makes of them")]

use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=rules");
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let entries = fs::read_dir(root.join("rules")).expect("the rules");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a file of rules").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    let list: Vec<String> = paths
        .iter()
        .map(|path| {
            check_examples(path);
            let name = path.file_name().expect("a file has a name").to_string_lossy();
            // Without the folder's path: its length would change the positions in this file, and so the program's bytes.
            format!("({name:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/rules/\", {name:?}))),\n")
        })
        .collect();
    let written = format!(
        "/// The files of rules, by name, and their text.\nconst FILES: &[(&str, &str)] = &[\n{}];\n",
        list.concat()
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("rules.rs"), written).expect("the build folder is writable");
}

/// Fails the build if a rule of a file lacks an example; the engine's own limits have no short example.
fn check_examples(path: &Path) {
    let text = fs::read_to_string(path).expect("a file of rules is text");
    let file: toml::Table = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let is_text = |rule: &&toml::Value| rule.get("fact").and_then(toml::Value::as_str) != Some("exceeded");
    for rule in file.get("rule").and_then(toml::Value::as_array).into_iter().flatten().filter(is_text) {
        for key in ["positive", "negative"] {
            let examples = rule.get(key).and_then(toml::Value::as_array);
            let id = rule.get("id").and_then(toml::Value::as_str).unwrap_or("a rule without an id");
            assert!(examples.is_some_and(|list| !list.is_empty()), "{}: {id} has no {key} example", path.display());
        }
    }
}
