//! Text whose letters were moved: by any number of places, by mirroring the alphabet, or by 47 places of printable ASCII.
//!
//! A few strong words are looked for, moved in every way, with the keywords of all detectors; what stands around one is moved
//! back. Thirteen places and text that reads backwards have longer lists beside this one.
//!
//! Security: reads hostile bytes; neighbourhoods that overlap are moved once in each way.

use std::ops::Range;
use std::sync::LazyLock;

use super::View;
use super::found::Found;
use super::turned::around;

/// Words that are no words of any language when moved, and that few harmful sentences do without.
const WORDS: [&str; 16] = [
    "ignore",
    "instruct",
    "previous",
    "disregard",
    "forget",
    "override",
    "prompt",
    "system",
    "approv",
    "polic",
    "access",
    "allow",
    "password",
    "https",
    "please",
    "report",
];
/// The ways: 1 to 25 places without 13, the mirrored alphabet, and 47 places.
const WAYS: usize = 27;
const MIRRORED: usize = 0;
const PRINTABLE: usize = 26;

static MOVED: LazyLock<Vec<(usize, &'static str)>> = LazyLock::new(|| {
    let ways = (0..WAYS).filter(|way| *way != 13);
    let each = |way: usize| {
        WORDS
            .into_iter()
            .map(move |word| (way, word.bytes().map(|byte| char::from(back(byte, inverse(way)))).collect::<String>()))
    };
    ways.flat_map(each).map(|(way, word)| (way, &*word.leak())).collect()
});

/// The keywords to look for.
pub(super) fn keywords() -> impl Iterator<Item = &'static str> {
    MOVED.iter().map(|(_, word)| *word)
}

/// Finds and moves back; `marks` are the places of keywords, by their index.
pub(super) fn find(view: &View<'_>, marks: impl Iterator<Item = (Range<usize>, usize)>, found: &mut Found) {
    let mut places: [Vec<Range<usize>>; WAYS] = Default::default();
    for (word, keyword) in marks {
        if let Some((way, _)) = MOVED.get(keyword)
            && let Some(places) = places.get_mut(*way)
        {
            around(view.bytes, word, places);
        }
    }
    for (way, places) in places.into_iter().enumerate() {
        for range in places {
            let text = view.bytes.get(range.clone()).unwrap_or_default();
            let encoding = match way {
                MIRRORED => "Atbash",
                PRINTABLE => "ROT47",
                _ => "Caesar",
            };
            found.add(range, text.iter().map(|byte| back(*byte, way)).collect(), encoding);
        }
    }
}

/// The way that undoes a way.
const fn inverse(way: usize) -> usize {
    match way {
        MIRRORED | PRINTABLE => way,
        _ => 26 - way,
    }
}

/// A byte moved back.
const fn back(byte: u8, way: usize) -> u8 {
    let (first, size) = match byte {
        b'!'..=b'~' if way == PRINTABLE => (b'!', 94),
        b'a'..=b'z' if way != PRINTABLE => (b'a', 26),
        b'A'..=b'Z' if way != PRINTABLE => (b'A', 26),
        _ => return byte,
    };
    let [places, ..] = match way {
        MIRRORED => return first + 25 - (byte - first),
        PRINTABLE => 47_usize.to_le_bytes(),
        // At most 25.
        _ => (26 - way).to_le_bytes(),
    };
    first + (byte - first + places) % size
}

#[cfg(test)]
mod tests {
    use super::super::tests::shows;
    use super::*;

    #[test]
    fn text_moved_in_any_way_is_read() {
        let clear = "Please ignore all of it!";
        for way in (0..WAYS).filter(|way| *way != 13) {
            let encoding = match way {
                MIRRORED => "Atbash",
                PRINTABLE => "ROT47",
                _ => "Caesar",
            };
            let moved: String = clear.bytes().map(|byte| char::from(back(byte, inverse(way)))).collect();
            assert_ne!(moved, clear);
            assert!(shows(format!("note\n{moved}\n").as_bytes(), encoding, clear.as_bytes()), "{way}: {moved}");
        }
    }

    #[test]
    fn ordinary_text_is_not_moved() {
        let text = "Please ignore this report of the system; access to https://example.org is allowed by the policy.";
        assert!(["Caesar", "Atbash", "ROT47"].iter().all(|encoding| !shows(text.as_bytes(), encoding, b"")));
    }
}
