//! What is scarce, one case each.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::Write;
use std::iter;

use rustix::process::Resource;

use crate::oracle::Trouble;
use crate::stand::{Place, Stand, Up};

/// One thing to be short of.
pub(crate) struct Case {
    pub name: &'static str,
    pub place: Place,
    /// Everything that is wrong; with all limits, or some of them.
    pub run: fn(&mut Stand, bool) -> Vec<String>,
}

pub(crate) const CASES: [Case; 9] = [
    Case { name: "descriptors from the start", place: Place::Scratch, run: descriptors_from_the_start },
    Case { name: "descriptors under load", place: Place::Scratch, run: descriptors_under_load },
    Case { name: "processes from the start", place: Place::Else, run: processes_from_the_start },
    Case { name: "processes under load", place: Place::Else, run: processes_under_load },
    Case { name: "inotify instances", place: Place::Scratch, run: inotify_instances },
    Case { name: "disk space", place: Place::Own("size=12m"), run: disk_space },
    Case { name: "inodes", place: Place::Own("nr_inodes=8000"), run: inodes },
    Case { name: "memory from the start", place: Place::Scratch, run: memory_from_the_start },
    Case { name: "memory under load", place: Place::Scratch, run: memory_under_load },
];

/// Runs both watchers once under each limit, from the first words on, and then with enough of everything.
fn from_the_start(stand: &mut Stand, limits: impl Iterator<Item = u64>, flag: &str, trouble: Trouble) -> Vec<String> {
    for limit in limits {
        stand.drop_each();
        // The soft limit alone, which a tool's process may not raise: gatepost sets a tool's own.
        let limit = format!("--{flag}={limit}:");
        let mut complaints = stand.run_short(&["prlimit", &limit], "exec");
        complaints.extend(stand.run_short(&["prlimit", &limit], "gate"));
        complaints.extend(stand.settle(trouble, &limit));
        if !complaints.is_empty() {
            return complaints;
        }
    }
    Vec::new()
}

/// All that is wrong with each of some amounts, told with the amount.
fn with_each<A: Copy + Display>(
    stand: &mut Stand,
    amounts: &[A],
    what: &str,
    shortage: impl Fn(&mut Stand, A) -> Vec<String>,
) -> Vec<String> {
    let mut complaints = Vec::new();
    for amount in amounts {
        let found = shortage(stand, *amount);
        complaints.extend(found.into_iter().map(|complaint| format!("{what} {amount}: {complaint}")));
    }
    complaints
}

/// A limit of the watchers, lowered to each of these under load and raised again.
fn under_load(stand: &mut Stand, limits: &[u64], resource: Resource) -> Vec<String> {
    with_each(stand, limits, "at most", |stand, most| {
        let take = |_: &Stand, up: &Up| up.limit(resource, Some(most));
        let give = |_: &Stand, up: &Up| up.limit(resource, None);
        stand.shortage(&take, &give)
    })
}

fn descriptors_from_the_start(stand: &mut Stand, is_full: bool) -> Vec<String> {
    from_the_start(stand, (3..=64).step_by(if is_full { 1 } else { 5 }), "nofile", Trouble::Faults)
}

fn descriptors_under_load(stand: &mut Stand, is_full: bool) -> Vec<String> {
    let limits: &[u64] = if is_full { &[0, 4, 8, 10, 12, 14, 16, 20, 24, 32] } else { &[0, 14] };
    under_load(stand, limits, Resource::Nofile)
}

fn processes_from_the_start(stand: &mut Stand, is_full: bool) -> Vec<String> {
    from_the_start(stand, (1..=16).step_by(if is_full { 1 } else { 3 }), "nproc", Trouble::Faults)
}

fn processes_under_load(stand: &mut Stand, is_full: bool) -> Vec<String> {
    let limits: &[u64] = if is_full { &[0, 4, 8, 10, 12, 14, 16, 18] } else { &[0, 12] };
    under_load(stand, limits, Resource::Nproc)
}

/// Of the user namespace in which this runs; outside of one the watchers get one of their own.
fn inotify_instances(stand: &mut Stand, _: bool) -> Vec<String> {
    let set = "echo 0 > /proc/sys/user/max_inotify_instances && exec \"$0\" \"$@\"";
    let before = ["unshare", "--user", "--map-root-user", "sh", "-c", set];
    stand.drop_each();
    let mut complaints = stand.run_short(&before, "exec");
    complaints.extend(stand.run_short(&before, "gate"));
    complaints.extend(stand.settle(Trouble::Faults, "none"));
    complaints
}

/// Fills the site's file system but for so many blocks, and empties it again.
fn disk_space(stand: &mut Stand, is_full: bool) -> Vec<String> {
    with_each(stand, left_over(is_full), "blocks left", |stand, left| {
        let take = |stand: &Stand, _: &Up| {
            let path = stand.path("ballast");
            let mut ballast = File::create(&path).unwrap();
            let block = [1; 4096];
            let written = iter::repeat_with(|| ballast.write_all(&block)).take_while(Result::is_ok).count();
            // What others wrote meanwhile may have been taken from the last of it.
            ballast.set_len(4096 * written.saturating_sub(left) as u64).unwrap();
        };
        let give = |stand: &Stand, _: &Up| fs::remove_file(stand.path("ballast")).unwrap();
        stand.shortage(&take, &give)
    })
}

/// Takes all inodes of the site's file system but for so many, and gives them back.
fn inodes(stand: &mut Stand, is_full: bool) -> Vec<String> {
    with_each(stand, left_over(is_full), "inodes left", |stand, left| {
        let take = |stand: &Stand, _: &Up| {
            let folder = stand.path("ballast");
            fs::create_dir(&folder).unwrap();
            let made =
                (0..).map(|number| folder.join(format!("{number}"))).take_while(|path| File::create(path).is_ok());
            let made: Vec<_> = made.collect();
            made.iter().rev().take(left).for_each(|path| fs::remove_file(path).unwrap());
        };
        let give = |stand: &Stand, _: &Up| fs::remove_dir_all(stand.path("ballast")).unwrap();
        stand.shortage(&take, &give)
    })
}

/// How much is left of what is taken away.
fn left_over(is_full: bool) -> &'static [usize] {
    if is_full { &[0, 1, 2, 3, 4, 6, 8, 12, 16, 24] } else { &[0, 6] }
}

/// A program that cannot have memory dies of it.
fn memory_from_the_start(stand: &mut Stand, is_full: bool) -> Vec<String> {
    let step = if is_full { 8 } else { 48 };
    from_the_start(stand, (8..=400).step_by(step).map(|mib| mib << 20), "as", Trouble::Death)
}

fn memory_under_load(stand: &mut Stand, is_full: bool) -> Vec<String> {
    let limits: &[u64] = if is_full { &[1 << 20, 64 << 20, 128 << 20, 256 << 20] } else { &[1 << 20] };
    under_load(stand, limits, Resource::As)
}
