//! The kind of the file system of a path, as far as a mailbox needs it.
//!
//! Standards: Linux `statfs(2)`, linux/magic.h.

use std::path::Path;

/// A kind of file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSystem {
    /// A disk of this machine, with its name if it is a common one.
    Disk(Option<&'static str>),
    /// A network file system: other machines write to it without an event here.
    Network(&'static str),
    /// Memory: all data is lost when the machine stops.
    Memory(&'static str),
    /// Layers of a container: all data is lost with it.
    Overlay,
}

const NAMES: &[(i64, FileSystem)] = &[
    (0x6969, FileSystem::Network("NFS")),
    (0x517b, FileSystem::Network("SMB")),
    (0xfe53_4d42, FileSystem::Network("SMB")),
    (0xff53_4d42, FileSystem::Network("CIFS")),
    (0x6573_5546, FileSystem::Network("FUSE")),
    (0x0102_1997, FileSystem::Network("9P")),
    (0x5346_414f, FileSystem::Network("AFS")),
    (0x00c3_6400, FileSystem::Network("Ceph")),
    (0x0102_1994, FileSystem::Memory("tmpfs")),
    (0x8584_58f6, FileSystem::Memory("ramfs")),
    (0x794c_7630, FileSystem::Overlay),
    (0xef53, FileSystem::Disk(Some("ext4"))),
    (0x5846_5342, FileSystem::Disk(Some("XFS"))),
    (0x9123_683e, FileSystem::Disk(Some("Btrfs"))),
    (0x2fc1_2fc1, FileSystem::Disk(Some("ZFS"))),
    (0xf2f5_2010, FileSystem::Disk(Some("F2FS"))),
    (0xca45_1a4e, FileSystem::Disk(Some("bcachefs"))),
    (0x4d44, FileSystem::Disk(Some("FAT"))),
    (0x2011_bab0, FileSystem::Disk(Some("exFAT"))),
];

impl FileSystem {
    /// The kind for a path. An unknown one counts as a disk.
    pub fn at(path: &Path) -> Self {
        let magic = rustix::fs::statfs(path).map_or(0, |fs| fs.f_type & 0xffff_ffff);
        NAMES.iter().find(|(known, _)| *known == magic).map_or(Self::Disk(None), |(_, kind)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_told_from_a_disk_and_no_kind_has_two_meanings() {
        assert_eq!(FileSystem::at(Path::new("/dev/shm")), FileSystem::Memory("tmpfs"));
        assert_eq!(FileSystem::at(Path::new("/nowhere/at/all")), FileSystem::Disk(None));
        let mut magic: Vec<_> = NAMES.iter().map(|(magic, _)| magic).collect();
        magic.sort();
        magic.dedup();
        assert_eq!(magic.len(), NAMES.len());
    }
}
