//! A fixed set of words, found in a text in one pass: in any mixture of ASCII cases, also where they overlap.
//!
//! ```text
//! every four bytes ──▶ can a word begin like this? (a bit each) ──▶ the words of that beginning, compared
//! ```
//!
//! Does not know what a word is for. Made in well under a millisecond, as a gate that judges one small bundle is started for
//! it; nearly all places of ordinary text end at the first step, which takes a block of places without a decision for each.
//!
//! *Security*: reads hostile bytes; at each place only the words of one beginning are compared.

use std::ops::RangeInclusive;

/// Makes of a beginning the places of its bits and of its words.
const FACTOR: u32 = 0x9E37_79B1;
/// The bit of a letter's case, in each of four bytes.
const CASES: u32 = 0x2020_2020;
/// Bits of a beginning's hash that choose among the buckets.
const BUCKET_BITS: u32 = 12;
/// How many places are noticed together.
const BLOCK_BYTES: usize = 64;
/// The last byte of two is any of these, in one case.
const ENDINGS: u32 = 256;

/// Where a word stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) start: usize,
    /// The byte behind it.
    pub(super) end: usize,
    /// Its index among the words.
    pub(super) word: usize,
}

/// The words.
pub(super) struct Words {
    /// Whether a word of four bytes or more begins so; of three or two.
    long: Filter<8192>,
    short: Filter<4096>,
    /// The words by the hash of their beginning, and where each bucket begins among them.
    words: Vec<Word>,
    buckets: Vec<usize>,
}

struct Word {
    beginning: u32,
    /// Its first eight bytes in one case, and which of eight there are.
    head: u64,
    mask: u64,
    text: Box<[u8]>,
    index: usize,
}

/// A bit for every hash of a beginning, 64 in each of so many numbers: few beginnings share one, and all stay in the fastest
/// memory.
struct Filter<const NUMBERS: usize>(Box<[u64; NUMBERS]>);

impl<const NUMBERS: usize> Filter<NUMBERS> {
    /// How many bits of a hash are left out.
    const SHIFT: u32 = u32::BITS - (NUMBERS * 64).trailing_zeros();

    fn of(beginnings: impl Iterator<Item = u32>) -> Self {
        const { assert!(NUMBERS.is_power_of_two(), "the highest bits of a hash choose the number") };
        let mut bits = Box::new([0; NUMBERS]);
        for beginning in beginnings {
            let hash = beginning.wrapping_mul(FACTOR) >> Self::SHIFT;
            bits[(hash >> 6) as usize % NUMBERS] |= 1 << (hash & 63);
        }
        Self(bits)
    }

    /// 1 if the bit is there.
    #[inline]
    fn of_beginning(&self, beginning: u32) -> u64 {
        let hash = beginning.wrapping_mul(FACTOR) >> Self::SHIFT;
        self.0[(hash >> 6) as usize % NUMBERS] >> (hash & 63) & 1
    }
}

impl Words {
    /// The set of these words, each of two bytes at least.
    pub(super) fn new<W: AsRef<[u8]>>(words: impl Iterator<Item = W>) -> Self {
        let word = |(index, word): (usize, W)| {
            let text: Box<[u8]> = word.as_ref().into();
            let mask = u64::MAX >> (64 - 8 * text.len().clamp(1, 8));
            Word { beginning: beginning(&text), head: head(&text) & mask, mask, text, index }
        };
        let mut words: Vec<_> = words.enumerate().map(word).collect();
        let of_size = |sizes: RangeInclusive<usize>| {
            let of_size = words.iter().filter(move |word| sizes.contains(&word.text.len()));
            of_size.map(|word| word.beginning)
        };
        let long = Filter::of(of_size(4..=usize::MAX));
        let any_third = |two: u32| (0..ENDINGS).map(move |third| two | (third | CASES & 0xFF) << 16);
        let short = Filter::of(of_size(3..=3).chain(of_size(0..=2).flat_map(any_third)));
        words.sort_by_key(|word| (bucket(word.beginning), word.index));
        let first = |number| words.partition_point(|word| bucket(word.beginning) < number);
        let buckets = (0..=1 << BUCKET_BITS).map(first).collect();
        Self { long, short, words, buckets }
    }

    /// Calls `found` with every place of every word, in the order of where they begin.
    #[inline]
    pub(super) fn each(&self, bytes: &[u8], mut found: impl FnMut(Place)) {
        let mut from = 0;
        while let Some(block) = bytes.get(from..).and_then(<[u8]>::first_chunk) {
            let mut noticed = self.noticed(block);
            while noticed != 0 {
                let at = from + noticed.trailing_zeros() as usize;
                noticed &= noticed - 1;
                self.compare(bytes, at, beginning(bytes.get(at..).unwrap_or_default()), &mut found);
            }
            from += BLOCK_BYTES;
        }
        for at in from..bytes.len() {
            let here = beginning(bytes.get(at..).unwrap_or_default());
            self.compare(bytes, at, here, &mut found);
        }
    }

    /// The places of a block at which a word can begin, a bit each.
    fn noticed(&self, block: &[u8; BLOCK_BYTES + 3]) -> u64 {
        block.windows(4).enumerate().fold(0, |noticed, (at, four)| {
            let [first, second, third, fourth] = *four else { return noticed };
            noticed | self.may_begin(u32::from_le_bytes([first, second, third, fourth]) | CASES) << at
        })
    }

    /// 1 if a word can begin so.
    #[inline]
    fn may_begin(&self, here: u32) -> u64 {
        self.long.of_beginning(here) | self.short.of_beginning(here & 0xFF_FFFF)
    }

    /// The same for every word that begins at one of these places, in their order.
    #[inline]
    pub(super) fn each_at(&self, bytes: &[u8], places: impl Iterator<Item = usize>, mut found: impl FnMut(Place)) {
        for at in places {
            self.compare(bytes, at, beginning(bytes.get(at..).unwrap_or_default()), &mut found);
        }
    }

    /// Compares the words that can begin at a place.
    fn compare(&self, bytes: &[u8], at: usize, here: u32, found: &mut impl FnMut(Place)) {
        let rest = bytes.get(at..).unwrap_or_default();
        let there = head(rest);
        // At the end of a text two of them are the same.
        let mut compared = None;
        let is_last = rest.len() < 4;
        let is_long = is_last || self.long.of_beginning(here) == 1;
        let is_short = is_last || self.short.of_beginning(here & 0xFF_FFFF) == 1;
        for (is_noticed, beginning) in [(is_long, here), (is_short, here & 0xFF_FFFF), (is_short, here & 0xFFFF)] {
            if compared == Some(beginning) || !is_noticed {
                continue;
            }
            compared = Some(beginning);
            let number = bucket(beginning);
            let (Some(&first), Some(&last)) = (self.buckets.get(number), self.buckets.get(number + 1)) else {
                continue;
            };
            for word in self.words.get(first..last).unwrap_or_default() {
                let is_here = there & word.mask == word.head
                    && word.beginning == beginning
                    && rest.get(..word.text.len()).is_some_and(|there| there.eq_ignore_ascii_case(&word.text));
                if is_here {
                    found(Place { start: at, end: at + word.text.len(), word: word.index });
                }
            }
        }
    }
}

/// The first four bytes of a word or of what is left of a text, as far as there are as many, in one case.
fn beginning(text: &[u8]) -> u32 {
    if let Some(first) = text.first_chunk() {
        return u32::from_le_bytes(*first) | CASES;
    }
    let first: [u8; 4] = std::array::from_fn(|at| text.get(at).map_or(0, |byte| byte | 0x20));
    u32::from_le_bytes(first)
}

/// The same of eight bytes.
fn head(text: &[u8]) -> u64 {
    let first = text.first_chunk().map_or_else(
        || u64::from_le_bytes(std::array::from_fn(|at| text.get(at).copied().unwrap_or(0))),
        |first: &[u8; 8]| u64::from_le_bytes(*first),
    );
    first | u64::from(CASES) << 32 | u64::from(CASES)
}

fn bucket(beginning: u32) -> usize {
    (beginning.wrapping_mul(FACTOR) >> (32 - BUCKET_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_word_is_found_wherever_it_stands(
            words in proptest::collection::vec("[ab{\\[]{2,6}|é[ab]", 0..20), text in "[abABé{\\[]{0,40}",
        ) {
            let mut found = Vec::new();
            Words::new(words.iter()).each(text.as_bytes(), |place| found.push(place));
            found.sort_by_key(|place| (place.end, place.start));
            let mut plainly = Vec::new();
            for end in 0..=text.len() {
                for start in 0..end {
                    let part = &text.as_bytes()[start..end];
                    let same = |(_, word): &(usize, &String)| word.as_bytes().eq_ignore_ascii_case(part);
                    let here = words.iter().enumerate().filter(same);
                    plainly.extend(here.map(|(word, _)| Place { start, end, word }));
                }
            }
            prop_assert_eq!(&found, &plainly);
            let even = (0..text.len()).step_by(2);
            let mut found = Vec::new();
            Words::new(words.iter()).each_at(text.as_bytes(), even, |place| found.push(place));
            found.sort_by_key(|place| (place.end, place.start));
            plainly.retain(|place| place.start % 2 == 0);
            prop_assert_eq!(found, plainly);
        }
    }
}
