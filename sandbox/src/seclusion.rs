//! A thread, and the programs that it starts, without one folder of the machine: for the operator's own programs, which may reach the
//! network and everything else that their user may, but not the site.
//!
//! Landlock knows only what is allowed, so all that lies beside the folder and beside the folders above it is allowed. Known weaknesses: a
//! name that is made beside them later is out of reach, and a second mount of the folder elsewhere is not.
//!
//! Standards: Linux `landlock(7)`, `PR_SET_NO_NEW_PRIVS(2const)`.

use std::fs;
use std::io;
use std::path::Path;

use rustix::thread::set_no_new_privs;

use super::{SandboxError, landlock};

/// The most names that are allowed: each is a rule.
const NAMES_MAX: usize = 10_000;

/// Takes a folder from the calling thread, and from each program that it starts from now on. The folder must exist.
pub fn seclude_this_thread(folder: &Path) -> Result<(), SandboxError> {
    let unshowable = |source| SandboxError::Unshowable { path: folder.to_owned(), source };
    let folder = folder.canonicalize().map_err(unshowable)?;
    let mut beside = Vec::new();
    for below in folder.ancestors() {
        let Some(above) = below.parent() else { break };
        for entry in fs::read_dir(above).map_err(unshowable)?.filter_map(Result::ok).take(NAMES_MAX) {
            // What a link leads to is allowed by its own name, or not at all.
            if entry.path() != below && entry.file_type().is_ok_and(|kind| !kind.is_symlink()) {
                beside.push(entry.path());
            }
        }
    }
    let rules = landlock::beside(&beside)?;
    set_no_new_privs(true).map_err(|errno| unshowable(io::Error::from(errno)))?;
    landlock::enter(&rules).map_err(|errno| unshowable(io::Error::from(errno)))
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::thread;

    use super::*;

    #[test]
    fn a_thread_and_its_programs_lose_the_folder_and_nothing_else() {
        let at = tempfile::tempdir().unwrap();
        let (site, beside) = (at.path().join("site"), at.path().join("beside"));
        for folder in [&site, &beside] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("file"), "text").unwrap();
        }
        let reads = |path: &Path| {
            let cat = Command::new("/bin/cat").arg(path).output().unwrap();
            cat.status.success()
        };
        let (of_site, of_beside) = (site.join("file"), beside.join("file"));
        let secluded = thread::scope(|scope| {
            let secluded = scope.spawn(|| {
                seclude_this_thread(&site).unwrap();
                (
                    reads(&of_site),
                    reads(&of_beside),
                    fs::write(beside.join("new"), "").is_ok(),
                    fs::read_dir(&site).is_ok(),
                )
            });
            secluded.join().unwrap()
        });
        assert_eq!(secluded, (false, true, true, false));
        assert!(reads(&of_site), "other threads keep it");
    }
}
