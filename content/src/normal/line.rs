//! Lines, and which of them need to be read with care.
//!
//! Most text is printable ASCII without any disguise; that is seen in one pass without a decision per byte.

use memchr::memchr;

/// How a line has to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Lower case is all.
    Even,
    /// Lower case and fewer spaces are all.
    Plain,
    /// Lower case, fewer spaces and no marks of emphasis.
    Emphasized,
    /// Character by character.
    Careful(Disguises),
}

/// What a line may have to be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Disguises {
    /// Letters, each apart from the next.
    pub(super) spelled: bool,
    /// Digits between letters.
    pub(super) leet: bool,
    /// Characters other than printable ASCII and white space.
    pub(super) foreign: bool,
}

//

/// The class of a byte is a bit in one of four bytes, and as classes are shifted in, each of these shows the last eight bytes.
const LETTER: u32 = 1;
const MARK: u32 = 1 << 8;
/// A digit that may stand for a letter.
const LEET: u32 = 1 << 16;
const WHITE: u32 = 1 << 24;
/// Anything but printable ASCII and white space, which is kept out of the shifting.
const OTHER: u32 = 1 << 31;
const SHIFTED: u32 = 0x7EFE_FEFE;

static CLASSES: [u32; 256] = {
    let mut classes = [0; 256];
    let mut byte = u8::MIN;
    loop {
        classes[byte as usize] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => LETTER,
            b'0' | b'1' | b'3' | b'4' | b'5' | b'7' => LEET,
            b'*' | b'`' | b'~' | b'_' => MARK,
            b' ' => WHITE,
            // Every other white space is as uneven as two spaces.
            b'\t'..=b'\r' => WHITE | WHITE << 1,
            b'!'..=b'~' => 0,
            _ => OTHER,
        };
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    classes
};

/// The first line with its end, or as much of it as is read at once: up to a space or the beginning of a character.
pub(super) fn first(bytes: &[u8], most: usize) -> &[u8] {
    let within = bytes.get(..most).unwrap_or(bytes);
    if let Some(end) = memchr(b'\n', within) {
        return within.get(..=end).unwrap_or(within);
    }
    if within.len() == bytes.len() {
        return within;
    }
    let second_half = within.get(most / 2..).unwrap_or_default();
    let cut = second_half.iter().rposition(|byte| *byte == b' ');
    let cut = cut.or_else(|| second_half.iter().rposition(|byte| byte & 0xC0 != 0x80)).unwrap_or(second_half.len());
    within.get(..most / 2 + cut).unwrap_or(within)
}

/// Whether a line has anything but plain text.
pub(super) fn kind(line: &[u8]) -> Kind {
    let words = line.strip_suffix(b"\n").unwrap_or(line);
    let mut last = WHITE;
    let (mut spelled, mut emphasis, mut leet, mut classes) = (false, 0, false, 0);
    let mut uneven = false;
    for byte in words {
        let class = CLASSES[*byte as usize];
        classes |= class;
        last = (last << 1) & SHIFTED | class;
        // Four letters, each apart from the next; one or two digits between letters; a mark at a letter.
        spelled |= last & 0x7F == 0x55;
        leet |= last & 0x0002_0007 == 0x0002_0005 || last & 0x0006_000F == 0x0006_0009;
        emphasis |= (last >> 9 & last) | (last >> 8 & last >> 1);
        uneven |= last >> 24 & 3 == 3;
    }
    let (emphasis, foreign) = (emphasis & 1 != 0, classes & OTHER != 0);
    if spelled || leet || foreign {
        Kind::Careful(Disguises { spelled, leet, foreign })
    } else if emphasis {
        Kind::Emphasized
    } else if uneven || last & WHITE != 0 {
        Kind::Plain
    } else {
        Kind::Even
    }
}

/// Whether a byte is white space in ASCII.
pub(super) const fn is_white(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}
