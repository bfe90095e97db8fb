//! Estimates the size of a submission from its folders, only to judge small ones first.
//!
//! *Security*: nothing relies on it; its work is bounded, and it follows no link.

use std::path::Path;

/// The maximum number of entries to examine: a submission with more is large.
const ENTRIES_MAX: usize = 10_000;

/// The size of all files at a path; `u64::MAX` if they are too many to count or cannot be listed.
pub(super) fn bytes_at(path: &Path) -> u64 {
    let Ok(found) = path.symlink_metadata() else { return u64::MAX };
    if !found.is_dir() {
        return found.len();
    }
    let (mut bytes, mut entries, mut open) = (0_u64, 0_usize, vec![path.to_owned()]);
    while let Some(folder) = open.pop() {
        let Ok(listed) = folder.read_dir() else { return u64::MAX };
        for entry in listed.filter_map(Result::ok) {
            entries += 1;
            if entries > ENTRIES_MAX {
                return u64::MAX;
            }
            match entry.metadata() {
                Ok(found) if found.is_dir() => open.push(entry.path()),
                Ok(found) => bytes = bytes.saturating_add(found.len()),
                Err(_) => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_wherever_they_lie_and_very_many_are_not_counted_to_the_end() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b")).unwrap();
        std::fs::write(folder.path().join("a/b/file"), "12345").unwrap();
        std::os::unix::fs::symlink("/", folder.path().join("a/link")).unwrap();
        assert!((5..100).contains(&bytes_at(folder.path())));
        assert_eq!(bytes_at(&folder.path().join("a/b/file")), 5);
        assert_eq!(bytes_at(&folder.path().join("nothing")), u64::MAX);
        for number in 0..=ENTRIES_MAX {
            std::fs::File::create(folder.path().join(number.to_string())).unwrap();
        }
        assert_eq!(bytes_at(folder.path()), u64::MAX);
    }
}
