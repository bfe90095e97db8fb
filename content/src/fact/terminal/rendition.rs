//! Whether a rendition of a terminal leaves words that nobody can read: concealed, or both colours the same.
//!
//! *Security*: hostile bytes, read once. *Standards*: ECMA-48, section 8.3.117; the palette of 256 colours of terminals.

/// How far apart the levels of colours are that look the same.
const NEAR_LEVELS: u32 = 12;

/// Red, green and blue, of 0 to 255.
type Colour = (u32, u32, u32);

/// Whether the parameters of a rendition conceal, or set both colours to the same.
pub(super) fn hides(parameters: &[u8]) -> bool {
    let codes = parameters.split(|byte| matches!(byte, b';' | b':'));
    let mut codes =
        codes.map(|code| std::str::from_utf8(code).ok().and_then(|code| code.parse::<u32>().ok()).unwrap_or(0));
    let (mut front, mut back, mut conceals) = (None, None, false);
    while let Some(code) = codes.next() {
        match code {
            0 => (front, back, conceals) = (None, None, false),
            8 => conceals = true,
            28 => conceals = false,
            30..=37 => front = Some(of_index(code - 30)),
            90..=97 => front = Some(of_index(code - 82)),
            40..=47 => back = Some(of_index(code - 40)),
            100..=107 => back = Some(of_index(code - 92)),
            38 | 48 => {
                let colour = match codes.next() {
                    Some(5) => codes.next().map(of_index),
                    Some(2) => {
                        codes.next().zip(codes.next()).zip(codes.next()).map(|((red, green), blue)| (red, green, blue))
                    }
                    _ => None,
                };
                *(if code == 38 { &mut front } else { &mut back }) = colour;
            }
            _ => {}
        }
    }
    conceals || front.zip(back).is_some_and(|(front, back)| meet(front, back))
}

/// A colour by its number in the palette of 256.
fn of_index(index: u32) -> Colour {
    let level = |step: u32| if step == 0 { 0 } else { 55 + 40 * step };
    let basic = |full: u32| ((index & 1) * full, (index >> 1 & 1) * full, (index >> 2 & 1) * full);
    match index {
        0..=6 => basic(128),
        7 => (192, 192, 192),
        8 => (128, 128, 128),
        9..=15 => basic(255),
        16..=231 => (level((index - 16) / 36), level((index - 16) / 6 % 6), level((index - 16) % 6)),
        _ => {
            let grey = 8 + 10 * index.saturating_sub(232).min(23);
            (grey, grey, grey)
        }
    }
}

/// Whether two colours are so near that nobody reads one on the other.
fn meet(one: Colour, other: Colour) -> bool {
    one.0.abs_diff(other.0).max(one.1.abs_diff(other.1)).max(one.2.abs_diff(other.2)) <= NEAR_LEVELS
}
