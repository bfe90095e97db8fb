//! Machine code without a head, as exploits carry it: what starts a shell, and the beginnings of what looks for functions of
//! Windows in memory.
//!
//! It knows a few sequences that nearly all such code of x86 has, and disassembles nothing. *Security*: hostile bytes, in a few
//! linear searches. *Standards*: Linux, `execve(2)`; Intel 64 manual, volume 2 (`PUSH`, `MOV`, segment prefixes); `PEB` in `winternl.h`.

use std::ops::Range;

use memchr::memmem;

use super::super::rule::{Hit, Strength};
use super::kind::Kind;

/// The name of the shell as it is pushed, in halves, and as it is loaded, with a slash more so that eight bytes are full.
pub(super) const WORDS: &[&str] = &["h//shh/bin", "/bin//sh"];

/// The stack is aligned for a call, or the process environment block is read for its list of modules.
const SEQUENCES: &[&[u8]] =
    &[b"\xFC\x48\x83\xE4\xF0\xE8", b"\xFC\x48\x81\xE4\xF0\xFF\xFF\xFF", b"\x64\x8B\x50\x30\x8B\x52\x0C"];

/// The most of each sequence that are told in a view.
const PLACES_MAX: usize = 16;

/// What a word within a source belongs to.
pub(super) fn within(bytes: &[u8], place: Range<usize>, word: &str) -> Option<Hit> {
    let written = bytes.get(place.clone())?;
    // An instruction loads it: what stands before is no text.
    let is_loaded = || place.start.checked_sub(1).and_then(|at| bytes.get(at)).is_some_and(|byte| !byte.is_ascii());
    (written == word.as_bytes() && (word.starts_with('h') || is_loaded())).then(|| hit(place))
}

/// Finds the sequences, which are no text and no matter of the shared pass.
pub(super) fn sequences(bytes: &[u8], hits: &mut Vec<Hit>) {
    for sequence in SEQUENCES {
        let places = memmem::find_iter(bytes, sequence).take(PLACES_MAX);
        hits.extend(places.map(|at| hit(at..at + sequence.len())));
    }
}

fn hit(range: Range<usize>) -> Hit {
    Hit { rule: Kind::MachineCode.rule(), range, strength: Strength::Addressed }
}

#[cfg(test)]
mod tests {
    use super::super::super::place::Place;
    use super::super::super::view::View;

    fn is_found(bytes: &[u8]) -> bool {
        let mut hits = Vec::new();
        super::super::find(&View::whole(bytes, Place::Artifact), &mut hits);
        hits.iter().any(|hit| hit.rule.name == "payload/machine-code")
    }

    #[test]
    fn code_that_starts_a_shell_or_looks_for_functions_is_found() {
        for code in [
            &b"code = \x31\xC0\x50h//shh/bin\x89\xE3\x50"[..],
            b"\x48\xBB/bin//sh\x53\x54\x5F",
            b"buffer \xFC\x48\x83\xE4\xF0\xE8\xC0\0\0\0",
            b"\xFC\xE8\x82\0\0\0\x60\x89\xE5\x31\xC0\x64\x8B\x50\x30\x8B\x52\x0C",
        ] {
            assert!(is_found(code), "{}", code.escape_ascii());
        }
    }

    #[test]
    fn paths_are_not() {
        for text in ["root:x:0:0::/root:/bin//sh", "H//SHH/BIN", "see /bin//sh"] {
            assert!(!is_found(text.as_bytes()), "{text}");
        }
    }
}
