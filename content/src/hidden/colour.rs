//! Colours and numbers as style sheets write them.
//!
//! *Security*: hostile text, read once. *Standards*: CSS Color 4 and 5; CSS Values 4.

/// The number that a value begins with.
pub(super) fn number(value: &str) -> Option<f64> {
    // The least or the first of several is what they come to, nearly always.
    let value = ["min(", "clamp(", "max("].iter().find_map(|name| value.strip_prefix(name)).unwrap_or(value);
    let end = |text: &str, more: char| {
        let other = |character: char| {
            !(character.is_ascii_digit() || matches!(character, '.' | '-' | '+') || character == more)
        };
        text.find(other).unwrap_or(text.len())
    };
    let exponent = value.get(..end(value, 'e')).and_then(|text| text.parse().ok());
    exponent.or_else(|| value.get(..end(value, '.'))?.parse().ok())
}

/// Red, green, blue of 0 to 255, and opacity.
pub(super) type Colour = (f64, f64, f64, f64);

pub(super) fn colour(value: &str) -> Option<Colour> {
    const NAMED: [(&str, u32); 29] = [
        ("navy", 0x80),
        ("green", 0x80_00),
        ("maroon", 0x80_0000),
        ("olive", 0x80_8000),
        ("purple", 0x80_0080),
        ("teal", 0x80_80),
        ("silver", 0xC0_C0C0),
        ("aqua", 0xFFFF),
        ("cyan", 0xFFFF),
        ("lime", 0xFF00),
        ("fuchsia", 0xFF_00FF),
        ("magenta", 0xFF_00FF),
        ("orange", 0xFF_A500),
        ("grey", 0x80_8080),
        ("canvas", 0xFF_FFFF),
        ("white", 0xFF_FFFF),
        ("black", 0),
        ("snow", 0xFF_FAFA),
        ("ivory", 0xFF_FFF0),
        ("whitesmoke", 0xF5_F5F5),
        ("ghostwhite", 0xF8_F8FF),
        ("floralwhite", 0xFF_FAF0),
        ("azure", 0xF0_FFFF),
        ("mintcream", 0xF5_FFFA),
        ("red", 0xFF_0000),
        ("gray", 0x80_8080),
        ("lightgray", 0xD3_D3D3),
        ("blue", 0xFF),
        ("yellow", 0xFF_FF00),
    ];
    let of = |rgb: u32| {
        let part = |shift: u32| f64::from(rgb >> shift & 0xFF);
        (part(16), part(8), part(0), 1.0)
    };
    if let Some((_, rgb)) = NAMED.iter().find(|(name, _)| *name == value) {
        return Some(of(*rgb));
    }
    if let Some(hex) = value.strip_prefix('#') {
        let doubled: String = match hex.len() {
            3 | 4 => hex.chars().flat_map(|digit| [digit, digit]).collect(),
            6 | 8 => hex.to_owned(),
            _ => return None,
        };
        let rgb = u32::from_str_radix(doubled.get(..6)?, 16).ok()?;
        let alpha =
            doubled.get(6..).filter(|rest| !rest.is_empty()).and_then(|rest| u32::from_str_radix(rest, 16).ok());
        let (red, green, blue, _) = of(rgb);
        return Some((red, green, blue, alpha.map_or(1.0, |alpha| f64::from(alpha) / 255.0)));
    }
    let (kind, inner) = value.split_once('(')?;
    if let "color-mix" | "light-dark" = kind {
        // What one of two colours is all of: the first, or whichever has the whole share.
        let parts = inner.trim_end_matches(')').split(',').filter(|part| !part.trim_start().starts_with("in"));
        let mut shares = parts.map(|part| part.trim().split_once(' ').unwrap_or((part.trim(), "")));
        let whole = shares.clone().find(|(_, share)| share.trim() == "100%");
        return whole.or_else(|| shares.next().filter(|_| kind == "light-dark")).and_then(|(name, _)| colour(name));
    }
    let texts: Vec<&str> = inner.trim_end_matches(')').split([',', '/', ' ']).filter(|part| !part.is_empty()).collect();
    let part = |at: usize| texts.get(at).copied().and_then(number);
    let opacity = match texts.get(3) {
        Some(text) if text.ends_with('%') => number(text).map_or(1.0, |share| share / 100.0),
        Some(text) => number(text).unwrap_or(1.0),
        None => 1.0,
    };
    let is_share = texts.first().is_some_and(|text| text.ends_with('%'));
    let scaled = |value: f64| if is_share { value * 2.55 } else { value };
    match kind {
        "rgb" | "rgba" => Some((scaled(part(0)?), scaled(part(1)?), scaled(part(2)?), opacity)),
        // Of most others only white and black are told, and whatever is not there at all.
        "hsl" | "hsla" => Some(of_hue(part(0)?, part(1)? / 100.0, part(2)? / 100.0, opacity)),
        "color" => Some((part(1)? * 255.0, part(2)? * 255.0, part(3)? * 255.0, 1.0)),
        "hwb" => grey(
            if part(1)? >= 97.0 {
                100.0
            } else if part(2)? >= 97.0 {
                0.0
            } else {
                50.0
            },
            100.0,
            opacity,
        ),
        "lab" | "lch" => grey(part(0)?, 100.0, opacity),
        "oklab" | "oklch" => grey(part(0)?, if is_share { 100.0 } else { 1.0 }, opacity),
        _ => None,
    }
}

/// A colour by hue in degrees, and shares of saturation and lightness.
fn of_hue(hue: f64, saturation: f64, lightness: f64, opacity: f64) -> Colour {
    let most = saturation * lightness.min(1.0 - lightness);
    let part = |turn: f64| {
        let place = (turn + hue / 30.0).rem_euclid(12.0);
        255.0 * (lightness - most * (place - 3.0).min(9.0 - place).clamp(-1.0, 1.0))
    };
    (part(0.0), part(8.0), part(4.0), opacity)
}

/// White or black, if a lightness of at most `full` is one of theirs, or anything that is not there.
fn grey(lightness: f64, full: f64, opacity: f64) -> Option<Colour> {
    let share = lightness / full;
    let level = share * 255.0;
    (share >= 0.97 || share <= 0.03 || opacity <= 0.05).then_some((level, level, level, opacity))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read_in_every_notation() {
        for (value, red, opacity) in [
            ("#fff", 255.0, 1.0),
            ("#ff000080", 255.0, 128.0 / 255.0),
            ("rgb(1 2 3 / 0)", 1.0, 0.0),
            ("navy", 0.0, 1.0),
        ] {
            let (found, _, _, alpha) = colour(value).unwrap();
            assert!((found - red).abs() < 0.01 && (alpha - opacity).abs() < 0.01, "{value}");
        }
        for value in ["", "var(--a)", "#12", "inherit"] {
            assert!(colour(value).is_none(), "{value}");
        }
        assert_eq!(number("1e-9").map(|number| number < 0.1), Some(true));
        assert_eq!(number("auto"), None);
    }
}
