//! The parts of `/proc` that are hidden from a tool, although the kernel shows them to everybody or to root: the machine's identity,
//! its hardware, memory and keys, the activity of others, and everything that no program needs.
//!
//! The kernel gives a new `/proc` whole, so the sandbox covers these parts, as container runtimes do: a file by a device that cannot be
//! opened (EACCES), a folder by an empty one. The tool cannot remove a mount.
//!
//! Known weakness: files that programs need remain, and some of them describe the machine: `docs/operator.md` lists them.

use std::ffi::CStr;

use rustix::io::Errno;
use rustix::mount::mount_bind;

/// A device on a file system mounted `nodev` cannot be opened.
const DEVICE: &CStr = c"/dev/null";

const FILES: [&CStr; 22] = [
    c"/proc/buddyinfo",
    c"/proc/cmdline",
    c"/proc/consoles",
    c"/proc/diskstats",
    c"/proc/interrupts",
    c"/proc/iomem",
    c"/proc/ioports",
    c"/proc/kallsyms",
    c"/proc/key-users",
    c"/proc/keys",
    c"/proc/latency_stats",
    c"/proc/locks",
    c"/proc/modules",
    c"/proc/mtrr",
    c"/proc/partitions",
    c"/proc/sched_debug",
    c"/proc/schedstat",
    c"/proc/softirqs",
    c"/proc/swaps",
    c"/proc/zoneinfo",
    c"/proc/sys/kernel/core_pattern",
    c"/proc/sys/kernel/random/boot_id",
];

/// Those that the kernel itself opens to root alone.
const FILES_OF_ROOT: [&CStr; 10] = [
    c"/proc/kcore",
    c"/proc/kmsg",
    c"/proc/kpagecgroup",
    c"/proc/kpagecount",
    c"/proc/kpageflags",
    c"/proc/pagetypeinfo",
    c"/proc/slabinfo",
    c"/proc/sysrq-trigger",
    c"/proc/timer_list",
    c"/proc/vmallocinfo",
];

const FOLDERS: [&CStr; 8] = [
    c"/proc/acpi",
    c"/proc/asound",
    c"/proc/bus",
    c"/proc/driver",
    c"/proc/dynamic_debug",
    c"/proc/fs",
    c"/proc/irq",
    c"/proc/scsi",
];

/// Masks all of these paths that exist. `empty` is an empty folder, which may be removed afterwards. Runs between clone and
/// exec, before the mounts are closed.
pub(super) fn enter(empty: &CStr) -> Result<(), Errno> {
    let of_root = rustix::process::geteuid().is_root().then_some(FILES_OF_ROOT);
    let files = FILES.into_iter().chain(of_root.into_iter().flatten()).map(|path| (DEVICE, path));
    let folders = FOLDERS.into_iter().map(|path| (empty, path));
    files.chain(folders).try_for_each(|(cover, path)| match mount_bind(cover, path) {
        Err(Errno::NOENT) => Ok(()),
        result => result,
    })
}
