//! One file system in an image, whose power can be cut.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// A kind of file system, and how it is mounted.
pub(crate) struct Kind {
    pub name: &'static str,
    maker: &'static str,
    options: &'static str,
}

/// Nothing is written back by the clock within the time of a test, and ext4's remedy for programs that do not flush is off.
pub(crate) const KINDS: [Kind; 3] = [
    Kind { name: "ext4", maker: "mkfs.ext4", options: "loop,commit=300,noauto_da_alloc" },
    Kind { name: "ext4-writeback", maker: "mkfs.ext4", options: "loop,commit=300,noauto_da_alloc,data=writeback" },
    Kind { name: "xfs", maker: "mkfs.xfs", options: "loop" },
];

/// xfs makes none smaller.
const IMAGE_BYTES: u64 = 320 << 20;

/// How long what died may take to let go of a mount, and how often that is looked at.
const TIMEOUT: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(2);

/// A mounted file system; it and its loop device go with the mount namespace at the latest.
pub(crate) struct Disk {
    kind: &'static Kind,
    image: PathBuf,
    mount_point: PathBuf,
}

impl Disk {
    /// Makes a new one in a folder.
    pub(crate) fn new(kind: &'static Kind, folder: &Path) -> Self {
        let disk = Self { kind, image: folder.join("image"), mount_point: folder.join("disk") };
        fs::create_dir_all(&disk.mount_point).unwrap();
        fs::File::create(&disk.image).unwrap().set_len(IMAGE_BYTES).unwrap();
        run(Command::new(kind.maker).arg("-q").arg(&disk.image));
        disk.mount();
        disk
    }

    /// Where it is mounted.
    pub(crate) fn mount_point(&self) -> &Path {
        &self.mount_point
    }

    /// Lets nothing more reach the disk, the journal in memory included.
    pub(crate) fn cut(&self) {
        run(Command::new("xfs_io").args(["-x", "-c", "shutdown"]).arg(&self.mount_point));
    }

    /// Mounts it again after a cut, with nobody left who has anything open there: the journal is recovered.
    pub(crate) fn recover(&self) {
        self.unmount();
        self.mount();
    }

    fn mount(&self) {
        // Others may take the free loop device first.
        self.patiently(Command::new("mount").args(["-o", self.kind.options]).args([&self.image, &self.mount_point]));
    }

    fn unmount(&self) {
        // Of a process that was killed the kernel may still be closing files.
        self.patiently(Command::new("umount").arg(&self.mount_point));
        // A device that is still attached would be mounted as it was, without any recovery.
        let deadline = Instant::now() + TIMEOUT;
        while self.is_attached() {
            assert!(Instant::now() < deadline, "{} is still attached", self.image.display());
            thread::sleep(LOOK);
        }
    }

    /// Has a command tried until it succeeds.
    fn patiently(&self, command: &mut Command) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let output = command.output().unwrap();
            if output.status.success() {
                return;
            }
            let why = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(Instant::now() < deadline, "{}: {command:?}: {why}", self.kind.name);
            thread::sleep(LOOK);
        }
    }

    fn is_attached(&self) -> bool {
        let devices = fs::read_dir("/sys/block").unwrap().filter_map(Result::ok);
        let files = devices.filter_map(|device| fs::read_to_string(device.path().join("loop/backing_file")).ok());
        files.into_iter().any(|file| file.trim_end().ends_with(self.image.to_str().unwrap()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // The namespace takes down what this cannot.
        let _ = Command::new("umount").arg("--lazy").arg(&self.mount_point).status();
        let _ = fs::remove_file(&self.image);
    }
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {stdout}{stderr}");
}
