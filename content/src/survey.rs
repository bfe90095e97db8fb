//! Which bytes of a view belong to which class, a bit each: what is looked for by its shape is found 64 bytes at a time.
//!
//! ```text
//! bytes        c u r l ␠ 6 9 …        a block of 64 bytes
//! LETTER       1 1 1 1 0 0 0 …        one number of 64 bits, the first byte in its lowest bit
//! DIGIT        0 0 0 0 0 1 1 …
//! ```
//!
//! Does not know what a class is for. Behind its last byte a view goes on with spaces.
//!
//! *Security*: reads hostile bytes, in one pass without a decision per byte.

use std::ops::Range;

/// The bytes of one block.
pub(crate) const BLOCK_BYTES: usize = 64;

/// A class of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub(crate) enum Class {
    /// Letters of ASCII.
    Letter,
    /// Digits of ASCII.
    Digit,
    /// Signs by which a word is taken apart.
    Mark,
    /// Straight quotation marks.
    Quote,
    /// Signs that join two strings, and the space.
    Joint,
    /// Closing brackets.
    Close,
    /// The low line and the slash.
    Bar,
    /// Everything printed in ASCII but the space.
    Graphic,
    /// Digits of base64, in both alphabets.
    Base64,
    /// Digits of any base up to 16, and what stands between numbers.
    Number,
    /// Signs of Morse code and what stands between its letters.
    Morse,
    /// Everything beyond ASCII.
    Foreign,
    /// What a sentence may end with.
    Ending,
    /// Marks of emphasis.
    Emphasis,
    /// Digits that may stand for letters.
    Leet,
    /// The backslash.
    Backslash,
}

/// How many classes there are.
const CLASSES: usize = 16;
/// Classes that are read together.
const TOGETHER: usize = 8;

impl Class {
    const ALL: [Self; CLASSES] = [
        Self::Letter,
        Self::Digit,
        Self::Mark,
        Self::Quote,
        Self::Joint,
        Self::Close,
        Self::Bar,
        Self::Graphic,
        Self::Base64,
        Self::Number,
        Self::Morse,
        Self::Foreign,
        Self::Ending,
        Self::Emphasis,
        Self::Leet,
        Self::Backslash,
    ];

    /// Whether a byte belongs to the class.
    pub(crate) const fn has(self, byte: u8) -> bool {
        match self {
            Self::Letter => byte.is_ascii_alphabetic(),
            Self::Digit => byte.is_ascii_digit(),
            Self::Mark => matches!(byte, b'^' | b'`' | b'|' | b'~' | b'*' | b'+' | b'<' | b'$' | b'\\'),
            Self::Quote => matches!(byte, b'"' | b'\''),
            Self::Joint => matches!(byte, b' ' | b'+' | b'.' | b'&'),
            Self::Close => matches!(byte, b')' | b']' | b'}'),
            Self::Bar => matches!(byte, b'_' | b'/'),
            Self::Graphic => byte.is_ascii_graphic(),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'),
            Self::Number => {
                byte.is_ascii_hexdigit()
                    || byte.is_ascii_whitespace() && byte != 0x0c
                    || matches!(byte, b'x' | b'X' | b'h' | b'H' | b'o' | b',' | b':' | b';' | b'-' | b'[' | b']' | b'(')
                    || matches!(byte, b')' | b'{' | b'}' | b'"' | b'\'' | b'&' | b'#' | b'+' | b'|' | b'$' | b'.')
                    || matches!(byte, b'_' | b'/' | b'\\')
            }
            Self::Morse => matches!(byte, b'.' | b'-' | b'/' | b' ' | b'|' | b'_' | b'\n'),
            Self::Foreign => !byte.is_ascii(),
            Self::Ending => {
                matches!(byte, b'|' | b'\t' | b'<' | b'>' | b'{' | b'}' | 0 | b'.' | b'!' | b'?' | b';' | b'"')
                    || matches!(byte, b'\n' | 0x82)
            }
            Self::Emphasis => matches!(byte, b'*' | b'`' | b'~' | b'_'),
            Self::Leet => matches!(byte, b'0' | b'1' | b'3' | b'4' | b'5' | b'7'),
            Self::Backslash => byte == b'\\',
        }
    }
}

/// For every byte its classes: the lowest bit of one byte each, eight classes a number.
static BITS: [[u64; 256]; CLASSES / TOGETHER] = {
    let mut bits = [[0; 256]; CLASSES / TOGETHER];
    let mut class = 0;
    while class < CLASSES {
        let mut byte = u8::MIN;
        loop {
            if Class::ALL[class].has(byte) {
                bits[class / TOGETHER][byte as usize] |= 1 << (class % TOGETHER * 8);
            }
            if byte == u8::MAX {
                break;
            }
            byte += 1;
        }
        class += 1;
    }
    bits
};

/// The classes of 64 bytes.
#[derive(Debug, Clone, Copy)]
struct Block([u64; CLASSES]);

impl Block {
    fn of(bytes: &[u8; BLOCK_BYTES]) -> Self {
        let mut rows = [[0_u8; 8]; CLASSES];
        for (column, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
            for (bits, rows) in BITS.iter().zip(rows.as_chunks_mut::<TOGETHER>().0) {
                let classes = eight.iter().enumerate().fold(0, |all, (at, byte)| all | bits[*byte as usize] << at);
                for (row, byte) in rows.iter_mut().zip(classes.to_le_bytes()) {
                    row[column] = byte;
                }
            }
        }
        Self(rows.map(u64::from_le_bytes))
    }

    /// What belongs to a class in either.
    fn with(mut self, other: &Self) -> Self {
        for (mine, other) in self.0.iter_mut().zip(&other.0) {
            *mine |= other;
        }
        self
    }
}

/// The classes of all bytes of a view.
#[derive(Debug)]
pub(crate) struct Survey {
    blocks: Vec<Block>,
    bytes: usize,
    /// Of each class, all blocks together.
    all: Block,
}

impl Survey {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let (whole, rest) = bytes.as_chunks();
        let mut blocks = Vec::with_capacity(whole.len() + 2);
        blocks.extend(whole.iter().map(Block::of));
        let mut last = [b' '; BLOCK_BYTES];
        for (place, byte) in last.iter_mut().zip(rest) {
            *place = *byte;
        }
        blocks.push(Block::of(&last));
        blocks.push(Block::of(&[b' '; BLOCK_BYTES]));
        let all = blocks.iter().fold(Block([0; CLASSES]), Block::with);
        Self { blocks, bytes: bytes.len(), all }
    }

    /// Whether any byte belongs to a class, which has no space.
    pub(crate) fn has(&self, class: Class) -> bool {
        self.all.0[class as usize] != 0
    }

    /// The bytes of a class in a block and in the one behind it, the first byte in the lowest bit.
    #[inline]
    pub(crate) fn ahead(&self, block: usize, class: Class) -> u128 {
        u128::from(self.block(block, class)) | u128::from(self.block(block + 1, class)) << BLOCK_BYTES
    }

    /// The bytes of a class in a block of the view or in the one behind it.
    #[inline]
    pub(crate) fn block(&self, block: usize, class: Class) -> u64 {
        self.blocks.get(block).map_or(0, |block| block.0[class as usize])
    }

    /// The first place from `from` on, and before `end`, of which `found` has the bit in its block.
    pub(crate) fn next(&self, from: usize, end: usize, mut found: impl FnMut(usize) -> u64) -> Option<usize> {
        let end = end.min(self.bytes);
        let mut bits = u64::MAX << (from % BLOCK_BYTES);
        for block in from / BLOCK_BYTES..end.div_ceil(BLOCK_BYTES) {
            bits &= found(block);
            if bits != 0 {
                return Some(block * BLOCK_BYTES + bits.trailing_zeros() as usize).filter(|at| *at < end);
            }
            bits = u64::MAX;
        }
        None
    }

    /// The maximal runs of a class of at least `LEAST` bytes, which are 8 to 64, in order.
    pub(crate) fn runs<const LEAST: u32>(&self, class: Class) -> Vec<Range<usize>> {
        const { assert!(8 <= LEAST && LEAST <= 64, "a run is found in the block that it begins in and the next") };
        let begins = |block: usize| {
            let one = self.ahead(block, class);
            // The places at which two, four and eight in a row begin, and as many as are asked for.
            let two = one & one >> 1;
            let four = two & two >> 2;
            let eight = four & four >> 4;
            let (mut all, mut length) = (eight, 8);
            while length < LEAST {
                let step = length.min(LEAST - length);
                all &= all >> step;
                length += step;
            }
            low(all)
        };
        let mut runs = Vec::new();
        let mut from = 0;
        while let Some(start) = self.next(from, self.bytes, begins) {
            let end = self.next(start, self.bytes, |block| !self.block(block, class)).unwrap_or(self.bytes);
            if end - start >= LEAST as usize {
                runs.push(start..end);
            }
            from = end;
        }
        runs
    }
}

/// What belongs to the first of two blocks.
#[allow(clippy::cast_possible_truncation, reason = "the other half is the second block")]
pub(crate) const fn low(both: u128) -> u64 {
    both as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The maximal runs of at least `least` bytes of a class, by looking at every byte.
    fn plainly(bytes: &[u8], class: Class, least: usize) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        let mut start = 0;
        for at in 0..=bytes.len() {
            if bytes.get(at).is_none_or(|byte| !class.has(*byte)) {
                if at - start >= least {
                    runs.push(start..at);
                }
                start = at + 1;
            }
        }
        runs
    }

    proptest! {
        #[test]
        fn every_byte_has_its_classes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let survey = Survey::of(&bytes);
            for class in Class::ALL {
                let expected = bytes.iter().any(|byte| class.has(*byte));
                prop_assert!(class.has(b' ') || survey.has(class) == expected);
                for at in 0..bytes.len() + BLOCK_BYTES {
                    let is = survey.block(at / BLOCK_BYTES, class) >> (at % BLOCK_BYTES) & 1 == 1;
                    prop_assert_eq!(is, class.has(bytes.get(at).copied().unwrap_or(b' ')), "{:?} at {}", class, at);
                }
            }
        }

        #[test]
        fn the_runs_are_those_that_looking_at_every_byte_finds(text in "([ab1]{0,90}[!é]|[1-9]{0,30}|[ .|]{0,20}){0,9}") {
            let survey = Survey::of(text.as_bytes());
            for class in Class::ALL {
                prop_assert_eq!(survey.runs::<15>(class), plainly(text.as_bytes(), class, 15), "{:?}", class);
                prop_assert_eq!(survey.runs::<8>(class), plainly(text.as_bytes(), class, 8), "{:?}", class);
                prop_assert_eq!(survey.runs::<64>(class), plainly(text.as_bytes(), class, 64), "{:?}", class);
            }
        }

        #[test]
        fn a_place_is_found_between_two_others(text in "[a.]{0,150}", from in 0_usize..150, end in 0_usize..160) {
            let survey = Survey::of(text.as_bytes());
            let ending = |block: usize| survey.block(block, Class::Ending);
            let place = (from..end.min(text.len())).find(|at| text.as_bytes()[*at] == b'.');
            prop_assert_eq!(survey.next(from, end, ending), place);
        }
    }
}
