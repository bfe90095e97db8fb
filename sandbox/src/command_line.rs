//! The command line of the first process, which every process in its sandbox can read: gatepost's own until it is overwritten.
//!
//! The kernel shows the memory of the original arguments. The first process is a copy of gatepost, so it overwrites only its own copy,
//! and nothing in it reads an argument any more. gatepost's command line names the site.
//!
//! Standards: Linux `proc_pid_cmdline(5)`, `proc_pid_stat(5)`.

use std::fs;
use std::ops::Range;
use std::ptr;

/// The replacement text.
const NAME: &[u8] = b"gatepost";

/// The fields `arg_start` and `arg_end` of `/proc/⟨pid⟩/stat`, counted from 0 after the name in parentheses.
const START: usize = 45;

/// The addresses of this process's arguments; none if `/proc` does not show them.
pub(super) fn place() -> Option<Range<usize>> {
    range(&fs::read_to_string("/proc/self/stat").ok()?)
}

fn range(line: &str) -> Option<Range<usize>> {
    let (_, fields) = line.rsplit_once(") ")?;
    let mut fields = fields.split(' ').skip(START);
    let (start, end) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    // The kernel shows zeros for a hidden address.
    (0 < start && start < end).then_some(start..end)
}

/// Overwrites the arguments of this process. Runs between clone and exec.
///
/// # Safety
/// `place` must come from [`place`], in this process or in the one that it is a copy of, and nothing may read arguments later.
pub(super) unsafe fn cover(place: &Range<usize>) {
    let arguments = ptr::with_exposed_provenance_mut::<u8>(place.start);
    let name = NAME.len().min(place.len() - 1);
    // SAFETY: the kernel laid the arguments on the main thread's stack, which stays mapped, can be written, and holds nothing
    // there that any code borrows; the last byte stays zero.
    unsafe {
        arguments.write_bytes(0, place.len());
        arguments.copy_from_nonoverlapping(NAME.as_ptr(), name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_is_that_of_the_arguments_whatever_the_programs_name() {
        let fields = |values: &str| format!("7 (a) b (c) S {}{values} 9", "0 ".repeat(44));
        assert_eq!(range(&fields("4096 4100")), Some(4096..4100));
        for other in ["0 0", "4100 4096", "4096 4096", "x y"] {
            assert_eq!(range(&fields(other)), None, "{other}");
        }
        assert_eq!(range(""), None);
        let place = place().unwrap();
        let arguments = std::env::args_os().map(|argument| argument.len() + 1).sum::<usize>();
        assert_eq!(place.len(), arguments);
    }
}
