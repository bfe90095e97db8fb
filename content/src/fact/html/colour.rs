//! A colour of a style sheet, and whether two are too similar to read one on the other.
//!
//! Of hue notations only white and black count. *Security*: hostile bytes, read once. *Standards*: CSS Color 4, sections 4 to 6.

use std::sync::LazyLock;

use crate::fact::word_list::kinds;

/// How far apart the levels of colours are that look the same, of 255.
const NEAR_LEVELS: u8 = 10;

/// Red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Colour([u8; 3]);

impl Colour {
    /// The ground of a page that names none.
    pub(super) const PAPER: Self = Self([255; 3]);

    pub(super) fn is_near(self, other: Self) -> bool {
        self.0.iter().zip(other.0).all(|(one, other)| one.abs_diff(other) <= NEAR_LEVELS)
    }
}

static NAMED: LazyLock<Vec<(&str, &str)>> =
    LazyLock::new(|| kinds(include_str!("../../../words/css-colours.txt")).collect());

/// The colour that a value of a declaration is, in lower case and without blanks.
pub(super) fn colour(value: &[u8]) -> Option<Colour> {
    let value = std::str::from_utf8(value).ok()?;
    if let Some((_, hex)) = NAMED.iter().find(|(name, _)| *name == value) {
        return of_hex(hex);
    }
    if let Some(hex) = value.strip_prefix('#') {
        return of_hex(hex);
    }
    let (kind, inner) = value.split_once('(')?;
    let mut parts = inner.trim_end_matches(')').split([',', '/', ' ']);
    let mut level = |full: f64| {
        let part = parts.next()?;
        let share = match part.strip_suffix('%') {
            Some(share) => share.parse::<f64>().ok()? / 100.0,
            None => part.parse::<f64>().ok()? / full,
        };
        Some(share.clamp(0.0, 1.0))
    };
    match kind {
        "rgb" | "rgba" => Some(Colour([byte(level(255.0)?), byte(level(255.0)?), byte(level(255.0)?)])),
        "hsl" | "hsla" => {
            let lightness = (level(360.0)?, level(100.0)?, level(100.0)?).2;
            (!(0.03..0.97).contains(&lightness)).then(|| Colour([byte(lightness); 3]))
        }
        _ => None,
    }
}

fn of_hex(hex: &str) -> Option<Colour> {
    let number = u32::from_str_radix(hex.get(..6).unwrap_or(hex), 16).ok()?;
    let part = |shift: u32, mask: u32, factor: u32| u8::try_from((number >> shift & mask) * factor).ok();
    match hex.len() {
        6 | 8 => Some(Colour([part(16, 255, 1)?, part(8, 255, 1)?, part(0, 255, 1)?])),
        3 => Some(Colour([part(8, 15, 17)?, part(4, 15, 17)?, part(0, 15, 17)?])),
        _ => None,
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 0 to 1 is a level of 0 to 255")]
fn byte(share: f64) -> u8 {
    (share * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_colour_in_several_notations_is_one() {
        for white in [
            "white",
            "#fff",
            "#ffffff",
            "#FFFFFFff",
            "rgb(255,255,255)",
            "rgb(100%,100%,100%)",
            "hsl(0,0%,100%)",
            "#fefefe",
        ] {
            assert!(
                colour(white.to_ascii_lowercase().as_bytes()).is_some_and(|it| it.is_near(Colour::PAPER)),
                "{white}"
            );
        }
        for other in ["#ddd", "black", "rgb(0,0,0)", "#ff0"] {
            assert!(colour(other.as_bytes()).is_some_and(|it| !it.is_near(Colour::PAPER)), "{other}");
        }
        assert_eq!(colour(b"var(--x)"), None);
    }
}
