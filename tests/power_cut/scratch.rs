//! A place that vanishes with its processes: a mount and a process namespace, and a folder in memory.

use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::site::is_root;

/// Set for the program that runs inside: the folder.
const INSIDE: &str = "GATEPOST_TEST_SCRATCH";

/// The programs that are needed, each with what Debian calls its package.
const PROGRAMS: [(&str, &str); 5] = [
    ("mkfs.ext4", "e2fsprogs"),
    ("mkfs.xfs", "xfsprogs"),
    ("xfs_io", "xfsprogs"),
    ("strace", "strace"),
    ("unshare", "util-linux"),
];

/// Why no power can be cut here, if so.
pub(crate) fn obstacle() -> Option<String> {
    if !is_root() {
        return Some("only root can mount images of file systems".to_owned());
    }
    let is_missing = |(program, _): &&(&str, &str)| {
        let found = Command::new("sh").args(["-c", "command -v \"$0\"", program]).stdout(Stdio::null()).status();
        !found.is_ok_and(|status| status.success())
    };
    if let Some((program, package)) = PROGRAMS.iter().find(is_missing) {
        return Some(format!("{program} is not installed (package {package})"));
    }
    if !std::path::Path::new("/dev/loop-control").exists() {
        return Some("there are no loop devices".to_owned());
    }
    forbidden()
}

/// Why there can be no such place, if so.
pub(crate) fn forbidden() -> Option<String> {
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--pid", "--fork", "--mount-proc"]);
    if !is_root() {
        unshare.args(["--user", "--map-root-user"]);
    }
    let unshared = unshare.arg("true").stderr(Stdio::null()).status();
    (!unshared.is_ok_and(|status| status.success())).then(|| "mount and process namespaces are forbidden".to_owned())
}

/// Goes on inside, in an empty folder in memory; whoever is not root then is root of a user namespace.
pub(crate) fn enter(name: &str) -> PathBuf {
    if let Some(folder) = std::env::var_os(INSIDE) {
        let folder = PathBuf::from(folder);
        // What is unmounted here is unmounted in every machine too, or it would live on there.
        let status = Command::new("mount").args(["--make-rshared", "/"]).status();
        assert!(status.unwrap().success(), "share the mounts");
        let status = Command::new("mount").args(["-t", "tmpfs", "-o", "size=4g", "tmpfs"]).arg(&folder).status();
        assert!(status.unwrap().success(), "mount a tmpfs");
        return folder;
    }
    // The mount hides it, and nobody else ever sees what is in it.
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--propagation=private", "--pid", "--fork", "--kill-child", "--mount-proc"]);
    if !is_root() {
        unshare.args(["--user", "--map-root-user"]);
    }
    unshare.arg(std::env::current_exe().unwrap()).args(std::env::args_os().skip(1)).env(INSIDE, folder);
    panic!("failed to start unshare: {}", unshare.exec());
}
