//! The text that a run of invisible characters encodes: tag characters, variation selectors as bytes, or two zero-width
//! characters as bits.
//!
//! *Security*: hostile text, read once. *Standards*: Unicode 16, sections 23.4 and 23.9.

/// The fewest bytes that are a text, and how many bits are read for them.
const BYTES_MIN: usize = 2;
const BIT_BYTES_MIN: usize = 3;

/// The text of a run, if it is legible.
pub(super) fn spelled(run: &[char]) -> Option<Vec<u8>> {
    [by_tag(run), by_selector(run), by_bit(run, 8), by_bit(run, 7)].into_iter().flatten().find(|text| is_legible(text))
}

fn by_tag(run: &[char]) -> Option<Vec<u8>> {
    let tags = run.iter().map(|it| u32::from(*it)).filter(|code| (0xE0020..=0xE007E).contains(code));
    let text: Vec<u8> = tags.filter_map(|code| u8::try_from(code - 0xE0000).ok()).collect();
    (text.len() >= BYTES_MIN).then_some(text)
}

fn by_selector(run: &[char]) -> Option<Vec<u8>> {
    let byte = |it: &char| match u32::from(*it) {
        code @ 0xFE00..=0xFE0F => u8::try_from(code - 0xFE00).ok(),
        code @ 0xE0100..=0xE01EF => u8::try_from(code - 0xE0100 + 16).ok(),
        _ => None,
    };
    let text: Vec<u8> = run.iter().filter_map(byte).collect();
    (text.len() >= BYTES_MIN).then_some(text)
}

/// Two characters as bits; the first one is 0, because no ASCII letter has its highest bit set. Others separate the bytes.
fn by_bit(run: &[char], width: usize) -> Option<Vec<u8>> {
    let zero = *run.first()?;
    let one = *run.iter().find(|it| **it != zero)?;
    let bits: Vec<bool> = run.iter().filter(|it| **it == zero || **it == one).map(|it| *it == one).collect();
    let text: Vec<u8> =
        bits.chunks_exact(width).map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit))).collect();
    (text.len() >= BIT_BYTES_MIN).then_some(text)
}

fn is_legible(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let letters = text.chars().filter(|it| it.is_alphanumeric()).count();
    letters >= BYTES_MIN && !text.chars().any(|it| it.is_control() && !it.is_whitespace() || it == '\u{fffd}')
}
