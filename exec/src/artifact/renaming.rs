//! Renames artifacts whose names contain a secret.
//!
//! *Security*: the tool chose every name and can predict the new ones: a file and a folder, or two files, can get the same name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use gatepost_mailbox::durable;
use gatepost_mailbox::fault::{Fault, OnPath};

use super::{is_too_long, paths};

/// Renames each file of `artifacts/out/` for which `name` returns a path, and appends a number if the path is taken.
/// Returns their number. Removes a file whose path would be too long, and adds an anomaly.
pub(crate) fn rename(
    artifacts: &Path,
    name: impl Fn(&str) -> Option<String>,
    anomalies: &mut Vec<String>,
) -> Result<u64, Fault> {
    let (mut renamed, mut removed) = (0, 0);
    for path in paths(artifacts)?.into_iter().filter(|path| path.starts_with("out/")) {
        let Some(new) = name(&path) else { continue };
        let source = artifacts.join(&path);
        renamed += 1;
        if is_too_long(&new) {
            fs::remove_file(&source).on("remove", &source)?;
            removed += 1;
        } else {
            move_to_free_name(&source, artifacts, &new)?;
        }
        // An empty folder would keep the old name.
        let above = source.ancestors().skip(1).take_while(|folder| *folder != artifacts);
        above.take_while(|folder| fs::remove_dir(folder).is_ok()).for_each(drop);
    }
    if removed > 0 {
        anomalies.push(format!("{removed} files were left out because secrets in their names could not be replaced."));
    }
    Ok(renamed)
}

fn move_to_free_name(source: &Path, artifacts: &Path, name: &str) -> Result<(), Fault> {
    let (folders, file) = name.rsplit_once('/').unwrap_or(("", name));
    let mut parent = artifacts.to_owned();
    for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
        parent = free_folder(&parent, folder)?;
    }
    for target in numbered(&parent, file) {
        match durable::rename_new(source, &target) {
            Err(fault) if fault.source.kind() == io::ErrorKind::AlreadyExists => {}
            moved => return moved,
        }
    }
    Ok(())
}

/// The candidates for a name in a folder: the name, then the name with a number.
fn numbered(folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let numbers = (2..).map(move |number| folder.join(format!("{name}-{number}")));
    std::iter::once(folder.join(name)).chain(numbers)
}

/// The folder of a name, created if it is missing; with a number if a file has the name, because two names can become one.
fn free_folder(within: &Path, name: &str) -> Result<PathBuf, Fault> {
    for folder in numbered(within, name) {
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if folder.is_dir() {
                    return Ok(folder);
                }
            }
            made => return made.on("create", &folder).map(|()| folder),
        }
    }
    unreachable!("a number is free sooner or later")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The results for files that all get the same name.
    fn renamed(files: &[&str]) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join("out").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, file).unwrap();
        }
        let plain = |path: &str| {
            let parts: Vec<&str> = path.split('/').map(|part| if part.starts_with('s') { "x" } else { part }).collect();
            Some(parts.join("/"))
        };
        let count = rename(folder.path(), plain, &mut Vec::new()).unwrap();
        assert_eq!(count, files.len() as u64);
        paths(folder.path()).unwrap()
    }

    #[test]
    fn names_that_become_the_same_are_numbered_whatever_they_are_of() {
        assert_eq!(renamed(&["s1", "s2", "s3"]), ["out/x", "out/x-2", "out/x-3"]);
        // A file before a folder, and a folder before a file.
        assert_eq!(renamed(&["s1", "s2/a", "s2/b"]), ["out/x", "out/x-2/a", "out/x-2/b"]);
        assert_eq!(renamed(&["s1/a", "s2"]), ["out/x-2", "out/x/a"]);
        assert_eq!(renamed(&["s1/s1", "s1/s2/a", "s2/s1"]), ["out/x/x", "out/x/x-2/a", "out/x/x-3"]);
    }
}
