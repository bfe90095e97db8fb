//! The colours of a terminal, and whether a rendition leaves words that nobody can read.
//!
//! *Security*: hostile bytes, read once. *Standards*: ECMA-48, section 8.3.117; the palette of 256 colours of terminals.

/// How far apart the levels of colours are that look the same.
const NEAR_LEVELS: u32 = 12;

/// Whether the parameters of a rendition conceal, or set both colours to the same.
pub(super) fn hides(parameters: &[u8]) -> bool {
    let text = String::from_utf8_lossy(parameters);
    let mut codes = text.split([';', ':']).map(|code| code.parse::<u32>().unwrap_or(0));
    let (mut front, mut back, mut conceals, mut is_dim, mut is_exact) = (None, None, false, false, false);
    while let Some(code) = codes.next() {
        match code {
            0 => (front, back, conceals, is_dim) = (None, None, false, false),
            2 => is_dim = true,
            22 => is_dim = false,
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
                if code == 38 { (front, is_exact) = (colour, true) } else { back = colour }
            }
            _ => {}
        }
    }
    // Dim black on no colour is the colour of most terminals.
    conceals
        || front.zip(back).is_some_and(|(front, back)| meet(front, back))
        || (is_dim && back.is_none() && front == Some((0, 0, 0)))
        || (is_exact && back.is_none() && front.is_some_and(|front| meet(front, (0, 0, 0))))
}

/// Red, green and blue, of 0 to 255.
type Colour = (u32, u32, u32);

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
            (8 + 10 * index.saturating_sub(232), 8 + 10 * index.saturating_sub(232), 8 + 10 * index.saturating_sub(232))
        }
    }
}

/// Whether two colours are so near that nobody reads one on the other.
fn meet(one: Colour, other: Colour) -> bool {
    one.0.abs_diff(other.0).max(one.1.abs_diff(other.1)).max(one.2.abs_diff(other.2)) <= NEAR_LEVELS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renditions_that_leave_nothing_to_read_are_told_from_colours() {
        for parameters in ["8", "30;40", "38;5;16;48;5;16", "2;30", "38;2;1;1;1", "0;1;8"] {
            assert!(hides(parameters.as_bytes()), "{parameters}");
        }
        for parameters in ["", "0", "1;31", "8;28", "37;40", "38;5;250", "38;2;200;10;10;48;2;0;0;0"] {
            assert!(!hides(parameters.as_bytes()), "{parameters}");
        }
    }
}
