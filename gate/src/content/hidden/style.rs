//! Whether declarations of a style make what they apply to invisible.
//!
//! *Security*: hostile bytes, read once. *Standards*: CSS 2.2, sections 8 to 11, 14 and 15; CSS Color 4; CSS Masking 1.

/// The most declarations that are read.
const PAIRS_MAX: usize = 64;

/// Whether these declarations (`color:#fff;opacity:0`) hide words.
pub(super) fn hides(declarations: &[u8]) -> bool {
    let pairs = pairs(declarations);
    pairs.iter().any(|(name, value)| hides_alone(name, value)) || hides_together(&pairs)
}

/// Whether they hide words in a way that no page needs for its menus and its readers of screens: small, pale or turned away.
pub(super) fn is_covert(declarations: &[u8]) -> bool {
    const USUAL: [&str; 11] = [
        "display",
        "visibility",
        "opacity",
        "content-visibility",
        "left",
        "top",
        "text-indent",
        "clip",
        "clip-path",
        "z-index",
        "contain",
    ];
    let pairs = pairs(declarations);
    let meets = |name: &str| pairs.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
    pairs.iter().any(|(name, value)| !USUAL.contains(&name.as_str()) && hides_alone(name, value))
        || colours_meet(meets("color"), meets("background-color").or(meets("background")))
}

/// The names and values of declarations, as they are read: escapes undone, variables put in.
fn pairs(declarations: &[u8]) -> Vec<(String, String)> {
    let text = unescaped(&String::from_utf8_lossy(declarations)).to_lowercase();
    let mut pairs: Vec<(String, String)> = text
        .split(';')
        .filter_map(|pair| pair.split_once(':'))
        .map(|(name, value)| (plain(name), plain(value).replace("!important", "")))
        .map(|(name, value)| (name.trim_start_matches(['"', '\'', '{']).to_owned(), value))
        .take(PAIRS_MAX)
        .collect();
    let variables: Vec<(String, String)> = pairs.iter().filter(|(name, _)| name.starts_with("--")).cloned().collect();
    for (_, value) in &mut pairs {
        let name = value.strip_prefix("var(").and_then(|rest| rest.split([',', ')']).next());
        let known = name.and_then(|name| variables.iter().find(|(other, _)| other == name));
        if let Some((_, known)) = known {
            value.clone_from(known);
        }
    }
    pairs
}

/// A text with escapes of style sheets (`\\64 isplay`) undone.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let digits = after.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        let code = after.get(..digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
        if let Some(character) = code.and_then(char::from_u32).filter(char::is_ascii_graphic) {
            out.push(character);
            rest = after.get(digits..).unwrap_or_default();
            rest = rest.strip_prefix(' ').unwrap_or(rest);
        } else {
            out.push('\\');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// Whether declarations hide that hide nothing each.
fn hides_together(pairs: &[(String, String)]) -> bool {
    let value = |wanted: &str| pairs.iter().rev().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let clipped = ["overflow", "overflow-x", "overflow-y"]
        .iter()
        .filter_map(|name| value(name))
        .any(|value| value.starts_with("hidden") || value == "clip" || value == "scroll" || value == "auto");
    let length = |name: &str| value(name).and_then(number);
    let is_nothing = |name: &str| length(name).is_some_and(|size| size <= 0.0);
    let turned = || value("transform").is_some_and(|value| value.contains("(180deg"));
    let is_few = |name: &str| {
        value(name).is_some_and(|value| value.ends_with("ch")) && length(name).is_some_and(|size| size <= 5.0)
    };
    let blends = value("mix-blend-mode").is_some_and(|mode| mode != "normal") && value("color").is_some();
    colours_meet(value("color"), value("background-color").or(value("background")))
        || (blends && value("background").or(value("background-color")).is_some())
        || (clipped && is_few("width"))
        || (is_nothing("width") && is_nothing("height"))
        || (value("backface-visibility") == Some("hidden") && turned())
        || (clipped
            && ["height", "width", "max-height", "max-width", "line-height"]
                .iter()
                .any(|name| length(name).is_some_and(|size| size <= 1.0)))
}

fn plain(text: &str) -> String {
    let words: Vec<&str> = text.split(|character: char| character.is_whitespace() || character == '\\').collect();
    // Only the parts of a colour need what parts them.
    let is_colour =
        ["rgb", "hsl", "hwb", "lab", "lch", "oklab", "oklch", "color("].iter().any(|name| text.contains(name));
    words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(if is_colour { " " } else { "" })
}

/// The number that a value begins with.
fn number(value: &str) -> Option<f64> {
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

/// Whether a sum or product comes to nothing: `calc(1 - 1)`, `calc(5 * 0)`.
fn is_nought(value: &str) -> bool {
    let Some(inner) = value.strip_prefix("calc(").map(|inner| inner.trim_end_matches(')')) else { return false };
    let two = |sign: char| inner.split_once(sign).and_then(|(one, other)| Some((number(one)?, number(other)?)));
    two('-').is_some_and(|(one, other)| one - other <= 0.05) || two('*').is_some_and(|(one, other)| one * other <= 0.05)
}

fn hides_alone(name: &str, value: &str) -> bool {
    let size = number(value);
    let at_most = |most: f64| size.is_some_and(|size| size <= most);
    let far = || {
        let enough = if value.ends_with("em") || value.ends_with("vw") || value.ends_with("vh") || value.ends_with('%')
        {
            90.0
        } else {
            400.0
        };
        let is_of_window = value.ends_with("vw") || value.ends_with("vh");
        size.is_some_and(|size| size <= -enough || size >= if is_of_window { 100.0 } else { enough * 8.0 })
    };
    match name {
        "display" => value == "none",
        "visibility" => value == "hidden" || value == "collapse",
        "content-visibility" => value == "hidden",
        "opacity" | "fill-opacity" | "-moz-opacity" => {
            at_most(if value.ends_with('%') { 5.0 } else { 0.05 }) || is_nought(value)
        }
        "filter" | "-webkit-filter" => {
            ["opacity(0", "alpha(opacity=0", "contrast(0"]
                .iter()
                .any(|kind| value.contains(kind) && !value.contains("(0."))
                || value
                    .split_once("brightness(")
                    .and_then(|(_, size)| number(size))
                    .is_some_and(|size| size <= 0.05 || size >= 10.0)
                || value.split_once("blur(").and_then(|(_, size)| number(size)).is_some_and(|size| size >= 10.0)
        }
        "line-height" | "scale" | "zoom" => at_most(0.05),
        "letter-spacing" | "word-spacing" => {
            size.is_some_and(|size| size >= 400.0 || size <= if value.ends_with("em") { -0.9 } else { -10.0 })
        }
        "z-index" => at_most(-1.0),
        "unicode-bidi" => value == "bidi-override",
        "translate" => size.is_some_and(|size| size.abs() >= 400.0),
        "-webkit-mask" | "mask" | "mask-image" | "-webkit-mask-image" => {
            value.contains("transparent") || value.contains("#0000") || value.contains("url(#")
        }
        "rotate" => value.contains("90deg") && value.contains(['x', 'y']),
        "-webkit-text-security" => value != "none",
        "contain" => value == "strict" || value == "size",
        "font-family" => value.contains("blank"),
        "max-width" | "max-height" | "mask-size" | "-webkit-mask-size" => at_most(0.0),
        "font-size" if is_nought(value) => true,
        "font-size" => at_most(match () {
            () if value.ends_with("em") || value.ends_with("ex") => 0.1,
            () if value.ends_with('%') => 5.0,
            () => 2.0,
        }),
        "font" => {
            value.starts_with("0/") || value.starts_with("0px") || value.starts_with("1px") || value.starts_with("0pt")
        }
        "color" | "-webkit-text-fill-color" | "fill" => {
            value == "transparent" || colour(value).is_some_and(|colour| colour.3 <= 0.05)
        }
        "left"
        | "right"
        | "top"
        | "bottom"
        | "margin-left"
        | "margin-top"
        | "margin-right"
        | "text-indent"
        | "inset"
        | "inset-inline-start"
        | "margin"
        | "margin-bottom"
        | "margin-inline-start" => far(),
        "transform" => {
            ["scale(", "scalex(", "scaley(", "scale3d(", "matrix("].iter().any(|kind| {
                value.split_once(kind).and_then(|(_, size)| number(size)).is_some_and(|size| size.abs() <= 0.05)
            }) || value.contains("rotatex(90deg")
                || value.contains("rotatey(90deg")
                || ["skew(90deg", "skewx(90deg", "skewy(90deg"].iter().any(|kind| value.contains(kind))
                || (value.contains("rotate3d(") && value.contains("90deg"))
                || (value.contains("translate")
                    && value.split(['(', ',']).skip(1).filter_map(number).any(|size| size.abs() >= 400.0))
        }
        "clip" => value.starts_with("rect(0") || value.starts_with("rect(1px"),
        "clip-path" => {
            value.split_once("inset(").and_then(|(_, size)| number(size)).is_some_and(|size| size >= 50.0)
                || value.starts_with("circle(0")
                || value.starts_with("ellipse(0")
                || value.starts_with("rect(00")
                || value.starts_with("polygon(00")
        }
        "mso-hide" => value == "all",
        "background" | "background-color" => value == "currentcolor",
        _ => false,
    }
}

/// Red, green, blue of 0 to 255, and opacity.
type Colour = (f64, f64, f64, f64);

fn colour(value: &str) -> Option<Colour> {
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

/// Whether words of one colour stand on a ground of nearly the same; no ground is taken for white, as pages have it.
fn colours_meet(words: Option<&str>, ground: Option<&str>) -> bool {
    if words.is_some_and(|words| words != "inherit" && words != "currentcolor" && ground == Some(words)) {
        return true;
    }
    let Some(front) = words.and_then(colour) else { return false };
    let back = match ground {
        Some(ground) => colour(ground),
        None => Some((255.0, 255.0, 255.0, 1.0)),
    };
    back.is_some_and(|back| {
        let apart = (front.0 - back.0).abs().max((front.1 - back.1).abs()).max((front.2 - back.2).abs());
        apart <= 10.0
    })
}

/// Whether the colour of an attribute (`<font color=white>`) is that of paper.
pub(super) fn is_paper(value: &[u8], ground: Option<&[u8]>) -> bool {
    let text = |bytes: &[u8]| plain(&String::from_utf8_lossy(bytes).to_lowercase());
    let words = text(value);
    words == "transparent" || colours_meet(Some(&words), ground.map(text).as_deref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_way_to_hide_words_is_known() {
        for style in [
            "display : none !important",
            "VISIBILITY: hidden",
            "opacity:.01",
            "font-size:0",
            "font-size: 1px",
            "color:#ffffff;background:#fff",
            "color:white",
            "color:rgba(0,0,0,0)",
            "color:#fefefe; background-color: white",
            "position:absolute;left:-9999px",
            "text-indent:-100em",
            "height:0;overflow:hidden",
            "transform: translateX(-2000px)",
            "clip-path: inset(100%)",
            "position:absolute; clip: rect(0 0 0 0)",
            "mso-hide:all",
            "\\64isplay:\\6eone",
            "--d:none;display:var(--d)",
            "opacity:calc(1 - 1)",
            "mask-size:0 0",
            "rotate:x 90deg",
            "backface-visibility:hidden;transform:rotateX(180deg)",
            "text-indent:200vw",
            "top:100vh",
            "color:hwb(0 100% 0)",
            "height:.1px;overflow-y:hidden",
            "font-family:AdobeBlank",
            "opacity:1e-9",
            "font-size:clamp(0px,0vw,0px)",
            "color:hsl(210 50% 40%);background:#369",
            "color:color(srgb 1 1 1)",
            "color:navy;background:#000080",
            "-webkit-text-security:disc",
        ] {
            assert!(hides(style.as_bytes()), "{style}");
        }
    }

    #[test]
    fn ordinary_styles_hide_nothing() {
        for style in [
            "color:#333",
            "color:#fff;background:#06c",
            "color:white;background:url(a.png)",
            "display:block;opacity:.8",
            "font-size:12px;left:-10px",
            "height:0",
            "overflow:hidden;width:100px",
            "left:100%",
            "opacity:calc(1 - 0.2)",
            "color:var(--text)",
            "rotate:90deg",
            "color:hwb(200 10% 20%)",
            "content:'\\201c'",
            "background:#fff",
            "",
        ] {
            assert!(!hides(style.as_bytes()), "{style}");
        }
    }
}
