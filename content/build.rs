//! Lists the files of rules, so that a rule is added by a commit of one file.

#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::path::PathBuf;
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
            let name = path.file_name().expect("a file has a name").to_string_lossy();
            format!("({name:?}, include_str!({:?})),\n", path.display().to_string())
        })
        .collect();
    let written = format!(
        "/// The files of rules, by name, and their text.\nconst FILES: &[(&str, &str)] = &[\n{}];\n",
        list.concat()
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("rules.rs"), written).expect("the build folder is writable");
}
