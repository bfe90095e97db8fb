//! The disk of a site: atomic renames, crash safety, free space, and the clock.

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use chrono::{DateTime, Utc};
use gatepost_contract::config::Config;
use gatepost_exec::file_system::FileSystem;
use gatepost_exec::shell;
use gatepost_mailbox::site::{STAGING, Site};
use rustix::fs::{AtFlags, CWD, StatVfs, StatVfsMountFlags, StatxFlags, statvfs, statx};

use super::Finding;

/// Folders between which one rename moves items.
const MOVED_BETWEEN: [&str; 5] = ["var/exec", "outbox", "var/gate", "core/inbound", "quarantine"];
/// The permitted skew of a disk's clock; some network file systems have coarse times.
const SKEW_MAX: Duration = Duration::from_secs(2);
/// Staging a drop takes less than this.
const STAGED_MAX: Duration = Duration::from_hours(1);
/// The minimum free space for reliable writes.
pub(crate) const SPACE_MIN_BYTES: u64 = 16 << 20;

/// Checks the disk and the clock.
pub(super) fn examine(site: &Site, config: &Config, now: SystemTime) -> Vec<Finding> {
    let mut findings = vec![moves(&MOVED_BETWEEN.map(|name| (name, mount_id(&site.root().join(name)))))];
    for (check, path) in [("disk.kind", site.outbox()), ("disk.inbox_kind", site.inbox())] {
        findings.push(kind(check, FileSystem::at(&path)));
    }
    if let Ok(figures) = statvfs(site.outbox()) {
        findings.extend(room(&figures, &Need::for_config(config)));
    }
    findings.push(staged(site, now));
    findings.push(clock(now.into(), gatepost_sandbox::clock_is_synchronized()));
    findings.push(skew(site));
    findings
}

/// The mount of a path: a rename works only within one, even if two show the same disk.
fn mount_id(path: &Path) -> Option<u64> {
    Some(statx(CWD, path, AtFlags::empty(), StatxFlags::MNT_ID).ok()?.stx_mnt_id)
}

fn moves(folders: &[(&str, Option<u64>)]) -> Finding {
    let known: Vec<_> = folders.iter().filter_map(|(name, mount)| Some((*name, (*mount)?))).collect();
    let apart: Vec<&str> = match known.split_first() {
        Some(((_, first), rest)) => rest.iter().filter(|(_, mount)| mount != first).map(|(name, _)| *name).collect(),
        None => Vec::new(),
    };
    if apart.is_empty() {
        return Finding::ok("disk.moves", "one mount: every move of a result is one rename");
    }
    let why =
        "Results move between these folders by rename, which does not work across mounts: no result would get through.";
    let fix = "Put them on one mount; only the inbox may be elsewhere.";
    Finding::failure("disk.moves", format!("not on the same mount as {}: {}", folders[0].0, apart.join(", ")), why, fix)
}

fn kind(check: &str, kind: FileSystem) -> Finding {
    match kind {
        FileSystem::Disk(name) => Finding::ok(check, name.unwrap_or("a local disk")),
        FileSystem::Network(name) => {
            let why =
                "Writes by other machines raise no events here, and data may not be on the disk when a flush returns.";
            let fix = "Drops are found only by polling, every scan_interval_ms; keep everything but the inbox on a local disk.";
            Finding::warning(check, name, why, fix)
        }
        FileSystem::Memory(name) => {
            let why =
                "It is in memory: requests and results are lost when the machine stops, and a request may run twice.";
            Finding::warning(check, name, why, "Put the site on a disk.")
        }
        FileSystem::Overlay => {
            let why = "This is the writable layer of a container: requests and results are lost with it.";
            Finding::warning(check, "overlay", why, "Put the site on a volume.")
        }
    }
}

/// The space that concurrent requests may need at most.
#[derive(Debug, Clone, Copy)]
struct Need {
    bytes: u64,
    names: u64,
}

impl Need {
    fn for_config(config: &Config) -> Self {
        let (limits, inbox) = (&config.limits, &config.inbox);
        let streams = limits.stdout_bytes.saturating_mul(2);
        let bytes =
            inbox.inputs_bytes_max.saturating_add(limits.out_mb.saturating_mul(1 << 20)).saturating_add(streams);
        let names = u64::from(inbox.inputs_max) + u64::from(limits.artifacts) + 16;
        // While the gate copies a file, it exists twice.
        let at_once = 2 * u64::try_from(gatepost_exec::coordinator::workers(config)).unwrap_or(u64::MAX);
        Self { bytes: bytes.saturating_mul(at_once), names: names.saturating_mul(at_once) }
    }
}

fn room(figures: &StatVfs, need: &Need) -> Vec<Finding> {
    let read_only = figures.f_flag.contains(StatVfsMountFlags::RDONLY).then(|| {
        let why = "Nothing can be claimed, run or answered on it.";
        Finding::failure("disk.writable", "read-only", why, "Mount it read-write.")
    });
    let space = space(figures.f_bavail.saturating_mul(figures.f_frsize), need.bytes);
    // Some file systems create inodes on demand, and report 0.
    let names = (figures.f_files > 0).then(|| names(figures.f_favail, need.names));
    read_only.into_iter().chain([space]).chain(names).collect()
}

fn space(free_bytes: u64, need_bytes: u64) -> Finding {
    let (free, need) = (free_bytes >> 20, need_bytes >> 20);
    let found = format!("{free} MiB free; requests at their limits need {need} MiB at once");
    let why =
        "Runs that use all that [limits] and [inbox] grant would fill the disk. Failed writes wait and are retried.";
    let fix = "Free some space, or lower out_mb, inputs_bytes_max or workers.";
    match free_bytes {
        ..SPACE_MIN_BYTES => {
            Finding::failure("disk.space", found, "Nothing can be written on a full disk.", "Free some space.")
        }
        _ if free_bytes < need_bytes => Finding::warning("disk.space", found, why, fix),
        _ => Finding::ok("disk.space", found),
    }
}

fn names(free: u64, need: u64) -> Finding {
    let found = format!("{free} inodes free; requests at their limits need {need} at once");
    if free >= need {
        return Finding::ok("disk.names", found);
    }
    let why = "The file system has too few inodes for what [limits] and [inbox] grant.";
    Finding::warning("disk.names", found, why, "Remove what is not needed, or use a file system with more inodes.")
}

/// Drops that requesters staged and left; watchers remove their own leftovers at startup.
fn staged(site: &Site, now: SystemTime) -> Finding {
    let folder = site.inbox().join(STAGING);
    let is_old = |entry: &fs::DirEntry| {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        modified.is_ok_and(|modified| now.duration_since(modified).is_ok_and(|age| age > STAGED_MAX))
    };
    let old = folder.read_dir().map_or(0, |entries| entries.filter_map(Result::ok).filter(is_old).count());
    let found = format!("{old} older than an hour in inbox/{STAGING}");
    if old == 0 {
        return Finding::ok("disk.staged", found);
    }
    let words = [
        "find",
        &folder.to_string_lossy(),
        "-mindepth",
        "1",
        "-maxdepth",
        "1",
        "-mmin",
        "+60",
        "-exec",
        "rm",
        "-r",
        "{}",
        "+",
    ];
    Finding::warning("disk.staged", found, "Their submission was started but never finished.", "Remove them.")
        .run(shell::line(words))
}

fn clock(now: DateTime<Utc>, synchronized: Option<bool>) -> Finding {
    let year = chrono::Datelike::year(&now);
    let found = format!("year {year}");
    let plausible = (2025..2100).contains(&year);
    match (plausible, synchronized) {
        (false, _) => {
            let why = "The clock is wrong: results would carry its time, and requests with the correct time would be refused.";
            Finding::failure("clock.time", found, why, "Set it.").run("sudo timedatectl set-ntp true")
        }
        (true, Some(false)) => {
            let why = "Nothing keeps the clock synchronized: as it drifts, results get wrong times and requests seem to come from the future.";
            Finding::warning("clock.time", format!("{found}, not synchronized"), why, "Run a time service.")
                .run("sudo timedatectl set-ntp true")
        }
        (true, Some(true)) => Finding::ok("clock.time", format!("{found}, synchronized")),
        (true, None) => Finding::ok("clock.time", found),
    }
}

/// Whether the disk's timestamps use the same clock; a file server's clock may be wrong.
fn skew(site: &Site) -> Finding {
    let path = site.outbox().join(STAGING).join(format!("doctor-{}", std::process::id()));
    let before = SystemTime::now();
    let dated = File::create_new(&path).and_then(|file| file.metadata()?.modified());
    let after = SystemTime::now();
    // It was created just above and belongs to nobody else.
    let _ = fs::remove_file(&path);
    match dated {
        Ok(dated) => {
            let ahead = dated.duration_since(after).unwrap_or_default();
            let behind = before.duration_since(dated).unwrap_or_default();
            skew_finding(ahead.max(behind))
        }
        Err(error) => Finding::unavailable("clock.disk", format!("this user cannot test it: {error}")),
    }
}

fn skew_finding(difference: Duration) -> Finding {
    let found = format!("differs by {} s from the machine's clock", difference.as_secs());
    if difference <= SKEW_MAX {
        return Finding::ok("clock.disk", found);
    }
    let why = "The file system does not use this machine's clock.";
    Finding::warning("clock.disk", found, why, "Synchronize both machines with the same time service.")
}

#[cfg(test)]
mod tests {
    use super::super::Status;
    use super::*;

    #[test]
    fn folders_of_several_mounts_are_a_failure_that_names_them() {
        let folders = [("var/exec", Some(1)), ("outbox", Some(2)), ("quarantine", Some(1)), ("gone", None)];
        let finding = moves(&folders);
        assert_eq!(
            (finding.status, finding.found.as_str()),
            (Status::Failure, "not on the same mount as var/exec: outbox")
        );
        assert_eq!(moves(&[("var/exec", Some(1)), ("outbox", Some(1))]).status, Status::Ok);
    }

    #[test]
    fn a_file_system_that_may_lose_things_is_told() {
        for kept in [FileSystem::Disk(None), FileSystem::Disk(Some("XFS"))] {
            assert_eq!(kind("disk.kind", kept).status, Status::Ok);
        }
        for lossy in [FileSystem::Network("NFS"), FileSystem::Memory("tmpfs"), FileSystem::Overlay] {
            assert_eq!(kind("disk.kind", lossy).status, Status::Warning, "{lossy:?}");
        }
    }

    #[test]
    fn room_is_measured_against_what_requests_may_need() {
        let status = |free| space(free, 1 << 30).status;
        assert_eq!((status(1 << 20), status(1 << 29), status(1 << 30)), (Status::Failure, Status::Warning, Status::Ok));
        assert_eq!((names(9, 10).status, names(10, 10).status), (Status::Warning, Status::Ok));
        let need = |workers| {
            Need::for_config(&Config {
                exec: gatepost_contract::config::Exec { workers, ..Default::default() },
                ..Default::default()
            })
            .bytes
        };
        assert_eq!(need(3), 3 * need(1));
    }

    #[test]
    fn a_clock_in_another_century_is_a_failure_and_one_that_nobody_keeps_a_warning() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let now = at("2026-11-21T08:00:00Z");
        assert_eq!(clock(at("1970-01-01T00:01:00Z"), Some(true)).status, Status::Failure);
        assert_eq!(clock(now, Some(false)).status, Status::Warning);
        assert_eq!((clock(now, Some(true)).status, clock(now, None).status), (Status::Ok, Status::Ok));
        assert_eq!(skew_finding(Duration::from_secs(3)).status, Status::Warning);
        assert_eq!(skew_finding(Duration::from_secs(1)).status, Status::Ok);
    }
}
