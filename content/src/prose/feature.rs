//! What a sentence is weighed by: single words and pairs of words, each named by a number.
//!
//! ```text
//! ignor               a word, by its stem
//! #obey               the class of a word, which its stem has (`classes.txt`)
//! PRIOR               a sense, which some words and phrases have (`sense.rs`)
//! ^ignor              the same at the beginning of a clause
//! ignor PRIOR         one right behind the other
//! ^ignor PRIOR        the same at the beginning of a clause
//! ignor .. instruct   one behind the other with up to three words between them
//! ```
//!
//! Does not know what anything weighs. Also a part of the build, which names the features in the table of weights.

/// The longest stem of a word in ASCII, bytes, and of another word, characters.
const STEM_BYTES: usize = 8;
const STEM_CHARACTERS: usize = 7;
/// A word that no suffix is taken from has so many bytes or fewer.
const WHOLE_BYTES_MAX: usize = 3;

/// How the words of a feature stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Single = 1,
    Opening = 2,
    Adjacent = 3,
    OpeningAdjacent = 4,
    Near = 5,
}

/// The number of a stem or of the name of a sense.
#[inline]
pub(crate) fn symbol(name: &[u8]) -> u64 {
    let (whole, rest) = name.as_chunks::<8>();
    let last = rest.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
    let start = whole.iter().fold(0, |hash, eight| mix(hash ^ u64::from_le_bytes(*eight)));
    if rest.is_empty() && !whole.is_empty() { start } else { mix(start ^ last) }
}

/// The number of a feature; `second` is 0 where there is but one word.
#[inline]
pub(crate) const fn key(kind: Kind, first: u64, second: u64) -> u64 {
    mix((first ^ kind as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) ^ second)
}

/// The first slot for a number, of a table with so many slots, which is a power of two.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "only the lowest bits are asked for")]
pub(crate) const fn slot(key: u64, slots: usize) -> usize {
    key as usize & (slots - 1)
}

/// What tells the number of a feature from others in its slot; never 0, which stands for an empty slot.
#[inline]
pub(crate) const fn sign(key: u64) -> u32 {
    (key >> 32) as u32 | 1
}

/// The same for the number of a stem, in 24 bits.
#[inline]
pub(crate) const fn short_sign(stem: u64) -> u32 {
    (stem >> 40) as u32 | 1
}

/// The bits that tell nearly every number that is in no feature of the table.
pub(crate) const KNOWN_BITS: usize = 1 << 20;

/// The bit of a number among them.
#[inline]
pub(crate) const fn known_bit(key: u64) -> usize {
    (key >> 44) as usize % KNOWN_BITS
}

/// The same as [`symbol`] of at most eight bytes, the first in the lowest bits and zeros behind them.
#[inline]
pub(crate) const fn short_symbol(name: u64) -> u64 {
    mix(name)
}

#[inline]
const fn mix(value: u64) -> u64 {
    let value = value.wrapping_mul(0xD6E8_FEB8_6659_FD93);
    value ^ value >> 32
}

/// The stem of a word in lower case: without some endings of English, and of limited length. Every number is the same word.
#[inline]
pub(crate) fn stem(word: &str) -> &str {
    if !word.is_ascii() {
        return word.char_indices().nth(STEM_CHARACTERS).map_or(word, |(end, _)| &word[..end]);
    }
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return "0";
    }
    &word[..stem_bytes(word.as_bytes())]
}

/// The length of the stem of a word of ASCII in lower case that is no number.
#[inline]
pub(crate) fn stem_bytes(word: &[u8]) -> usize {
    let mut rest = word;
    if let [stem @ .., before, b's'] = rest
        && stem.len() + 2 > WHOLE_BYTES_MAX
        && !matches!(before, b's' | b'u')
    {
        rest = &rest[..rest.len() - 1];
    }
    rest = match rest {
        [stem @ .., b'i', b'n', b'g'] | [stem @ .., b'e', b'd'] if stem.len() > 2 => stem,
        _ => rest,
    };
    rest = match rest {
        [stem @ .., b'e' | b'y' | b'i'] if stem.len() > WHOLE_BYTES_MAX => stem,
        _ => rest,
    };
    rest.len().min(STEM_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (stem_of_all, words) in [
            ("approv", ["approve", "approves", "approved"]),
            ("ignor", ["ignore", "ignored", "ignoring"]),
            ("instruct", ["instruction", "instructions", "instructed"]),
            ("0", ["7", "4711", "00"]),
            ("инструк", ["инструкция", "инструкции", "инструкций"]),
        ] {
            for word in words {
                assert_eq!(stem(word), stem_of_all, "{word}");
            }
        }
        assert_ne!(stem("previous"), stem("previou"), "an s behind a u is no ending");
        assert_eq!([stem("is"), stem("red"), stem("ring")], ["is", "red", "ring"]);
    }

    #[test]
    fn how_words_stand_and_in_which_order_is_told_apart() {
        let [one, other] = ["ignor", "rule"].map(|word| symbol(word.as_bytes()));
        let keys = [
            key(Kind::Single, one, 0),
            key(Kind::Opening, one, 0),
            key(Kind::Adjacent, one, other),
            key(Kind::Adjacent, other, one),
            key(Kind::OpeningAdjacent, one, other),
            key(Kind::Near, one, other),
        ];
        for (at, key) in keys.iter().enumerate() {
            assert!(!keys[..at].contains(key), "{at}");
        }
        assert_ne!(symbol(b"aaaaaaaa"), symbol(b"aaaaaaaaa"));
        assert_ne!(symbol(b"aaaaaaaab"), symbol(b"aaaaaaaac"));
    }
}
