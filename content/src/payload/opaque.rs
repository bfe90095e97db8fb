//! What is packed so that the gate cannot look into it: formats of compression and archives for which it has no decoder, and
//! members of zip archives that are encrypted or packed otherwise than by deflate.
//!
//! A tool may rightly deliver an archive as a file: there it is mentioned. Anywhere else (in the result's own words, in what is
//! shown, within another encoding) nobody needs one, and nothing that is not read passes.
//!
//! Absent: whatever has no head of its own (raw LZMA2, Brotli), and what is encrypted as a whole.
//!
//! *Security*: hostile bytes, read at fixed offsets; searches are linear. *Standards*: the bzip2 and xz file formats; RFC 8878
//! (Zstandard); 7-Zip, `7zFormat.txt`; RAR 5.0 technical note; APPNOTE.TXT 6.3.10, 4.3.7 and 4.3.12; LZ4 frame format 1.6.

use memchr::memmem;

use super::super::place::Place;
use super::super::rule::{Hit, Rule, Strength};
use super::super::view::View;
use gatepost_documents::reason::Code;

/// What nobody looked into.
pub(crate) static RULE: Rule = Rule {
    name: "budget/opaque",
    code: Code::BudgetExceeded,
    message: "This is packed or encrypted in a way that the gate cannot undo, so that nobody has looked into it.",
    hint: "Have the tool deliver it unpacked, or as gzip or zip.",
    source: "docs/content.md: anything unreadable is a rejection, never a pass",
};

/// Heads that are looked for in every view, as far as they are text; in lower case.
pub(super) const WORDS: &[&str] =
    &["1ay&sy", "7zxz\0", "rar!\u{1a}\u{7}", "pk\u{3}\u{4}", "pk\u{1}\u{2}", "**ace**", "mswim\0\0\0"];

/// Heads that are looked for where a view is no text.
const FOREIGN: [&[u8]; 2] = [b"7z\xBC\xAF\x27\x1C", b"\x28\xB5\x2F\xFD"];

/// The bytes of a head that a hit names.
const HEAD_BYTES: usize = 32;

/// What a source that begins like this is.
pub(super) fn at_start(view: &View<'_>) -> Option<Hit> {
    let is_opaque = match view.bytes {
        // Window and size of LZMA alone; the size is unknown, or below a terabyte.
        [0x5D, 0, 0, _, _, size @ ..] => size.starts_with(&[0xFF; 8]) || size.get(5..8) == Some(&[0; 3]),
        [b'L', b'Z', b'I', b'P', 0 | 1, ..]
        | [0x04, 0x22, 0x4D, 0x18, ..]
        | [0x02, 0x21, 0x4C, 0x18, ..]
        | [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..]
        | [0x89, b'L', b'Z', b'O', 0, b'\r', b'\n', ..]
        | [b'h', b's', b'q', b's', ..]
        | [b'M', b'S', b'C', b'F', 0, 0, 0, 0, ..]
        | [0xFF, 0x06, 0, 0, b's', b'N', b'a', b'P', b'p', b'Y', ..]
        | [_, _, b'-', b'l', b'h', b'0'..=b'7', b'-', ..]
        | [b'7', b'k', b'S', b't', ..]
        | [b'z', b'P', b'Q', 1 | 2, ..]
        | [b'L', b'R', b'Z', b'I', 0, ..] => true,
        // The width of codes in bits, and a bit that old writers leave out.
        [0x1F, 0x9D, bits, ..] => matches!(bits & 0x7F, 9..=16),
        _ => false,
    };
    is_opaque.then(|| hit(view, 0))
}

/// The packed stream whose head has one of [`WORDS`] at `at`.
pub(super) fn within(view: &View<'_>, at: usize, word: &str) -> Option<Hit> {
    let bytes = view.bytes;
    let short = |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |pair| u16::from_le_bytes(*pair));
    let member = |flags: usize| {
        // Stored members and deflated ones are read; all others, and those that are encrypted, are not.
        let is_read = matches!(short(flags + 2), 0 | 8) && short(flags) & 1 == 0;
        (!is_read && short(flags + 2) < 100).then_some(at)
    };
    let is = |head: &[u8], before: usize| {
        at.checked_sub(before).filter(|start| bytes.get(*start..).is_some_and(|rest| rest.starts_with(head)))
    };
    let start = match word {
        "1ay&sy" => {
            (b'1'..=b'9').find_map(|level| is(&[b'B', b'Z', b'h', level, b'1', b'A', b'Y', b'&', b'S', b'Y'], 4))
        }
        "7zxz\0" => is(b"\xFD7zXZ\0", 1),
        "rar!\u{1a}\u{7}" => is(b"Rar!\x1A\x07", 0),
        "pk\u{3}\u{4}" => is(b"PK\x03\x04", 0).and_then(|at| member(at + 6)),
        "pk\u{1}\u{2}" => is(b"PK\x01\x02", 0).and_then(|at| member(at + 8)),
        "**ace**" => is(b"**ACE**", 0).filter(|at| *at >= 7),
        "mswim\0\0\0" => is(b"MSWIM\0\0\0", 0),
        _ => None,
    }?;
    Some(hit(view, start))
}

/// The packed streams whose heads hold no word.
pub(super) fn foreign(view: &View<'_>, hits: &mut Vec<Hit>) {
    if view.bytes.is_ascii() {
        return;
    }
    for head in FOREIGN {
        let mut places = memmem::find_iter(view.bytes, head).filter(|at| {
            // A frame of Zstandard has a bit that is nought in all of its versions.
            head.len() > 4 || view.bytes.get(at + head.len()).is_some_and(|descriptor| descriptor & 0x08 == 0)
        });
        hits.extend(places.next().map(|at| hit(view, at)));
    }
}

/// A file may be an archive, and hold one among other things, also encoded; noise that was decoded by chance does at times.
fn hit(view: &View<'_>, start: usize) -> Hit {
    let is_part = view.place == Place::Artifact && (view.depth == 0 || start > 0);
    let strength = if is_part { Strength::Mentioned } else { Strength::Addressed };
    Hit { rule: &RULE, range: start..view.bytes.len().min(start + HEAD_BYTES), strength }
}

#[cfg(test)]
mod tests {
    use super::super::find;
    use super::*;

    fn of(bytes: &[u8], depth: u8, place: Place) -> Vec<Strength> {
        let mut hits = Vec::new();
        find(&View::new(bytes, true, true, depth, place), &mut hits);
        hits.iter().filter(|hit| *hit.rule == RULE).map(|hit| hit.strength).collect()
    }

    fn member(flags: u8, method: u8) -> Vec<u8> {
        [b"PK\x03\x04\x14\0", &[flags, 0, method, 0][..], &[0; 16], b"\x01\0\0\0a"].concat()
    }

    #[test]
    fn what_has_no_decoder_is_mentioned_as_a_file_and_addressed_anywhere_else() {
        for head in [
            &b"BZh91AY&SY\x12\x34"[..],
            b"\xFD7zXZ\0\0\x04",
            b"\x28\xB5\x2F\xFD\x24\x10",
            b"\x50\x2A\x4D\x18\x04\0\0\0",
            b"7z\xBC\xAF\x27\x1C\0\x04",
            b"Rar!\x1A\x07\x01\0",
            b"\x5D\0\0\x80\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF",
            b"\x1F\x9D\x90\x61",
            b"\x04\x22\x4D\x18\x64\x40",
            &member(1, 8),
            &member(0, 14),
        ] {
            assert_eq!(of(head, 0, Place::Artifact), [Strength::Mentioned], "{head:?}");
            assert_eq!(of(head, 1, Place::Artifact), [Strength::Addressed], "{head:?}");
            assert_eq!(of(head, 0, Place::Rendered), [Strength::Addressed], "{head:?}");
        }
        for head in [&b"BZh91AY&SY"[..], b"\xFD7zXZ\0", b"\x28\xB5\x2F\xFD\x24", b"7z\xBC\xAF\x27\x1C", &member(0, 98)]
        {
            let within = [b"some other bytes ", head, b"\0\0\0\0 and more"].concat();
            assert_eq!(of(&within, 1, Place::Artifact), [Strength::Mentioned], "{head:?}");
            assert_eq!(of(&within, 1, Place::Results), [Strength::Addressed], "{head:?}");
        }
    }

    #[test]
    fn text_about_archives_and_members_that_are_read_are_not_opaque() {
        for text in [
            &b"BZh is the head of bzip2, Rar! of RAR, 7zXZ of xz and PK of zip"[..],
            b"1AY&SY",
            &member(0, 0),
            &member(0, 8),
            b"\x28\xB5\x2F\xFD\xFF",
            b"\x1F\x9D\xFF",
        ] {
            assert_eq!(of(text, 1, Place::Prose), [], "{text:?}");
        }
    }
}
