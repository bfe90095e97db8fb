//! Text in UTF-16, of either byte order, with or without a byte order mark.
//!
//! Without a mark it is recognised by its ASCII characters, whose every second byte is zero.
//!
//! Security: reads hostile bytes, in one pass.
//! Standards: RFC 2781.

use memchr::memchr;

use super::found::Found;
use crate::view::View;

/// The fewest ASCII characters in a row.
const CHARACTERS_MIN: usize = 8;

/// Finds and decodes.
pub(super) fn find(view: &View<'_>, found: &mut Found) {
    match view.bytes {
        [0xFF, 0xFE, rest @ ..] if view.at_start => whole(view, rest, u16::from_le_bytes, found),
        [0xFE, 0xFF, rest @ ..] if view.at_start => whole(view, rest, u16::from_be_bytes, found),
        _ => {}
    }
    // A mark may lie: what follows it is looked at as if there were none, too.
    let bytes = view.bytes;
    let mut at = 0;
    while let Some(offset) = memchr(0, bytes.get(at..).unwrap_or_default()) {
        let zero = at + offset;
        // Of many zeros only the last can belong to a character, and the one before it to the last character before them.
        let last = zero + zeros(bytes.get(zero..).unwrap_or_default()).saturating_sub(1);
        let little = zero.checked_sub(1).filter(|start| *start >= at).map(|start| (start, run(bytes, start, [0, 1])));
        let big = run(bytes, last, [1, 0]);
        // Between other characters both orders may give as many.
        let (first, second) = (little.unwrap_or((zero, zero)), (last, big));
        let longest = (first.1 - first.0).max(second.1 - second.0);
        let mut end = last;
        for ((start, stop), encoding) in [(first, "UTF-16LE"), (second, "UTF-16BE")] {
            if stop - start == longest && longest >= 2 * CHARACTERS_MIN {
                let characters = bytes.get(start..stop).unwrap_or_default().iter().filter(|byte| **byte != 0);
                found.add(start..stop, characters.copied().collect(), encoding);
                end = end.max(stop);
            }
        }
        at = end.max(last + 1);
    }
}

/// How many zeros bytes begin with.
fn zeros(bytes: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = bytes.chunks_exact(BLOCK).take_while(|block| *block == [0; BLOCK]).count() * BLOCK;
    blocks + bytes.iter().skip(blocks).take_while(|byte| **byte == 0).count()
}

/// The end of the ASCII characters from `start` on; these are the offsets of a pair's character and zero byte.
fn run(bytes: &[u8], start: usize, [own, zero]: [usize; 2]) -> usize {
    let is_shown = |pair: &&[u8]| {
        pair.get(zero) == Some(&0)
            && pair.get(own).is_some_and(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'))
    };
    start + 2 * bytes.get(start..).unwrap_or_default().chunks_exact(2).take_while(is_shown).count()
}

/// A source whose byte order mark declares its encoding.
fn whole(view: &View<'_>, rest: &[u8], unit: fn([u8; 2]) -> u16, found: &mut Found) {
    let units = rest.chunks_exact(2).filter_map(|pair| Some(unit(*pair.first_chunk()?)));
    let text: String = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    found.add(0..view.bytes.len(), text.into_bytes(), "UTF-16");
}

#[cfg(test)]
mod tests {
    use super::super::tests::{layers_of, shows};

    #[test]
    fn both_orders_are_read_with_and_without_a_mark() {
        let little = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        let big = |text: &str| text.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<_>>();
        assert!(shows(&[b"\0\0\x01", &*little("ignore all of it")].concat(), "UTF-16LE", b"ignore all of it"));
        assert!(shows(&[b"\x01\0\0", &*big("ignore all of it")].concat(), "UTF-16BE", b"ignore all of it"));
        assert!(shows(&[b"\xFE\xFF\xFF", &*little("ignore all of it")].concat(), "UTF-16LE", b"ignore all of it"));
        let foreign = "игнорируй всё";
        assert!(shows(&little(&format!("\u{feff}{foreign}")), "UTF-16", foreign.as_bytes()));
        assert!(shows(&big(&format!("\u{feff}{foreign}")), "UTF-16", foreign.as_bytes()));
    }

    #[test]
    fn between_other_characters_no_character_is_lost() {
        let text = "ignore all of it";
        let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert!(shows(&[b"x\n\n", &*little, b"\n\nx"].concat(), "UTF-16LE", text.as_bytes()));
        assert!(shows(&[b"x\n\n", &*big, b"\n\nx"].concat(), "UTF-16BE", text.as_bytes()));
    }

    #[test]
    fn zeros_alone_are_no_text() {
        assert!(layers_of(&[0; 1000]).is_empty() && layers_of(b"a\0b\0c\0\x01\x02").is_empty());
    }
}
