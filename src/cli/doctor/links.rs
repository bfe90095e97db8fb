//! Finds links of a program's installation to paths that a tool does not see, before a request fails.
//!
//! ```text
//! /usr/bin/mvn ▶ /usr/share/maven/bin/mvn     /usr/share/maven/conf ▶ /etc/maven
//! ```
//!
//! Only programs with their own folder are checked: `⟨folder⟩/bin/⟨program⟩` below a folder that is not the system's.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// The limits of depth and entries of a check.
const DEPTH_MAX: usize = 8;
const ENTRIES_MAX: usize = 20_000;

/// The link targets of a program's installation outside `is_shown`.
pub(super) fn hidden(program: &Path, is_shown: impl Fn(&Path) -> bool) -> BTreeSet<PathBuf> {
    let Some(home) = home(program) else { return BTreeSet::new() };
    let entries = WalkDir::new(home).max_depth(DEPTH_MAX).into_iter().take(ENTRIES_MAX).flatten();
    let links = entries.filter(walkdir::DirEntry::path_is_symlink);
    links.filter_map(|link| fs::canonicalize(link.path()).ok()).filter(|real| !is_shown(real)).collect()
}

/// The folder that contains only the program's installation.
fn home(program: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(program).ok()?;
    let folder = real.parent().filter(|folder| folder.ends_with("bin"))?.parent()?;
    let is_of_system = folder.components().count() <= 2 || folder == Path::new("/usr/local");
    (!is_of_system).then(|| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_out_of_an_installation_is_told_and_one_within_it_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["maven/bin", "maven/lib", "etc"] {
            fs::create_dir_all(path(name)).unwrap();
        }
        for name in ["maven/bin/mvn", "etc/m2.conf"] {
            fs::write(path(name), "x").unwrap();
        }
        symlink(path("etc"), path("maven/conf")).unwrap();
        symlink("../bin/mvn", path("maven/lib/mvn")).unwrap();
        symlink("/no/such/file", path("maven/lib/dangling")).unwrap();
        symlink(path("maven/bin/mvn"), path("mvn")).unwrap();
        let is_shown = |shown: &Path| shown.starts_with(path("maven"));
        assert_eq!(hidden(&path("mvn"), is_shown), BTreeSet::from([path("etc")]));
        assert_eq!(hidden(&path("mvn"), |_| true), BTreeSet::new());
        assert_eq!(hidden(Path::new("/usr/bin/env"), |_| false), BTreeSet::new());
    }
}
