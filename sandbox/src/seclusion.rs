//! A thread, and the programs that it starts, without one folder of the machine: for the operator's own programs, which may reach the
//! network and everything else that their user may, but not the site.
//!
//! Landlock has only allow rules, so they allow all entries beside the folder and beside the folders above it. A filter refuses calls that
//! Landlock does not check: modes, owners, times, attributes. No privilege and no descriptor of this process reaches a program. Known
//! weaknesses: a name that is made beside them later is out of reach; a second mount of the folder elsewhere is not, and sizes and times of
//! its files can be read.
//!
//! Standards: Linux `landlock(7)`, `seccomp(2)`, `PR_SET_NO_NEW_PRIVS(2const)`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;

use super::{SandboxError, landlock, privilege, seccomp, system_call};

/// The most names in a folder that are allowed: each is a rule.
const NAMES_MAX: usize = 10_000;
/// The first descriptor that is not a standard stream.
const FIRST_OWN: u32 = 3;

/// Denies a folder to the calling thread and to each program that it starts from now on. The folder must exist.
pub fn seclude_this_thread(folder: &Path) -> Result<(), SandboxError> {
    let unshowable = |source| SandboxError::Unshowable { path: folder.to_owned(), source };
    let beside = beside(folder).map_err(unshowable)?;
    let enter = || -> Result<(), Errno> {
        system_call::close_on_exec_from(FIRST_OWN)?;
        privilege::enter()?;
        landlock::keep_beside(&beside)?;
        seccomp::enter(&seccomp::beside_a_folder())
    };
    enter().map_err(|errno| unshowable(io::Error::from(errno)))
}

/// All entries beside a folder, and beside the folders above it.
fn beside(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = folder.canonicalize()?;
    let mut beside = Vec::new();
    for (below, above) in folder.ancestors().zip(folder.ancestors().skip(1)) {
        let entries = fs::read_dir(above)?.filter_map(Result::ok);
        // The target of a link is allowed under its own name only.
        let others =
            entries.filter(|entry| entry.path() != below && entry.file_type().is_ok_and(|kind| !kind.is_symlink()));
        beside.extend(others.take(NAMES_MAX).map(|entry| entry.path()));
    }
    Ok(beside)
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests start what they confine")]
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
                let changes = Command::new("/bin/chmod").arg("777").arg(&site).output().unwrap();
                assert!(!changes.status.success(), "a program changed the mode of the folder");
                let status = fs::read_to_string("/proc/thread-self/status").unwrap();
                let has_no = |set: &str| status.lines().any(|line| line == format!("{set}:\t0000000000000000"));
                assert!(has_no("CapEff") && has_no("CapPrm"), "{status}");
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
