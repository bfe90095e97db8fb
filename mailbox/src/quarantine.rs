//! The quarantine: one folder an item, the untouched bytes with the reasons beside them.
//!
//! ```text
//! quarantine/TR-20260209-160501Z-a/
//!   reasons.json      for programs
//!   REASONS.md        for people
//!   untouched/        the item as it came, under its own name (percent-encoded where that name is not plain)
//! ```
//!
//! Items leave only past their retention, when a person orders it (see [`Removals`]). If a name is taken, the item gets the suffix `.2`
//! to `.9`, and then a random `.xxxxxxxx`, so many items of one name cost no search.
//!
//! *Commit point*: the rename out of `.tmp`. An item that a power cut left there is finished by [`recover`].

mod carry;
mod item;
mod retention;

pub use item::{Item, RELEASE, RELEASE_FILE, Record, Refusal, all_about, find, items};
pub use retention::{ASIDE, Because, Removal, Removals, Retention, Stray, Surplus, removals, size, surplus};

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::rand::{GetRandomFlags, getrandom};

use crate::durable;
use crate::fault::{Fault, OnPath};
use crate::site::{STAGING, Site};
use gatepost_documents::digest::Digest;
use gatepost_documents::reason::{Reason, Severity};

/// The folder of the untouched bytes.
pub const UNTOUCHED: &str = "untouched";
/// The reasons for programs.
pub const RECORD: &str = "reasons.json";
/// The reasons for people.
pub const PAGE: &str = "REASONS.md";
/// Bytes on their way into the item.
const WRITTEN: &str = ".written";
/// The last number that a taken name gets.
pub const NUMBERED_MAX: u32 = 9;
/// The length to which a plain name is cut, bytes, and its maximum with the digest after it.
const CUT_BYTES: usize = 111;
const PLAIN_MAX_BYTES: usize = 120;

/// What is logged of a new item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Milestone {
    /// It is complete and on the disk, and gets its place next.
    Complete,
    /// It could not get its place, and its bytes go back next.
    Withdrawn,
}

/// The content of a new quarantine item.
#[derive(Debug, Clone, Copy)]
pub enum Contents<'a> {
    /// A file or folder, which is moved, together with the plain name that it gets.
    Move(&'a Path, &'a str),
    /// Bytes that are written under a plain name.
    Bytes(&'a [u8], &'a str),
}

/// Puts one item into quarantine and returns its folder. `name` is a plain name (see [`plain_name`]), `record` the JSON
/// and `page` the markdown that go beside it. If `log` fails and cannot log that either, the item stays staged for [`recover`]: it may be
/// in the log.
pub fn put(
    site: &Site,
    name: &str,
    (record, page): (&[u8], &str),
    contents: &[Contents<'_>],
    log: impl Fn(Milestone) -> Result<(), Fault>,
) -> Result<PathBuf, Fault> {
    let all = site.quarantine().join(STAGING);
    let staging = make_numbered(&all, name)?;
    // Else a power cut could keep the leaf and lose the item.
    let filled = fill(&staging, record, page, contents).and_then(|()| durable::sync_folder(&all));
    filled.inspect_err(|_| take_back(&staging, contents))?;
    let done = log(Milestone::Complete).and_then(|()| commit(site, &staging, name));
    done.inspect_err(|_| {
        // If only a flush failed, it has its place.
        if staging.symlink_metadata().is_ok() && log(Milestone::Withdrawn).is_ok() {
            take_back(&staging, contents);
        }
    })
}

/// Undoes an incomplete item, so that a fault leaves nothing behind however often an item is retried, and no item is
/// quarantined twice. A part that cannot be moved back exists nowhere else and stays: [`recover`] finishes it.
fn take_back(staging: &Path, contents: &[Contents<'_>]) {
    let untouched = staging.join(UNTOUCHED);
    let mut is_empty = true;
    for part in contents {
        if let Contents::Move(from, name) = *part
            && untouched.join(name).symlink_metadata().is_ok()
        {
            // Still there, it was only copied.
            is_empty &= from.symlink_metadata().is_ok() || durable::rename_new(&untouched.join(name), from).is_ok();
        }
    }
    if is_empty {
        let _ = durable::remove_tree(staging);
    }
}

/// A file gets its name after it is complete and synced, and before anything is moved: everything in `untouched/` is complete.
fn fill(staging: &Path, record: &[u8], page: &str, contents: &[Contents<'_>]) -> Result<(), Fault> {
    durable::write_new(&staging.join(RECORD), record)?;
    durable::write_new(&staging.join(PAGE), page.as_bytes())?;
    let untouched = staging.join(UNTOUCHED);
    fs::create_dir(&untouched).on("create", &untouched)?;
    for part in contents {
        if let Contents::Bytes(bytes, name) = *part {
            let written = staging.join(WRITTEN);
            durable::write_new(&written, bytes)?;
            durable::rename_new(&written, &untouched.join(name))?;
        }
    }
    for part in contents {
        if let Contents::Move(from, name) = *part {
            carry::carry(from, &untouched.join(name))?;
        }
    }
    durable::sync_folder(&untouched)?;
    durable::sync_folder(staging)
}

/// Finishes items that a power cut interrupted: if an item's bytes are there it gets its place, else it is removed.
/// `log` is called with the name and folder of an item before it gets its place.
pub fn recover(site: &Site, log: impl Fn(&str, &Path) -> Result<(), Fault>) -> Result<(), Fault> {
    let folder = site.quarantine();
    let staging = folder.join(STAGING);
    for entry in staging.read_dir().on("list", &staging)? {
        let path = entry.on("list", &staging)?.path();
        if path.is_dir() && path.join(UNTOUCHED).is_dir() && path.join(RECORD).symlink_metadata().is_err() {
            // Others may write there: an item has its record before anything else.
            continue;
        }
        let holds_bytes = path.join(UNTOUCHED).read_dir().is_ok_and(|mut entries| entries.next().is_some());
        if holds_bytes {
            let name = staged_name(path.file_name().unwrap_or_default().as_bytes());
            match durable::sync_tree(&path) {
                // So deep a tree was moved here as a whole; we wrote no part of it.
                Err(fault) if Errno::from_io_error(&fault.source) == Some(Errno::NAMETOOLONG) => {}
                result => result?,
            }
            log(&name, &path)?;
            commit(site, &path, &name)?;
        } else {
            durable::remove_tree(&path)?;
        }
    }
    Ok(())
}

/// The item's name in that of its folder in `.tmp`. Others may write there: a name that [`put`] does not give is made plain.
fn staged_name(folder: &[u8]) -> String {
    let digits = folder.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let stem = folder.get(..folder.len() - digits).and_then(|stem| stem.strip_suffix(b"~")).unwrap_or(folder);
    let is_given = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+=@,%~".contains(byte);
    let is_plain =
        stem.iter().all(is_given) && stem.len() <= PLAIN_MAX_BYTES && stem.first().is_some_and(|byte| *byte != b'.');
    if is_plain { String::from_utf8_lossy(stem).into_owned() } else { plain_name(stem) }
}

/// Gives a laid-out item its place, under the first free name.
pub fn commit(site: &Site, staging: &Path, name: &str) -> Result<PathBuf, Fault> {
    let folder = site.quarantine();
    for number in 1_u32.. {
        let target = folder.join(match number {
            1..=NUMBERED_MAX => numbered(name, number),
            _ => format!("{name}.{:08x}", random()?),
        });
        match durable::move_new(staging, &target) {
            Err(fault) if is_taken(&fault.source) => {}
            result => return result.map(|()| target),
        }
    }
    unreachable!("a random name is free sooner or later")
}

/// The places of the items that have the name, or the name with the suffix for a collision.
pub fn places(site: &Site, name: &str) -> Result<Vec<PathBuf>, Fault> {
    let folder = site.quarantine();
    let numbers = (1..=NUMBERED_MAX).map(|number| folder.join(numbered(name, number)));
    let mut places: Vec<PathBuf> = numbers.filter(|place| place.symlink_metadata().is_ok()).collect();
    // Only a name that exists nine times has random suffixes too, which only a full listing finds.
    if folder.join(numbered(name, NUMBERED_MAX)).symlink_metadata().is_ok() {
        for entry in folder.read_dir().on("list", &folder)? {
            let found = entry.on("list", &folder)?.path();
            let is_it =
                found.file_name().and_then(|found| found.to_str()).is_some_and(|found| meanings(found).contains(&name));
            if is_it && !places.contains(&found) {
                places.push(found);
            }
        }
    }
    Ok(places)
}

/// What the name of an item may mean: itself, and the name that was taken when the item came. The id of a request may end like the
/// suffix that a taken name gets.
pub fn meanings(name: &str) -> [&str; 2] {
    let is_number =
        |suffix: &str| suffix.len() == 1 && suffix.parse().is_ok_and(|number| (2..=NUMBERED_MAX).contains(&number));
    let taken = name.rsplit_once('.').filter(|(_, suffix)| is_number(suffix) || is_random(suffix));
    [name, taken.map_or(name, |(taken, _)| taken)]
}

/// Whether a suffix is one of those behind the numbered ones.
fn is_random(suffix: &str) -> bool {
    suffix.len() == 8 && suffix.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The name of the `number`th item of a name, from 1 to [`NUMBERED_MAX`].
pub fn numbered(name: &str, number: u32) -> String {
    if number == 1 { name.to_owned() } else { format!("{name}.{number}") }
}

fn make_numbered(folder: &Path, name: &str) -> Result<PathBuf, Fault> {
    for number in 1_u32.. {
        let number = if number <= NUMBERED_MAX { number } else { random()? };
        let path = folder.join(format!("{name}~{number}"));
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return result.on("create", &path).map(|()| path),
        }
    }
    unreachable!("a random name is free sooner or later")
}

/// 16 random hexadecimal digits.
pub fn random_name() -> Result<String, Fault> {
    Ok(format!("{:08x}{:08x}", random()?, random()?))
}

/// A random number.
pub fn random() -> Result<u32, Fault> {
    let mut bytes = [0; 4];
    getrandom(&mut bytes, GetRandomFlags::empty()).on("draw a random name from", Path::new("/dev/urandom"))?;
    Ok(u32::from_ne_bytes(bytes))
}

fn is_taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AlreadyExists || Errno::from_io_error(error) == Some(Errno::NOTEMPTY)
}

/// A plain file name for bytes that a stranger chose: every byte outside `A–Z a–z 0–9 . _ - + = @ ,` and a leading dot
/// become `%XX`. If the result is longer than 120 bytes, it is cut and gets `~` and 8 hexadecimal digits of the SHA-256
/// of the whole name, so that two names never collide. Never empty, never `.` or `..`.
pub fn plain_name(name: &[u8]) -> String {
    let mut plain = String::new();
    let mut cut = 0;
    for (index, byte) in name.iter().enumerate() {
        let keep = byte.is_ascii_alphanumeric() || b"_-+=@,".contains(byte) || (*byte == b'.' && index > 0);
        if keep {
            plain.push(char::from(*byte));
        } else {
            let _ = write!(plain, "%{byte:02X}");
        }
        if plain.len() <= CUT_BYTES {
            cut = plain.len();
        }
    }
    if plain.len() > PLAIN_MAX_BYTES {
        plain.truncate(cut);
        let digest = Digest::of(name).to_string();
        let _ = write!(plain, "~{}", digest.get(..8).unwrap_or_default());
    }
    if plain.is_empty() { "%".to_owned() } else { plain }
}

/// The reasons as a markdown list for people: what, where, why, and what to do next.
pub fn reasons_list(reasons: &[Reason]) -> String {
    let mut page = String::new();
    for reason in reasons {
        let rule = reason.rule.as_deref().map_or(String::new(), |rule| format!(" ({rule})"));
        let flag = if reason.severity == Severity::Flag { " (flag only)" } else { "" };
        let _ = writeln!(page, "- **{}**{rule}{flag}: {}", reason.code, reason.message);
        let span = |text: &str| format!("`{text}`");
        if let Some(place) = reason.place(span) {
            let _ = writeln!(page, "  - Where: {place}");
        }
        if let Some(places) = reason.other_places(span) {
            let _ = writeln!(page, "  - Also: {places}");
        }
        if let Some(excerpt) = &reason.excerpt {
            let _ = writeln!(page, "  - Excerpt: `{excerpt}`");
        }
        if let Some(because) = &reason.lowered_because {
            let _ = writeln!(page, "  - Lowered by gate.toml: {because}");
        }
        let _ = writeln!(page, "  - Rule: {}", reason.code.rule());
        let _ = writeln!(page, "  - Hint: {}", reason.hint);
    }
    page
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> (tempfile::TempDir, Site) {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::at(folder.path());
        fs::create_dir_all(site.quarantine().join(STAGING)).unwrap();
        (folder, site)
    }

    #[test]
    fn an_item_keeps_its_bytes_and_a_taken_name_is_numbered() {
        let (folder, site) = site();
        for (expected, bytes) in [("TR-a", b"one"), ("TR-a.2", b"two")] {
            let drop = folder.path().join("drop");
            fs::write(&drop, bytes).unwrap();
            let item = put(&site, "TR-a", (b"{}", "why"), &[Contents::Move(&drop, "drop")], |_| Ok(())).unwrap();
            assert_eq!(item, site.quarantine().join(expected));
            assert_eq!(fs::read(item.join("untouched/drop")).unwrap(), bytes);
            assert!(!drop.exists());
        }
    }

    #[test]
    fn recovery_finishes_an_item_that_holds_bytes_and_sweeps_the_rest() {
        let (_folder, site) = site();
        let staging = site.quarantine().join(STAGING);
        fs::create_dir_all(staging.join("TR-a~1/untouched")).unwrap();
        fs::write(staging.join("TR-a~1/untouched/drop"), "x").unwrap();
        fs::create_dir_all(staging.join("TR-b~1/untouched")).unwrap();
        for name in ["TR-a~1", "TR-b~1"] {
            fs::write(staging.join(name).join(RECORD), "{}").unwrap();
        }
        // One that another user put there.
        fs::create_dir_all(staging.join("x~1/untouched/x")).unwrap();
        recover(&site, |_, _| Ok(())).unwrap();
        assert_eq!(fs::read(site.quarantine().join("TR-a/untouched/drop")).unwrap(), b"x");
        assert_eq!(staging.read_dir().unwrap().count(), 1);
        assert!(!site.quarantine().join("TR-b").exists());
    }

    #[test]
    fn an_item_gets_a_plain_name_for_any_name_of_its_staged_folder() {
        let (_folder, site) = site();
        let staging = site.quarantine().join(STAGING);
        let long = [&[0xff; 200][..], b"~1"].concat();
        for name in [&b"..~1"[..], b"~1", b"7", b".hidden~2", b"a%1B~4294967295", b"b\n~1", &long] {
            let folder = staging.join(std::ffi::OsStr::from_bytes(name)).join(UNTOUCHED);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("drop"), "x").unwrap();
            fs::write(folder.with_file_name(RECORD), "{}").unwrap();
        }
        recover(&site, |_, _| Ok(())).unwrap();
        assert_eq!(staging.read_dir().unwrap().count(), 0);
        let mut names: Vec<_> = items(&site).unwrap().into_iter().map(|item| item.name).collect();
        names.sort();
        assert_eq!(names.len(), 7, "{names:?}");
        assert_eq!(&names[..2], ["%", "%2E."]);
        assert!(names.contains(&"a%1B".to_owned()) && names.contains(&"b%0A".to_owned()), "{names:?}");
    }

    #[test]
    fn a_plain_name_is_safe_for_any_bytes() {
        assert_eq!(plain_name(b"../x\n"), "%2E.%2Fx%0A");
        assert_eq!(plain_name(b".."), "%2E.");
        assert_eq!(plain_name(b""), "%");
        assert_eq!(plain_name("é".as_bytes()), "%C3%A9");
        assert_eq!(plain_name(&[b'x'; 120]), "x".repeat(120));
        for byte in [b'x', 0xff] {
            let (long, longer) = (plain_name(&[byte; 250]), plain_name(&[byte; 251]));
            assert!(long.len() <= 120 && longer.len() <= 120 && long != longer, "{long} {longer}");
        }
    }

    #[test]
    fn an_item_that_cannot_be_moved_leaves_nothing_behind_and_says_the_same_each_time() {
        let (folder, site) = site();
        let (missing, there) = (folder.path().join("missing"), folder.path().join("there"));
        let put = |contents: &[Contents<'_>]| {
            put(&site, "TR-a", (b"{}", "why"), contents, |_| Ok(())).unwrap_err().to_string()
        };
        let staged = || site.quarantine().join(STAGING).read_dir().unwrap().count();
        assert_eq!(put(&[Contents::Move(&missing, "a")]), put(&[Contents::Move(&missing, "a")]));
        assert_eq!(staged(), 0);
        // Moves back everything that moved before the fault.
        fs::write(&there, "x").unwrap();
        put(&[Contents::Bytes(b"y", "y"), Contents::Move(&there, "a"), Contents::Move(&missing, "b")]);
        assert_eq!(fs::read(&there).unwrap(), b"x");
        assert_eq!(staged(), 0);
    }

    #[test]
    fn an_item_goes_back_once_its_withdrawal_is_logged_and_stays_staged_if_that_fails() {
        let (folder, site) = site();
        let drop = folder.path().join("drop");
        fs::write(&drop, "x").unwrap();
        let put = |may_withdraw: bool| {
            let log = |milestone| match milestone {
                Milestone::Withdrawn if may_withdraw => Ok(()),
                _ => Err(io::Error::from(io::ErrorKind::StorageFull)).on("log", Path::new("x")),
            };
            put(&site, "x", (b"{}", "why"), &[Contents::Move(&drop, "drop")], log).unwrap_err();
        };
        let staged = || site.quarantine().join(STAGING).read_dir().unwrap().count();
        put(true);
        assert_eq!((drop.exists(), staged()), (true, 0));
        put(false);
        assert_eq!((drop.exists(), staged()), (false, 1));
        recover(&site, |_, _| Ok(())).unwrap();
        assert_eq!(fs::read(site.quarantine().join("x/untouched/drop")).unwrap(), b"x");
    }

    #[test]
    fn recovery_sweeps_an_item_whose_bytes_were_still_being_written() {
        let (_folder, site) = site();
        let folder = site.quarantine().join(STAGING).join("TR-a~1");
        fs::create_dir_all(folder.join(UNTOUCHED)).unwrap();
        fs::write(folder.join(WRITTEN), "hal").unwrap();
        fs::write(folder.join(RECORD), "{}").unwrap();
        recover(&site, |_, _| Ok(())).unwrap();
        assert_eq!(fs::read_dir(site.quarantine().join(STAGING)).unwrap().count(), 0);
        assert!(items(&site).unwrap().is_empty());
    }

    #[test]
    fn a_name_that_is_taken_many_times_is_numbered_to_nine_and_then_random() {
        let (_folder, site) = site();
        for _ in 0..12 {
            put(&site, "x", (b"{}", "why"), &[Contents::Bytes(b"x", "x")], |_| Ok(())).unwrap();
        }
        let entries =
            site.quarantine().read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut lengths: Vec<_> = entries.filter(|name| name != STAGING).map(|name| name.len()).collect();
        lengths.sort_unstable();
        assert_eq!(lengths, [1, 3, 3, 3, 3, 3, 3, 3, 3, 10, 10, 10]);
        assert_eq!(places(&site, "x").unwrap().len(), 12);
        assert!(places(&site, "y").unwrap().is_empty());
    }
}
