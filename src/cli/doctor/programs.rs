//! Compares the programs beside this one with the digests that their package lists.
//!
//! ```text
//! ⟨prefix⟩/bin/gatepost…     ⟨prefix⟩/share/gatepost/SHA256SUMS     lines of sha256sum: `⟨digest⟩  bin/⟨program⟩`
//! ```
//!
//! It finds a damaged, replaced or older program. The list is no proof: a user who can write to both folders can change it too.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use gatepost_documents::digest::{Digest, Hasher};
use gatepost_mailbox::regular_file;

use super::Finding;

/// The programs of a package, installed beside each other.
const PROGRAMS: &str = "gatepost gatepost-exec gatepost-fleet gatepost-gate gatepost-mcp gatepost-pages \
                        gatepost-worker-browser gatepost-worker-http gatepost-worker-mcp gatepost-worker-monty";

/// The list of a release, below the parent folder of `bin/`.
const LIST: &str = "share/gatepost/SHA256SUMS";

/// The finding on the programs beside `program`; none for a build from source, which has no list.
pub(super) fn examine(program: &Path) -> Option<Finding> {
    let (check, version) = ("programs.release", env!("CARGO_PKG_VERSION"));
    let folder = program.parent().filter(|folder| folder.ends_with("bin"))?;
    let path = folder.parent().map(|prefix| prefix.join(LIST)).filter(|path| path.exists())?;
    let list = regular_file::read(&path, regular_file::DOCUMENT_MAX_BYTES).unwrap_or_default();
    let list = digests(&String::from_utf8_lossy(&list));
    let is_of_release = |name: &&str| {
        let read = File::open(folder.join(name)).and_then(Hasher::read);
        read.is_ok_and(|(digest, _)| list.get(*name) == Some(&digest))
    };
    let others: Vec<_> = PROGRAMS.split(' ').filter(|name| !is_of_release(name)).collect();
    if others.is_empty() {
        return Some(Finding::ok(check, format!("{version}, each program as {} lists it", path.display())));
    }
    let why = format!("{} lists other digests for them, or they are missing.", path.display());
    let fix = "Verify the release and install it again: docs/install.md.";
    Some(Finding::failure(check, format!("{version}; not of it: {}", others.join(", ")), why, fix))
}

/// The digests of the programs in a list of sha256sum, by name.
fn digests(list: &str) -> BTreeMap<String, Digest> {
    let of_line = |line: &str| {
        let (digest, path) = line.split_once("  ")?;
        Some((path.strip_prefix("bin/")?.to_owned(), Digest::parse(digest).ok()?))
    };
    list.lines().filter_map(of_line).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::cli::doctor::Status;

    #[test]
    fn a_program_that_is_not_the_one_of_the_release_is_named_and_so_is_a_missing_one() {
        let prefix = tempfile::tempdir().unwrap();
        let at = |path: &str| prefix.path().join(path);
        for folder in ["bin", "share/gatepost"] {
            fs::create_dir_all(at(folder)).unwrap();
        }
        let mut list = String::new();
        for name in PROGRAMS.split(' ') {
            fs::write(at("bin").join(name), name).unwrap();
            list += &format!("{}  bin/{name}\n", Digest::of(name.as_bytes()));
        }
        let found = || examine(&at("bin/gatepost"));
        assert_eq!(found(), None, "a build from the sources");
        fs::write(at(LIST), &list).unwrap();
        assert_eq!(found().unwrap().status, Status::Ok);
        fs::write(at("bin/gatepost-gate"), "another").unwrap();
        fs::remove_file(at("bin/gatepost-mcp")).unwrap();
        let failure = found().unwrap();
        assert_eq!(failure.status, Status::Failure);
        assert!(failure.found.ends_with("; not of it: gatepost-gate, gatepost-mcp"), "{}", failure.found);
        fs::write(at(LIST), "").unwrap();
        assert!(
            found().unwrap().found.contains("gatepost, gatepost-exec"),
            "a list without a program vouches for none"
        );
    }
}
